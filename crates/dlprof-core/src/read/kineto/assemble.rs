//! Rows to [`Facts`]: threads, GPUs and calls resolved, time from the first event of the trace.

use super::collect::Collector;
use super::devices::Devices;
use super::head::Head;
use super::join::{JoinKey, Joined};
use super::labels::ranks_of_labels;
use super::ranges::FinishedRanges;
use super::reading::ReadTrace;
use super::repeated;
use super::rows::{RawFrame, RawItem};
use super::threads::ResolvedThreads;
use super::work::{ItemNames, Launches, Work};
use crate::base::Error;
use crate::base::diagnostics::{DiagnosticCode, Diagnostics};
use crate::base::ids::Maybe;
use crate::base::time::{Ns, Span};
use crate::columns::{Buffer, Memory};
use crate::read::facts::{
    AboutRecording, AllocatorFactsBuilder, ApiCallFactsBuilder, CaptureNotes, Facts, HostFacts, Keys,
    KinetoNotes, OverheadFactsBuilder, OverheadKind, PythonFrameFacts, PythonFrameFactsBuilder,
    RecordedSource, RecordedSystem, RecordedTables, Recorder, RecorderKind, SyncFactsBuilder,
    SyncKeysBuilder, Vendor, WorkKind, too_many_gpus,
};
use crate::read::sum_check::Sums;
use std::cmp::Reverse;
use std::path::Path;

/// The year 2000, in nanoseconds since 1970: earlier times are not dates.
const FIRST_DATE: Ns = 946_684_800_000_000_000;

