//! What rules look at: the figures of a profile over the iterations that findings are about.
//!
//! These are the steady stretch as far as it is aggregated, if that is three iterations or more, else all of them without
//! iteration 0 and those that warm up. Where iterations take longer from one to the next, they are all of these that are
//! aggregated.
//! Without iterations it is the GPU span.

mod host;
mod kernels;
mod seen;

pub(in crate::advice) use seen::Seen;

use crate::advice::framework::Framework;
use crate::advice::kernels::KernelTimes;
use crate::advice::markers::markers_idle_ns;
use crate::advice::once::{Once, once_in};
use crate::advice::rule_setting::{RuleChanges, RuleSetting};
use crate::advice::sentence::{Figure, Sentence};
use crate::advice::verdict::WORTH_PERCENT;
use crate::base::diagnostics::{Diagnostic, DiagnosticCode};
use crate::base::ratios::{count_to_f64, percent, to_f64};
use crate::base::time::{Ns, Span};
use crate::capture::classified::{Activity, Cause, Classified};
use crate::figures::activity::{GpuTime, GpuTimes, StepClasses, Verdict, whole_range};
use crate::figures::profile::{IterationFigures, ProfileContents};
use crate::read::facts::Vendor;
use crate::replay::Bounds;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// The figures that rules share.
pub(super) struct Scene<'a> {
    /// The profile.
    pub(super) profile: &'a ProfileContents,
    /// What a user changed about rules; `None` where no rule is applied.
    changes: Option<&'a RuleChanges>,
    /// How short one of the iterations can become; `None` where that is not known.
    bounds: Option<Bounds>,
    /// The iterations that findings are about, as places among the aggregated ones.
    pub(super) places: Range<usize>,
    /// Their time, on the clock in force.
    pub(super) span: Span,
    /// Whether the verdict of other iterations leaves these out.
    pub(super) is_left_out: bool,
    /// Number of iterations; 0 if none were found.
    pub(super) iterations: u32,
    /// How often the step runs in them: an unsplit iteration holds several passes of it. 0 if no iterations were found.
    pub(super) passes: u32,
    facts: OnceLock<Classified<'a>>,
    /// What is costly.
    pub(super) seen: Arc<Seen>,
}

impl<'a> Scene<'a> {
    pub(super) fn new(profile: &'a ProfileContents) -> Self {
        Self::sharing(profile, Arc::default())
    }

    /// The same with what earlier scenes of the profile saw.
    pub(super) fn sharing(profile: &'a ProfileContents, seen: Arc<Seen>) -> Self {
        let (first, numbers) = (profile.iterations.start, profile.iterations.judged());
        let places = (numbers.start - first) as usize..(numbers.end - first) as usize;
        let windows = profile.windows();
        let iterations = match profile.iterations.key_node {
            Some(_) => u32::try_from(places.len()).unwrap_or(u32::MAX),
            None => 0,
        };
        Self {
            profile,
            changes: None,
            bounds: None,
            is_left_out: false,
            span: whole_range(&windows[places.clone()]),
            iterations,
            passes: iterations.saturating_add(profile.iterations.further_passes(numbers)),
            places,
            facts: OnceLock::new(),
            seen,
        }
    }

    /// The same of iterations that the verdict of others leaves out.
    pub(super) fn left_out(self) -> Self {
        Self { is_left_out: true, ..self }
    }

    /// The same for rules that a user changed.
    pub(super) fn changed_by(self, changes: &'a RuleChanges) -> Self {
        Self { changes: Some(changes), ..self }
    }

    /// The same with how short one of the iterations can become.
    pub(super) fn bounded_by(self, bounds: Option<Bounds>) -> Self {
        Self { bounds, ..self }
    }

