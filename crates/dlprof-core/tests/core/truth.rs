//! Generated exports: every figure equals the planted truth.

use crate::profiles::profile_of;
use dlprof_core::{Capture, DelimiterKind, KeyNodeChoice, Profile, RangeChoice, ReadOptions, WorkKind};
use dlprof_generate::write_export;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Generates an export and returns its capture, read with some threads, and its truth.
fn generated(arguments: &str, threads: usize) -> (Capture, Value) {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let file = folder.path().join("train.sqlite");
    write_export(&file, arguments).expect("an export");
    let truth = std::fs::read_to_string(file.with_extension("truth.json")).expect("a truth");
    let capture =
        Capture::read(&file, &ReadOptions { threads, ..ReadOptions::default() }).expect("a capture");
    (capture, serde_json::from_str(&truth).expect("JSON"))
}

fn key_node(truth: &Value) -> KeyNodeChoice {
    truth["key_node"].as_str().map_or(KeyNodeChoice::None, |name| KeyNodeChoice::Named(name.to_owned()))
}

/// Compares lists of JSON objects as sets keyed by their whole text, so that a difference shows itself.
fn assert_same(
    what: &str,
    arguments: &str,
    expected: impl Iterator<Item = Value>,
    actual: impl Iterator<Item = Value>,
) {
    let sorted = |rows: &mut dyn Iterator<Item = Value>| {
        let mut rows: Vec<String> = rows.map(|row| row.to_string()).collect();
        rows.sort();
        rows
    };
    let (expected, actual) = (sorted(&mut { expected }), sorted(&mut { actual }));
    let missing: Vec<_> = expected.iter().filter(|row| !actual.contains(row)).take(3).collect();
    let extra: Vec<_> = actual.iter().filter(|row| !expected.contains(row)).take(3).collect();
    assert!(
        expected == actual,
        "{what} of `{arguments}`: {} expected, {} found\nmissing {missing:#?}\nextra {extra:#?}",
        expected.len(),
        actual.len()
    );
}

/// The named fields of every object of a list.
fn rows<'a>(truth: &'a Value, list: &str, fields: &'a [&str]) -> impl Iterator<Item = Value> + 'a {
    let rows = truth[list].as_array().unwrap_or_else(|| panic!("{list} is a list"));
    rows.iter().map(|row| fields.iter().map(|&field| (field.to_owned(), row[field].clone())).collect())
}

const OP_FIELDS: [&str; 14] = [
    "name",
    "direction",
    "ordinal",
    "op_type",
    "calls",
    "cpu_ns",
    "gpu_ns",
    "api_ns",
    "overhead_ns",
    "idle_ns",
    "kernel_launches",
    "kernel_gpu_ns",
    "tc_kernel_launches",
    "tc_kernel_gpu_ns",
];

fn ops(profile: &Profile) -> Vec<Value> {
    let mut api_ns = vec![0; profile.index.ops.len()];
    for (op, times) in profile.index.calls.op.iter().zip(&profile.capture.op_calls.times) {
        api_ns[op.index()] += times.api_ns;
    }
    let op = |op: &dlprof_core::OpStats| {
        let label = profile.label(op.op);
        json!({
            "name": profile.op_name(op.op), "direction": label.direction.as_str(),
            "ordinal": profile.index.ops[op.op.index()].ordinal, "op_type": label.op_type,
            "calls": op.times.cpu.count, "cpu_ns": op.times.cpu.sum, "gpu_ns": op.times.gpu.sum,
            "api_ns": api_ns[op.op.index()], "overhead_ns": op.times.cpu_overhead.sum,
            "idle_ns": op.times.gpu_idle.sum, "kernel_launches": op.kernels.launches,
            "kernel_gpu_ns": op.kernels.gpu_ns, "tc_kernel_launches": op.kernels.tc_launches,
            "tc_kernel_gpu_ns": op.kernels.tc_gpu_ns,
        })
    };
    profile.op_stats.iter().map(op).collect()
}

const ITERATION_OP_FIELDS: [&str; 9] = [
    "iteration",
    "name",
    "direction",
    "ordinal",
    "calls",
    "kernel_launches",
    "kernel_gpu_ns",
    "tc_kernel_launches",
    "tc_kernel_gpu_ns",
];

