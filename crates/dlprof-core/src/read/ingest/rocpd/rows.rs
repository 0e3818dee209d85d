//! Tables `region`, `kernel_dispatch`, `memory_copy` and `memory_allocate`.

use super::super::row::Row;
use super::super::work::bytes;
use super::events::{Category, Event};
use super::part::{Part, Place};
use super::source::Source;
use crate::base::Error;
use crate::base::time::Span;
use crate::read::draft::{CallRow, Draft, Lane, NO_KEY, NOBODY, WorkRow};
use crate::read::facts::{Device, LaunchConfig, WorkKind};
use rustc_hash::FxHashMap;

/// What all four tables have: the columns of [`Common`].
const COMMON: [&str; 9] =
    ["start", "end", "event_id", "track_id", "pid", "tid", "agent_id", "queue_id", "stream_id"];

/// The number of the first column of a table's own.
const OWN: usize = COMMON.len();

/// What all four tables have.
struct Common {
    span: Span,
    event: Event,
    place: Place,
}

/// Reads the tables.
pub(super) fn read(source: &Source<'_>, part: &Part, draft: &mut Draft<'_>) -> Result<(), Error> {
    let columns = |own: &[&'static str]| [&COMMON[..], own].concat();
    source.fill("region", &columns(&["name_id"]), draft, |draft, row| region(part, draft, row))?;
    source.fill("kernel_dispatch", &columns(KERNEL), draft, |draft, row| kernel(part, draft, row))?;
    let own = ["name_id", "size", "src_agent_id", "dst_agent_id"];
    source.fill("memory_copy", &columns(&own), draft, |draft, row| copy(part, draft, row))?;
    let mut allocated = FxHashMap::default();
    let own = ["type", "level", "size", "address"];
    source.each("memory_allocate", &columns(&own), |row| allocation(part, draft, row, &mut allocated))
}

/// What a row says as all do; `None` if it has no time.
fn common(part: &Part, draft: &mut Draft<'_>, row: &Row<'_>) -> Option<Common> {
    let diagnostics = draft.diagnostics();
    let span = row.span(0, 1, diagnostics)?;
    let mut int = |column| row.int(column, diagnostics);
    let event = part.event(int(2));
    let track = int(3);
    let own = Place { pid: int(4), tid: int(5), agent: int(6), queue: int(7), stream: int(8) };
    Some(Common { span, event, place: part.place(track, own) })
}

/// A call, or a range of the program.
fn region(part: &Part, draft: &mut Draft<'_>, row: &Row<'_>) {
    let Some(Common { span, event, place }) = common(part, draft, row) else { return };
    let name_id = row.int(OWN, draft.diagnostics());
    let thread = part.thread(place, draft);
    if event.category == Category::Marker {
        let name = part.string(name_id);
        let says = match event.text {
            NOBODY if name.is_empty() || name.starts_with("roctx") => {
                part.unread_texts.set(part.unread_texts.get() + 1);
                return;
            }
            NOBODY => draft.text(name),
            text => (text, event.sequence),
        };
        part.ranges.set(part.ranges.get() + 1);
        part.ranges_with_length.set(part.ranges_with_length.get() + u64::from(span.length() > 0));
        return draft.push_range(span, thread, says.0, says.1);
    }
    let parent = if event.category == Category::Hsa { event.parent } else { NO_KEY };
    let name = part.name(name_id, draft);
    draft.push_call(CallRow { span, thread, name, key: event.stack, parent });
}

const KERNEL: &[&str] = &[
    "kernel_id",
    "grid_size_x",
    "grid_size_y",
    "grid_size_z",
    "workgroup_size_x",
    "workgroup_size_y",
    "workgroup_size_z",
    "group_segment_size",
    "graph_exec_id",
];

fn kernel(part: &Part, draft: &mut Draft<'_>, row: &Row<'_>) {
    let Some(Common { span, event, place }) = common(part, draft, row) else { return };
    let device = gpu(part, draft, [place.agent, None]);
    let diagnostics = draft.diagnostics();
    let mut int = |column: usize| row.int(OWN + column, diagnostics);
    let symbol = int(0).and_then(|id| part.symbols.get(&id)).copied();
    let work_items = [1, 2, 3].map(&mut int);
    let block = [4, 5, 6].map(|at| int(at).unwrap_or(1));
    let lds = int(7);
    let is_of_graph = int(8).is_some_and(|graph| graph != 0);
    let static_bytes = symbol.and_then(|symbol| symbol.static_bytes);
    let config = draft.config(LaunchConfig {
        // The grid counts work-items.
        grid: std::array::from_fn(|at| workgroups(work_items[at].unwrap_or(1), block[at])),
        block,
        registers: symbol.and_then(|symbol| symbol.registers),
        static_shared_bytes: static_bytes,
        dynamic_shared_bytes: lds.map(|lds| lds.saturating_sub(static_bytes.unwrap_or(0)).max(0)),
        multiprocessors: None,
    });
    let name = symbol.map_or_else(|| draft.name("unknown kernel"), |symbol| symbol.name);
    let lane = lane(part, draft, place, device);
    draft.push_work(WorkRow {
        call: event.stack,
        name,
        short_name: symbol.map_or(name, |symbol| symbol.short_name),
        config,
        is_of_graph,
        ..WorkRow::new(WorkKind::Kernel, span, lane)
    });
}

/// The lane of work on a GPU.
fn lane(part: &Part, draft: &mut Draft<'_>, place: Place, device: u32) -> u32 {
    draft.lane(Lane {
        process: part.process(place.pid),
        device,
        stream: place.stream.unwrap_or(NO_KEY),
        queue: place.queue.unwrap_or(NO_KEY),
    })
}

/// How many workgroups so many work-items are.
fn workgroups(work_items: i64, workgroup: i64) -> i64 {
    let workgroup = workgroup.max(1);
    work_items.max(0) / workgroup + i64::from(work_items.max(0) % workgroup > 0)
}

fn copy(part: &Part, draft: &mut Draft<'_>, row: &Row<'_>) {
    let Some(Common { span, event, place }) = common(part, draft, row) else { return };
    let diagnostics = draft.diagnostics();
    let name = part.string(row.int(OWN, diagnostics));
    let size = bytes(row, OWN + 1, diagnostics);
    let ends = [3, 2].map(|column| row.int(OWN + column, diagnostics));
    let device = gpu(part, draft, ends);
    let lane = lane(part, draft, place, device);
    draft.push_work(WorkRow {
        call: event.stack,
        bytes: size,
        copy_kind: copy_kind(name, ends[0] != ends[1]),
        ..WorkRow::new(WorkKind::Copy, span, lane)
    });
}

/// CUPTI's number of the direction that the name of a copy says.
fn copy_kind(name: &str, is_between: bool) -> u8 {
    let directions =
        [("HOST_TO_DEVICE", 1), ("DEVICE_TO_HOST", 2), ("DEVICE_TO_DEVICE", 8), ("HOST_TO_HOST", 9)];
    match directions.iter().find(|(direction, _)| name.ends_with(direction)) {
        Some((_, 8)) if is_between => 10,
        Some(&(_, kind)) => kind,
        None => 0,
    }
}

/// The first GPU among agents. Work on none of them, as a copy within the host, is on the first GPU of the machine.
fn gpu(part: &Part, draft: &mut Draft<'_>, agents: [Option<i64>; 2]) -> u32 {
    let of_agent = |id: i64| part.agents.get(&id).and_then(|agent| agent.gpu);
    let found = agents.into_iter().flatten().find_map(of_agent);
    let first = || part.agents.values().filter_map(|agent| agent.gpu).min();
    found.or_else(first).unwrap_or_else(|| {
        // The table of agents may be missing.
        let device_id = agents[0].unwrap_or(0);
        draft.device((NO_KEY, device_id), || Device { device_id, ..Device::default() })
    })
}

/// Memory of a GPU that the program takes or gives back.
fn allocation(part: &Part, draft: &mut Draft<'_>, row: &Row<'_>, allocated: &mut FxHashMap<i64, (u32, u64)>) {
    let Some(Common { span, place, .. }) = common(part, draft, row) else { return };
    if row.text(OWN + 1).is_some_and(|level| level != "REAL") {
        return;
    }
    let address = row.int(OWN + 3, draft.diagnostics()).unwrap_or(0);
    match row.text(OWN).as_deref() {
        Some("ALLOC") => {
            let Some(device) = place.agent.and_then(|id| part.agents.get(&id)?.gpu) else { return };
            let size = bytes(row, OWN + 2, draft.diagnostics());
            allocated.insert(address, (device, size));
            draft.push_memory(span.start, device, false, size);
        }
        // What is given back names neither its GPU nor its size.
        Some("FREE") => {
            if let Some((device, size)) = allocated.remove(&address) {
                draft.push_memory(span.start, device, true, size);
            }
        }
        _ => {}
    }
}
