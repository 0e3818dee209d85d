//! A value for each text of a pool.

use super::StrId;
use std::ops::{Index, IndexMut};

/// A value for each text of a pool, and one for no text.
#[derive(Debug, Clone)]
pub(crate) struct PerText<T>(Vec<T>);

impl<T: Clone> PerText<T> {
    /// Equal values for a pool of so many texts.
    pub(crate) fn new(texts: usize, value: T) -> Self {
        Self(vec![value; texts + 1])
    }
}

impl<T> PerText<T> {
    fn place(&self, text: StrId) -> usize {
        text.position().unwrap_or(self.0.len() - 1)
    }

    /// The values of texts, without that of no text.
    pub(crate) fn of_texts(&self) -> impl Iterator<Item = (StrId, &T)> {
        self.0[..self.0.len() - 1].iter().enumerate().map(|(position, value)| (StrId::new(position), value))
    }

    /// All values.
    pub(crate) fn into_values(self) -> impl Iterator<Item = T> {
        self.0.into_iter()
    }
}

impl<T> Index<StrId> for PerText<T> {
    type Output = T;

    #[inline]
    fn index(&self, text: StrId) -> &T {
        &self.0[self.place(text)]
    }
}

impl<T> IndexMut<StrId> for PerText<T> {
    #[inline]
    fn index_mut(&mut self, text: StrId) -> &mut T {
        let place = self.place(text);
        &mut self.0[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_has_a_value_of_its_own() {
        let mut values = PerText::new(2, 0);
        (values[StrId::new(1)], values[StrId::NONE]) = (5, 7);
        assert_eq!([StrId::new(0), StrId::new(1), StrId::NONE].map(|text| values[text]), [0, 5, 7]);
        assert_eq!(values.of_texts().map(|(_, value)| *value).collect::<Vec<_>>(), [0, 5]);
    }
}
