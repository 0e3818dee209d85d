//! Sums add up, and are those of the rows.

use super::super::groups::{COMPLETE_MODEL, Groups, groups_of};
use super::super::metric::Metric;
use super::super::summing::Summing;
use super::super::{IndexedCalls, Launching, SpilledWork};
use super::*;
use crate::base::groups::Grouped;
use crate::base::ids::{ApiCallId, DeviceId, LabelId, LaunchConfigId, Maybe, OpCallId, WorkId};
use crate::base::time::{Ns, Span};
use crate::capture::correlate::{ApiKind, CallTimes, LooseWork, ModeChoice, TensorCores, correlate};
use crate::capture::{
    CallRolesBuilder, CaptureContents, JudgedKernelsBuilder, LaunchesBuilder, OpCallsBuilder,
};
use crate::columns::Memory;
use crate::read::facts::{ApiCallFactsBuilder, Facts, GraphOrigin, KernelFactsBuilder, WorkFactsBuilder};
use proptest::prelude::*;
use std::sync::Arc;

const OPS: [&str; 4] = ["a/b/x", "a/y", "w", "a/b/z"];
const ITERATIONS: usize = 7;

/// Kernels below this are short.
const SHORT_NS: Ns = 4;

/// A piece of GPU work: its kind (kernel, copy, memset), names, API call, time and use of Tensor Cores.
type Work = (usize, usize, usize, Option<usize>, (Ns, Ns), usize);

/// A call: its op, iteration, time and work.
type Call = (usize, usize, Ns, Vec<Work>);

fn call() -> impl Strategy<Value = Call> {
    let api = prop::option::of(0usize..3);
    let work = (0usize..3, 0usize..3, 0usize..2, api, (0i64..20, 0i64..9), 0usize..3);
    (0..OPS.len(), 0..ITERATIONS, -5i64..50, prop::collection::vec(work, 0..20))
}

/// A capture of calls, and the op of each.
struct Calls {
    capture: CaptureContents,
    op_of: Vec<OpId>,
}

/// A capture with nothing in it.
fn empty_capture() -> CaptureContents {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    correlate(Facts::default(), ModeChoice::Auto, LooseWork::default(), &[], Arc::new(pool))
}

const SHORT: [&str; 3] = ["gemm", "relu", "copy"];
const LONG: [&str; 2] = ["z", "y"];

fn calls_of(calls: &[Call]) -> Calls {
    let memory = Memory::unlimited();
    let mut capture = empty_capture();
    capture.strings = SHORT.into_iter().chain(LONG).collect();
    let mut drawn: Vec<(usize, &Work)> = calls
        .iter()
        .enumerate()
        .flat_map(|(call, (.., work))| work.iter().map(move |one| (call, one)))
        .collect();
    drawn.sort_by_key(|(_, (kind, ..))| *kind);
    let (mut work, mut kernels) = (WorkFactsBuilder::new(&memory, 0), KernelFactsBuilder::new(&memory, 0));
    let (mut launches, mut judged) =
        (LaunchesBuilder::new(&memory, 0), JudgedKernelsBuilder::new(&memory, 0));
    let mut copy_kinds = Vec::new();
    for &(call, &(kind, name, long_name, api, (start, length), tensor_cores)) in &drawn {
        work.span.push(Span::new(start, start + length));
        work.device.push(DeviceId::new(0));
        work.process.push(Maybe::NONE);
        launches.api.push(api.map(|api| ApiCallId::new(3 * call + api)).into());
        if kind == 0 {
            kernels.short_name.push(StrId::new(name));
            kernels.long_name.push(StrId::new(SHORT.len() + long_name));
            kernels.graph.push(GraphOrigin::None);
            kernels.config.push(LaunchConfigId::new(name + long_name));
            judged
                .tensor_cores
                .push([TensorCores::Used, TensorCores::NotUsed, TensorCores::Unknown][tensor_cores]);
        } else if kind == 1 {
            copy_kinds.push([1, 8, 99][name]);
        }
    }
    (capture.recorded.work, capture.recorded.kernels) = (work.finish(), kernels.finish());
    (capture.launches, capture.judged) = (launches.finish(), judged.finish());
    capture.recorded.copies.kind = copy_kinds.into();
    let (mut apis, mut op_calls) = (ApiCallFactsBuilder::new(&memory, 0), OpCallsBuilder::new(&memory, 0));
    let mut kinds = CallRolesBuilder::new(&memory, 0).kind;
    for (call, &(_, _, time, _)) in calls.iter().enumerate() {
        for api in 0..3 {
            apis.span.push(Span::new(0, 4 + api));
            apis.thread.push(Maybe::NONE);
            apis.name.push(StrId::new(call % 3));
            kinds.push(ApiKind::Kernel);
        }
        op_calls.span.push(Span::new(0, 0));
        op_calls.thread.push(Maybe::NONE);
        op_calls.label.push(LabelId::new(0));
        op_calls.forward.push(Maybe::NONE);
        op_calls.times.push(CallTimes { cpu_ns: time, gpu_ns: 2 * time, ..CallTimes::default() });
    }
    (capture.recorded.api_calls, capture.op_calls) = (apis.finish(), op_calls.finish());
    capture.call_roles.kind = kinds.into_column();
    let ids = (0..drawn.len()).map(WorkId::new);
    capture.work_by_call = Grouped::new(&memory, calls.len(), ids, |id| Some(drawn[id.index()].0));
    Calls { capture, op_of: calls.iter().map(|call| OpId::new(call.0)).collect() }
}

