//! Which part of the time line a figure is about: the one rule for all figures.
//!
//! API calls belong to the iteration in which they start. Durations and shares need windows in which the *work* runs. There
//! are two clocks:
//!
//! ```text
//! calls        │1 1 1│2 2 2│3 3 3│            CPU clock: from one execution of the key node to the next
//! GPU              ▒1▒▒▒▒▒▒▒▒▒▒▒▒▒▒2▒▒▒▒▒▒▒▒▒▒▒▒▒▒3▒▒▒▒▒▒▒▒▒▒▒▒
//! GPU clock       │─────1───────│──────2──────│──────3──────│
//! ```
//!
//! Mostly launches run ahead of the GPU by the same time in every iteration, and the windows of both clocks are equally
//! long. Where more work is launched than fits, the CPU's rhythm is not that of the work. With
//!
//! ```text
//! W = sum over the used GPUs of the length of the union of the items whose call starts in the range
//! L = number of used GPUs × sum of the lengths of the iterations on the clock of the CPU
//! ```
//!
//! the clock is the GPU's if W > 1.1 × L, else the CPU's. For L the last iteration ends with its last launching call: its
//! GPU work must not hide how fast it was issued.
//!
//! It is also the GPU's where launches run ahead unevenly, so that windows of the CPU cut equal work unequally: where the median
//! absolute deviation of the durations is over 5 % of their median on the clock of the CPU, less than half of that on the clock
//! of the GPU, and every iteration launched work. What is before, cut, outside or untraced does not count.
//!
//! Without iterations the window is the GPU span, from the first GPU item to the end of the last; by default it begins after
//! ranges that are named after start-up.

use crate::base::ids::DeviceId;
use crate::base::intervals::union_of;
use crate::base::ordered::Cursor;
use crate::base::ratios::relative_deviation;
use crate::base::time::{Ns, Span};
use crate::capture::{Capture, CaptureContents};
use crate::steps::index::{IndexContents, ResourceSplit, Resources};
use crate::steps::iterate::{ClockChoice, FEWEST, FigureRules, IterationState, RangeChoice};

/// A clock on which windows are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// Iterations begin when their calls do.
    Cpu,
    /// Iterations begin when their GPU work does.
    Gpu,
}

impl Clock {
    /// The word for reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Gpu => "gpu",
        }
    }
}

/// The windows of all iterations, and the GPUs whose shares are averaged.
#[derive(Debug, Clone)]
pub struct Windows {
    /// The clock in force.
    pub clock: Clock,
    /// Whose rules made them.
    pub rules: FigureRules,
    /// The GPUs that count: those used, or by DLProf's rules all of the machine.
    pub gpus: usize,
    /// GPUs with at least one item in the capture.
    pub used: Vec<DeviceId>,
    /// Boundaries on the clock in force, one more than iterations.
    boundaries: Vec<Ns>,
    /// Boundaries on the clock of the CPU.
    cpu_boundaries: Vec<Ns>,
}

impl Windows {
    /// The windows that a choice means, for a range of iterations.
    pub(super) fn new(
        index: &IndexContents,
        first: u32,
        last: u32,
        choice: &RangeChoice,
        states: &[IterationState],
    ) -> Self {
        let iterations = &index.iterations;
        let used = Self::used_gpus(&index.capture);
        if choice.rules == FigureRules::Dlprof {
            let boundaries = iterations.boundaries.clone();
            return Self {
                clock: Clock::Cpu,
                rules: choice.rules,
                gpus: index.split.gpus,
                used,
                cpu_boundaries: boundaries.clone(),
                boundaries,
            };
        }
        let mut windows = Self {
            clock: Clock::Cpu,
            rules: choice.rules,
            gpus: used.len().max(1),
            used,
            cpu_boundaries: iterations.window_boundaries(),
            boundaries: Vec::new(),
        };
        if iterations.key_node.is_none() {
            let Span { start, end } = index.gpu_span;
            let start_up = iterations.inner_boundaries().iter().map(|&at| at.clamp(start, end));
            windows.boundaries = [start].into_iter().chain(start_up).chain([end]).collect();
            windows.cpu_boundaries = windows.boundaries.clone();
            return windows;
        }
        let gpu_boundaries = iterations.gpu_boundaries(&index.launched);
        windows.clock = match (&gpu_boundaries, choice.clock) {
            (None, _) | (_, ClockChoice::Cpu) => Clock::Cpu,
            (_, ClockChoice::Gpu) => Clock::Gpu,
            (Some(on_gpu), ClockChoice::Auto) => match windows.is_steadier(on_gpu, index, states) {
                true => Clock::Gpu,
                false => windows.best_clock(index, first, last),
            },
        };
        windows.boundaries = match (windows.clock, gpu_boundaries) {
            (Clock::Gpu, Some(boundaries)) => boundaries,
            _ => windows.cpu_boundaries.clone(),
        };
        windows
    }

