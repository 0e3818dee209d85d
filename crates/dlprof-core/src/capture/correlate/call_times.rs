//! The five times of an op call.
//!
//! ```text
//! CPU       ├───────────────── op call ─────────────────┤       CPU time    = stop - start
//! API         ├ launch ┤        ├─ memcpy ─┤                    API time    = union of API calls
//! GPU              ├ kernel ┤         ├ copy ┤ ├ kernel ┤       GPU time    = union of GPU work
//!                                                               overhead    = CPU time - API time
//!                           ╰── idle ─╯      ╰╯                 GPU idle    = last end - first start - GPU time
//! ```
//!
//! GPU work counts even if it runs long after the call has stopped. Of nested op calls (plain NVTX ranges) each
//! has the CPU time outside the calls nested directly in it, so that sums over ops count no time twice.

use crate::base::groups::Grouped;
use crate::base::ids::WorkId;
use crate::base::intervals::union_length;
use crate::base::time::{Ns, Span};
use crate::columns::{Buffer, Memory, cells_of_numbers};
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;

/// The five times of an op call, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct CallTimes {
    /// Time on the CPU.
    pub cpu_ns: Ns,
    /// Time covered by its kernels, copies and memsets.
    pub gpu_ns: Ns,
    /// Time covered by its CUDA API calls of all kinds.
    pub api_ns: Ns,
    /// CPU time outside CUDA API calls.
    pub cpu_overhead_ns: Ns,
    /// Time between its first and its last GPU work without any of it.
    pub gpu_idle_ns: Ns,
}

cells_of_numbers! {
    CallTimes: "cpu_ns" "gpu_ns" "api_ns" "cpu_overhead_ns" "gpu_idle_ns";
}

/// Computes the times of all op calls, given their CPU and API times. The work of each call is sorted by start.
pub(super) fn of_calls(
    memory: &Memory,
    work_span: &[Span],
    cpu_ns: &[Ns],
    api_ns: &[Ns],
    work_by_call: &Grouped<WorkId>,
) -> Buffer<CallTimes> {
    let of_call = |call: usize| {
        let (cpu_ns, api_ns) = (cpu_ns[call], api_ns[call]);
        let work = work_by_call.get(call).iter().map(|work| work_span[work.index()]);
        let gpu_ns = union_length(work.clone());
        CallTimes {
            cpu_ns,
            gpu_ns,
            api_ns,
            cpu_overhead_ns: (cpu_ns - api_ns).max(0),
            gpu_idle_ns: extent(work) - gpu_ns,
        }
    };
    let mut times = memory.filled(cpu_ns.len(), CallTimes::default());
    let calls = times.par_iter_mut().enumerate().with_min_len(4096);
    calls.for_each(|(call, times)| *times = of_call(call));
    times
}

/// From the first start to the last end; 0 without spans.
fn extent(spans: impl Iterator<Item = Span> + Clone) -> Ns {
    let start = spans.clone().map(|span| span.start).min();
    let end = spans.map(|span| span.end).max();
    start.zip(end).map_or(0, |(start, end)| end - start)
}
