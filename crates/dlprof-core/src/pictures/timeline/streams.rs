//! Lanes of GPUs: idle time, then their streams.

use super::idle::Gaps;
use super::items::Items;
use super::lane::{Item, ItemClass, Lane, LaneKind, Owner, Sources};
use super::text_places::Names;
use crate::base::ids::{DeviceId, OpId, WorkId};
use crate::base::time::Span;
use crate::figures::profile::Profile;
use crate::read::facts::WorkKind;
use rustc_hash::FxHashMap;

/// The lanes of every GPU that did something in the window.
pub(super) fn lanes(
    profile: &Profile,
    iteration: u32,
    items: &Items,
    window: Span,
    names: &mut Names,
) -> (Vec<Lane>, Vec<Sources>) {
    let capture = &profile.capture;
    let mut by_stream = vec![Vec::new(); capture.streams.len()];
    for &row in &items.work {
        if let Some(list) = by_stream.get_mut(capture.work.stream[WorkId::new(row)].index()) {
            list.push(row);
        }
    }
    let owners = owners(profile, iteration);
    let has_work = |device: &DeviceId| {
        let mut streams = by_stream.iter().zip(&capture.streams);
        streams.any(|(rows, stream)| stream.device == *device && !rows.is_empty())
    };
    let devices: Vec<DeviceId> = (0..capture.devices.len()).map(DeviceId::new).filter(has_work).collect();
    let gaps = Gaps::new(profile, &devices, &items.work, window);
    let mut lanes = Vec::new();
    let mut sources = Vec::new();
    for device in devices {
        let mut streams: Vec<usize> = (0..by_stream.len())
            .filter(|&stream| capture.streams[stream].device == device && !by_stream[stream].is_empty())
            .collect();
        streams.sort_by_key(|&stream| (std::cmp::Reverse(by_stream[stream].len()), stream));
        let device_id = profile.device_number(device);
        let idle = gaps.items(profile, device, names);
        lanes.push(Lane::new(LaneKind::Idle, Owner::Gpu { device_id }, window, &idle));
        sources.push(Sources::Other);
        for stream in streams {
            let described = capture.streams[stream];
            let pid = described.process.some().map(|process| capture.processes[process.index()].pid());
            // DLProf databases have no streams.
            let number = capture.dlprof.is_none().then_some(described.number);
            let owner = Owner::Stream { device_id, pid, stream: number };
            let rows = &by_stream[stream];
            let work = rows.iter().map(|&row| item(profile, WorkId::new(row), &owners, names));
            let work: Vec<Item> = work.collect();
            lanes.push(Lane::new(LaneKind::Stream, owner, window, &work));
            sources.push(Sources::Work(rows.clone()));
        }
    }
    (lanes, sources)
}

fn item(profile: &Profile, work: WorkId, owners: &FxHashMap<WorkId, OpId>, names: &mut Names) -> Item {
    let capture = &profile.capture;
    let (name, class) = match capture.work_kind(work) {
        WorkKind::Kernel => {
            let short_name = capture.kernels.short_name[work];
            let is_communication = profile.is_communication_kernel(short_name);
            let class = ItemClass::of_kernel(capture.kernels.tensor_cores[work], is_communication);
            (capture.strings.get(short_name), class)
        }
        WorkKind::Copy => (capture.copy_kind_name(work), ItemClass::Memory),
        WorkKind::Memset => ("memset", ItemClass::Memory),
    };
    let op = owners.get(&work).map(|&op| names.place(profile.op_id(op)));
    Item { span: capture.work.span[work], name: names.place(name), class, depth: 0, op }
}

/// The op of every piece of work that op calls of the iteration, of the one before and of the one behind launched.
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
