//! The greatest of any stretch of a list, in a number of steps that grows with the logarithm of its length.
//!
//! ```text
//! place 1             9
//! places 2, 3     7       9          the greater of the two below
//! places 4 to 7   3   7   9   2      the list
//! ```

use crate::base::time::Ns;
use std::ops::Range;

/// A list of times, which can only become later.
#[derive(Debug, Clone, Default)]
pub(crate) struct Maxima {
    /// Place 0 is not used; the list is the second half.
    places: Vec<Ns>,
}

impl Maxima {
    pub(crate) const EMPTY: Self = Self { places: Vec::new() };

    /// A list of the earliest time there is.
    pub(crate) fn new(length: usize) -> Self {
        Self { places: vec![Ns::MIN; 2 * length] }
    }

    /// Makes a time of the list later, unless it is later already.
    pub(crate) fn raise(&mut self, position: usize, time: Ns) {
        let mut at = position + self.places.len() / 2;
        while at > 0 && self.places[at] < time {
            self.places[at] = time;
            at /= 2;
        }
    }

    /// The greatest from one position of the list up to, but not including, another; none if there is none between.
    pub(crate) fn within(&self, positions: Range<usize>) -> Option<Ns> {
        let length = self.places.len() / 2;
        let (mut first, mut behind) = (positions.start + length, positions.end.min(length) + length);
        let mut greatest = None;
        while first < behind {
            if first % 2 == 1 {
                greatest = greatest.max(Some(self.places[first]));
                first += 1;
            }
            if behind % 2 == 1 {
                behind -= 1;
                greatest = greatest.max(Some(self.places[behind]));
            }
            first /= 2;
            behind /= 2;
        }
        greatest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_stretch_has_its_greatest(
            list in prop::collection::vec(-20_i64..20, 0..40),
            from in 0_usize..45,
            to in 0_usize..45,
        ) {
            let mut maxima = Maxima::new(list.len());
            for (position, &time) in list.iter().enumerate() {
                maxima.raise(position, time);
                maxima.raise(position, time - 1);
            }
            let stretch = list.get(from..to.min(list.len())).unwrap_or_default();
            prop_assert_eq!(maxima.within(from..to), stretch.iter().copied().max());
        }
    }
}
