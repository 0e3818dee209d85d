//! The events of a planted capture, as they go to the file.

use crate::trace::{Ns, Span};

/// A CUDA API call.
pub(crate) struct CallRow {
    /// When.
    pub(crate) span: Span,
    /// Index into the threads of the capture.
    pub(crate) thread: usize,
    /// Function.
    pub(crate) name: &'static str,
    /// Links it to what it caused, within the process.
    pub(crate) correlation: i64,
}

/// Size and needs of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KernelShape {
    /// Function.
    pub(crate) name: &'static str,
    /// Blocks in the grid.
    pub(crate) grid: i64,
    /// Threads of a block.
    pub(crate) block: i64,
    /// Registers of a thread.
    pub(crate) registers: i64,
    /// Static and dynamic shared memory of a block.
    pub(crate) shared: [i64; 2],
}

/// What a GPU item is.
#[derive(Clone, Copy)]
pub(crate) enum Work {
    /// A kernel.
    Kernel(KernelShape),
    /// A copy: CUPTI's kind, memory kinds of source and target, bytes.
    Copy {
        /// Direction.
        kind: i64,
        /// Where from.
        source: i64,
        /// Where to.
        target: i64,
        /// Amount.
        bytes: i64,
    },
    /// A memset of so many bytes.
    Memset(i64),
}

/// A GPU item.
pub(crate) struct ItemRow {
    /// When.
    pub(crate) span: Span,
    /// Number of its process.
    pub(crate) process: usize,
    /// Stream.
    pub(crate) stream: i64,
    /// The call's correlation id; none if the capture has no such call.
    pub(crate) correlation: Option<i64>,
    /// What it is.
    pub(crate) work: Work,
}

/// A row with a name on a thread: a range, a call of a library, work of the profiler.
pub(crate) struct NamedRow {
    /// When.
    pub(crate) span: Span,
    /// Index into the threads of the capture.
    pub(crate) thread: usize,
    /// Text or function.
    pub(crate) name: &'static str,
}

/// A thread gets or loses a processor.
pub(crate) struct SwitchRow {
    /// When.
    pub(crate) time: Ns,
    /// Index into the threads of the capture.
    pub(crate) thread: usize,
    /// Whether it gets one.
    pub(crate) is_in: bool,
}

/// A CPU sample.
pub(crate) struct SampleRow {
    /// When.
    pub(crate) time: Ns,
    /// Index into the threads of the capture.
    pub(crate) thread: usize,
    /// Function and binary of each frame, innermost first.
    pub(crate) frames: &'static [(&'static str, &'static str)],
}

/// An allocation or a free.
pub(crate) struct MemoryRow {
    /// When.
    pub(crate) time: Ns,
    /// Number of the process.
    pub(crate) process: usize,
    /// CUPTI's memory kind.
    pub(crate) kind: i64,
    /// 0 an allocation, 1 a free.
    pub(crate) operation: i64,
    /// Amount.
    pub(crate) bytes: i64,
}

/// A sample of a counter.
pub(crate) struct MetricRow {
    /// When.
    pub(crate) time: Ns,
    /// The GPU.
    pub(crate) gpu: usize,
    /// Number of the metric.
    pub(crate) metric: i64,
    /// Value in percent.
    pub(crate) value: i64,
}

/// All events of a planted capture, in any order.
#[derive(Default)]
pub(crate) struct Records {
    /// CUDA API calls.
    pub(crate) calls: Vec<CallRow>,
    /// Kernels, copies and memsets.
    pub(crate) items: Vec<ItemRow>,
    /// Ranges of the program.
    pub(crate) ranges: Vec<NamedRow>,
    /// Ranges of NCCL.
    pub(crate) nccl: Vec<NamedRow>,
    /// MPI calls.
    pub(crate) mpi: Vec<NamedRow>,
    /// Calls of the operating system's libraries.
    pub(crate) os_calls: Vec<NamedRow>,
    /// Work of the profiler.
    pub(crate) overheads: Vec<NamedRow>,
    /// Scheduling.
    pub(crate) switches: Vec<SwitchRow>,
    /// CPU samples.
    pub(crate) samples: Vec<SampleRow>,
    /// Allocations and frees.
    pub(crate) memory: Vec<MemoryRow>,
    /// Counters.
    pub(crate) metrics: Vec<MetricRow>,
}

impl Records {
    /// End of the last GPU item, API call or range.
    pub(crate) fn last_event(&self) -> Ns {
        let items = self.items.iter().map(|row| row.span.stop);
        let calls = self.calls.iter().map(|row| row.span.stop);
        let ranges = self.ranges.iter().map(|row| row.span.stop);
        items.chain(calls).chain(ranges).max().unwrap_or(0)
    }

    /// Brings all events into the order of time.
    pub(crate) fn sort(&mut self) {
        self.calls.sort_by_key(|row| (row.span.start, row.thread));
        self.items.sort_by_key(|row| (row.span.start, row.process, row.stream));
        for rows in [&mut self.ranges, &mut self.nccl, &mut self.mpi, &mut self.os_calls, &mut self.overheads]
        {
            rows.sort_by_key(|row| (row.span.start, row.thread));
        }
        self.switches.sort_by_key(|row| (row.time, row.thread));
        self.samples.sort_by_key(|row| (row.time, row.thread));
        self.memory.sort_by_key(|row| (row.time, row.process));
        self.metrics.sort_by_key(|row| (row.time, row.gpu, row.metric));
    }
}
