//! Records of a thread that are missing for a while.
//!
//! ```text
//! iteration        │   1   │   2   │   3   │   4   │   5   │   6   │
//! CUDA, thread A    ▒▒▒▒▒   ▒▒▒▒▒                   ▒▒▒▒▒   ▒▒▒▒▒
//! CUDA, thread B      ▒▒▒     ▒▒▒     ▒▒▒     ▒▒▒     ▒▒▒     ▒▒▒     as many as in the others
//! missing                          ├── 3 and 4 ───┤                   and they take as long
//! ```
//!
//! A thread may also have nothing to do in some iterations, such as the one of the backward pass while a model is evaluated. Then
//! these take less time, or others do other work, or nothing at all is recorded of the thread: a hole has no CUDA call of it, but
//! its ranges or calls of the operating system go on. A thread with two holes of one length works on a schedule.

use super::launches::{Launches, Row, in_piece};
use super::recorded::{Recorded, Records};
use super::{LostOf, LostRecords};
use crate::base::ids::ThreadId;
use crate::base::ratios::median;
use crate::base::time::Ns;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::ops::Range;

/// A hole is of so many iterations or more.
const FEWEST: usize = 2;

/// On either side of a hole so many iterations are looked at, in each of which the thread launches.
const BESIDE: usize = 3;

/// The holes in the records of threads.
pub(super) fn find(recorded: &Recorded<'_>, threads: &[Records]) -> Vec<LostRecords> {
    let launches = Launches::new(recorded);
    let of_thread = |one: &Records| {
        let own = launches.of_thread(one.thread);
        let process = launches.of_process(recorded.capture.process_of(one.thread));
        let mut lengths: BTreeMap<usize, usize> = BTreeMap::new();
        holes(own).for_each(|hole| *lengths.entry(hole.len()).or_default() += 1);
        let is_alone = move |hole: &Range<usize>| lengths.get(&hole.len()) == Some(&1);
        let found = holes(own).filter(is_alone);
        found.filter_map(move |hole| lost(recorded, one, own, process, hole)).collect::<Vec<_>>()
    };
    let mut found: Vec<LostRecords> = threads.iter().flat_map(of_thread).collect();
    if !found.is_empty() {
        let goes_on = Goes::on(recorded, threads);
        found.retain(|lost| goes_on.without_calls(lost));
    }
    found
}

/// What was recorded of threads in each piece.
struct Goes {
    /// By thread of the capture: the pieces with ranges or calls of the operating system, and those with CUDA calls.
    of_thread: FxHashMap<ThreadId, [Vec<usize>; 2]>,
}

impl Goes {
    fn on(recorded: &Recorded<'_>, threads: &[Records]) -> Self {
        let all: Vec<Records> = threads.iter().map(|one| Records { last: 0, ..*one }).collect();
        let pieces = recorded.signs(&all).into_iter().zip(recorded.with_calls(&all));
        let of_thread = all.iter().zip(pieces).map(|(one, (signs, calls))| (one.thread, [signs, calls]));
        Self { of_thread: of_thread.collect() }
    }

    /// Whether a thread goes on where its records are missing.
    fn without_calls(&self, lost: &LostRecords) -> bool {
        let Some(pieces) = self.of_thread.get(&lost.thread) else { return false };
        let [signs, calls] = pieces.each_ref().map(|pieces| {
            let until = |number: u32| pieces.partition_point(|&piece| piece < number as usize);
            until(lost.last + 1) - until(lost.first)
        });
        signs >= FEWEST && calls == 0
    }
}

/// The pieces between two in which a thread launches.
fn holes(own: &[Row]) -> impl Iterator<Item = Range<usize>> + '_ {
    let between = own.windows(2).map(|pair| pair[0].piece + 1..pair[1].piece);
    between.filter(|hole| hole.start > 1 && hole.len() >= FEWEST)
}

fn lost(
    recorded: &Recorded<'_>,
    one: &Records,
    own: &[Row],
    process: &[Row],
    hole: Range<usize>,
) -> Option<LostRecords> {
    let before = hole.start.checked_sub(BESIDE).filter(|&first| first > 0)?..hole.start;
    let behind = hole.end..(hole.end + BESIDE).min(recorded.pieces);
    let beside = || before.clone().chain(behind.clone());
    let all_are =
        |mut pieces: Box<dyn Iterator<Item = usize> + '_>| pieces.all(|at| recorded.is_iteration(at));
    if behind.len() < BESIDE || !all_are(Box::new(hole.clone())) || !all_are(Box::new(beside())) {
        return None;
    }
    let launched = |rows: &[Row], pieces: &mut dyn Iterator<Item = usize>| -> Vec<Ns> {
        pieces.map(|at| Ns::try_from(in_piece(rows, at)).unwrap_or(Ns::MAX)).collect()
    };
    let of_own = launched(own, &mut beside());
    let usual = median(of_own.clone());
    let of_all = median(launched(process, &mut beside()));
    let in_hole = median(launched(process, &mut hole.clone()));
    let is_regular = of_own.iter().all(|&count| count > 0) && 10 * usual >= of_all;
    // Others do as much as before, and it takes as long.
    let is_like = |a: Ns, b: Ns, percent: Ns| 100 * (a - b).abs() <= percent * b;
    let lengths = |pieces: &mut dyn Iterator<Item = usize>| {
        median(pieces.map(|at| recorded.span(at).length()).collect())
    };
    let others = of_all - usual;
    let goes_on = others > 0
        && is_like(in_hole, others, 10)
        && is_like(lengths(&mut hole.clone()), lengths(&mut beside()), 10);
    let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    (is_regular && goes_on).then(|| LostRecords {
        of: LostOf::Calls,
        thread: one.thread,
        end_ns: recorded.span(hole.start).start,
        again_ns: Some(recorded.span(hole.end - 1).end),
        first: number(hole.start),
        last: number(hole.end - 1),
    })
}
