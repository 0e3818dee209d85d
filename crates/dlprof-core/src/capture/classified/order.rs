//! Rows of a table in the order of time, without a list where they stand so already.

use super::Cause;
use crate::base::groups::Grouped;
use crate::base::ids::{Maybe, ThreadId};
use crate::base::time::{Ns, Span};
use crate::columns::Memory;
use crate::read::facts::RecordedTables;
use std::cmp::Reverse;
use std::sync::OnceLock;

/// The number of a row. A table holds fewer than 2^32 rows.
pub(crate) type Row = u32;

/// A row's number.
pub(crate) fn row(position: usize) -> Row {
    Row::try_from(position).expect("a table holds fewer than 2^32 - 1 rows; ingest refuses more")
}

/// The rows of a list in some order.
#[derive(Debug, Clone)]
pub(crate) enum RowOrder {
    /// As they stand.
    AsStored(usize),
    /// As listed.
    Listed(Vec<Row>),
}

impl RowOrder {
    /// Rows by a key; of equal keys the earlier row first.
    pub(crate) fn by_key<K: Ord>(rows: usize, key: impl Fn(usize) -> K) -> Self {
        if (1..rows).all(|at| key(at - 1) <= key(at)) {
            return Self::AsStored(rows);
        }
        let mut list: Vec<Row> = (0..row(rows)).collect();
        list.sort_by_key(|&row| key(row as usize));
        Self::Listed(list)
    }

    /// The rows in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let (stored, listed) = match self {
            Self::AsStored(rows) => (*rows, &[][..]),
            Self::Listed(list) => (0, &list[..]),
        };
        (0..stored).chain(listed.iter().map(|&row| row as usize))
    }

    /// The row at a place.
    #[inline]
    pub(crate) fn row(&self, at: usize) -> Option<usize> {
        match self {
            Self::AsStored(rows) => (at < *rows).then_some(at),
            Self::Listed(list) => list.get(at).map(|&row| row as usize),
        }
    }
}

/// Rows of a table by thread, each thread's by start, then end, then row. Rows without a thread, and those that `keep`
/// refuses, are left out.
pub(crate) fn rows_by_thread(
    memory: &Memory,
    threads: usize,
    thread: &[Maybe<ThreadId>],
    span: &[Span],
    keep: impl Fn(usize) -> bool,
) -> Grouped<Row> {
    let of = |row: Row| {
        let thread = thread[row as usize].some()?.index();
        (thread < threads && keep(row as usize)).then_some(thread)
    };
    Grouped::sorted(memory, threads, 0..row(span.len()), of, |&row| span[row as usize])
}

/// Rows of the tables of an activity in orders that figures need. Each is made at its first use, and depends on nothing but the
/// tables.
#[derive(Debug, Default)]
pub(crate) struct Orders {
    /// GPU items.
    pub(super) items: OnceLock<ItemOrder>,
    /// By thread: its API calls.
    pub(super) calls_by_thread: OnceLock<Grouped<Row>>,
    /// Calls that stop their thread or a stream.
    pub(super) stopping: OnceLock<StoppingCalls>,
    /// By thread: its waits, by end.
    pub(super) waits_by_end: OnceLock<Grouped<Span>>,
    /// By thread: starts of the calls that make a stream wait.
    pub(super) ordering_starts: OnceLock<Grouped<Ns>>,
    /// By thread: its ranges.
    pub(crate) ranges: OnceLock<Vec<RowOrder>>,
    /// By thread: its calls of the operating system that say something.
    pub(crate) os_calls: OnceLock<Grouped<Row>>,
    /// By thread: its MPI calls and overheads.
    pub(crate) others: OnceLock<Grouped<(Span, Cause)>>,
}

/// The calls of all threads that stop their thread or a stream, ascending: few of all.
#[derive(Debug, Default)]
pub(crate) struct StoppingCalls {
    /// Those that keep their thread until GPUs are done: waits, and copies that wait.
    pub(super) thread: Vec<Row>,
    /// Those that make a stream wait for something besides its own work.
    pub(super) stream: Vec<Row>,
}

