//! Profile: every number of a report, over one range of iterations.

mod activity;
mod aggregated_windows;
mod before_window;
mod by_iteration;
mod by_kernel;
mod by_name;
mod by_op;
mod by_work;
mod categories;
mod chosen;
mod clock;
mod counters;
mod groups;
mod idle_time;
mod iteration_figures;
mod kernel_launches;
mod kernels_by_op;
mod known;
mod launch_fill;
mod launch_groups;
mod launching;
mod longest_gaps;
mod markers;
mod memory_by_op;
mod oddities;
mod profiled_iterations;
mod range_families;
mod run_twice;
mod settings;
mod summary;
mod time_by_joining;
mod time_range;
mod torch_profiler;
mod whole_run;
mod work_of_ops;

pub use activity::{DeviceWindow, Step};
pub use before_window::{LongBefore, SamplesBefore};
pub use by_iteration::IterationStats;
pub(crate) use by_iteration::standard_deviation;
pub use by_kernel::KernelSummary;
pub use by_op::{IterationOpStats, OpStats, OpTypeStats};
pub use by_work::{IterationWork, WorkByName, WorkName};
pub use categories::{CategoryTotal, OpCategories};
pub use clock::{Clock, Windows};
pub use counters::{KindAllocations, MetricMean, Sampled};
pub use groups::GroupStats;
pub(crate) use idle_time::IdleRangeRow;
pub use idle_time::{IdleCause, IdleTotal, OnceTime};
pub(crate) use iteration_figures::IterationFigures;
pub use iteration_figures::KnownFigures;
pub use kernel_launches::{KernelLaunch, KernelLaunches};
pub use kernels_by_op::KernelOfOp;
pub use launch_fill::DeviceFigure;
pub use longest_gaps::LongestGap;
pub use memory_by_op::MemoryOfOp;
pub use profiled_iterations::ProfiledIterations;
pub(crate) use range_families::without_numbers;
pub use range_families::{RangeFamily, RangeTime};
pub use run_twice::RunTwice;
pub use settings::ProfileSettings;
pub use summary::Summary;
pub use time_range::{RangeSum, TimeRange};
pub use whole_run::WholeRun;

use crate::base::Error;
use crate::base::diagnostics::Diagnostic;
use crate::base::ids::{DeviceId, OpId};
use crate::base::ratios::percent;
use crate::base::time::Ns;
use crate::capture::Capture;
use crate::capture::correlate::{Direction, Label};
use crate::figures::by_name::KernelName;
use crate::figures::kernel_kinds::KernelJudgements;
use crate::serving::{Serving, Workload};
use crate::steps::index::{Index, KernelTotals, LaunchGroup, ProcessIterationStats, Resources};
use crate::steps::iterate::{self, ENGINE_STEP, IterationCandidate, RangeChoice};
use activity::ActivityFigures;
use categories::categories;
use chosen::Chosen;
use launch_fill::DeviceFigures;
use oddities::diagnostics;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};
use summary::summarize;

/// Every number of a report, over one range of iterations. It is cheap to clone, and clones share what they hold.
#[derive(Debug, Clone)]
pub struct Profile {
    contents: Arc<ProfileContents>,
}

/// What a profile holds.
#[derive(Debug)]
pub struct ProfileContents {
    /// The capture.
    pub capture: Capture,
    /// What the key node decides.
    pub index: Index,
    /// The iterations and the range aggregated.
    pub iterations: ProfiledIterations,
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
    /// GPUs.
    pub devices: Vec<DeviceStats>,
    /// The figures of the dashboard.
    pub summary: Summary,
    /// What was odd about the input.
    pub diagnostics: Vec<Diagnostic>,
    settings: ProfileSettings,
    /// The launches of the aggregated iterations.
    launch_groups: Vec<LaunchGroup>,
    /// The figures of iterations that were known before.
    given_figures: KnownFigures,
    figures: ActivityFigures,
    device_figures: DeviceFigures,
    /// What may delimit iterations, where the key node was given.
    key_node_candidates: OnceLock<Vec<IterationCandidate>>,
    /// Kernels by demangled name: several tables and the dashboard ask for them.
    kernel_names: OnceLock<Vec<KernelName>>,
    /// By op: of its GPU time, what joined its range by time.
    by_time_gpu_ns: OnceLock<Vec<Ns>>,
    /// What the capture says of an inference server.
    serving: OnceLock<Serving>,
    /// What the names of kernels say.
    pub(crate) kernel_judgements: KernelJudgements,
}

