//! What rules look at: the figures of a profile over the iterations that findings are about.
//!
//! These are the steady stretch as far as it is aggregated, if that is three iterations or more, else all of them without
//! iteration 0 and those that warm up.
//! Without iterations it is the GPU span.

use super::finding::Finding;
use super::framework::Framework;
use super::kernels::KernelTimes;
use super::once::{Once, once_in};
use super::rule::{Limits, Rule};
use super::rule_setting::{RuleChanges, RuleSetting};
use super::sentence::{Figure, Sentence};
use super::slices::{Slices, slices};
use super::small_copies::{SmallCopies, small_copies};
use super::step_waits::StepWaits;
use super::timed_trials::{timed_trials, waits_for_events};
use super::tried::{Tried, tried};
use crate::base::ids::{DeviceId, ThreadId, WorkId, all};
use crate::base::ratios::{count_to_f64, percent, to_f64};
use crate::base::time::{Ns, Span};
use crate::capture::classified::{Activity, Call, Cause, Classified};
use crate::capture::names::ApiClass;
use crate::figures::activity::{
    CopyGroup, FunctionCalls, GpuTime, GpuTimes, PageableUse, StepClasses, WaitCosts, WindowCalls,
    calls_by_function, copies, pageable_use, syncs_by_window, wait_costs, wait_places, whole_range,
};
use crate::figures::gpu::lacks_tensor_cores;
use crate::figures::kernel_kinds::kernel_class::KernelClass;
use crate::figures::profile::{IterationFigures, ProfileContents};
use crate::steps::iterate::IterationState;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::OnceLock;

/// The figures that rules share. What is costly is computed when the first rule asks for it.
pub(super) struct Scene<'a> {
    /// The profile.
    pub(super) profile: &'a ProfileContents,
    /// What a user changed about rules; `None` where no rule is applied.
    changes: Option<&'a RuleChanges>,
    /// The iterations that findings are about, as places among the aggregated ones.
    pub(super) places: Range<usize>,
    /// Their time, on the clock in force.
    pub(super) span: Span,
    /// Number of iterations; 0 if none were found.
    pub(super) iterations: u32,
    /// How often the step runs in them: an unsplit iteration holds several passes of it. 0 if no iterations were found.
    pub(super) passes: u32,
    facts: OnceLock<Classified<'a>>,
    gpu_time: OnceLock<GpuTime>,
    kernels: OnceLock<KernelTimes>,
    own_kernels: OnceLock<Option<KernelTimes>>,
    copies: OnceLock<Vec<CopyGroup>>,
    calls: OnceLock<WindowCalls>,
    classes: OnceLock<Option<StepClasses>>,
    framework: OnceLock<Framework>,
    slices: OnceLock<Option<Slices>>,
    small_copies: OnceLock<Option<SmallCopies>>,
    tried: OnceLock<Tried>,
    step_waits: OnceLock<StepWaits>,
    once: OnceLock<Once>,
    /// For savings.
    pub(super) host_waits: OnceLock<Option<Ns>>,
}

impl<'a> Scene<'a> {
    pub(super) fn new(profile: &'a ProfileContents) -> Self {
        let places = places(profile);
        let windows = profile.windows();
        let iterations = match profile.iterations.key_node {
            Some(_) => u32::try_from(places.len()).unwrap_or(u32::MAX),
            None => 0,
        };
        let numbers = profile.iterations.range().skip(places.start).take(places.len());
        Self {
            profile,
            changes: None,
            span: whole_range(&windows[places.clone()]),
            iterations,
            passes: iterations.saturating_add(profile.iterations.further_passes(numbers)),
            places,
            facts: OnceLock::new(),
            gpu_time: OnceLock::new(),
            kernels: OnceLock::new(),
            own_kernels: OnceLock::new(),
            copies: OnceLock::new(),
            calls: OnceLock::new(),
            classes: OnceLock::new(),
            framework: OnceLock::new(),
            slices: OnceLock::new(),
            small_copies: OnceLock::new(),
            tried: OnceLock::new(),
            step_waits: OnceLock::new(),
            once: OnceLock::new(),
            host_waits: OnceLock::new(),
        }
    }

    /// The same for rules that a user changed.
    pub(super) fn changed_by(self, changes: &'a RuleChanges) -> Self {
        Self { changes: Some(changes), ..self }
    }