fn sum(of: &Calls, calls: &[Call], iterations: std::ops::Range<usize>) -> RangeSums {
    let groups = Groups::new(OPS.into_iter());
    let ids = (0..calls.len()).map(OpCallId::new);
    let by_iteration = Grouped::new(&Memory::unlimited(), iterations.len(), ids, |call| {
        let iteration = calls[call.index()].1;
        iterations.contains(&iteration).then(|| iteration - iterations.start)
    });
    let mut kernels = vec![KernelSums::default(); iterations.len()];
    let indexed = IndexedCalls {
        iteration: calls.iter().map(|call| u32::try_from(call.1).expect("few iterations")).collect(),
        op: of.op_of.iter().copied().collect(),
    };
    let spilled = SpilledWork::default();
    let launching = Launching {
        capture: &of.capture,
        calls: &indexed,
        boundaries: &[],
        spilled: &spilled,
        follows_op_calls: false,
    };
    let mut summing = Summing::new(launching, &groups, OPS.len(), SHORT_NS);
    let [first, end] =
        [iterations.start, iterations.end].map(|at| u32::try_from(at).expect("few iterations"));
    let sums = summing.sum(first..end, &by_iteration, &mut kernels, |_, _, _| {});
    let launches: u64 = kernels.iter().map(|kernels| kernels.launches).sum();
    assert_eq!(launches, sums.totals.tc.launches + sums.totals.non_tc.launches);
    sums
}

