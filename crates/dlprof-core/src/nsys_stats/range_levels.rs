//! Which range lies in which, by their times: the parent of a range is the shortest other range of its thread that contains
//! it. Equal spans contain each other, so they and what lies in them have no level.

use super::form::NsysForm;
use super::ranges::{Range, by_thread};
use crate::base::limits::{Room, STATS_RANGES_OF_RANGES, TooMuch};
use crate::base::time::Ns;

/// How ranges lie in each other, by place in the list of ranges.
pub(super) struct Nesting {
    pub(super) parent: Vec<Option<u32>>,
    /// None for ranges in a loop, and below one.
    pub(super) level: Vec<Option<u32>>,
}

impl Nesting {
    pub(super) fn new(ranges: &[Range], form: NsysForm, memory_bytes: usize) -> Result<Self, TooMuch> {
        let mut room = STATS_RANGES_OF_RANGES.room(ranges.len(), memory_bytes);
        let mut parent = vec![None; ranges.len()];
        for (_, mut places) in by_thread(ranges, |range| range.end().is_some()) {
            find_parents(ranges, &mut places, form, &mut parent, &mut room)?;
        }
        let mut nesting = Self { level: vec![None; ranges.len()], parent };
        nesting.find_levels();
        // Every range that contains another stands in the stack of that one.
        nesting.level.iter().flatten().try_for_each(|&level| room.take(level as usize))?;
        Ok(nesting)
    }

    /// Levels from the ranges without a parent down; what has no such range above it has no level.
    fn find_levels(&mut self) {
        let mut is_done = vec![false; self.parent.len()];
        let mut path: Vec<u32> = Vec::new();
        for first in 0..u32::try_from(self.parent.len()).unwrap_or(u32::MAX) {
            let mut at = first;
            while !is_done[at as usize] {
                // A range that the path comes back to is done and has no level.
                is_done[at as usize] = true;
                path.push(at);
                match self.parent[at as usize] {
                    Some(parent) => at = parent,
                    None => break,
                }
            }
            while let Some(range) = path.pop() {
                self.level[range as usize] = match self.parent[range as usize] {
                    Some(parent) => self.level[parent as usize].map(|level| level + 1),
                    None => Some(0),
                };
            }
        }
    }

    /// By range: number of its children, and the sum of their lengths.
    pub(super) fn children(&self, ranges: &[Range]) -> Vec<(u32, Ns)> {
        let mut children = vec![(0, 0); ranges.len()];
        for (range, parent) in ranges.iter().zip(&self.parent) {
            if let Some(parent) = *parent {
                let (count, length) = &mut children[parent as usize];
                *count += 1;
                *length += range.length().unwrap_or(0);
            }
        }
        children
    }

    /// Row ids from the outermost range down to a range, as `:3:4:5`.
    pub(super) fn stack(&self, ranges: &[Range], range: u32) -> String {
        let mut ids = vec![ranges[range as usize].row_id];
        let mut at = range;
        while let Some(parent) = self.parent[at as usize] {
            ids.push(ranges[parent as usize].row_id);
            at = parent;
        }
        ids.iter().rev().map(|id| format!(":{id}")).collect()
    }
}

fn end(range: &Range) -> Ns {
    range.end().unwrap_or(range.start)
}

/// Finds the parents of the ranges of a thread.
fn find_parents(
    ranges: &[Range],
    places: &mut [u32],
    form: NsysForm,
    parent: &mut [Option<u32>],
    room: &mut Room,
) -> Result<(), TooMuch> {
    let range = |place: u32| &ranges[place as usize];
    places.sort_by_key(|&place| (range(place).start, std::cmp::Reverse(end(range(place))), place));
    let mut open: Vec<u32> = Vec::new();
    for same in places.chunk_by(|&a, &b| (range(a).start, end(range(a))) == (range(b).start, end(range(b)))) {
        let first = range(same[0]);
        open.retain(|&place| end(range(place)) >= first.start);
        room.take(open.len())?;
        let contains = |place: &u32| {
            end(range(*place)) >= end(first) && (form != NsysForm::V2022 || is_found(range(*place), first))
        };
        let length = |place: &u32| end(range(*place)) - range(*place).start;
        let outer = match form {
            // Of two with equal times, the later one lies in the earlier one.
            NsysForm::Right => open.iter().rev().copied().filter(contains).min_by_key(length),
            _ => open.iter().copied().filter(contains).min_by_key(length),
        };
        for (at, &place) in same.iter().enumerate() {
            parent[place as usize] = match (same.len(), form) {
                (1, _) => outer,
                // The earlier event is the parent.
                (_, NsysForm::Right) if at > 0 => Some(same[at - 1]),
                (_, NsysForm::Right) => outer,
                // Each contains the others.
                _ => Some(same[usize::from(at == 0)]),
            };
        }
        open.extend(same);
    }
    Ok(())
}

