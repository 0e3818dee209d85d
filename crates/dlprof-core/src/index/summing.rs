//! Sums up op calls: one pass over those of some iterations, with their GPU work, fills everything that adds up.

use super::groups::Groups;
use super::kernel_sums::{KernelSums, KernelTotal, KernelTotals, add_times};
use super::metric::{Metric, OpTimes};
use super::sums::{GroupSums, KernelNameSums, LastLaunch, NON_TC, OpSums, RangeSums, TC, TC_UNKNOWN};
use crate::capture::CaptureContents;
use crate::correlate::{CallTimes, TensorCores};
use crate::groups::Grouped;
use crate::ids::{ApiCallId, GroupId, OpCallId, OpId, StrId, WorkId};
use crate::time::Span;

/// Sums up some iterations after others. Its tables are as long as there are ops, groups and texts, so one is used many
/// times.
pub(crate) struct Summing<'a> {
    capture: &'a CaptureContents,
    /// By op call: its op.
    op_of: &'a [OpId],
    groups: &'a Groups<'a>,
    sums: RangeSums,
    /// By op: its row in the sums, if that is one of its own.
    op_rows: Vec<u32>,
    /// By group: the same.
    group_rows: Vec<u32>,
    /// By op: its rows by kernel name, which are few.
    kernel_rows: Vec<Vec<u32>>,
    /// By kernel name: the row met last.
    last_kernel_row: Vec<u32>,
    /// By group, in the iteration at hand: the sum over its calls, without those of groups inside.
    in_iteration: Vec<CallTimes>,
    /// By group, a bit each: whether it ran in the iteration at hand.
    ran: Vec<u64>,
    /// The pieces of work of a call with many: which are the first of their API call.
    is_first: Vec<bool>,
}

/// A call with more pieces of work sorts them to tell which are the first of their API call.
const FEW: usize = 16;

impl<'a> Summing<'a> {
    pub(crate) fn new(
        capture: &'a CaptureContents,
        op_of: &'a [OpId],
        groups: &'a Groups<'a>,
        ops: usize,
    ) -> Self {
        Self {
            capture,
            op_of,
            groups,
            sums: RangeSums::default(),
            op_rows: vec![0; ops],
            group_rows: vec![0; groups.len()],
            kernel_rows: vec![Vec::new(); ops],
            last_kernel_row: vec![0; capture.strings.len()],
            in_iteration: vec![CallTimes::default(); groups.len()],
            ran: vec![0; groups.len().div_ceil(64)],
            is_first: Vec::new(),
        }
    }

    /// Sums up the calls of iterations, adds up the kernels of each, and shows those of each call.
    pub(crate) fn sum(
        &mut self,
        calls: &Grouped<OpCallId>,
        kernels: &mut [KernelSums],
        mut show: impl FnMut(OpCallId, &KernelSums),
    ) -> RangeSums {
        for (iteration, of_iteration) in kernels.iter_mut().enumerate() {
            for &call in calls.get(iteration) {
                let of_call = self.push(call);
                of_iteration.add(&of_call);
                show(call, &of_call);
            }
            self.end_iteration();
        }
        self.take()
    }

    /// The sums in order of their keys; begins anew.
    fn take(&mut self) -> RangeSums {
        let unsorted = std::mem::take(&mut self.sums);
        // Ids are sorted in place of rows, which are many times as long.
        let mut ops: Vec<OpId> = unsorted.ops.iter().map(|row| row.op).collect();
        ops.sort_unstable();
        let mut sums = RangeSums {
            ops: Vec::with_capacity(unsorted.ops.len()),
            kernels: Vec::with_capacity(unsorted.kernels.len()),
            ..unsorted
        };
        for op in ops {
            sums.ops.push(unsorted.ops[self.op_rows[op.index()] as usize]);
            let rows = &mut self.kernel_rows[op.index()];
            rows.sort_unstable_by_key(|&row| unsorted.kernels[row as usize].name);
            sums.kernels.extend(rows.drain(..).map(|row| unsorted.kernels[row as usize]));
        }
        sums.groups.sort_unstable_by_key(|row| row.group);
        sums.memory_apis.sort_unstable();
        sums
    }

    /// Adds a call; returns the sums of its kernels.
    fn push(&mut self, call: OpCallId) -> KernelSums {
        let capture = self.capture;
        let (op, times) = (self.op_of[call.index()], &capture.op_calls.times[call]);
        let work = capture.work_by_call.get(call.index());
        if work.len() > FEW {
            self.mark_first(work);
        }
        let mut kernels = KernelSums::default();
        for (at, &id) in work.iter().enumerate() {
            self.push_work(op, work, at, id, &mut kernels);
        }
        let row = &mut self.op_rows[op.index()];
        if self.sums.ops.get(*row as usize).is_none_or(|sums| sums.op != op) {
            *row = position(self.sums.ops.len());
            self.sums.ops.push(OpSums { op, times: OpTimes::default(), kernels: KernelSums::default() });
        }
        let sums = &mut self.sums.ops[*row as usize];
        sums.times.push(times);
        sums.kernels.add(&kernels);
        let group = self.groups.of_op(op).index();
        self.ran[group / 64] |= 1 << (group % 64);
        add_times(&mut self.in_iteration[group], times);
        kernels
    }

