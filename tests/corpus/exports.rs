//! Every real export: totals, balance, modes and iterations.

use crate::profiles::profile_of;
use dlprof_core::{
    ApiKind, COMPLETE_MODEL, Capture, Error, Profile, ReadOptions, union_length, union_of_spans,
};
use dlprof_generate::corpus::corpus;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;

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
        match Capture::read(&path, &ReadOptions::default()) {
            Ok(capture) => {
                let profile = profile_of(&capture);
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
fn check_totals(path: &Path, profile: &Profile) {
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
    assert_eq!(profile.capture.counts().kernels as u64, kernels.0 + graphs.0, "{name}: kernels");
    assert_eq!(totals.tc.gpu_ns + totals.non_tc.gpu_ns, kernels.1 + graphs.1, "{name}: kernel time");
    assert_eq!(totals.memory.gpu_ns, copies.1 + memsets.1, "{name}: memory time");
    assert_eq!(totals.memory.launches, copies.0 + memsets.0, "{name}: copies and memsets");
    let api_ns: i64 = profile.capture.api_calls.span.iter().map(|span| span.length()).sum();
    assert_eq!((profile.capture.api_calls.len() as u64, api_ns), api_calls, "{name}: API calls");
}

/// Attributed and unassociated work add up to the total, in every table.
fn check_balance(name: &str, profile: &Profile) {
    let totals = profile.kernel_totals.all();
    let kernel_ns = totals.gpu_ns - profile.kernel_totals.memory.gpu_ns;
    let by_op: i64 = profile.op_stats.iter().map(|op| op.kernels.gpu_ns).sum();
    let by_name: i64 = profile.kernel_summaries.iter().map(|row| row.gpu.sum).sum();
    let by_iteration: i64 = profile.iteration_stats.iter().map(|row| row.kernels.gpu_ns).sum();
    let by_iteration_op: i64 = profile.iteration_ops().iter().map(|row| row.kernels.gpu_ns).sum();
    let by_launch: i64 = profile
        .kernel_launches()
        .iter()
        .map(|launch| profile.capture.work.span[launch.kernel].length())
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
    let model = profile.groups.iter().find(|group| group.name(&profile.index) == COMPLETE_MODEL);
    assert_eq!(model.map_or(0, |model| model.times.gpu.sum), op_gpu_ns, "{name}: GPU time of the model");
    for row in &profile.iteration_stats {
        let gpus = i64::try_from(profile.summary.gpus).expect("few GPUs");
        assert_eq!(row.resources.total(), row.span.length() * gpus, "{name}: every nanosecond in one class");
    }
    let kinds = &profile.capture.call_roles.kind;
    let active =
        kinds.iter().zip(&profile.capture.api_calls.span).filter(|(kind, _)| **kind != ApiKind::Plain);
    let active_ns = union_length(union_of_spans(active.map(|(_, span)| *span).collect()));
    let owned_ns: i64 = profile.capture.op_calls.times.iter().map(|times| times.api_ns).sum();
    assert!(owned_ns >= active_ns, "{name}: every API call that did something has an op call");
}

/// What a person sees in the texts of each export: mode and number of iterations. With `None` the finder must choose
/// nothing. Exports that are left out have loops that no text names.
const EXPECTED: [(&str, &str, Option<u32>); 20] = [
    ("cuda-um-4060laptop-2023.4.4", "simple", None),
    ("cufortran-nokernels-4060-2025.5.1", "simple", None),
    ("cupy-nvtx-step-t4-2025.3.1", "nvtx", Some(45)),
    ("cupy-recon-a100-2023.1.2", "simple", None),
    ("cutlass-a100-a40-2023.2.3", "simple", None),
    ("dlprof-torch-relu-2070s-2022.1.3", "pytorch (DLProf markers)", None),
    ("dlprof-torch-relu-2070s-2022.1.3-ex2024-tsnorm", "pytorch (DLProf markers)", None),
    ("flux-2kernels-gtx1650-ex2020", "simple", None),
    ("jax-alpa-nccl-nvtx-nokernels-3090-2022.1.3", "simple", None),
    ("keras-darknet19-gtx1650-ex2020", "nvtx", None),
    ("llmc-nokernels-t4-2023.4.4", "simple", None),
    ("mpi-cuda-saxpy-a100-2022.2.1", "nvtx", Some(6)),
    ("nvfuser-h100-2024.6.2", "nvtx", None),
    ("torch-centerformer-nvtxonly-titanrtx-2022.4.2", "nvtx", Some(305)),
    ("torch-fastvideo-2gpu-h100-2026.2.1-1s", "pytorch (emit_nvtx)", None),
    ("torch-fastvideo-train-nccl-2gpu-h100-2026.2.1-before", "pytorch (emit_nvtx)", None),
    ("torch-gpt-2.7b-nvtx-a100-2024.6.2", "nvtx", Some(5)),
    ("torch-gpt-compile-cudagraph-a100-2024.6.2", "simple", Some(11)),
    ("torch-gpt-train-nvtx-a100-2024.2.3-fp32", "nvtx", Some(11)),
    ("torch-llama-demo-4060ti-2024.6.2", "nvtx", None),
];

#[test]
fn modes_and_iterations_are_what_a_person_sees() {
    let files = corpus();
    for (name, mode, iterations) in EXPECTED {
        let Some(path) = files.iter().find(|path| path.file_stem().is_some_and(|stem| stem == name)) else {
            assert!(files.is_empty(), "{name} is in the corpus");
            return;
        };
        let capture = Capture::read(path, &ReadOptions::default()).expect("a capture");
        let profile = profile_of(&capture);
        let found = profile.iterations.key_node.is_some().then(|| profile.iterations.count());
        assert_eq!((profile.capture.description.mode.as_str(), found), (mode, iterations), "{name}");
    }
}
