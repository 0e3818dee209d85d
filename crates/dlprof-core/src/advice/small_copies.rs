//! Small copies of one size, of which there are many, and what the program does with each of them.

use crate::base::time::Span;
use crate::capture::classified::Classified;
use crate::figures::activity::{CopyKind, CopyRounds, EqualCopies, copy_rounds, equal_copies};
use std::cmp::Reverse;

/// A copy up to this size takes about as long as an empty one.
const SMALL_BYTES: u64 = 64 << 10;

/// Fewer copies per iteration are not many.
const FEWEST: u64 = 50;

/// The small copies of one direction and size whose calls take most time.
#[derive(Debug, Clone, Copy)]
pub(super) struct SmallCopies {
    /// The copies.
    pub(super) copies: EqualCopies,
    /// From one of them to the next, where the program does little more there than launch once, take memory once and wait once,
    /// and one of these at least for each copy.
    pub(super) rounds: Option<CopyRounds>,
}

impl SmallCopies {
    /// Whether there is one for each copy, within a twentieth.
    pub(super) fn is_one_each(&self, count: u64) -> bool {
        count.abs_diff(self.copies.count) * 20 <= self.copies.count
    }

    /// Whether nearly all of some calls are made once for each of these copies; `of` says how many are.
    pub(super) fn has_nearly_all(&self, of: impl Fn(&CopyRounds) -> u64, calls: u64) -> bool {
        self.rounds.is_some_and(|rounds| self.is_one_each(of(&rounds)) && 10 * of(&rounds) >= 9 * calls)
    }
}

/// Such copies of some iterations that start in a span and `is_own`; `None` where no kind and size comes often.
pub(super) fn small_copies(
    facts: &Classified<'_>,
    span: Span,
    iterations: u32,
    is_own: impl Fn(usize) -> bool,
) -> Option<SmallCopies> {
    let fewest = FEWEST * u64::from(iterations.max(1));
    let groups = equal_copies(facts, span, SMALL_BYTES, &is_own);
    let is_meant = |group: &&EqualCopies| {
        matches!(group.kind, CopyKind::HtoD | CopyKind::DtoH) && group.count >= fewest && group.bytes > 0
    };
    let key = |group: &&EqualCopies| (group.api_time_ns, Reverse((group.kind, group.bytes)));
    let copies = *groups.iter().filter(is_meant).max_by_key(key)?;
    let rounds = copy_rounds(facts, span, (copies.kind, copies.bytes), is_own);
    let found = SmallCopies { copies, rounds: None };
    let beside = [rounds.launches, rounds.allocations, rounds.waits];
    let is_little = beside.iter().all(|&count| count <= copies.count || found.is_one_each(count));
    let is_row = is_little && beside.iter().any(|&count| found.is_one_each(count));
    let is_in_calls = 2 * rounds.call_time_ns >= rounds.time_ns;
    Some(SmallCopies { rounds: (is_row && is_in_calls).then_some(rounds), ..found })
}
