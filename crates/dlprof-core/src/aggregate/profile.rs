//! The profile: every number of a report.

use super::Input;
use super::blocks::Blocks;
use super::by_iteration::{self, IterationStats, KernelsByProcess, ProcessIterationStats};
use super::by_kernel::{self, KernelLaunch, KernelSummary, KernelTotals};
use super::by_op::{self, IterationOpStats, KernelSums, OpStats, OpTypeStats};
use super::by_work::{self, WorkByName};
use super::categories::{OpCategories, categories};
use super::groups::GroupStats;
use super::ranges;
use super::resources::{self, ResourceSplit, Resources};
use super::summary::{Summary, summarize};
use super::sums::RangeSums;
use super::timeline::{Counts, Covered, Timeline};
use crate::correlate::{Correlation, Label, Mode, UNASSOCIATED};
use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::error::Error;
use crate::findings::{self, Finding};
use crate::ids::{DeviceId, OpId};
use crate::iterate::{self, IterationOptions, Iterations, Ops};
use crate::ratios::percent;
use crate::time::Ns;
use crate::trace::Trace;
use std::borrow::Cow;

/// Every number of a report, over one range of iterations.
#[derive(Debug)]
pub struct Profile<'a> {
    /// The facts. Read without rows, it tells nothing of single kernels, API calls and op calls, as do the next fields.
    pub trace: &'a Trace,
    /// Who did what.
    pub correlation: &'a Correlation,
    /// How much the capture holds.
    pub counts: Counts,
    /// The iterations and the range aggregated.
    pub iterations: Iterations,
    /// All ops of the capture.
    pub ops: Ops,
    /// Ops with calls in the range, in byte order of op ID.
    pub op_stats: Vec<OpStats>,
    /// Op types in byte order.
    pub op_types: Vec<OpTypeStats>,
    /// Groups in byte order.
    pub groups: Vec<GroupStats>,
    /// Kernels by op and name, in order of op ID and name.
    pub kernel_summaries: Vec<KernelSummary>,
    /// GPU work by class.
    pub kernel_totals: KernelTotals,
    /// Ops by their use of Tensor Cores.
    pub categories: OpCategories,
    /// All iterations.
    pub iteration_stats: Vec<IterationStats>,
    /// Iterations by process, where several processes run the key node.
    pub process_iterations: Vec<ProcessIterationStats>,
    /// GPUs.
    pub devices: Vec<DeviceStats>,
    /// The figures of the dashboard.
    pub summary: Summary,
    /// What the expert system found.
    pub findings: Vec<Finding>,
    /// What was odd about the input.
    pub diagnostics: Vec<Diagnostic>,
}

/// A GPU over the aggregated iterations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeviceStats {
    /// The GPU.
    pub device: DeviceId,
    /// Its time by class.
    pub resources: Resources,
    /// Share of the wall clock with a kernel running.
    pub utilization_percent: f64,
}

/// Aggregates a correlated capture over the iterations asked for.
///
/// # Errors
/// If the key node never ran or the iteration range does not exist.
pub fn aggregate<'a>(
    trace: &'a Trace,
    correlation: &'a Correlation,
    options: &IterationOptions,
) -> Result<Profile<'a>, Error> {
    aggregate_and(trace, correlation, options, None)
}

/// Is given what other ranges can be made from: the time line, the blocks of iterations, and the sums of each.
pub(crate) type Keep<'a> = &'a (dyn Fn(&Timeline, &Blocks, &[RangeSums]) + Sync);

/// As [`aggregate`]; on the way hands out what other ranges can be made from.
pub(crate) fn aggregate_and<'a>(
    trace: &'a Trace,
    correlation: &'a Correlation,
    options: &IterationOptions,
    keep: Option<Keep<'_>>,
) -> Result<Profile<'a>, Error> {
    let (iterations, ops) = iterate::iterate(trace, correlation, options)?;
    let input = Input { trace, correlation, iterations: &iterations, ops: &ops };
    let groups = input.groups();
    let blocks = Blocks::new(iterations.total(), ops.ops.len(), &iterations.of_call);
    let keep = keep.filter(|_| blocks.are_worth_keeping(ops.ops.len(), correlation.calls.len()));
    let source = ranges::Source::new(&input, &groups, &blocks);
    let mut kernels = vec![KernelSums::default(); iterations.total() as usize];
    let by_process = KernelsByProcess::new(input);
    let sum = || match keep {
        Some(_) => (RangeSums::default(), source.sum_blocks(&mut kernels, &by_process)),
        None => (source.sum_range(&iterations.range(), &mut kernels, &by_process), Vec::new()),
    };
    let ((mut sums, of_blocks), (split, covered)) = rayon::join(sum, || {
        let boundaries = &iterations.boundaries;
        let split = resources::split(trace, correlation, boundaries);
        (split, Covered::new(trace, correlation, boundaries))
    });
    let process_iterations = by_process.finish();
    if keep.is_some() {
        sums = source.merge_blocks(iterations.range(), &of_blocks);
    }
    let counts = Counts::of(trace, correlation);
    let timeline = Timeline { iterations, ops, split, kernels, process_iterations, covered, counts };
    if let Some(keep) = keep {
        keep(&timeline, &blocks, &of_blocks);
    }
    Ok(profile(trace, correlation, Cow::Owned(timeline), &sums))
}