    /// GPUs with at least one item.
    pub(super) fn used_gpus(capture: &CaptureContents) -> Vec<DeviceId> {
        let mut is_used = vec![false; capture.devices.len()];
        for device in &capture.work.device {
            is_used[device.index()] = true;
        }
        (0..is_used.len()).filter(|&at| is_used[at]).map(DeviceId::new).collect()
    }

    /// Start and end of an iteration on the clock in force.
    #[must_use]
    pub fn span(&self, iteration: u32) -> Span {
        span(&self.boundaries, iteration)
    }

    /// Start and end of an iteration on the clock of the CPU.
    #[must_use]
    pub fn cpu_span(&self, iteration: u32) -> Span {
        span(&self.cpu_boundaries, iteration)
    }

    /// Boundaries of the iterations on the clock in force, one more than iterations.
    #[must_use]
    pub fn boundaries(&self) -> &[Ns] {
        &self.boundaries
    }

    /// Boundaries of the iterations on the clock of the CPU, one more than iterations.
    #[must_use]
    pub(crate) fn cpu_boundaries(&self) -> &[Ns] {
        &self.cpu_boundaries
    }

    /// A window by class, summed over the GPUs that count.
    #[must_use]
    pub fn resources(&self, split: &ResourceSplit, window: Span) -> Resources {
        if self.rules == FigureRules::Dlprof {
            return split.of_all(window);
        }
        if self.used.is_empty() {
            return split.of_all(window).average(split.gpus);
        }
        split.of_used(window)
    }

    /// Whether launches run ahead so unevenly that windows of the CPU cut equal work unequally: durations deviate much on the
    /// clock of the CPU, and not half as much on that of the GPU.
    fn is_steadier(&self, on_gpu: &[Ns], index: &IndexContents, states: &[IterationState]) -> bool {
        let is_judged = |at: &usize| {
            use IterationState::{Before, Cut, Outside, Untraced};
            !matches!(states[*at], Before | Cut | Outside | Untraced)
        };
        let judged: Vec<usize> = (0..states.len()).filter(is_judged).collect();
        let launched_work = |&at: &usize| index.launched.first_start[..][at] < Ns::MAX;
        if judged.len() < FEWEST || !judged.iter().all(launched_work) {
            return false;
        }
        let deviation = |boundaries: &[Ns]| {
            let lengths: Vec<Ns> = judged.iter().map(|&at| boundaries[at + 1] - boundaries[at]).collect();
            relative_deviation(&lengths)
        };
        let (cpu, gpu) = (deviation(&self.cpu_boundaries), deviation(on_gpu));
        cpu > LEAST_DEVIATION && gpu < cpu / 2.0
    }

    /// The clock on which the work of a range runs.
    fn best_clock(&self, index: &IndexContents, first: u32, last: u32) -> Clock {
        let range = first as usize..last as usize + 1;
        let length: Ns = (first..=last).map(|iteration| self.issuing_ns(index, iteration)).sum();
        let gpus = Ns::try_from(self.gpus).unwrap_or(Ns::MAX);
        let available = i128::from(length) * i128::from(gpus) * 11;
        let is_more = |work: i128| work * 10 > available;
        // Two bounds of the union that cost nothing: the plain sum, and the time from the first item to the last on every GPU.
        let launched = &index.launched;
        let sum: Ns = launched.gpu[..][range.clone()].iter().sum();
        let from = launched.first_start[..][range.clone()].iter().min().copied().unwrap_or(0);
        let to = launched.last_end[..][range].iter().max().copied().unwrap_or(0);
        let bound = i128::from(sum).min((i128::from(to) - i128::from(from)) * i128::from(gpus));
        let covered = || covered_by_work(&index.capture, &index.iterations.boundaries, first, last);
        if is_more(bound) && is_more(covered().into()) { Clock::Gpu } else { Clock::Cpu }
    }

    /// How long the CPU took to issue an iteration.
    fn issuing_ns(&self, index: &IndexContents, iteration: u32) -> Ns {
        let span = self.cpu_span(iteration);
        let iterations = &index.iterations;
        let next = iteration + 1;
        let ends_run = next == iterations.total() || iterations.is_outside(next);
        let last_call = index.launched.last_call_end[..][iteration as usize];
        match ends_run && last_call > Ns::MIN && !iterations.is_outside(iteration) {
            true => last_call.clamp(span.start, span.end) - span.start,
            false => span.length(),
        }
    }
}

