//! What a complete capture has and this one has not.

use super::database::Database;
use super::{api_calls, copies, kernels, memsets, ranges, syncs};
use crate::base::diagnostics::DiagnosticCode;
use crate::base::ids::StrId;
use crate::read::facts::Facts;
use rustc_hash::FxHashMap;

/// Schema versions newer than this one are read, with a warning.
const NEWEST_KNOWN_SCHEMA: (u32, u32) = (3, 25);

/// Counts what a complete capture has and this one has not.
pub(super) fn note_missing(facts: &mut Facts, database: &Database) {
    let launches = launches_something(facts);
    let recorded = &mut facts.recorded;
    let diagnostics = &mut recorded.about.diagnostics;
    let behind = database.bytes_behind();
    if behind > 0 {
        diagnostics.count(DiagnosticCode::BytesBehindDatabase, || format!("{behind} bytes"));
    }
    if recorded.kernels.is_empty() {
        let code = match recorded.api_calls.is_empty() || launches {
            true => DiagnosticCode::NoKernels,
            false => DiagnosticCode::NoLaunches,
        };
        diagnostics.count(code, || format!("table `{}`", kernels::TABLE));
    }
    if recorded.api_calls.is_empty() {
        diagnostics.count(DiagnosticCode::NoApiCalls, || format!("table `{}`", api_calls::TABLE));
    }
    if recorded.ranges.is_empty() {
        diagnostics.count(DiagnosticCode::NoRanges, || format!("table `{}`", ranges::TABLE));
    }
    if !database.has_column("TARGET_INFO_GPU", "id") && !database.has_table("TARGET_INFO_CUDA_GPU") {
        diagnostics.count(DiagnosticCode::NoGpuTable, || "table `TARGET_INFO_GPU`".into());
    }
    for (table, column) in NEEDED_COLUMNS {
        if database.has_table(table) && !database.has_column(table, column) {
            diagnostics
                .count(DiagnosticCode::MissingColumn, || format!("table `{table}`, column `{column}`"));
        }
    }
    note_missing_records(facts);
    let about = &mut facts.recorded.about;
    let version = &about.source.schema_version;
    let mut numbers = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    if (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) > NEWEST_KNOWN_SCHEMA {
        let (major, minor) = NEWEST_KNOWN_SCHEMA;
        about
            .diagnostics
            .count(DiagnosticCode::NewerSchema, || format!("schema {version}, known up to {major}.{minor}"));
    }
}

/// Whether a call launches a kernel or a graph: `cudaLaunchKernel`, `cuLaunchKernelEx`, `cudaGraphLaunch`.
fn launches_something(facts: &Facts) -> bool {
    let mut judged: FxHashMap<StrId, bool> = FxHashMap::default();
    let mut launches =
        |name: StrId| *judged.entry(name).or_insert_with(|| facts.strings.get(name).contains("Launch"));
    facts.api_calls.name.iter().any(|&name| launches(name))
}

/// Counts API calls whose kind left no record at all: a table that was not exported, or not captured.
fn note_missing_records(facts: &mut Facts) {
    let calls = facts.calls_without_records(|name| facts.strings.get(name));
    let kinds = [
        (copies::TABLE, calls.copies),
        (memsets::TABLE, calls.memsets),
        (syncs::TABLE, calls.synchronizations),
    ];
    let diagnostics = &mut facts.recorded.about.diagnostics;
    for (table, calls) in kinds.into_iter().filter(|&(_, calls)| calls > 0) {
        let example = || format!("{calls} calls, no row in table `{table}`");
        diagnostics.count(DiagnosticCode::MissingRecords, example);
    }
}

/// Columns whose absence costs a figure.
const NEEDED_COLUMNS: [(&str, &str); 19] = [
    (kernels::TABLE, "start"),
    (kernels::TABLE, "end"),
    (kernels::TABLE, "deviceId"),
    (kernels::TABLE, "globalPid"),
    (kernels::TABLE, "correlationId"),
    (kernels::TABLE, "shortName"),
    (kernels::TABLE, "demangledName"),
    (api_calls::TABLE, "start"),
    (api_calls::TABLE, "end"),
    (api_calls::TABLE, "globalTid"),
    (api_calls::TABLE, "correlationId"),
    (api_calls::TABLE, "nameId"),
    (copies::TABLE, "correlationId"),
    (copies::TABLE, "globalPid"),
    (memsets::TABLE, "correlationId"),
    (syncs::TABLE, "correlationId"),
    (ranges::TABLE, "start"),
    (ranges::TABLE, "globalTid"),
    (ranges::TABLE, "eventType"),
];
