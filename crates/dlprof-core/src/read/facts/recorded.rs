//! What was recorded: the tables that every later stage asks for, whatever the input. Reading makes them; a capture holds the
//! same value, and correlating adds tables beside it.

use super::{
    AllocatorFacts, ApiCallFacts, CaptureNotes, Collective, CollectiveFacts, CopyFacts, Device,
    GraphNodeFacts, HostFacts, KernelFacts, KinetoNotes, LaunchConfig, MemoryEventFacts, MetricSampleFacts,
    Process, RangeFacts, RecordedCommunicator, RecordedSource, RecordedSystem, RecordedThread, Recorder,
    RepeatedCalls, Stream, SyncFacts, TransferFacts, UnsizedTransfers, WorkFacts, WorkKind,
};
use crate::base::diagnostics::Diagnostics;
use crate::base::ids::{self, ApiCallId, ProcessId, StrId, ThreadId, WorkId};
use crate::base::time::Span;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::ops::Deref;

/// What there is little of: where a capture is from, and what its ids mean; kept as JSON.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct AboutRecording {
    /// The file.
    pub source: RecordedSource,
    /// Who recorded it, and of whose GPUs.
    pub recorder: Recorder,
    /// The machine and the software.
    pub system: RecordedSystem,
    /// Processes by ascending global process id.
    pub processes: Vec<Process>,
    /// Threads by ascending global thread id.
    pub threads: Vec<RecordedThread>,
    /// GPUs of the machine, then GPUs that only the activity tables name.
    pub devices: Vec<Device>,
    /// Streams of GPU work, in order of appearance.
    pub streams: Vec<Stream>,
    /// Distinct grids and blocks.
    pub launch_configs: Vec<LaunchConfig>,
    /// How many of the kernels, the last of them, are whole graph launches.
    pub whole_graphs: usize,
    /// What else the input says, in few words.
    pub notes: CaptureNotes,
    /// What a trace of torch.profiler says of itself; none of other inputs.
    pub kineto: Option<Box<KinetoNotes>>,
    /// Distinct collectives.
    pub collectives: Vec<Collective>,
    /// Demangled and mangled names of kernels that have both, in order; nothing where they are the same.
    pub mangled_names: Vec<(StrId, StrId)>,
    /// Communicators of processes, by process and number.
    pub communicators: Vec<RecordedCommunicator>,
    /// What was odd about the input.
    pub diagnostics: Diagnostics,
}

/// API calls by what they do: how many there are, where not one record says what they did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CallsWithoutRecords {
    /// Calls that copy.
    pub copies: u64,
    /// Calls that set memory.
    pub memsets: u64,
    /// Calls that wait.
    pub synchronizations: u64,
}

/// The tables that every later stage asks for.
#[derive(Debug, Clone, Default)]
pub struct RecordedTables {
    /// What there is little of.
    pub about: AboutRecording,
    /// CUDA runtime and driver API calls.
    pub api_calls: ApiCallFacts,
    /// Of the API calls: rows that repeat another one for its backtrace.
    pub repeated_calls: RepeatedCalls,
    /// Synchronisation records: they tell which API calls waited.
    pub syncs: SyncFacts,
    /// Kernels, then whole graph launches, then copies, then memsets.
    pub work: WorkFacts,
    /// Of the GPU work: the kernels and whole graph launches, which have the first ids.
    pub kernels: KernelFacts,
    /// Of the GPU work: the copies, which follow the kernels.
    pub copies: CopyFacts,
    /// Of the GPU work: the copies and memsets, which follow the kernels.
    pub transfers: TransferFacts,
    /// Of the copies and memsets: those whose bytes are unknown.
    pub unsized_transfers: UnsizedTransfers,
    /// Of the kernels: those that are part of a collective.
    pub collectives: CollectiveFacts,
    /// Of the kernels: the captured calls of those that graphs launched.
    pub graph_nodes: GraphNodeFacts,
    /// NVTX ranges.
    pub ranges: RangeFacts,
    /// What CPU threads did besides.
    pub host: HostFacts,
    /// Allocations and frees of memory.
    pub memory_events: MemoryEventFacts,
    /// Allocations and frees of PyTorch's own allocators.
    pub allocator: AllocatorFacts,
    /// Samples of the counters of GPUs.
    pub metric_samples: MetricSampleFacts,
}

