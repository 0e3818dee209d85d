//! Columns of foreign ids (threads, processes, devices), kept small while a table is read.

use rustc_hash::FxHashMap;
use std::hash::Hash;

/// A column of ids as the export writes them, each distinct one stored once.
pub(super) struct KeyColumn<K> {
    distinct: Vec<K>,
    positions: FxHashMap<K, u32>,
    last: Option<(K, u32)>,
    column: Vec<u32>,
}

/// Stands for NULL in [`KeyColumn`]s.
const NULL: u32 = u32::MAX;

impl<K: Copy + Eq + Hash> KeyColumn<K> {
    /// An empty column with room for `rows`.
    pub(super) fn with_capacity(rows: usize) -> Self {
        Self {
            distinct: Vec::new(),
            positions: FxHashMap::default(),
            last: None,
            column: Vec::with_capacity(rows),
        }
    }

    /// Adds a cell.
    pub(super) fn push(&mut self, key: Option<K>) {
        let position = match key {
            None => NULL,
            Some(key) => self.position(key),
        };
        self.column.push(position);
    }

    fn position(&mut self, key: K) -> u32 {
        if let Some((last, position)) = self.last
            && last == key
        {
            return position;
        }
        let next = u32::try_from(self.distinct.len()).unwrap_or(NULL);
        let position = *self.positions.entry(key).or_insert(next);
        if position == next {
            self.distinct.push(key);
        }
        self.last = Some((key, position));
        position
    }

    /// The distinct ids, in order of appearance.
    pub(super) fn distinct(&self) -> &[K] {
        &self.distinct
    }

    /// The column in terms of the program's own ids; NULL becomes `none`.
    pub(super) fn resolve<Id: Copy>(self, none: Id, mut find: impl FnMut(K) -> Id) -> Vec<Id> {
        let found: Vec<Id> = self.distinct.into_iter().map(&mut find).collect();
        self.column
            .into_iter()
            .map(|position| found.get(position as usize).copied().unwrap_or(none))
            .collect()
    }
}