impl Deref for Profile {
    type Target = ProfileContents;

    fn deref(&self) -> &ProfileContents {
        &self.contents
    }
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

impl Index {
    /// Aggregates a range of iterations.
    ///
    /// # Errors
    /// If the range ends before it starts, or after the last iteration.
    pub fn profile(&self, range: &RangeChoice) -> Result<Profile, Error> {
        self.profile_with(range, &ProfileSettings::default())
    }

    /// As [`Index::profile`], with what a user changed about the figures.
    ///
    /// # Errors
    /// As [`Index::profile`].
    pub fn profile_with(&self, range: &RangeChoice, settings: &ProfileSettings) -> Result<Profile, Error> {
        self.profile_sharing(range, settings, &KnownFigures::default())
    }

    /// As [`Index::profile_with`], with figures of iterations that are known of this index.
    ///
    /// # Errors
    /// As [`Index::profile`].
    pub fn profile_sharing(
        &self,
        range: &RangeChoice,
        settings: &ProfileSettings,
        known: &KnownFigures,
    ) -> Result<Profile, Error> {
        self.capture.pool.install(|| Profile::new(self.clone(), range, settings.clone(), known.clone()))
    }
}

impl Profile {
    fn new(
        index: Index,
        range: &RangeChoice,
        settings: ProfileSettings,
        given_figures: KnownFigures,
    ) -> Result<Self, Error> {
        let Chosen { start, stop, windows, states } = Chosen::new(&index, range)?;
        let iterations =
            ProfiledIterations { index: index.clone(), start, stop, windows, states, choice: *range };
        let sums = index.sums_of(iterations.range());
        let op_stats = by_op::ops(&index, &sums.ops);
        let summary = summarize(&index, &iterations, &op_stats);
        let contents = ProfileContents {
            op_types: by_op::op_types(&index, &op_stats),
            groups: groups::groups(&index, &sums.groups, &op_stats),
            kernel_summaries: by_kernel::summaries(&index.capture, &sums.kernels),
            kernel_totals: sums.totals(),
            categories: categories(&op_stats),
            iteration_stats: by_iteration::iterations(&index, &iterations),
            devices: devices(&index, &iterations),
            diagnostics: diagnostics(&index, &iterations, &op_stats, &summary),
            capture: index.capture.clone(),
            index,
            iterations,
            op_stats,
            summary,
            settings,
            launch_groups: sums.kernels,
            given_figures,
            figures: ActivityFigures::default(),
            device_figures: DeviceFigures::default(),
            key_node_candidates: OnceLock::new(),
            kernel_names: OnceLock::new(),
            by_time_gpu_ns: OnceLock::new(),
            serving: OnceLock::new(),
            kernel_judgements: KernelJudgements::default(),
        };
        Ok(Self { contents: Arc::new(contents) })
    }

    /// All kernel launches of the range, ordered by iteration, op name, op ID, kernel name and API start. There may be very
    /// many; they are found when they are looked at.
    #[must_use]
    pub fn kernel_launches(&self) -> KernelLaunches {
        KernelLaunches::new(self)
    }

    /// Ops by aggregated iteration, in order of iteration and op ID. They are summed up when asked for: there may be as many
    /// rows as op calls.
    #[must_use]
    pub fn iteration_ops(&self) -> Vec<IterationOpStats> {
        by_op::iteration_ops(self)
    }

    /// GPU work by iteration, op and name, and what of the wall clock it claims, over all iterations. It is summed up when
    /// asked for.
    #[must_use]
    pub fn work_by_name(&self) -> WorkByName {
        by_work::work_by_name(self)
    }
}

impl ProfileContents {
    /// The figures of iterations that are known by now, for other profiles of the index and for later runs.
    #[must_use]
    pub fn known_figures(&self) -> KnownFigures {
        match self.figures.of_iterations() {
            Some(figures) => self.given_figures.with(figures),
            None => self.given_figures.clone(),
        }
    }

