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
mod source;
pub(super) mod table_names;
mod threads;
mod version;

use super::database::Database;
use crate::base::Error;
use crate::base::diagnostics::{DiagnosticCode, Diagnostics};
use crate::columns::Memory;
use crate::read::facts::DlprofFacts;
use crate::read::progress::Progress;
use crate::read::sum_check::Sums;
use calls::OtherCalls;
use dictionary::Dictionary;
use gpu_calls::GpuWork;
use op_calls::OpCallRows;
use source::{Source, damaged};
use std::collections::BTreeSet;
use table_names::NEEDED;

/// Whether a database is DLProf's.
pub(super) fn is_one(database: &Database) -> bool {
    database.tables().any(|table| table.starts_with("read_only_op"))
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
    check_sums(database, &op_calls, &work, &calls)?;
    diagnostics.count(DiagnosticCode::DlprofDatabase, || format!("version {}", machine.notes.version));
    Ok(assemble::assemble(&source, machine, &dictionary, op_calls, work, calls, diagnostics))
}

/// Refuses tables whose times or bytes cannot be added up.
fn check_sums(
    database: &Database,
    op_calls: &OpCallRows,
    work: &GpuWork,
    others: &OtherCalls,
) -> Result<(), Error> {
    let mut sums = Sums::new(database.path());
    sums.add_times(table_names::OP_CALLS, &op_calls.span[..])?;
    sums.add_times(table_names::SYNCS, &others.syncs.calls.api[..])?;
    sums.add_times(table_names::CALLS, &others.plain.api[..])?;
    let tables = [
        (table_names::KERNELS, &work.kernels.work),
        (table_names::COPIES, &work.copies.work),
        (table_names::MEMSETS, &work.memsets.work),
    ];
    for (table, rows) in tables {
        sums.add_times(table, &rows.span[..])?;
        sums.add_times(table, &rows.calls.api[..])?;
    }
    sums.add_bytes(table_names::COPIES, &work.copies.bytes)?;
    sums.add_bytes(table_names::MEMSETS, &work.memsets.bytes)?;
    let gpus: BTreeSet<i64> = tables.iter().flat_map(|(_, rows)| rows.device.distinct()).copied().collect();
    sums.check_extent(gpus.len())
}
