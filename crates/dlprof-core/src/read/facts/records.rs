//! What the rows of an export say beyond what the analysis needs: for reports that print rows as nsys does.

use super::CorrelationId;
use crate::base::ids::{ApiCallId, CopyId, StrId, WorkId};
use crate::base::time::{Ns, Span};
use crate::columns::table;
use std::collections::{BTreeMap, BTreeSet};

table! {
    /// CUDA API calls, in file order.
    "api_call_records" ApiCallRecords built by ApiCallRecordsBuilder, by ApiCallId {
        /// Correlation id, unique only within the process of the thread.
        correlation: CorrelationId, "";
        /// What the call returned; 0 is success.
        result: i64, "";
    }
}

table! {
    /// GPU work: kernels, then whole graph launches, then copies, then memsets.
    "work_records" WorkRecords built by WorkRecordsBuilder, by WorkId {
        /// Correlation id, unique only within the process.
        correlation: CorrelationId, "";
        /// Number of the GPU in its process.
        ordinal: i64, "";
        /// Number of the green context; 0 for none.
        green_context: i64, "";
    }
}

table! {
    /// Kernels and whole graph launches.
    "kernel_records" KernelRecords built by KernelRecordsBuilder, by WorkId {
        /// Mangled name; none if the export has none.
        mangled_name: StrId, "";
    }
}

table! {
    /// Copies.
    "copy_records" CopyRecords built by CopyRecordsBuilder, by CopyId {
        /// Virtual address of managed memory; 0 for other copies.
        address: i64, "";
    }
}

table! {
    /// Memsets, in file order.
    "memset_records" MemsetRecords built by MemsetRecordsBuilder, by () {
        /// CUPTI's kind of memory; 255 if the export does not say.
        memory: u8, "";
    }
}

table! {
    /// Calls of the operating system's libraries, in file order.
    "os_call_records" OsCallRecords built by OsCallRecordsBuilder, by () {
        /// The number of what the row is, such as 27 for a call.
        class: i64, "";
    }
}

table! {
    /// All events of table `NVTX_EVENTS`, in file order, with times as the export has them.
    "nvtx_events" NvtxEvents built by NvtxEventsBuilder, by () {
        /// Start on the CPU.
        start: Ns, "ns";
        /// End on the CPU; [`NO_END`] for events without one.
        end: Ns, "ns";
        /// Row id in the table.
        row_id: i64, "";
        /// nsys's number of what the event is, such as 59 for a push/pop range.
        kind: u8, "";
        /// Global id of the thread; [`NO_THREAD`] for events without one.
        thread: i64, "";
        /// Whether the event names a thread on which it ended.
        ends_elsewhere: bool, "";
        /// The whole text; none for events without one.
        text: StrId, "";
        /// Number of the NVTX domain in its process; 0 for the default domain.
        domain: i64, "";
    }
}

/// The end of NVTX events that have none.
pub(crate) const NO_END: Ns = Ns::MIN;

/// The thread of NVTX events that have none.
pub(crate) const NO_THREAD: i64 = i64::MIN;

/// A row of table `ThreadNames`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadNameRecord {
    /// Global id of the thread.
    pub global_tid: Option<i64>,
    /// Its name; none if the table `StringIds` does not have it.
    pub name: StrId,
    /// Its priority, if known.
    pub priority: Option<i64>,
}

/// A row of table `TARGET_INFO_GPU` or `TARGET_INFO_CUDA_GPU`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GpuRecord {
    /// The GPU's number.
    pub id: Option<i64>,
    /// Its name.
    pub name: Option<String>,
}

/// An event of OpenACC or OpenMP, with times as the export has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuntimeEvent {
    /// Start and end on the CPU.
    pub span: Span,
    /// Global id of the thread.
    pub global_tid: Option<i64>,
    /// Which of the tables of the runtime the event is from.
    pub table: usize,
    /// Its name.
    pub name: StrId,
    /// OpenACC's number of what the event is.
    pub kind: Option<i64>,
    /// The source file and the line in it, if the export has them.
    pub source: Option<(StrId, i64)>,
}

