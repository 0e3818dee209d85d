//! What a DLProf database says. Its ops, calls and GPU work are correlated already.

use super::{ModelConfig, RecordedTables};
use crate::base::ids::{ApiCallId, Maybe, OpCallId, SyncId, ThreadId, WorkId};
use crate::base::time::{Ns, Span};
use crate::columns::{Buffer, FactColumn, Memory, StringPool};
use serde::{Deserialize, Serialize};
use std::ops::Deref;

/// The name of API calls that launched kernels: a DLProf database has the names of the kernels in its place.
pub(crate) const KERNEL_LAUNCH: &str = "kernel launch";

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

/// Operands of an op call in the form of DLProf's databases: JSON with a line feed after it.
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
pub(crate) struct DlprofFacts {
    /// The budget that the columns were made within.
    pub memory: Memory,
    /// Names of kernels and API functions.
    pub strings: StringPool,
    /// The tables that a capture takes over as they are. Ranges are not among them: op calls take their place.
    pub recorded: RecordedTables,
    /// Settings of the training run.
    pub model_config: ModelConfig,
    /// Ops, in row order; their IDs are in the notes.
    pub ops: Vec<DlprofOp>,
    /// Op calls, in row order.
    pub op_calls: DlprofOpCalls,
    /// By API call: the op call that it belongs to.
    pub op_call_of_api: Buffer<Maybe<OpCallId>>,
    /// By synchronisation: its API call.
    pub api_of_sync: FactColumn<SyncId, Maybe<ApiCallId>>,
    /// By piece of GPU work: its API call, or none.
    pub api_of_work: FactColumn<WorkId, Maybe<ApiCallId>>,
    /// By piece of GPU work: the op call that it belongs to.
    pub op_call_of_work: FactColumn<WorkId, OpCallId>,
    /// By kernel: whether DLProf says that it uses Tensor Cores.
    pub uses_tc: Buffer<bool>,
    /// What else it says.
    pub notes: DlprofNotes,
    /// Distinct texts of operands.
    pub operands: Vec<StoredOperands>,
    /// By op: the letters of its dimensions, without operands.
    pub formats: Vec<StoredOperands>,
}

impl Deref for DlprofFacts {
    type Target = RecordedTables;

    fn deref(&self) -> &RecordedTables {
        &self.recorded
    }
}

/// An op, as far as a capture has it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct DlprofOp {
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
pub(crate) struct DlprofOpCalls {
    /// Its op: a position among the ops.
    pub op: Buffer<u32>,
    /// Start and stop on the CPU.
    pub span: Buffer<Span>,
    /// The thread; none for calls that are not on the CPU.
    pub thread: Buffer<Maybe<ThreadId>>,
    /// Its operands: a position among the distinct ones.
    pub operands: Buffer<u32>,
}
