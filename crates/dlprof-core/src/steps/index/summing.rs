//! Sums up op calls: one pass over those of some iterations, with their GPU work, fills everything that adds up.

use super::Launching;
use super::groups::Groups;
use super::kernel_sums::{KernelSums, KernelTotal, KernelTotals, add_times};
use super::launch_groups::{LastLaunch, LaunchGroup, LaunchKey, OneLaunch};
use super::metric::OpTimes;
use super::sums::{GroupSums, NON_TC, OpSums, RangeSums, TC, TC_UNKNOWN};
use crate::base::groups::Grouped;
use crate::base::ids::{ApiCallId, GroupId, Maybe, OpCallId, OpId, WorkId};
use crate::base::time::{Ns, Span};
use crate::capture::CaptureContents;
use crate::capture::correlate::{CallTimes, TensorCores};
use crate::columns::PerText;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Sums up some iterations after others. Its tables are as long as there are ops, groups and texts, so one is used many
/// times.
pub(crate) struct Summing<'a> {
    capture: &'a CaptureContents,
    /// Which work belongs to which iteration, and the op of each call.
    launching: Launching<'a>,
    groups: &'a Groups<'a>,
    sums: RangeSums,
    /// By op: its row in the sums, if that is one of its own.
    op_rows: Vec<u32>,
    /// By group: the same.
    group_rows: Vec<u32>,
    /// By op: its launch groups.
    kernel_rows: Vec<Vec<u32>>,
    /// The row of each launch group.
    group_places: FxHashMap<LaunchKey, u32>,
    /// By kernel name: the row met last, which is mostly the right one.
    last_kernel_row: PerText<u32>,
    /// Kernels below this length are short.
    short_kernel_ns: Ns,
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
        launching: Launching<'a>,
        groups: &'a Groups<'a>,
        ops: usize,
        short_kernel_ns: Ns,
    ) -> Self {
        let capture = launching.capture;
        Self {
            capture,
            launching,
            groups,
            sums: RangeSums::default(),
            op_rows: vec![0; ops],
            group_rows: vec![0; groups.len()],
            kernel_rows: vec![Vec::new(); ops],
            group_places: FxHashMap::default(),
            last_kernel_row: PerText::new(capture.strings.len(), 0),
            short_kernel_ns,
            in_iteration: vec![CallTimes::default(); groups.len()],
            ran: vec![0; groups.len().div_ceil(64)],
            is_first: Vec::new(),
        }
    }

    /// Sums up the calls of iterations, adds up the kernels of each, and shows the work of each call
    /// with the sum of its kernels.
    pub(crate) fn sum(
        &mut self,
        iterations: Range<u32>,
        calls: &Grouped<OpCallId>,
        kernels: &mut [KernelSums],
        mut show: impl FnMut(OpCallId, &[WorkId], &KernelSums),
    ) -> RangeSums {
        for ((at, of_iteration), iteration) in kernels.iter_mut().enumerate().zip(iterations) {
            for &call in calls.get(at) {
                let work = self.launching.own(call);
                let of_call = self.push(call, &work);
                of_iteration.add(&of_call);
                show(call, &work, &of_call);
            }
            for (call, work) in self.launching.spilled(iteration) {
                let op = self.launching.calls.op[call];
                let spilled = self.push_all_work(op, work);
                let gpu_ns = self.launching.gpu_ns(work);
                let sums = self.op_sums(op);
                sums.kernels.add(&spilled);
                sums.times.gpu.sum += gpu_ns;
                of_iteration.add(&spilled);
                show(call, work, &spilled);
            }
            self.end_iteration();
        }
        self.take()
    }

    /// The sums in order of their keys; begins anew.
    fn take(&mut self) -> RangeSums {
        let unsorted = std::mem::take(&mut self.sums);
        self.group_places.clear();
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
            rows.sort_unstable_by_key(|&row| unsorted.kernels[row as usize].key);
            sums.kernels.extend(rows.drain(..).map(|row| unsorted.kernels[row as usize]));
        }
        sums.groups.sort_unstable_by_key(|row| row.group);
        sums.memory_apis.sort_unstable();
        sums
    }

    /// Adds a call with its work; returns the sums of its kernels.
    fn push(&mut self, call: OpCallId, work: &[WorkId]) -> KernelSums {
        let capture = self.capture;
        let (op, times) = (self.launching.calls.op[call], &capture.op_calls.times[call]);
        let own_times = self.launching.own_times(call);
        let kernels = self.push_all_work(op, work);
        let sums = self.op_sums(op);
        sums.times.push(&own_times);
        sums.kernels.add(&kernels);
        let group = self.groups.of_op(op).index();
        self.ran[group / 64] |= 1 << (group % 64);
        add_times(&mut self.in_iteration[group], times);
        kernels
    }

    /// The sums of an op; new ones if it has none yet.
    fn op_sums(&mut self, op: OpId) -> &mut OpSums {
        let row = &mut self.op_rows[op.index()];
        if self.sums.ops.get(*row as usize).is_none_or(|sums| sums.op != op) {
            *row = position(self.sums.ops.len());
            self.sums.ops.push(OpSums { op, times: OpTimes::default(), kernels: KernelSums::default() });
        }
        &mut self.sums.ops[*row as usize]
    }

    /// Adds work of an op call; returns the sums of its kernels.
    fn push_all_work(&mut self, op: OpId, work: &[WorkId]) -> KernelSums {
        if work.len() > FEW {
            self.mark_first(work);
        }
        let mut kernels = KernelSums::default();
        for (at, &id) in work.iter().enumerate() {
            self.push_work(op, work, at, id, &mut kernels);
        }
        kernels
    }

    fn push_work(&mut self, op: OpId, work: &[WorkId], at: usize, id: WorkId, sums: &mut KernelSums) {
        let capture = self.capture;
        let span = capture.work.span[id];
        let gpu_ns = span.length();
        let api = capture.launches.api[id].some();
        let api_span = api.map(|api| capture.api_calls.span[api]);
        let api_ns = api_span.filter(|_| self.is_first(work, at)).map(Span::length);
        let total = KernelTotal { gpu_ns, api_ns: api_ns.unwrap_or(0), names: 0, launches: 1 };
        if id.index() >= capture.kernels.short_name.len() {
            self.push_memory(total, id, api);
            return;
        }
        let tensor_cores = capture.judged.tensor_cores[id];
        sums.push(gpu_ns, tensor_cores);
        let classes = count(&mut self.sums.totals, total, tensor_cores);
        let one = OneLaunch {
            kernel: id,
            launch: LastLaunch::new(api_span, span, capture.kernels.long_name[id]),
            classes,
            api_ns,
            is_short: gpu_ns < self.short_kernel_ns,
        };
        self.launch_group(LaunchKey::of(capture, op, id), &one).push(&one, &capture.strings);
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

    /// The group of a launch; a new one if it is the first of its kind.
    #[inline]
    fn launch_group(&mut self, key: LaunchKey, first: &OneLaunch) -> &mut LaunchGroup {
        let groups = &mut self.sums.kernels;
        let last_row = &mut self.last_kernel_row[key.name];
        if groups.get(*last_row as usize).is_none_or(|group| group.key != key) {
            *last_row = *self.group_places.entry(key).or_insert_with(|| {
                let row = position(groups.len());
                groups.push(LaunchGroup::new(key, first));
                self.kernel_rows[key.op.index()].push(row);
                row
            });
        }
        &mut groups[*last_row as usize]
    }

    /// Whether no piece of work of the call before `at` has the same API call, whose time counts once. All work of an
    /// API call belongs to one op call.
    fn is_first(&self, work: &[WorkId], at: usize) -> bool {
        let api = |id: &WorkId| self.capture.launches.api[*id];
        if work.len() > FEW {
            self.is_first[at]
        } else {
            work[..at].iter().all(|id| api(id) != api(&work[at]))
        }
    }

    fn mark_first(&mut self, work: &[WorkId]) {
        let mut by_api: Vec<(Maybe<ApiCallId>, usize)> =
            work.iter().enumerate().map(|(at, id)| (self.capture.launches.api[*id], at)).collect();
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