fn iteration_ops(profile: &Profile) -> Vec<Value> {
    let row = |row: &dlprof_core::IterationOpStats| {
        json!({
            "iteration": row.iteration, "name": profile.op_name(row.op),
            "direction": profile.label(row.op).direction.as_str(),
            "ordinal": profile.index.ops[row.op.index()].ordinal, "calls": row.calls,
            "kernel_launches": row.kernels.launches, "kernel_gpu_ns": row.kernels.gpu_ns,
            "tc_kernel_launches": row.kernels.tc_launches, "tc_kernel_gpu_ns": row.kernels.tc_gpu_ns,
        })
    };
    profile.iteration_ops().iter().map(row).collect()
}

const ITERATION_FIELDS: [&str; 7] =
    ["index", "start_ns", "stop_ns", "kernels", "tc_kernels", "kernel_gpu_ns", "tc_kernel_gpu_ns"];

fn iterations(profile: &Profile) -> Vec<Value> {
    let row = |row: &dlprof_core::IterationStats| {
        json!({
            "index": row.iteration, "start_ns": row.span.start, "stop_ns": row.span.end,
            "kernels": row.kernels.launches, "tc_kernels": row.kernels.tc_launches,
            "kernel_gpu_ns": row.kernels.gpu_ns, "tc_kernel_gpu_ns": row.kernels.tc_gpu_ns,
        })
    };
    profile.iteration_stats.iter().map(row).collect()
}

const RESOURCE_FIELDS: [&str; 6] =
    ["iteration", "tc_kernel_ns", "non_tc_kernel_ns", "memory_ns", "cpu_ns", "other_ns"];

fn resources(profile: &Profile) -> Vec<Value> {
    let row = |iteration: Value, split: &dlprof_core::Resources| {
        json!({
            "iteration": iteration, "tc_kernel_ns": split.tc_kernel_ns,
            "non_tc_kernel_ns": split.non_tc_kernel_ns, "memory_ns": split.memory_ns,
            "cpu_ns": split.cpu_ns, "other_ns": split.other_ns,
        })
    };
    let by_iteration =
        profile.iteration_stats.iter().map(|stats| row(stats.iteration.into(), &stats.resources));
    by_iteration.chain([row(Value::Null, &profile.summary.resources_all_gpus)]).collect()
}

fn kernel_names(profile: &Profile) -> Vec<Value> {
    let capture = &profile.capture;
    let mut names: BTreeMap<&str, (u64, i64)> = BTreeMap::new();
    for (&name, span) in capture.kernels.short_name.iter().zip(&capture.work.span) {
        let entry = names.entry(capture.strings.get(name)).or_default();
        entry.0 += 1;
        entry.1 += span.length();
    }
    names
        .into_iter()
        .map(|(name, (launches, gpu_ns))| json!({"name": name, "launches": launches, "gpu_ns": gpu_ns}))
        .collect()
}

fn totals(profile: &Profile) -> Value {
    let capture = &profile.capture;
    let counts = capture.counts();
    let sum = |kind: WorkKind| -> i64 {
        let of_kind = capture.work_ids().filter(|id| capture.work_kind(*id) == kind);
        of_kind.map(|id| capture.work.span[id].length()).sum()
    };
    json!({
        "kernels": counts.kernels, "copies": counts.copies, "memsets": counts.memsets,
        "syncs": capture.syncs.kind.len(), "api_calls": counts.api_calls,
        "kernel_gpu_ns": profile.kernel_totals.tc.gpu_ns + profile.kernel_totals.non_tc.gpu_ns,
        "tc_kernel_gpu_ns": profile.kernel_totals.tc.gpu_ns, "copy_gpu_ns": sum(WorkKind::Copy),
        "memset_gpu_ns": sum(WorkKind::Memset), "wall_clock_ns": profile.summary.wall_clock_ns,
    })
}

fn compare_rows(list: &str, truth: &Value, fields: &[&str], actual: Vec<Value>, arguments: &str) {
    assert_same(list, arguments, rows(truth, list, fields), actual.into_iter());
}

/// Compares with the key node named, then checks that the finder comes to the same iterations by itself.
fn check(arguments: &str, threads: usize) {
    let (capture, truth) = generated(arguments, threads);
    let key_node = key_node(&truth);
    let has_ops = key_node != KeyNodeChoice::None;
    if has_ops {
        check_found(&profile_of(&capture), &truth, arguments);
    }
    let index = capture.index(&key_node).expect("it ran");
    let profile = index.profile(&RangeChoice::dlprof()).expect("a profile");
    let compare = |list: &str, fields: &[&str], actual: Vec<Value>| {
        compare_rows(list, &truth, fields, actual, arguments)
    };
    compare("iterations", &ITERATION_FIELDS, iterations(&profile));
    compare("resources", &RESOURCE_FIELDS, resources(&profile));
    compare("kernel_names", &["name", "launches", "gpu_ns"], kernel_names(&profile));
    if has_ops {
        compare("ops", &OP_FIELDS, ops(&profile));
        compare("iteration_ops", &ITERATION_OP_FIELDS, iteration_ops(&profile));
    }
    check_processes(&profile, arguments);
    let expected = truth["totals"].as_object().expect("totals");
    let actual = totals(&profile);
    for (field, value) in actual.as_object().expect("an object") {
        assert_eq!(Some(value), expected.get(field), "total `{field}` of `{arguments}`");
    }
}

