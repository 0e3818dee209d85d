//! Rows by correlation id. The profiler counts ids up, so that most are small; of tools they may be any number.

use rustc_hash::FxHashMap;

/// A row for each id.
pub(super) struct ByCorrelation {
    /// Of ids below its length.
    dense: Vec<u32>,
    sparse: FxHashMap<i64, u32>,
}

/// Where there is no row.
const NONE: u32 = u32::MAX;

impl ByCorrelation {
    /// Room for ids.
    pub(super) fn of(ids: impl Iterator<Item = i64>) -> Self {
        let (count, last) = ids.fold((0_usize, 0), |(count, last), id| (count + 1, id.max(last)));
        let last = usize::try_from(last).unwrap_or(usize::MAX);
        let dense = vec![NONE; last.saturating_add(1).min(count * 8 + 1024)];
        Self { dense, sparse: FxHashMap::default() }
    }

    /// Puts a row, unless the id has one, which is returned.
    #[inline]
    pub(super) fn put(&mut self, id: i64, row: u32) -> Option<u32> {
        let slot = match usize::try_from(id).ok().and_then(|id| self.dense.get_mut(id)) {
            Some(slot) => slot,
            None => self.sparse.entry(id).or_insert(NONE),
        };
        if *slot == NONE {
            *slot = row;
            return None;
        }
        Some(*slot)
    }

    /// Puts a row instead of the one that the id has.
    pub(super) fn replace(&mut self, id: i64, row: u32) {
        match usize::try_from(id).ok().and_then(|id| self.dense.get_mut(id)) {
            Some(slot) => *slot = row,
            None => drop(self.sparse.insert(id, row)),
        }
    }

    /// The row of an id.
    #[inline]
    pub(super) fn get(&self, id: i64) -> Option<u32> {
        let row = match usize::try_from(id).ok().and_then(|id| self.dense.get(id)) {
            Some(row) => *row,
            None => *self.sparse.get(&id)?,
        };
        (row != NONE).then_some(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_any_size_have_their_rows() {
        let ids = [3, 0, i64::MAX, 70_000, -1];
        let mut rows = ByCorrelation::of(ids.into_iter());
        for (row, &id) in (0..).zip(&ids) {
            assert_eq!(rows.put(id, row), None);
            assert_eq!(rows.put(id, 9), Some(row));
        }
        assert_eq!(ids.map(|id| rows.get(id)), [0, 1, 2, 3, 4].map(Some));
        ids.iter().for_each(|&id| rows.replace(id, 7));
        assert_eq!(ids.map(|id| rows.get(id)), [Some(7); 5]);
        assert_eq!([1, 5_000_000_000, -2].map(|id| rows.get(id)), [None; 3]);
    }
}
