//! The window of a profile with what waits for what in it.

use super::gpu::{self, Pace};
use super::graph::{ArcKind, Draft, Graph};
use super::host::{self, Place};
use super::nodes::Nodes;
use super::peers::peers;
use super::unseen::may_wait_before;
use super::waits::{self, OWN_OF_SYNC};
use super::window::{Reach, Window};
use crate::base::time::Ns;
use crate::capture::names::ApiClass;
use crate::figures::profile::Profile;

/// The aggregated iterations as a graph of what waits for what.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) profile: Profile,
    pub(super) window: Window,
    pub(super) graph: Graph,
    /// By call: its place among those of its thread.
    pub(super) places: Vec<Place>,
    /// By piece of work: the one before it on its stream.
    pub(super) previous: Vec<Option<usize>>,
    pub(super) pace: Pace,
    /// Calls that waited for something outside.
    pub(super) arrivals: usize,
}

/// Why iterations cannot be replayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotReplayed {
    /// No launch of GPU work is recorded.
    #[error("the aggregated iterations have no GPU work whose launches are recorded")]
    NoWork,
    /// There are no iterations, and all of the capture is too long.
    #[error("the capture has no iterations and more than {most_calls} calls, too many to be replayed")]
    TooLong {
        /// The most that are replayed.
        most_calls: usize,
    },
}

impl Model {
    /// The model of the iterations of a profile that findings are about; without iterations of all of it.
    pub(super) fn of(profile: &Profile, reach: Reach) -> Result<Self, NotReplayed> {
        let most_calls = reach.calls_of_capture;
        if profile.iterations.key_node.is_none() && profile.capture.api_calls.len() > most_calls {
            return Err(NotReplayed::TooLong { most_calls });
        }
        let window = Window::of(profile, reach);
        if window.work.is_empty() {
            return Err(NotReplayed::NoWork);
        }
        let mut draft = Draft::new(Nodes::observed(&window));
        let mut places = host::places(&window);
        let may_wait = may_wait_before(&window, &places);
        let arrivals = host::link(&window, &mut places, &may_wait, &mut draft);
        let previous = gpu::previous(&window);
        let pace = Pace::of(&window, &previous);
        let may_start = gpu::link_starts(&window, &places, &previous, &pace, &mut draft);
        gpu::link_streams(&window, may_start, &mut draft);
        let kernels = &profile.capture.kernels;
        let peers = peers(&window, |at| kernels.long_name[window.work[at].id]);
        gpu::link_ends(&window, &peers, &mut draft);
        waits::link(&window, &places, &mut draft);
        let profile = profile.clone();
        Ok(Self { profile, graph: draft.finish(), window, places, previous, pace, arrivals })
    }

    /// Whether a call waits for GPU work that no call of the window launched, so that nothing in it says for how long.
    pub(super) fn waits_for_others(&self, call: usize) -> bool {
        let (made, end) = (&self.window.calls[call], Nodes::call_end(call));
        made.function.class == ApiClass::Sync
            && made.span.length() > OWN_OF_SYNC
            && !self.graph.has(end, ArcKind::Wait)
            && self.places[call].last_child.is_none()
    }

    /// How long an iteration takes with these times: from the last node of the first to that of the last, so that their tails
    /// cancel out; with fewer than three, the mean of the whole. The mean is over every time that the step runs.
    pub(super) fn step_ns(&self, times: &[Ns]) -> Ns {
        let steps = &self.window.steps;
        if steps.len() < 3 {
            return self.length_ns(times) / self.passes();
        }
        let nodes = Nodes::of(&self.window);
        let mut last = vec![Ns::MIN; steps.len() + 1];
        let mut put = |step: usize, time: Ns| last[step] = last[step].max(time);
        let thread = self.window.end.map(|end| self.window.calls[end].thread);
        let mut begun = 1;
        for (at, call) in self.window.calls.iter().enumerate() {
            let step = self.window.step_of(call.span.start);
            // As the last iteration ends when its thread comes to the next one, so do those before it.
            if thread == Some(call.thread) && step > begun {
                put(step - 1, times[Nodes::call_start(at) as usize]);
                begun = step;
            }
            put(step, times[Nodes::call_end(at) as usize]);
            self.window.launched_by(at).for_each(|work| put(step, times[nodes.work_end(work) as usize]));
        }
        match (last[1], last[steps.len()]) {
            (first, end) if first == Ns::MIN || end == Ns::MIN => self.length_ns(times) / self.passes(),
            (first, end) => end.saturating_sub(first) / (self.passes() - self.passes_of_first()).max(1),
        }
    }

    /// From the start of the window to the last node.
    pub(super) fn length_ns(&self, times: &[Ns]) -> Ns {
        times.iter().copied().max().unwrap_or(0).saturating_sub(self.window.start)
    }

    /// How often the step runs in the iterations of the window, at least once.
    pub(super) fn passes(&self) -> Ns {
        self.window.passes.iter().copied().map(Ns::from).sum::<Ns>().max(1)
    }

    fn passes_of_first(&self) -> Ns {
        self.window.passes.first().copied().map_or(1, Ns::from)
    }

    /// How much less an iteration takes with changed times, reckoned in two ways: from the length of the whole, and from that of
    /// the iterations between the ends of the first and of the last. Negative if it takes more.
    fn differences(&self, times: &[Ns]) -> [Ns; 2] {
        let observed = &self.graph.observed;
        let of_whole = self.length_ns(observed).saturating_sub(self.length_ns(times)) / self.passes();
        [of_whole, self.step_ns(observed).saturating_sub(self.step_ns(times))]
    }

    /// The smaller of the two differences; none where they disagree. The end of one iteration, or an odd first one, is no saving
    /// of all.
    pub(super) fn saved_ns(&self, times: &[Ns]) -> Ns {
        match self.differences(times) {
            [of_whole, of_step] if of_whole > 0 && of_step > 0 => of_whole.min(of_step),
            [of_whole, of_step] if of_whole < 0 && of_step < 0 => of_whole.max(of_step),
            _ => 0,
        }
    }
}
