//! The innermost user range of a thread at any time.

use super::classified::Classified;
use super::order::{Row, nesting, nesting_order, row};
use crate::base::ids::{RangeTextId, ThreadId, all};
use crate::base::ordered::partition_near;
use crate::base::time::{Ns, Span};
use crate::read::facts::ThreadRangeFacts;

/// From when on which range is innermost.
///
/// ```text
/// ranges      ├─ a ─────────────┤
///               ├─ b ──┤├─ c ─────┤
/// innermost   a b       c          none
/// ```
#[derive(Debug, Default)]
pub(crate) struct InnermostRanges {
    /// When another range becomes the innermost, or none.
    times: Vec<Ns>,
    /// Which one, or [`NO_ROW`].
    rows: Vec<Row>,
    hint: usize,
}

/// No range: no list is that long.
const NO_ROW: Row = Row::MAX;

impl InnermostRanges {
    pub(crate) fn of_thread(classified: &Classified<'_>, thread: ThreadId) -> Self {
        Self::of_thread_where(classified, thread, |_| true)
    }

    /// Of the ranges of the program whose texts `keep` accepts.
    pub(crate) fn of_thread_where(
        classified: &Classified<'_>,
        thread: ThreadId,
        keep: impl Fn(&str) -> bool,
    ) -> Self {
        let ranges = &classified.activity().ranges.by_thread[thread.index()];
        let order = nesting_order(&ranges.span);
        let is_wanted = wanted(classified, ranges, keep);
        Self::new(ranges, ranges.span.len(), order.iter().filter(is_wanted))
    }

    /// What [`Self::of_thread_where`] finds at some times, which ascend: ranges that are open at none of them are left out.
    pub(crate) fn of_thread_at(
        classified: &Classified<'_>,
        thread: ThreadId,
        times: &[Ns],
        keep: impl Fn(&str) -> bool,
    ) -> Self {
        if times.is_empty() {
            return Self::default();
        }
        let ranges = &classified.activity().ranges.by_thread[thread.index()];
        let is_wanted = wanted(classified, ranges, keep);
        let mut rows: Vec<usize> = open_at(&ranges.span, times).filter(is_wanted).collect();
        rows.sort_by_key(|&row| nesting(ranges.span[row]));
        Self::new(ranges, rows.len(), rows.into_iter())
    }

    /// Of annotations and outermost operators: what these call inside is theirs.
    pub(crate) fn of_outermost_operators(classified: &Classified<'_>, thread: ThreadId) -> Self {
        let activity = classified.activity();
        let ranges = &activity.ranges.by_thread[thread.index()];
        let order = nesting_order(&ranges.span);
        let is_operator = |row: &usize| activity.ranges.texts[ranges.text[*row].index()].is_operator;
        let (mut is_inside, mut end) = (vec![false; ranges.span.len()], Ns::MIN);
        for at in order.iter().filter(is_operator) {
            is_inside[at] = ranges.span[at].end <= end;
            end = end.max(ranges.span[at].end);
        }
        let is_wanted = |&row: &usize| classified.range_class(ranges.text[row]).is_user && !is_inside[row];
        Self::new(ranges, ranges.span.len(), order.iter().filter(is_wanted))
    }

    /// Of at most so many rows in nesting order: a range is open from its start to its end, both included.
    fn new(ranges: &ThreadRangeFacts, most: usize, rows: impl Iterator<Item = usize>) -> Self {
        let changes = 2 * most;
        let mut innermost =
            Self { times: Vec::with_capacity(changes), rows: Vec::with_capacity(changes), hint: 0 };
        let mut open: Vec<(Span, Row)> = Vec::new();
        for at in rows {
            let span = ranges.span[at];
            innermost.close(&mut open, span.start);
            innermost.change(span.start, row(at));
            open.push((span, row(at)));
        }
        innermost.close(&mut open, Ns::MAX);
        innermost
    }

    /// Closes ranges that end before a time, innermost first.
    fn close(&mut self, open: &mut Vec<(Span, Row)>, time: Ns) {
        while let Some((closed, _)) = open.pop_if(|(span, _)| span.end < time) {
            let from = closed.end.saturating_add(1);
            while open.pop_if(|(span, _)| span.end < from).is_some() {}
            self.change(from, open.last().map_or(NO_ROW, |&(_, row)| row));
        }
    }

