//! What each room promises the rooms above it, for drawn programs of all kinds: work that runs ahead, copies between kernels,
//! ranges in ranges, GPU work without a call, a second thread.
//!
//! ```text
//! thread   ├─ step ─────────────────────────┤├─ step ──────
//!            ├─ layer ──────┤
//!            ├call┤  ├call┤        ├copy┤
//! stream        ╲──├kernel┤├─ kernel ─┤  ├ copy ┤     ├ loose ┤
//! ```

use crate::advice::Judged;
use crate::advice::tables::TABLES;
use crate::base::ids::OpId;
use crate::base::time::Ns;
use crate::figures::profile::{Profile, WorkName};
use crate::read::facts::WorkKind;
use crate::runs::comparison::compare;
use crate::runs::document::{Document, read, to_json};
use crate::runs::statistics::Assumptions;
use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
use crate::tables::{CellKind, Table, Value};
use crate::tests::drawn::Drawn;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// A call of the host and what it puts on the stream; times in microseconds.
#[derive(Debug, Clone)]
struct Act {
    is_copy: bool,
    /// Whether a range of its own is around it.
    in_layer: bool,
    /// Whether another thread makes it.
    elsewhere: bool,
    /// From the end of the call before to this one.
    pause: Ns,
    /// From the start of the call to the work, if the stream is free then.
    delay: Ns,
    lasts: Ns,
}

fn acts() -> impl Strategy<Value = Vec<Vec<Act>>> {
    let act =
        (any::<[bool; 3]>(), 1..40_i64, 5..200_i64, 1..150_i64).prop_map(|(is, pause, delay, lasts)| {
            let [is_copy, in_layer, elsewhere] = is;
            Act { is_copy, in_layer, elsewhere, pause, delay, lasts }
        });
    prop::collection::vec(prop::collection::vec(act, 0..6), 2..6)
}

/// All times of a program are drawn in microseconds.
const US: Ns = 1_000;

/// How long a call lasts.
const CALL: Ns = 10;

/// From the edges of a step to its calls.
const EDGE: Ns = 5;

/// A program with a step for each list.
fn program(steps: &[Vec<Act>], loose: Option<Ns>) -> Drawn {
    let mut drawn = Drawn::new();
    let (main, other) = (drawn.thread(), drawn.thread());
    let (mut now, mut stream_is_free) = (1_000, 0);
    for step in steps {
        let lasts = step.iter().map(|act| act.pause + CALL + 1).sum::<Ns>() + 2 * EDGE;
        drawn.on(main).range("step", now * US..(now + lasts) * US);
        now += EDGE;
        for act in step {
            let call = now + act.pause;
            let work = (call + act.delay).max(stream_is_free);
            (now, stream_is_free) = (call + CALL + 1, work + act.lasts);
            if act.in_layer {
                drawn.on(main).range("layer", (call - 1) * US..now * US);
            }
            drawn.on(if act.elsewhere { other } else { main });
            let (call, work) = (call * US..(call + CALL) * US, work * US..stream_is_free * US);
            if act.is_copy {
                drawn.copy(call, 4_096, work);
            } else {
                drawn.launch(call, "gemm", work);
            }
        }
        now += EDGE;
    }
    if let Some(lasts) = loose {
        let start = stream_is_free + 1;
        drawn.loose(WorkKind::Kernel, "gemm", start * US..(start + lasts) * US);
    }
    drawn
}

/// The program over all iterations.
fn profile(steps: &[Vec<Act>], loose: Option<Ns>) -> Profile {
    let capture = program(steps, loose).capture();
    let index = capture.index(&KeyNodeChoice::Named("step".into())).expect("it ran");
    index.profile(&RangeChoice::default()).expect("a profile")
}

/// Launches and GPU time of rows by op and name; rows of equal keys are together.
fn by_op_and_name(
    rows: impl Iterator<Item = (OpId, WorkName, u64, Ns)>,
) -> BTreeMap<(OpId, WorkName), (u64, Ns)> {
    let mut sums: BTreeMap<_, (u64, Ns)> = BTreeMap::new();
    for (op, name, launches, gpu_ns) in rows {
        let sum = sums.entry((op, name)).or_default();
        *sum = (sum.0 + launches, sum.1 + gpu_ns);
    }
    sums
}

