//! The aggregated iterations as the windows that figures are about.

use super::{Clock, ProfileContents};
use crate::base::ids::{DeviceId, RangeTextId, WorkId};
use crate::base::intervals::union;
use crate::base::ratios::percent;
use crate::base::time::{Ns, Span, total};
use crate::capture::classified::Activity;
use crate::capture::names::profiler_step;
use crate::figures::activity::whole_range;
use crate::steps::index::Resources;
use crate::steps::iterate::IterationState;

impl ProfileContents {
    /// The aggregated iterations on the clock in force, in order of time. They follow each other without gaps.
    #[must_use]
    pub fn windows(&self) -> Vec<Span> {
        self.iterations.range().map(|iteration| self.iterations.windows.span(iteration)).collect()
    }

    /// The aggregated iterations on the clock of the CPU: an API call belongs to the one in which it starts.
    #[must_use]
    pub fn call_windows(&self) -> Vec<Span> {
        self.iterations.range().map(|iteration| self.iterations.windows.cpu_span(iteration)).collect()
    }

    /// Length of the capture: of the whole trace, as nsys says, or up to the last record, whichever is longer; of a part of a
    /// capture the length of the part.
    #[must_use]
    pub fn captured_ns(&self) -> Ns {
        let capture = &self.capture;
        if let Some(cut) = &capture.description.cut {
            return cut.span.length();
        }
        let to_last_event = self.iterations.boundaries.last().copied().unwrap_or(0);
        capture.notes.captured_ns.max(to_last_event)
    }

    /// From the first to the last API call, range and piece of GPU work, where that is less than half of the capture: the rest
    /// holds none of them, because the program did something else, or because the export was cut.
    #[must_use]
    pub fn recorded_part(&self) -> Option<Span> {
        let boundaries = &self.iterations.boundaries;
        let is_part = |span: &Span| span.length() > 0 && span.length() < self.captured_ns() / 2;
        let ops = self.index.covered.between(boundaries, 0, boundaries.len().saturating_sub(1));
        // What ops and GPU work cover alone is often enough to know.
        let ops = Some(ops).filter(is_part)?;
        let capture = &self.capture;
        let lists = capture.ranges.by_thread.iter().chain([&capture.ranges.without_thread]);
        let ranges = lists.flat_map(|list| list.span.iter());
        let all = capture.api_calls.span.iter().chain(ranges);
        let whole = all.fold(ops, |whole, span| Span {
            start: whole.start.min(span.start),
            end: whole.end.max(span.end),
        });
        Some(whole).filter(is_part)
    }

    /// From the start of the first aggregated iteration to the end of the last, on the clock in force.
    #[must_use]
    pub fn window(&self) -> Span {
        whole_range(&self.windows())
    }

    /// How long GPUs work in the first aggregated iteration for calls that were made before it, or of a trace of torch.profiler
    /// before the recording, on average over the used ones, where start-up comes before it: work of another kind than that of iterations. 0 on the clock of the GPU, which counts work to
    /// the iteration that launched it.
    #[must_use]
    pub fn work_of_start_up_ns(&self) -> Ns {
        use IterationState::{Before, WarmUp};
        let iterations = &self.iterations;
        let follows =
            iterations.start.checked_sub(1).and_then(|before| iterations.states.get(before as usize));
        if iterations.key_node.is_none()
            || self.summary.clock == Clock::Gpu
            || !matches!(follows, Some(Before | WarmUp))
        {
            return 0;
        }
        let (first, calls_from) =
            (iterations.windows.span(iterations.start), iterations.windows.cpu_span(iterations.start).start);
        let activity = Activity::of(&self.capture);
        let mut by_gpu: Vec<Vec<Span>> = vec![Vec::new(); self.capture.devices.len()];
        for item in activity.open_in(0..activity.work.len(), first.end, first.start) {
            let work = WorkId::new(item);
            let call = activity.launches.api[work].some();
            let is_earlier = match call {
                Some(call) => activity.api_calls.span[call].start < calls_from,
                None => self.capture.recorder.is_torch_profiler(),
            };
            if let Some(spans) = by_gpu.get_mut(activity.work.device[work].index()).filter(|_| is_earlier) {
                spans.push(activity.work.span[work].clip(first));
            }
        }
        let gpus = Ns::try_from(iterations.windows.used.len().max(1)).unwrap_or(1);
        total(by_gpu.into_iter().flat_map(union).map(|span| span.length())) / gpus
    }

