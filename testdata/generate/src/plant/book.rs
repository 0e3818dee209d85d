//! Keeps count of what is planted, while it is planted.

use super::records::KernelShape;
use crate::trace::{Ns, Span};
use serde::Serialize;
use std::collections::BTreeMap;

/// What one GPU does in one iteration.
#[derive(Clone, Default, Serialize)]
pub(crate) struct GpuSums {
    /// Time covered by compute kernels.
    pub(crate) compute_ns: Ns,
    /// Time covered by communication kernels.
    pub(crate) communication_ns: Ns,
    /// Time covered by copies and memsets.
    pub(crate) copy_ns: Ns,
    /// Communication while no compute kernel runs.
    pub(crate) exposed_communication_ns: Ns,
    /// Copies while no kernel runs.
    pub(crate) exposed_copy_ns: Ns,
    /// In gaps that a late call ends: time after the start of a wait.
    pub(crate) drained_by_sync_ns: Ns,
    /// Of it, what waiting and launching take.
    pub(crate) sync_cost_ns: Ns,
    /// Of that, in gaps shorter than 1 ms.
    pub(crate) sync_cost_short_gaps_ns: Ns,
    /// The host issues or is on its way to it, in gaps shorter than 1 ms.
    pub(crate) cpu_in_short_gaps_ns: Ns,
    /// The same in longer gaps.
    pub(crate) cpu_in_long_gaps_ns: Ns,
    /// Number of parts of gaps.
    pub(crate) gaps: u64,
    /// The longest of them.
    pub(crate) longest_gap_ns: Ns,
    /// Idle time by cause.
    #[serde(skip)]
    pub(crate) causes: BTreeMap<&'static str, Ns>,
}

impl GpuSums {
    /// Time with any item.
    pub(crate) fn busy_ns(&self) -> Ns {
        self.compute_ns + self.exposed_communication_ns + self.exposed_copy_ns
    }

    /// Time without.
    pub(crate) fn idle_ns(&self) -> Ns {
        self.causes.values().sum()
    }

    /// Counts idle time.
    pub(crate) fn idle(&mut self, cause: &'static str, ns: Ns) {
        *self.causes.entry(cause).or_default() += ns;
    }

    /// Counts a part of a gap.
    pub(crate) fn gap(&mut self, ns: Ns) {
        self.gaps += 1;
        self.longest_gap_ns = self.longest_gap_ns.max(ns);
    }
}

/// Number and summed length.
#[derive(Clone, Copy, Default, Serialize)]
pub(crate) struct Sum {
    /// Number.
    pub(crate) count: u64,
    /// Summed length.
    pub(crate) time_ns: Ns,
}

impl Sum {
    /// Counts one more.
    pub(crate) fn add(&mut self, ns: Ns) {
        self.count += 1;
        self.time_ns += ns;
    }
}

/// Copies or memsets of a kind.
#[derive(Clone, Copy, Default)]
pub(crate) struct CopySum {
    /// Number and GPU time.
    pub(crate) gpu: Sum,
    /// Amount.
    pub(crate) bytes: i64,
    /// Summed length of their calls.
    pub(crate) api_time_ns: Ns,
}

/// A kernel with a call.
#[derive(Clone, Copy)]
pub(crate) struct Launch {
    /// The call.
    pub(crate) call: Span,
    /// The kernel.
    pub(crate) kernel: Span,
    /// When what ran before on its stream had ended.
    pub(crate) stream_end: Option<Ns>,
}

/// What a thread does.
#[derive(Clone, Default)]
pub(crate) struct ThreadSums {
    /// Its launch calls.
    pub(crate) launches: Sum,
    /// Starts of the first and the last of them.
    pub(crate) launch_starts: Option<(Ns, Ns)>,
    /// How long GPUs wait for it.
    pub(crate) waiting_ns: Ns,
    /// Of it, without a processor.
    pub(crate) off_cpu_ns: Ns,
    /// Whether its scheduling is recorded, from before the first to after the last wait.
    pub(crate) is_scheduled: bool,
    /// Its samples in this time.
    pub(crate) samples: u64,
}

