//! Where the tracer lost records: threads whose CUDA records end while the program goes on.
//!
//! ```text
//! iteration        │   1   │   2   │   3   │   4   │   5   │   6   │
//! ranges           ├step──┤├step──┤├step──┤├step──┤├step──┤├step──┤
//! CUDA, thread A    ▒▒▒▒▒   ▒▒▒▒▒   ▒▒                                 its records end in iteration 3
//! CUDA, thread B      ▒▒▒     ▒▒▒     ▒▒▒     ▒▒▒     ▒▒▒     ▒▒▒
//! untraced                                  ├──── 4 to 6 ──────────┤
//! ```
//!
//! A thread counts if it made at least a tenth of the launches so far, of the process that made most. It goes on if ranges or
//! calls of the operating system of it, or launches of other threads of its process, start in at least two later iterations. A
//! thread that only set things up lost nothing: it must have launched in half of the iterations since its first one, and in
//! three of them if only others go on. Nor did one whose work others took over: then there are as many launches as before.

use super::Iterations;
use super::launched::launch_calls;
use crate::base::diagnostics::{Code, Diagnostics};
use crate::base::ids::{ProcessId, ThreadId};
use crate::base::ordered::Cursor;
use crate::base::ratios::{count_to_f64, median, to_f64};
use crate::base::time::Ns;
use crate::capture::Capture;
use serde::{Deserialize, Serialize};
use std::ops::{Range, RangeInclusive};

/// Records of CUDA that the tracer lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostRecords {
    /// The thread whose records end; none if those of several threads end together.
    pub thread: ThreadId,
    /// The end of its last record.
    pub end_ns: Ns,
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
        let whose = match self.thread.some().and_then(|thread| capture.threads.get(thread.index())) {
            Some(thread) => format!("CUDA records of thread {}", thread.global_tid & 0xFF_FFFF),
            None => "all CUDA records".to_owned(),
        };
        format!("{whose} end at {:.1} s", to_f64(self.end_ns) / 1e9)
    }
}

impl Iterations {
    /// Counts the threads whose records the tracer lost.
    pub(crate) fn note_lost_records(&self, capture: &Capture, diagnostics: &mut Diagnostics) {
        let captured_ns = self.boundaries.last().copied().unwrap_or(0);
        for lost in &self.lost {
            let which = match (lost.first, lost.last) {
                (first, last) if first == last => format!("iteration {first} is"),
                (first, last) => format!("iterations {first} to {last} are"),
            };
            diagnostics.count(Code::LostRecords, || {
                format!(
                    "{} of {:.1} s; {which} not judged",
                    lost.in_words(capture),
                    to_f64(captured_ns) / 1e9
                )
            });
        }
    }
}

/// The program goes on if it does so in this many iterations.
const FEWEST_LATER: usize = 2;

/// A thread that launched in fewer iterations may have been there to set things up.
const FEWEST_REGULAR: usize = 3;

/// CUDA records of a thread.
#[derive(Clone, Copy)]
struct Records {
    thread: ThreadId,
    launches: u64,
    last_start: Ns,
    end_ns: Ns,
    /// The iteration of the last of them.
    last: usize,
}

/// The records that the tracer lost, by thread.
pub(super) fn find(capture: &Capture, iterations: &Iterations) -> Vec<LostRecords> {
    let pieces = iterations.total() as usize;
    if pieces <= FEWEST_LATER || iterations.key_node.is_none() {
        return Vec::new();
    }
    let search = Search { capture, iterations, pieces };
    let records = search.records();
    let Some(all) = records.iter().map(|one| one.last).max().map(|last| search.last_of_all(last)) else {
        return Vec::new();
    };
    let mut lost: Vec<LostRecords> = search.all_records(&records, all).into_iter().collect();
    // What ended with all records is said once.
    let ends_with_all = |one: &Records| !lost.is_empty() && one.last == all;
    let candidates: Vec<Records> = records
        .iter()
        .filter(|one| one.launches > 0 && !ends_with_all(one) && search.later(one.last) >= FEWEST_LATER)
        .copied()
        .collect();
    if !candidates.is_empty() {
        lost.extend(search.of_threads(candidates));
    }
    lost.sort_by_key(|lost| (lost.first, lost.thread));
    lost
}

struct Search<'a> {
    capture: &'a Capture,
    iterations: &'a Iterations,
    pieces: usize,
}