/// A call of an MPI function, with times as the export has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MpiRecord {
    /// Start and end on the CPU.
    pub span: Span,
    /// Global id of the thread.
    pub global_tid: Option<i64>,
    /// Which of [`MPI_SOURCES`] it is from.
    pub table: usize,
    /// Function.
    pub name: StrId,
    /// Tag, rank of the peer, rank of the root, bytes sent, bytes received, as far as the table has them.
    pub numbers: [Option<i64>; 5],
}

/// What nsys calls the tables of MPI calls, in the order of [`MpiRecord::table`].
pub(crate) const MPI_SOURCES: [&str; 4] = ["p2p", "start_wait", "collectives", "other"];

/// A page fault of unified memory on a CPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CpuFault {
    /// When, as the export has it.
    pub start: Ns,
    /// Global id of the process.
    pub global_pid: Option<i64>,
    /// Virtual address.
    pub address: Option<i64>,
    /// The instruction that caused it.
    pub instruction: StrId,
}

/// Page faults of unified memory on a GPU, of one page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GpuFault {
    /// When, as the export has it.
    pub span: Span,
    /// Global id of the process.
    pub global_pid: Option<i64>,
    /// Virtual address.
    pub address: Option<i64>,
    /// How many faults.
    pub faults: i64,
}

/// What the rows of an export say beyond what the analysis needs.
#[derive(Debug, Clone, Default)]
pub struct Records {
    /// What to add to times of the capture for times as the export has them.
    pub time_shift: Ns,
    /// The tables of the export, with their columns.
    pub tables: BTreeMap<String, BTreeSet<String>>,
    /// CUDA API calls.
    pub api_calls: ApiCallRecords,
    /// GPU work.
    pub work: WorkRecords,
    /// Kernels and whole graph launches.
    pub kernels: KernelRecords,
    /// Copies.
    pub copies: CopyRecords,
    /// Memsets.
    pub memsets: MemsetRecords,
    /// Calls of the operating system's libraries.
    pub os_calls: OsCallRecords,
    /// NVTX events.
    pub nvtx: NvtxEvents,
    /// Rows of table `ThreadNames`.
    pub thread_names: Vec<ThreadNameRecord>,
    /// Rows of table `TARGET_INFO_GPU`.
    pub gpus: Vec<GpuRecord>,
    /// Rows of table `TARGET_INFO_CUDA_GPU`.
    pub cuda_gpus: Vec<GpuRecord>,
    /// Labels of kinds of copies.
    pub copy_labels: BTreeMap<i64, String>,
    /// Labels of kinds of memory.
    pub memory_labels: BTreeMap<i64, String>,
    /// Labels of kinds of OpenACC events.
    pub openacc_labels: BTreeMap<i64, String>,
    /// OpenACC events.
    pub openacc: Vec<RuntimeEvent>,
    /// OpenMP events.
    pub openmp: Vec<RuntimeEvent>,
    /// MPI calls.
    pub mpi: Vec<MpiRecord>,
    /// Global ids of threads and their MPI ranks.
    pub mpi_ranks: BTreeMap<i64, i64>,
    /// Page faults on CPUs.
    pub cpu_faults: Vec<CpuFault>,
    /// Page faults on GPUs.
    pub gpu_faults: Vec<GpuFault>,
}

impl Records {
    /// Whether the export has a table.
    #[must_use]
    pub fn has_table(&self, table: &str) -> bool {
        self.tables.contains_key(table)
    }

    /// Whether a table of the export has a column.
    #[must_use]
    pub(crate) fn has_column(&self, table: &str, column: &str) -> bool {
        self.tables.get(table).is_some_and(|columns| columns.contains(column))
    }
}
