//! What became of each launch.
//!
//! ```text
//! thread   a  b  ├Begin c  d  End┤  e  f  ├wait┤  g  h          recording ends
//! GPU        ▒a▒                        ▒f▒                     │
//! fate     recorded a, f   captured c, d   lost b, e   open g, h
//! ```
//!
//! A launch without a record ran if a later one of its thread has one, if its thread waited for the device afterwards, or if more
//! than twice the time passed that launches of its thread took before until their work was done. Else the recording may have ended
//! before it ran.

use crate::base::diagnostics::DiagnosticCode;
use crate::base::groups::Grouped;
use crate::base::ids::{self, ApiCallId, Maybe, ProcessId, ThreadId, WorkId};
use crate::base::time::{Ns, Span};
use crate::capture::CaptureContents;
use crate::capture::names::{ApiClass, ApiFunction, ByName};
use crate::columns::{Buffer, cells_of_bytes};
use bytemuck::{CheckedBitPattern, NoUninit};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What became of an API call that launches kernels or graphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, NoUninit, CheckedBitPattern)]
#[repr(u8)]
pub enum LaunchFate {
    /// It launches nothing on a GPU.
    #[default]
    NoLaunch,
    /// GPU work has its number, or that of a launch call inside it or around it.
    Recorded,
    /// It was recorded into a graph, between the begin and the end of a stream capture, and did not run here.
    Captured,
    /// It has no record, and may not have run before the recording ended.
    Open,
    /// It ran and has no record.
    Lost,
}

cells_of_bytes! { LaunchFate }

/// The number of launches with a record, before those that have none, which say how long work takes until it is done.
const LAST_RECORDED: usize = 256;

/// Time that may pass besides.
const SLACK_NS: Ns = 1_000_000;

/// By API call.
pub(super) fn of_calls(capture: &CaptureContents) -> Buffer<LaunchFate> {
    let functions = ByName::new(&capture.strings, ApiFunction::of);
    let mut fates = recorded_or_open(capture, &functions);
    if fates.contains(&LaunchFate::Open) {
        let rows = rows_by_thread(capture, &functions, &fates);
        for thread in 0..rows.len() {
            set_nested_and_captured(capture, &functions, rows.get(thread), &mut fates);
            set_followed(&functions, capture, rows.get(thread), &mut fates);
        }
        set_overdue(capture, &rows, &mut fates);
        keep_open_what_may_be_unjoined(capture, &mut fates);
    }
    fates
}

fn recorded_or_open(capture: &CaptureContents, functions: &ByName<'_, ApiFunction>) -> Buffer<LaunchFate> {
    let (calls, repeated) = (&capture.api_calls, &capture.repeated_calls);
    let mut fates = capture.memory.filled(calls.len(), LaunchFate::NoLaunch);
    for call in ids::all::<ApiCallId>(calls.len()) {
        let function = functions.get(calls.name[call]);
        if function.class == ApiClass::Launch && !function.is_host_launch && repeated.counts(call) {
            fates[call.index()] = LaunchFate::Open;
        }
    }
    for call in capture.launches.api.iter().filter_map(|call| call.some()) {
        let fate = &mut fates[repeated.counted(call).index()];
        if *fate == LaunchFate::Open {
            *fate = LaunchFate::Recorded;
        }
    }
    fates
}

/// By thread, in the order in which they open: launches, begins and ends of stream captures, and waits for the device.
fn rows_by_thread(
    capture: &CaptureContents,
    functions: &ByName<'_, ApiFunction>,
    fates: &[LaunchFate],
) -> Grouped<u32> {
    let calls = &capture.api_calls;
    let id = |row: u32| ApiCallId::new(row as usize);
    let thread = |row: u32| {
        let function = functions.get(calls.name[id(row)]);
        let matters = fates[row as usize] != LaunchFate::NoLaunch
            || function.begins_capture
            || function.ends_capture
            || waits_for_device(function);
        calls.thread[id(row)].some().filter(|_| matters).map(ThreadId::index)
    };
    let order = |row: &u32| (calls.span[id(*row)].start, Reverse(calls.span[id(*row)].end), *row);
    let all = 0..u32::try_from(calls.len()).unwrap_or(u32::MAX);
    Grouped::sorted(&capture.memory, capture.threads.len(), all, thread, order)
}

fn waits_for_device(function: ApiFunction) -> bool {
    function.class == ApiClass::Sync && !function.is_stream_sync && !function.is_event_sync
}

/// Marks what is recorded into graphs, and calls inside or around others that are one launch with them.
fn set_nested_and_captured(
    capture: &CaptureContents,
    functions: &ByName<'_, ApiFunction>,
    rows: &[u32],
    fates: &mut [LaunchFate],
) {
    let calls = &capture.api_calls;
    let (mut is_capturing, mut recorded_until) = (false, Ns::MIN);
    // Without a record, since the last launch that has one.
    let mut open: Vec<usize> = Vec::new();
    for at in rows.iter().map(|&row| row as usize) {
        let id = ApiCallId::new(at);
        let (function, span): (_, Span) = (functions.get(calls.name[id]), calls.span[id]);
        match fates[at] {
            _ if function.begins_capture => {
                is_capturing = true;
                open.clear();
            }
            _ if function.ends_capture => {
                // It may have begun before the recording.
                let began_before = std::mem::take(&mut open).into_iter().filter(|_| !is_capturing);
                began_before.for_each(|at| fates[at] = LaunchFate::Captured);
                is_capturing = false;
            }
            LaunchFate::Recorded => {
                let is_around = |at: &usize| calls.span[ApiCallId::new(*at)].end > span.start;
                open.iter().copied().filter(is_around).for_each(|at| fates[at] = LaunchFate::Recorded);
                open.clear();
                recorded_until = recorded_until.max(span.end);
            }
            LaunchFate::Open if span.start < recorded_until => fates[at] = LaunchFate::Recorded,
            LaunchFate::Open if is_capturing => fates[at] = LaunchFate::Captured,
            LaunchFate::Open => open.push(at),
            _ => {}
        }
    }
}