    /// How long GPUs only copy in iterations that warm up and are left out, on average over the used ones, where that is a fifth of
    /// their time and twice the share of the others: a model is copied, which is no warm-up of a step.
    #[must_use]
    pub fn copies_of_warm_up_ns(&self) -> Option<Ns> {
        let (mut warm, mut judged) = (Resources::default(), Resources::default());
        for row in &self.iteration_stats {
            match self.iterations.states[row.iteration as usize] {
                _ if row.is_aggregated => judged.add(&row.resources),
                IterationState::WarmUp => warm.add(&row.resources),
                _ => {}
            }
        }
        let share = |sum: &Resources| percent(sum.memory_ns, sum.total());
        let copies = warm.average(self.summary.gpus).memory_ns;
        (share(&warm) >= 20.0 && share(&warm) >= 2.0 * share(&judged)).then_some(copies)
    }

    /// Of a trace of torch.profiler whose steps delimit no iterations because they are too few: the first step, and the time that
    /// GPUs work in the window for what comes before it, on average over them; `None` where all work is of its steps.
    #[must_use]
    pub fn work_before_steps(&self) -> Option<(String, Ns)> {
        self.capture.kineto.as_ref().filter(|_| self.iterations.key_node.is_none())?;
        let ranges = &self.capture.ranges;
        let steps = ranges.lists().flat_map(|list| list.span.iter().zip(&list.text));
        let text = |label: RangeTextId| self.capture.strings.get(ranges.texts[label.index()].text);
        let steps = steps.filter(|(_, label)| profiler_step(text(**label)).is_some());
        let (step, label) = steps.min_by_key(|(span, _)| span.start)?;
        let activity = Activity::of(&self.capture);
        let mut by_gpu: Vec<Vec<Span>> = vec![Vec::new(); self.capture.devices.len()];
        for work in self.capture.work_ids() {
            let call = activity.launches.api[work].some();
            let is_earlier = call.is_none_or(|call| activity.api_calls.span[call].start < step.start);
            if let Some(spans) = by_gpu.get_mut(activity.work.device[work].index()).filter(|_| is_earlier) {
                spans.push(activity.work.span[work].clip(self.window()));
            }
        }
        let gpus = Ns::try_from(self.iterations.windows.used.len().max(1)).unwrap_or(1);
        let earlier_ns = total(by_gpu.into_iter().flat_map(union).map(|span| span.length())) / gpus;
        (earlier_ns > 0).then(|| (text(*label).to_owned(), earlier_ns))
    }

    /// The number of the iteration of a window.
    ///
    /// # Panics
    /// If there is no such window.
    #[must_use]
    pub(crate) fn iteration_of_window(&self, window: usize) -> u32 {
        self.iterations.range().nth(window).expect("windows are the aggregated iterations")
    }

    /// The number that people know a GPU by.
    #[must_use]
    pub fn device_number(&self, device: DeviceId) -> i64 {
        self.capture.devices[device.index()].device_id
    }
}

#[cfg(test)]
mod tests {
    use crate::base::time::Ns;
    use crate::steps::iterate::{DefaultRange, KeyNodeChoice, RangeChoice};
    use crate::tests::drawn::Drawn;

    /// Six steps of 100 µs with a copy of 5 µs each, after one of 500 µs with a copy of some length.
    fn copies_of_warm_up(first_us: Ns) -> Option<Ns> {
        const US: Ns = 1_000;
        let mut drawn = Drawn::new();
        let mut step = |start: Ns, length: Ns, copied: Ns| {
            drawn.range("step", start * US..(start + length) * US);
            drawn.copy(start * US..(start + 2) * US, 1 << 20, (start + 3) * US..(start + 3 + copied) * US);
            let at = start + length - 50;
            drawn.launch(at * US..(at + 2) * US, "gemm", (at + 3) * US..(at + 43) * US);
        };
        step(100, 500, first_us);
        (0..6).for_each(|number| step(600 + number * 100, 100, 5));
        let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
        let choice = RangeChoice { otherwise: DefaultRange::Auto, ..RangeChoice::default() };
        let profile = index.profile(&choice).expect("a profile");
        assert_eq!(profile.iterations.start, 2, "the first one warms up");
        profile.copies_of_warm_up_ns()
    }

    #[test]
    fn a_model_that_is_copied_in_the_first_iteration_is_told_from_warming_up() {
        assert_eq!(copies_of_warm_up(300), Some(300_000));
        assert_eq!(copies_of_warm_up(50), None);
    }
}