/// GPU items by start, end, table (kernels, whole graphs, copies, memsets) and row. The four tables are merged while they are
/// read, because each mostly stands in order.
#[derive(Debug, Clone)]
pub(crate) struct ItemOrder {
    /// By table: its first row, and its rows from there.
    tables: [(usize, RowOrder); 4],
}

impl ItemOrder {
    pub(crate) fn new(recorded: &RecordedTables) -> Self {
        let kernels = recorded.kernels.len() - recorded.whole_graphs;
        let copies_end = recorded.kernels.len() + recorded.copies.len();
        let bounds = [0, kernels, recorded.kernels.len(), copies_end, recorded.work.len()];
        let order = |table: usize| {
            let spans = &recorded.work.span[..][bounds[table]..bounds[table + 1]];
            (bounds[table], RowOrder::by_key(spans.len(), |row| spans[row]))
        };
        Self { tables: [order(0), order(1), order(2), order(3)] }
    }

    /// The rows of all items in order.
    pub(crate) fn iter<'a>(&'a self, spans: &'a [Span]) -> ItemRows<'a> {
        let head = |(first, rows)| Head { first, rows, at: 0, next: None };
        let heads = self.tables.iter().map(|(first, rows)| head((*first, rows)));
        let mut items = ItemRows { spans, heads: heads.collect(), current: 0, limit: None };
        items.heads.iter_mut().for_each(|head| head.look(spans));
        items.choose();
        items
    }
}

/// An item's place in the order.
type Place = (Span, usize);

/// The tables of items while they are merged.
#[derive(Debug)]
pub(crate) struct ItemRows<'a> {
    spans: &'a [Span],
    heads: Vec<Head<'a>>,
    /// The table that the next item is from.
    current: usize,
    /// The first item of the other tables: up to there, all items are from the current one.
    limit: Option<Place>,
}

/// A table while it is merged.
#[derive(Debug)]
struct Head<'a> {
    first: usize,
    rows: &'a RowOrder,
    at: usize,
    next: Option<Place>,
}

impl Head<'_> {
    #[inline]
    fn look(&mut self, spans: &[Span]) {
        self.next = self.rows.row(self.at).map(|row| (spans[self.first + row], self.first + row));
    }
}

impl ItemRows<'_> {
    fn choose(&mut self) {
        let places = || self.heads.iter().enumerate().filter_map(|(at, head)| Some((head.next?, at)));
        let Some((_, current)) = places().min() else { return };
        self.limit = places().filter(|&(_, at)| at != current).map(|(place, _)| place).min();
        self.current = current;
    }
}

impl Iterator for ItemRows<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let head = &mut self.heads[self.current];
        let (_, row) = head.next?;
        head.at += 1;
        head.look(self.spans);
        if head.next.is_none_or(|next| self.limit.is_some_and(|limit| limit < next)) {
            self.choose();
        }
        Some(row)
    }
}

/// Ranges of a thread in nesting order: by start, the longer first, then by row.
pub(crate) fn nesting_order(spans: &[Span]) -> RowOrder {
    RowOrder::by_key(spans.len(), |row| nesting(spans[row]))
}

/// What nesting order is by, before the row.
pub(crate) fn nesting(span: Span) -> (Ns, Reverse<Ns>) {
    (span.start, Reverse(span.end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::ids::StrId;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn items_come_by_start_end_table_and_row(
            times in prop::collection::vec((0i64..20, 0i64..5), 0..40),
            cuts in prop::array::uniform3(0.0..1.0f64),
        ) {
            let spans: Vec<Span> = times.iter().map(|&(start, length)| Span::new(start, start + length)).collect();
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                clippy::cast_precision_loss,
                reason = "a part of a small number"
            )]
            let part = |of: usize, share: f64| (of as f64 * share) as usize;
            let kernels = part(spans.len(), cuts[0]);
            let mut recorded = RecordedTables::default();
            recorded.work.span = spans.clone().into();
            recorded.kernels.short_name = vec![StrId::NONE; kernels].into();
            recorded.about.whole_graphs = part(kernels, cuts[1]);
            recorded.copies.kind = vec![0; part(spans.len() - kernels, cuts[2])].into();
            let mut expected: Vec<usize> = (0..spans.len()).collect();
            expected.sort_by_key(|&row| (spans[row], row));
            let found: Vec<usize> = ItemOrder::new(&recorded).iter(&spans).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
