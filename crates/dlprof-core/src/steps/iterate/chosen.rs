//! Which iterations a choice means, given their states.

use super::steady::{IterationState, steady_stretch};
use super::{Confidence, DefaultRange, Iterations, RangeChoice};
use crate::base::Error;

impl Iterations {
    /// First and last of the stretch with most steady iterations, if it has at least three and it is sure enough what delimits
    /// them.
    pub(crate) fn stretch(&self, states: &[IterationState]) -> Option<(u32, u32)> {
        let is_sure = self.found.as_ref().is_none_or(|found| found.confidence >= Confidence::Medium);
        let stretch = steady_stretch(states).filter(|_| is_sure)?;
        let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Some((number(*stretch.start()), number(*stretch.end())))
    }

    /// Whether a choice asks for the steady iterations and there is no stretch of them.
    pub(crate) fn lacks_stretch(&self, states: &[IterationState], choice: &RangeChoice) -> bool {
        let is_open = choice.iter_start.is_none() || choice.iter_stop.is_none();
        is_open && choice.otherwise == DefaultRange::Steady && self.stretch(states).is_none()
    }

    /// First and last of the iterations that a choice means.
    ///
    /// # Errors
    /// If the range ends before it starts, or after the last iteration.
    pub(crate) fn choose(
        &self,
        states: &[IterationState],
        choice: &RangeChoice,
    ) -> Result<(u32, u32), Error> {
        choice.check()?;
        let last = self.total() - 1;
        let is_open = choice.iter_start.is_none() && choice.iter_stop.is_none();
        let wanted = match choice.otherwise {
            DefaultRange::All => (0, last),
            // A user who gives one number wants all iterations up to it or from it on, steady or not.
            DefaultRange::Auto if !is_open => self.behind_the_first(),
            DefaultRange::Auto | DefaultRange::Steady => {
                self.stretch(states).unwrap_or_else(|| self.without_start_up(states))
            }
        };
        let stored = self.stored_range.filter(|_| is_open && choice.otherwise != DefaultRange::Steady);
        let (first_wanted, last_wanted) = stored.unwrap_or(wanted);
        let start = choice
            .iter_start
            .unwrap_or_else(|| choice.iter_stop.map_or(first_wanted, |stop| first_wanted.min(stop)));
        let stop = choice.iter_stop.unwrap_or(last_wanted.max(start));
        if stop > last {
            // What comes after the last iteration has a number too, but no user counts it.
            let last = self.last_iteration();
            return Err(Error::RangeOutOfBounds { stop, last, has_key_node: self.key_node.is_some() });
        }
        Ok((start, stop))
    }

    /// All iterations but those before, those that warm up, those in which records were lost and pieces that are none; all
    /// after the first one if nothing else is left.
    fn without_start_up(&self, states: &[IterationState]) -> (u32, u32) {
        let mut wanted = (0..self.total())
            .filter(|&number| states.get(number as usize).is_some_and(|state| state.is_in_default_range()));
        match wanted.next() {
            Some(first) => (first, wanted.next_back().unwrap_or(first)),
            None => self.behind_the_first(),
        }
    }

    /// All iterations without what comes before the first; that alone if there is nothing else.
    fn behind_the_first(&self) -> (u32, u32) {
        let last = self.last_iteration();
        (last.min(1), last)
    }
}

#[cfg(test)]
mod tests {
    use super::super::IterationState::{Before, Cut, Empty, Outside, Steady, Untraced, WarmUp};
    use super::*;
    use crate::base::time::Span;

    fn chosen(states: &[IterationState], start: Option<u32>, stop: Option<u32>) -> (u32, u32) {
        let boundaries = (0..).take(states.len() + 1).collect();
        let outside = states.iter().map(|state| *state == Outside).collect();
        let iterations = Iterations { boundaries, outside, ..Iterations::of_key_node(Span::default(), None) };
        let choice = RangeChoice {
            iter_start: start,
            iter_stop: stop,
            otherwise: DefaultRange::Auto,
            ..RangeChoice::default()
        };
        iterations.choose(states, &choice).expect("a range")
    }

    #[test]
    fn start_up_is_in_no_default_range() {
        assert_eq!(chosen(&[Before, WarmUp, Steady, Steady, Steady, Cut], None, None), (2, 4));
        // Too few steady ones: all others that are known.
        assert_eq!(chosen(&[Before, WarmUp, WarmUp, Steady, Empty, Cut, Untraced], None, None), (3, 5));
        assert_eq!(chosen(&[Before, WarmUp, Untraced, Outside], None, None), (1, 2));
        assert_eq!(chosen(&[Before], None, None), (0, 0));
    }

    #[test]
    fn an_open_end_reaches_as_far_as_iterations_do() {
        let states = [Before, WarmUp, Steady, Steady, Steady, Cut, Outside];
        assert_eq!(chosen(&states, Some(3), None), (3, 5));
        assert_eq!(chosen(&states, None, Some(3)), (1, 3));
        assert_eq!(chosen(&states, None, Some(0)), (0, 0));
        assert_eq!(chosen(&states, Some(0), None), (0, 5));
    }
}