/// The facts of a trace.
pub(super) fn assemble(
    path: &Path,
    size_bytes: u64,
    memory: &Memory,
    ReadTrace { head, rows }: ReadTrace,
) -> Result<Facts, Error> {
    let Collector {
        mut names,
        mut diagnostics,
        threads,
        mut calls,
        call_details,
        mut items,
        configs,
        ranges,
        mut frames,
        syncs,
        overheads,
        allocations,
        collectives,
        zero,
        ..
    } = rows;
    repeated::remove(&mut calls, &mut items, &names, &mut diagnostics);
    // As the trace has it, before times count from the first event.
    let zero_times = calls.iter().filter(|call| call.span.start == 0).count()
        + items.iter().filter(|item| item.kind == WorkKind::Kernel && item.span.start == 0).count();
    let zero = zero.unwrap_or(0);
    let threads = threads.resolve(&mut names);
    let joined = Joined::new(&calls, &threads);
    let Head { mut notes, devices, vendor, cuda_version, messages, unknown_schema } = head;
    let of_calls = || calls.iter().find_map(|call| Vendor::of_function(names.pool.get(call.name)));
    let of_items = || items.iter().find_map(|item| Vendor::of_kernel(names.pool.get(item.name)));
    let vendor = match vendor.or_else(of_calls).or_else(of_items) {
        Some(vendor) => vendor,
        // Calls of a runtime that is none of those that are known.
        None if !calls.is_empty() => Vendor::Other,
        None => Vendor::Unknown,
    };
    let system = (devices.len(), RecordedSystem::names_of(&devices));
    let mut devices = Devices::new(devices, items.iter().map(|item| item.stream.device));

    let mut work = Work::new(memory, items.len(), configs, zero);
    let item_names = ItemNames::of(&items, &mut names);
    let launches = Launches {
        calls: &calls,
        details: &call_details,
        threads: &threads,
        joined: &joined,
        is_graph_launch: Launches::graph_launches(&names),
    };
    for kind in [WorkKind::Kernel, WorkKind::Copy, WorkKind::Memset] {
        for item in items.iter().filter(|item| item_names.kind(item) == kind) {
            work.push(item, &item_names, &launches, &mut devices);
        }
    }
    let kernels = work.kernels.short_name.len();
    let is_of_other_call = |item: &&RawItem| {
        let key = JoinKey { label: item.label, correlation: item.correlation };
        item_names.kind(item) == WorkKind::Kernel && joined.is_of_other_call(key)
    };
    notes.kernels_of_other_calls = items.iter().filter(is_of_other_call).count() as u64;

    let mut api_calls = ApiCallFactsBuilder::new(memory, calls.len());
    let mut call_keys = memory.buffer(calls.len());
    for (row, call) in calls.iter().enumerate() {
        api_calls.span.push(moved(call.span, zero));
        api_calls.thread.push(threads.id(call.thread));
        api_calls.name.push(call.name);
        call_keys.push(joined.key_of_call(row, call, &threads));
    }
    let mut sync_facts = SyncFactsBuilder::new(memory, syncs.len());
    let mut sync_keys = SyncKeysBuilder::new(memory, syncs.len());
    for sync in &*syncs {
        sync_facts.kind.push(sync.kind);
        sync_facts.event.push(sync.event);
        sync_facts.device.push(sync.device);
        let key = JoinKey { label: sync.label, correlation: sync.correlation };
        sync_keys.process.push(launches.process(key));
        sync_keys.correlation.push(joined.key(key));
    }
    let mut overhead_facts = OverheadFactsBuilder::new(memory, overheads.len());
    for &(span, name) in &*overheads {
        overhead_facts.span.push(moved(span, zero));
        overhead_facts.thread.push(Maybe::NONE);
        overhead_facts.name.push(name);
        overhead_facts.kind.push(OverheadKind::of(None, names.pool.get(name)));
    }
    let mut allocator = AllocatorFactsBuilder::new(memory, allocations.len());
    let mut in_time = allocations;
    in_time.sort_by_key(|allocation| allocation.time);
    for allocation in &*in_time {
        allocator.time.push(allocation.time - zero);
        allocator.device.push(allocation.device.map(|number| devices.find_or_add(number)).into());
        allocator.bytes.push(allocation.bytes);
        allocator.allocated.push(allocation.allocated);
        allocator.reserved.push(allocation.reserved);
    }
    drop(in_time);

    notes.python_frames = frames.len() as u64;
    notes.calls_and_kernels = (calls.len() + kernels) as u64;
    notes.zero_times = zero_times as u64;
    count_oddities(&notes, unknown_schema, kernels, &mut diagnostics);
    count_left_out(ranges.numbers(), &mut diagnostics);
    let labels = threads.used_labels();
    if labels.len() > 1 {
        diagnostics.count_cases(DiagnosticCode::MergedRanks, labels.len() as u64, || in_words(&labels));
        notes.merged_ranks = threads.ranks(&ranks_of_labels(&labels));
    }
    let python = python(memory, &mut frames, zero, &threads);
    drop(frames);
    let FinishedRanges { ranges, sequences, operators } =
        ranges.finish(memory, zero, &threads, &mut diagnostics, &names);

    // Before PyTorch 1.13 operators name their stacks, and the head says nothing.
    notes.with_stack |= operators.iter().any(|keys| !keys.stack.is_none());

    let captured_ns = notes.base_ns.unwrap_or(0).checked_add(zero).filter(|&ns| ns >= FIRST_DATE);
    let devices = devices.into_list();
    if let Some(found) = too_many_gpus(devices.len()) {
        return Err(Error::NotATrace { path: path.into(), found });
    }
    let (gpu_count, gpu_names) = match system {
        (0, _) => (devices.len(), RecordedSystem::names_of(&devices)),
        known => known,
    };
    let about = AboutRecording {
        source: RecordedSource { path: path.into(), size_bytes, captured_ns, ..RecordedSource::default() },
        system: RecordedSystem {
            gpu_count,
            gpu_names,
            cuda_version,
            framework: Some("PyTorch".into()),
            ..RecordedSystem::default()
        },
        processes: threads.processes,
        threads: threads.threads,
        devices,
        streams: work.streams,
        launch_configs: work.configs.into_iter().collect(),
        recorder: Recorder { kind: RecorderKind::TorchProfiler, vendor },
        kineto: Some(Box::new(notes)),
        collectives: collectives.into_iter().collect(),
        notes: CaptureNotes { nsys_messages: messages, ..CaptureNotes::default() },
        diagnostics,
        ..AboutRecording::default()
    };
    let recorded = RecordedTables {
        about,
        api_calls: api_calls.finish(),
        syncs: sync_facts.finish(),
        work: work.rows.finish(),
        kernels: work.kernels.finish(),
        copies: work.copies.finish(),
        transfers: work.transfers.finish(),
        unsized_transfers: work.unsized_transfers.finish(),
        collectives: work.collectives.finish(),
        ranges,
        host: HostFacts { overheads: overhead_facts.finish(), python, ..HostFacts::default() },
        allocator: allocator.finish(),
        ..RecordedTables::default()
    };
    check_sums(path, &recorded)?;
    let keys = Keys {
        api_calls: call_keys.into_column(),
        syncs: sync_keys.finish(),
        sequences,
        operators,
        ..Keys::default()
    };
    Ok(Facts { memory: memory.clone(), strings: names.pool, recorded, keys, records: None })
}

