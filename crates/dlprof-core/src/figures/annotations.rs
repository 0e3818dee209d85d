//! GPU time by annotation: by the ranges of the program in which the work was launched.
//!
//! ```text
//! main thread      ├ forward ──┤├ backward ──────────┤├ optimizer ┤
//!                     a   b                              e
//! autograd                         c   d                             no range of the program
//! GPU time         forward a + b, backward c + d, optimizer e
//! ```
//!
//! Work belongs to the innermost range of the program that is open on the thread of its API call when that starts. What a thread
//! launches outside of all its ranges belongs to the innermost range of the other thread of its process that is inside one, if
//! there is just one such thread among those that launch work in ranges of their own: the one that waits for the backward pass.

use crate::base::groups::Grouped;
use crate::base::ids::{self, ApiCallId, ThreadId};
use crate::base::ordered::Cursor;
use crate::base::time::{Ns, Span};
use crate::capture::CaptureContents;
use crate::figures::profile::ProfileContents;
use crate::steps::iterate::{ProgramRanges, program_ranges};
use std::cmp::Reverse;

/// All executions of an annotation below the same ones: a row of table `annotations`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnnotationStats {
    /// Names of the ranges around it and its own, each after a `/`.
    pub name: String,
    /// How often it began in the aggregated iterations.
    pub executions: u64,
    /// Time on the CPU of these.
    pub cpu_ns: Ns,
    /// What was launched in it.
    pub total: LaunchedWork,
    /// Of that, what was launched in no annotation inside it.
    pub own: LaunchedWork,
}

/// GPU work that was launched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LaunchedWork {
    /// Kernels, copies and memsets.
    pub pieces: u64,
    /// Plain sum of their durations.
    pub gpu_ns: Ns,
}

impl LaunchedWork {
    fn add(&mut self, other: Self) {
        self.pieces += other.pieces;
        self.gpu_ns += other.gpu_ns;
    }
}

impl ProfileContents {
    /// GPU time by annotation over the aggregated iterations, most of it first; without iterations, over the whole capture.
    #[must_use]
    pub fn annotations(&self) -> Vec<AnnotationStats> {
        annotations(&self.capture, &self.call_spans())
    }
}

/// The same over windows, which are disjoint and in order.
fn annotations(capture: &CaptureContents, windows: &[Span]) -> Vec<AnnotationStats> {
    let ranges = program_ranges(capture);
    if ranges.paths.is_empty() {
        return Vec::new();
    }
    let mut rows: Vec<AnnotationStats> = ranges.paths.iter().map(|(name, _)| row(name)).collect();
    count_executions(&ranges, windows, &mut rows);
    let innermost: Vec<Innermost> = ranges.of_thread.iter().map(|list| Innermost::new(list)).collect();
    count_work(capture, &innermost, windows, &mut rows);
    // Ranges inside come after the ones around them.
    for (at, (_, around)) in ranges.paths.iter().enumerate().rev() {
        let own = rows[at].own;
        rows[at].total.add(own);
        if let Some(around) = *around {
            let total = rows[at].total;
            rows[around].total.add(total);
        }
    }
    rows.retain(|row| row.executions > 0 || row.total.pieces > 0);
    rows.sort_by(|a, b| (Reverse(a.total.gpu_ns), &a.name).cmp(&(Reverse(b.total.gpu_ns), &b.name)));
    rows
}

fn row(name: &str) -> AnnotationStats {
    let nothing = LaunchedWork::default();
    AnnotationStats { name: name.to_owned(), executions: 0, cpu_ns: 0, total: nothing, own: nothing }
}

fn count_executions(ranges: &ProgramRanges, windows: &[Span], rows: &mut [AnnotationStats]) {
    let starts: Vec<Ns> = windows.iter().map(|window| window.start).collect();
    let mut window = Cursor::new(&starts);
    for &(span, path) in ranges.of_thread.iter().flatten() {
        if is_inside(windows, &mut window, span.start) {
            rows[path].executions += 1;
            rows[path].cpu_ns += span.length();
        }
    }
}

