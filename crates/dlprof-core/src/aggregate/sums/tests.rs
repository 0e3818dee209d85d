//! Sums add up, and are those of the rows.

use super::super::groups::{COMPLETE_MODEL, Groups, groups_of};
use super::super::summing::{Rows, Summing};
use super::*;
use crate::correlate::{CallTimes, TensorCores};
use crate::groups::Grouped;
use crate::ids::{ApiCallId, OpCallId, WorkId};
use crate::trace::{ApiCalls, GpuWork};
use proptest::prelude::*;

const OPS: [&str; 4] = ["a/b/x", "a/y", "w", "a/b/z"];
const ITERATIONS: usize = 7;

/// A piece of GPU work: its kind (kernel, copy, memset), names, API call, time and use of Tensor Cores.
type Work = (usize, usize, usize, Option<usize>, (Ns, Ns), usize);

/// A call: its op, iteration, time and work.
type Call = (usize, usize, Ns, Vec<Work>);

fn call() -> impl Strategy<Value = Call> {
    let api = prop::option::of(0usize..3);
    let work = (0usize..3, 0usize..3, 0usize..2, api, (0i64..20, 0i64..9), 0usize..3);
    (0..OPS.len(), 0..ITERATIONS, -5i64..50, prop::collection::vec(work, 0..20))
}

/// The columns of calls.
#[derive(Default)]
struct Columns {
    texts: StringPool,
    work: GpuWork,
    api_calls: ApiCalls,
    work_api: Vec<ApiCallId>,
    tensor_cores: Vec<TensorCores>,
    times: Vec<CallTimes>,
    work_by_call: Grouped<WorkId>,
    op_of_call: Vec<OpId>,
}

fn columns(calls: &[Call]) -> Columns {
    let mut columns = Columns::default();
    let short = ["gemm", "relu", "copy"].map(|name| columns.texts.intern(name));
    let long = ["z", "y"].map(|name| columns.texts.intern(name));
    let mut work: Vec<(usize, &Work)> = calls
        .iter()
        .enumerate()
        .flat_map(|(call, (.., work))| work.iter().map(move |one| (call, one)))
        .collect();
    work.sort_by_key(|(_, (kind, ..))| *kind);
    for &(call, &(kind, name, long_name, api, (start, length), tensor_cores)) in &work {
        columns.work.span.push(Span::new(start, start + length));
        columns.work_api.push(api.map_or(ApiCallId::NONE, |api| ApiCallId::new(3 * call + api)));
        if kind == 0 {
            columns.work.kernels += 1;
            columns.work.short_name.push(short[name]);
            columns.work.long_name.push(long[long_name]);
            columns
                .tensor_cores
                .push([TensorCores::Used, TensorCores::NotUsed, TensorCores::Unknown][tensor_cores]);
        } else if kind == 1 {
            columns.work.copies += 1;
            columns.work.copy_kind.push([1, 8, 99][name]);
        }
    }
    for (call, &(op, _, time, _)) in calls.iter().enumerate() {
        for api in 0..3 {
            columns.api_calls.span.push(Span::new(0, 4 + api));
            columns.api_calls.name.push(short[call % 3]);
        }
        columns.times.push(CallTimes { cpu_ns: time, gpu_ns: 2 * time, ..CallTimes::default() });
        columns.op_of_call.push(OpId::new(op));
    }
    let ids = (0..work.len()).map(WorkId::new);
    columns.work_by_call = Grouped::new(calls.len(), ids, |id| Some(work[id.index()].0));
    columns
}

fn sum(columns: &Columns, calls: &[Call], iterations: std::ops::Range<usize>) -> RangeSums {
    let groups = Groups::new(OPS.into_iter());
    let rows = Rows {
        texts: &columns.texts,
        work: &columns.work,
        api_calls: &columns.api_calls,
        work_api: &columns.work_api,
        tensor_cores: &columns.tensor_cores,
        times: &columns.times,
        work_by_call: &columns.work_by_call,
        op_of_call: &columns.op_of_call,
    };
    let ids = (0..calls.len()).map(OpCallId::new);
    let by_iteration = Grouped::new(iterations.len(), ids, |call| {
        let iteration = calls[call.index()].1;
        iterations.contains(&iteration).then(|| iteration - iterations.start)
    });
    let mut kernels = vec![KernelSums::default(); iterations.len()];
    let sums = Summing::new(rows, &groups, OPS.len()).sum(&by_iteration, &mut kernels, |_, _| {});
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
        let columns = columns(&calls);
        let whole = sum(&columns, &calls, 0..ITERATIONS);
        cuts.extend([0, ITERATIONS]);
        cuts.sort_unstable();
        let mut parts: Vec<RangeSums> =
            cuts.windows(2).map(|pair| sum(&columns, &calls, pair[0]..pair[1])).collect();
        let turn = turn % parts.len();
        parts.rotate_left(turn);
        let mut merged = RangeSums::default();
        for part in &parts {
            merged.merge(part, &columns.texts);
        }
        prop_assert_eq!(&merged, &whole);
        prop_assert_eq!(merged.totals(), whole.totals());
    }

    #[test]
    fn sums_are_those_of_the_rows(calls in prop::collection::vec(call(), 0..25)) {
        let sums = sum(&columns(&calls), &calls, 0..ITERATIONS);
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
        let groups = Groups::new(OPS.into_iter());
        let stats = groups.stats(&sums.groups, &[]);
        prop_assert!(stats.is_empty(), "no ops, no calls");
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
