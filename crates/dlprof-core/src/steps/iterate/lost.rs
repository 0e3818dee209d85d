//! Where the tracer lost records: threads whose CUDA records end while the program goes on.
//!
//! ```text
//! iteration        │   1   │   2   │   3   │   4   │   5   │   6   │
//! ranges           ├step──┤├step──┤├step──┤├step──┤├step──┤├step──┤
//! CUDA, thread A    ▒▒▒▒▒   ▒▒▒▒▒   ▒▒                                 its records end in iteration 3
//! CUDA, thread B      ▒▒▒     ▒▒▒     ▒▒▒     ▒▒▒     ▒▒▒     ▒▒▒
//! untraced                          ├──────── 3 to 6 ──────────────┤    that in which the loss begins, too
//! ```
//!
//! A thread counts if it made at least a tenth of the launches so far, of the process that made most. It goes on if ranges or
//! calls of the operating system of it, or launches of other threads of its process, start in at least two later iterations. A
//! thread that only set things up lost nothing: it must have launched in half of the iterations since its first one, and in
//! three of them if only others go on. Nor did one whose work others took over: then there are as many launches as before.
//!
//! Records of a thread may also be missing for a while (`holes`), and calls may be recorded without what they launched
//! (`unrecorded`).

mod holes;
mod launches;
mod recorded;
mod unrecorded;

use self::launches::{Launches, Row};
use self::recorded::{Recorded, Records};
use super::Iterations;
use crate::base::diagnostics::{DiagnosticCode, Diagnostics};
use crate::base::ids::{Maybe, ThreadId};
use crate::base::ratios::{count_to_f64, to_f64};
use crate::base::time::Ns;
use crate::capture::Capture;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Which records are missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum LostOf {
    /// Those of calls, and of what these launched.
    #[default]
    Calls,
    /// Those of what calls launched, which are recorded themselves.
    Work,
}

/// Records of CUDA that the tracer lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostRecords {
    /// Which records are missing.
    #[serde(default)]
    pub of: LostOf,
    /// The thread whose records end; none if those of several threads end together.
    pub thread: Maybe<ThreadId>,
    /// The end of its last record, or of the last one before those that are missing.
    pub end_ns: Ns,
    /// Where records begin again; none if they do not.
    #[serde(default)]
    pub again_ns: Option<Ns>,
    /// The first iteration about whose GPU work nothing is known.
    pub first: u32,
    /// The last of them.
    pub last: u32,
}

impl LostRecords {
    /// The iterations about whose GPU work nothing is known.
    #[must_use]
    pub fn iterations(&self) -> RangeInclusive<u32> {
        self.first..=self.last
    }

    /// Whose records end, and when.
    #[must_use]
    pub fn in_words(&self, capture: &Capture) -> String {
        let thread = self.thread.some().and_then(|thread| capture.threads.get(thread.index()));
        let whose = match (self.of, thread) {
            (LostOf::Calls, Some(thread)) => format!("CUDA records of thread {}", thread.tid()),
            (LostOf::Calls, None) => "all CUDA records".to_owned(),
            (LostOf::Work, Some(thread)) => format!("records of work that thread {} launched", thread.tid()),
            (LostOf::Work, None) => "records of launched work".to_owned(),
        };
        match self.again_ns {
            None if self.of == LostOf::Work => {
                format!("{whose} are missing from {} on", time_in_words(self.end_ns, self.end_ns))
            }
            None => format!("{whose} end at {}", time_in_words(self.end_ns, self.end_ns)),
            Some(again_ns) => {
                let time = |ns: Ns| time_in_words(ns, again_ns - self.end_ns);
                format!("{whose} are missing from {} to {}", time(self.end_ns), time(again_ns))
            }
        }
    }
}

/// `37.6 s`, or `12.3 ms` where seconds would say nothing of a length.
fn time_in_words(ns: Ns, length_ns: Ns) -> String {
    match length_ns < 1_000_000_000 {
        true => format!("{:.1} ms", to_f64(ns) / 1e6),
        false => format!("{:.1} s", to_f64(ns) / 1e9),
    }
}