fn moved(span: Span, zero: Ns) -> Span {
    Span::new(span.start - zero, span.end - zero)
}

/// The first labels of ranks.
fn in_words(labels: &[String]) -> String {
    const MOST: usize = 4;
    let more = labels.len().saturating_sub(MOST);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", labels[..labels.len().min(MOST)].join(", "))
}

/// Python functions, thread by thread, in the order in which they open.
fn python(
    memory: &Memory,
    frames: &mut Buffer<RawFrame>,
    zero: Ns,
    threads: &ResolvedThreads,
) -> PythonFrameFacts {
    frames.sort_by_key(|frame| (threads.id(frame.thread), frame.span.start, Reverse(frame.span.end)));
    let mut facts = PythonFrameFactsBuilder::new(memory, frames.len());
    for frame in &**frames {
        facts.span.push(moved(frame.span, zero));
        facts.thread.push(threads.id(frame.thread));
        facts.name.push(frame.name);
    }
    facts.finish()
}

/// Counts what is odd about the trace as a whole.
fn count_oddities(
    notes: &KinetoNotes,
    unknown_schema: Option<String>,
    kernels: usize,
    diagnostics: &mut Diagnostics,
) {
    /// More calls and kernels at time 0 than one in so many are no accident.
    const FEW: u64 = 100;
    if let Some(version) = unknown_schema {
        diagnostics.count(DiagnosticCode::UnknownTraceFormat, || format!("version {version}"));
    }
    if notes.is_list {
        diagnostics.count(DiagnosticCode::TraceWithoutHead, || "a bare list of events".into());
    }
    if notes.zero_times > notes.calls_and_kernels / FEW && notes.zero_times > 1 {
        diagnostics.count_cases(DiagnosticCode::BrokenClock, notes.zero_times, || {
            format!("of {} API calls and kernels", notes.calls_and_kernels)
        });
    }
    // Other diagnostics say better why there are none.
    let says_why = [DiagnosticCode::CutTrace, DiagnosticCode::OtherDevice];
    if kernels == 0 && says_why.iter().all(|&code| diagnostics.counted(code) == 0) {
        diagnostics.count(DiagnosticCode::TraceWithoutKernels, || "no event is a kernel".into());
    }
}

/// Counts the operators that were recorded and are not in the trace, where these are by far the most: a tool thinned it. A trace of a
/// part of a program may lack some.
fn count_left_out((held, numbers): (u64, u64), diagnostics: &mut Diagnostics) {
    /// In such a trace no more than one in so many is there.
    const ONE_IN: u64 = 10;
    let left_out = numbers.saturating_sub(held);
    if held.saturating_mul(ONE_IN) < numbers && left_out >= 1_000 {
        diagnostics.count_cases(DiagnosticCode::ThinnedTrace, left_out, || {
            format!("{held} of {numbers} numbers are there")
        });
    }
}

/// Refuses traces whose times or bytes cannot be added up.
fn check_sums(path: &Path, recorded: &RecordedTables) -> Result<(), Error> {
    let mut sums = Sums::new(path);
    let kernels = recorded.kernels.len();
    sums.add_times("API calls", &recorded.api_calls.span[..])?;
    sums.add_times("kernels", &recorded.work.span[..][..kernels])?;
    sums.add_times("copies and memsets", &recorded.work.span[..][kernels..])?;
    sums.add_times("operators and annotations", recorded.ranges.lists().flat_map(|list| list.span.iter()))?;
    sums.add_times("Python functions", &recorded.host.python.span[..])?;
    sums.add_times("overheads", &recorded.host.overheads.span[..])?;
    sums.add_bytes("copies and memsets", &recorded.transfers.bytes)?;
    sums.check_extent(recorded.devices.len())
}
