//! Lanes of threads.

use super::items::{Items, depths, rows_within};
use super::lane::{Draft, Item, LaneItemClass, LaneKind, LaneOwner};
use super::text_places::Names;
use crate::base::ids::{ApiCallId, Maybe, OpCallId, SampleId, ThreadId};
use crate::base::time::Span;
use crate::capture::CaptureContents;
use crate::capture::correlate::Mode;
use crate::capture::names::ApiFunction;
use crate::figures::profile::Profile;
use std::cmp::Reverse;

/// The lanes of every thread that did something in the window, the threads with most API calls first.
pub(super) fn drafts(profile: &Profile, items: &Items, window: Span) -> Vec<Draft> {
    let capture = &profile.capture;
    let host = &capture.host;
    let mut calls = by_thread(profile, &items.api_calls, |row| capture.api_calls.thread[ApiCallId::new(row)]);
    let mut ops = by_thread(profile, &items.op_calls, |row| capture.op_calls.thread[OpCallId::new(row)]);
    let mut mpi = by_thread(profile, &items.mpi_calls, |row| host.mpi.thread[..][row]);
    let os_threads = host.os_calls.as_ref().map_or(&[][..], |calls| &calls.thread);
    let os_spans = host.os_calls.as_ref().map_or(&[][..], |calls| &calls.span);
    let os_nesting = host.os_calls.as_ref().map_or(&[][..], |calls| &calls.nesting);
    let mut os_calls = by_thread(profile, &items.os_calls, |row| os_threads[row]);
    let mut overheads = by_thread(profile, &items.overheads, |row| host.overheads.thread[..][row]);
    let mut samples = by_thread(profile, &items.samples, |row| host.samples.thread[SampleId::new(row)]);
    let mut threads: Vec<usize> = (0..capture.threads.len()).collect();
    threads.sort_by_key(|&thread| (Reverse(calls[thread].len()), thread));
    let mut drafts = Vec::new();
    for thread in threads {
        let owner = thread_owner(&profile.capture, thread);
        let draft = |kind, rows: &mut Vec<usize>, span: &dyn Fn(usize) -> Span| {
            Draft::new(kind, owner.clone(), thread, std::mem::take(rows), window, span)
        };
        let mut add = |draft: Draft| {
            if !draft.spans.is_empty() {
                drafts.push(draft);
            }
        };
        let mut ranges = ranges_within(profile, thread, window);
        let range = |row: usize| capture.ranges.by_thread[thread].span[..][row];
        let nested = depths(ranges.iter().map(|&row| range(row)));
        add(draft(LaneKind::Ranges, &mut ranges, &range).nested(nested));
        if !matches!(capture.description.mode, Mode::Nvtx | Mode::Simple) {
            let op = |row: usize| capture.op_calls.span[OpCallId::new(row)];
            let nested = depths(ops[thread].iter().map(|&row| op(row)));
            add(draft(LaneKind::Ops, &mut ops[thread], &op).nested(nested));
        }
        let call = |row: usize| capture.api_calls.span[ApiCallId::new(row)];
        add(draft(LaneKind::ApiCalls, &mut calls[thread], &call));
        add(draft(LaneKind::MpiCalls, &mut mpi[thread], &|row| host.mpi.span[..][row]));
        let nested = os_calls[thread].iter().map(|&row| os_nesting[row]).collect();
        add(draft(LaneKind::OsCalls, &mut os_calls[thread], &|row| os_spans[row]).nested(nested));
        add(draft(LaneKind::Profiler, &mut overheads[thread], &|row| host.overheads.span[..][row]));
        let sample = |row: usize| {
            let time = host.samples.time[SampleId::new(row)];
            Span::new(time, time)
        };
        add(draft(LaneKind::Samples, &mut samples[thread], &sample));
    }
    drafts
}

fn ranges_within(profile: &Profile, thread: usize, window: Span) -> Vec<usize> {
    let capture = &profile.capture;
    let Some(ranges) = capture.ranges.by_thread.get(thread) else { return Vec::new() };
    rows_within(&ranges.span, &capture.range_zones()[thread], window)
}

/// The owner of the lanes of a thread.
pub(in crate::pictures) fn thread_owner(capture: &CaptureContents, thread: usize) -> LaneOwner {
    let thread = capture.threads[thread];
    let pid = capture.processes[thread.process.index()].pid();
    let name = thread.name.some().map(|name| capture.strings.get(name).to_owned());
    LaneOwner::Thread { pid, tid: thread.tid(), name }
}

/// Rows by thread; those of unknown threads are left out.
fn by_thread(
    profile: &Profile,
    rows: &[usize],
    thread_of: impl Fn(usize) -> Maybe<ThreadId>,
) -> Vec<Vec<usize>> {
    let mut lists = vec![Vec::new(); profile.capture.threads.len()];
    for &row in rows {
        if let Some(thread) = thread_of(row).some() {
            lists[thread.index()].push(row);
        }
    }
    lists
}

/// What is said of the items of a thread's lane.
pub(super) fn items(profile: &Profile, draft: &Draft, names: &mut Names) -> impl Iterator<Item = Item> {
    draft.rows.iter().map(move |&row| {
        let (name, class) = host_item(profile, draft.kind, draft.of, row);
        let op = (draft.kind == LaneKind::Ops).then(|| {
            let op = profile.index.calls.op[OpCallId::new(row)];
            names.place(profile.op_id(op))
        });
        Item { name: names.place(name), class, op }
    })
}

/// The name and the class of an item of a thread, by its row; of GPUs, nothing.
pub(in crate::pictures) fn host_item(
    profile: &Profile,
    kind: LaneKind,
    thread: usize,
    row: usize,
) -> (&str, LaneItemClass) {
    let capture = &profile.capture;
    let (strings, host) = (&capture.strings, &capture.host);
    match kind {
        LaneKind::Ranges => {
            let text = capture.ranges.by_thread[thread].text[..][row];
            (strings.get(capture.ranges.texts[text.index()].text), LaneItemClass::Range)
        }
        LaneKind::Ops => (profile.op_name(profile.index.calls.op[OpCallId::new(row)]), LaneItemClass::Range),
        LaneKind::ApiCalls => {
            let name = strings.get(capture.api_calls.name[ApiCallId::new(row)]);
            (name, LaneItemClass::Call(ApiFunction::of(name).class))
        }
        LaneKind::MpiCalls => (strings.get(host.mpi.name[..][row]), LaneItemClass::Host),
        LaneKind::OsCalls => {
            let name = host.os_calls.as_ref().map_or("", |calls| strings.get(calls.name[..][row]));
            (name, LaneItemClass::Host)
        }
        LaneKind::Profiler => (strings.get(host.overheads.name[..][row]), LaneItemClass::Host),
        LaneKind::Samples => (innermost_function(profile, row), LaneItemClass::Host),
        LaneKind::Idle | LaneKind::Stream => ("", LaneItemClass::Host),
    }
}

fn innermost_function(profile: &Profile, sample: usize) -> &str {
    let host = &profile.capture.host;
    let offsets = &host.stack_offsets.offset[..];
    let frames = offsets.get(sample..sample + 2).map_or(0..0, |ends| ends[0] as usize..ends[1] as usize);
    let innermost = host.stack_frames.symbol[..].get(frames).and_then(<[_]>::first);
    innermost.map_or("", |&symbol| profile.capture.strings.get(symbol))
}