/// Whether a time is in one of the windows, along whose starts a cursor walks.
fn is_inside(windows: &[Span], window: &mut Cursor<'_>, time: Ns) -> bool {
    let next = window.at_or_before(time);
    next > 0 && time < windows[next - 1].end
}

/// Adds what was launched in the windows to the innermost annotations.
fn count_work(
    capture: &CaptureContents,
    innermost: &[Innermost],
    windows: &[Span],
    rows: &mut [AnnotationStats],
) {
    let launched = launched(capture);
    let calls = &capture.api_calls;
    let thread_of = |call: ApiCallId| calls.thread[call].some().filter(|_| launched[call.index()].pieces > 0);
    let own = |thread: ThreadId, time: Ns| innermost.get(thread.index()).and_then(|ranges| ranges.at(time));
    let mut launches_inside = vec![false; capture.threads.len()];
    for call in ids::all::<ApiCallId>(calls.len()) {
        if let Some(thread) = thread_of(call) {
            launches_inside[thread.index()] |= own(thread, calls.span[call].start).is_some();
        }
    }
    let threads = ids::all::<ThreadId>(capture.threads.len());
    let process = |thread: ThreadId| capture.threads[thread.index()].process.index();
    let launching = Grouped::new(&capture.memory, capture.processes.len(), threads, |thread| {
        Some(process(thread)).filter(|_| launches_inside[thread.index()])
    });
    let elsewhere = |thread: ThreadId, time: Ns| {
        let others = launching.get(process(thread));
        let mut found = others.iter().filter_map(|&other| own(other, time));
        found.next().filter(|_| found.next().is_none())
    };
    let starts: Vec<Ns> = windows.iter().map(|window| window.start).collect();
    let mut window = Cursor::new(&starts);
    for call in ids::all::<ApiCallId>(calls.len()) {
        let start = calls.span[call].start;
        if let Some(thread) = thread_of(call)
            && is_inside(windows, &mut window, start)
            && let Some(path) = own(thread, start).or_else(|| elsewhere(thread, start))
        {
            rows[path].own.add(launched[call.index()]);
        }
    }
}

/// By API call: what it launched.
fn launched(capture: &CaptureContents) -> Vec<LaunchedWork> {
    let mut launched = vec![LaunchedWork::default(); capture.api_calls.len()];
    for work in capture.work_ids() {
        if let Some(call) = capture.launches.api[work].some() {
            launched[call.index()].add(LaunchedWork { pieces: 1, gpu_ns: capture.work.span[work].length() });
        }
    }
    launched
}

/// The innermost annotation of a thread at any time.
struct Innermost {
    /// From when on which one is innermost; ascending.
    changes: Vec<(Ns, Option<usize>)>,
}

impl Innermost {
    /// Of annotations in nesting order. One that ends when a call starts still holds it.
    fn new(ranges: &[(Span, usize)]) -> Self {
        let mut changes = Vec::new();
        let mut open: Vec<(Ns, usize)> = Vec::new();
        for &(span, path) in ranges {
            close_before(span.start, &mut open, &mut changes);
            open.push((span.end, path));
            changes.push((span.start, Some(path)));
        }
        close_before(Ns::MAX, &mut open, &mut changes);
        Self { changes }
    }

    fn at(&self, time: Ns) -> Option<usize> {
        let behind = self.changes.partition_point(|(from, _)| *from <= time);
        self.changes[..behind].last().and_then(|(_, path)| *path)
    }
}

/// Leaves annotations that end before a time. One that another crosses ended when that one does.
fn close_before(time: Ns, open: &mut Vec<(Ns, usize)>, changes: &mut Vec<(Ns, Option<usize>)>) {
    while let Some((end, _)) = open.pop_if(|(end, _)| *end < time) {
        while open.pop_if(|(around, _)| *around <= end).is_some() {}
        changes.push((end + 1, open.last().map(|(_, path)| *path)));
    }
}

#[cfg(test)]
mod tests;