/// Whether nsys 2022 finds a container: it looks for it by times of single precision.
fn is_found(container: &Range, inner: &Range) -> bool {
    low(container.start) <= low(inner.start) && high(end(container)) >= high(end(inner))
}

/// The time in single precision, made smaller if that is later.
#[expect(clippy::cast_possible_truncation, reason = "this is the rounding that nsys does")]
fn low(time: i64) -> f32 {
    let exact = time as f64;
    let rounded = exact as f32;
    if f64::from(rounded) > exact { (exact * (1.0 - 2f64.powi(-23))) as f32 } else { rounded }
}

/// The time in single precision, made greater if that is earlier.
#[expect(clippy::cast_possible_truncation, reason = "this is the rounding that nsys does")]
fn high(time: i64) -> f32 {
    let exact = time as f64;
    let rounded = exact as f32;
    if f64::from(rounded) < exact { (exact * (1.0 + 2f64.powi(-23))) as f32 } else { rounded }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nsys_stats::ranges::Style;
    use proptest::prelude::*;

    fn range(row_id: i64, start: i64, end: i64) -> Range {
        Range {
            start,
            end_or_none: end,
            thread: 1,
            name: None,
            style: Style::PushPop,
            row_id,
            ends_elsewhere: false,
        }
    }

    #[test]
    fn equal_spans_have_no_level_in_nsys() {
        let ranges = [range(1, 0, 9), range(2, 2, 5), range(3, 2, 5), range(4, 3, 4), range(5, 6, 7)];
        let nsys = Nesting::new(&ranges, NsysForm::V2023, usize::MAX).expect("few ranges");
        assert_eq!(nsys.level, [Some(0), None, None, None, Some(1)]);
        let right = Nesting::new(&ranges, NsysForm::Right, usize::MAX).expect("few ranges");
        assert_eq!(right.level, [Some(0), Some(1), Some(2), Some(3), Some(1)]);
        assert_eq!(right.stack(&ranges, 3), ":1:2:3:4");
    }

    /// Ranges that are never popped lie in each other: the cost of thousands is bounded, that of few is not refused.
    #[test]
    fn ranges_that_lie_too_deep_are_refused() {
        let open = |count: i64| (0..count).map(|at| range(at, at, 100_000)).collect::<Vec<_>>();
        for form in [NsysForm::V2023, NsysForm::Right] {
            let deep = Nesting::new(&open(2_000), form, usize::MAX).expect("some millions of pairs");
            assert_eq!(deep.level.last(), Some(&Some(1_999)));
            assert_eq!(
                Nesting::new(&open(10_000), form, usize::MAX).err().map(|found| found.limit),
                Some(&STATS_RANGES_OF_RANGES)
            );
        }
        // Equal spans lie in each other one by one, in the right form alone.
        let equal: Vec<Range> = (0..10_000).map(|at| range(at, 0, 9)).collect();
        assert_eq!(
            Nesting::new(&equal, NsysForm::Right, usize::MAX).err().map(|found| found.limit),
            Some(&STATS_RANGES_OF_RANGES)
        );
        assert!(Nesting::new(&equal, NsysForm::V2023, usize::MAX).is_ok());
    }

    proptest! {
        /// The parent is the shortest of all other ranges that contain a range, found one by one.
        #[test]
        fn parents_are_the_shortest_containers(spans in prop::collection::btree_set((0i64..20, 1i64..20), 0..30)) {
            let ranges: Vec<Range> =
                (1..).zip(&spans).map(|(id, &(start, length))| range(id, start, start + length)).collect();
            let nesting = Nesting::new(&ranges, NsysForm::V2023, usize::MAX).expect("few ranges");
            for (at, inner) in ranges.iter().enumerate() {
                let contains = |outer: &&Range| {
                    outer.row_id != inner.row_id && outer.start <= inner.start && end(outer) >= end(inner)
                };
                let shortest = ranges.iter().filter(contains).filter_map(Range::length).min();
                let found = nesting.parent[at].map(|parent| &ranges[parent as usize]);
                prop_assert_eq!(found.and_then(Range::length), shortest);
                prop_assert!(found.is_none_or(|outer| contains(&outer)));
            }
        }
    }
}
