//! Columns of foreign ids (threads, processes, devices), kept small while a table is read.

use crate::columns::{Buffer, Id, Maybe, Memory};
use crate::read::recent::Recent;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::{BuildHasher, Hash};

/// Distinct keys, each with a position in order of appearance.
pub(super) struct Distinct<K> {
    list: Vec<K>,
    positions: FxHashMap<K, u32>,
    recent: Recent<512>,
}

impl<K: Copy + Eq + Hash> Distinct<K> {
    pub(super) fn new() -> Self {
        Self { list: Vec::new(), positions: FxHashMap::default(), recent: Recent::new() }
    }

    /// The position of a key, which is added if it is new.
    #[inline]
    pub(super) fn position(&mut self, key: K) -> u32 {
        let hash = FxBuildHasher.hash_one(key);
        match self.recent.find(hash, |position| self.list[position] == key) {
            Some(position) => position,
            None => self.find(key, hash),
        }
    }

    /// The position of a key that was met before.
    pub(super) fn known(&self, key: K) -> Option<u32> {
        self.positions.get(&key).copied()
    }

    /// Number of keys.
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    fn find(&mut self, key: K, hash: u64) -> u32 {
        let next = u32::try_from(self.list.len()).unwrap_or(NULL);
        let position = *self.positions.entry(key).or_insert(next);
        if position == next {
            self.list.push(key);
        }
        self.recent.remember(hash, position);
        position
    }

    /// The keys, in order of appearance.
    pub(super) fn into_list(self) -> Vec<K> {
        self.list
    }
}

/// A column of ids as the export writes them, each distinct one stored once.
pub(super) struct KeyColumn<K> {
    distinct: Distinct<K>,
    column: Buffer<u32>,
}

/// A column of ids that no row is without, each distinct one stored once.
pub(super) struct KnownColumn<K> {
    distinct: Distinct<K>,
    column: Buffer<u32>,
}

impl<K: Copy + Eq + Hash> KnownColumn<K> {
    /// An empty column with room for `rows`.
    pub(super) fn with_capacity(memory: &Memory, rows: usize) -> Self {
        Self { distinct: Distinct::new(), column: memory.buffer(rows) }
    }

    /// Adds a cell.
    #[inline]
    pub(super) fn push(&mut self, key: K) {
        self.column.push(self.distinct.position(key));
    }

    /// The distinct ids, in order of appearance.
    pub(super) fn distinct(&self) -> &[K] {
        &self.distinct.list
    }

    /// Adds the cells of another column.
    pub(super) fn append(&mut self, more: Self) {
        let moved: Vec<u32> = more.distinct().iter().map(|&key| self.distinct.position(key)).collect();
        self.column.extend(more.column.iter().map(|&at| moved[at as usize]));
    }

    /// A column of what each of the distinct ids means.
    pub(super) fn resolve<T: Copy + Send + Sync + 'static>(
        &self,
        memory: &Memory,
        meaning: impl FnMut(K) -> T,
    ) -> Buffer<T> {
        let found: Vec<T> = self.distinct.list.iter().copied().map(meaning).collect();
        memory.collect(self.column.iter().map(|&at| found[at as usize]))
    }
}

/// Means NULL in [`KeyColumn`]s.
const NULL: u32 = u32::MAX;

impl<K: Copy + Eq + Hash> KeyColumn<K> {
    /// An empty column with room for `rows`.
    pub(super) fn with_capacity(memory: &Memory, rows: usize) -> Self {
        Self { distinct: Distinct::new(), column: memory.buffer(rows) }
    }

    /// Adds a cell.
    #[inline]
    pub(super) fn push(&mut self, key: Option<K>) {
        self.column.push(key.map_or(NULL, |key| self.distinct.position(key)));
    }

    /// The distinct ids, in order of appearance.
    pub(super) fn distinct(&self) -> &[K] {
        &self.distinct.list
    }

    /// By row: the position of its id among the distinct ones.
    pub(super) fn positions(&self) -> &[u32] {
        &self.column
    }

    /// A column of what each id means; none where it is NULL or means nothing.
    pub(super) fn resolve<I: Id + Send + Sync + 'static>(
        &self,
        memory: &Memory,
        find: impl FnMut(K) -> Maybe<I>,
    ) -> Buffer<Maybe<I>> {
        let found: Vec<Maybe<I>> = self.distinct.list.iter().copied().map(find).collect();
        memory.collect(self.column.iter().map(|at| found.get(*at as usize).copied().unwrap_or(Maybe::NONE)))
    }
}
