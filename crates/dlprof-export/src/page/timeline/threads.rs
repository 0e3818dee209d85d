//! Lanes of threads.

use super::{Items, Names, Places, is_in};
use dlprof_core::activity::{ApiClass, ApiFunction};
use dlprof_core::ids::ThreadId;
use dlprof_core::profile::Profile;
use dlprof_core::time::{Ns, Span};
use serde::Serialize;
use std::cmp::Reverse;

/// What a thread did.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ThreadLanes {
    /// Process ID; none if unknown.
    process: Option<i64>,
    /// Thread ID in the process.
    thread: i64,
    /// Name of the thread; empty if unknown.
    name: String,
    /// NVTX ranges.
    ranges: Items,
    /// Executions of ops.
    ops: Items,
    /// API calls.
    calls: Items,
    /// By API call: what it is for.
    call_class: Vec<&'static str>,
    /// Calls of the operating system that the program made itself.
    os_calls: Items,
    /// Times of CPU samples.
    samples: Vec<Ns>,
}

impl ThreadLanes {
    pub(super) fn items(&self) -> usize {
        let lanes = [&self.ranges, &self.ops, &self.calls, &self.os_calls];
        lanes.iter().map(|lane| lane.start.len()).sum::<usize>() + self.samples.len()
    }
}

/// Lanes of the threads on which something happened, and the place of each thread.
pub(super) fn lanes<'a>(profile: &'a Profile, span: Span, names: &mut Names<'a>) -> (Vec<ThreadLanes>, Places) {
    let capture = &profile.capture;
    let mut threads: Vec<ThreadLanes> = capture.threads.iter().map(|_| ThreadLanes::default()).collect();
    add_ranges(profile, span, names, &mut threads);
    add_ops(profile, span, names, &mut threads);
    add_calls(profile, span, names, &mut threads);
    add_host(profile, span, names, &mut threads);
    let mut shown: Vec<(usize, ThreadLanes)> =
        threads.into_iter().enumerate().filter(|(_, lanes)| lanes.items() > 0).collect();
    let launches = |lanes: &ThreadLanes| lanes.call_class.iter().filter(|class| **class == "launch").count();
    shown.sort_by_key(|(at, lanes)| (Reverse(launches(lanes)), *at));
    let mut places = Places::new();
    let mut found = Vec::new();
    for (at, mut lanes) in shown {
        places.insert(ThreadId::new(at), found.len());
        let thread = capture.threads[at];
        lanes.process =
            thread.process.some().and_then(|id| capture.processes.get(id.index())).map(|process| process.pid());
        lanes.thread = thread.global_tid & 0xFF_FFFF;
        lanes.name = capture.strings.get(thread.name).to_owned();
        found.push(lanes);
    }
    (found, places)
}

fn add_ranges<'a>(profile: &'a Profile, span: Span, names: &mut Names<'a>, threads: &mut [ThreadLanes]) {
    let ranges = &profile.capture.ranges;
    for (lanes, of_thread) in threads.iter_mut().zip(&ranges.by_thread) {
        let rows = of_thread.span.iter().zip(&of_thread.text);
        let mut inside: Vec<_> = rows.filter(|(range, _)| is_in(**range, span)).collect();
        inside.sort_by_key(|(range, _)| (range.start, Reverse(range.end)));
        for (range, text) in inside {
            let name = names.place(profile.capture.strings.get(ranges.texts[text.index()].text));
            lanes.ranges.push(*range, span.start, name);
        }
        lanes.ranges.nest();
    }
}

fn add_ops<'a>(profile: &'a Profile, span: Span, names: &mut Names<'a>, threads: &mut [ThreadLanes]) {
    let calls = &profile.capture.op_calls;
    let inside = calls.ids().filter(|&call| is_in(calls.span[call], span));
    let mut inside: Vec<_> = inside.filter(|&call| !calls.thread[call].is_none()).collect();
    inside.sort_by_key(|&call| (calls.span[call].start, Reverse(calls.span[call].end)));
    for call in inside {
        let name = names.place(profile.op_name(profile.index.calls.op[call]));
        threads[calls.thread[call].index()].ops.push(calls.span[call], span.start, name);
    }
    threads.iter_mut().for_each(|lanes| lanes.ops.nest());
}

fn add_calls<'a>(profile: &'a Profile, span: Span, names: &mut Names<'a>, threads: &mut [ThreadLanes]) {
    let calls = &profile.capture.api_calls;
    let rows = calls.span.iter().zip(&calls.thread).zip(&calls.name);
    let mut inside: Vec<_> = rows.filter(|((call, _), _)| is_in(**call, span)).collect();
    inside.sort_by_key(|((call, _), _)| (call.start, Reverse(call.end)));
    for ((call, thread), name) in inside {
        let Some(lanes) = threads.get_mut(thread.index()) else { continue };
        let text = profile.capture.strings.get(*name);
        lanes.call_class.push(class(ApiFunction::of(text).class));
        lanes.calls.push(*call, span.start, names.place(text));
    }
    threads.iter_mut().for_each(|lanes| lanes.calls.nest());
}

fn class(class: ApiClass) -> &'static str {
    match class {
        ApiClass::Launch => "launch",
        ApiClass::Sync => "sync",
        ApiClass::Copy => "copy",
        ApiClass::Allocation => "allocation",
        ApiClass::Setup => "setup",
        ApiClass::Api => "api",
    }
}

fn add_host<'a>(profile: &'a Profile, span: Span, names: &mut Names<'a>, threads: &mut [ThreadLanes]) {
    let host = &profile.capture.host;
    if let Some(calls) = &host.os_calls {
        let rows = calls.span.iter().zip(&calls.thread).zip(calls.name.iter().zip(&calls.nesting));
        let inside = rows.filter(|((call, _), (_, nesting))| is_in(**call, span) && **nesting == 0);
        for ((call, thread), (name, _)) in inside {
            let Some(lanes) = threads.get_mut(thread.index()) else { continue };
            lanes.os_calls.push(*call, span.start, names.place(profile.capture.strings.get(*name)));
        }
    }
    for (&time, thread) in host.samples.time.iter().zip(&host.samples.thread) {
        if (span.start..span.end).contains(&time)
            && let Some(lanes) = threads.get_mut(thread.index())
        {
            lanes.samples.push(time - span.start);
        }
    }
}
