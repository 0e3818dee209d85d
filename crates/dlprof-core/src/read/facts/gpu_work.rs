//! Facts about GPU work: kernels, copies and memsets.

use super::keys::CorrelationId;
use crate::base::ids::{
    CopyId, DeviceId, LaunchConfigId, Maybe, ProcessId, StrId, StreamId, ThreadId, TransferId, WorkId,
};
use crate::base::time::{Ns, Span};
use crate::columns::{cells_of_bytes, table};
use bytemuck::{CheckedBitPattern, NoUninit};
use serde::{Deserialize, Serialize};
use std::hash::{Hash, Hasher};

table! {
    /// GPU work: kernels, then whole graph launches, then copies, then memsets.
    "work" WorkFacts built by WorkFactsBuilder, by WorkId {
        /// Start and end on the GPU.
        span: Span, "ns";
        /// The GPU.
        device: DeviceId, "";
        /// The process that launched it; none if the table does not name it.
        process: Maybe<ProcessId>, "";
        /// The stream.
        stream: StreamId, "";
        /// Correlation id of its API call, unique only within a process.
        correlation: CorrelationId, "";
    }
}

table! {
    /// Kernels and whole graph launches.
    "kernels" KernelFacts built by KernelFactsBuilder, by WorkId {
        /// Name without template arguments and parameters.
        short_name: StrId, "";
        /// Demangled name.
        long_name: StrId, "";
        /// Whether a graph launched it.
        graph: GraphOrigin, "";
        /// Grid and block.
        config: LaunchConfigId, "";
    }
}

table! {
    /// Kernels that graphs launched of which the call is known that was captured, by ascending kernel.
    "graph_nodes" GraphNodeFacts built by GraphNodeFactsBuilder, by () {
        /// The kernel.
        work: WorkId, "";
        /// When the call was made.
        captured: Ns, "ns";
        /// The thread that made it; none if nothing else is known of it.
        thread: Maybe<ThreadId>, "";
    }
}

table! {
    /// Memory copies.
    "copies" CopyFacts built by CopyFactsBuilder, by CopyId {
        /// CUPTI's copy kind.
        kind: u8, "";
        /// CUPTI's memory kind of the source; 255 if the export does not say.
        source_memory: u8, "";
        /// CUPTI's memory kind of the destination; 255 if the export does not say.
        target_memory: u8, "";
    }
}

table! {
    /// Memory copies, then memsets.
    "transfers" TransferFacts built by TransferFactsBuilder, by TransferId {
        /// Number of bytes.
        bytes: u64, "bytes";
        /// Whether a graph launched it.
        graph: GraphOrigin, "";
    }
}

impl WorkFacts {
    /// Number of pieces of work.
    #[must_use]
    pub fn len(&self) -> usize {
        self.span.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.span.is_empty()
    }
}

impl KernelFacts {
    /// Number of kernels, whole graph launches included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.short_name.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.short_name.is_empty()
    }
}

impl CopyFacts {
    /// Number of copies.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kind.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kind.is_empty()
    }
}

/// A stream of GPU work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stream {
    /// The process; none if the table does not name it.
    pub process: Maybe<ProcessId>,
    /// The GPU.
    pub device: DeviceId,
    /// Number of the CUDA context in its process; 0 if the table does not name it.
    pub context: i64,
    /// Number of the stream in its context; 0 if the table does not name it.
    pub number: i64,
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

impl WorkKind {
    /// What a piece of work is, given the numbers of kernels and copies.
    #[must_use]
    #[inline]
    pub(crate) fn of(work: WorkId, kernels: usize, copies: usize) -> Self {
        match work.index() {
            at if at < kernels => Self::Kernel,
            at if at < kernels + copies => Self::Copy,
            _ => Self::Memset,
        }
    }
}

/// Whether a kernel was launched by a CUDA graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, NoUninit, CheckedBitPattern)]
#[repr(u8)]
pub enum GraphOrigin {
    /// Launched by itself.
    #[default]
    None,
    /// A node of a graph, recorded one by one (`--cuda-graph-trace=node`).
    Node,
    /// Not one kernel but a whole graph launch, recorded as one (`--cuda-graph-trace=graph`, the default).
    WholeGraph,
}

cells_of_bytes! { GraphOrigin }

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

/// A grid and block size, what a block needs, and how much of the GPU it may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct LaunchConfig {
    /// Grid size in blocks: x, y, z.
    pub grid: [i64; 3],
    /// Block size in threads: x, y, z.
    pub block: [i64; 3],
    /// Registers per thread, if the export says it.
    pub registers: Option<i64>,
    /// Static shared memory of a block in bytes, if the export says it.
    pub static_shared_bytes: Option<i64>,
    /// Dynamic shared memory of a block in bytes, if the export says it.
    pub dynamic_shared_bytes: Option<i64>,
    /// Multiprocessors that its context may use, if the export says it (green contexts, parts of a GPU); else those of the GPU.
    #[serde(default)]
    pub multiprocessors: Option<i64>,
}

impl LaunchConfig {
    /// Static and dynamic shared memory of a block in bytes, if the export says it.
    #[must_use]
    pub fn shared_bytes(&self) -> Option<i64> {
        let parts = [self.static_shared_bytes, self.dynamic_shared_bytes];
        parts.into_iter().flatten().reduce(i64::saturating_add)
    }
}

impl Hash for LaunchConfig {
    /// All numbers in one, because that of every kernel is looked up.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let needs =
            [self.registers, self.static_shared_bytes, self.dynamic_shared_bytes, self.multiprocessors];
        let numbers = self.grid.into_iter().chain(self.block).chain(needs.map(Option::unwrap_or_default));
        state.write_u64(numbers.fold(0, |hash, number| hash.rotate_left(11) ^ number.cast_unsigned()));
    }
}

/// CUPTI's kind of a copy, if it is one that has a name.
#[must_use]
pub(crate) fn known_copy_kind(kind: u8) -> Option<u8> {
    Some(kind).filter(|kind| (1..=13).contains(kind))
}

/// Whether CUPTI's kind of a copy is a migration of unified memory.
pub(crate) fn is_migration(kind: u8) -> bool {
    (11..=13).contains(&kind)
}

/// Direction of a copy in words, by CUPTI's copy kind.
#[must_use]
pub fn copy_kind_name(kind: u8) -> &'static str {
    match kind {
        1 => "HtoD",
        2 => "DtoH",
        3 => "HtoA",
        4 => "AtoH",
        5 => "AtoA",
        6 => "AtoD",
        7 => "DtoA",
        8 => "DtoD",
        9 => "HtoH",
        10 => "PtoP",
        11 => "UM_HtoD",
        12 => "UM_DtoH",
        13 => "UM_DtoD",
        _ => "unknown",
    }
}
