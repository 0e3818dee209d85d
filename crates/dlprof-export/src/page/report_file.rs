//! One file that holds the pages and their data. It needs no network and no server, and opens from `file://`.

use super::assets::{LIBRARIES, STYLES, bundle};
use super::table_json::Columns;
use super::{FlameKey, RangeSums, TableDefinition, Terms, Window, Words, block, flame};
use crate::comparison::RangesCompared;
use crate::display::plain;
use crate::error::Error;
use crate::formats::report::{self, Options, Tables};
use crate::overview::overview;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use dlprof_core::{Judged, Profile, Table, Timeline, compare_ranges, definition, usual_pair};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

/// Maximum number of rows of a table, if the user sets no other number.
const MOST_ROWS: usize = 250_000;

/// Maximum number of items of a timeline; the shortest ones are left out.
const MOST_ITEMS: usize = 200_000;

/// What the pages read first.
#[derive(Serialize)]
struct Manifest {
    window: Window,
    words: Words,
    tables: Vec<TableDefinition>,
    terms: Terms,
    /// By table: its number of rows, and what is left out.
    contents: BTreeMap<String, Contents>,
    /// Iterations whose time line is in the file.
    timelines: Vec<u32>,
}

#[derive(Serialize)]
struct Contents {
    rows: usize,
    notes: Vec<String>,
}

/// Writes a page with the given tables to a new file.
///
/// # Errors
/// If the file exists, or the system refuses to write.
pub fn write(
    judged: &Judged,
    title: &str,
    tables: &[Box<dyn Table + '_>],
    options: &Options<'_>,
    path: &Path,
) -> Result<(), Error> {
    crate::target::create_with(path, |out| write_page(judged, title, tables, options, out))
}

fn write_page(
    judged: &Judged,
    title: &str,
    tables: &[Box<dyn Table + '_>],
    options: &Options<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let script = bundle();
    write_head(title, &script, out)?;
    let sections = report::sections(tables, Tables::Chosen, options.most_rows.unwrap_or(MOST_ROWS))?;
    let timelines = timelines(judged);
    let manifest = Manifest {
        window: Window::new(judged, title),
        words: Words::all(),
        tables: tables.iter().filter_map(|table| definition(table.key())).map(TableDefinition::new).collect(),
        terms: Terms::ALL,
        contents: sections
            .iter()
            .map(|section| {
                (
                    section.view.key().to_owned(),
                    Contents { rows: section.view.rows(), notes: section.notes.clone() },
                )
            })
            .collect(),
        timelines: timelines.iter().map(|timeline| timeline.iteration).collect(),
    };
    block::write("manifest", &manifest, out)?;
    block::write("overview", &overview(judged, options.time_unit), out)?;
    block::write("ranges", &RangeSums::new(judged), out)?;
    for section in &sections {
        block::write(&format!("table-{}", section.view.key()), &Columns(&section.view), out)?;
    }
    for timeline in &timelines {
        block::write(&format!("timeline-{}", timeline.iteration), timeline, out)?;
    }
    if let Some(compared) = slowest_compared(judged) {
        block::write("iterations-compared", &compared, out)?;
    }
    for key in FlameKey::ALL {
        block::write(&format!("flame-{}", key.as_str()), &flame(judged, key), out)?;
    }
    for library in LIBRARIES {
        writeln!(out, "<script>{}</script>", library.text)?;
    }
    writeln!(out, "<script type=\"module\">{script}</script>\n</body>\n</html>")
}

/// The slowest iteration beside the one of median duration.
fn slowest_compared(profile: &Profile) -> Option<RangesCompared> {
    let (base, new) = usual_pair(profile)?;
    compare_ranges(profile, base, new).ok().map(|comparison| RangesCompared::new(&comparison))
}

/// The median and the slowest iteration.
fn timelines(profile: &Profile) -> Vec<Timeline> {
    let (median, slowest) = profile.median_and_slowest_iteration();
    let numbers = [Some(median), (slowest != median).then_some(slowest)];
    numbers.into_iter().flatten().filter_map(|number| profile.timeline(number, MOST_ITEMS)).collect()
}

fn write_head(title: &str, script: &str, out: &mut dyn Write) -> io::Result<()> {
    let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text.as_bytes())));
    let styles: Vec<String> = STYLES.iter().map(|style| hash(style.text)).collect();
    let scripts: Vec<String> =
        LIBRARIES.iter().map(|library| library.text).chain([script]).map(hash).collect();
    writeln!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src {}; script-src {}; \
         base-uri 'none'; form-action 'none'\">\n<title>{}: dlprof-agg</title>",
        styles.join(" "),
        scripts.join(" "),
        escaped(title)
    )?;
    for style in STYLES {
        writeln!(out, "<style>{}</style>", style.text)?;
    }
    writeln!(
        out,
        "</head>\n<body>\n<noscript>This report needs JavaScript. It loads nothing from a network.</noscript>"
    )
}

/// A text escaped so that it is shown unchanged.
fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in plain(text).chars() {
        match c {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            c => shown.push(c),
        }
    }
    shown
}