/// Memory of a GPU during an iteration.
#[derive(Clone, Copy, Default, Serialize)]
pub(crate) struct MemorySums {
    /// Most bytes in use.
    pub(crate) peak_bytes: i64,
    /// Bytes in use at the end.
    pub(crate) end_bytes: i64,
    /// Number of allocations.
    pub(crate) allocations: u64,
    /// Number of frees.
    pub(crate) frees: u64,
    /// Bytes of the allocations.
    pub(crate) allocated_bytes: i64,
}

/// What a launch of a planted kernel does to the SMs, worked out by hand.
#[derive(Clone, Copy)]
pub(crate) struct Fill {
    /// Blocks that an SM holds at a time.
    pub(crate) blocks_per_sm: i64,
    /// Warps of an SM in use, in percent.
    pub(crate) occupancy_percent: f64,
    /// What limits the blocks.
    pub(crate) limited_by: &'static str,
    /// Waves, in quarters.
    pub(crate) quarter_waves: i64,
    /// Share of the time that the tail loses, in quarters.
    pub(crate) tail_quarters: i64,
    /// Share of the time that too few blocks lose, in quarters.
    pub(crate) underfill_quarters: i64,
}

/// Everything that is planted, by table.
#[derive(Default)]
pub(crate) struct Book {
    /// By iteration, then GPU.
    pub(crate) gpus: Vec<Vec<GpuSums>>,
    /// By iteration: API calls by class.
    pub(crate) calls: Vec<BTreeMap<&'static str, Sum>>,
    /// Calls in all iterations by class and function.
    pub(crate) functions: BTreeMap<(&'static str, &'static str), Sum>,
    /// By iteration: reads of single values.
    pub(crate) scalar_reads: Vec<u64>,
    /// Copies in all iterations by kind, memory of the host's side and mode.
    pub(crate) copies: BTreeMap<[&'static str; 3], CopySum>,
    /// Kernels with a call.
    pub(crate) launches: Vec<Launch>,
    /// Kernels without.
    pub(crate) without_call: Sum,
    /// Kernels shorter than 10 µs.
    pub(crate) short: Sum,
    /// GPU items by attribution and text of the range.
    pub(crate) attribution: BTreeMap<[&'static str; 2], Sum>,
    /// By thread.
    pub(crate) threads: Vec<ThreadSums>,
    /// Calls of the operating system while GPUs wait.
    pub(crate) os_calls: BTreeMap<&'static str, Sum>,
    /// Samples while GPUs wait, by role, function and binary.
    pub(crate) samples: BTreeMap<[&'static str; 3], u64>,
    /// By iteration and GPU.
    pub(crate) memory: BTreeMap<(usize, usize), MemorySums>,
    /// Samples and their sum by iteration, GPU and metric.
    pub(crate) metrics: BTreeMap<(usize, usize, i64), (u64, i64)>,
    /// Kernels by name: shape, what it does to the SMs, launches; losses to the tail and to underfill.
    pub(crate) kernels: BTreeMap<&'static str, KernelSums>,
    /// By iteration: time in ranges that load data.
    pub(crate) reader: Vec<BTreeMap<usize, Ns>>,
}

/// Kernels of a name.
#[derive(Clone, Copy)]
pub(crate) struct KernelSums {
    /// Size and needs.
    pub(crate) shape: KernelShape,
    /// What a launch does to the SMs.
    pub(crate) fill: Fill,
    /// Number and GPU time.
    pub(crate) sum: Sum,
}

impl Book {
    /// An empty book of some iterations, GPUs and threads.
    pub(crate) fn new(iterations: usize, gpus: usize, threads: usize) -> Self {
        Self {
            gpus: vec![vec![GpuSums::default(); gpus]; iterations],
            calls: vec![BTreeMap::new(); iterations],
            scalar_reads: vec![0; iterations],
            threads: vec![ThreadSums::default(); threads],
            reader: vec![BTreeMap::new(); iterations],
            ..Self::default()
        }
    }
}
