//! Waits for GPUs that go on after the last recorded work.
//!
//! ```text
//! thread   ├ launch ┤ ├ wait ────────────────────────┤
//! GPU                    ▒▒▒▒▒                        nothing that is recorded
//!                             ├ goes on ────────────┤
//! ```

use crate::base::ids::{self, ApiCallId, ProcessId, WorkId};
use crate::base::time::{Ns, Span};
use crate::capture::CaptureContents;
use crate::capture::names::{ApiClass, ApiFunction, ByName};
use serde::{Deserialize, Serialize};

/// Waits that go on after the last recorded work of their process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndlessWaits {
    /// How many.
    pub waits: u64,
    /// As many waits of these processes last as long as those that are counted, whether they go on or not.
    pub of_waits: u64,
    /// How long they go on, together.
    pub time_ns: Ns,
    /// From the end of the last recorded work before each of them ends to its end, together.
    pub behind_ns: Ns,
    /// From the first to the last API call of the processes that have GPU work, together.
    pub of_ns: Ns,
}

/// A thread that the system wakes late waits less than this for nothing.
const LEAST_NS: Ns = 1_000_000;

/// A wait that is looked at.
struct Wait {
    span: Span,
    /// The latest end of work that starts before the wait ends.
    work_end: Ns,
}

pub(super) fn of(capture: &CaptureContents) -> EndlessWaits {
    let functions = ByName::new(&capture.strings, ApiFunction::of);
    let mut waits = waits_by_process(capture, &functions);
    if waits.iter().all(Vec::is_empty) {
        return EndlessWaits::default();
    }
    end_with_work(capture, &mut waits);
    let lengths = lengths(capture);
    let mut found = EndlessWaits::default();
    for (waits, length) in waits.iter().zip(lengths) {
        let works = waits.iter().any(|wait| wait.work_end > Ns::MIN);
        found.of_ns = found.of_ns.saturating_add(if works { length } else { 0 });
        for wait in waits.iter().filter(|wait| wait.work_end > Ns::MIN) {
            let time = wait.span.end - wait.work_end.max(wait.span.start);
            found.of_waits += 1;
            if time >= LEAST_NS {
                found.waits += 1;
                found.time_ns = found.time_ns.saturating_add(time);
                found.behind_ns = found.behind_ns.saturating_add(wait.span.end - wait.work_end);
            }
        }
    }
    found
}

/// By process: its long waits, by their end. None of a process whose streams wait for the host or for memory, because that is what
/// its waits may be for.
fn waits_by_process(capture: &CaptureContents, functions: &ByName<'_, ApiFunction>) -> Vec<Vec<Wait>> {
    let (calls, count) = (&capture.api_calls, capture.processes.len());
    let (mut waits, mut waits_for_others) =
        ((0..count).map(|_| Vec::new()).collect::<Vec<_>>(), vec![false; count]);
    for call in ids::all::<ApiCallId>(calls.len()) {
        let function = functions.get(calls.name[call]);
        let Some(process) = process_of(capture, call).map(ProcessId::index) else { continue };
        waits_for_others[process] |= function.waits_for_others;
        let span = calls.span[call];
        if function.class == ApiClass::Sync && span.length() >= LEAST_NS {
            waits[process].push(Wait { span, work_end: Ns::MIN });
        }
    }
    for (waits, waits_for_others) in waits.iter_mut().zip(waits_for_others) {
        if waits_for_others {
            waits.clear();
        }
        waits.sort_by_key(|wait| (wait.span.end, wait.span.start));
    }
    waits
}

fn process_of(capture: &CaptureContents, call: ApiCallId) -> Option<ProcessId> {
    capture.api_calls.thread[call].some().map(|thread| capture.threads[thread.index()].process)
}

/// Finds the latest end of work that starts before each wait ends; work without a process may be of any.
fn end_with_work(capture: &CaptureContents, waits: &mut [Vec<Wait>]) {
    for work in ids::all::<WorkId>(capture.work.span.len()) {
        let (span, process) = (capture.work.span[work], capture.work.process[work]);
        let meant = match process.some() {
            Some(process) => waits.get_mut(process.index()..=process.index()).unwrap_or_default(),
            None => &mut *waits,
        };
        for waits in meant {
            let first = waits.partition_point(|wait| wait.span.end <= span.start);
            if let Some(wait) = waits.get_mut(first) {
                wait.work_end = wait.work_end.max(span.end);
            }
        }
    }
    for waits in waits {
        let mut latest = Ns::MIN;
        for wait in waits {
            latest = latest.max(wait.work_end);
            wait.work_end = latest;
        }
    }
}

/// By process: from the start of its first to the end of its last API call.
fn lengths(capture: &CaptureContents) -> Vec<Ns> {
    let calls = &capture.api_calls;
    let mut spans: Vec<Option<Span>> = vec![None; capture.processes.len()];
    for call in ids::all::<ApiCallId>(calls.len()) {
        if let Some(process) = process_of(capture, call) {
            let span = &mut spans[process.index()];
            let (own, known) = (calls.span[call], span.unwrap_or(calls.span[call]));
            *span = Some(Span::new(known.start.min(own.start), known.end.max(own.end)));
        }
    }
    spans.into_iter().map(|span| span.map_or(0, Span::length)).collect()
}
