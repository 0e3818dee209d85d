//! Ingest: from an nsys SQLite export to [`Facts`].
//!
//! Only this module knows SQL. Every table is read once, in row order, without joins; the large ones at the
//! same time. Tables and columns differ from nsys version to version, so columns are looked up by name and
//! the version is never asked (`--lazy`, `--tables` and other tools change the set as well).
//!
//! A large table has a file of its own with the same face as the others: `TABLE`, the columns that are read, and
//! `read`, which makes the columns of facts of a `TableSource`.

mod allowance;
mod api_calls;
mod assemble;
mod cell;
mod clock;
mod columns;
mod completeness;
mod copies;
mod cpu_samples;
mod database;
mod devices;
mod dlprof;
mod file_checks;
pub(crate) mod fingerprint;
mod graph_nodes;
mod host;
mod host_rows;
mod job;
mod kernels;
mod keys;
mod memory_events;
mod memsets;
mod metric_samples;
mod mpi_calls;
mod multiprocessors;
mod notes;
mod os_calls;
mod overheads;
mod pages;
mod payload;
mod printed;
mod ranges;
mod records;
mod rocpd;
mod row;
mod rpd;
mod schema;
mod sink;
mod sqlite_memory;
mod sqlite_rows;
mod stacks;
mod string_ids;
mod switches;
mod syncs;
mod system;
mod used_tables;
mod work;

use crate::base::diagnostics::Diagnostics;
use crate::base::ids::StrId;
use crate::base::time::Ns;
use crate::base::{Error, UnreadFile};
use crate::columns::Memory;
use crate::read::emit_nvtx::split_numbers;
use crate::read::facts::{CaptureNotes, CorrelationId, DlprofFacts, Facts, NO_CORRELATION};
use crate::read::progress::{OnProgress, Progress};
use crate::read::unread;
use database::Database;
use devices::Devices;
pub(super) use file_checks::{check_file, profile_instead};
pub(crate) use job::{RANK_VARIABLES, WORLD_VARIABLES, read as read_job};
pub(crate) use mpi_calls::TABLES as MPI_TABLES;
use multiprocessors::Multiprocessors;
pub(crate) use records::RECORD_TABLES;
pub use records::RowDetail;
pub(crate) use records::{OPENACC_TABLES, OPENMP_TABLES};
use row::Row;
use std::path::Path;
use string_ids::Names;
pub(crate) use used_tables::USED_TABLES;
pub use used_tables::export_tables;

/// What reads the rows of the large tables. The result does not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RowReader {
    /// The pages of the file, and SQLite where those are unusual.
    #[default]
    Auto,
    /// The pages of the file; tables that they cannot give are an error. For tests.
    Pages,
    /// SQLite.
    Sqlite,
}

/// What was read.
#[derive(Debug)]
pub(crate) enum Input {
    /// An input whose rows are to be correlated.
    Facts(Box<Facts>),
    /// A DLProf database.
    Dlprof(Box<DlprofFacts>),
}

/// How an SQLite database is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SqliteOptions {
    /// What reads the rows. The result does not depend on it.
    pub reader: RowReader,
    /// How much is read of every row.
    pub detail: RowDetail,
}

/// Reads an nsys export or a DLProf database, which has no records. The file is opened read-only and nothing is written.
///
/// # Errors
/// If the file is neither, or changes while it is read; see [`Error`].
pub(super) fn read_database(
    path: &Path,
    SqliteOptions { reader, detail }: SqliteOptions,
    memory: &Memory,
    on_progress: Option<OnProgress<'_>>,
) -> Result<Input, Error> {
    let database = Database::open(path, reader)?;
    let is_enough = detail == RowDetail::Analysis;
    let read = || {
        if is_enough && !has_events(&database) && dlprof::is_one(&database) {
            let progress = progress(&database, dlprof::table_names::LARGE, on_progress)?;
            return Ok(Input::Dlprof(Box::new(dlprof::read(&database, memory, &progress)?)));
        }
        if !has_events(&database)
            && let Some(of_amd) = read_of_amd(&database)
        {
            if !is_enough {
                return Err(Error::NotAnExport { path: path.into(), missing: OF_AMD });
            }
            let facts = of_amd(&database, memory, on_progress)?;
            if facts.api_calls.is_empty() && facts.work.is_empty() && facts.ranges.is_empty() {
                return Err(nothing_recorded(path));
            }
            return Ok(Input::Facts(Box::new(facts)));
        }
        Ok(Input::Facts(Box::new(read_export(&database, detail, memory, on_progress)?)))
    };
    database.finish(read())
}

/// Why a database of AMD's tools has no reports of `nsys stats`.
const OF_AMD: &str = "it is a database of AMD's tools, which has no tables of nsys";

