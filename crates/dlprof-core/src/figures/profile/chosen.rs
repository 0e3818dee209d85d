//! Which iterations are aggregated, on which clock, and what state each is in.
//!
//! Each follows from the other: states are judged by durations on the clock in force, the default range by states, and the clock
//! by the work of the range. The clock of the CPU comes first; where its range has more work than fits, or its durations jump and
//! those on the clock of the GPU do not, states and range are found again on that one.

use super::clock::{Clock, Windows};
use crate::base::Error;
use crate::base::ids::{StrId, WorkId, all};
use crate::base::time::Ns;
use crate::capture::names::{Phase, StepMark, checks_algorithms};
use crate::steps::index::IndexContents;
use crate::steps::iterate::{IterationLoad, IterationState, RangeChoice, states};
use rustc_hash::FxHashMap;

/// A range of iterations with its windows, and the states of all iterations.
pub(super) struct Chosen {
    pub(super) start: u32,
    pub(super) stop: u32,
    pub(super) windows: Windows,
    pub(super) states: Vec<IterationState>,
}

impl Chosen {
    /// What a choice means.
    ///
    /// # Errors
    /// If the range ends before it starts, or after the last iteration.
    pub(super) fn new(index: &IndexContents, choice: &RangeChoice) -> Result<Self, Error> {
        let states = states_on(index, &index.iterations.window_boundaries(), Clock::Cpu);
        let (start, stop) = index.iterations.choose(&states, choice)?;
        let windows = Windows::new(index, start, stop, choice, &states);
        if windows.clock == Clock::Cpu {
            return Ok(Self { start, stop, windows, states });
        }
        let states = states_on(index, windows.boundaries(), Clock::Gpu);
        let (start, stop) = index.iterations.choose(&states, choice)?;
        Ok(Self { start, stop, windows, states })
    }
}

/// The states of all iterations by the durations between some boundaries on a clock.
fn states_on(index: &IndexContents, boundaries: &[Ns], clock: Clock) -> Vec<IterationState> {
    let iterations = &index.iterations;
    if iterations.key_node.is_none() {
        // Nothing repeats; what is named after start-up may come first.
        let start_up = iterations.warm_up.iter().map(|_| IterationState::WarmUp);
        return start_up.chain([IterationState::Before]).collect();
    }
    let (work, launches) = (&index.launched.work[..], &index.launched.launches[..]);
    let elsewhere = iterations.passes_elsewhere();
    let tries = iterations_that_try(index);
    // Steps of torch.profiler follow each other on the host, the last one as well, though it ends with its work.
    let last = (clock == Clock::Cpu && index.capture.recorder.is_torch_profiler())
        .then(|| iterations.last_iteration());
    let issued = |number: u32, start: Ns| {
        let end = index.launched.last_call_end[..][number as usize];
        (last == Some(number) && end > start).then(|| end - start)
    };
    let load = |(number, pair): (u32, &[Ns])| IterationLoad {
        duration_ns: pair[1] - pair[0],
        issued_ns: issued(number, pair[0]),
        work: work[number as usize],
        launches: launches[number as usize],
        passes_elsewhere: elsewhere[number as usize],
        is_outside: iterations.is_outside(number),
        tries: tries.get(number as usize).is_some_and(|&tries| tries),
        is_untraced: iterations.lost.iter().any(|lost| lost.iterations().contains(&number)),
    };
    let loads: Vec<IterationLoad> = (0..).zip(boundaries.windows(2)).map(load).collect();
    let mut states = states(&loads);
    judge_by_phase(index, &loads, &mut states);
    states
}

/// Steps of servers are compared with those of their phase: where steady ones of others make the fences, every prefill is far off.
fn judge_by_phase(index: &IndexContents, loads: &[IterationLoad], all: &mut [IterationState]) {
    let labels = &index.iterations.labels;
    let mark = |label: &String| StepMark::parse(label).map(|mark| mark.phase);
    let phases: Vec<Option<Phase>> = labels.iter().map(mark).collect();
    for phase in Phase::ALL {
        let is_judged =
            |state: IterationState| matches!(state, IterationState::Outlier | IterationState::Steady);
        let own = |at: &usize| phases.get(*at) == Some(&Some(phase)) && is_judged(all[*at]);
        let places: Vec<usize> = (0..all.len()).filter(own).collect();
        // What comes before the first and after the last is not judged here.
        let [first, last] = [loads.first(), places.last().map(|&last| &loads[last])];
        let of_phase = places.iter().map(|&at| &loads[at]);
        let Some((first, last)) = first.zip(last) else { continue };
        let of_phase: Vec<IterationLoad> =
            [first].into_iter().chain(of_phase).chain([last]).copied().collect();
        for (&at, state) in places.iter().zip(states(&of_phase).into_iter().skip(1)) {
            all[at] = if is_judged(state) { state } else { IterationState::Steady };
        }
    }
}

/// With more iterations, lengths tell those in which algorithms are tried.
const MOST_THAT_TRY: usize = 8;

/// By iteration: whether it launches kernels that check algorithms which are tried; empty where there are many iterations.
fn iterations_that_try(index: &IndexContents) -> Vec<bool> {
    let boundaries = index.iterations.window_boundaries();
    let mut tries = vec![false; boundaries.len().saturating_sub(1)];
    if tries.len() > MOST_THAT_TRY {
        return Vec::new();
    }
    let capture = &index.capture;
    let mut checks: FxHashMap<StrId, bool> = FxHashMap::default();
    for kernel in all::<WorkId>(capture.counts().kernels) {
        let name = capture.kernels.short_name[kernel];
        let is_check = *checks.entry(name).or_insert_with(|| checks_algorithms(capture.strings.get(name)));
        if is_check && let Some(call) = capture.launches.api[kernel].some() {
            let start = capture.api_calls.span[call].start;
            let place = boundaries.partition_point(|&boundary| boundary <= start).checked_sub(1);
            place.and_then(|place| tries.get_mut(place)).into_iter().for_each(|tries| *tries = true);
        }
    }
    tries
}
