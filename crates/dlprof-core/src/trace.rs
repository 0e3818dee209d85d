//! The facts of a capture, as read, in columns. Nothing is changed once read; what only correlating needs is let go of
//! there.

use crate::diagnostics::Diagnostics;
use crate::ids::{ApiCallId, DeviceId, LaunchConfigId, ProcessId, RangeTextId, StrId, ThreadId, WorkId};
use crate::strings::StringPool;
use crate::time::Span;
use serde::{Deserialize, Serialize};
use std::hash::{Hash, Hasher};
use std::path::PathBuf;

/// A correlation id; unique only within a process. `u32::MAX` stands for "none".
pub type CorrelationId = u32;

/// The correlation id of records that have none.
pub const NO_CORRELATION: CorrelationId = u32::MAX;

/// Everything read from one export.
#[derive(Debug)]
pub struct Trace {
    /// Where it was read from.
    pub source: Source,
    /// Texts of all tables.
    pub strings: StringPool,
    /// Processes by ascending global process id.
    pub processes: Vec<Process>,
    /// Threads by ascending global thread id.
    pub threads: Vec<Thread>,
    /// GPUs of the machine, then GPUs that only the activity tables name.
    pub devices: Vec<Device>,
    /// CUDA runtime and driver API calls.
    pub api_calls: ApiCalls,
    /// Kernels, copies and memsets.
    pub gpu_work: GpuWork,
    /// Synchronisation records; empty after correlating.
    pub syncs: Syncs,
    /// NVTX ranges; empty after correlating.
    pub ranges: Ranges,
    /// How many rows of the kinds that are let go of after correlating.
    pub joined: JoinedRows,
    /// The machine and the software.
    pub system: System,
    /// What was odd about the export.
    pub diagnostics: Diagnostics,
}

/// Rows that correlating used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct JoinedRows {
    /// NVTX ranges.
    pub ranges: usize,
    /// Synchronisation records.
    pub syncs: usize,
}

/// The export itself.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Source {
    /// The file.
    pub path: PathBuf,
    /// Its size.
    pub size_bytes: u64,
    /// `EXPORT_PRODUCT_VERSION`: the nsys version that made the export; empty before nsys 2022.
    pub product_version: String,
    /// `EXPORT_SCHEMA_VERSION`; empty before nsys 2022.
    pub schema_version: String,
}

/// A process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// nsys's global id: hardware and VM id, then the pid shifted by 24 bits.
    pub global_pid: i64,
    /// Name, if the export has it.
    pub name: Option<String>,
}

impl Process {
    /// The operating system's process id.
    #[must_use]
    pub fn pid(&self) -> i64 {
        (self.global_pid >> 24) & 0xFF_FFFF
    }
}

/// A thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thread {
    /// nsys's global id: the process' global id plus the tid.
    pub global_tid: i64,
    /// Its process.
    pub process: ProcessId,
}

/// A GPU.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Device {
    /// Number shown to people: the id of the GPU on the machine.
    pub device_id: i64,
    /// Product name, if known.
    pub name: Option<String>,
    /// Compute capability, if known.
    pub compute_capability: Option<(i64, i64)>,
    /// Number of streaming multiprocessors, if known.
    pub sm_count: Option<i64>,
    /// Memory in bytes, if known.
    pub memory_bytes: Option<i64>,
}

/// CUDA API calls in columns.
#[derive(Debug, Default)]
pub struct ApiCalls {
    /// Start and end on the CPU.
    pub span: Vec<Span>,
    /// The calling thread; empty after correlating.
    pub thread: Vec<ThreadId>,
    /// Correlation id, unique within the thread's process; empty after correlating.
    pub correlation: Vec<CorrelationId>,
    /// API function, with its version suffix.
    pub name: Vec<StrId>,
}

impl ApiCalls {
    /// Number of calls.
    #[must_use]
    pub fn len(&self) -> usize {
        self.span.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.span.is_empty()
    }

    /// All ids in order.
    pub fn ids(&self) -> impl Iterator<Item = ApiCallId> + Clone + use<> {
        (0..self.len()).map(ApiCallId::new)
    }
}

/// What a piece of GPU work is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WorkKind {
    /// A kernel.
    Kernel,
    /// A memory copy.
    Copy,
    /// A memory fill.
    Memset,
}