/// That a database of AMD's tools is empty.
fn nothing_recorded(path: &Path) -> Error {
    let found = UnreadFile {
        found: "a database of AMD's profiler in which nothing was recorded".into(),
        several: "databases of AMD's profiler in which nothing was recorded",
        hint: Some(unread::RECORD_ROCM.into()),
        is_nsys_report: false,
    };
    Error::Unread { path: path.into(), found }
}

type ReadsDatabase = fn(&Database, &Memory, Option<OnProgress<'_>>) -> Result<Facts, Error>;

/// What reads a database of AMD's tools; `None` of other databases.
fn read_of_amd(database: &Database) -> Option<ReadsDatabase> {
    if rocpd::is_one(database) {
        return Some(rocpd::read);
    }
    rpd::is_one(database).then_some(rpd::read)
}

/// Whether a file is a DLProf database; not if it cannot be read.
#[must_use]
pub fn is_dlprof_database(path: &Path) -> bool {
    Database::open(path, RowReader::Auto)
        .is_ok_and(|database| !has_events(&database) && dlprof::is_one(&database))
}

/// Progress over the rows of some tables.
fn progress<'a, 'b>(
    database: &Database,
    tables: impl IntoIterator<Item = &'a str>,
    report: Option<OnProgress<'b>>,
) -> Result<Progress<'b>, Error> {
    let mut total = 0;
    for table in tables {
        total += database.row_estimate(table)?;
    }
    Ok(Progress::new(total, report))
}

/// Reads an export of nsys. Missing optional tables are not an error, they give diagnostics.
fn read_export(
    database: &Database,
    detail: RowDetail,
    memory: &Memory,
    on_progress: Option<OnProgress<'_>>,
) -> Result<Facts, Error> {
    check_tables(database, detail)?;
    let progress = progress(database, LARGE_TABLES.into_iter().chain(host::TABLES), on_progress)?;

    let mut diagnostics = Diagnostics::default();
    let names = Names::read(database, &mut diagnostics)?;
    let multiprocessors = Multiprocessors::read(database, &mut diagnostics)?;
    let source = TableSource {
        database,
        names: &names,
        multiprocessors: &multiprocessors,
        memory,
        progress: &progress,
    };
    let raw = read_large_tables(&source)?;
    let records = (detail == RowDetail::Records).then(|| records::read(&source)).transpose()?;
    let small = SmallTables::read(database, &names, &mut diagnostics)?;
    let mut facts = assemble::assemble(database, memory, names, raw, records, small, diagnostics)?;
    completeness::note_missing(&mut facts, database);
    Ok(facts)
}

const LARGE_TABLES: [&str; 7] = [
    ranges::TABLE,
    api_calls::TABLE,
    kernels::TABLE,
    copies::TABLE,
    memsets::TABLE,
    kernels::GRAPHS,
    syncs::TABLE,
];

/// Tables that tell an nsys export without events from another database with a table `StringIds`.
const NSYS_TABLES: [&str; 5] =
    ["META_DATA_EXPORT", "EXPORT_META_DATA", "TARGET_INFO_SYSTEM_ENV", "ProcessStreams", "ThreadNames"];

/// Whether a database has a table of nsys for API calls, GPU work or ranges.
fn has_events(database: &Database) -> bool {
    let is_event = |table: &&str| *table != syncs::TABLE;
    LARGE_TABLES.into_iter().filter(is_event).any(|table| database.has_table(table))
}

/// Refuses databases that are not nsys exports.
fn check_tables(database: &Database, detail: RowDetail) -> Result<(), Error> {
    let not_an_export = |missing| Error::NotAnExport { path: database.path().into(), missing };
    let has_events = has_events(database);
    if !has_events && dlprof::is_one(database) {
        return Err(Error::DlprofDatabase { path: database.path().into() });
    }
    if !has_events && let Some(found) = unread::of_tables(database.path(), database.tables()) {
        return Err(Error::Unread { path: database.path().into(), found });
    }
    if !database.has_table("StringIds") {
        return Err(not_an_export("table `StringIds` is missing"));
    }
    if !has_events {
        let is_nsys = database.tables().any(|table| NSYS_TABLES.contains(&table));
        return match (is_nsys, detail) {
            // Reports say themselves what they miss.
            (true, RowDetail::Records) => Ok(()),
            (true, RowDetail::Analysis) => Err(no_events(database)?),
            (false, _) => Err(not_an_export("it has none of the tables that nsys writes")),
        };
    }
    Ok(())
}

/// That an export has no events, and why the program failed, if it says so.
fn no_events(database: &Database) -> Result<Error, Error> {
    let mut diagnostics = Diagnostics::default();
    let names = Names::read(database, &mut diagnostics)?;
    let messages = notes::read(database, &mut diagnostics)?.nsys_messages;
    let failure = printed::printed(database, &names, &messages)?.failures.into_iter().next();
    let held = held_without_events(database, &mut diagnostics)?;
    Ok(Error::NoEvents { path: database.path().into(), failure, held })
}

