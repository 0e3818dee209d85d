//! Lanes of threads.

use super::items::{Items, depths, rows_within};
use super::lane::{Item, ItemClass, Lane, LaneKind, Owner, Sources};
use super::text_places::Names;
use crate::base::ids::{ApiCallId, OpCallId, SampleId, ThreadId};
use crate::base::time::Span;
use crate::capture::correlate::Mode;
use crate::capture::names::ApiFunction;
use crate::figures::profile::Profile;
use std::cmp::Reverse;

/// The lanes of every thread that did something in the window, the threads with most API calls first.
pub(super) fn lanes(
    profile: &Profile,
    items: &Items,
    window: Span,
    names: &mut Names,
) -> (Vec<Lane>, Vec<Sources>) {
    let capture = &profile.capture;
    let host = &capture.host;
    let calls = by_thread(profile, &items.api_calls, |row| capture.api_calls.thread[ApiCallId::new(row)]);
    let ops = by_thread(profile, &items.op_calls, |row| capture.op_calls.thread[OpCallId::new(row)]);
    let mpi = by_thread(profile, &items.mpi_calls, |row| host.mpi.thread[..][row]);
    let os_threads = host.os_calls.as_ref().map_or(&[][..], |calls| &calls.thread);
    let os_calls = by_thread(profile, &items.os_calls, |row| os_threads[row]);
    let overheads = by_thread(profile, &items.overheads, |row| host.overheads.thread[..][row]);
    let samples = by_thread(profile, &items.samples, |row| host.samples.thread[SampleId::new(row)]);
    let mut threads: Vec<usize> = (0..capture.threads.len()).collect();
    threads.sort_by_key(|&thread| (Reverse(calls[thread].len()), thread));
    let mut lanes = Vec::new();
    let mut sources = Vec::new();
    let mut maker = Maker { profile, window, names };
    for thread in threads {
        let owner = maker.owner(thread);
        let mut add = |kind, items: Vec<Item>, source| {
            if !items.is_empty() {
                lanes.push(Lane::new(kind, owner.clone(), window, &items));
                sources.push(source);
            }
        };
        add(LaneKind::Ranges, maker.ranges(thread), Sources::Other);
        if !matches!(capture.mode, Mode::Nvtx | Mode::Simple) {
            add(LaneKind::Ops, maker.ops(&ops[thread]), Sources::Other);
        }
        add(LaneKind::ApiCalls, maker.api_calls(&calls[thread]), Sources::Calls(calls[thread].clone()));
        add(LaneKind::MpiCalls, maker.mpi_calls(&mpi[thread]), Sources::Other);
        add(LaneKind::OsCalls, maker.os_calls(&os_calls[thread]), Sources::Other);
        add(LaneKind::Profiler, maker.overheads(&overheads[thread]), Sources::Other);
        add(LaneKind::Samples, maker.samples(&samples[thread]), Sources::Other);
    }
    (lanes, sources)
}

/// Rows by thread; those of unknown threads are left out.
fn by_thread(profile: &Profile, rows: &[usize], thread_of: impl Fn(usize) -> ThreadId) -> Vec<Vec<usize>> {
    let mut lists = vec![Vec::new(); profile.capture.threads.len()];
    for &row in rows {
        if let Some(list) = lists.get_mut(thread_of(row).index()) {
            list.push(row);
        }
    }
    lists
}

/// Makes the items of threads.
struct Maker<'a> {
    profile: &'a Profile,
    window: Span,
    names: &'a mut Names,
}

