//! What a DLProf database says. Its ops, calls and GPU work are correlated already.

use super::{
    CopyFacts, Device, KernelFacts, LaunchConfig, ModelConfig, Process, Source, System, Thread, TransferFacts,
};
use crate::base::diagnostics::Diagnostics;
use crate::base::ids::{ApiCallId, DeviceId, OpCallId, ProcessId, StrId, ThreadId};
use crate::base::time::{Ns, Span};
use crate::columns::{Buffer, Memory, StringPool};
use serde::{Deserialize, Serialize};

/// The name of API calls that launched kernels: a DLProf database has the names of the kernels in its place.
pub const KERNEL_LAUNCH: &str = "kernel launch";

/// What only a DLProf database says. It is kept, so that nothing is lost when a database is written again.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DlprofNotes {
    /// Version of the database.
    pub version: String,
    /// Version that it was made with.
    pub original_version: String,
    /// Version of DLProf.
    pub dlprof_version: String,
    /// Build of DLProf.
    pub dlprof_build: String,
    /// Name of the profile; often empty.
    pub profile_name: String,
    /// DLProf's number of its mode.
    pub mode_enum: i64,
    /// DLProf's word for its mode.
    pub mode_string: String,
    /// Command line that made it.
    pub original_command: String,
    /// Name of the NVTX domain that its ops are from.
    pub domain: String,
    /// Total and used memory of GPUs in bytes, as sampled while DLProf profiled; zeros if it did not.
    pub gpu_memories: Vec<[i64; 2]>,
    /// Its ops, in row order.
    pub ops: Vec<StoredOp>,
    /// By label: the texts of its operands.
    pub operands: Vec<StoredOperands>,
    /// Parts of ops: number of the op, start and stop.
    pub sub_ops: Vec<(u32, [Ns; 2])>,
    /// The aggregation that is read: the last one.
    pub aggregation: Option<StoredAggregation>,
}

/// An op of a DLProf database.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StoredOp {
    /// Op ID.
    pub id: String,
    /// DLProf's number for what it knows of Tensor Cores: 0 an eligible type, 2 loose work, 3 another type.
    pub tc_support_status: i64,
    /// TensorFlow's name of its device; often empty.
    pub device: String,
}

/// Operands of an op call in the form of DLProf's databases: JSON with a line feed behind it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct StoredOperands {
    /// Names of the input tensors: `["","",""]`.
    pub input_names: String,
    /// Shapes of the input tensors: `[[32,3,32,32],[6,3,3,3],[6]]`.
    pub input_shapes: String,
    /// Names of the output tensors.
    pub output_names: String,
    /// Shapes of the output tensors.
    pub output_shapes: String,
    /// Parameters.
    pub parameters: String,
    /// Letters of the dimensions of the inputs: `N,C,H,W;K,C,R,S`.
    pub data_format: String,
    /// Letters of the dimensions of the output.
    pub output_format: String,
    /// Letters of the parameters.
    pub parameters_format: String,
}

/// An aggregation of a DLProf database.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StoredAggregation {
    /// How many aggregations the database has.
    pub of: usize,
    /// The key node; empty if there was none.
    pub key_node: String,
    /// Iteration `i` is `[boundaries[i], boundaries[i + 1])`; empty if the database does not say.
    pub boundaries: Vec<Ns>,
    /// First and last iteration that were aggregated, if they are known.
    pub range: Option<(u32, u32)>,
    /// What its detectors found: detector, problem, recommendation, function of the viewer and its arguments.
    pub feedback: Vec<[String; 5]>,
    /// User, host, start and end, as they stand there.
    pub made: [String; 4],
}

/// Everything read from one DLProf database.
#[derive(Debug)]
pub struct DlprofFacts {
    /// The budget that the columns were made within.
    pub memory: Memory,
    /// The database.
    pub source: Source,
    /// Names of kernels and API functions.
    pub strings: StringPool,
    /// Processes by ascending global process id.
    pub processes: Vec<Process>,
    /// Threads by ascending global thread id.
    pub threads: Vec<Thread>,
    /// GPUs.
    pub devices: Vec<Device>,
    /// Distinct grids and blocks.
    pub launch_configs: Vec<LaunchConfig>,
    /// The machine and the software.
    pub system: System,
    /// Settings of the training run.
    pub model_config: ModelConfig,
    /// Ops, in row order; their IDs are in the notes.
    pub ops: Vec<DlprofOp>,
    /// Op calls, in row order.
    pub op_calls: DlprofOpCalls,
    /// API calls.
    pub api_calls: DlprofApiCalls,
    /// What API calls waited for.
    pub waits: DlprofWaits,
    /// Kernels, then copies, then memsets.
    pub work: DlprofWork,
    /// Of the GPU work: the kernels.
    pub kernels: KernelFacts,
    /// By kernel: whether DLProf says that it uses Tensor Cores.
    pub uses_tc: Buffer<bool>,
    /// Of the GPU work: the copies.
    pub copies: CopyFacts,
    /// Of the GPU work: the copies and memsets.
    pub transfers: TransferFacts,
    /// What else it says.
    pub notes: DlprofNotes,
    /// Distinct texts of operands.
    pub operands: Vec<StoredOperands>,
    /// By op: the letters of its dimensions, without operands.
    pub formats: Vec<StoredOperands>,
    /// What was odd about the database.
    pub diagnostics: Diagnostics,
}

/// An op, as far as a capture has it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DlprofOp {
    /// Name.
    pub name: String,
    /// Type.
    pub op_type: String,
    /// `fprop`, `bprop` or empty.
    pub direction: String,
    /// Data type; empty if unknown.
    pub data_type: String,
    /// Source lines; empty if unknown.
    pub stack_trace: String,
}

/// Op calls.
#[derive(Debug)]
pub struct DlprofOpCalls {
    /// Its op: a position among the ops.
    pub op: Buffer<u32>,
    /// Start and stop on the CPU.
    pub span: Buffer<Span>,
    /// The thread; none for calls that are not on the CPU.
    pub thread: Buffer<ThreadId>,
    /// Its operands: a position among the distinct ones.
    pub operands: Buffer<u32>,
}

/// API calls.
#[derive(Debug)]
pub struct DlprofApiCalls {
    /// Start and stop on the CPU.
    pub span: Buffer<Span>,
    /// The calling thread.
    pub thread: Buffer<ThreadId>,
    /// API function; a general word where the database does not name it.
    pub name: Buffer<StrId>,
    /// The op call that it belongs to.
    pub op_call: Buffer<OpCallId>,
}

/// What API calls waited for.
#[derive(Debug)]
pub struct DlprofWaits {
    /// The API call.
    pub api: Buffer<ApiCallId>,
    /// CUPTI's kind of synchronisation.
    pub kind: Buffer<u32>,
    /// CUDA event; the largest number if there is none.
    pub event: Buffer<u32>,
    /// Number of the GPU.
    pub device: Buffer<u32>,
}

/// GPU work: kernels, then copies, then memsets.
#[derive(Debug)]
pub struct DlprofWork {
    /// Start and stop on the GPU.
    pub span: Buffer<Span>,
    /// The GPU.
    pub device: Buffer<DeviceId>,
    /// The process that launched it.
    pub process: Buffer<ProcessId>,
    /// Its API call, or none.
    pub api: Buffer<ApiCallId>,
    /// The op call that it belongs to.
    pub op_call: Buffer<OpCallId>,
}