/// Where a range delimits iterations, they are as many and start where those of the key node do.
fn check_found(found: &Profile, truth: &Value, arguments: &str) {
    let iterations = truth["iterations"].as_array().expect("a list");
    let kind = found.iterations.found.as_ref().map(|found| found.kind);
    if kind == Some(DelimiterKind::Range) {
        assert_eq!(found.iterations.count() as usize, iterations.len(), "`{arguments}`");
        let starts: Vec<Option<i64>> = iterations.iter().map(|row| row["start_ns"].as_i64()).collect();
        let boundaries = &found.iterations.boundaries[..starts.len()];
        assert_eq!(boundaries.iter().copied().map(Some).collect::<Vec<_>>(), starts, "`{arguments}`");
    }
}

/// With several processes, each one's iterations hold all of its kernels.
fn check_processes(profile: &Profile, arguments: &str) {
    let rows = profile.process_iterations();
    if profile.capture.processes.len() < 2 || profile.iterations.key_node.is_none() {
        assert!(rows.is_empty(), "`{arguments}`");
        return;
    }
    let launches: u64 = rows.iter().map(|row| row.kernels.launches).sum();
    assert_eq!(launches, profile.capture.counts().kernels as u64, "`{arguments}`");
    let per_process = rows.len() / profile.capture.processes.len();
    assert_eq!(per_process, profile.iterations.total() as usize, "`{arguments}`");
}

#[test]
fn markers() {
    check("--style markers --kernels 800", 1);
    check(
        "--style markers --schema 2022 --texts interned --processes 2 --gpus 2 --backward --kernels 1500",
        2,
    );
    check("--style markers --processes 3 --gpus 4 --streams 4 --interleave --seed 7 --empty-iteration 3", 2);
}

#[test]
fn emit_nvtx() {
    check("--style emit-nvtx --kernels 800", 1);
    check(
        "--style emit-nvtx --schema 2022 --texts interned --processes 2 --gpus 1 --streams 3 --kernels 1500",
        2,
    );
    check(
        "--style emit-nvtx --processes 3 --gpus 2 --interleave --jitter 40 --seed 11 --empty-iteration 2",
        2,
    );
    check("--style emit-nvtx --processes 2 --gpus 2 --by-thread --kernels 1500", 2);
}

#[test]
fn plain_ranges() {
    check("--style ranges --kernels 800", 1);
    check("--style ranges --numbered-steps --kernels 800", 2);
    check("--style ranges --schema 2022 --texts interned --processes 2 --gpus 2 --kernels 1500", 2);
    check("--style ranges --processes 4 --gpus 3 --interleave --jitter 30 --seed 5 --empty-iteration 4", 2);
}

#[test]
fn no_ranges() {
    check("--style none --processes 2 --gpus 2 --no-loose-work", 2);
}

/// Part of the iterations, and the rest, add up to the whole.
#[test]
fn ranges_of_iterations_add_up() {
    let (capture, truth) = generated("--style markers --iterations 12 --processes 2", 0);
    let key_node = key_node(&truth);
    let index = capture.index(&key_node).expect("it ran");
    let gpu_ns = |iter_start, iter_stop| {
        let range = RangeChoice { iter_start, iter_stop, ..RangeChoice::dlprof() };
        let profile = index.profile(&range).expect("a profile");
        assert_eq!(
            profile.categories.all.gpu_ns,
            profile.op_stats.iter().map(|op| op.times.gpu.sum).sum::<i64>()
        );
        (profile.categories.all.gpu_ns, profile.summary.wall_clock_ns, profile.kernel_totals.all().gpu_ns)
    };
    let (a, b, whole) = (gpu_ns(None, Some(4)), gpu_ns(Some(5), None), gpu_ns(None, None));
    assert_eq!((a.0 + b.0, a.1 + b.1, a.2 + b.2), whole);
}