/// A grid and block size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct LaunchConfig {
    /// Grid size in blocks: x, y, z.
    pub grid: [i64; 3],
    /// Block size in threads: x, y, z.
    pub block: [i64; 3],
}

impl Hash for LaunchConfig {
    /// All six numbers in one: every kernel's is looked up.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let numbers = self.grid.iter().chain(&self.block);
        state.write_u64(numbers.fold(0, |hash, number| hash.rotate_left(11) ^ number.cast_unsigned()));
    }
}

/// Whether a kernel was launched by a CUDA graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum GraphOrigin {
    /// Launched by itself.
    #[default]
    None,
    /// A node of a graph, recorded one by one (`--cuda-graph-trace=node`).
    Node,
    /// Not one kernel but a whole graph launch, recorded as one (`--cuda-graph-trace=graph`, the default).
    WholeGraph,
}

impl GraphOrigin {
    /// The word for reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Node => "node",
            Self::WholeGraph => "graph",
        }
    }
}

/// Kernels, then copies, then memsets, in columns. Every [`WorkId`] indexes the first group of columns.
#[derive(Debug, Default)]
pub struct GpuWork {
    /// Start and end on the GPU.
    pub span: Vec<Span>,
    /// The GPU.
    pub device: Vec<DeviceId>,
    /// The process that launched it; none if the table does not say.
    pub process: Vec<ProcessId>,
    /// Correlation id of its API call; empty after correlating.
    pub correlation: Vec<CorrelationId>,
    /// Number of kernels, whole graph launches included; they have the first ids.
    pub kernels: usize,
    /// Number of whole graph launches; they are the last of the kernels.
    pub whole_graphs: usize,
    /// Number of copies; they follow the kernels.
    pub copies: usize,

    /// Kernels only: name without template arguments and parameters.
    pub short_name: Vec<StrId>,
    /// Kernels only: demangled name.
    pub long_name: Vec<StrId>,
    /// Kernels only: whether a graph launched it.
    pub graph: Vec<GraphOrigin>,
    /// Kernels only: grid and block.
    pub launch: Vec<LaunchConfigId>,
    /// Distinct grids and blocks.
    pub launch_configs: Vec<LaunchConfig>,

    /// Copies only: CUPTI's copy kind.
    pub copy_kind: Vec<u8>,
}

impl GpuWork {
    /// Number of kernels, copies and memsets.
    #[must_use]
    pub fn len(&self) -> usize {
        self.span.len()
    }

    /// Whether there is no GPU work.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.span.is_empty()
    }

    /// What a piece of work is.
    #[must_use]
    pub fn kind(&self, work: WorkId) -> WorkKind {
        match work.index() {
            i if i < self.kernels => WorkKind::Kernel,
            i if i < self.kernels + self.copies => WorkKind::Copy,
            _ => WorkKind::Memset,
        }
    }

    /// All ids in order.
    pub fn ids(&self) -> impl Iterator<Item = WorkId> + Clone + use<> {
        (0..self.len()).map(WorkId::new)
    }

    /// Ids of the kernels.
    pub fn kernel_ids(&self) -> impl Iterator<Item = WorkId> + use<> {
        (0..self.kernels).map(WorkId::new)
    }

    /// Grid and block of a kernel.
    #[must_use]
    pub fn launch_config(&self, kernel: WorkId) -> LaunchConfig {
        self.launch_configs[self.launch[kernel.index()].index()]
    }

    /// CUPTI's kind of a copy, if it is one that has a name.
    #[must_use]
    pub fn known_copy_kind(&self, work: WorkId) -> Option<u8> {
        let kind = self.copy_kind.get(work.index().wrapping_sub(self.kernels)).copied();
        kind.filter(|kind| (1..=13).contains(kind))
    }

    /// Direction of a copy in words, for copies that no API call names.
    #[must_use]
    pub fn copy_kind_name(&self, work: WorkId) -> &'static str {
        match self.known_copy_kind(work) {
            Some(1) => "HtoD",
            Some(2) => "DtoH",
            Some(3) => "HtoA",
            Some(4) => "AtoH",
            Some(5) => "AtoA",
            Some(6) => "AtoD",
            Some(7) => "DtoA",
            Some(8) => "DtoD",
            Some(9) => "HtoH",
            Some(10) => "PtoP",
            Some(11) => "UM_HtoD",
            Some(12) => "UM_DtoH",
            Some(13) => "UM_DtoD",
            _ => "unknown",
        }
    }
}

