//! What a capture consists of: the events that go to the file and the op calls after the truth.

use std::collections::HashMap;
use std::hash::Hash;

/// Nanoseconds since the start of the capture.
pub(crate) type Ns = i64;

/// A stretch of time, `stop` excluded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    /// First nanosecond.
    pub(crate) start: Ns,
    /// Nanosecond after the last.
    pub(crate) stop: Ns,
}

impl Span {
    /// Length in ns.
    pub(crate) fn duration(self) -> Ns {
        self.stop - self.start
    }
}

/// CUDA API functions that the workload calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Api {
    /// Launches a kernel.
    LaunchKernel,
    /// Copies memory.
    MemcpyAsync,
    /// Sets memory.
    MemsetAsync,
    /// Waits for one stream.
    StreamSynchronize,
    /// Waits for all streams.
    DeviceSynchronize,
    /// Allocates memory: causes no record besides the API call.
    Malloc,
    /// Records an event: causes no record besides the API call.
    EventRecord,
}

impl Api {
    /// Its name in the export.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::LaunchKernel => "cudaLaunchKernel_v7000",
            Self::MemcpyAsync => "cudaMemcpyAsync_v3020",
            Self::MemsetAsync => "cudaMemsetAsync_v3020",
            Self::StreamSynchronize => "cudaStreamSynchronize_v3020",
            Self::DeviceSynchronize => "cudaDeviceSynchronize_v3020",
            Self::Malloc => "cudaMalloc_v3020",
            Self::EventRecord => "cudaEventRecord_v3020",
        }
    }
}

/// A thread of a traced process.
pub(crate) struct Thread {
    /// Number of its process.
    pub(crate) process: usize,
    /// `globalTid` of the export.
    pub(crate) global_tid: i64,
    /// Name shown by the operating system.
    pub(crate) name: &'static str,
}

/// A traced process.
pub(crate) struct ProcessInfo {
    /// Process id.
    pub(crate) pid: i64,
    /// `globalPid` of the export.
    pub(crate) global_pid: i64,
    /// Device it works on.
    pub(crate) gpu: usize,
}

/// A CUDA API call.
pub(crate) struct ApiCall {
    /// When.
    pub(crate) span: Span,
    /// Index into [`Trace::threads`].
    pub(crate) thread: usize,
    /// Links it to what it caused, within the process.
    pub(crate) correlation: i64,
    /// Function.
    pub(crate) api: Api,
}

/// Where and why a GPU record exists.
#[derive(Clone, Copy)]
pub(crate) struct Origin {
    /// Number of the process.
    pub(crate) process: usize,
    /// Correlation id of the API call.
    pub(crate) correlation: i64,
    /// Stream id.
    pub(crate) stream: i64,
}

/// A kernel execution.
pub(crate) struct KernelRecord {
    /// When.
    pub(crate) span: Span,
    /// Who launched it.
    pub(crate) origin: Origin,
    /// Index into the kernel catalogue, and after it into the further kernels of the trace.
    pub(crate) kernel: usize,
    /// Launch number within the process.
    pub(crate) grid_id: i64,
}

/// Direction of a copy.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CopyKind {
    /// Pageable host memory to the device.
    HostToDevice,
    /// Device to pageable host memory.
    DeviceToHost,
}

/// A memory copy.
pub(crate) struct CopyRecord {
    /// When.
    pub(crate) span: Span,
    /// Who asked for it.
    pub(crate) origin: Origin,
    /// Direction.
    pub(crate) kind: CopyKind,
    /// Amount.
    pub(crate) bytes: i64,
}

/// A memory fill.
pub(crate) struct MemsetRecord {
    /// When.
    pub(crate) span: Span,
    /// Who asked for it.
    pub(crate) origin: Origin,
    /// Amount.
    pub(crate) bytes: i64,
}

/// A wait of the CPU for the GPU.
pub(crate) struct SyncRecord {
    /// When.
    pub(crate) span: Span,
    /// Who waited; the stream is that waited for, if it was only one.
    pub(crate) origin: Origin,
    /// Whether all streams were waited for.
    pub(crate) whole_device: bool,
}

/// Text of a range: a shared name and numbers of its own.
#[derive(Clone, Copy)]
pub(crate) struct Text {
    /// Index into [`Trace::names`].
    pub(crate) name: usize,
    /// Index into [`Trace::names`] of a text that comes last.
    pub(crate) suffix: Option<usize>,
    /// Sequence number of the backward graph.
    pub(crate) sequence: Option<u32>,
    /// Operator number.
    pub(crate) op_id: Option<u32>,
}

/// An NVTX push/pop range.
pub(crate) struct Range {
    /// When.
    pub(crate) span: Span,
    /// Index into [`Trace::threads`].
    pub(crate) thread: usize,
    /// Text.
    pub(crate) text: Text,
}

