//! Facts: what the tables of an export say, as columns. Ingest makes them and correlate uses them up.

mod api_calls;
mod dlprof;
mod exchanges;
pub(crate) mod global_ids;
mod gpu_state;
mod gpu_work;
mod host;
mod job;
mod keys;
mod kineto;
mod machine;
mod model_config;
mod overheads;
mod ranges;
mod recorded;
mod recorder;
mod records;
mod words;

pub(crate) use api_calls::RepeatedCallsBuilder;
pub(crate) use api_calls::{ApiCallFacts, RepeatedCalls, SyncFacts};
pub(crate) use dlprof::{DlprofFacts, DlprofOp, DlprofOpCalls, KERNEL_LAUNCH};
pub use dlprof::{DlprofNotes, StoredAggregation, StoredOp, StoredOperands};
pub use exchanges::RecordedCommunicator;
pub(crate) use exchanges::{Exchange, Exchanges, MOST_EXCHANGES, NO_EXCHANGE};
pub(crate) use gpu_state::{MemoryEventFacts, MetricSampleFacts};
pub(crate) use gpu_work::{
    CopyFacts, GraphNodeFacts, KernelFacts, TransferFacts, WorkFacts, known_copy_kind,
};
pub use gpu_work::{GraphOrigin, LaunchConfig, Stream, WorkKind, copy_kind_name};
pub(crate) use host::{
    CpuSampleFacts, HostFacts, MpiCallFacts, OsCallFacts, OverheadFacts, StackFrameFacts, StackOffsets,
    SwitchFacts,
};
pub(crate) use job::JobFacts;
pub(crate) use keys::{
    CorrelationId, Keys, NO_CORRELATION, NO_SEQUENCE, OperatorKeys, SequenceNumber, SyncKeys,
};
pub(crate) use kineto::{AllocatorFacts, CollectiveFacts, PythonFrameFacts, UNKNOWN_BYTES, UnsizedTransfers};
pub use kineto::{Collective, KinetoNotes};
pub use machine::{
    CaptureNotes, Device, MetricName, NsysMessage, PageFaults, Process, RecordedSource, RecordedSystem,
    RecordedThread, UNNAMED_GPU,
};
pub(crate) use machine::{ComputeCapability, too_many_gpus};
pub use model_config::ModelConfig;
pub use overheads::OverheadKind;
pub(crate) use ranges::{RangeFacts, RangeText, ThreadRangeFacts, UNNAMED_DOMAIN};
pub use recorded::{AboutRecording, CallsWithoutRecords, RecordedTables};
pub(crate) use recorder::Shows;
pub use recorder::{Recorder, RecorderKind, Vendor};
pub(crate) use records::{
    ApiCallRecords, CopyRecords, CpuFault, GpuFault, GpuRecord, KernelRecords, MPI_SOURCES, MemsetRecords,
    MpiRecord, NO_END, NO_THREAD, NvtxEvents, OsCallRecords, Records, RuntimeEvent, ThreadNameRecord,
    WorkRecords,
};

pub(crate) use gpu_work::{CopyFactsBuilder, KernelFactsBuilder, TransferFactsBuilder};
pub(crate) use host::{StackFrameFactsBuilder, StackOffsetsBuilder};
pub(crate) use kineto::{
    AllocatorFactsBuilder, CollectiveFactsBuilder, PythonFrameFactsBuilder, UnsizedTransfersBuilder,
};
pub(crate) use ranges::ThreadRangeFactsBuilder;
pub(crate) use records::{
    ApiCallRecordsBuilder, NvtxEventsBuilder, OsCallRecordsBuilder, WorkRecordsBuilder,
};
pub(crate) use {
    api_calls::{ApiCallFactsBuilder, SyncFactsBuilder},
    gpu_state::MemoryEventFactsBuilder,
    gpu_work::WorkFactsBuilder,
    host::OverheadFactsBuilder,
    keys::SyncKeysBuilder,
};

use crate::columns::{Memory, StringPool};
use std::ops::Deref;

/// Everything read from one export.
#[derive(Debug, Default)]
pub struct Facts {
    /// The budget that the columns were made within.
    pub memory: Memory,
    /// Texts of all tables.
    pub strings: StringPool,
    /// The tables that a capture takes over as they are.
    pub recorded: RecordedTables,
    /// Numbers by which their rows refer to each other.
    pub keys: Keys,
    /// What the rows say beyond that, if it was asked for.
    pub records: Option<Records>,
}

impl Deref for Facts {
    type Target = RecordedTables;

    fn deref(&self) -> &RecordedTables {
        &self.recorded
    }
}
