//! What state each iteration is in, and which stretch of them is steady.
//!
//! ```text
//! state     before  warm-up  steady  steady  outlier  steady  empty  …  steady  untraced  untraced
//! stretch                   ├──────────────────────────────────────────────┤
//! ```
//!
//! A stretch begins and ends with a steady iteration and has at most three others in a row.

use crate::base::ratios::{median, quartiles};
use crate::base::time::Ns;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// What an iteration is like, compared with the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum IterationState {
    /// What comes before the first execution of the key node; the only iteration without a key node.
    Before,
    /// One of the first ones, and slower than the rest.
    WarmUp,
    /// About as long as the others, with about as many launches.
    Steady,
    /// Much shorter or longer than the others, or with far more or fewer launches.
    Outlier,
    /// It holds several passes of the kernels that delimit iterations: the others run on another stream, where none begins.
    Unsplit,
    /// No GPU work, while the others have some.
    Empty,
    /// The last one, with less work than the others or much shorter: the capture or the program's loop ends in it. Or longer only
    /// because it lasts until its GPU work ends, where that of others goes on in the next one.
    Cut,
    /// The tracer lost records of CUDA in it, so nothing is known of its GPU work.
    Untraced,
    /// No iteration: what lies between runs of them, or after the last one.
    Outside,
}

impl IterationState {
    /// The word for reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::WarmUp => "warm-up",
            Self::Steady => "steady",
            Self::Outlier => "outlier",
            Self::Unsplit => "unsplit",
            Self::Empty => "empty",
            Self::Cut => "cut",
            Self::Untraced => "untraced",
            Self::Outside => "outside",
        }
    }

    /// Whether an iteration in this state may be one that the default range begins or ends with.
    #[must_use]
    pub(crate) fn is_in_default_range(self) -> bool {
        !matches!(self, Self::Before | Self::WarmUp | Self::Untraced | Self::Outside)
    }
}

/// Fewer iterations than this say nothing.
pub(crate) const FEWEST: usize = 3;

/// A stretch has at most so many iterations in a row that are not steady.
const MOST_OTHERS: usize = 3;

/// What is known of a piece of the time line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct IterationLoad {
    /// Its length, on the clock in force.
    pub duration_ns: Ns,
    /// GPU work of its op calls: kernels, copies, memsets.
    pub work: u64,
    /// Launches: API calls that start in it and start kernels or graphs.
    pub launches: u64,
    /// It lies between runs of iterations, or after the last one.
    pub is_outside: bool,
    /// The tracer lost records in it.
    pub is_untraced: bool,
    /// Passes on other streams of the kernels that delimit iterations.
    pub passes_elsewhere: u32,
    /// Algorithms are tried in it.
    pub tries: bool,
    /// Of one that lasts until its GPU work ends: its length up to the end of its last launch.
    pub issued_ns: Option<Ns>,
}

/// The state of each piece; the first is the one before the first execution.
///
/// The last iteration is cut if it has less than nine tenths of the median work of those that have some, or is under three
/// quarters of their median length. Lengths and launches of the others are compared with those of all iterations but those that
/// are before, outside, cut or untraced.
#[must_use]
pub(crate) fn states(loads: &[IterationLoad]) -> Vec<IterationState> {
    let mut states = states_by_themselves(loads);
    let is_judged = |state: &Option<IterationState>| matches!(state, None | Some(IterationState::Empty));
    let judged = || loads.iter().zip(&states).filter(|(_, state)| is_judged(state)).map(|(load, _)| load);
    let Some(usual) = Usual::of(judged()) else { return states.into_iter().flatten().collect() };
    let mut is_start = true;
    for (load, state) in loads.iter().zip(&mut states) {
        if state.is_none() {
            *state = Some(match () {
                () if is_start && load.duration_ns > usual.longest_near_median => IterationState::WarmUp,
                () if usual.is_far(load) && usual.is_longer_on_gpus_alone(load) => IterationState::Cut,
                () if usual.is_far(load) => IterationState::Outlier,
                () => IterationState::Steady,
            });
        }
        is_start &= matches!(state, Some(IterationState::Before | IterationState::WarmUp));
    }
    states.into_iter().flatten().collect()
}

/// The first iteration after those at the start in which algorithms are tried; the first of all where none after them is
/// without.
fn tuned_from(loads: &[IterationLoad]) -> usize {
    let tries = loads.iter().skip(1).take_while(|load| load.tries).count();
    let is_tuned = loads.get(1 + tries).is_some_and(|load| !load.is_outside);
    1 + if is_tuned { tries } else { 0 }
}

