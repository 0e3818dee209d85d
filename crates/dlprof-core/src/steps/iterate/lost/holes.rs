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
//! these take less time, or others do other work.

use super::LostRecords;
use super::launches::{Launches, Row};
use super::recorded::{Recorded, Records};
use crate::base::ratios::median;
use crate::base::time::Ns;
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
        holes(own).filter_map(move |hole| lost(recorded, one, own, process, hole)).collect::<Vec<_>>()
    };
    threads.iter().flat_map(of_thread).collect()
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
        pieces.map(|at| Ns::try_from(launches_in(rows, at)).unwrap_or(Ns::MAX)).collect()
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
        thread: one.thread,
        end_ns: recorded.span(hole.start).start,
        again_ns: Some(recorded.span(hole.end - 1).end),
        first: number(hole.start),
        last: number(hole.end - 1),
    })
}

fn launches_in(rows: &[Row], piece: usize) -> u64 {
    rows.binary_search_by_key(&piece, |row| row.piece).map_or(0, |at| rows[at].launches)
}