proptest! {
    #[test]
    fn sums_of_parts_in_any_order_are_those_of_the_whole(
        calls in prop::collection::vec(call(), 0..25),
        mut cuts in prop::collection::vec(0..=ITERATIONS, 0..4),
        turn in 0usize..5,
    ) {
        let drawn = calls_of(&calls);
        let whole = sum(&drawn, &calls, 0..ITERATIONS);
        cuts.extend([0, ITERATIONS]);
        cuts.sort_unstable();
        let mut parts: Vec<RangeSums> =
            cuts.windows(2).map(|pair| sum(&drawn, &calls, pair[0]..pair[1])).collect();
        let turn = turn % parts.len();
        parts.rotate_left(turn);
        let mut merged = RangeSums::default();
        for part in &parts {
            merged.merge(part, &drawn.capture.strings);
        }
        prop_assert_eq!(&merged, &whole);
        prop_assert_eq!(merged.totals(), whole.totals());
    }

    #[test]
    fn every_launch_is_in_one_group(calls in prop::collection::vec(call(), 0..25)) {
        let drawn = calls_of(&calls);
        let sums = sum(&drawn, &calls, 0..ITERATIONS);
        prop_assert!(sums.kernels.windows(2).all(|pair| pair[0].key < pair[1].key));
        let capture = &drawn.capture;
        for group in &sums.kernels {
            let (op, long_name) = (group.key.op, group.key.long_name);
            let is_of = |work: &&Work| {
                let (name, long) = (StrId::new(work.1), StrId::new(SHORT.len() + work.2));
                work.0 == 0 && (name, long) == (group.key.name, long_name)
            };
            let of_op = calls.iter().filter(|call| call.0 == op.index()).flat_map(|call| &call.3);
            let spans: Vec<(Ns, Ns)> = of_op.filter(is_of).map(|work| work.4).collect();
            let lengths = || spans.iter().map(|span| span.1);
            prop_assert_eq!(group.gpu.count, spans.len() as u64);
            prop_assert_eq!(group.gpu.sum, lengths().sum::<Ns>());
            prop_assert_eq!(group.short_launches, lengths().filter(|&length| length < SHORT_NS).count() as u64);
            prop_assert_eq!(group.short_ns, lengths().filter(|&length| length < SHORT_NS).sum::<Ns>());
            let longest = spans.iter().max_by_key(|span| (span.1, std::cmp::Reverse(span.0)));
            prop_assert_eq!(longest.map(|span| span.0), Some(group.longest_start));
            let of_group = |&kernel: &usize| {
                capture.kernels.long_name[..][kernel] == long_name
                    && capture.kernels.short_name[..][kernel] == group.key.name
            };
            let first = (0..capture.kernels.long_name.len()).filter(of_group).map(WorkId::new);
            prop_assert!(first.into_iter().any(|kernel| kernel == group.example));
        }
        let launches: u64 = sums.kernels.iter().map(|group| group.gpu.count).sum();
        prop_assert_eq!(launches, sums.totals.tc.launches + sums.totals.non_tc.launches);
    }

    #[test]
    fn sums_are_those_of_the_rows(calls in prop::collection::vec(call(), 0..25)) {
        let sums = sum(&calls_of(&calls), &calls, 0..ITERATIONS);
        let of_op = |op: usize| calls.iter().filter(move |call| call.0 == op);
        for row in &sums.ops {
            let times: Vec<Ns> = of_op(row.op.index()).map(|call| call.2).collect();
            prop_assert_eq!(row.times.cpu.count, times.len() as u64);
            prop_assert_eq!(row.times.gpu.sum, 2 * times.iter().sum::<Ns>());
            prop_assert_eq!(Some(&row.times.cpu.min), times.iter().min());
            let work = of_op(row.op.index()).flat_map(|call| &call.3).filter(|work| work.0 == 0);
            prop_assert_eq!(row.kernels.gpu_ns, work.map(|work| work.4.1).sum::<Ns>());
        }
        // The API calls of a call count once, and their time goes to one piece of work.
        let apis = calls.iter().flat_map(|call| {
            let mut apis: Vec<usize> = call.3.iter().filter_map(|work| work.3).collect();
            apis.sort_unstable();
            apis.dedup();
            apis
        });
        let expected: Ns = apis.map(|api| 4 + Ns::try_from(api).expect("a small number")).sum();
        prop_assert_eq!(sums.totals().all().api_ns, expected);
        for (at, name) in [COMPLETE_MODEL, "a/", "a/b/"].into_iter().enumerate() {
            let of_group = |call: &&Call| groups_of(OPS[call.0]).any(|group| group == name);
            let samples: Vec<Ns> = (0..ITERATIONS)
                .filter(|at| calls.iter().filter(of_group).any(|call| call.1 == *at))
                .map(|at| calls.iter().filter(of_group).filter(|call| call.1 == at).map(|call| call.2).sum())
                .collect();
            let found = sums.groups.iter().find(|row| row.group.index() == at).map(|row| row.times.cpu);
            let expected = (!samples.is_empty()).then(|| {
                let mut metric = Metric::default();
                samples.iter().for_each(|&sample| metric.push(sample));
                metric
            });
            prop_assert_eq!(found, expected, "{}", name);
        }
    }
}