/// What an export without events says of the machine, and which of its tables have rows.
fn held_without_events(
    database: &Database,
    diagnostics: &mut Diagnostics,
) -> Result<Vec<(&'static str, String)>, Error> {
    let gpus = Devices::read(database, diagnostics)?.into_vec();
    let system = system::read_system(database, &system::read_export_meta(database)?, &gpus)?;
    // Names of constants are in every export.
    let has_rows =
        |table: &&str| !table.starts_with("ENUM_") && database.row_estimate(table).is_ok_and(|rows| rows > 0);
    let mut tables: Vec<&str> = database.tables().filter(has_rows).collect();
    tables.sort_unstable();
    let lines = [
        ("nsys", system.nsys_in_words()),
        ("GPUs", Some(system.gpu_names.join(", ")).filter(|names| !names.is_empty())),
        ("driver", system.driver_version),
        ("CUDA", system.cuda_version),
        ("CPU", system.cpu_model),
        ("tables with rows", Some(tables.join(", ")).filter(|names| !names.is_empty())),
    ];
    Ok(lines.into_iter().filter_map(|(what, value)| Some((what, value?))).collect())
}

/// What a large table is read from.
struct TableSource<'a> {
    database: &'a Database,
    names: &'a Names,
    multiprocessors: &'a Multiprocessors,
    memory: &'a Memory,
    progress: &'a Progress<'a>,
}

impl TableSource<'_> {
    /// About how many rows a table has.
    fn rows(&self, table: &str) -> Result<usize, Error> {
        Ok(usize::try_from(self.database.row_estimate(table)?).unwrap_or(0))
    }

    /// Calls `on_row` for every row of a small table, in row order.
    fn each(&self, table: &str, columns: &[&str], on_row: impl FnMut(&Row<'_>)) -> Result<(), Error> {
        self.database.read(table, columns, on_row)
    }

    /// Reads columns of a table in row order and folds them into what `init` makes.
    fn fold<S>(
        &self,
        table: &str,
        columns: &[&str],
        init: impl Fn() -> S,
        on_row: impl Fn(&mut S, &Row<'_>),
    ) -> Result<S, Error> {
        self.database.fold(table, columns, Some(self.progress), init, on_row)
    }
}

/// The large tables as read; threads, processes and devices are still the export's ids.
struct RawTables {
    ranges: ranges::RawRanges,
    api_calls: api_calls::RawApiCalls,
    kernels: kernels::RawKernels,
    copies: copies::RawCopies,
    memsets: memsets::RawMemsets,
    syncs: syncs::RawSyncs,
    host: host::RawHostTables,
}

/// Reads the large tables at the same time, the longest ones first.
fn read_large_tables(source: &TableSource<'_>) -> Result<RawTables, Error> {
    let ((ranges, host), (api_calls, (kernels, others))) = rayon::join(
        || rayon::join(|| ranges::read(source), || host::read(source)),
        || {
            rayon::join(
                || api_calls::read(source),
                || {
                    rayon::join(
                        || kernels::read(source),
                        || -> Result<_, Error> {
                            Ok((copies::read(source)?, memsets::read(source)?, syncs::read(source)?))
                        },
                    )
                },
            )
        },
    );
    let (copies, memsets, syncs) = others?;
    Ok(RawTables {
        ranges: ranges?,
        api_calls: api_calls?,
        kernels: kernels?,
        copies,
        memsets,
        syncs,
        host: host?,
    })
}

/// What the small tables say.
struct SmallTables {
    meta: system::ExportMeta,
    session_start: Option<Ns>,
    process_names: rustc_hash::FxHashMap<i64, String>,
    thread_names: rustc_hash::FxHashMap<i64, StrId>,
    notes: CaptureNotes,
    devices: Devices,
}

impl SmallTables {
    fn read(database: &Database, names: &Names, diagnostics: &mut Diagnostics) -> Result<Self, Error> {
        let mut notes = notes::read(database, diagnostics)?;
        printed::note(database, names, &mut notes, diagnostics)?;
        if notes.nvtx_traced.is_none() && notes::says_nvtx_was_traced(names) {
            notes.nvtx_traced = Some(true);
        }
        notes.ranges_left_out = notes::ranges_left_out(database, &notes, names);
        Ok(Self {
            thread_names: notes::thread_names(database, names, diagnostics)?,
            notes,
            meta: system::read_export_meta(database)?,
            session_start: system::read_session_start(database, diagnostics)?,
            process_names: system::read_process_names(database, diagnostics)?,
            devices: Devices::read(database, diagnostics)?,
        })
    }
}

/// Takes a text apart, for the fuzz targets.
pub(crate) fn split_range_text(text: &str) {
    split_numbers(text.as_bytes());
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
