//! The iterations of a profile: which are aggregated, and how long they and their passes take.

use super::clock::Windows;
use crate::base::ratios::to_f64;
use crate::base::time::{Ns, Span};
use crate::steps::index::Index;
use crate::steps::iterate::{FigureRules, IterationState, Iterations, RangeChoice, change_in_one_direction};
use std::ops::{Deref, Range};

/// The iterations of a capture, and which of them are aggregated.
#[derive(Debug, Clone)]
pub struct ProfiledIterations {
    pub(super) index: Index,
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

    /// The aggregated iterations that findings are about, and that are replayed.
    #[must_use]
    pub(crate) fn judged(&self) -> Range<u32> {
        let all = self.range();
        // Of iterations that take longer from one to the next, none is usual, and outliers are the end of the series.
        let changing = self.going_one_way();
        let changing = changing.first().copied().zip(changing.last().copied());
        let steady = changing.or_else(|| self.steady_range());
        let steady = steady.map(|(first, last)| first.max(all.start)..(last + 1).min(all.end));
        if let Some(steady) = steady.filter(|steady| steady.end >= steady.start + 3) {
            return steady;
        }
        // Without steady iterations: all but those before the step repeats as it will.
        let is_start = |number: &u32| {
            let state = self.states.get(*number as usize);
            self.key_node.is_some() && matches!(state, Some(IterationState::Before | IterationState::WarmUp))
        };
        let repeats = all.clone().find(|number| !is_start(number));
        repeats.unwrap_or(all.start)..all.end
    }

    /// Whether records are whole in any of the aggregated iterations.
    #[must_use]
    pub(crate) fn is_any_traced(&self) -> bool {
        self.range().any(|number| self.is_traced(number))
    }

    /// Whether it is known what GPUs did in an iteration, as far as the ledger tells. DLProf's rules know no lost records.
    #[must_use]
    pub(crate) fn is_traced(&self, number: u32) -> bool {
        let is_untraced = || self.states.get(number as usize) == Some(&IterationState::Untraced);
        let ledger = &self.index.capture.description.ledger;
        self.windows.rules == FigureRules::Dlprof || !is_untraced() && ledger.hides_gpu_time().is_none()
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
    pub(crate) fn further_passes_of(
        &self,
        numbers: impl IntoIterator<Item = u32>,
    ) -> impl Iterator<Item = (u32, u32)> {
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

    /// How long the passes of the aggregated iterations take, in order: [`Self::durations`] without unsplit iterations, of whose
    /// passes only the sum is known.
    #[must_use]
    pub(crate) fn pass_durations(&self) -> Vec<Ns> {
        if self.passes() == self.aggregated() {
            return self.durations();
        }
        self.pass_durations_of(self.range().filter(|&number| !self.is_outside(number)))
    }

    /// How long the passes of some iterations take, in order, without unsplit iterations.
    #[must_use]
    pub(crate) fn pass_durations_of(&self, numbers: impl IntoIterator<Item = u32>) -> Vec<Ns> {
        let alone = self.further_passes_of(numbers).filter(|&(_, further)| further == 0);
        alone.map(|(number, _)| self.windows.span(number).length()).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::profile::Profile;
    use crate::steps::iterate::KeyNodeChoice;
    use crate::tests::drawn::Drawn;

    /// Steps of these lengths, one after the other, each with one kernel.
    fn steps(lengths: &[Ns], choice: &RangeChoice) -> Profile {
        let mut drawn = Drawn::new();
        let mut now = 1_000;
        for length in lengths {
            drawn.range("step", now..now + length);
            drawn.launch(now + 1..now + 2, "gemm", now + 3..now + length - 3);
            now += length;
        }
        let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
        index.profile(choice).expect("a profile")
    }

    #[test]
    fn lengths_that_grow_go_one_way() {
        let growing = steps(&[100, 120, 150, 190, 240, 300, 370, 450], &RangeChoice::default());
        assert!(growing.iterations.going_one_way().len() >= 6, "{:?}", growing.iterations.states);
        let even = steps(&[100; 8], &RangeChoice::default());
        assert!(even.iterations.going_one_way().is_empty());
    }

    #[test]
    fn items_are_of_the_iterations_that_are_aggregated() {
        let choice = |batch_size| RangeChoice {
            iter_start: Some(2),
            iter_stop: Some(4),
            batch_size,
            ..RangeChoice::default()
        };
        let profile = steps(&[100, 200, 200, 400, 100], &choice(Some(8)));
        let iterations = &profile.iterations;
        assert_eq!((iterations.aggregated(), iterations.passes()), (3, 3));
        assert_eq!(iterations.durations(), [200, 200, 400]);
        assert_eq!(iterations.pass_durations(), iterations.durations());
        assert_eq!(iterations.aggregated_span().length(), 800);
        // 24 items in 800 ns.
        let per_s = iterations.items_per_s(3, 800).expect("a batch size was given");
        assert!((per_s - 3e7).abs() < 1.0, "{per_s}");
        assert_eq!(iterations.items_per_s(3, 0), None, "no time");
        let without = steps(&[100, 200, 200, 400, 100], &choice(None));
        assert_eq!(without.iterations.items_per_s(3, 800), None);
    }
}
