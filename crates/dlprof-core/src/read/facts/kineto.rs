//! Facts that only traces of torch.profiler (Kineto) have.

use crate::base::ids::{DeviceId, Maybe, StrId, ThreadId, TransferId, WorkId};
use crate::base::time::{Ns, Span};
use crate::columns::table;
use serde::{Deserialize, Serialize};

/// The value of numbers of [`AllocatorFacts`] that the trace does not say.
pub(crate) const UNKNOWN_BYTES: u64 = u64::MAX;

table! {
    /// Python and C functions (`python_function`), modules of `torch.nn` among them: thread by thread, in the order in which
    /// they open.
    "python_frames" PythonFrameFacts built by PythonFrameFactsBuilder, by () {
        /// Start and end on the CPU.
        span: Span, "ns";
        /// The thread.
        thread: Maybe<ThreadId>, "";
        /// File, line and function, such as `train.py(12): step`, or `nn.Module: Linear_3`.
        name: StrId, "";
    }
}

table! {
    /// Kernels of which the input says which collective they are part of, by ascending kernel.
    "collectives" CollectiveFacts built by CollectiveFactsBuilder, by () {
        /// The kernel.
        work: WorkId, "";
        /// The position of its collective among the distinct ones.
        collective: u32, "";
    }
}

table! {
    /// Allocations and frees of PyTorch's own allocators (`[memory]`), in order of time.
    "allocator_events" AllocatorFacts built by AllocatorFactsBuilder, by () {
        /// When.
        time: Ns, "ns";
        /// The GPU; none for memory of the host.
        device: Maybe<DeviceId>, "";
        /// Number of bytes; negative if they were freed.
        bytes: i64, "bytes";
        /// What was allocated afterwards; the largest number if the trace does not say.
        allocated: u64, "bytes";
        /// What the allocator held afterwards; the largest number if the trace does not say.
        reserved: u64, "bytes";
    }
}

table! {
    /// Copies and memsets of which nobody says how many bytes they moved, ascending.
    "unsized_transfers" UnsizedTransfers built by UnsizedTransfersBuilder, by () {
        /// The copy or memset.
        transfer: TransferId, "";
    }
}

/// What a trace of torch.profiler says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct KinetoNotes {
    /// Whether the trace is a bare list of events, so that nothing is known of how it was made.
    pub is_list: bool,
    /// Whether shapes of operands were asked for. False for this and the next four if the trace does not say.
    pub record_shapes: bool,
    /// Whether the memory of PyTorch's allocators was asked for.
    pub profile_memory: bool,
    /// Whether Python stacks were asked for.
    pub with_stack: bool,
    /// Whether floating-point operations were asked for; the trace does not hold them.
    pub with_flops: bool,
    /// Whether modules were asked for.
    pub with_modules: bool,
    /// Rank of the process in its job.
    pub rank: Option<u64>,
    /// Where tools merged the traces of several ranks: the global id of each process, and the rank that its label says.
    pub merged_ranks: Vec<(i64, u64)>,
    /// Processes of the job.
    pub world_size: Option<u64>,
    /// How the processes communicate, such as `nccl`.
    pub backend: Option<String>,
    /// Version of NCCL or RCCL.
    pub nccl_version: Option<String>,
    /// Version of CUPTI, as the trace has it.
    pub cupti_version: Option<u64>,
    /// Version of the HIP runtime, such as `6.4.43483`.
    pub hip_version: Option<String>,
    /// The newest CUDA that the driver can run, such as `12.4`.
    pub cuda_of_driver: Option<String>,
    /// What times of the trace count from: nanoseconds since 1970; none if they count from 1970.
    pub base_ns: Option<Ns>,
    /// Events of Python functions.
    pub python_frames: u64,
    /// API calls and kernels.
    pub calls_and_kernels: u64,
    /// Kernels with the number of a call that is not in the trace.
    #[serde(default)]
    pub kernels_of_other_calls: u64,
    /// Of these, those at time 0: their clock was broken.
    pub zero_times: u64,
}

/// A collective, as one process called it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Collective {
    /// Name, such as `allreduce`; of several together, all their names.
    pub name: String,
    /// Data type of the elements, such as `Float`.
    pub data_type: String,
    /// Elements that the process gave.
    pub in_elements: Option<u64>,
    /// Elements that the process got.
    pub out_elements: Option<u64>,
    /// Processes of the group.
    pub group_size: Option<u64>,
    /// Name of the group.
    pub group: String,
    /// What the program calls the group.
    pub group_description: String,
    /// Ranks of the group, as the trace has them.
    pub ranks: String,
    /// NCCL's number of the communicator; none of traces, which have names.
    pub communicator: Option<u64>,
    /// Bytes that the process gives, as NCCL counts them: of one process; none of traces, which have elements.
    pub given_bytes: Option<u64>,
    /// Bytes that it gets from single processes, as NCCL counts them.
    pub got_bytes: Option<u64>,
    /// Processes to which it sends and from which it gets, one by one.
    pub peers: u64,
}