/// Pass of the training step that an op call belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Direction {
    /// Neither: loose work and plain ranges.
    None,
    /// Backward.
    Backward,
    /// Forward.
    Forward,
}

impl Direction {
    /// Its name in the truth.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Backward => "bprop",
            Self::Forward => "fprop",
        }
    }
}

/// Launches and their summed durations.
#[derive(Clone, Copy, Default)]
pub(crate) struct KernelSums {
    /// Number of launches.
    pub(crate) launches: u64,
    /// Sum of their durations.
    pub(crate) gpu_ns: Ns,
    /// Number of launches that use Tensor Cores.
    pub(crate) tc_launches: u64,
    /// Sum of the durations of those.
    pub(crate) tc_gpu_ns: Ns,
}

impl KernelSums {
    /// Counts one launch.
    pub(crate) fn count(&mut self, duration: Ns, uses_tensor_cores: bool) {
        self.launches += 1;
        self.gpu_ns += duration;
        if uses_tensor_cores {
            self.tc_launches += 1;
            self.tc_gpu_ns += duration;
        }
    }

    /// Adds other sums.
    pub(crate) fn add(&mut self, other: &Self) {
        self.launches += other.launches;
        self.gpu_ns += other.gpu_ns;
        self.tc_launches += other.tc_launches;
        self.tc_gpu_ns += other.tc_gpu_ns;
    }
}

/// The five times of op calls.
#[derive(Clone, Copy, Default)]
pub(crate) struct Times {
    /// Time on the CPU (plain ranges: without the ranges inside).
    pub(crate) cpu: Ns,
    /// Time covered by GPU items.
    pub(crate) gpu: Ns,
    /// Time covered by API calls.
    pub(crate) api: Ns,
    /// Time between the first and the last GPU item that no GPU item covers.
    pub(crate) idle: Ns,
}

impl Times {
    /// Adds other times.
    pub(crate) fn add(&mut self, other: &Self) {
        self.cpu += other.cpu;
        self.gpu += other.gpu;
        self.api += other.api;
        self.idle += other.idle;
    }
}

/// One execution of an op.
pub(crate) struct OpCall {
    /// When, on the CPU.
    pub(crate) span: Span,
    /// Index into [`Trace::threads`].
    pub(crate) thread: usize,
    /// Index into [`Trace::operations`].
    pub(crate) operation: usize,
    /// Pass.
    pub(crate) direction: Direction,
    /// Backward calls: index of the forward call in [`Trace::calls`].
    pub(crate) forward: Option<usize>,
    /// Its times.
    pub(crate) times: Times,
    /// Its kernels.
    pub(crate) kernels: KernelSums,
    /// The same one by one: when each was launched.
    pub(crate) launches: Vec<(Ns, KernelSums)>,
}

/// Gives equal values equal numbers.
pub(crate) struct Interner<T> {
    /// Values by number.
    values: Vec<T>,
    /// Numbers by value.
    numbers: HashMap<T, usize>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { values: Vec::new(), numbers: HashMap::new() }
    }
}

impl<T: Eq + Hash + Clone> Interner<T> {
    /// The number of `value`, a new one if it was not seen before.
    pub(crate) fn intern(&mut self, value: T) -> usize {
        if let Some(number) = self.numbers.get(&value) {
            return *number;
        }
        let number = self.values.len();
        self.values.push(value.clone());
        self.numbers.insert(value, number);
        number
    }

    /// All values in order of their numbers.
    pub(crate) fn values(&self) -> &[T] {
        &self.values
    }
}

/// Name and type of an op.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct OpName {
    /// Full name.
    pub(crate) name: String,
    /// Type.
    pub(crate) op_type: String,
}

/// A whole capture.
#[derive(Default)]
pub(crate) struct Trace {
    /// Traced processes.
    pub(crate) processes: Vec<ProcessInfo>,
    /// Their threads.
    pub(crate) threads: Vec<Thread>,
    /// Range names and suffixes.
    pub(crate) names: Interner<String>,
    /// Ops.
    pub(crate) operations: Interner<OpName>,
    /// CUDA API calls.
    pub(crate) api_calls: Vec<ApiCall>,
    /// Kernels.
    pub(crate) kernels: Vec<KernelRecord>,
    /// Names of kernels that the catalogue lacks; they are launched as its first one.
    pub(crate) further_kernels: Vec<String>,
    /// Copies.
    pub(crate) copies: Vec<CopyRecord>,
    /// Memory fills.
    pub(crate) memsets: Vec<MemsetRecord>,
    /// Waits.
    pub(crate) syncs: Vec<SyncRecord>,
    /// NVTX ranges.
    pub(crate) ranges: Vec<Range>,
    /// Op calls, in order of their ends on each thread.
    pub(crate) calls: Vec<OpCall>,
    /// Starts of the key calls: thread and time.
    pub(crate) key_calls: Vec<(usize, Ns)>,
}
