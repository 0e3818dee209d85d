//! Launches by thread and by process: a row for each piece of the time line that has some.

use super::recorded::Recorded;
use crate::base::ids::{ProcessId, ThreadId};
use crate::steps::iterate::launched::launch_calls;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The launches of a thread or a process in a piece.
#[derive(Clone, Copy)]
pub(super) struct Row {
    /// The place of the thread or process in the capture.
    whose: usize,
    pub(super) piece: usize,
    pub(super) launches: u64,
}

/// Threads × pieces are more than can be held, where there are many of both.
pub(super) struct Launches {
    /// By thread, then by piece.
    of_threads: Vec<Row>,
    /// By process, then by piece.
    of_processes: Vec<Row>,
    /// By piece: the launches until its end, of the process that made most.
    most_until: Vec<u64>,
}

impl Launches {
    pub(super) fn new(recorded: &Recorded<'_>) -> Self {
        let mut piece = recorded.cursor();
        let calls = launch_calls(recorded.capture);
        let calls = calls.map(|(thread, start)| Row {
            whose: thread.index(),
            piece: piece.at_or_before(start),
            launches: 1,
        });
        let of_threads = summed(calls);
        let process = |row: &Row| recorded.capture.process_of(ThreadId::new(row.whose)).index();
        let of_processes = of_threads.iter().map(|row| Row { whose: process(row), ..*row });
        let is_known = |row: &Row| row.whose < recorded.capture.processes.len();
        let of_processes = summed(of_processes.filter(is_known));
        let most_until = most_until(&of_processes, recorded.pieces);
        Self { of_threads, of_processes, most_until }
    }

    pub(super) fn most_until(&self, last: usize) -> u64 {
        self.most_until[last]
    }

    pub(super) fn of_thread(&self, thread: ThreadId) -> &[Row] {
        rows_of(&self.of_threads, thread.index())
    }

    pub(super) fn of_process(&self, process: ProcessId) -> &[Row] {
        rows_of(&self.of_processes, process.index())
    }
}

/// One row for each owner and piece, in this order.
fn summed(rows: impl Iterator<Item = Row>) -> Vec<Row> {
    let mut sums: FxHashMap<(usize, usize), u64> = FxHashMap::default();
    for row in rows {
        *sums.entry((row.whose, row.piece)).or_default() += row.launches;
    }
    let row = |((whose, piece), launches)| Row { whose, piece, launches };
    let mut rows: Vec<Row> = sums.into_iter().map(row).collect();
    rows.sort_unstable_by_key(|row| (row.whose, row.piece));
    rows
}

fn rows_of(rows: &[Row], whose: usize) -> &[Row] {
    let first = rows.partition_point(|row| row.whose < whose);
    let rows = &rows[first..];
    &rows[..rows.partition_point(|row| row.whose == whose)]
}

fn most_until(of_processes: &[Row], pieces: usize) -> Vec<u64> {
    let mut most = vec![0; pieces];
    for process in of_processes.chunk_by(|row, next| row.whose == next.whose) {
        let mut sum = 0;
        for row in process {
            sum += row.launches;
            most[row.piece] = sum.max(most[row.piece]);
        }
    }
    for piece in 1..pieces {
        most[piece] = most[piece].max(most[piece - 1]);
    }
    most
}

/// The launches of a thread or a process in a piece.
pub(super) fn in_piece(rows: &[Row], piece: usize) -> u64 {
    rows.binary_search_by_key(&piece, |row| row.piece).map_or(0, |at| rows[at].launches)
}

/// The median of the launches in the iterations among some pieces, as [`crate::base::ratios::median`].
pub(super) fn median_in(recorded: &Recorded<'_>, rows: &[Row], pieces: Range<usize>) -> u64 {
    let iterations = recorded.iterations_in(pieces.clone());
    let is_inside = |row: &&Row| pieces.contains(&row.piece) && recorded.is_iteration(row.piece);
    let mut launches: Vec<u64> = rows.iter().filter(is_inside).map(|row| row.launches).collect();
    launches.sort_unstable();
    // Iterations without a row come first.
    let without = iterations - launches.len();
    (iterations / 2).checked_sub(without).and_then(|at| launches.get(at)).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::iterate::KeyNodeChoice;
    use crate::tests::drawn::Drawn;

    /// A hundred threads, each of which launches in a step of its own: rows are as many as launches, not threads times steps.
    #[test]
    fn there_are_rows_for_what_was_launched_alone() {
        let mut drawn = Drawn::new();
        for step in 1..101 {
            let start = 1000 * step;
            drawn.on(ThreadId::new(0));
            drawn.range("step", start..start + 900);
            let thread = drawn.thread();
            drawn.on(thread);
            drawn.launch(start + 10..start + 11, "k", start + 12..start + 22);
        }
        let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
        let recorded = Recorded::new(&index.capture, &index.iterations);
        let launches = Launches::new(&recorded);
        assert_eq!((launches.of_threads.len(), launches.of_processes.len()), (100, 100));
        assert_eq!((launches.most_until(1), launches.most_until(50)), (1, 50));
        let (process, thread) =
            (launches.of_process(ProcessId::new(0)), launches.of_thread(ThreadId::new(7)));
        assert_eq!(thread.iter().map(|row| row.piece).collect::<Vec<_>>(), [7]);
        let median = |rows, pieces| median_in(&recorded, rows, pieces);
        assert_eq!((median(process, 1..101), median(thread, 1..101), median(thread, 7..8)), (1, 0, 1));
    }
}
