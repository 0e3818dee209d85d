//! Facts: what the tables of an export say, as columns. Ingest makes them and correlate uses them up.

mod api_calls;
mod dlprof;
mod gpu_state;
mod gpu_work;
mod host;
mod machine;
mod model_config;
mod overheads;
mod ranges;
mod records;

pub(crate) use api_calls::RepeatedCallsBuilder;
pub use api_calls::{ApiCallFacts, CorrelationId, NO_CORRELATION, RepeatedCalls, SyncFacts};
pub use dlprof::{
    DlprofApiCalls, DlprofFacts, DlprofNotes, DlprofOp, DlprofOpCalls, DlprofWaits, DlprofWork,
    KERNEL_LAUNCH, StoredAggregation, StoredOp, StoredOperands,
};
pub use gpu_state::{MemoryEventFacts, MetricSampleFacts};
pub use gpu_work::{
    CopyFacts, GraphOrigin, KernelFacts, LaunchConfig, Stream, TransferFacts, WorkFacts, WorkKind,
    copy_kind_name, known_copy_kind,
};
pub use host::{
    CpuSampleFacts, HostFacts, MpiCallFacts, OsCallFacts, OverheadFacts, StackFrameFacts, StackOffsets,
    SwitchFacts,
};
pub use machine::{
    CaptureNotes, ComputeCapability, Device, MetricName, NsysMessage, PageFaults, Process, Source, System,
    Thread, UNNAMED_GPU,
};
pub use model_config::ModelConfig;
pub use overheads::OverheadKind;
pub use ranges::{NO_SEQUENCE, RangeFacts, RangeText, SequenceNumber, ThreadRangeFacts, UNNAMED_DOMAIN};
pub use records::{
    ApiCallRecords, CopyRecords, CpuFault, GpuFault, GpuRecord, KernelRecords, MPI_SOURCES, MemsetRecords,
    MpiRecord, NO_END, NO_THREAD, NvtxEvents, OsCallRecords, Records, RuntimeEvent, ThreadNameRecord,
    WorkRecords,
};

pub(crate) use gpu_work::{CopyFactsBuilder, KernelFactsBuilder, TransferFactsBuilder};
pub(crate) use host::{StackFrameFactsBuilder, StackOffsetsBuilder};
pub(crate) use ranges::ThreadRangeFactsBuilder;
pub(crate) use records::{
    ApiCallRecordsBuilder, NvtxEventsBuilder, OsCallRecordsBuilder, WorkRecordsBuilder,
};

use crate::base::diagnostics::Diagnostics;
use crate::columns::{Memory, StringPool};

/// Everything read from one export.
#[derive(Debug, Default)]
pub struct Facts {
    /// The budget that the columns were made within.
    pub memory: Memory,
    /// The export.
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
    pub api_calls: ApiCallFacts,
    /// Of the API calls: rows that repeat another one for its backtrace.
    pub repeated_calls: RepeatedCalls,
    /// Kernels, then whole graph launches, then copies, then memsets.
    pub work: WorkFacts,
    /// Of the GPU work: the kernels and whole graph launches, which have the first ids.
    pub kernels: KernelFacts,
    /// How many of the kernels, the last of them, are whole graph launches.
    pub whole_graphs: usize,
    /// Distinct grids and blocks.
    pub launch_configs: Vec<LaunchConfig>,
    /// Of the GPU work: the copies, which follow the kernels.
    pub copies: CopyFacts,
    /// Of the GPU work: the copies and memsets, which follow the kernels.
    pub transfers: TransferFacts,
    /// Streams of GPU work, in order of appearance.
    pub streams: Vec<Stream>,
    /// Synchronisation records: they tell which API calls waited.
    pub syncs: SyncFacts,
    /// NVTX ranges.
    pub ranges: RangeFacts,
    /// What CPU threads did besides.
    pub host: HostFacts,
    /// Allocations and frees of memory.
    pub memory_events: MemoryEventFacts,
    /// Samples of the counters of GPUs.
    pub metric_samples: MetricSampleFacts,
    /// What the export says about these in few words.
    pub notes: CaptureNotes,
    /// The machine and the software.
    pub system: System,
    /// What the rows say beyond that, if it was asked for.
    pub records: Option<Records>,
    /// What was odd about the export.
    pub diagnostics: Diagnostics,
}

impl Facts {
    /// What a piece of work is.
    #[must_use]
    pub fn work_kind(&self, work: crate::base::ids::WorkId) -> WorkKind {
        WorkKind::of(work, self.kernels.short_name.len(), self.copies.kind.len())
    }
}
