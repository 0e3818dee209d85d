//! Items grouped by a key from 0 to a small number, without a list per group.

use crate::columns::{Buffer, FactColumn, Memory};

/// The items of each key. Keys are numbers from 0. One column has all items, another says where the items of each
/// key begin.
#[derive(Debug, Clone, PartialEq)]
pub struct Grouped<T> {
    /// One entry more than there are keys; empty if there are no keys.
    offsets: FactColumn<(), u32>,
    items: FactColumn<(), T>,
}

impl<T> Default for Grouped<T> {
    fn default() -> Self {
        Self { offsets: FactColumn::default(), items: FactColumn::default() }
    }
}

impl<T: Copy + Send + Sync + 'static> Grouped<T> {
    /// Groups items by key, keeping their order inside each group. Items without a key are left out.
    ///
    /// # Panics
    /// If a key is not below `keys`, or there are 2^32 items.
    pub fn new(
        memory: &Memory,
        keys: usize,
        items: impl Iterator<Item = T> + Clone,
        key: impl Fn(T) -> Option<usize>,
    ) -> Self {
        let (offsets, items) = grouped(memory, keys, items, key);
        Self { offsets: offsets.into_column(), items: items.into_column() }
    }

    /// As [`Self::new`], but the items of every group are sorted; equal items keep their order.
    ///
    /// # Panics
    /// As [`Self::new`].
    pub fn sorted<K: Ord>(
        memory: &Memory,
        keys: usize,
        items: impl Iterator<Item = T> + Clone,
        key: impl Fn(T) -> Option<usize>,
        order: impl Fn(&T) -> K,
    ) -> Self {
        let (offsets, mut items) = grouped(memory, keys, items, key);
        for part in offsets.windows(2) {
            let group = &mut items[part[0] as usize..part[1] as usize];
            if !group.is_sorted_by_key(&order) {
                group.sort_by_key(&order);
            }
        }
        Self { offsets: offsets.into_column(), items: items.into_column() }
    }

    /// The groups that two columns describe; `None` if the columns do not fit each other.
    pub(crate) fn from_columns(offsets: FactColumn<(), u32>, items: FactColumn<(), T>) -> Option<Self> {
        let fits = offsets.is_sorted() && offsets.last().map_or(0, |&last| last as usize) == items.len();
        fits.then_some(Self { offsets, items })
    }
}

impl<T> Grouped<T> {
    /// Where the items of each key start, and the end of the last key's items.
    pub(crate) fn offsets(&self) -> &FactColumn<(), u32> {
        &self.offsets
    }

    /// The items of all keys, sorted by key.
    pub(crate) fn items(&self) -> &FactColumn<(), T> {
        &self.items
    }

    /// The groups with each item turned into something else.
    pub(crate) fn map<U: Copy + Send + Sync + 'static>(
        &self,
        memory: &Memory,
        of: impl FnMut(T) -> U,
    ) -> Grouped<U>
    where
        T: Copy,
    {
        let items = memory.collect(self.items.iter().copied().map(of));
        Grouped { offsets: self.offsets.clone(), items: items.into_column() }
    }

    /// The items of a key.
    #[must_use]
    #[inline]
    pub fn get(&self, key: usize) -> &[T] {
        let offsets = &self.offsets[..];
        &self.items[..][offsets[key] as usize..offsets[key + 1] as usize]
    }

    /// Number of keys.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether there are no keys.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

fn grouped<T: Copy + Send + Sync + 'static>(
    memory: &Memory,
    keys: usize,
    items: impl Iterator<Item = T> + Clone,
    key: impl Fn(T) -> Option<usize>,
) -> (Buffer<u32>, Buffer<T>) {
    let mut offsets = memory.filled(keys + 1, 0_u32);
    for position in items.clone().filter_map(&key) {
        offsets[position + 1] += 1;
    }
    for position in 1..offsets.len() {
        offsets[position] += offsets[position - 1];
    }
    let total = offsets.last().map_or(0, |&total| total as usize);
    let mut next = memory.collect(offsets.iter().copied());
    let mut grouped = match items.clone().next() {
        Some(first) => memory.filled(total, first),
        None => memory.buffer(0),
    };
    for item in items {
        if let Some(position) = key(item) {
            grouped[next[position] as usize] = item;
            next[position] += 1;
        }
    }
    (offsets, grouped)
}
