//! Facts about what CPU threads did besides CUDA API calls and NVTX ranges.

use super::{OverheadKind, PythonFrameFacts};
use crate::base::ids::{Maybe, SampleId, StrId, ThreadId};
use crate::base::time::{Ns, Span};
use crate::columns::table;

table! {
    /// Calls of MPI functions (`MPI_P2P_EVENTS`, `MPI_START_WAIT_EVENTS`, `MPI_COLLECTIVES_EVENTS`, `MPI_OTHER_EVENTS`), table by
    /// table in file order.
    "mpi_calls" MpiCallFacts built by MpiCallFactsBuilder, by () {
        /// Start and end on the CPU.
        span: Span, "ns";
        /// The calling thread; none if the table does not name it.
        thread: Maybe<ThreadId>, "";
        /// MPI function.
        name: StrId, "";
    }
}

table! {
    /// Calls of the operating system's libraries (`OSRT_API`), in file order.
    "os_calls" OsCallFacts built by OsCallFactsBuilder, by () {
        /// Start and end on the CPU.
        span: Span, "ns";
        /// The calling thread; none if the table does not name it.
        thread: Maybe<ThreadId>, "";
        /// Function.
        name: StrId, "";
        /// How deep it lies in other such calls: 0 for calls that the program made itself, or if the export does not say.
        nesting: u8, "";
    }
}

table! {
    /// Time that the profiler recorded as overhead (`PROFILER_OVERHEAD`, `CUPTI_ACTIVITY_KIND_OVERHEAD`), in file order.
    "overheads" OverheadFacts built by OverheadFactsBuilder, by () {
        /// Start and end on the CPU.
        span: Span, "ns";
        /// The thread that it held up; none if the table does not name it.
        thread: Maybe<ThreadId>, "";
        /// What the profiler calls it.
        name: StrId, "";
        /// What it was.
        kind: OverheadKind, "";
    }
}

table! {
    /// Samples of CPU threads (`COMPOSITE_EVENTS`), in file order.
    "cpu_samples" CpuSampleFacts built by CpuSampleFactsBuilder, by SampleId {
        /// When it was taken.
        time: Ns, "ns";
        /// The thread; none if the table does not name it.
        thread: Maybe<ThreadId>, "";
    }
}

table! {
    /// Where the stack of each CPU sample starts in `stack_frames`, and the end of the last.
    "stack_offsets" StackOffsets built by StackOffsetsBuilder, by () {
        /// The row.
        offset: u32, "";
    }
}

table! {
    /// Stacks of the CPU samples (`SAMPLING_CALLCHAINS`): sample by sample, innermost frame first.
    "stack_frames" StackFrameFacts built by StackFrameFactsBuilder, by () {
        /// Function.
        symbol: StrId, "";
        /// Path of the binary.
        module: StrId, "";
    }
}

table! {
    /// When threads got or lost a processor (`SCHED_EVENTS`), in file order.
    "switches" SwitchFacts built by SwitchFactsBuilder, by () {
        /// When.
        time: Ns, "ns";
        /// The thread; none if the table does not name it.
        thread: Maybe<ThreadId>, "";
        /// Whether it got a processor.
        switched_in: bool, "";
    }
}

/// What CPU threads did besides CUDA API calls and NVTX ranges. Tables that the export lacks are empty.
#[derive(Debug, Clone, Default)]
pub struct HostFacts {
    /// Calls of MPI functions.
    pub mpi: MpiCallFacts,
    /// Calls of the operating system's libraries; none if the export has no such table.
    pub os_calls: Option<OsCallFacts>,
    /// Overhead of the profiler.
    pub overheads: OverheadFacts,
    /// Samples of CPU threads.
    pub samples: CpuSampleFacts,
    /// Where the stack of each sample starts; one more than there are samples, or none at all.
    pub stack_offsets: StackOffsets,
    /// Frames of the stacks.
    pub stack_frames: StackFrameFacts,
    /// When threads got or lost a processor.
    pub switches: SwitchFacts,
    /// Functions of Python.
    pub python: PythonFrameFacts,
}