/// Synchronisation records: they tell which API calls waited.
#[derive(Debug, Default)]
pub struct Syncs {
    /// The process; none if the table does not say.
    pub process: Vec<ProcessId>,
    /// Correlation id of the API call.
    pub correlation: Vec<CorrelationId>,
}

/// Name given to NVTX domains whose creation is not in the capture.
pub const UNNAMED_DOMAIN: &str = "unnamed domain";

/// NVTX ranges, push/pop and start/end, thread by thread.
#[derive(Debug, Default)]
pub struct Ranges {
    /// What ranges say, each distinct one once, in order of appearance.
    pub texts: Vec<RangeText>,
    /// By thread of the trace: its ranges, in file order.
    pub by_thread: Vec<ThreadRanges>,
    /// Ranges of which the export does not know the thread.
    pub without_thread: ThreadRanges,
}

/// What a range says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RangeText {
    /// The text; of texts in PyTorch's `emit_nvtx` form only the part before the numbers.
    pub text: StrId,
    /// PyTorch's operand sizes, as in the text; none if not recorded.
    pub sizes: StrId,
    /// Name of the NVTX domain; none for the default domain.
    pub domain: StrId,
    /// Whether the text had the form of an operator of PyTorch's `emit_nvtx`.
    pub is_operator: bool,
}

/// PyTorch's sequence number, which links a backward node to its forward op. It counts the operators of a thread, so no
/// capture reaches the end of its range.
pub type SequenceNumber = u32;

/// The sequence number of ranges that have none.
pub const NO_SEQUENCE: SequenceNumber = SequenceNumber::MAX;

/// Ranges of a thread in columns.
#[derive(Debug, Default)]
pub struct ThreadRanges {
    /// Start and end on the CPU. A range still open at the end of the capture ends there.
    pub span: Vec<Span>,
    /// What it says.
    pub text: Vec<RangeTextId>,
    /// Its sequence number.
    pub sequence: Vec<SequenceNumber>,
}

impl ThreadRanges {
    /// Gives back what the columns do not need.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.span.shrink_to_fit();
        self.text.shrink_to_fit();
        self.sequence.shrink_to_fit();
    }
}

impl Ranges {
    /// Number of ranges.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lists().map(|list| list.span.len()).sum()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The ranges of each thread, then those without one.
    pub fn lists(&self) -> impl Iterator<Item = &ThreadRanges> {
        self.by_thread.iter().chain([&self.without_thread])
    }

    /// The same, to be changed.
    pub(crate) fn lists_mut(&mut self) -> impl Iterator<Item = &mut ThreadRanges> {
        self.by_thread.iter_mut().chain([&mut self.without_thread])
    }
}

/// The machine and the software, as far as the export knows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct System {
    /// GPUs of the machine.
    pub gpu_count: usize,
    /// Names of the GPUs of the machine.
    pub gpu_names: Vec<String>,
    /// CPU model.
    pub cpu_model: Option<String>,
    /// GPU driver version, such as `515.43.04`.
    pub driver_version: Option<String>,
    /// CUDA version, such as `11.7`.
    pub cuda_version: Option<String>,
    /// cuDNN version.
    pub cudnn_version: Option<String>,
    /// Framework and version, if DLProf recorded it.
    pub framework: Option<String>,
    /// nsys version.
    pub nsys_version: Option<String>,
}

impl System {
    /// How many GPUs of which kind, such as `8 × NVIDIA A100`.
    #[must_use]
    pub fn gpus_in_words(&self) -> String {
        match self.gpu_names.first() {
            Some(first) if self.gpu_names.iter().all(|name| name == first) => {
                format!("{} × {first}", self.gpu_names.len())
            }
            Some(_) => self.gpu_names.join(", "),
            None => format!("{} (names unknown)", self.gpu_count),
        }
    }
}

impl Trace {
    /// Lets go of what only joining needs: by far the largest part.
    pub(crate) fn drop_joined(&mut self) {
        self.ranges = Ranges::default();
        self.syncs = Syncs::default();
        self.api_calls.correlation = Vec::new();
        self.gpu_work.correlation = Vec::new();
    }
}