impl Iterations {
    /// Counts the threads whose records the tracer lost.
    pub(crate) fn note_lost_records(&self, capture: &Capture, diagnostics: &mut Diagnostics) {
        let captured_ns = self.boundaries.last().copied().unwrap_or(0);
        // Of work without records a finding says more, and what records it.
        for lost in self.lost.iter().filter(|lost| lost.of == LostOf::Calls) {
            let which = match (lost.first, lost.last) {
                (first, last) if first == last => format!("iteration {first} is"),
                (first, last) => format!("iterations {first} to {last} are"),
            };
            diagnostics.count(DiagnosticCode::LostRecords, || {
                format!(
                    "{} of {}; {which} not judged",
                    lost.in_words(capture),
                    time_in_words(captured_ns, captured_ns)
                )
            });
        }
    }
}

/// The program goes on if it does so in this many iterations.
const FEWEST_LATER: usize = 2;

/// A thread that launched in fewer iterations may have been there to set things up.
const FEWEST_REGULAR: usize = 3;

/// The records that the tracer lost, by thread.
pub(super) fn find(capture: &Capture, iterations: &Iterations) -> Vec<LostRecords> {
    if iterations.total() as usize <= FEWEST_LATER || iterations.key_node.is_none() {
        return Vec::new();
    }
    let recorded = Recorded::new(capture, iterations);
    let records = recorded.by_thread();
    let Some(last) = records.iter().map(|one| one.last).max() else { return Vec::new() };
    // GPU work may have no call.
    let last = if recorded.later(last) < FEWEST_LATER { last } else { recorded.last_with_work().max(last) };
    let mut lost: Vec<LostRecords> = all_records(&recorded, &records, last).into_iter().collect();
    // What ended with all records is said once.
    let ends_with_all = |one: &Records| !lost.is_empty() && one.last == last;
    let candidates: Vec<Records> = records
        .iter()
        .filter(|one| one.launches > 0 && !ends_with_all(one) && recorded.later(one.last) >= FEWEST_LATER)
        .copied()
        .collect();
    if !candidates.is_empty() {
        lost.extend(records_of_threads(&recorded, candidates));
    }
    let launching: Vec<Records> = records.iter().filter(|one| one.launches > 0).copied().collect();
    if launching.len() > 1 {
        lost.extend(holes::find(&recorded, &launching));
    }
    if !lost.is_empty() {
        with_edges(&recorded, &mut lost);
    }
    lost.extend(unrecorded::find(&recorded));
    lost.sort_by_key(|lost| (lost.first, lost.thread));
    lost
}

/// A loss begins inside the iteration before, and ends inside the one after, where less is recorded there than usual.
fn with_edges(recorded: &Recorded<'_>, lost: &mut [LostRecords]) {
    let launches = Launches::new(recorded);
    let threads = 0..recorded.capture.threads.len();
    let known = lost.to_vec();
    // Of all threads: those that lost nothing by themselves before.
    let lost_alone = |thread: usize, piece: usize| {
        let is_of = |lost: &&LostRecords| lost.thread.some().is_some_and(|own| own.index() == thread);
        known.iter().filter(is_of).any(|lost| (lost.first as usize..=lost.last as usize).contains(&piece))
    };
    for lost in lost {
        let (first, last) = (lost.first as usize, lost.last as usize);
        let rows = |thread: usize| launches.of_thread(ThreadId::new(thread));
        let is_meant = |thread: usize, piece: usize| match lost.thread.some() {
            Some(own) => own.index() == thread,
            None => !lost_alone(thread, piece),
        };
        let is_short = |piece: usize| {
            recorded.is_iteration(piece)
                && threads.clone().filter(|&thread| is_meant(thread, piece)).any(|thread| {
                    let usual = launches::median_in(recorded, rows(thread), 1..first);
                    10 * launches::in_piece(rows(thread), piece) < 9 * usual
                })
        };
        let begins_before = first > 1 && is_short(first - 1);
        let ends_behind = lost.again_ns.is_some() && last + 1 < recorded.pieces && is_short(last + 1);
        lost.first -= u32::from(begins_before);
        lost.last += u32::from(ends_behind);
    }
}