/// A clock on which durations deviate less is steady enough.
const LEAST_DEVIATION: f64 = 0.05;

fn span(boundaries: &[Ns], iteration: u32) -> Span {
    let at = iteration as usize;
    Span::new(boundaries[at], boundaries[at + 1])
}

/// Lengths of the unions of the items of each GPU whose calls start in a range, added up.
fn covered_by_work(capture: &Capture, boundaries: &[Ns], first: u32, last: u32) -> Ns {
    let mut iteration = Cursor::new(&boundaries[1..boundaries.len() - 1]);
    let mut devices: Vec<_> = capture.devices.iter().map(|_| capture.memory.buffer(0)).collect();
    for work in capture.work_ids() {
        let Some(call) = capture.launches.api[work].some() else { continue };
        let at = iteration.at_or_before(capture.api_calls.span[call].start);
        if (first as usize..=last as usize).contains(&at) {
            devices[capture.work.device[work].index()].push(capture.work.span[work]);
        }
    }
    let union = |spans: crate::columns::Buffer<Span>| union_of(&capture.memory, spans.iter().copied());
    devices.into_iter().map(|spans| union(spans).iter().map(|span| span.length()).sum::<Ns>()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::iterate::KeyNodeChoice;
    use crate::tests::drawn::Drawn;

    /// Four steps of 10 ns, each of which launches a kernel of some length; kernels follow each other.
    fn steps(kernel_ns: Ns) -> Drawn {
        let mut drawn = Drawn::new();
        for step in 0..4 {
            let (start, kernel) = (100 + step * 10, 105 + step * kernel_ns.max(10));
            drawn.range("step", start..start + 8);
            drawn.launch(start + 1..start + 2, "k", kernel..kernel + kernel_ns);
        }
        drawn
    }

    fn windows(drawn: Drawn, choice: RangeChoice) -> Windows {
        let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
        index.profile(&choice).expect("a profile").iterations.windows.clone()
    }

    fn spans(windows: &Windows, cpu: bool) -> Vec<(Ns, Ns)> {
        let span = |at| if cpu { windows.cpu_span(at) } else { windows.span(at) };
        (1..5).map(span).map(|span| (span.start, span.end)).collect()
    }

    const STEPS: RangeChoice = RangeChoice {
        iter_start: Some(1),
        iter_stop: Some(4),
        otherwise: crate::steps::iterate::DefaultRange::All,
        clock: ClockChoice::Auto,
        rules: FigureRules::Ours,
        batch_size: None,
    };

    #[test]
    fn work_that_does_not_fit_is_on_the_clock_of_the_gpu() {
        let ahead = windows(steps(50), STEPS);
        assert_eq!(ahead.clock, Clock::Gpu);
        assert_eq!(spans(&ahead, false), [(105, 155), (155, 205), (205, 255), (255, 305)]);
        assert_eq!(spans(&ahead, true), [(100, 110), (110, 120), (120, 130), (130, 305)]);
        let forced = windows(steps(50), RangeChoice { clock: ClockChoice::Cpu, ..STEPS });
        assert_eq!((forced.clock, spans(&forced, false)), (Clock::Cpu, spans(&ahead, true)));
    }

    #[test]
    fn work_that_fits_is_on_the_clock_of_the_cpu() {
        let fits = windows(steps(6), STEPS);
        assert_eq!(fits.clock, Clock::Cpu);
        // The last one ends with its kernel, not with the capture.
        assert_eq!(spans(&fits, false), [(100, 110), (110, 120), (120, 130), (130, 141)]);
        let forced = windows(steps(6), RangeChoice { clock: ClockChoice::Gpu, ..STEPS });
        assert_eq!((forced.clock, spans(&forced, false)[0]), (Clock::Gpu, (105, 115)));
    }

    #[test]
    fn dlprof_knows_one_clock_and_the_whole_capture() {
        let rules = RangeChoice { rules: FigureRules::Dlprof, ..STEPS };
        assert_eq!(windows(steps(50), rules).clock, Clock::Cpu);
        let index = steps(6).capture().index(&KeyNodeChoice::None).expect("one iteration");
        let span = |choice: RangeChoice| {
            let profile = index.profile(&choice).expect("a profile");
            let span = profile.iterations.aggregated_span();
            (span.start, span.end)
        };
        assert_eq!(span(RangeChoice::dlprof()), (0, 141));
        assert_eq!(span(RangeChoice::default()), (105, 141));
    }
}