    fn push_work(&mut self, op: OpId, work: &[WorkId], at: usize, id: WorkId, sums: &mut KernelSums) {
        let capture = self.capture;
        let span = capture.work.span[id];
        let gpu_ns = span.length();
        let api = capture.work.api[id].some();
        let api_span = api.map(|api| capture.api_calls.span[api]);
        let api_ns = api_span.filter(|_| self.is_first(work, at)).map(Span::length);
        let total = KernelTotal { gpu_ns, api_ns: api_ns.unwrap_or(0), names: 0, launches: 1 };
        if id.index() >= capture.kernels.short_name.len() {
            self.push_memory(total, id, api);
            return;
        }
        let tensor_cores = capture.kernels.tensor_cores[id];
        sums.push(gpu_ns, tensor_cores);
        let classes = count(&mut self.sums.totals, total, tensor_cores);
        let last = LastLaunch::new(api_span, span, capture.kernels.long_name[id]);
        let row = self.kernel_row(op, capture.kernels.short_name[id], last);
        row.classes |= classes;
        row.gpu.push(gpu_ns);
        if let Some(api_ns) = api_ns {
            row.api.push(api_ns);
        }
        row.last.or_later(last, &capture.strings);
    }

    fn push_memory(&mut self, total: KernelTotal, id: WorkId, api: Option<ApiCallId>) {
        let capture = self.capture;
        self.sums.totals.memory = self.sums.totals.memory.plus(total);
        match api.and_then(|api| capture.api_calls.name[api].some()) {
            Some(name) => {
                if !self.sums.memory_apis.contains(&name) {
                    self.sums.memory_apis.push(name);
                }
            }
            None => self.sums.unnamed_memory |= 1 << capture.known_copy_kind(id).unwrap_or(0),
        }
    }

    /// The row of an op and kernel name; a new one begins with this launch.
    fn kernel_row(&mut self, op: OpId, name: StrId, launch: LastLaunch) -> &mut KernelNameSums {
        let kernels = &mut self.sums.kernels;
        let last_row = &mut self.last_kernel_row[name.index()];
        let is_it = |row: &KernelNameSums| row.op == op && row.name == name;
        if !kernels.get(*last_row as usize).is_some_and(is_it) {
            let known = &mut self.kernel_rows[op.index()];
            *last_row = match known.iter().find(|&&row| kernels[row as usize].name == name) {
                Some(&row) => row,
                None => {
                    let row = position(kernels.len());
                    let (gpu, api) = (Metric::default(), Metric::default());
                    kernels.push(KernelNameSums { op, name, classes: 0, last: launch, gpu, api });
                    known.push(row);
                    row
                }
            };
        }
        &mut kernels[*last_row as usize]
    }

    /// Whether no piece of work of the call before `at` has the same API call, whose time counts once. All work of an
    /// API call belongs to one op call.
    fn is_first(&self, work: &[WorkId], at: usize) -> bool {
        let api = |id: &WorkId| self.capture.work.api[*id];
        if work.len() > FEW {
            self.is_first[at]
        } else {
            work[..at].iter().all(|id| api(id) != api(&work[at]))
        }
    }

    fn mark_first(&mut self, work: &[WorkId]) {
        let mut by_api: Vec<(ApiCallId, usize)> =
            work.iter().enumerate().map(|(at, id)| (self.capture.work.api[*id], at)).collect();
        by_api.sort_unstable();
        by_api.dedup_by_key(|(api, _)| *api);
        self.is_first.clear();
        self.is_first.resize(work.len(), false);
        for (_, at) in by_api {
            self.is_first[at] = true;
        }
    }

    /// Gives every group that ran its sample, from the innermost ones outwards.
    fn end_iteration(&mut self) {
        for word in (0..self.ran.len()).rev() {
            // A group adds to the one it lies in, which comes before it and may be in the same word.
            while let Some(bit) = self.ran[word].checked_ilog2() {
                self.ran[word] &= !(1 << bit);
                let group = GroupId::new(64 * word + bit as usize);
                let sum = std::mem::take(&mut self.in_iteration[group.index()]);
                self.group_sums(group).times.push(&sum);
                if let Some(parent) = self.groups.parent(group) {
                    add_times(&mut self.in_iteration[parent.index()], &sum);
                    self.ran[parent.index() / 64] |= 1 << (parent.index() % 64);
                }
            }
        }
    }

    fn group_sums(&mut self, group: GroupId) -> &mut GroupSums {
        let rows = &mut self.sums.groups;
        let row = &mut self.group_rows[group.index()];
        if rows.get(*row as usize).is_none_or(|sums| sums.group != group) {
            *row = position(rows.len());
            rows.push(GroupSums { group, times: OpTimes::default() });
        }
        &mut rows[*row as usize]
    }
}

/// Adds a kernel to its classes; returns their bits.
fn count(totals: &mut KernelTotals, one: KernelTotal, tensor_cores: TensorCores) -> u8 {
    match tensor_cores {
        TensorCores::Used => {
            totals.tc = totals.tc.plus(one);
            TC
        }
        TensorCores::NotUsed => {
            totals.non_tc = totals.non_tc.plus(one);
            NON_TC
        }
        TensorCores::Unknown => {
            totals.non_tc = totals.non_tc.plus(one);
            totals.tc_unknown = totals.tc_unknown.plus(one);
            NON_TC | TC_UNKNOWN
        }
    }
}

/// A position in a list that has an item for each op, group or name at most.
fn position(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
