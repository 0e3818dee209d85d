//! Values by a number that something else gave out: a list where the numbers are dense, a map where they are not.

use crate::columns::{Buffer, Memory};
use rustc_hash::FxHashMap;

/// A value for each id; where none was put, the default.
pub(crate) struct ById<T: Copy> {
    default: T,
    ids: Ids<T>,
}

enum Ids<T: Copy> {
    /// From the smallest id on.
    Dense { first: u32, values: Buffer<T> },
    /// Ids are far apart.
    Sparse(FxHashMap<u32, T>),
}

/// Smallest and largest of some ids, and how many there are.
#[derive(Clone, Copy)]
pub(crate) struct IdRange {
    pub(crate) count: usize,
    first: u32,
    last: u32,
}

impl Default for IdRange {
    fn default() -> Self {
        Self { count: 0, first: u32::MAX, last: 0 }
    }
}

impl IdRange {
    /// Counts an id.
    pub(crate) fn add(&mut self, id: u32) {
        self.count += 1;
        self.first = self.first.min(id);
        self.last = self.last.max(id);
    }
}

impl<T: Copy + Send + Sync + 'static> ById<T> {
    /// Defaults for the ids in a range.
    pub(crate) fn new(memory: &Memory, range: &IdRange, default: T) -> Self {
        let width = range.last.saturating_sub(range.first) as usize;
        let ids = if range.count > 0 && width <= range.count * 8 + 1024 {
            Ids::Dense { first: range.first, values: memory.filled(width + 1, default) }
        } else {
            Ids::Sparse(FxHashMap::default())
        };
        Self { default, ids }
    }

    /// The place of an id of the range.
    pub(crate) fn slot(&mut self, id: u32) -> &mut T {
        match &mut self.ids {
            Ids::Dense { first, values } => &mut values[(id - *first) as usize],
            Ids::Sparse(values) => values.entry(id).or_insert(self.default),
        }
    }

    /// The value of any id.
    pub(crate) fn find(&self, id: u32) -> T {
        let found = match &self.ids {
            Ids::Dense { first, values } => id.checked_sub(*first).and_then(|at| values.get(at as usize)),
            Ids::Sparse(values) => values.get(&id),
        };
        found.copied().unwrap_or(self.default)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_find_their_values_whether_dense_or_not() {
        for ids in [[7, 9, 8], [0, u32::MAX, 70_000]] {
            let mut range = IdRange::default();
            ids.iter().for_each(|&id| range.add(id));
            let mut by_id = ById::new(&Memory::unlimited(), &range, 0);
            for (value, &id) in (1..).zip(&ids) {
                *by_id.slot(id) = value;
            }
            assert_eq!(ids.map(|id| by_id.find(id)), [1, 2, 3]);
            assert_eq!([6, 10, 69_999, u32::MAX - 1].map(|id| by_id.find(id)), [0; 4]);
        }
    }
}