/// The states that follow from no comparison of lengths or launches.
fn states_by_themselves(loads: &[IterationLoad]) -> Vec<Option<IterationState>> {
    let tuned = tuned_from(loads);
    let iterations = || loads.iter().skip(tuned).filter(|load| !load.is_outside);
    let any_work = iterations().any(|load| load.work > 0);
    let is_empty = |load: &IterationLoad| any_work && load.work == 0;
    let cut = loads.iter().rposition(|load| !load.is_outside).filter(|&last| {
        let busy = || iterations().filter(|load| !is_empty(load) && !load.is_untraced);
        let typical_ns = median(busy().map(|load| load.duration_ns).collect());
        let typical_work = median(busy().map(|load| Ns::try_from(load.work).unwrap_or(Ns::MAX)).collect());
        let is_short = loads[last].duration_ns < typical_ns - typical_ns / 4;
        let has_little = i128::from(loads[last].work) * 10 < i128::from(typical_work) * 9;
        iterations().count() > 1 && (is_short || has_little)
    });
    // Where the usual iteration has such passes, other streams run beside it.
    let passes = iterations().map(|load| Ns::from(load.passes_elsewhere)).collect();
    let is_alone = median(passes) == 0;
    let state = |(at, load): (usize, &IterationLoad)| match () {
        () if at == 0 => Some(IterationState::Before),
        () if at < tuned => Some(IterationState::WarmUp),
        () if load.is_outside => Some(IterationState::Outside),
        () if load.is_untraced => Some(IterationState::Untraced),
        () if is_alone && load.passes_elsewhere > 0 => Some(IterationState::Unsplit),
        () if cut == Some(at) => Some(IterationState::Cut),
        () if is_empty(load) => Some(IterationState::Empty),
        () => None,
    };
    loads.iter().enumerate().map(state).collect()
}

/// Fewer lengths that grow may do so by chance.
const FEWEST_CHANGING: usize = 6;

/// Whether iterations take longer from one to the next, or less long, as while a program tries sizes: nine of ten do, and in either
/// half of them the length changes by more than a quarter. A slow start, or a slow end, is in one half.
#[must_use]
pub(crate) fn change_in_one_direction(lengths: &[Ns]) -> bool {
    let steps = |goes: fn(&[Ns]) -> bool| lengths.windows(2).filter(|pair| goes(pair)).count();
    let (longer, shorter) = (steps(|pair| pair[0] < pair[1]), steps(|pair| pair[0] > pair[1]));
    let changes = |from: usize, to: usize| {
        let (from, to) = (lengths[from], lengths[to]);
        (to - from).abs() > from.min(to) / 4
    };
    lengths.len() >= FEWEST_CHANGING
        && 10 * longer.max(shorter) >= 9 * (lengths.len() - 1)
        && changes(0, lengths.len() / 2)
        && changes(lengths.len() / 2, lengths.len() - 1)
}

/// What iterations are usually like.
struct Usual {
    /// Shorter ones are far from the others.
    shortest: Ns,
    /// Longer ones are far from the others.
    longest: Ns,
    /// A quarter more than the median.
    longest_near_median: Ns,
    /// Median number of launches.
    launches: i128,
}

impl Usual {
    /// Of iterations: Tukey's fences, never narrower than a quarter of the median; none of none.
    fn of<'a>(loads: impl Iterator<Item = &'a IterationLoad> + Clone) -> Option<Self> {
        let [lower, middle, upper] = quartiles(loads.clone().map(|load| load.duration_ns).collect())?;
        let launches = loads.map(|load| Ns::try_from(load.launches).unwrap_or(Ns::MAX)).collect();
        let (quarter, whisker) = (middle / 4, (upper - lower).saturating_mul(3) / 2);
        Some(Self {
            shortest: (middle - quarter).min(lower.saturating_sub(whisker)),
            longest: middle.saturating_add(quarter).max(upper.saturating_add(whisker)),
            longest_near_median: middle.saturating_add(quarter),
            launches: median(launches).into(),
        })
    }

    fn is_far(&self, load: &IterationLoad) -> bool {
        !(self.shortest..=self.longest).contains(&load.duration_ns) || self.has_other_launches(load)
    }

    fn has_other_launches(&self, load: &IterationLoad) -> bool {
        (i128::from(load.launches) - self.launches).saturating_mul(4).abs() > self.launches
    }

    /// Whether an iteration is longer than others only because it lasts until its GPU work ends.
    fn is_longer_on_gpus_alone(&self, load: &IterationLoad) -> bool {
        let is_issued_in_time = load.issued_ns.is_some_and(|ns| ns <= self.longest_near_median);
        is_issued_in_time && load.duration_ns > self.longest && !self.has_other_launches(load)
    }
}

