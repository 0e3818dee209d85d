//! Items grouped by a dense key, without a list per group.

/// For each key from 0, its items: one array of items, and where each key's part begins.
#[derive(Debug, Clone)]
pub struct Grouped<T> {
    offsets: Vec<u32>,
    items: Vec<T>,
}

impl<T> Default for Grouped<T> {
    fn default() -> Self {
        Self { offsets: Vec::new(), items: Vec::new() }
    }
}

impl<T: Copy> Grouped<T> {
    /// Groups items by key, keeping their order inside each group. Items without a key are left out.
    ///
    /// # Panics
    /// If a key is not below `keys`, or there are 2^32 items.
    pub fn new(
        keys: usize,
        items: impl Iterator<Item = T> + Clone,
        key: impl Fn(T) -> Option<usize>,
    ) -> Self {
        let mut offsets = vec![0u32; keys + 1];
        for position in items.clone().filter_map(&key) {
            offsets[position + 1] += 1;
        }
        for position in 1..offsets.len() {
            offsets[position] += offsets[position - 1];
        }
        let total = offsets.last().map_or(0, |&total| total as usize);
        let mut next = offsets.clone();
        let mut grouped: Vec<T> = Vec::new();
        if let Some(first) = items.clone().next() {
            grouped = vec![first; total];
        }
        for item in items {
            if let Some(position) = key(item) {
                grouped[next[position] as usize] = item;
                next[position] += 1;
            }
        }
        Self { offsets, items: grouped }
    }

    /// The groups with each item turned into something else.
    pub(crate) fn map<U>(self, of: impl FnMut(T) -> U) -> Grouped<U> {
        Grouped { offsets: self.offsets, items: self.items.into_iter().map(of).collect() }
    }

    /// Groups as they were taken apart; none if the parts do not fit.
    pub(crate) fn from_parts(offsets: Vec<u32>, items: Vec<T>) -> Option<Self> {
        let fits = offsets.is_sorted() && offsets.last().map_or(0, |&last| last as usize) == items.len();
        fits.then_some(Self { offsets, items })
    }

    /// Where the items of each key start, and the end of the last.
    pub(crate) fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// The items of all keys, in order of key.
    pub(crate) fn items(&self) -> &[T] {
        &self.items
    }

    /// The items of a key.
    #[must_use]
    pub fn get(&self, key: usize) -> &[T] {
        &self.items[self.offsets[key] as usize..self.offsets[key + 1] as usize]
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

    /// Sorts the items of every group that is not sorted yet.
    pub fn sort_groups_by_key<K: Ord>(&mut self, key: impl Fn(&T) -> K) {
        for position in 0..self.len() {
            let range = self.offsets[position] as usize..self.offsets[position + 1] as usize;
            let group = &mut self.items[range];
            if !group.is_sorted_by_key(&key) {
                group.sort_by_key(&key);
            }
        }
    }
}
