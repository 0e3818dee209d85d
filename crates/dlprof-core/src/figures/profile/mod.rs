//! Profile: every number of a report, over one range of iterations.

mod activity;
mod aggregated_windows;
mod by_iteration;
mod by_kernel;
mod by_name;
mod by_op;
mod by_work;
mod categories;
mod chosen;
mod clock;
mod counters;
mod kernel_launches;
mod kernels_by_op;
mod launch_fill;
mod launch_groups;
mod memory_by_op;
mod settings;
mod summary;
mod time_by_joining;
mod time_range;
mod work_of_ops;

pub(crate) use activity::without_numbers;
pub use activity::{DeviceWindow, IdleCause, IdleTotal, OnceTime, RangeFamily, RangeTime, Step};
pub use by_iteration::IterationStats;
pub(crate) use by_iteration::standard_deviation;
pub use by_kernel::KernelSummary;
pub use by_op::{IterationOpStats, OpStats, OpTypeStats};
pub use by_work::{IterationWork, WorkByName, WorkName};
pub use categories::{CategoryTotal, OpCategories};
pub use clock::{Clock, Windows};
pub use counters::{KindAllocations, MetricMean, Sampled};
pub use groups::GroupStats;
pub(crate) use iteration_figures::IterationFigures;
pub use iteration_figures::KnownFigures;
pub use kernel_launches::{KernelLaunch, KernelLaunches};
pub use kernels_by_op::KernelOfOp;
pub use launch_fill::DeviceFigure;
pub use memory_by_op::MemoryOfOp;
pub use settings::ProfileSettings;
pub use summary::Summary;
pub use time_range::{RangeSum, TimeRange};

mod groups;
mod iteration_figures;

use crate::base::Error;
use crate::base::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics};
use crate::base::ids::{DeviceId, OpId};
use crate::base::ratios::{percent, to_f64};
use crate::base::time::{Ns, Span};
use crate::capture::Capture;
use crate::capture::correlate::{Label, Mode, UNASSOCIATED};
use crate::figures::by_name::KernelName;
use crate::figures::kernel_kinds::KernelJudgements;
use crate::steps::index::{Index, KernelTotals, LaunchGroup, ProcessIterationStats, Resources};
use crate::steps::iterate::change_in_one_direction;
use crate::steps::iterate::{self, FigureRules, IterationCandidate, IterationState, Iterations, RangeChoice};
use activity::ActivityFigures;
use categories::categories;
use chosen::Chosen;
use launch_fill::DeviceFigures;
use std::ops::{Deref, Range};
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
    /// What the names of kernels say.
    pub(crate) kernel_judgements: KernelJudgements,
}

impl Deref for Profile {
    type Target = ProfileContents;

    fn deref(&self) -> &ProfileContents {
        &self.contents
    }
}

/// The iterations of a capture, and which of them are aggregated.
#[derive(Debug, Clone)]
pub struct ProfiledIterations {
    index: Index,
    /// First iteration aggregated.
    pub start: u32,
    /// Last iteration aggregated, inclusive.
    pub stop: u32,
    /// The windows of all iterations.
    pub windows: Windows,
    /// By iteration: what it is like, judged by its duration on the clock in force.
    pub states: Vec<IterationState>,
    /// What was asked for.
    pub choice: RangeChoice,
}

impl Deref for ProfiledIterations {
    type Target = Iterations;

    fn deref(&self) -> &Iterations {
        &self.index.iterations
    }
}

impl ProfiledIterations {
    /// First and last of the stretch with most steady iterations, if it has at least three.
    #[must_use]
    pub fn steady_range(&self) -> Option<(u32, u32)> {
        self.stretch(&self.states)
    }

    /// The iterations that take longer from one to the next, or less long, as while a program tries sizes: all that are compared
    /// with each other; none where lengths do not go in one direction.
    #[must_use]
    pub fn going_one_way(&self) -> Vec<u32> {
        use IterationState::{Outlier, Steady, WarmUp};
        let is_compared = |&number: &u32| matches!(self.states[number as usize], Steady | Outlier | WarmUp);
        let compared: Vec<u32> = (0..self.total()).filter(is_compared).collect();
        let lengths: Vec<Ns> = compared.iter().map(|&number| self.windows.span(number).length()).collect();
        if change_in_one_direction(&lengths) { compared } else { Vec::new() }
    }

    /// Number of aggregated iterations; one without a key node. Pieces between runs count only by DLProf's rules.
    #[must_use]
    pub fn aggregated(&self) -> u32 {
        match self.windows.rules {
            _ if self.key_node.is_none() => 1,
            FigureRules::Dlprof => self.stop - self.start + 1,
            FigureRules::Ours => self.count_in(self.start, self.stop),
        }
    }

    /// How often the step runs in the aggregated iterations: their number, and the further passes that unsplit ones hold. Figures
    /// per iteration are sums over it. DLProf's rules know no passes.
    #[must_use]
    pub fn passes(&self) -> u32 {
        self.aggregated() + self.further_passes(self.range())
    }

    /// The passes beyond their own that unsplit iterations among some hold.
    #[must_use]
    pub(crate) fn further_passes(&self, numbers: impl IntoIterator<Item = u32>) -> u32 {
        self.further_passes_of(numbers).map(|(_, further)| further).sum()
    }

    /// Iterations in order with the further passes that each holds, which is none but for unsplit ones.
    fn further_passes_of(&self, numbers: impl IntoIterator<Item = u32>) -> impl Iterator<Item = (u32, u32)> {
        let is_split = self.windows.rules == FigureRules::Dlprof
            || self.key_node.is_none()
            || !self.states.contains(&IterationState::Unsplit);
        let elsewhere = if is_split { Vec::new() } else { self.passes_elsewhere() };
        let further = move |number: u32| match self.states.get(number as usize) {
            Some(IterationState::Unsplit) => elsewhere.get(number as usize).copied().unwrap_or(0),
            _ => 0,
        };
        numbers.into_iter().map(move |number| (number, further(number)))
    }

