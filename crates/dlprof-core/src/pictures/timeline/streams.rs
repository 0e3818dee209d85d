//! Lanes of GPUs: idle time, then their streams.

use super::idle::Gaps;
use super::items::Items;
use super::lane::{Draft, Item, LaneItemClass, LaneKind, LaneOwner};
use super::text_places::Names;
use crate::base::ids::{DeviceId, OpId, WorkId};
use crate::base::time::Span;
use crate::figures::profile::Profile;
use crate::read::facts::{WorkFacts, WorkKind};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The lanes of every GPU that did something in the window: idle time, then its streams, those with most work first.
pub(super) fn drafts(profile: &Profile, items: &Items, window: Span) -> Vec<Draft> {
    let capture = &profile.capture;
    let mut by_stream = vec![Vec::new(); capture.streams.len()];
    for &row in &items.work {
        if let Some(list) = by_stream.get_mut(capture.work.stream[WorkId::new(row)].index()) {
            list.push(row);
        }
    }
    let mut by_device: BTreeMap<DeviceId, Vec<usize>> = BTreeMap::new();
    for (stream, described) in capture.streams.iter().enumerate() {
        if !by_stream[stream].is_empty() {
            by_device.entry(described.device).or_default().push(stream);
        }
    }
    let mut gaps = uncovered(&capture.work, capture.devices.len(), &items.work, window);
    let mut drafts = Vec::new();
    for (device, mut streams) in by_device {
        streams.sort_by_key(|&stream| (Reverse(by_stream[stream].len()), stream));
        let (of, device_id) = (device.index(), profile.device_number(device));
        let owner = LaneOwner::Gpu { device_id };
        let spans = std::mem::take(&mut gaps[of]);
        drafts.push(Draft { kind: LaneKind::Idle, owner, of, rows: Vec::new(), spans, depths: Vec::new() });
        for stream in streams {
            let described = capture.streams[stream];
            let pid = described.process.some().map(|process| capture.processes[process.index()].pid());
            // DLProf databases have no streams.
            let number = capture.description.dlprof.is_none().then_some(described.number);
            let owner = LaneOwner::Stream { device_id, pid, stream: number };
            let rows = std::mem::take(&mut by_stream[stream]);
            let span = |row: usize| capture.work.span[WorkId::new(row)];
            drafts.push(Draft::new(LaneKind::Stream, owner, of, rows, window, span));
        }
    }
    drafts
}

/// By GPU: what no work of it covers. The rows are in order of start.
fn uncovered(facts: &WorkFacts, devices: usize, rows: &[usize], window: Span) -> Vec<Vec<Span>> {
    let mut covered_to = vec![window.start; devices];
    let mut gaps = vec![Vec::new(); devices];
    for work in rows.iter().map(|&row| WorkId::new(row)) {
        let (device, span) = (facts.device[work].index(), facts.span[work].clip(window));
        if span.start > covered_to[device] {
            gaps[device].push(Span::new(covered_to[device], span.start));
        }
        covered_to[device] = covered_to[device].max(span.end);
    }
    for (gaps, covered_to) in gaps.iter_mut().zip(covered_to) {
        if window.end > covered_to {
            gaps.push(Span::new(covered_to, window.end));
        }
    }
    gaps
}

/// What is said of the items of GPUs.
pub(super) struct GpuItems<'a> {
    profile: &'a Profile,
    gaps: Gaps,
    owners: FxHashMap<WorkId, OpId>,
}

impl<'a> GpuItems<'a> {
    /// For the drafts of an iteration.
    pub(super) fn new(profile: &'a Profile, iteration: u32, drafts: &[Draft]) -> Self {
        Self { profile, gaps: Gaps::new(profile, drafts), owners: owners(profile, iteration) }
    }

    /// Of the idle time of a GPU.
    pub(super) fn idle(&self, draft: &Draft, names: &mut Names) -> impl Iterator<Item = Item> {
        self.gaps.items(self.profile, draft, names)
    }

    /// Of the work of a stream.
    pub(super) fn work(&self, draft: &Draft, names: &mut Names) -> impl Iterator<Item = Item> {
        draft.rows.iter().map(|&row| {
            let work = WorkId::new(row);
            let op = self.owners.get(&work).map(|&op| names.place(self.profile.op_id(op)));
            let (name, class) = gpu_item(self.profile, work);
            Item { name: names.place(name), class, op }
        })
    }
}

/// The name and the class of a piece of GPU work.
pub(in crate::pictures) fn gpu_item(profile: &Profile, work: WorkId) -> (&str, LaneItemClass) {
    let capture = &profile.capture;
    match capture.work_kind(work) {
        WorkKind::Kernel => {
            let short_name = capture.kernels.short_name[work];
            let is_communication = profile.judge_kernel(work).is_communication();
            let class = LaneItemClass::of_kernel(capture.judged.tensor_cores[work], is_communication);
            (capture.strings.get(short_name), class)
        }
        WorkKind::Copy => (capture.copy_kind_name(work), LaneItemClass::Memory),
        WorkKind::Memset => ("memset", LaneItemClass::Memory),
    }
}

/// The op of every piece of work that op calls of the iteration, of the one before and of the one after launched.
fn owners(profile: &Profile, iteration: u32) -> FxHashMap<WorkId, OpId> {
    let index = &profile.index;
    let iterations = iteration.saturating_sub(1)..(iteration + 2).min(index.iterations.total());
    let mut owners = FxHashMap::default();
    for part in index.blocks.parts(iterations) {
        let calls = index.blocks.calls(part.clone(), &index.calls.iteration);
        for &call in (0..part.len()).flat_map(|at| calls.get(at)) {
            let op = index.calls.op[call];
            owners.extend(profile.capture.work_by_call.get(call.index()).iter().map(|&work| (work, op)));
        }
    }
    owners
}