/// Whether the records of all threads end while ranges go on.
fn all_records(recorded: &Recorded<'_>, records: &[Records], last: usize) -> Option<LostRecords> {
    let mut launching = records.iter().filter(|records| records.launches > 0);
    let (first, others) = (launching.next()?, launching.next());
    if recorded.later(last) < FEWEST_LATER {
        return None;
    }
    let end_ns = records.iter().map(|records| records.end_ns).max()?;
    let thread = if others.is_none() { first.thread.into() } else { Maybe::NONE };
    lost(recorded, thread, Records { end_ns, last, ..*first }, &recorded.with_ranges(last))
}

/// The threads whose records end while they, or others of their process, go on.
fn records_of_threads(recorded: &Recorded<'_>, mut candidates: Vec<Records>) -> Vec<LostRecords> {
    let launches = Launches::new(recorded);
    candidates.retain(|one| one.launches.saturating_mul(10) >= launches.most_until(one.last));
    let signs = recorded.signs(&candidates);
    let mut found = Vec::new();
    for (one, mut signs) in candidates.iter().zip(signs) {
        let process = launches.of_process(recorded.capture.process_of(one.thread));
        let own = launches.of_thread(one.thread);
        let (regular, share) = regularity(recorded, own, one.last);
        if process.is_empty() || share < 0.5 || is_taken_over(recorded, own, process, one.last) {
            continue;
        }
        let alone = lost(recorded, one.thread.into(), *one, &signs).filter(|_| regular > 0);
        // The thread itself launches no more.
        signs.extend(process.iter().map(|row| row.piece).filter(|&piece| piece > one.last));
        signs.sort_unstable();
        signs.dedup();
        let with_others =
            lost(recorded, one.thread.into(), *one, &signs).filter(|_| regular >= FEWEST_REGULAR);
        found.extend(with_others.or(alone));
    }
    found
}

/// In how many iterations until its last a thread launched, and in which share of those since its first one.
fn regularity(recorded: &Recorded<'_>, own: &[Row], last: usize) -> (usize, f64) {
    let Some(first) = first_piece(own) else { return (0, 0.0) };
    let is_regular = |row: &&Row| row.piece > 0 && recorded.is_iteration(row.piece);
    let regular = own.iter().filter(is_regular).count();
    let all = recorded.iterations_in(first..last + 1).max(1);
    (regular, count_to_f64(regular as u64) / count_to_f64(all as u64))
}

/// Where a thread launched first, after the start-up.
fn first_piece(own: &[Row]) -> Option<usize> {
    own.iter().map(|row| row.piece).find(|&piece| piece > 0)
}

/// Whether a process launches as much without a thread as it did with it.
fn is_taken_over(recorded: &Recorded<'_>, own: &[Row], process: &[Row], last: usize) -> bool {
    let first = first_piece(own).unwrap_or(last);
    let before = launches::median_in(recorded, process, first..last + 1);
    let later = launches::median_in(recorded, process, last + 1..recorded.pieces);
    later.saturating_mul(20) >= before.saturating_mul(19)
}

/// What was lost where the program goes on in some pieces, which ascend; nothing if too few of them are later iterations.
fn lost(
    recorded: &Recorded<'_>,
    thread: Maybe<ThreadId>,
    records: Records,
    signs: &[usize],
) -> Option<LostRecords> {
    let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let mut signs = signs.iter().copied().filter(|&at| at > records.last && recorded.is_iteration(at));
    if signs.clone().count() < FEWEST_LATER {
        return None;
    }
    let (first, last) = (recorded.first_from(records.last + 1), signs.next_back()?);
    let Records { end_ns, .. } = records;
    Some(LostRecords {
        of: LostOf::Calls,
        thread,
        end_ns,
        again_ns: None,
        first: number(first),
        last: number(last),
    })
}

#[cfg(test)]
mod tests;