/// Marks what ran because a later launch of the thread has a record, or the thread waited for the device.
fn set_followed(
    functions: &ByName<'_, ApiFunction>,
    capture: &CaptureContents,
    rows: &[u32],
    fates: &mut [LaunchFate],
) {
    let mut is_done = false;
    for at in rows.iter().rev().map(|&row| row as usize) {
        let function = functions.get(capture.api_calls.name[ApiCallId::new(at)]);
        match fates[at] {
            LaunchFate::Open if is_done => fates[at] = LaunchFate::Lost,
            fate => is_done |= fate == LaunchFate::Recorded || waits_for_device(function),
        }
    }
}

/// Marks what had so much time that it must have run.
fn set_overdue(capture: &CaptureContents, rows: &Grouped<u32>, fates: &mut [LaunchFate]) {
    if !fates.contains(&LaunchFate::Open) {
        return;
    }
    let (calls, done) = (&capture.api_calls, times_until_done(capture));
    let ends = last_call_ends(capture);
    let longest_of = |thread: usize, fates: &[LaunchFate]| {
        let recorded = rows.get(thread).iter().rev().map(|&row| row as usize);
        let recorded = recorded.filter(|&at| fates[at] == LaunchFate::Recorded).take(LAST_RECORDED);
        recorded.map(|at| done[at]).max()
    };
    let of_any = (0..rows.len()).filter_map(|thread| longest_of(thread, fates)).max();
    for thread in 0..rows.len() {
        let end = ends[capture.threads[thread].process.index()];
        let longest = longest_of(thread, fates).or(of_any);
        let until = longest
            .map_or(end, |longest| end.saturating_sub(longest.saturating_mul(2)).saturating_sub(SLACK_NS));
        for at in rows.get(thread).iter().map(|&row| row as usize) {
            if fates[at] == LaunchFate::Open && calls.span[ApiCallId::new(at)].start < until {
                fates[at] = LaunchFate::Lost;
            }
        }
    }
}

/// By API call: from its start until the last work is done that it launched.
fn times_until_done(capture: &CaptureContents) -> Buffer<Ns> {
    let calls = &capture.api_calls;
    let mut done = capture.memory.filled(calls.len(), 0);
    for work in ids::all::<WorkId>(capture.work.span.len()) {
        if let Some(call) = capture.launches.api[work].some() {
            let call = capture.repeated_calls.counted(call);
            let time = capture.work.span[work].end.saturating_sub(calls.span[call].start);
            done[call.index()] = done[call.index()].max(time);
        }
    }
    done
}

/// By process: where the last of its API calls ends.
fn last_call_ends(capture: &CaptureContents) -> Vec<Ns> {
    let mut ends = vec![Ns::MIN; capture.processes.len()];
    let calls = &capture.api_calls;
    for (span, thread) in calls.span.iter().zip(&calls.thread) {
        if let Some(thread) = thread.some() {
            let end = &mut ends[capture.threads[thread.index()].process.index()];
            *end = span.end.max(*end);
        }
    }
    ends
}

/// Kernels that no call is known of may be those that seem to be missing, and so may the work of devices that is not read. Kernels
/// of a process that is known are no other one's.
fn keep_open_what_may_be_unjoined(capture: &CaptureContents, fates: &mut [LaunchFate]) {
    let is_unread = capture.diagnostics.counted(DiagnosticCode::OtherDevice) > 0;
    let kernels = WithoutCall::of(capture);
    let process = |call: usize| Maybe::from(capture.process_of_call(ApiCallId::new(call)));
    let mut lost: BTreeMap<Maybe<ProcessId>, Vec<usize>> = BTreeMap::new();
    for call in (0..fates.len()).filter(|&call| fates[call] == LaunchFate::Lost) {
        lost.entry(process(call)).or_default().push(call);
    }
    for (process, calls) in lost {
        if is_unread || kernels.may_be_of(process) >= calls.len() {
            calls.into_iter().for_each(|call| fates[call] = LaunchFate::Open);
        }
    }
}

/// Kernels that no API call is known of, and of which nothing says that their call is one of those that were not recorded.
#[derive(Debug)]
struct WithoutCall {
    /// By process.
    of_process: Vec<usize>,
    /// Those that name no process.
    of_nobody: usize,
}

impl WithoutCall {
    fn of(capture: &CaptureContents) -> Self {
        let mut found = Self { of_process: vec![0; capture.processes.len()], of_nobody: 0 };
        let kernels = ids::all::<WorkId>(capture.kernels.len());
        for kernel in kernels.filter(|&kernel| capture.launches.api[kernel].is_none()) {
            match capture.work.process[kernel].some() {
                Some(process) => found.of_process[process.index()] += 1,
                None => found.of_nobody += 1,
            }
        }
        // In traces such kernels name no process. One with the number of a call that is not there is of none that is.
        let of_other_calls = capture.kineto.as_ref().map_or(0, |notes| notes.kernels_of_other_calls);
        let of_other_calls = usize::try_from(of_other_calls).unwrap_or(usize::MAX);
        found.of_nobody = found.of_nobody.saturating_sub(of_other_calls);
        found
    }

    /// How many may be launches of a process; of those that name none, if the process is not known either.
    fn may_be_of(&self, process: Maybe<ProcessId>) -> usize {
        self.of_nobody + process.some().map_or(0, |process| self.of_process[process.index()])
    }
}