/// Makes a profile from the sums of the aggregated iterations.
pub(crate) fn profile<'a>(
    trace: &'a Trace,
    correlation: &'a Correlation,
    timeline: Cow<'_, Timeline>,
    sums: &RangeSums,
) -> Profile<'a> {
    let mut diagnostics = Diagnostics::default();
    diagnostics.merge(trace.diagnostics.clone());
    diagnostics.merge(correlation.diagnostics.clone());
    let Timeline { iterations, ops, split, kernels, covered, counts, .. } = &*timeline;
    iterations.note_executions_elsewhere(&mut diagnostics);
    let input = Input { trace, correlation, iterations, ops };
    let op_stats = by_op::ops(&input, &sums.ops);
    let summary = summarize(iterations, split, covered, &op_stats);
    if summary.is_late() {
        diagnostics.count(Code::CoveredSpan, || {
            format!("events cover {} of {} ns", summary.covered.length(), summary.wall_clock_ns)
        });
    }
    note_work_outside_ranges(&input, &op_stats, &mut diagnostics);
    let categories = categories(&op_stats);
    let op_types = by_op::op_types(&input, &op_stats);
    let groups = input.groups().stats(&sums.groups, &op_stats);
    let kernel_summaries = by_kernel::summaries(&input, &sums.kernels);
    let iteration_stats = by_iteration::iterations(iterations, split, kernels);
    let (devices, counts) = (devices(split, iterations), *counts);
    // What is kept for other profiles is copied; of a whole capture it may be large.
    let (iterations, ops, process_iterations) = match timeline {
        Cow::Owned(timeline) => (timeline.iterations, timeline.ops, timeline.process_iterations),
        Cow::Borrowed(timeline) => {
            (timeline.iterations.clone(), timeline.ops.clone(), timeline.process_iterations.clone())
        }
    };
    let mut profile = Profile {
        trace,
        correlation,
        counts,
        iterations,
        ops,
        op_stats,
        op_types,
        groups,
        kernel_summaries,
        kernel_totals: sums.totals(),
        categories,
        iteration_stats,
        process_iterations,
        devices,
        summary,
        findings: Vec::new(),
        diagnostics: diagnostics.to_vec(),
    };
    profile.findings = findings::detect(&profile);
    profile
}

fn note_work_outside_ranges(input: &Input<'_>, ops: &[OpStats], diagnostics: &mut Diagnostics) {
    if input.correlation.mode == Mode::Simple {
        return;
    }
    let is_claimed = |op: &&OpStats| !input.name(op.op).starts_with(UNASSOCIATED);
    let all: Ns = ops.iter().map(|op| op.times.gpu.sum).sum();
    let claimed: Ns = ops.iter().filter(is_claimed).map(|op| op.times.gpu.sum).sum();
    if all > 0 && claimed.saturating_mul(100) < all {
        diagnostics.count(Code::RangesWithoutWork, || format!("{claimed} of {all} ns"));
    }
}

impl Profile<'_> {
    /// An op's label: name, type, direction, data type, shapes.
    #[must_use]
    pub fn label(&self, op: OpId) -> &Label {
        &self.correlation.labels[self.ops.ops[op.index()].label.index()]
    }

    /// An op's name.
    #[must_use]
    pub fn op_name(&self, op: OpId) -> &str {
        self.correlation.names.get(self.label(op).name)
    }

    /// An op's ID.
    #[must_use]
    pub fn op_id(&self, op: OpId) -> &str {
        &self.ops.ops[op.index()].id
    }

    /// All kernel launches of the range, ordered by iteration, op name, op ID, kernel name and API start.
    /// Made when asked for: it is by far the longest table.
    ///
    /// # Panics
    /// Without rows.
    #[must_use]
    pub fn kernel_launches(&self) -> Vec<KernelLaunch> {
        by_kernel::launches(&self.input_with_rows())
    }

    /// Ops by aggregated iteration, in order of iteration and op ID. Made when asked for: there may be as many rows as op
    /// calls.
    ///
    /// # Panics
    /// Without rows.
    #[must_use]
    pub fn iteration_ops(&self) -> Vec<IterationOpStats> {
        by_op::iteration_ops(&self.input_with_rows())
    }

    /// GPU work by iteration, op and name, and what of the wall clock it claims, over all iterations. Made when asked
    /// for.
    ///
    /// # Panics
    /// Without rows.
    #[must_use]
    pub fn work_by_name(&self) -> WorkByName {
        by_work::work_by_name(&self.input_with_rows())
    }

    fn input_with_rows(&self) -> Input<'_> {
        let has_rows = self.correlation.calls.len() == self.counts.op_calls;
        assert!(has_rows, "read with `Rows::NotNeeded`, and a table of rows is asked for");
        Input {
            trace: self.trace,
            correlation: self.correlation,
            iterations: &self.iterations,
            ops: &self.ops,
        }
    }

    /// The ten ops with most GPU time, greatest first.
    #[must_use]
    pub fn top_ops(&self) -> Vec<&OpStats> {
        let mut ops: Vec<&OpStats> = self.op_stats.iter().collect();
        ops.sort_by_key(|op| (std::cmp::Reverse(op.times.gpu.sum), op.op));
        ops.truncate(10);
        ops
    }
}

fn devices(split: &ResourceSplit, iterations: &Iterations) -> Vec<DeviceStats> {
    let range = iterations.start as usize..=iterations.stop as usize;
    let stats = |(at, by_iteration): (usize, &Vec<Resources>)| {
        let mut resources = Resources::default();
        for iteration in &by_iteration[range.clone()] {
            resources.add(iteration);
        }
        let utilization_percent = percent(resources.kernel_ns(), resources.total());
        DeviceStats { device: DeviceId::new(at), resources, utilization_percent }
    };
    split.by_device.iter().enumerate().map(stats).collect()
}