    /// How long each pass of the aggregated iterations takes, in order: [`Self::durations`], but that those of an unsplit
    /// iteration take equal parts of it.
    #[must_use]
    pub(crate) fn pass_durations(&self) -> Vec<Ns> {
        if self.passes() == self.aggregated() {
            return self.durations();
        }
        self.pass_durations_of(self.range().filter(|&number| !self.is_outside(number)))
    }

    /// How long each pass of some iterations takes, in order.
    #[must_use]
    pub(crate) fn pass_durations_of(&self, numbers: impl IntoIterator<Item = u32>) -> Vec<Ns> {
        let parts = self.further_passes_of(numbers).flat_map(|(number, further)| {
            let passes = further + 1;
            std::iter::repeat_n(self.windows.span(number).length() / Ns::from(passes), passes as usize)
        });
        parts.collect()
    }

    /// Durations of the aggregated iterations on the clock in force, in order; those of pieces between runs only by DLProf's
    /// rules.
    #[must_use]
    pub fn durations(&self) -> Vec<Ns> {
        if self.key_node.is_none() {
            return vec![self.aggregated_span().length()];
        }
        let is_counted =
            |&number: &u32| self.windows.rules == FigureRules::Dlprof || !self.is_outside(number);
        self.range().filter(is_counted).map(|number| self.windows.span(number).length()).collect()
    }

    /// Items per second, where some iterations took a time and a batch size was given; none without iterations.
    #[must_use]
    pub fn items_per_s(&self, iterations: u32, duration_ns: Ns) -> Option<f64> {
        let batch_size = self.choice.batch_size.filter(|_| self.key_node.is_some() && duration_ns > 0)?;
        Some(f64::from(batch_size) * f64::from(iterations) * 1e9 / to_f64(duration_ns))
    }

    /// Whether an iteration is aggregated.
    #[must_use]
    pub fn is_aggregated(&self, iteration: u32) -> bool {
        (self.start..=self.stop).contains(&iteration)
    }

    /// The aggregated iterations.
    #[must_use]
    pub fn range(&self) -> Range<u32> {
        self.start..self.stop + 1
    }

    /// From the start of the first aggregated iteration to the end of the last one, on the clock in force.
    #[must_use]
    pub fn aggregated_span(&self) -> Span {
        Span::new(self.windows.span(self.start).start, self.windows.span(self.stop).end)
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
    /// If the range ends before it starts, or behind the last iteration.
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
        let mut diagnostics = Diagnostics::default();
        diagnostics.merge(index.capture.diagnostics.clone());
        iterations.note_executions_elsewhere(&mut diagnostics);
        iterations.note_joined_calls(&mut diagnostics);
        iterations.note_lost_records(&index.capture, &mut diagnostics);
        if iterations.lacks_stretch(&iterations.states, range) {
            diagnostics
                .count(DiagnosticCode::NoSteadyIterations, || format!("{} iterations", iterations.total()));
        }
        let op_stats = by_op::ops(&index, &sums.ops);
        let summary = summarize(&index, &iterations, &op_stats);
        if summary.is_late() {
            diagnostics.count(DiagnosticCode::CoveredSpan, || {
                format!("events cover {} of {} ns", summary.covered.length(), summary.wall_clock_ns)
            });
        }
        note_page_faults(&index.capture, &mut diagnostics);
        note_work_outside_ranges(&index, &op_stats, &mut diagnostics);
        let contents = ProfileContents {
            op_types: by_op::op_types(&index, &op_stats),
            groups: groups::groups(&index, &sums.groups, &op_stats),
            kernel_summaries: by_kernel::summaries(&index.capture, &sums.kernels),
            kernel_totals: sums.totals(),
            categories: categories(&op_stats),
            iteration_stats: by_iteration::iterations(&index, &iterations),
            devices: devices(&index, &iterations),
            diagnostics: diagnostics.to_vec(),
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

    /// An op's label: name, type, direction, data type, shapes.
    #[must_use]
    pub fn label(&self, op: OpId) -> &Label {
        self.index.label(op)
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

    /// Whether the capture has kernels or whole graph launches, so that GPU figures are known.
    #[must_use]
    pub fn has_kernel_records(&self) -> bool {
        self.capture.counts().kernels > 0
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

/// Notes the page faults of unified memory; they are of the whole capture, whatever the range.
fn note_page_faults(capture: &Capture, diagnostics: &mut Diagnostics) {
    let faults = capture.notes.page_faults;
    let on_cpu = faults.cpu_events.unwrap_or(0);
    diagnostics.count_cases(DiagnosticCode::PageFaults, on_cpu.saturating_add(faults.gpu_faults), || {
        format!("{on_cpu} on the CPU, {} on GPUs", faults.gpu_faults)
    });
}

fn note_work_outside_ranges(index: &Index, ops: &[OpStats], diagnostics: &mut Diagnostics) {
    if index.capture.description.mode == Mode::Simple {
        return;
    }
    let is_claimed = |op: &&OpStats| !index.op_name(op.op).starts_with(UNASSOCIATED);
    let all: Ns = ops.iter().map(|op| op.times.gpu.sum).sum();
    let claimed: Ns = ops.iter().filter(is_claimed).map(|op| op.times.gpu.sum).sum();
    if all > 0 && claimed.saturating_mul(100) < all {
        diagnostics.count(DiagnosticCode::RangesWithoutWork, || format!("{claimed} of {all} ns"));
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