impl Search<'_> {
    fn cursor(&self) -> Cursor<'_> {
        Cursor::new(self.iterations.inner_boundaries())
    }

    fn is_iteration(&self, at: usize) -> bool {
        at > 0 && !self.iterations.outside.get(at).copied().unwrap_or(false)
    }

    /// How many iterations there are behind one.
    fn later(&self, last: usize) -> usize {
        (last + 1..self.pieces).filter(|&at| self.is_iteration(at)).count()
    }

    /// The CUDA records of each thread that has some.
    fn records(&self) -> Vec<Records> {
        let none =
            Records { thread: ThreadId::NONE, launches: 0, last_start: Ns::MIN, end_ns: Ns::MIN, last: 0 };
        let mut records = vec![none; self.capture.threads.len()];
        let calls = &self.capture.api_calls;
        for (span, thread) in calls.span.iter().zip(&calls.thread) {
            let Some(records) = records.get_mut(thread.index()) else { continue };
            records.last_start = span.start.max(records.last_start);
            records.end_ns = span.end.max(records.end_ns);
        }
        for (thread, _) in launch_calls(self.capture) {
            if let Some(records) = records.get_mut(thread.index()) {
                records.launches += 1;
            }
        }
        let mut iteration = self.cursor();
        for (at, records) in records.iter_mut().enumerate() {
            records.thread = ThreadId::new(at);
            records.last = iteration.at_or_before(records.last_start);
        }
        records.retain(|records| records.end_ns > Ns::MIN);
        records
    }

    /// The iteration of the last record of CUDA, given that of the last call: GPU work may have no call.
    fn last_of_all(&self, last_call: usize) -> usize {
        if self.later(last_call) < FEWEST_LATER {
            return last_call;
        }
        let work = &self.capture.work;
        let without_call = work.span.iter().zip(&work.api).filter(|(_, call)| call.is_none());
        let start = without_call.map(|(span, _)| span.start).max();
        start.map_or(0, |start| self.cursor().at_or_before(start)).max(last_call)
    }

    /// Whether the records of all threads end while ranges go on.
    fn all_records(&self, records: &[Records], last: usize) -> Option<LostRecords> {
        let mut launching = records.iter().filter(|records| records.launches > 0);
        let (first, others) = (launching.next()?, launching.next());
        if self.later(last) < FEWEST_LATER {
            return None;
        }
        let mut goes_on = vec![false; self.pieces];
        for thread in 0..self.capture.ranges.by_thread.len() {
            self.mark_ranges(ThreadId::new(thread), last, &mut goes_on);
        }
        let end_ns = records.iter().map(|records| records.end_ns).max()?;
        let thread = if others.is_none() { first.thread } else { ThreadId::NONE };
        self.lost(Records { thread, end_ns, last, ..*first }, &goes_on)
    }

    /// Marks the later iterations in which ranges of a thread start.
    fn mark_ranges(&self, thread: ThreadId, last: usize, goes_on: &mut [bool]) {
        let Some(ranges) = self.capture.ranges.by_thread.get(thread.index()) else { return };
        let mut iteration = self.cursor();
        for span in &ranges.span {
            let at = iteration.at_or_before(span.start);
            goes_on[at] |= at > last;
        }
    }

    fn of_threads(&self, mut candidates: Vec<Records>) -> Vec<LostRecords> {
        let launches = LaunchesByProcess::new(self);
        candidates.retain(|one| one.launches.saturating_mul(10) >= launches.most_until(one.last));
        let own = self.own_launches(&candidates);
        let mut goes_on = self.own_signs(&candidates);
        let mut lost = Vec::new();
        for ((one, own), goes_on) in candidates.iter().zip(&own).zip(&mut goes_on) {
            let Some(process) = launches.of(self.capture.process_of(one.thread)) else { continue };
            let (regular, share) = self.regularity(own, one.last);
            let alone = self.lost(*one, goes_on).filter(|_| regular > 0);
            let others = (one.last + 1..self.pieces).filter(|&at| process[at] > own[at]);
            others.for_each(|at| goes_on[at] = true);
            let with_others = self.lost(*one, goes_on).filter(|_| regular >= FEWEST_REGULAR);
            let found = if with_others.is_some() { with_others } else { alone };
            lost.extend(found.filter(|_| share >= 0.5 && !self.is_taken_over(own, process, one.last)));
        }
        lost
    }

    /// Launches of each candidate by iteration.
    fn own_launches(&self, candidates: &[Records]) -> Vec<Vec<u64>> {
        let mut of_thread = vec![None; self.capture.threads.len()];
        candidates.iter().enumerate().for_each(|(at, one)| of_thread[one.thread.index()] = Some(at));
        let mut own = vec![vec![0; self.pieces]; candidates.len()];
        let mut iteration = self.cursor();
        for (thread, start) in launch_calls(self.capture) {
            if let Some(Some(candidate)) = of_thread.get(thread.index()) {
                own[*candidate][iteration.at_or_before(start)] += 1;
            }
        }
        own
    }

    /// By candidate: the later iterations in which ranges or calls of the operating system of it start.
    fn own_signs(&self, candidates: &[Records]) -> Vec<Vec<bool>> {
        let mut signs = vec![vec![false; self.pieces]; candidates.len()];
        let mut of_thread = vec![None; self.capture.threads.len()];
        for (at, one) in candidates.iter().enumerate() {
            self.mark_ranges(one.thread, one.last, &mut signs[at]);
            of_thread[one.thread.index()] = Some((at, one.last));
        }
        let mut iteration = self.cursor();
        if let Some(calls) = &self.capture.host.os_calls {
            for (span, thread) in calls.span.iter().zip(&calls.thread) {
                if let Some(Some((candidate, last))) = of_thread.get(thread.index()) {
                    let at = iteration.at_or_before(span.start);
                    signs[*candidate][at] |= at > *last;
                }
            }
        }
        signs
    }

    /// In how many iterations until its last a thread launched, and in which share of those since its first one.
    fn regularity(&self, own: &[u64], last: usize) -> (usize, f64) {
        let first = (1..=last).find(|&at| own[at] > 0).unwrap_or(last + 1);
        let iterations = || (first..=last).filter(|&at| self.is_iteration(at));
        let regular = iterations().filter(|&at| own[at] > 0).count();
        let all = iterations().count().max(1);
        (regular, count_to_f64(regular as u64) / count_to_f64(all as u64))
    }

    /// Whether a process launches as much without a thread as it did with it.
    fn is_taken_over(&self, own: &[u64], process: &[u64], last: usize) -> bool {
        let first = (1..=last).find(|&at| own[at] > 0).unwrap_or(last);
        let typical = |range: Range<usize>| {
            let iterations = range.filter(|&at| self.is_iteration(at));
            median(iterations.map(|at| Ns::try_from(process[at]).unwrap_or(Ns::MAX)).collect())
        };
        let (before, later) = (typical(first..last + 1), typical(last + 1..self.pieces));
        later.saturating_mul(20) >= before.saturating_mul(19)
    }

    /// What was lost where the program goes on in some later iterations; nothing if it does so in too few.
    fn lost(&self, records: Records, goes_on: &[bool]) -> Option<LostRecords> {
        let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let later = || (records.last + 1..self.pieces).filter(|&at| self.is_iteration(at));
        let mut signs = later().filter(|&at| goes_on[at]);
        if signs.clone().count() < FEWEST_LATER {
            return None;
        }
        let (first, last) = (later().next()?, signs.next_back()?);
        let Records { thread, end_ns, .. } = records;
        Some(LostRecords { thread, end_ns, first: number(first), last: number(last) })
    }
}

/// Launches by process and iteration.
struct LaunchesByProcess {
    by_process: Vec<Vec<u64>>,
    /// By iteration: the launches until its end, of the process that made most.
    most_until: Vec<u64>,
}

impl LaunchesByProcess {
    fn new(search: &Search<'_>) -> Self {
        let mut by_process = vec![vec![0_u64; search.pieces]; search.capture.processes.len()];
        let mut iteration = search.cursor();
        for (thread, start) in launch_calls(search.capture) {
            if let Some(launches) = by_process.get_mut(search.capture.process_of(thread).index()) {
                launches[iteration.at_or_before(start)] += 1;
            }
        }
        let mut most_until = vec![0; search.pieces];
        for launches in &by_process {
            let mut sum = 0;
            for (most, launches) in most_until.iter_mut().zip(launches) {
                sum += launches;
                *most = sum.max(*most);
            }
        }
        Self { by_process, most_until }
    }

    fn most_until(&self, last: usize) -> u64 {
        self.most_until[last]
    }

    fn of(&self, process: ProcessId) -> Option<&[u64]> {
        self.by_process.get(process.index()).map(Vec::as_slice)
    }
}

#[cfg(test)]
mod tests;
