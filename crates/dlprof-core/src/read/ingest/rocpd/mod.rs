//! From a rocpd database of AMD's rocprofv3 or rocprof-sys to [`Facts`].
//!
//! Each process has tables of its own, whose names end in its uuid; ids are unique among these only. Views join away rows, so
//! tables are read. What is there depends on the version, so columns are looked up by name. The environment of a process, which
//! holds its secrets, is never asked for.
//!
//! ```text
//! string, info_*, track ─► Part ◄─ event (category, stack, text)
//!                          │
//!   region ────────────────┼─► calls and ranges   ┐ by event
//!   kernel_dispatch, copies┴─► work, key: stack   ┘
//! ```

mod agents;
mod events;
mod part;
mod rows;
mod source;
mod symbols;
mod texts;

use super::database::Database;
use super::progress;
use crate::base::Error;
use crate::base::diagnostics::DiagnosticCode;
use crate::columns::Memory;
use crate::read::draft::Draft;
use crate::read::facts::{Facts, RecordedSource, Recorder, RecorderKind, Vendor};
use crate::read::progress::OnProgress;
use part::Part;
use source::Source;

/// Tables with a row for each event.
const LARGE: [&str; 4] = ["event", "region", "kernel_dispatch", "memory_copy"];

/// What the names of the tables of each process end in.
fn suffixes(database: &Database) -> Vec<&str> {
    let is_word = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let suffix = |table: &'_ str| {
        let marks = ["rocpd_info_process", "rocpd_kernel_dispatch"];
        let at = marks.iter().find(|mark| table.starts_with(**mark))?.len();
        Some(at).filter(|&at| table[at..].starts_with('_') && is_word(&table[at..]))
    };
    let mut found: Vec<&str> =
        database.tables().filter_map(|table| suffix(table).map(|at| &table[at..])).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Whether a database is one of rocpd.
pub(super) fn is_one(database: &Database) -> bool {
    !suffixes(database).is_empty()
}

/// Reads a database.
pub(super) fn read(
    database: &Database,
    memory: &Memory,
    on_progress: Option<OnProgress<'_>>,
) -> Result<Facts, Error> {
    let suffixes = suffixes(database);
    let large: Vec<String> = suffixes
        .iter()
        .flat_map(|suffix| LARGE.iter().map(move |base| format!("rocpd_{base}{suffix}")))
        .collect();
    let progress = progress(database, large.iter().map(String::as_str), on_progress)?;
    let mut draft = Draft::new(memory);
    let mut version = String::new();
    let mut found = Found::default();
    for suffix in suffixes {
        let source = Source { database, progress: &progress, suffix };
        let part = Part::read(&source, &mut draft)?;
        rows::read(&source, &part, &mut draft)?;
        found.add(&source, &part)?;
        version = source.schema_version()?.unwrap_or(version);
    }
    found.note(&mut draft);
    let kind = if found.is_of_systems { RecorderKind::RocprofSys } else { RecorderKind::Rocprofv3 };
    draft.about.source = RecordedSource {
        path: database.path().into(),
        size_bytes: database.size_bytes(),
        schema_version: version,
        ..RecordedSource::default()
    };
    draft.about.recorder = Recorder { kind, vendor: Vendor::Amd };
    draft.finish(database.path())
}

/// What is known of all processes together.
#[derive(Default)]
struct Found {
    is_of_systems: bool,
    has_ranges: bool,
    unread_texts: u64,
    counted: u64,
    /// Whether any range has a length.
    has_length: bool,
}

impl Found {
    fn add(&mut self, source: &Source<'_>, part: &Part) -> Result<(), Error> {
        self.is_of_systems |= part.is_of_systems;
        self.has_ranges |= part.ranges.get() > 0;
        self.has_length |= part.ranges_with_length.get() > 0;
        self.unread_texts += part.unread_texts.get();
        self.counted += source.counters()?;
        Ok(())
    }

    fn note(&self, draft: &mut Draft<'_>) {
        draft.about.notes.nvtx_traced = self.has_ranges.then_some(true);
        let diagnostics = draft.diagnostics();
        if self.counted > 0 {
            let example = || format!("{} values", self.counted);
            diagnostics.count(DiagnosticCode::CountersRecorded, example);
        }
        if self.unread_texts > 0 {
            diagnostics.count_cases(DiagnosticCode::UnreadTexts, self.unread_texts, String::new);
        }
        if self.has_ranges && !self.has_length {
            diagnostics.count(DiagnosticCode::RangesWithoutLength, String::new);
        }
    }
}
