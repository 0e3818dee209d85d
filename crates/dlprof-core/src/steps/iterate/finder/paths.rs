//! The ranges of users with the chain of ranges around each.
//!
//! ```text
//! ranges   ├─ measure ─────────────────────────┤        path of `conv`: measure/step/conv
//!            ├─ step ──────┤  ├─ step ───────┤          (operators are no part of paths)
//!              ├ conv ┤         ├ conv ┤
//! ```
//!
//! Ranges nest by (start, end descending, row). A range that crosses the end of another is its sibling.

use super::delimiter_names::{Leaf, Leaves, NO_LEAF};
use crate::base::ids::{RangeTextId, ThreadId};
use crate::base::time::Span;
use crate::read::facts::{RecordedTables, ThreadRangeFacts};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// A path, by number.
pub(super) type Path = u32;

/// The parent of outermost ranges.
const ROOT: Path = Path::MAX;

/// One execution of a range.
#[derive(Debug, Clone, Copy)]
pub(super) struct Execution {
    pub(super) span: Span,
    pub(super) path: Path,
    pub(super) text: RangeTextId,
}

/// The ranges of users and their paths.
#[derive(Default)]
pub(super) struct Paths {
    parent: Vec<Path>,
    /// By path: its leaf.
    pub(super) leaf: Vec<Leaf>,
    /// By path: how many ranges are around it.
    pub(super) depth: Vec<u32>,
    /// By path: whether a name in it speaks of warming up or evaluation.
    pub(super) is_aside: Vec<bool>,
    /// By path: whether a name in it speaks of warming up.
    pub(super) is_warm: Vec<bool>,
    /// Ranges of all threads, in nesting order of each.
    pub(super) executions: Vec<Execution>,
    /// By thread: where its executions begin; and the end of the last.
    offsets: Vec<usize>,
    known: FxHashMap<(Path, Leaf), Path>,
}

impl Paths {
    /// Walks the ranges of all threads.
    pub(super) fn new(recorded: &RecordedTables, leaves: &Leaves<'_>) -> Self {
        let mut paths = Self { offsets: vec![0], ..Self::default() };
        for ranges in &recorded.ranges.by_thread {
            paths.walk(ranges, leaves);
            paths.offsets.push(paths.executions.len());
        }
        paths.known = FxHashMap::default();
        paths
    }

    fn walk(&mut self, ranges: &ThreadRangeFacts, leaves: &Leaves<'_>) {
        let mut open: Vec<(Span, Path)> = Vec::new();
        let mut visit = |row: usize| {
            let (span, text) = (ranges.span[row], ranges.text[row]);
            let leaf = leaves.of_text[text.index()];
            if leaf == NO_LEAF {
                return;
            }
            while open.pop_if(|(around, _)| span.end > around.end || span.start > around.end).is_some() {}
            let path = self.path(open.last().map_or(ROOT, |(_, path)| *path), leaf, leaves);
            open.push((span, path));
            self.executions.push(Execution { span, path, text });
        };
        let order = |span: &Span| (span.start, Reverse(span.end));
        if ranges.span.is_sorted_by_key(order) {
            (0..ranges.span.len()).for_each(visit);
        } else {
            let mut rows: Vec<usize> = (0..ranges.span.len()).collect();
            // Stable, because it merges the sorted runs in which ranges stand.
            rows.sort_by_key(|&row| order(&ranges.span[row]));
            rows.into_iter().for_each(&mut visit);
        }
    }

    fn path(&mut self, parent: Path, leaf: Leaf, leaves: &Leaves<'_>) -> Path {
        let next = u32::try_from(self.leaf.len()).unwrap_or(ROOT);
        let path = *self.known.entry((parent, leaf)).or_insert(next);
        if path == next {
            let said = leaves.said[leaf as usize];
            let around = |flags: &[bool]| flags.get(parent as usize).copied().unwrap_or(false);
            let is_aside = said.is_aside || around(&self.is_aside);
            let is_warm = said.is_warm || around(&self.is_warm);
            self.depth.push(self.depth.get(parent as usize).map_or(0, |depth| depth + 1));
            self.parent.push(parent);
            self.leaf.push(leaf);
            self.is_aside.push(is_aside);
            self.is_warm.push(is_warm);
        }
        path
    }

    /// The executions on a thread, in nesting order.
    pub(super) fn of_thread(&self, thread: ThreadId) -> &[Execution] {
        match self.offsets.get(thread.index()..) {
            Some([start, end, ..]) => &self.executions[*start..*end],
            _ => &[],
        }
    }

    /// The thread of an execution, by its position.
    pub(super) fn thread_of(&self, execution: usize) -> ThreadId {
        ThreadId::new(self.offsets.partition_point(|&offset| offset <= execution) - 1)
    }

    /// The path around a path, whose number is smaller; none of an outermost one.
    pub(super) fn parent(&self, path: usize) -> Option<usize> {
        Some(self.parent[path]).filter(|&parent| parent != ROOT).map(|parent| parent as usize)
    }

    /// The names of a path, outermost first, with `/` between them; its own leaf is left out.
    pub(super) fn around(&self, path: Path, leaves: &Leaves<'_>) -> String {
        let mut names = Vec::new();
        let mut at = self.parent[path as usize];
        while at != ROOT {
            names.push(leaves.name[self.leaf[at as usize] as usize]);
            at = self.parent[at as usize];
        }
        names.reverse();
        names.join("/")
    }
}

/// Keeps the outer ones of spans that lie in each other. The spans are in nesting order.
pub(super) fn outer<T>(list: &mut Vec<T>, span: impl Fn(&T) -> Span) {
    list.dedup_by(|next, last| {
        let (next, last) = (span(next), span(last));
        next.end <= last.end && next.start < last.end
    });
}