/// The stretch with most steady iterations, the first of equals; `None` if it has fewer than three. It does not go on after
/// pieces that are not iterations, nor where records were lost.
#[must_use]
pub(crate) fn steady_stretch(states: &[IterationState]) -> Option<RangeInclusive<usize>> {
    /// A stretch so far.
    #[derive(Clone, Copy)]
    struct Stretch {
        first: usize,
        last: usize,
        steady: usize,
    }
    let (mut best, mut current): (Option<Stretch>, Option<Stretch>) = (None, None);
    for (at, state) in states.iter().enumerate() {
        match state {
            IterationState::Steady => {
                let stretch = current.get_or_insert(Stretch { first: at, last: at, steady: 0 });
                stretch.last = at;
                stretch.steady += 1;
                if stretch.steady >= FEWEST && best.is_none_or(|best| stretch.steady > best.steady) {
                    best = Some(*stretch);
                }
            }
            IterationState::Before | IterationState::Outside | IterationState::Untraced => current = None,
            _ => current = current.filter(|stretch| at - stretch.last <= MOST_OTHERS),
        }
    }
    best.map(|best| best.first..=best.last)
}

#[cfg(test)]
mod tests {
    use super::IterationState::{Before, Cut, Empty, Outlier, Outside, Steady, Untraced, WarmUp};
    use super::*;

    /// Iterations with one launch per piece of work.
    fn loads(loads: &[(Ns, u64)]) -> Vec<IterationLoad> {
        let load =
            |&(duration_ns, work)| IterationLoad { duration_ns, work, launches: work, ..Default::default() };
        loads.iter().map(load).collect()
    }

    fn of(pieces: &[(Ns, u64)]) -> Vec<IterationState> {
        states(&loads(pieces))
    }

    /// Two executions of a model, of which the first tries algorithms: the second is not cut because it is shorter.
    #[test]
    fn what_tries_algorithms_at_the_start_warms_up() {
        let mut pieces = loads(&[(5000, 3), (2900, 1800), (35, 140)]);
        assert_eq!(states(&pieces), [Before, Steady, Cut]);
        pieces[1].tries = true;
        assert_eq!(states(&pieces), [Before, WarmUp, Steady]);
        pieces[2].tries = true;
        assert_eq!(states(&pieces), [Before, Steady, Cut], "all of them try");
    }

    #[test]
    fn states_of_a_training_run() {
        let run =
            [(5000, 3), (1000, 9), (300, 9), (100, 9), (101, 9), (2, 0), (99, 9), (900, 9), (98, 9), (20, 4)];
        let fences_are_wide = [Before, WarmUp, WarmUp, Steady, Steady, Empty, Steady, Outlier, Steady, Cut];
        let many = [&run[..9], &[(100, 9); 20], &run[9..]].concat();
        let expected = [&fences_are_wide[..9], &[Steady; 20], &fences_are_wide[9..]].concat();
        assert_eq!(of(&many), expected);
        assert_eq!(of(&[(7, 7)]), [Before]);
        assert_eq!(of(&[(7, 0), (100, 0), (100, 0)]), [Before, Steady, Steady]);
        assert_eq!(of(&[]), []);
    }

    /// Fences follow the quartiles where these are wide, and are a quarter of the median where they are narrow.
    #[test]
    fn fences_are_those_of_tukey_but_never_narrower_than_a_quarter() {
        let wide: Vec<(Ns, u64)> =
            [(0, 0)].into_iter().chain((0..81).map(|at| (60 + 37 * at % 81, 5))).collect();
        assert!(of(&wide)[1..].iter().all(|&state| state == Steady), "{:?}", of(&wide));
        let narrow = |odd: Ns| {
            let mut pieces = vec![(100, 5); 22];
            pieces[10].0 = odd;
            of(&pieces)[10]
        };
        assert_eq!([75, 125].map(narrow), [Steady; 2]);
        assert_eq!([74, 126].map(narrow), [Outlier; 2]);
    }

    /// The GPU is a step after the host: only the last step waits for it.
    #[test]
    fn the_last_one_is_no_outlier_where_only_its_gpu_work_lasts_longer() {
        let mut pieces = loads(&[(8, 0), (210, 9), (217, 9), (216, 9), (216, 9), (374, 9)]);
        assert_eq!(states(&pieces)[5], Outlier);
        pieces[5].issued_ns = Some(215);
        assert_eq!(states(&pieces), [Before, Steady, Steady, Steady, Steady, Cut]);
        pieces[5].issued_ns = Some(300);
        assert_eq!(states(&pieces)[5], Outlier, "the host took longer, too");
        (pieces[5].issued_ns, pieces[5].launches) = (Some(215), 20);
        assert_eq!(states(&pieces)[5], Outlier, "it launched more");
    }