    /// The thresholds of a rule of which another one depends; `None` where the user silenced it, so that it says nothing.
    pub(super) fn limits_of(&self, rule: &Rule) -> Option<Limits<'a>> {
        let setting = self.changes.and_then(|changes| changes.get(rule.id));
        (!setting.is_some_and(RuleSetting::is_off)).then(|| Limits::new(setting))
    }

    /// Whether most of what runs does so for the first time: no step repeats, and every second launch or more has a kernel of its
    /// own, or every fourth is of an algorithm that is tried.
    pub(super) fn is_first_pass(&self) -> bool {
        let kernels = self.kernels();
        self.iterations == 0
            && (2 * kernels.kernels.len() as u64 >= kernels.launches
                || 4 * self.tried().all().launches >= kernels.launches)
    }

    /// The waits of the iterations.
    pub(super) fn step_waits(&self) -> &StepWaits {
        self.step_waits.get_or_init(|| {
            let (facts, windows, trials) = (self.facts(), self.call_windows(), &self.tried().spans);
            let by_window = syncs_by_window(facts, &windows, trials);
            let places = wait_places(facts, &windows, &by_window, trials);
            StepWaits { by_window, places }
        })
    }

    /// What the waits of the iterations cost, those that end a step included.
    pub(super) fn wait_costs(&self) -> WaitCosts {
        wait_costs(self.facts(), &self.call_windows(), &self.tried().spans, self.span)
    }

    /// Whether there is enough to look at: iterations, or a GPU span that is not too short.
    pub(super) fn is_long_enough(&self) -> bool {
        self.iterations > 0 || self.span.length() >= SHORTEST_SPAN_NS
    }

    /// What the program is written with, as far as the capture shows.
    pub(super) fn framework(&self) -> Framework {
        *self.framework.get_or_init(|| {
            let capture = &self.profile.capture;
            let names = self.kernels().kernels.iter().map(|kernel| capture.strings.get(kernel.long_name));
            Framework::of(capture.description.mode, names)
        })
    }

    /// Whether advice may name what PyTorch has.
    pub(super) fn is_pytorch(&self) -> bool {
        self.framework() == Framework::PyTorch
    }

    /// Advice about PyTorch, which says that CUDA graphs need PyTorch 1.10 and `torch.compile` PyTorch 2 where the capture may be
    /// older than that: they appeared in October 2021 and March 2023, and nsys says the year in its version.
    pub(super) fn dated(&self, advice: &'static str) -> Sentence {
        const FIRST_YEAR: u32 = 2023;
        let system = &self.profile.capture.system;
        let version = system.recorded_by.as_deref().or(system.nsys_version.as_deref()).unwrap_or_default();
        let year = version.split('.').next().and_then(|year| year.parse::<u32>().ok());
        let needs = match ["CUDA graphs", "torch.compile"].map(|words| advice.contains(words)) {
            _ if year.is_some_and(|year| year >= FIRST_YEAR) => return advice.into(),
            [true, true] => {
                "CUDA graphs need PyTorch 1.10 or later, `torch.compile` needs PyTorch 2 or later"
            }
            [_, true] => "`torch.compile` needs PyTorch 2 or later",
            [..] => return advice.into(),
        };
        Sentence::new("{} ({})", vec![Figure::Text(advice.into()), Figure::Text(needs.into())])
    }

    /// The number of the iteration at a place.
    pub(super) fn iteration(&self, place: usize) -> u32 {
        self.profile.iteration_of_window(place)
    }

    /// The facts of the capture, with the class of every name.
    pub(super) fn facts(&self) -> &Classified<'a> {
        let settings = &self.profile.settings().activity;
        self.facts.get_or_init(|| Classified::new(Activity::of(&self.profile.capture), settings))
    }

    /// The figures of all iterations.
    pub(super) fn figures(&self) -> &IterationFigures {
        self.profile.iteration_figures_by(|compute| compute(self.facts()))
    }

    /// What each GPU did in each aggregated iteration.
    pub(super) fn gpu_times(&self) -> &GpuTimes {
        self.figures();
        self.profile.gpu_times()
    }

    /// What the used GPUs did, summed up.
    pub(super) fn gpu_time(&self) -> &GpuTime {
        self.gpu_time.get_or_init(|| self.sum_over(self.places.clone()))
    }

    /// What the used GPUs did in some of the aggregated iterations, summed up.
    pub(super) fn sum_over(&self, places: Range<usize>) -> GpuTime {
        let times = self.gpu_times();
        let mut sum = GpuTime::default();
        places.for_each(|place| sum.merge(&times.of_used(place)));
        sum
    }

    /// Number of used GPUs.
    pub(super) fn used_gpus(&self) -> usize {
        self.gpu_times().used_gpus()
    }

    /// A time of all used GPUs as a share of their length.
    pub(super) fn share(&self, ns: Ns) -> f64 {
        percent(ns, self.gpu_time().length_ns)
    }

    /// Idle time of some causes, of all used GPUs.
    pub(super) fn idle(&self, causes: &[Cause]) -> Ns {
        self.gpu_time().idle.of_all(causes)
    }

    /// The same of one cause, without what is done once.
    pub(super) fn lasting_idle(&self, cause: Cause) -> Ns {
        (self.idle(&[cause]) - self.once().of(cause)).max(0)
    }

    /// A time of all used GPUs, on average over them: what it takes of the run.
    pub(super) fn per_gpu(&self, ns: Ns) -> Ns {
        ns / Ns::try_from(self.used_gpus().max(1)).unwrap_or(1)
    }

    /// How the time divides into step classes; `None` without a used GPU.
    pub(super) fn classes(&self) -> Option<&StepClasses> {
        let of_place = |place| self.gpu_times().classes(place);
        let sum = || {
            let mut classes = self.places.clone().filter_map(of_place);
            let mut sum = classes.next()?;
            classes.for_each(|step| sum.merge(&step));
            Some(sum)
        };
        self.classes.get_or_init(sum).as_ref()
    }

    /// Whether kernels take enough of the time that it matters what they do.
    pub(super) fn kernels_matter(&self) -> bool {
        let time = self.gpu_time();
        time.length_ns > 0 && self.share(time.compute_ns) >= LEAST_COMPUTE_PERCENT
    }

    /// Kernels by name.
    pub(super) fn kernels(&self) -> &KernelTimes {
        self.figures();
        self.kernels.get_or_init(|| KernelTimes::new(self.profile, self.places.clone()))
    }

    /// The same without algorithms that are tried and what checks them: what every pass launches.
    pub(super) fn own_kernels(&self) -> &KernelTimes {
        let own = || {
            let (all, tried) = (self.kernels(), self.tried().kernels());
            let are_some = tried.len() > 0 || all.launches_of(KernelClass::Autotuning) > 0;
            are_some.then(|| all.without(self.profile, tried, KernelClass::Autotuning))
        };
        self.own_kernels.get_or_init(own).as_ref().unwrap_or_else(|| self.kernels())
    }

    /// What shares of the time of these kernels are of, in words.
    pub(super) fn own_kernel_time(&self) -> Figure {
        let words = match self.own_kernels().launches == self.kernels().launches {
            true => "kernel time",
            false => "kernel time without algorithms that are tried",
        };
        Figure::Text(words.to_owned())
    }

    /// These kernels in words.
    pub(super) fn own_kernels_in_words(&self) -> Figure {
        let words = match self.own_kernels().launches == self.kernels().launches {
            true => "kernels",
            false => "kernels other than algorithms that are tried",
        };
        Figure::Text(words.to_owned())
    }

    /// With the launches and the time of algorithms that are tried: tables of kernels list them, and these kernels leave them out.
    pub(super) fn beside_tried(&self, finding: Finding) -> Finding {
        let (all, own) = (self.kernels(), self.own_kernels());
        match all.launches - own.launches {
            0 => finding,
            tried => finding.count("tried_launches", tried).time("tried_ns", all.time_ns - own.time_ns),
        }
    }

    /// Time slices of other work inside kernels; `None` without any.
    pub(super) fn slices(&self) -> Option<&Slices> {
        self.slices.get_or_init(|| slices(self.profile, &self.places, self.copies())).as_ref()
    }

    /// Many small copies of one size; `None` without such.
    pub(super) fn small_copies(&self) -> Option<&SmallCopies> {
        let find = || small_copies(self.facts(), self.span, self.iterations, |copy| !self.is_trial(copy));
        self.small_copies.get_or_init(find).as_ref()
    }

    /// Kernels of algorithms that are tried.
    pub(super) fn tried(&self) -> &Tried {
        self.tried.get_or_init(|| self.tried_in(self.kernels(), &self.places))
    }

    fn tried_in(&self, kernels: &KernelTimes, places: &Range<usize>) -> Tried {
        let has = |class: KernelClass| kernels.launches_of(class) > 0;
        let may_try =
            has(KernelClass::Autotuning) || has(KernelClass::Convolution) && waits_for_events(self.facts());
        if may_try { tried(self.profile, self.facts(), places) } else { Tried::default() }
    }

    /// Whether algorithms are tried anywhere in the capture, so that the program has chosen the fastest.
    pub(super) fn has_tuned(&self) -> bool {
        let kernels = || all::<WorkId>(self.profile.capture.counts().kernels);
        let checks = |kernel: WorkId| self.profile.judge_kernel(kernel).classes.has(KernelClass::Autotuning);
        let is_timed = || {
            waits_for_events(self.facts()) && !timed_trials(self.profile, self.facts(), kernels()).is_empty()
        };
        kernels().any(checks) || is_timed()
    }

    /// Whether the call of a piece of GPU work, given by its row, belongs to trying algorithms.
    pub(super) fn is_trial(&self, item: usize) -> bool {
        let of_trial = |call: Call| self.tried().is_open(call.thread, call.span.start);
        self.facts().call_of(item).is_some_and(of_trial)
    }

    /// Idle time of work that is done once.
    pub(super) fn once(&self) -> &Once {
        self.once.get_or_init(|| self.once_in(self.places.clone()))
    }

    /// The same in some of the aggregated iterations, given as places.
    pub(super) fn once_in(&self, places: Range<usize>) -> Once {
        let time = self.sum_over(places.clone());
        let other = (places != self.places)
            .then(|| self.tried_in(&KernelTimes::new(self.profile, places.clone()), &places));
        let trials = &other.as_ref().unwrap_or_else(|| self.tried()).spans;
        once_in(self.profile, self.facts(), &time, places, trials)
    }

    /// Copies and memsets by kind, memory and mode.
    pub(super) fn copies(&self) -> &[CopyGroup] {
        self.copies.get_or_init(|| copies(self.facts(), self.span, |_| true))
    }

    /// The same without those that belong to trying algorithms.
    pub(super) fn own_copies(&self) -> Cow<'_, [CopyGroup]> {
        match self.tried().spans.iter().all(Vec::is_empty) {
            true => self.copies().into(),
            false => copies(self.facts(), self.span, |copy| !self.is_trial(copy)).into(),
        }
    }

    /// The calls of the iterations.
    pub(super) fn calls(&self) -> &WindowCalls {
        self.calls.get_or_init(|| {
            let mut sum = WindowCalls::default();
            self.calls_by_iteration().iter().for_each(|calls| sum.merge(calls));
            sum
        })
    }

    /// The calls of each of the iterations.
    pub(super) fn calls_by_iteration(&self) -> &[WindowCalls] {
        self.figures();
        &self.profile.window_calls()[self.places.clone()]
    }

    /// The iterations on the clock of the CPU, by which calls belong to them.
    pub(super) fn call_windows(&self) -> Vec<Span> {
        let mut windows = self.profile.call_windows();
        windows.truncate(self.places.end);
        windows.split_off(self.places.start)
    }

    /// Number of threads that wait for the GPU; 1 without any.
    pub(super) fn waiting_threads(&self) -> Ns {
        let (facts, inside) = (self.facts(), self.call_span());
        let waits = facts.activity().counted_calls().filter(|&(call, span)| {
            inside.start <= span.start
                && span.start < inside.end
                && facts.function(call).class == ApiClass::Sync
        });
        let threads: BTreeSet<ThreadId> =
            waits.map(|(call, _)| facts.activity().api_calls.thread[call]).collect();
        Ns::try_from(threads.len().max(1)).unwrap_or(1)
    }

    /// Whether most bytes from or to pageable memory are of copies that are made once, as those that move a model to a GPU:
    /// no step repeats, and no copy of the same kind and size comes again once kernels have run.
    pub(super) fn copies_once(&self, used: &PageableUse) -> bool {
        self.iterations == 0 && 2 * used.repeated_bytes < used.bytes
    }

    /// How copies use pageable memory, without those that belong to trying algorithms.
    pub(super) fn pageable_use(&self) -> PageableUse {
        pageable_use(self.facts(), self.span, |copy| !self.is_trial(copy))
    }

    /// Their time on the clock of the CPU.
    pub(super) fn call_span(&self) -> Span {
        whole_range(&self.call_windows())
    }

    /// The GPUs that have work.
    pub(super) fn used_devices(&self) -> impl Iterator<Item = DeviceId> + '_ {
        let times = self.gpu_times();
        (0..self.profile.capture.devices.len()).filter(|&device| times.is_used(device)).map(DeviceId::new)
    }

    /// Whether a GPU with work may have Tensor Cores: not where all are boards that were made without.
    pub(super) fn has_tensor_cores(&self) -> bool {
        let lacks = |device: DeviceId| {
            let device = self.profile.device_facts(device);
            lacks_tensor_cores(device.name.as_deref().unwrap_or_default(), device.compute_capability)
        };
        let mut used = self.used_devices().peekable();
        used.peek().is_none() || used.any(|device| !lacks(device))
    }

    /// API functions of a class that the iterations call, those with most time first.
    pub(super) fn functions_of(&self, class: ApiClass) -> Vec<String> {
        const MOST: usize = 5;
        let mut calls = calls_by_function(self.facts(), self.call_span(), &[class]);
        let name = |calls: &FunctionCalls| self.profile.capture.strings.get(calls.function);
        calls.sort_by(|a, b| b.sum.time_ns.cmp(&a.sum.time_ns).then_with(|| name(a).cmp(name(b))));
        calls.iter().take(MOST).map(|calls| name(calls).to_owned()).collect()
    }

    /// The part of a sum over all aggregated iterations that belongs to those that findings are about, if all are alike.
    pub(super) fn of_all_iterations(&self, ns: Ns) -> Ns {
        match self.passes {
            0 => ns,
            own => part(ns, f64::from(own) / f64::from(self.profile.iterations.passes().max(own))),
        }
    }

    /// The GPU on which the kernels of a class take most time.
    pub(super) fn device_of(&self, class: KernelClass) -> Option<DeviceId> {
        let mut by_device: BTreeMap<DeviceId, Ns> = BTreeMap::new();
        for grid in self.own_kernels().of(class).flat_map(|kernel| &kernel.grids) {
            let sum = by_device.entry(grid.device).or_default();
            *sum = sum.saturating_add(grid.time_ns);
        }
        by_device.into_iter().rev().max_by_key(|&(_, ns)| ns).map(|(device, _)| device)
    }

    /// All aggregated iterations as places, without what lies before the first where there is more.
    pub(super) fn range_without_before(&self) -> Range<usize> {
        let iterations = &self.profile.iterations;
        let all = iterations.range().len();
        let has_before = iterations.start == 0 && all > 1 && iterations.key_node.is_some();
        usize::from(has_before)..all
    }

    /// What stands behind a count per iteration; nothing without iterations.
    pub(super) fn each(&self) -> Figure {
        Figure::Text(if self.iterations > 0 { " per iteration".into() } else { String::new() })
    }

    /// A count per iteration, every pass of an unsplit one by itself; the count itself without iterations.
    pub(super) fn per_iteration(&self, count: u64) -> f64 {
        count_to_f64(count) / f64::from(self.passes.max(1))
    }
}

