//! From a DLProf database (`dlprof_dldb.sqlite`) to [`DlprofFacts`].
//!
//! Only its read-only tables are read, which hold the capture, and which iterations were aggregated last. Sums are made
//! anew. Tables and columns differ from version to version, so columns are looked up by name. What the database must have
//! is checked: the first cell that cannot be right is an error, because DLProf wrote the whole file at once.

mod aggregation;
mod assemble;
mod calls;
mod checked;
mod dictionary;
mod gpu_calls;
mod machine;
mod op_calls;
mod ops;
mod threads;
mod version;

use super::Progress;
use super::database::Database;
use crate::columns::Memory;
use crate::diagnostics::{Code, Diagnostics};
use crate::error::Error;
use crate::facts::DlprofFacts;
use dictionary::Dictionary;

/// All tables that are read or looked for.
pub(super) const TABLES: [&str; 21] = [
    version::TABLE,
    dictionary::TABLE,
    ops::DOMAINS,
    ops::TABLE,
    ops::SUB_OPS,
    op_calls::TABLE,
    gpu_calls::GRID_BLOCKS,
    gpu_calls::KERNELS,
    gpu_calls::COPIES,
    gpu_calls::MEMSETS,
    calls::SYNCS,
    calls::CALLS,
    machine::GPUS,
    machine::GPU_MEMORIES,
    machine::SYSTEM,
    machine::MODEL_CONFIG,
    aggregation::TABLE,
    aggregation::KEYS,
    aggregation::ITERATIONS,
    aggregation::SUMMARIES,
    aggregation::FEEDBACK,
];

/// Tables that every database has.
const NEEDED: [&str; 5] =
    [dictionary::TABLE, ops::TABLE, op_calls::TABLE, gpu_calls::GRID_BLOCKS, gpu_calls::KERNELS];

/// Tables with a row for each event, for the progress.
pub(super) const LARGE_TABLES: [&str; 7] = [
    dictionary::TABLE,
    op_calls::TABLE,
    gpu_calls::KERNELS,
    gpu_calls::COPIES,
    gpu_calls::MEMSETS,
    calls::SYNCS,
    calls::CALLS,
];

/// Whether a database is DLProf's.
pub(super) fn is_one(database: &Database) -> bool {
    database.tables().any(|table| table.starts_with("read_only_op"))
}

/// What all tables are read from.
struct Source<'a> {
    database: &'a Database,
    memory: &'a Memory,
    progress: &'a Progress<'a>,
}

/// Reads a database.
pub(super) fn read(
    database: &Database,
    memory: &Memory,
    progress: &Progress<'_>,
) -> Result<DlprofFacts, Error> {
    let source = Source { database, memory, progress };
    let version = version::read(database)?;
    if let Some(table) = NEEDED.into_iter().find(|table| !database.has_table(table)) {
        return Err(damaged(database, table, "it is missing".into()));
    }
    let mut diagnostics = Diagnostics::default();
    let dictionary = Dictionary::read(&source)?;
    let mut machine = machine::read(&source)?;
    machine.notes.version = version.current;
    machine.notes.original_version = version.original;
    machine.notes.aggregation = aggregation::read(&source, &dictionary, &mut diagnostics)?;
    let ops = ops::read(&source, &dictionary, &mut diagnostics)?;
    let op_calls = op_calls::read(&source, &dictionary, ops)?;
    let work = gpu_calls::read(&source, &dictionary, &op_calls)?;
    let calls = calls::read(&source, &dictionary, &op_calls)?;
    diagnostics.count(Code::DlprofDatabase, || format!("version {}", machine.notes.version));
    Ok(assemble::assemble(&source, machine, &dictionary, op_calls, work, calls, diagnostics))
}

/// The error that something in a table cannot be right.
fn damaged(database: &Database, table: &str, found: String) -> Error {
    Error::DamagedDlprofDatabase { path: database.path().into(), table: table.into(), found }
}
