//! Ingest: from an nsys SQLite export to a [`Trace`].
//!
//! Only this module knows SQL. Every table is read once, in row order, without joins; the large ones at the
//! same time. Tables and columns differ from nsys version to version, so columns are looked up by name and
//! the version is never asked (`--lazy`, `--tables` and other tools change the set as well).

mod api_calls;
mod assemble;
mod clock;
mod completeness;
mod database;
mod devices;
pub(crate) mod fingerprint;
mod gpu_work;
mod keys;
mod names;
mod pages;
mod ranges;
mod row;
mod sqlite_rows;
mod system;

use crate::diagnostics::Diagnostics;
use crate::error::Error;
use crate::time::Ns;
use crate::trace::{CorrelationId, NO_CORRELATION, Trace};
use database::Database;
pub(crate) use database::check_file;
use devices::Devices;
use names::Names;
use row::Row;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// How far reading has come: rows read so far, and about how many there are.
pub type OnProgress<'a> = &'a (dyn Fn(u64, u64) + Sync);

/// Counts rows over all tables and tells the caller now and then.
struct Progress<'a> {
    read: AtomicU64,
    total: u64,
    report: Option<OnProgress<'a>>,
}

impl Progress<'_> {
    const STEP: u64 = 1 << 16;

    /// Counts [`Self::STEP`] rows.
    fn step(&self) {
        let read = self.read.fetch_add(Self::STEP, Ordering::Relaxed) + Self::STEP;
        if let Some(report) = self.report {
            report(read, self.total.max(read));
        }
    }
}

/// What reads the rows of the large tables. The result does not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reader {
    /// The pages of the file, and SQLite where those are unusual.
    #[default]
    Auto,
    /// The pages of the file; tables that they cannot give are an error. For tests.
    Pages,
    /// SQLite.
    Sqlite,
}

/// Reads an export. The file is opened read-only and nothing is written, neither to it nor beside it.
///
/// # Errors
/// If the file is no readable nsys export; see [`Error`]. Missing optional tables are no error, they give
/// diagnostics.
pub fn read(path: &Path, reader: Reader, on_progress: Option<OnProgress<'_>>) -> Result<Trace, Error> {
    let database = Database::open(path, reader)?;
    check_tables(&database)?;
    let mut total = 0;
    for table in LARGE_TABLES {
        total += database.row_estimate(table)?;
    }
    let progress = Progress { read: AtomicU64::new(0), total, report: on_progress };

    let mut diagnostics = Diagnostics::default();
    let names = Names::read(&database, &mut diagnostics)?;
    let raw = read_large_tables(&database, &names, &progress)?;
    let small = SmallTables::read(&database, &mut diagnostics)?;
    let mut trace = assemble::assemble(&database, names, raw, small, diagnostics)?;
    completeness::note_missing(&mut trace, &database);
    Ok(trace)
}

const LARGE_TABLES: [&str; 7] = [
    ranges::TABLE,
    api_calls::TABLE,
    gpu_work::KERNELS,
    gpu_work::COPIES,
    gpu_work::MEMSETS,
    gpu_work::GRAPHS,
    gpu_work::SYNCS,
];

/// Tables that tell an nsys export without events from another database with a table `StringIds`.
const NSYS_TABLES: [&str; 5] =
    ["META_DATA_EXPORT", "EXPORT_META_DATA", "TARGET_INFO_SYSTEM_ENV", "ProcessStreams", "ThreadNames"];

/// Refuses databases that are no nsys export.
fn check_tables(database: &Database) -> Result<(), Error> {
    let not_an_export = |missing| Error::NotAnExport { path: database.path().into(), missing };
    let is_event = |table: &&str| *table != gpu_work::SYNCS;
    let has_events = LARGE_TABLES.into_iter().filter(is_event).any(|table| database.has_table(table));
    if !has_events && database.tables().any(|table| table.starts_with("read_only_op")) {
        return Err(Error::DlprofDatabase { path: database.path().into() });
    }
    if !database.has_table("StringIds") {
        return Err(not_an_export("table `StringIds` is missing"));
    }
    if !has_events {
        let is_nsys = database.tables().any(|table| NSYS_TABLES.contains(&table));
        return Err(if is_nsys {
            Error::NoEvents { path: database.path().into() }
        } else {
            not_an_export("it has none of the tables that nsys writes")
        });
    }
    Ok(())
}

/// The large tables as read; threads, processes and devices are still the export's ids.
struct RawTables {
    ranges: ranges::RawRanges,
    api_calls: api_calls::RawApiCalls,
    kernels: gpu_work::RawKernels,
    copies: (gpu_work::RawWork, Vec<u8>),
    memsets: gpu_work::RawWork,
    syncs: gpu_work::RawSyncs,
}

/// Reads the large tables at the same time, the longest ones first.
fn read_large_tables(
    database: &Database,
    names: &Names,
    progress: &Progress<'_>,
) -> Result<RawTables, Error> {
    let (ranges, (api_calls, (kernels, memory))) = rayon::join(
        || ranges::read(database, names, progress),
        || {
            rayon::join(
                || api_calls::read(database, names, progress),
                || {
                    rayon::join(
                        || gpu_work::read_kernels(database, names, progress),
                        || -> Result<_, Error> {
                            let copies = gpu_work::read_copies(database, progress)?;
                            let memsets = gpu_work::read_memsets(database, progress)?;
                            Ok((copies, memsets, gpu_work::read_syncs(database, progress)?))
                        },
                    )
                },
            )
        },
    );
    let (copies, memsets, syncs) = memory?;
    Ok(RawTables { ranges: ranges?, api_calls: api_calls?, kernels: kernels?, copies, memsets, syncs })
}

/// What the small tables say.
struct SmallTables {
    meta: system::ExportMeta,
    session_start: Option<Ns>,
    process_names: rustc_hash::FxHashMap<i64, String>,
    devices: Devices,
}

impl SmallTables {
    fn read(database: &Database, diagnostics: &mut Diagnostics) -> Result<Self, Error> {
        Ok(Self {
            meta: system::read_export_meta(database)?,
            session_start: system::read_session_start(database, diagnostics)?,
            process_names: system::read_process_names(database, diagnostics)?,
            devices: Devices::read(database, diagnostics)?,
        })
    }
}

/// Takes a text apart, for the fuzz targets.
pub(crate) fn split_range_text(text: &str) {
    ranges::split_numbers(text.as_bytes());
}

/// The global process id that a global thread id contains.
fn process_of(global_tid: i64) -> i64 {
    global_tid & !0xFF_FFFF
}

/// A correlation id; NULL and numbers that CUPTI cannot have made are "none".
#[inline]
fn correlation_id(row: &Row<'_>, column: usize, diagnostics: &mut Diagnostics) -> CorrelationId {
    let Some(id) = row.int(column, diagnostics) else { return NO_CORRELATION };
    CorrelationId::try_from(id).unwrap_or_else(|_| {
        row.count_bad_value(column, diagnostics);
        NO_CORRELATION
    })
}
