//! Lanes of GPUs.

use super::{Items, Names, Places, is_in};
use dlprof_core::activity::{Classified, activity_of, is_communication_kernel, long_gaps};
use dlprof_core::facts::WorkKind;
use dlprof_core::ids::{DeviceId, OpId, WorkId};
use dlprof_core::profile::Profile;
use dlprof_core::time::{Ns, Span};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// What a GPU did.
#[derive(Debug, Clone, Serialize)]
pub struct GpuLanes {
    /// Its number.
    device: i64,
    /// Its name; empty if unknown.
    name: String,
    /// Its streams, by number.
    streams: Vec<StreamLanes>,
    /// Times without any item, between two items.
    gaps: Gaps,
}

/// What a stream did.
#[derive(Debug, Clone, Serialize)]
pub(super) struct StreamLanes {
    /// Process ID; none if unknown.
    process: Option<i64>,
    /// Number of the stream.
    stream: i64,
    kernels: Work,
    /// Copies and memsets.
    copies: Work,
}

/// Items of a stream, with who launched them.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Work {
    items: Items,
    /// `tc`, `kernel`, `comm` or `copy`.
    class: Vec<&'static str>,
    /// Op IDs: places in the names; -1 for none.
    op: Vec<i64>,
    /// Start of the API call; none without one.
    call_start: Vec<Option<Ns>>,
    /// Length of the API call.
    call_length: Vec<Option<Ns>>,
    /// Place of its thread among the lanes; none if it has no lane.
    call_thread: Vec<Option<usize>>,
}

/// Idle times.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Gaps {
    start: Vec<Ns>,
    length: Vec<Ns>,
    /// The cause of the greatest part.
    cause: Vec<&'static str>,
    /// The item that ended it: a place in the names.
    next: Vec<usize>,
    /// How long before that item its API call began; none without one.
    ahead: Vec<Option<Ns>>,
}

impl GpuLanes {
    pub(super) fn items(&self) -> usize {
        let of_stream = |lanes: &StreamLanes| lanes.kernels.class.len() + lanes.copies.class.len();
        self.streams.iter().map(of_stream).sum::<usize>() + self.gaps.start.len()
    }
}

/// Lanes of the used GPUs.
pub(super) fn lanes<'a>(
    profile: &'a Profile,
    span: Span,
    threads: &Places,
    names: &mut Names<'a>,
) -> Vec<GpuLanes> {
    let work = &profile.capture.work;
    let mut inside: Vec<WorkId> =
        profile.capture.work_ids().filter(|&id| is_in(work.span[id], span)).collect();
    inside.sort_by_key(|&id| (work.span[id], id.index()));
    let ops = ops_of(profile, span);
    let mut gpus: BTreeMap<DeviceId, BTreeMap<usize, StreamLanes>> = BTreeMap::new();
    for &device in &profile.iterations.windows.used {
        gpus.insert(device, BTreeMap::new());
    }
    for id in inside {
        let streams = gpus.entry(work.device[id]).or_default();
        let lanes = streams.entry(work.stream[id].index()).or_insert_with(|| stream(profile, id));
        let (name, class) = name_and_class(profile, id);
        let lane = if class == "copy" { &mut lanes.copies } else { &mut lanes.kernels };
        lane.items.push(work.span[id], span.start, names.place(name));
        lane.class.push(class);
        let op = ops.get(&id).map(|&op| names.place(profile.op_id(op)));
        lane.op.push(op.and_then(|place| i64::try_from(place).ok()).unwrap_or(-1));
        let call = work.api[id].some();
        let api = &profile.capture.api_calls;
        lane.call_start.push(call.map(|call| api.span[call].start - span.start));
        lane.call_length.push(call.map(|call| api.span[call].length()));
        lane.call_thread.push(call.and_then(|call| threads.get(&api.thread[call]).copied()));
    }
    let mut gaps = gaps(profile, span, names);
    let gpu = |(device, streams): (DeviceId, BTreeMap<usize, StreamLanes>)| {
        let facts = &profile.capture.devices[device.index()];
        GpuLanes {
            device: facts.device_id,
            name: facts.name.clone().unwrap_or_default(),
            streams: streams.into_values().collect(),
            gaps: gaps.remove(&device.index()).unwrap_or_default(),
        }
    };
    gpus.into_iter().map(gpu).collect()
}

fn stream(profile: &Profile, id: WorkId) -> StreamLanes {
    let work = &profile.capture.work;
    let process = work.process[id].some().and_then(|id| profile.capture.processes.get(id.index()));
    let number = profile.capture.streams.get(work.stream[id].index()).map_or(0, |stream| stream.number);
    StreamLanes {
        process: process.map(dlprof_core::facts::Process::pid),
        stream: number,
        kernels: Work::default(),
        copies: Work::default(),
    }
}

fn name_and_class(profile: &Profile, id: WorkId) -> (&str, &'static str) {
    let capture = &profile.capture;
    match capture.work_kind(id) {
        WorkKind::Kernel => {
            let name = capture.strings.get(capture.kernels.short_name[id]);
            let class = match capture.kernels.tensor_cores[id].as_str() {
                _ if is_communication_kernel(name) => "comm",
                "yes" => "tc",
                _ => "kernel",
            };
            (name, class)
        }
        WorkKind::Memset => ("memset", "copy"),
        WorkKind::Copy => (capture.copy_kind_name(id), "copy"),
    }
}

/// The ops of the work in a span.
fn ops_of(profile: &Profile, span: Span) -> HashMap<WorkId, OpId> {
    let capture = &profile.capture;
    let of_call = |call| {
        let works = capture.work_by_call.get(dlprof_core::ids::OpCallId::index(call)).iter();
        let inside = works.filter(|&&id| is_in(capture.work.span[id], span));
        inside.map(move |&id| (id, profile.index.calls.op[call]))
    };
    capture.op_calls.ids().flat_map(of_call).collect()
}

/// By GPU: idle times that touch a span.
fn gaps<'a>(profile: &'a Profile, span: Span, names: &mut Names<'a>) -> HashMap<usize, Gaps> {
    let capture = &profile.capture;
    let facts = Classified::new(activity_of(capture), &profile.settings().activity);
    let around = Span::new(span.start - span.length(), span.end + span.length());
    let mut by_gpu: HashMap<usize, Gaps> = HashMap::new();
    for gap in long_gaps(&facts, around, 1) {
        let part = gap.span.clip(span);
        if part.is_empty() {
            continue;
        }
        let id = WorkId::new(gap.ended_by);
        let gaps = by_gpu.entry(gap.device).or_default();
        gaps.start.push(part.start - span.start);
        gaps.length.push(part.length());
        gaps.cause.push(gap.cause.as_str());
        gaps.next.push(names.place(name_and_class(profile, id).0));
        let call = capture.work.api[id].some();
        gaps.ahead.push(call.map(|call| capture.work.span[id].start - capture.api_calls.span[call].start));
    }
    by_gpu
}