impl Maker<'_> {
    fn owner(&self, thread: usize) -> Owner {
        let capture = &self.profile.capture;
        let thread = capture.threads[thread];
        let pid = thread
            .process
            .some()
            .map_or(thread.global_tid >> 24 & 0xFF_FFFF, |process| capture.processes[process.index()].pid());
        let name = thread.name.some().map(|name| capture.strings.get(name).to_owned());
        Owner::Thread { pid, tid: thread.global_tid & 0xFF_FFFF, name }
    }

    fn item(&mut self, span: Span, name: &str, class: ItemClass, depth: u8) -> Item {
        Item { span, name: self.names.place(name), class, depth, op: None }
    }

    fn ranges(&mut self, thread: usize) -> Vec<Item> {
        let capture = &self.profile.capture;
        let Some(ranges) = capture.ranges.by_thread.get(thread) else { return Vec::new() };
        let rows = rows_within(&ranges.span, &capture.host_zones().ranges[thread], self.window);
        let depths = depths(rows.iter().map(|&row| ranges.span[..][row]));
        let item = |(&row, depth): (&usize, u8)| {
            let text = capture.ranges.texts[ranges.text[..][row].index()].text;
            self.item(ranges.span[..][row], capture.strings.get(text), ItemClass::Range, depth)
        };
        rows.iter().zip(depths).map(item).collect()
    }

    fn ops(&mut self, rows: &[usize]) -> Vec<Item> {
        let index = &self.profile.index;
        let calls = &self.profile.capture.op_calls;
        let depths = depths(rows.iter().map(|&row| calls.span[OpCallId::new(row)]));
        let item = |(&row, depth): (&usize, u8)| {
            let call = OpCallId::new(row);
            let op = index.calls.op[call];
            let place = self.names.place(self.profile.op_id(op));
            let item = self.item(calls.span[call], self.profile.op_name(op), ItemClass::Range, depth);
            Item { op: Some(place), ..item }
        };
        rows.iter().zip(depths).map(item).collect()
    }

    fn api_calls(&mut self, rows: &[usize]) -> Vec<Item> {
        let capture = &self.profile.capture;
        let item = |&row: &usize| {
            let call = ApiCallId::new(row);
            let name = capture.strings.get(capture.api_calls.name[call]);
            let class = ItemClass::Call(ApiFunction::of(name).class);
            self.item(capture.api_calls.span[call], name, class, 0)
        };
        rows.iter().map(item).collect()
    }

    fn mpi_calls(&mut self, rows: &[usize]) -> Vec<Item> {
        let capture = &self.profile.capture;
        let mpi = &capture.host.mpi;
        let name = |row: usize| capture.strings.get(mpi.name[..][row]);
        rows.iter().map(|&row| self.item(mpi.span[..][row], name(row), ItemClass::Host, 0)).collect()
    }

    fn os_calls(&mut self, rows: &[usize]) -> Vec<Item> {
        let capture = &self.profile.capture;
        let Some(calls) = &capture.host.os_calls else { return Vec::new() };
        let name = |row: usize| capture.strings.get(calls.name[..][row]);
        let item =
            |&row: &usize| self.item(calls.span[..][row], name(row), ItemClass::Host, calls.nesting[..][row]);
        rows.iter().map(item).collect()
    }

    fn overheads(&mut self, rows: &[usize]) -> Vec<Item> {
        let capture = &self.profile.capture;
        let overheads = &capture.host.overheads;
        let name = |row: usize| capture.strings.get(overheads.name[..][row]);
        rows.iter().map(|&row| self.item(overheads.span[..][row], name(row), ItemClass::Host, 0)).collect()
    }

    fn samples(&mut self, rows: &[usize]) -> Vec<Item> {
        let capture = &self.profile.capture;
        let host = &capture.host;
        let item = |&row: &usize| {
            let time = host.samples.time[SampleId::new(row)];
            let offsets = &host.stack_offsets.offset[..];
            let frames = offsets.get(row..row + 2).map_or(0..0, |ends| ends[0] as usize..ends[1] as usize);
            let innermost = host.stack_frames.symbol[..].get(frames).and_then(<[_]>::first);
            let name = innermost.map_or("", |&symbol| capture.strings.get(symbol));
            self.item(Span::new(time, time), name, ItemClass::Host, 0)
        };
        rows.iter().map(item).collect()
    }
}
