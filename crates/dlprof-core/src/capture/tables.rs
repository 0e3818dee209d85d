//! What correlating adds to the tables that were read: who launched what, and which op it belongs to.

use crate::base::ids::{self, ApiCallId, LabelId, Maybe, OpCallId, SyncId, ThreadId, WorkId};
use crate::base::time::{Ns, Span};
use crate::capture::correlate::call_times::CallTimes;
use crate::capture::correlate::launches::ApiKind;
use crate::capture::correlate::tensor_cores::TensorCores;
use crate::capture::ledger::LaunchFate;
use crate::columns::table;
use std::cmp::Reverse;

table! {
    /// Which API call launched each piece of GPU work, row by row as in `work`.
    "launches" Launches built by LaunchesBuilder, by WorkId {
        /// The API call, or none.
        api: Maybe<ApiCallId>, "";
    }
}

table! {
    /// Which API call each synchronisation record is about, row by row as in `syncs`.
    "waits" Waits built by WaitsBuilder, by SyncId {
        /// The API call, or none.
        api: Maybe<ApiCallId>, "";
    }
}

table! {
    /// What API calls did, and for whom, row by row as in `api_calls`.
    "call_roles" CallRoles built by CallRolesBuilder, by ApiCallId {
        /// What it did.
        kind: ApiKind, "";
        /// The op call that it belongs to, or none.
        op_call: Maybe<OpCallId>, "";
        /// What became of what it launched.
        fate: LaunchFate, "";
    }
}

table! {
    /// What the names of kernels say, row by row as in `kernels`.
    "judged_kernels" JudgedKernels built by JudgedKernelsBuilder, by WorkId {
        /// Whether it uses Tensor Cores.
        tensor_cores: TensorCores, "";
    }
}

table! {
    /// Op calls: every execution of an op, and work that no op claims.
    "op_calls" OpCalls built by OpCallsBuilder, by OpCallId {
        /// Start and stop on the CPU; work without an API call is placed at its start on the GPU.
        span: Span, "ns";
        /// The thread; none for calls that are not on the CPU.
        thread: Maybe<ThreadId>, "";
        /// What its text says.
        label: LabelId, "";
        /// Backward calls: the forward call they belong to.
        forward: Maybe<OpCallId>, "";
        /// Its five times.
        times: CallTimes, "ns";
    }
}

impl OpCalls {
    /// Number of calls.
    #[must_use]
    pub fn len(&self) -> usize {
        self.span.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.span.is_empty()
    }

    /// All ids in order.
    pub fn ids(&self) -> impl Iterator<Item = OpCallId> + Clone + use<> {
        ids::all(self.len())
    }

    /// The order in which calls of a thread open.
    pub(crate) fn nesting_order(&self, call: OpCallId) -> (Ns, Reverse<Ns>, OpCallId) {
        nesting_order(self.span[call], call)
    }
}

/// The order in which op calls of a thread open.
pub(crate) fn nesting_order(span: Span, call: OpCallId) -> (Ns, Reverse<Ns>, OpCallId) {
    (span.start, Reverse(span.end), call)
}
