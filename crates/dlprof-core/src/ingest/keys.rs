//! Columns of foreign ids (threads, processes, devices), kept small while a table is read.

use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::{BuildHasher, Hash};

/// Distinct keys, each with a position in order of appearance.
pub(super) struct Distinct<K> {
    list: Vec<K>,
    positions: FxHashMap<K, u32>,
    /// Keys met lately, each at a place that its hash gives: rows of a few threads take turns.
    lately: [Option<(K, u32)>; LATELY],
}

/// Number of keys remembered; a power of two.
const LATELY: usize = 64;

impl<K: Copy + Eq + Hash> Distinct<K> {
    pub(super) fn new() -> Self {
        Self { list: Vec::new(), positions: FxHashMap::default(), lately: [None; LATELY] }
    }

    /// The position of a key, which is added if it is new.
    #[inline]
    pub(super) fn position(&mut self, key: K) -> u32 {
        let place = usize::try_from(FxBuildHasher.hash_one(key) % LATELY as u64).unwrap_or(0);
        match self.lately[place] {
            Some((known, position)) if known == key => position,
            _ => self.find(key, place),
        }
    }

    fn find(&mut self, key: K, place: usize) -> u32 {
        let next = u32::try_from(self.list.len()).unwrap_or(NULL);
        let position = *self.positions.entry(key).or_insert(next);
        if position == next {
            self.list.push(key);
        }
        self.lately[place] = Some((key, position));
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
    column: Vec<u32>,
}

/// Stands for NULL in [`KeyColumn`]s.
const NULL: u32 = u32::MAX;

impl<K: Copy + Eq + Hash> KeyColumn<K> {
    /// An empty column with room for `rows`.
    pub(super) fn with_capacity(rows: usize) -> Self {
        Self { distinct: Distinct::new(), column: Vec::with_capacity(rows) }
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

    /// Another column, of what each id means; NULL becomes `none`.
    pub(super) fn map<Id: Copy>(&self, none: Id, find: impl FnMut(K) -> Id) -> Vec<Id> {
        let found: Vec<Id> = self.distinct.list.iter().copied().map(find).collect();
        self.column.iter().map(|position| found.get(*position as usize).copied().unwrap_or(none)).collect()
    }

    /// The column in terms of the program's own ids, in the same memory; NULL becomes `none`.
    pub(super) fn resolve<Id: Copy>(self, none: Id, find: impl FnMut(K) -> Id) -> Vec<Id> {
        let found: Vec<Id> = self.distinct.list.into_iter().map(find).collect();
        self.column
            .into_iter()
            .map(|position| found.get(position as usize).copied().unwrap_or(none))
            .collect()
    }
}
