//! Whether a kernel exchanges data between GPUs, and how.
//!
//! Words such as `dispatch`, `combine` or `notify` mean exchange only in a library for it. Without one the answer is unknown.

use super::rule::{Rule, rule};

/// Whether a kernel exchanges data between GPUs, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Exchange {
    /// It exchanges nothing.
    No,
    /// All members get the sum.
    AllReduce,
    /// All members get the parts of all.
    AllGather,
    /// Every member gets a part of the sum.
    ReduceScatter,
    /// One member sends to all.
    Broadcast,
    /// Tokens go to the GPUs of their experts.
    Dispatch,
    /// Tokens come back from the GPUs of their experts.
    Combine,
    /// A member sends and another one receives.
    SendRecv,
    /// Members wait for each other, or tell how much they will send.
    Notify,
    /// Copies into or out of the buffers of exchange.
    Pack,
    /// It exchanges data; how is not told.
    Some,
    /// Nothing tells.
    Unknown,
}

use Exchange::{
    AllGather, AllReduce, Broadcast, Combine, Dispatch, No, Notify, Pack, ReduceScatter, SendRecv,
};

impl Exchange {
    /// The word for tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            No => "no",
            AllReduce => "allreduce",
            AllGather => "allgather",
            ReduceScatter => "reducescatter",
            Broadcast => "broadcast",
            Dispatch => "alltoall-dispatch",
            Combine => "alltoall-combine",
            SendRecv => "sendrecv",
            Notify => "barrier-notify",
            Pack => "pack-unpack",
            Self::Some => "exchange",
            Self::Unknown => "unknown",
        }
    }

    /// Whether it is known to exchange data.
    #[must_use]
    pub fn is_yes(self) -> bool {
        !matches!(self, No | Self::Unknown)
    }
}

/// How functions of libraries begin that do nothing but exchange, in lower case.
pub(super) const PREFIXES: &[&str] =
    &["nccl", "rccl", "msccl", "nvshmem", "rocshmem", "mscclpp", "userbuffers", "kuserbuffers", "oneccl"];

/// Namespaces in which everything is exchange, in lower case.
pub(super) const NAMESPACES: &[&str] = &[
    "deep_ep",
    "intranode",
    "internode",
    "internode_ll",
    "hybrid_ep",
    "mscclpp",
    "trtllm_alltoall",
    "moe_alltoall",
    "mnnvl_throughput",
    "mixed_comm",
    "symmetric_memory",
    "comm",
    "nccl",
    "nvshmem",
    "nvshmem_extension",
    "quickreduce",
    "pplx",
    "ar_fusion",
    "mori",
];

/// A namespace that means expert parallelism only inside another one.
pub(super) const INNER_NAMESPACE: &str = "ep";

/// Words of a namespace in which everything is exchange.
pub(super) const NAMESPACE_WORDS: &str = "allreduce alltoall allgather reducescatter";

/// Words of a function that exchanges data in whatever library, unless it does so among the threads of a GPU.
pub(super) const FUNCTION_WORDS: &str = "allreduce crossdevicereduce allgather reducescatter alltoall a2a alltoallv rsag epdispatch epcombine \
    raggedalltoall moealltoall";

/// What such words mean inside of a GPU.
pub(super) const LOCAL_WORDS: &str = "warpallreduce blockallreduce warpreduce blockreduce threadallreduce localallreduce groupallreduce metadata";

/// Types among the parameters that only kernels have which exchange data.
pub(super) const HANDLES: &[&str] = &[
    "mscclpp::DeviceHandle",
    "ncclDevComm",
    "ncclDevKernelArgs",
    "ncclWindow",
    "RankSignals",
    "nvshmem_team",
    "MoeCommWorkspace",
    "PortChannelDeviceHandle",
    "MemoryChannelDeviceHandle",
];

/// The operation, of kernels that exchange data.
pub(super) const OPERATIONS: &[Rule<Exchange>] = &[
    rule(No, "getdispatchlayout dispatchlayout"),
    rule(Notify, "notify barrier prepare clean devicesync quiet"),
    rule(Pack, "epilogue").unless("gemm"),
    rule(AllReduce, "allreduce crossdevicereduce rsag"),
    rule(ReduceScatter, "reducescatter"),
    rule(AllGather, "allgather"),
    rule(Dispatch, "dispatch"),
    rule(Combine, "combine"),
    rule(Broadcast, "broadcast bcast"),
    rule(SendRecv, "sendrecv send recv push pull pushsendrecv pushsend pushrecv pullrecv pullsend put"),
    rule(Pack, "pack unpack"),
    rule(Notify, "sync wait signal"),
];

/// Words that may mean exchange: where only a weak word tells the kind beside them, nothing is known.
pub(super) const AMBIGUOUS: &str = "dispatch combine notify sendrecv halo";

/// Outermost namespaces whose kernels exchange nothing unless a word or a handle of theirs says so: PyTorch keeps exchange in `c10d`,
/// and calls NCCL otherwise.
pub(super) const LOCAL_NAMESPACES: &[&str] = &["at"];