    fn change(&mut self, time: Ns, to: Row) {
        if self.times.last() == Some(&time) {
            self.rows.pop();
        } else {
            self.times.push(time);
        }
        self.rows.push(to);
    }

    /// Calls `put` with the parts of a span and the innermost range of each.
    pub(crate) fn each_in(&mut self, span: Span, mut put: impl FnMut(Span, Option<Row>)) {
        let mut at = span.start;
        while at < span.end {
            let row = self.find(at);
            let next = self.times.get(self.hint).copied().unwrap_or(Ns::MAX);
            let end = next.min(span.end);
            put(Span::new(at, end), row);
            at = end;
        }
    }

    /// The innermost range at a time.
    pub(crate) fn find(&mut self, time: Ns) -> Option<Row> {
        self.hint = partition_near(&self.times, self.hint, |&from| from <= time);
        self.rows[..self.hint].last().copied().filter(|&row| row != NO_ROW)
    }
}

/// Whether a row is a range of the program whose text `keep` accepts. Each text is looked at once where rows share texts.
fn wanted(
    classified: &Classified<'_>,
    ranges: &ThreadRangeFacts,
    keep: impl Fn(&str) -> bool,
) -> impl Fn(&usize) -> bool {
    let activity = classified.activity();
    let of_text = move |text: RangeTextId| {
        let says = activity.ranges.texts[text.index()].text;
        classified.range_class(text).is_user && keep(activity.strings.get(says))
    };
    let texts = activity.ranges.texts.len();
    let known: Vec<bool> = match texts < ranges.text.len() {
        true => all::<RangeTextId>(texts).map(&of_text).collect(),
        false => Vec::new(),
    };
    move |&row| {
        let text = ranges.text[row];
        known.get(text.index()).copied().unwrap_or_else(|| of_text(text))
    }
}

/// The spans that hold one of some times, which ascend; both ends of spans count.
fn open_at(spans: &[Span], times: &[Ns]) -> impl Iterator<Item = usize> {
    let mut next = 0;
    let holds_time = move |span: &Span| {
        next = partition_near(times, next, |&time| time < span.start);
        times.get(next).is_some_and(|&time| time <= span.end)
    };
    let is_open = spans.iter().map(holds_time);
    is_open.enumerate().filter(|(_, is_open)| *is_open).map(|(row, _)| row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The latest to start of the open ones, of those the first to end, of those the later row.
        #[test]
        fn the_innermost_range_is_found(times in prop::collection::vec((0i64..30, 0i64..20), 0..12)) {
            let spans: Vec<Span> = times.iter().map(|&(start, length)| Span::new(start, start + length)).collect();
            let columns = ThreadRangeFacts { span: spans.clone().into(), ..ThreadRangeFacts::default() };
            let order = nesting_order(&spans);
            let rows = order.iter().filter(|row| row % 4 != 3);
            let mut found = InnermostRanges::new(&columns, spans.len(), rows);
            for time in -1..60 {
                let open = (0..spans.len()).filter(|&row| row % 4 != 3 && spans[row].start <= time && time <= spans[row].end);
                let expected = open.max_by_key(|&row| (spans[row].start, -spans[row].end, row));
                prop_assert_eq!(found.find(time).map(|row| row as usize), expected, "at {}", time);
            }
            let mut by_piece = Vec::new();
            found.each_in(Span::new(-1, 60), |piece, row| by_piece.extend((piece.start..piece.end).map(|_| row)));
            let by_time: Vec<_> = (-1..60).map(|time| found.find(time)).collect();
            prop_assert_eq!(by_piece, by_time);
        }

        #[test]
        fn ranges_are_open_at_times_inside_them(
            spans in prop::collection::vec((0i64..30, 0i64..9), 0..12), mut times in prop::collection::vec(-2i64..40, 0..5),
        ) {
            let spans: Vec<Span> = spans.iter().map(|&(start, length)| Span::new(start, start + length)).collect();
            times.sort_unstable();
            let holds = |span: &Span| times.iter().any(|&time| span.start <= time && time <= span.end);
            let expected: Vec<usize> = (0..spans.len()).filter(|&row| holds(&spans[row])).collect();
            prop_assert_eq!(open_at(&spans, &times).collect::<Vec<_>>(), expected);
        }
    }
}