    /// What a user changed about the figures.
    #[must_use]
    pub fn settings(&self) -> &ProfileSettings {
        &self.settings
    }

    /// What may delimit iterations, best first; the one in force comes first if it was found. Where the key node was given, they
    /// are looked for when they are asked for.
    #[must_use]
    pub fn key_node_candidates(&self) -> &[IterationCandidate] {
        let known = &self.iterations.candidates;
        if known.is_empty() {
            return self.key_node_candidates.get_or_init(|| iterate::candidates(&self.capture));
        }
        known
    }

    /// What the capture says of an inference server, and whether it shows training. It is about the whole capture.
    #[must_use]
    pub fn serving(&self) -> &Serving {
        self.serving.get_or_init(|| Serving::of(&self.capture))
    }

    /// Whether the iterations are steps of a server: of a capture that shows training as well, where nothing else delimits them.
    #[must_use]
    pub fn is_about_server(&self) -> bool {
        match self.serving().workload {
            Workload::Inference => true,
            Workload::Both => {
                self.iterations.key_node.as_ref().is_some_and(|node| node.name.starts_with(ENGINE_STEP))
            }
            Workload::Training | Workload::Unknown => false,
        }
    }

    /// An op's label: name, type, direction, data type, shapes.
    #[must_use]
    pub fn label(&self, op: OpId) -> &Label {
        self.index.label(op)
    }

    /// Whether an op belongs to the forward or the backward pass: as its marker says, or the ranges of the program around it.
    #[must_use]
    pub fn direction(&self, op: OpId) -> Direction {
        match self.label(op).direction {
            Direction::None => Direction::of_path(self.op_name(op)),
            marked => marked,
        }
    }

    /// An op's name.
    #[must_use]
    pub fn op_name(&self, op: OpId) -> &str {
        self.index.op_name(op)
    }

    /// An op's ID.
    #[must_use]
    pub fn op_id(&self, op: OpId) -> &str {
        &self.index.ops[op.index()].id
    }

    /// Iterations by process, where several processes run the key node.
    #[must_use]
    pub fn process_iterations(&self) -> &[ProcessIterationStats] {
        &self.index.process_iterations
    }

    /// Whether the capture has kernels, copies or memsets.
    #[must_use]
    pub fn has_gpu_work(&self) -> bool {
        !self.capture.work.span.is_empty()
    }

    /// Whether the aggregated iterations have kernels or whole graph launches, so that GPU figures are known: the capture has some,
    /// and records are not missing in all of these iterations.
    #[must_use]
    pub fn has_kernel_records(&self) -> bool {
        self.capture.counts().kernels > 0 && self.iterations.is_any_traced()
    }

    /// Whether it is known when GPUs worked: the capture has kernels, or none was launched, so that copies and memsets are all that
    /// GPUs did.
    #[must_use]
    pub fn knows_gpu_work(&self) -> bool {
        self.has_kernel_records() || self.has_gpu_work() && self.launches_nothing()
    }

    /// The ten ops with most GPU time, greatest first; without kernel records those with most CPU time.
    #[must_use]
    pub fn top_ops(&self) -> Vec<&OpStats> {
        let mut ops: Vec<&OpStats> = self.op_stats.iter().collect();
        let has_kernels = self.has_kernel_records();
        let time = |op: &OpStats| if has_kernels { op.times.gpu.sum } else { op.times.cpu.sum };
        ops.sort_by_key(|op| (std::cmp::Reverse(time(op)), op.op));
        ops.truncate(10);
        ops
    }
}

fn devices(index: &Index, iterations: &ProfiledIterations) -> Vec<DeviceStats> {
    let window = iterations.aggregated_span();
    let stats = |at: usize| {
        let device = DeviceId::new(at);
        let resources = index.split.of_device(device, window);
        let utilization_percent = percent(resources.kernel_ns(), resources.total());
        DeviceStats { device, resources, utilization_percent }
    };
    (0..index.split.devices()).map(stats).collect()
}