    /// What a user changed about the rule with this name.
    pub(super) fn setting_of(&self, rule: &str) -> Option<&'a RuleSetting> {
        self.changes.and_then(|changes| changes.get(rule))
    }

    /// Whether most of what runs does so for the first time: no step repeats, and every second launch or more has a kernel of its
    /// own, or every fourth is of an algorithm that is tried.
    pub(super) fn is_first_pass(&self) -> bool {
        let kernels = self.kernels();
        self.iterations == 0
            && (2 * kernels.kernels.len() as u64 >= kernels.launches
                || 4 * self.tried().all().launches >= kernels.launches)
    }

    /// Whether there is enough to look at: iterations, or a GPU span that is not too short.
    pub(super) fn is_long_enough(&self) -> bool {
        self.iterations > 0 || self.span.length() >= SHORTEST_SPAN_NS
    }

    /// What the program is written with, as far as the capture shows.
    pub(super) fn framework(&self) -> Framework {
        *self.seen.framework.get_or_init(|| {
            let capture = &self.profile.capture;
            let names = self.kernels().kernels.iter().map(|kernel| capture.strings.get(kernel.long_name));
            Framework::of(capture.description.mode, names)
        })
    }

    /// Whether the program is written in Python, as its kernels or its command tell.
    pub(super) fn is_python(&self) -> bool {
        let program = self.profile.capture.notes.command.first().map(String::as_str).unwrap_or_default();
        let name = program.rsplit('/').next().unwrap_or_default();
        self.framework().is_python() || name.starts_with("python") || name.ends_with(".py")
    }

    /// Who makes the GPUs.
    pub(super) fn vendor(&self) -> Vendor {
        self.profile.capture.recorder.vendor
    }

    /// Whether a page is about GPUs of this maker, or of any.
    pub(super) fn fits_link(&self, link: &str) -> bool {
        self.vendor() == Vendor::Nvidia || !(link.contains("nvidia.com") || link.contains("cuda"))
    }

    /// What people call the units that multiply matrices.
    pub(super) fn matrix_units(&self) -> Figure {
        Figure::Text(self.vendor().matrix_units().to_owned())
    }

    /// Whether advice may name what PyTorch has.
    pub(super) fn is_pytorch(&self) -> bool {
        self.framework() == Framework::PyTorch
    }

    /// Advice about PyTorch, which says that CUDA graphs need PyTorch 1.10 and `torch.compile` PyTorch 2 where the capture may
    /// be older than that: they appeared in October 2021 and March 2023, and nsys says the year in its version.
    pub(super) fn dated(&self, advice: &'static str) -> Sentence {
        let (false, year) = (self.is_recent(), self.year()) else { return advice.into() };
        let needs = match ["CUDA graphs", "torch.compile"].map(|words| advice.contains(words)) {
            [true, true] => {
                "CUDA graphs need PyTorch 1.10 or later, `torch.compile` needs PyTorch 2 or later"
            }
            [_, true] => "`torch.compile` needs PyTorch 2 or later",
            [..] => return advice.into(),
        };
        let mut figures = vec![Figure::Text(advice.into()), Figure::Text(needs.into())];
        match year {
            Some(year) => {
                figures.push(Figure::Count(year.into()));
                Sentence::new("{} ({}: after an upgrade, if PyTorch is of {} as nsys is)", figures)
            }
            None => Sentence::new("{} ({})", figures),
        }
    }

    /// Whether the capture is of 2023 or later, so that PyTorch may be 2.
    pub(super) fn is_recent(&self) -> bool {
        const FIRST_YEAR: u32 = 2023;
        // PyTorch 2.4 and later write times from a base.
        self.profile.capture.kineto.as_ref().is_some_and(|notes| notes.base_ns.is_some())
            || self.year().is_some_and(|year| year >= FIRST_YEAR)
    }

    /// The year of the version of nsys that recorded.
    fn year(&self) -> Option<u32> {
        let system = &self.profile.capture.system;
        let version = system.recorded_by.as_deref().or(system.nsys_version.as_deref())?;
        version.split('.').next()?.parse().ok()
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
        self.seen.gpu_time.get_or_init(|| self.sum_over(self.places.clone()))
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
        self.seen.classes.get_or_init(sum).as_ref()
    }

    /// What limits the steps: the largest class besides the GPU's where it takes a fifth of them. Where a faster host would shorten them
    /// more than shorter GPU work would, it is what GPUs mostly wait for, however little; where input at once would shorten them more than
    /// both, it is the input.
    pub(super) fn verdict(&self, classes: &StepClasses) -> Verdict {
        let is_for_input = |bounds: Bounds| {
            let (gpu, host, input) = (bounds.gpu_percent(), bounds.host_percent(), bounds.input_percent());
            input > gpu.max(host) && input >= WORTH_PERCENT
        };
        if self.bounds.is_some_and(is_for_input) {
            return Verdict::Input;
        }
        let is_for_host = |bounds: Bounds| {
            let (gpu, host) = (bounds.gpu_percent(), bounds.host_percent());
            host > gpu && host >= WORTH_PERCENT
        };
        match classes.verdict() {
            Verdict::Gpu if self.bounds.is_some_and(is_for_host) => classes.largest_wait(),
            verdict => verdict,
        }
    }

    /// Whether the host paces GPUs that are busy most of the time: nothing they wait for takes a fifth of it, and shorter GPU work
    /// would shorten the steps less than a faster host.
    pub(super) fn is_paced(&self, classes: &StepClasses) -> bool {
        classes.verdict() != self.verdict(classes)
    }

    /// Whether shorter GPU work would shorten the steps by hardly anything.
    pub(super) fn saves_no_gpu_time(&self) -> bool {
        self.bounds.is_some_and(|bounds| bounds.gpu_percent() < WORTH_PERCENT)
    }

    /// Whether GPUs compute for longer than what the verdict names takes, so that shorter kernels would save more.
    pub(super) fn limits_as_well(&self, classes: &StepClasses) -> bool {
        let other_ns = match self.verdict(classes) {
            _ if self.is_paced(classes) => return false,
            Verdict::Gpu | Verdict::Unexplained => return false,
            Verdict::Input => classes.input_ns,
            Verdict::Communication => classes.communication_ns,
            Verdict::Copy => classes.copy_ns,
            Verdict::Cpu => classes.cpu_ns + classes.sync_ns,
        };
        let other = percent(other_ns, classes.length_ns);
        classes.gpu_ns > other_ns && self.bounds.is_none_or(|bounds| bounds.kernels_percent() > other)
    }

    /// The program, or nsys, said that the program failed: what was recorded may be a small part of its work.
    pub(super) fn has_failed(&self) -> bool {
        let is_failure = |found: &Diagnostic| found.code == DiagnosticCode::ProgramFailed;
        self.iterations == 0 && self.profile.diagnostics.iter().any(is_failure)
    }

    /// What a share of the time is of, in words.
    pub(super) fn time_in_words(&self) -> Figure {
        Figure::Text(if self.has_failed() { "GPU span before the program failed" } else { "time" }.to_owned())
    }

    /// Idle time of the used GPUs while markers of DLProf hold up the thread that launches.
    pub(super) fn markers_idle_ns(&self) -> Ns {
        let find = || markers_idle_ns(self.profile, &self.places);
        *self.seen.markers_idle_ns.get_or_init(find)
    }

    /// Idle time of work that is done once.
    pub(super) fn once(&self) -> &Once {
        self.seen.once.get_or_init(|| self.once_in(self.places.clone()))
    }

    /// The same in all aggregated iterations.
    pub(super) fn once_in_range(&self) -> &Once {
        let all = self.range_without_before();
        match all == self.places {
            true => self.once(),
            false => self.seen.once_in_range.get_or_init(|| self.once_in(all)),
        }
    }

    /// The same in some of the aggregated iterations, given as places.
    fn once_in(&self, places: Range<usize>) -> Once {
        let time = self.sum_over(places.clone());
        let other = (places != self.places)
            .then(|| self.tried_in(&KernelTimes::new(self.profile, places.clone()), &places));
        let trials = &other.as_ref().unwrap_or_else(|| self.tried()).spans;
        once_in(self.profile, self.facts(), &time, places, trials)
    }

    /// The part of a sum over all aggregated iterations that belongs to those that findings are about, if all are alike.
    pub(super) fn of_all_iterations(&self, ns: Ns) -> Ns {
        match self.passes {
            0 => ns,
            own => part(ns, f64::from(own) / f64::from(self.profile.iterations.passes().max(own))),
        }
    }

    /// All aggregated iterations as places, without what lies before the first where there is more.
    pub(super) fn range_without_before(&self) -> Range<usize> {
        let iterations = &self.profile.iterations;
        let all = iterations.range().len();
        let has_before = iterations.start == 0 && all > 1 && iterations.key_node.is_some();
        usize::from(has_before)..all
    }

    /// What stands after a count per iteration; nothing without iterations.
    pub(super) fn each(&self) -> Figure {
        Figure::Text(if self.iterations > 0 { " per iteration".into() } else { String::new() })
    }

    /// A count per iteration, every pass of an unsplit one by itself; the count itself without iterations.
    pub(super) fn per_iteration(&self, count: u64) -> f64 {
        count_to_f64(count) / f64::from(self.passes.max(1))
    }
}

/// A part of a whole that is not whole.
pub(super) fn part(ns: Ns, factor: f64) -> Ns {
    crate::base::ratios::rounded(to_f64(ns) * factor)
}

/// A GPU span below this says nothing.
const SHORTEST_SPAN_NS: Ns = 1_000_000;
