//! What a complete capture has and this one has not.

use super::database::Database;
use super::{api_calls, gpu_work, ranges};
use crate::diagnostics::Code;
use crate::ids::StrId;
use crate::trace::Trace;
use rustc_hash::FxHashMap;

/// Schema versions newer than this one are read, with a warning.
const NEWEST_KNOWN_SCHEMA: (u32, u32) = (3, 25);

/// Counts what a complete capture has and this one has not.
pub(super) fn note_missing(trace: &mut Trace, database: &Database) {
    let diagnostics = &mut trace.diagnostics;
    if trace.gpu_work.kernels == 0 {
        diagnostics.count(Code::NoKernels, || format!("table `{}`", gpu_work::KERNELS));
    }
    if trace.api_calls.is_empty() {
        diagnostics.count(Code::NoApiCalls, || format!("table `{}`", api_calls::TABLE));
    }
    if trace.ranges.is_empty() {
        diagnostics.count(Code::NoRanges, || format!("table `{}`", ranges::TABLE));
    }
    if !database.has_column("TARGET_INFO_GPU", "id") && !database.has_table("TARGET_INFO_CUDA_GPU") {
        diagnostics.count(Code::NoGpuTable, || "table `TARGET_INFO_GPU`".into());
    }
    for (table, column) in NEEDED_COLUMNS {
        if database.has_table(table) && !database.has_column(table, column) {
            diagnostics.count(Code::MissingColumn, || format!("table `{table}`, column `{column}`"));
        }
    }
    note_missing_records(trace);
    let diagnostics = &mut trace.diagnostics;
    let version = &trace.source.schema_version;
    let mut numbers = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    if (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) > NEWEST_KNOWN_SCHEMA {
        let (major, minor) = NEWEST_KNOWN_SCHEMA;
        diagnostics.count(Code::NewerSchema, || format!("schema {version}, known up to {major}.{minor}"));
    }
}

/// Counts API calls whose kind left no record at all: a table that was not exported, or not captured.
fn note_missing_records(trace: &mut Trace) {
    let work = &trace.gpu_work;
    let kinds = [
        ("Memcpy", gpu_work::COPIES, work.copies),
        ("Memset", gpu_work::MEMSETS, work.len() - work.kernels - work.copies),
        ("Synchronize", gpu_work::SYNCS, trace.syncs.process.len()),
    ];
    for (part, table, records) in kinds {
        if records > 0 {
            continue;
        }
        let mut judged: FxHashMap<StrId, bool> = FxHashMap::default();
        let mut is_missing =
            |name: StrId| *judged.entry(name).or_insert_with(|| trace.strings.get(name).contains(part));
        let calls = trace.api_calls.name.iter().filter(|name| is_missing(**name)).count();
        if calls > 0 {
            trace
                .diagnostics
                .count(Code::MissingRecords, || format!("{calls} calls, no row in table `{table}`"));
        }
    }
}

/// Columns whose absence costs a figure.
const NEEDED_COLUMNS: [(&str, &str); 19] = [
    (gpu_work::KERNELS, "start"),
    (gpu_work::KERNELS, "end"),
    (gpu_work::KERNELS, "deviceId"),
    (gpu_work::KERNELS, "globalPid"),
    (gpu_work::KERNELS, "correlationId"),
    (gpu_work::KERNELS, "shortName"),
    (gpu_work::KERNELS, "demangledName"),
    (api_calls::TABLE, "start"),
    (api_calls::TABLE, "end"),
    (api_calls::TABLE, "globalTid"),
    (api_calls::TABLE, "correlationId"),
    (api_calls::TABLE, "nameId"),
    (gpu_work::COPIES, "correlationId"),
    (gpu_work::COPIES, "globalPid"),
    (gpu_work::MEMSETS, "correlationId"),
    (gpu_work::SYNCS, "correlationId"),
    (ranges::TABLE, "start"),
    (ranges::TABLE, "globalTid"),
    (ranges::TABLE, "eventType"),
];
