//! The columns of a capture, as the figures of this module need them. Nothing is copied.

use super::{Activity, ApiCallColumns, GpuItems, HostSamples, MpiCalls, OsCalls, Overheads};
use crate::capture::CaptureContents;
use crate::read::facts::HostFacts;

/// What GPUs and CPU threads did in a capture.
#[must_use]
pub fn activity_of(capture: &CaptureContents) -> Activity<'_> {
    let HostFacts { mpi, os_calls, overheads, .. } = &capture.host;
    let calls = &capture.api_calls;
    Activity {
        strings: &capture.strings,
        memory: &capture.memory,
        threads: &capture.threads,
        processes: capture.processes.len(),
        devices: capture.devices.len(),
        streams: capture.streams.len(),
        items: items_of(capture),
        calls: ApiCallColumns {
            span: &calls.span,
            thread: &calls.thread,
            name: &calls.name,
            repeats: &capture.repeated_calls.repeat,
            repeated: &capture.repeated_calls.call,
        },
        range_labels: &capture.ranges.texts,
        ranges: &capture.ranges.by_thread,
        mpi: MpiCalls { span: &mpi.span, thread: &mpi.thread, name: &mpi.name },
        os_calls: os_calls.as_ref().map(|calls| OsCalls {
            span: &calls.span,
            thread: &calls.thread,
            name: &calls.name,
            nesting: &calls.nesting,
        }),
        overheads: Overheads { span: &overheads.span, thread: &overheads.thread, kind: &overheads.kind },
    }
}

fn items_of(capture: &CaptureContents) -> GpuItems<'_> {
    GpuItems {
        span: &capture.work.span,
        zones: Some(&capture.work_zones),
        device: &capture.work.device,
        stream: &capture.work.stream,
        call: &capture.launches.api,
        kernels: capture.kernels.short_name.len(),
        whole_graphs: capture.whole_graphs,
        copies: capture.copies.kind.len(),
        short_name: &capture.kernels.short_name,
        graph: &capture.kernels.graph,
        transfer_graph: &capture.transfers.graph,
        bytes: &capture.transfers.bytes,
        copy_kind: &capture.copies.kind,
        source_memory: &capture.copies.source_memory,
        target_memory: &capture.copies.target_memory,
    }
}

/// CPU samples and scheduling of a capture.
#[must_use]
pub fn host_samples_of(capture: &CaptureContents) -> HostSamples<'_> {
    let HostFacts { samples, stack_offsets, stack_frames, switches, .. } = &capture.host;
    HostSamples {
        time: &samples.time,
        thread: &samples.thread,
        frames_from: &stack_offsets.offset,
        symbol: &stack_frames.symbol,
        module: &stack_frames.module,
        switch_time: &switches.time,
        switch_thread: &switches.thread,
        switched_in: &switches.switched_in,
    }
}
