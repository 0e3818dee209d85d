//! What is looked up of a capture while its calls are written.

use dlprof_core::{
    ApiCallId, ApiKind, Capture, Grouped, Maybe, Mode, OpCallId, OpId, Profile, Span, StrId, ThreadId,
    WorkId, WorkKind,
};
use std::collections::{HashMap, HashSet};

/// Numbers of the operating system for a thread; zeros if it is not known.
pub(super) fn numbers(capture: &Capture, thread: Maybe<ThreadId>) -> [i64; 2] {
    let Some(thread) = thread.some() else { return [0, 0] };
    let known = capture.threads[thread.index()];
    [capture.processes[known.process.index()].pid(), known.tid()]
}

/// By GPU: its number, each used once.
pub(super) fn device_numbers(capture: &Capture) -> Vec<i64> {
    let mut used = HashSet::new();
    let mut next = capture.devices.iter().map(|device| device.device_id).max().unwrap_or(0);
    let mut number = |wanted: i64| {
        if wanted >= 0 && used.insert(wanted) {
            return wanted;
        }
        next += 1;
        used.insert(next);
        next
    };
    capture.devices.iter().map(|device| number(device.device_id)).collect()
}

/// By op and short name: the long name of the kernel that was launched last.
pub(super) fn long_names(profile: &Profile) -> HashMap<(OpId, StrId), StrId> {
    let capture = &profile.capture;
    let mut last: HashMap<(OpId, StrId), (Span, WorkId)> = HashMap::new();
    let text = |work: WorkId| capture.strings.get(capture.kernels.long_name[work]);
    for call in capture.op_calls.ids() {
        let op = profile.index.calls.op[call];
        for &work in capture.work_by_call.get(call.index()) {
            let Some(&short) = capture.kernels.short_name.get_id(work) else { continue };
            let span = capture.work.span[work];
            let start =
                capture.launches.api[work].some().map_or(span.start, |api| capture.api_calls.span[api].start);
            let launch = (Span { start, end: span.start }, work);
            let known = last.entry((op, short)).or_insert(launch);
            if launch.0 > known.0 || (launch.0 == known.0 && text(work) > text(known.1)) {
                *known = launch;
            }
        }
    }
    last.into_iter().map(|(key, (_, work))| (key, capture.kernels.long_name[work])).collect()
}

/// By op call: API calls that launched nothing. Plain ones of simple mode, which belong to no op call, stand with the last that
/// started before them.
pub(super) fn others(capture: &Capture) -> Grouped<ApiCallId> {
    let calls = (0..capture.api_calls.len()).map(ApiCallId::new);
    let op_calls = &capture.op_calls;
    let mut by_start: Vec<OpCallId> =
        if capture.description.mode == Mode::Simple { op_calls.ids().collect() } else { Vec::new() };
    by_start.sort_by_key(|&call| op_calls.span[call]);
    let nearest = |api: ApiCallId| {
        let start = capture.api_calls.span[api].start;
        let behind = by_start.partition_point(|&call| op_calls.span[call].start <= start);
        by_start.get(behind.saturating_sub(1)).copied()
    };
    let owner = |api: ApiCallId| {
        let launched_nothing = matches!(capture.call_roles.kind[api], ApiKind::Plain | ApiKind::Sync);
        let owner = capture.call_roles.op_call[api].some().or_else(|| nearest(api));
        owner.filter(|_| launched_nothing).map(OpCallId::index)
    };
    Grouped::new(&capture.memory, capture.op_calls.len(), calls, owner)
}

/// By API call: the first of its synchronisations.
pub(super) fn waits(capture: &Capture) -> HashMap<ApiCallId, [u32; 3]> {
    let (syncs, waits) = (&capture.syncs, &capture.waits);
    let mut by_call = HashMap::new();
    for (at, api) in waits.api.iter().enumerate().filter_map(|(at, api)| Some((at, api.some()?))) {
        let wait = [syncs.kind[..][at], syncs.event[..][at], syncs.device[..][at]];
        by_call.entry(api).or_insert(wait);
    }
    by_call
}

/// Whether two kernels of an op have the same start of the API call, start on the GPU and thread.
pub(super) fn has_equal_kernels(profile: &Profile) -> bool {
    let capture = &profile.capture;
    // Kernels without an API call: of all calls of an op. The others can only be equal inside a call.
    let mut loose = HashSet::new();
    let mut launched: Vec<(ApiCallId, i64)> = Vec::new();
    capture.op_calls.ids().any(|call| {
        launched.clear();
        let work = capture.work_by_call.get(call.index()).iter().copied();
        for work in work.filter(|&work| capture.work_kind(work) == WorkKind::Kernel) {
            let start = capture.work.span[work].start;
            match capture.launches.api[work].some() {
                Some(api) => launched.push((api, start)),
                None if !loose.insert((profile.index.calls.op[call], start)) => return true,
                None => {}
            }
        }
        launched.sort_unstable();
        launched.windows(2).any(|pair| pair[0] == pair[1])
    })
}
