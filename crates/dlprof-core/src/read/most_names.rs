//! How many names are told apart. What is shown of each costs memory, so a capture in which every record has a name of its own,
//! as when texts hold a counter, would cost far more than its records.

use crate::base::ids::StrId;
use crate::base::limits::{KERNEL_NAMES, RANGE_TEXTS};

/// Different texts of ranges that are told apart, with their sizes and domains.
pub(in crate::read) const MOST_RANGE_TEXTS: usize = RANGE_TEXTS.most;

/// Different names of kernels that are told apart.
pub(in crate::read) const MOST_KERNEL_NAMES: usize = KERNEL_NAMES.most;

/// The name of what has a name beyond these.
pub(in crate::read) const OTHER_NAMES: &str = "other names";

/// Names that were met, up to a number.
pub(in crate::read) struct MetNames {
    is_met: Vec<bool>,
    left: usize,
}

impl MetNames {
    /// At most this many different ones.
    pub(in crate::read) fn at_most(most: usize) -> Self {
        Self { is_met: Vec::new(), left: most }
    }

    /// Whether a name is among the first ones; no name always is.
    #[inline]
    pub(in crate::read) fn has_room_for(&mut self, name: StrId) -> bool {
        let Some(at) = name.position() else { return true };
        if self.is_met.get(at).is_some_and(|&is_met| is_met) {
            return true;
        }
        if self.left == 0 {
            return false;
        }
        if self.is_met.len() <= at {
            self.is_met.resize(at + 1, false);
        }
        self.is_met[at] = true;
        self.left -= 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_were_met_have_room() {
        let mut met = MetNames::at_most(2);
        let answers = [7, 3, 7, 5, 3, 5].map(|name| met.has_room_for(StrId::new(name)));
        assert_eq!(answers, [true, true, true, false, true, false]);
    }
}