impl Deref for RecordedTables {
    type Target = AboutRecording;

    fn deref(&self) -> &AboutRecording {
        &self.about
    }
}

impl RecordedTables {
    /// What a piece of work is.
    #[must_use]
    #[inline]
    pub fn work_kind(&self, work: WorkId) -> WorkKind {
        WorkKind::of(work, self.kernels.len(), self.copies.len())
    }

    /// Whether a piece of work is a migration of unified memory, which no call asks for.
    #[must_use]
    pub fn is_migration(&self, work: WorkId) -> bool {
        let kind = work.index().checked_sub(self.kernels.len()).and_then(|at| self.copies.kind.get(at));
        kind.is_some_and(|&kind| super::gpu_work::is_migration(kind))
    }

    /// Ids of all GPU work in order.
    pub fn work_ids(&self) -> impl Iterator<Item = WorkId> + Clone + use<> {
        ids::all(self.work.len())
    }

    /// Number of memsets.
    #[must_use]
    pub fn memsets(&self) -> usize {
        self.work.len() - self.kernels.len() - self.copies.len()
    }

    /// Counts the API calls that copy, set memory and wait, each where not one record says what these calls did; `text` gives names.
    #[must_use]
    pub fn calls_without_records<'a>(&self, text: impl Fn(StrId) -> &'a str) -> CallsWithoutRecords {
        let count = |part: &str, records: usize| {
            let mut judged: FxHashMap<StrId, bool> = FxHashMap::default();
            let mut is_one = |name: StrId| *judged.entry(name).or_insert_with(|| text(name).contains(part));
            let calls = self.api_calls.name.iter().filter(|_| records == 0);
            calls.filter(|name| is_one(**name)).count() as u64
        };
        CallsWithoutRecords {
            copies: count("Memcpy", self.copies.len()),
            memsets: count("Memset", self.memsets()),
            synchronizations: count("Synchronize", self.syncs.kind.len()),
        }
    }

    /// The API calls with their spans, without rows that repeat others.
    pub fn counted_calls(&self) -> impl Iterator<Item = (ApiCallId, Span)> + '_ {
        let all = ids::all::<ApiCallId>(self.api_calls.len()).zip(self.api_calls.span.iter().copied());
        all.filter(|(call, _)| self.repeated_calls.counts(*call))
    }

    /// What torch.profiler recorded that makes the host slow, and the options that ask for it: Python stacks, the events of its
    /// allocators, or both; `None` if it recorded neither.
    #[must_use]
    pub(crate) fn what_slows_host(&self) -> Option<[&'static str; 2]> {
        let notes = self.kineto.as_ref()?;
        let has_stacks = notes.with_stack || notes.python_frames > 0;
        let has_memory = notes.profile_memory || !self.allocator.time.is_empty();
        match (has_stacks, has_memory) {
            (false, false) => None,
            (true, false) => Some(["Python stacks", "`with_stack`"]),
            (false, true) => Some(["memory", "`profile_memory`"]),
            (true, true) => Some(["Python stacks and memory", "`with_stack` and `profile_memory`"]),
        }
    }

    /// The process of a thread.
    #[must_use]
    pub(crate) fn process_of(&self, thread: ThreadId) -> ProcessId {
        self.threads[thread.index()].process
    }

    /// The process of an API call; none if its table does not name its thread.
    #[must_use]
    pub(crate) fn process_of_call(&self, call: ApiCallId) -> Option<ProcessId> {
        self.api_calls.thread[call].some().map(|thread| self.process_of(thread))
    }
}
