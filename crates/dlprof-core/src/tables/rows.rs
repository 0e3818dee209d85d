//! Numbers of rows of a table, in order.

use std::ops::Range;
use std::sync::Arc;

/// Numbers of rows of a table, in order. Copies share them.
#[derive(Debug, Clone)]
pub struct Rows {
    /// `None` if they are those of the table in its order. No table has more rows than 32 bits can count.
    list: Option<Arc<[u32]>>,
    /// The part of them that is meant.
    range: Range<usize>,
}

impl Rows {
    /// All rows of a table that has this number of them.
    #[must_use]
    pub fn all(count: usize) -> Self {
        Self { list: None, range: 0..count }
    }

    /// Rows with these numbers, in this order.
    pub fn these(numbers: impl Iterator<Item = usize>) -> Self {
        let list: Arc<[u32]> = numbers.filter_map(|row| u32::try_from(row).ok()).collect();
        Self { range: 0..list.len(), list: Some(list) }
    }

    /// At most `count` of them, from the one at place `from` on.
    #[must_use]
    pub fn page(self, from: usize, count: usize) -> Self {
        let start = self.range.start + from.min(self.len());
        let end = start.saturating_add(count).min(self.range.end);
        Self { range: start..end, ..self }
    }

    /// How many they are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.range.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.range.is_empty()
    }

    /// Whether they are all rows of a table that has this number of them, in its order.
    pub(super) fn are_all(&self, count: usize) -> bool {
        self.list.is_none() && self.range == (0..count)
    }

    /// How many numbers are held in memory.
    #[must_use]
    pub fn held(&self) -> usize {
        self.list.as_ref().map_or(0, |list| list.len())
    }

    /// The number of the row at a place.
    #[must_use]
    pub fn get(&self, at: usize) -> usize {
        self.number(self.range.start + at)
    }

    /// The numbers in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.range.clone().map(|at| self.number(at))
    }

    fn number(&self, at: usize) -> usize {
        self.list.as_ref().map_or(at, |list| list[at] as usize)
    }
}