/// Cells fit their columns, and all headers are declared.
fn check_table(table: &dyn Table) {
    for column in 0..table.columns() {
        let header = table.header(column);
        for row in 0..table.rows() {
            let value = table.value(row, column);
            let fits = match (&value, header.kind) {
                (Value::Null, _)
                | (Value::Int(_), CellKind::Int)
                | (Value::Flag(_), CellKind::Flag)
                | (Value::Text(_), CellKind::Text | CellKind::Json) => true,
                (Value::Float(number), CellKind::Float) => number.is_finite(),
                (Value::Text(text), CellKind::Answer) => {
                    ["true", "false", "unknown"].contains(&text.as_ref())
                }
                _ => false,
            };
            assert!(fits, "{}.{}: {value:?}", table.key(), header.key);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// `steps`: iterations tile the time line. There is one for each step, and one for what comes before the first.
    #[test]
    fn iterations_follow_each_other_without_gaps(steps in acts(), loose in prop::option::of(1..50_i64)) {
        let profile = profile(&steps, loose);
        let rows = &profile.iteration_stats;
        prop_assert_eq!(rows.len(), steps.len() + 1);
        for pair in rows.windows(2) {
            prop_assert_eq!(pair[0].span.end, pair[1].span.start);
            prop_assert_eq!(pair[0].cpu_span.end, pair[1].cpu_span.start);
        }
    }

    /// `steps`: no work is launched outside of the iteration that it is counted in, whatever delimits the iterations.
    #[test]
    fn work_is_launched_in_its_iteration(steps in acts(), loose in prop::option::of(1..50_i64)) {
        let capture = program(&steps, loose).capture();
        for key_node in ["step", "layer", "kernel:gemm"] {
            let Ok(index) = capture.index(&KeyNodeChoice::Named(key_node.into())) else { continue };
            let profile = index.profile(&RangeChoice::default()).expect("a profile");
            let inner = &index.iterations.boundaries[1..index.iterations.total() as usize];
            let mut launched = vec![0; inner.len() + 1];
            for work in capture.work_ids() {
                let Some(api) = capture.launches.api[work].some() else { continue };
                let start = capture.api_calls.span[api].start;
                launched[inner.partition_point(|&boundary| boundary <= start)] += 1;
            }
            let mut counted = vec![0; launched.len()];
            for row in profile.work_by_name().rows {
                counted[row.iteration as usize] += row.launches;
            }
            let loose_work = u64::from(loose.is_some());
            prop_assert_eq!(counted.iter().sum::<u64>(), launched.iter().sum::<u64>() + loose_work);
            prop_assert!(launched.iter().zip(&counted).all(|(launched, counted)| launched <= counted), "{}", key_node);
            for launch in profile.kernel_launches().iter() {
                let Some(api) = launch.api.some() else { continue };
                let start = capture.api_calls.span[api].start;
                let at = inner.partition_point(|&boundary| boundary <= start);
                prop_assert_eq!(launch.iteration as usize, at, "{}", key_node);
            }
        }
    }

    /// `figures`: every nanosecond of a GPU has one place, and every idle one has one cause.
    #[test]
    fn every_nanosecond_has_one_place(steps in acts(), loose in prop::option::of(1..50_i64)) {
        let profile = profile(&steps, loose);
        let times = profile.gpu_times();
        for place in profile.device_windows() {
            let time = times.at(place.device.index(), place.window);
            prop_assert_eq!(time.busy_ns + time.idle_ns(), time.length_ns);
            prop_assert_eq!(time.idle.causes().map(|(_, ns)| ns).sum::<Ns>(), time.idle_ns());
            let exposed = time.compute_ns + time.exposed_communication_ns + time.exposed_copy_ns;
            prop_assert_eq!(exposed, time.busy_ns);
        }
    }

    /// `figures`: the kernels of ops, of names and of kinds are the same kernels, and each was drawn.
    #[test]
    fn kernels_add_up_in_every_view(steps in acts(), loose in prop::option::of(1..50_i64)) {
        let profile = profile(&steps, loose);
        let kernels = || steps.iter().flatten().filter(|act| !act.is_copy);
        let of_ops: Ns = profile.op_stats.iter().map(|op| op.kernels.gpu_ns).sum();
        let of_names: Ns = profile.kernel_names().iter().map(|name| name.gpu_time_ns).sum();
        let of_kinds = profile.kernel_totals.all().gpu_ns - profile.kernel_totals.memory.gpu_ns;
        prop_assert_eq!((of_names, of_kinds), (of_ops, of_ops));
        let drawn = kernels().map(|act| act.lasts).sum::<Ns>() + loose.unwrap_or(0);
        prop_assert_eq!(of_ops, drawn * US);
        let launches: u64 = profile.op_stats.iter().map(|op| op.kernels.launches).sum();
        prop_assert_eq!(launches, kernels().count() as u64 + u64::from(loose.is_some()));
    }

    /// `figures`: the work of an op by name is the same, from the one sum of launches and launch by launch.
    #[test]
    fn work_of_ops_is_the_same_in_every_list(steps in acts(), loose in prop::option::of(1..50_i64)) {
        let profile = profile(&steps, loose);
        let capture = &profile.capture;
        let launches = profile.kernel_launches();
        let one_by_one = launches.iter().map(|launch| {
            let op = profile.index.calls.op[launch.call];
            (op, WorkName::Kernel(capture.kernels.long_name[launch.kernel]), 1, capture.work.span[launch.kernel].length())
        });
        let one_by_one = by_op_and_name(one_by_one);
        let summaries = profile.kernel_summaries.iter();
        let summaries = summaries.map(|row| (row.op, WorkName::Kernel(row.name), row.gpu.count, row.gpu.sum));
        prop_assert_eq!(&by_op_and_name(summaries), &one_by_one);
        let of_ops = profile.kernels_by_op().into_iter();
        let of_ops = of_ops.map(|row| (row.op, WorkName::Kernel(row.name), row.launches, row.gpu_ns));
        prop_assert_eq!(&by_op_and_name(of_ops), &one_by_one);
        let memory = profile.memory_by_op().into_iter();
        let memory = by_op_and_name(memory.map(|row| (row.op, row.name, row.launches, row.gpu_ns)));
        let all: BTreeMap<_, _> = one_by_one.into_iter().chain(memory).collect();
        let rows = profile.work_by_name().rows.into_iter();
        let rows = rows.filter(|row| row.launches > 0 && profile.iterations.is_aggregated(row.iteration));
        prop_assert_eq!(by_op_and_name(rows.map(|row| (row.op.some().expect("an op"), row.name, row.launches, row.gpu_ns))), all);
    }

    /// `figures`: ops of the aggregated iterations are the sum of the ops of each.
    #[test]
    fn ops_are_the_sum_of_their_iterations(steps in acts(), loose in prop::option::of(1..50_i64)) {
        let profile = profile(&steps, loose);
        let mut sums: BTreeMap<OpId, (u64, Ns, Ns)> = BTreeMap::new();
        for row in profile.iteration_ops() {
            let sum = sums.entry(row.op).or_default();
            *sum = (sum.0 + row.kernels.launches, sum.1 + row.times.gpu_ns, sum.2 + row.times.cpu_ns);
        }
        let whole = profile.op_stats.iter();
        let whole = whole.map(|op| (op.op, (op.kernels.launches, op.times.gpu.sum, op.times.cpu.sum)));
        prop_assert_eq!(sums, whole.collect());
    }

    /// `runs`: a run is like itself, and a baseline holds all of it.
    #[test]
    fn a_run_compared_with_itself_has_not_changed(steps in acts(), loose in prop::option::of(1..50_i64)) {
        let document = Document::of(&Judged::from(profile(&steps, loose)));
        let comparison = compare(&document, &document, Assumptions::default());
        let rows = [&comparison.metrics, &comparison.op_types, &comparison.ops, &comparison.groups, &comparison.kernels];
        for row in rows.into_iter().flatten() {
            prop_assert!(row.difference.base.total_cmp(&row.difference.new).is_eq(), "{}", row.key);
        }
        prop_assert!(comparison.unlike.is_empty(), "{:?}", comparison.unlike);
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("base.json");
        std::fs::write(&path, to_json(&document)).expect("a file");
        prop_assert_eq!(read(&path).expect("a baseline"), document);
    }

    /// `tables`: every table of every program can be read.
    #[test]
    fn every_table_can_be_read(steps in acts(), loose in prop::option::of(1..50_i64)) {
        let judged = Judged::from(profile(&steps, loose));
        for definition in TABLES {
            let table = (definition.build)(&judged);
            prop_assert_eq!(table.columns(), definition.headers().len());
            check_table(&*table);
        }
    }

    /// `pictures`: pieces come in order of time, none ends before it starts, and each has a track.
    #[test]
    fn pieces_come_in_order_of_time(steps in acts(), loose in prop::option::of(1..50_i64)) {
        let profile = profile(&steps, loose);
        let tracks = profile.tracks();
        let pieces: Vec<_> = tracks.pieces().collect();
        prop_assert!(pieces.is_sorted_by_key(|piece| piece.span.start));
        prop_assert!(pieces.iter().all(|piece| piece.span.start <= piece.span.end));
        prop_assert!(pieces.iter().all(|piece| piece.track < tracks.tracks().len()));
    }

    /// `replay`: unchanged, every time is the recorded one, and changes that lessen something move nothing later.
    #[test]
    fn replays_give_the_recorded_times(steps in acts(), loose in prop::option::of(1..50_i64)) {
        crate::replay::tests::check("a drawn program", &profile(&steps, loose));
    }

    /// `advice`: a change saves no more than there is, and at most what cannot be exceeded.
    #[test]
    fn savings_are_within_the_time_that_there_is(steps in acts()) {
        let judged = Judged::from(profile(&steps, None));
        let aggregated = judged.profile().iterations.aggregated_span().length();
        for finding in judged.findings() {
            let Some(saving) = &finding.saving else { continue };
            prop_assert!(saving.ns() >= 0 && saving.ns() <= aggregated, "{}: {saving:?}", finding.id);
            let (expected, upper) = (saving.expected_ns.unwrap_or(0), saving.upper_ns.unwrap_or(Ns::MAX));
            prop_assert!(expected <= upper, "{}: {saving:?}", finding.id);
        }
    }
}
