//! The ids of the domain. Each is a position in the table of its kind, dense from zero.

pub(crate) use crate::columns::all;
pub use crate::columns::{Maybe, StrId};

use crate::columns::ids;

ids! {
    /// A process of the capture.
    ProcessId
    /// A thread of the capture.
    ThreadId
    /// A GPU of the capture.
    DeviceId
    /// A stream of GPU work.
    StreamId
    /// A row of the CUDA API table.
    ApiCallId
    /// A synchronisation record.
    SyncId
    /// An NVTX range of a thread.
    RangeId
    /// A copy: its position among the copies.
    CopyId
    /// A copy or a memset: its position among them.
    TransferId
    /// A sample of a CPU thread.
    SampleId
    /// A piece of GPU work: a kernel, a copy or a memset.
    WorkId
    /// One execution of an op on the CPU.
    OpCallId
    /// What distinguishes op calls by their text: name, type, direction, shapes.
    LabelId
    /// An op.
    OpId
    /// A group of ops.
    GroupId
    /// A grid and block size that kernels were launched with.
    LaunchConfigId
    /// What a range says.
    RangeTextId
}