    #[test]
    fn far_more_or_fewer_launches_make_an_outlier() {
        let with = |launches: u64| {
            let mut pieces = loads(&[(100, 8); 12]);
            pieces[6].launches = launches;
            states(&pieces)[6]
        };
        assert_eq!([6, 8, 10].map(with), [Steady; 3]);
        assert_eq!([0, 5, 11, 80].map(with), [Outlier; 4]);
    }

    /// What is before, cut, outside or untraced is compared with nothing.
    #[test]
    fn what_cannot_be_judged_sets_no_fence() {
        let mut pieces = loads(&[(100, 8); 12]);
        pieces.extend(loads(&[(10, 0); 20]));
        for piece in &mut pieces[12..] {
            piece.is_untraced = true;
        }
        pieces.push(IterationLoad { duration_ns: 9000, is_outside: true, ..IterationLoad::default() });
        let states = states(&pieces);
        assert_eq!(states[1..12], [Steady; 11]);
        assert_eq!(states[12..32], [Untraced; 20]);
        assert_eq!(states[32], Outside);
        assert_eq!(steady_stretch(&states), Some(1..=11));
    }

    /// What runs the same kernels on another stream in between is not an outlier, and sets no fence; where every iteration has
    /// such passes, streams run beside each other.
    #[test]
    fn passes_on_other_streams_make_an_iteration_unsplit() {
        let mut pieces = loads(&[(100, 8); 12]);
        (pieces[6].duration_ns, pieces[6].launches, pieces[6].passes_elsewhere) = (1100, 88, 10);
        let states = states(&pieces);
        assert_eq!((states[5], states[6], states[7]), (Steady, IterationState::Unsplit, Steady));
        assert_eq!(steady_stretch(&states), Some(1..=11));
        pieces.iter_mut().for_each(|piece| piece.passes_elsewhere = 1);
        assert_eq!(super::states(&pieces)[6], Outlier);
    }

    /// A program that doubles the size from pass to pass, and one that sorts its batches by length.
    #[test]
    fn lengths_that_go_in_one_direction_are_known() {
        let doubled: Vec<Ns> = (0..12).map(|size| 100 << size).collect();
        assert!(change_in_one_direction(&doubled));
        let sorted: Vec<Ns> = (0..40).map(|at| 1000 - 20 * at + 30 * Ns::from(at == 17)).collect();
        assert!(change_in_one_direction(&sorted));
        // A slow start that settles, lengths that creep, and too few.
        let settles = [4000, 4000, 900, 300, 150, 120, 110, 108, 107, 106, 105, 104];
        assert!(!change_in_one_direction(&settles));
        let creeps: Vec<Ns> = (0..40).map(|at| 1000 + 5 * at).collect();
        assert!(!change_in_one_direction(&creeps));
        assert!(!change_in_one_direction(&[1, 2, 4, 8, 16]) && !change_in_one_direction(&[]));
    }

    #[test]
    fn alternating_lengths_are_steady() {
        let pieces: Vec<(Ns, u64)> = (0..21).map(|at| (if at % 2 == 0 { 100 } else { 160 }, 5)).collect();
        assert!(of(&pieces)[1..20].iter().all(|&state| state == Steady), "{:?}", of(&pieces));
    }

    #[test]
    fn warm_up_and_tail_are_left_out() {
        assert_eq!(
            steady_stretch(&[Before, WarmUp, Steady, Steady, Steady, Outlier, Steady, Cut]),
            Some(2..=6)
        );
        assert_eq!(steady_stretch(&[Steady, Steady]), None);
        assert_eq!(steady_stretch(&[]), None);
    }

    #[test]
    fn a_stretch_bridges_three_others_and_no_more() {
        let run = |others: usize| {
            let others = vec![Outlier; others];
            [&[Before, Steady, Steady, Steady][..], &others, &[Steady, Empty, Steady, Steady, Steady]]
                .concat()
        };
        assert_eq!(steady_stretch(&run(3)), Some(1..=11));
        assert_eq!(steady_stretch(&run(4)), Some(8..=12));
        // The first of equals; no stretch reaches over pieces that are not iterations.
        let [steady, outside] = [[Steady; 3], [Outside; 3]];
        assert_eq!(steady_stretch(&[&steady[..], &outside[..1], &steady].concat()), Some(0..=2));
    }
}
