//! Every real export of the corpus, which lies beside the project and is not part of it.

use dlprof_core::aggregate::Profile;
use dlprof_core::correlate::ApiKind;
use dlprof_core::{Capture, Error, IterationOptions, ReadOptions};
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};

/// Says something past the test harness, which hides what passing tests print.
fn say(text: impl std::fmt::Display) {
    use std::io::Write;
    writeln!(std::io::stderr(), "{text}").expect("standard error");
}

/// The exports of the corpus; none, said loudly, where it is not there.
fn corpus() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        say(format_args!("SKIPPED: no corpus at {}", folder.display()));
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "sqlite"))
        .collect();
    files.sort();
    assert!(files.len() > 30, "the corpus is complete");
    files
}

/// Files of the corpus without any event.
const WITHOUT_EVENTS: [&str; 6] = [
    "dlprof-dynamicvit-a2000-2021.3.2",
    "julia-nokernels-a100-2026.1.1",
    "nogpu-2024.6.2",
    "partial-export-dynamicvit",
    "torch-gpt-empty-4070ti-2025.6.1",
    "torch-lm-nokernels-a5000-2024.2",
];

#[test]
fn every_export_gives_a_profile_or_one_clear_error() {
    for path in corpus() {
        let stem = path.file_stem().and_then(|stem| stem.to_str()).expect("a UTF-8 name").to_owned();
        match Capture::read(&path, ReadOptions::default()) {
            Ok(capture) => {
                let profile = capture.profile(&IterationOptions::default()).expect("iteration 0 exists");
                check_totals(&path, &profile);
                check_balance(&stem, &profile);
            }
            Err(Error::NoEvents { .. }) => {
                assert!(WITHOUT_EVENTS.contains(&stem.as_str()), "{stem} has events")
            }
            Err(error) => panic!("{stem}: {error}"),
        }
    }
}

/// Count and summed duration of a table, by plain SQL; 0 where it is absent.
fn sql_total(connection: &Connection, table: &str) -> (u64, i64) {
    let sql = format!("SELECT count(*), coalesce(sum(max(end - start, 0)), 0) FROM {table}");
    connection
        .query_row(&sql, [], |row| Ok((row.get::<_, i64>(0)?.cast_unsigned(), row.get(1)?)))
        .unwrap_or_default()
}

/// Kernel, copy and API totals equal plain SQL on the file.
fn check_totals(path: &Path, profile: &Profile<'_>) {
    let uri = format!("file:{}?mode=ro&immutable=1", path.display());
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(uri, flags).expect("a database");
    let totals = &profile.kernel_totals;
    let kernels = sql_total(&connection, "CUPTI_ACTIVITY_KIND_KERNEL");
    let graphs = sql_total(&connection, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE");
    let copies = sql_total(&connection, "CUPTI_ACTIVITY_KIND_MEMCPY");
    let memsets = sql_total(&connection, "CUPTI_ACTIVITY_KIND_MEMSET");
    let api_calls = sql_total(&connection, "CUPTI_ACTIVITY_KIND_RUNTIME");
    let name = path.display();
    assert_eq!(profile.trace.gpu_work.kernels as u64, kernels.0 + graphs.0, "{name}: kernels");
    assert_eq!(totals.tc.gpu_ns + totals.non_tc.gpu_ns, kernels.1 + graphs.1, "{name}: kernel time");
    assert_eq!(totals.memory.gpu_ns, copies.1 + memsets.1, "{name}: memory time");
    assert_eq!(totals.memory.launches, copies.0 + memsets.0, "{name}: copies and memsets");
    let api_ns: i64 = profile.trace.api_calls.span.iter().map(|span| span.length()).sum();
    assert_eq!((profile.trace.api_calls.len() as u64, api_ns), api_calls, "{name}: API calls");
}

/// Attributed and unassociated work add up to the total, in every table.
fn check_balance(name: &str, profile: &Profile<'_>) {
    let totals = profile.kernel_totals.all();
    let kernel_ns = totals.gpu_ns - profile.kernel_totals.memory.gpu_ns;
    let by_op: i64 = profile.op_stats.iter().map(|op| op.kernels.gpu_ns).sum();
    let by_name: i64 = profile.kernel_summaries.iter().map(|row| row.gpu.sum).sum();
    let by_iteration: i64 = profile.iteration_stats.iter().map(|row| row.kernels.gpu_ns).sum();
    let by_iteration_op: i64 = profile.iteration_ops.iter().map(|row| row.kernels.gpu_ns).sum();
    let by_launch: i64 = profile
        .kernel_launches()
        .iter()
        .map(|launch| profile.trace.gpu_work.span[launch.kernel.index()].length())
        .sum();
    for (table, sum) in [
        ("ops", by_op),
        ("kernel_summaries", by_name),
        ("iterations", by_iteration),
        ("iteration_ops", by_iteration_op),
        ("kernels", by_launch),
    ] {
        assert_eq!(sum, kernel_ns, "{name}: kernel time of table {table}");
    }
    let op_gpu_ns: i64 = profile.op_types.iter().map(|row| row.times.gpu.sum).sum();
    assert_eq!(op_gpu_ns, profile.categories.all.gpu_ns, "{name}: GPU time of op types");
    let model = profile.groups.iter().find(|group| group.name == dlprof_core::aggregate::COMPLETE_MODEL);
    assert_eq!(model.map_or(0, |model| model.times.gpu.sum), op_gpu_ns, "{name}: GPU time of the model");
    for row in &profile.iteration_stats {
        let gpus = i64::try_from(profile.summary.gpus).expect("few GPUs");
        assert_eq!(row.resources.total(), row.span.length() * gpus, "{name}: every nanosecond in one class");
    }
    let kinds = &profile.correlation.launches.api_kind;
    let owned: usize = (0..profile.correlation.calls.len())
        .map(|call| profile.correlation.api_by_call.get(call).iter())
        .map(|calls| calls.filter(|api| kinds[api.index()] != ApiKind::Plain).count())
        .sum();
    let active = kinds.iter().filter(|kind| **kind != ApiKind::Plain).count();
    assert_eq!(owned, active, "{name}: every API call that did something has an op call");
}