/// The iterations that findings are about, as places among the aggregated ones.
fn places(profile: &ProfileContents) -> Range<usize> {
    let iterations = &profile.iterations;
    let all = iterations.start..iterations.stop + 1;
    let place = |iteration: u32| (iteration - all.start) as usize;
    let steady = iterations.steady_range().map(|(first, last)| {
        let first = first.max(all.start);
        (first, last.min(all.end - 1))
    });
    if let Some((first, last)) = steady
        && last >= first + 2
    {
        return place(first)..place(last) + 1;
    }
    // Without steady iterations: all but those before the step repeats as it will.
    let is_start = |number: &u32| {
        let state = iterations.states.get(*number as usize);
        iterations.key_node.is_some()
            && matches!(state, Some(IterationState::Before | IterationState::WarmUp))
    };
    let skipped = all.clone().take_while(is_start).count();
    let skipped = if skipped < all.len() { skipped } else { 0 };
    skipped..place(all.end)
}

/// A part of a whole that is not whole.
pub(super) fn part(ns: Ns, factor: f64) -> Ns {
    crate::base::ratios::rounded(to_f64(ns) * factor)
}

/// A GPU span below this says nothing.
const SHORTEST_SPAN_NS: Ns = 1_000_000;

/// Kernels below this share are not what the time goes to.
const LEAST_COMPUTE_PERCENT: f64 = 5.0;
