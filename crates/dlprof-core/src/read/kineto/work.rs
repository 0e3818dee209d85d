//! Kernels, copies and memsets to their tables, with what their API calls say about them.

use super::devices::Devices;
use super::join::{JoinKey, Joined};
use super::names::Names;
use super::rows::{CallDetails, NOWHERE, RawCall, RawItem, StreamKey};
use super::threads::ResolvedThreads;
use super::work_names::{CopyName, copy_name, kind_of_kernel};
use crate::base::function_name::function_name;
use crate::base::ids::{LaunchConfigId, Maybe, ProcessId, StrId, StreamId, TransferId, WorkId};
use crate::base::time::{Ns, Span};
use crate::columns::Memory;
use crate::read::facts::{
    CollectiveFactsBuilder, CopyFactsBuilder, GraphOrigin, KernelFactsBuilder, LaunchConfig, Stream,
    TransferFactsBuilder, UnsizedTransfersBuilder, WorkFactsBuilder, WorkKind,
};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

/// The API calls of a trace.
pub(super) struct Launches<'a> {
    pub(super) calls: &'a [RawCall],
    pub(super) details: &'a [CallDetails],
    pub(super) threads: &'a ResolvedThreads,
    pub(super) joined: &'a Joined,
    /// By name: whether such calls launch graphs.
    pub(super) is_graph_launch: Vec<bool>,
}

impl Launches<'_> {
    /// By text: whether it is the name of a call that launches graphs.
    pub(super) fn graph_launches(names: &Names) -> Vec<bool> {
        let texts = (0..names.pool.len()).map(|at| names.pool.get(StrId::new(at)));
        texts.map(|text| text.contains("GraphLaunch")).collect()
    }

    fn call(&self, key: JoinKey) -> Option<&RawCall> {
        self.calls.get(self.joined.row(key)? as usize)
    }

    /// The process of the call with a key.
    pub(super) fn process(&self, key: JoinKey) -> Maybe<ProcessId> {
        let known = self.call(key).map(|call| self.threads.process(call.thread));
        known.unwrap_or_else(|| self.threads.only_process(key.label))
    }

    fn launches_graph(&self, call: &RawCall) -> bool {
        let name = call.name.position();
        name.and_then(|name| self.is_graph_launch.get(name)).is_some_and(|&launches| launches)
    }

    /// What a call says about the one thing that it launches; the many of a graph are not told apart.
    fn details(&self, call: &RawCall) -> Option<CallDetails> {
        self.details.get(call.details as usize).copied().filter(|_| !self.launches_graph(call))
    }
}

/// What the names of items say, each judged once.
pub(super) struct ItemNames {
    by_name: FxHashMap<(StrId, WorkKind), ItemName>,
}

struct ItemName {
    kind: WorkKind,
    short: StrId,
    copy: CopyName,
}

impl ItemNames {
    pub(super) fn of(items: &[RawItem], names: &mut Names) -> Self {
        let mut by_name = FxHashMap::default();
        for item in items {
            by_name.entry((item.name, item.kind)).or_insert_with(|| {
                let text = names.pool.get(item.name).to_owned();
                let kind = if item.kind == WorkKind::Kernel { kind_of_kernel(&text) } else { item.kind };
                ItemName { kind, short: names.pool.intern(function_name(&text)), copy: copy_name(&text) }
            });
        }
        Self { by_name }
    }

    fn get(&self, item: &RawItem) -> Option<&ItemName> {
        self.by_name.get(&(item.name, item.kind))
    }

    /// What an item is. ROCm recorded some copies and memsets as kernels.
    pub(super) fn kind(&self, item: &RawItem) -> WorkKind {
        self.get(item).map_or(item.kind, |name| name.kind)
    }
}

/// The tables of GPU work while they are filled: all kernels first, then all copies, then all memsets.
pub(super) struct Work {
    zero: Ns,
    pub(super) rows: WorkFactsBuilder,
    pub(super) kernels: KernelFactsBuilder,
    pub(super) copies: CopyFactsBuilder,
    pub(super) transfers: TransferFactsBuilder,
    pub(super) unsized_transfers: UnsizedTransfersBuilder,
    pub(super) collectives: CollectiveFactsBuilder,
    pub(super) streams: Vec<Stream>,
    known_streams: FxHashMap<(Maybe<ProcessId>, StreamKey), StreamId>,
    pub(super) configs: IndexSet<LaunchConfig, FxBuildHasher>,
}

impl Work {
    pub(super) fn new(
        memory: &Memory,
        items: usize,
        configs: IndexSet<LaunchConfig, FxBuildHasher>,
        zero: Ns,
    ) -> Self {
        Self {
            zero,
            rows: WorkFactsBuilder::new(memory, items),
            kernels: KernelFactsBuilder::new(memory, 0),
            copies: CopyFactsBuilder::new(memory, 0),
            transfers: TransferFactsBuilder::new(memory, 0),
            unsized_transfers: UnsizedTransfersBuilder::new(memory, 0),
            collectives: CollectiveFactsBuilder::new(memory, 0),
            streams: Vec::new(),
            known_streams: FxHashMap::default(),
            configs,
        }
    }

    /// Adds an item.
    pub(super) fn push(
        &mut self,
        item: &RawItem,
        names: &ItemNames,
        launches: &Launches<'_>,
        devices: &mut Devices,
    ) {
        let Some(name) = names.get(item) else { return };
        let key = JoinKey { label: item.label, correlation: item.correlation };
        let call = launches.call(key);
        let details = call.and_then(|call| launches.details(call));
        let is_of_graph = item.is_of_graph || call.is_some_and(|call| launches.launches_graph(call));
        let graph = if is_of_graph { GraphOrigin::Node } else { GraphOrigin::None };
        let process = launches.process(key);
        let device = devices.find_or_add(item.stream.device);
        let stream = *self.known_streams.entry((process, item.stream)).or_insert_with(|| {
            let StreamKey { context, number, .. } = item.stream;
            self.streams.push(Stream { process, device, context, number });
            StreamId::new(self.streams.len() - 1)
        });
        let work = self.rows.span.len();
        self.rows.span.push(Span::new(item.span.start - self.zero, item.span.end - self.zero));
        self.rows.device.push(device);
        self.rows.process.push(process);
        self.rows.stream.push(stream);
        self.rows.correlation.push(launches.joined.key(key));
        if name.kind == WorkKind::Kernel {
            self.kernels.short_name.push(name.short);
            self.kernels.long_name.push(item.name);
            self.kernels.graph.push(graph);
            let config = self.config(item.config, details);
            self.kernels.config.push(config);
            if item.collective != NOWHERE {
                self.collectives.work.push(WorkId::new(work));
                self.collectives.collective.push(item.collective);
            }
            return;
        }
        if name.kind == WorkKind::Copy {
            self.copies.kind.push(name.copy.kind);
            self.copies.source_memory.push(name.copy.source);
            self.copies.target_memory.push(name.copy.target);
        }
        let bytes = item.bytes.or_else(|| details?.bytes);
        if bytes.is_none() {
            self.unsized_transfers.transfer.push(TransferId::new(self.transfers.bytes.len()));
        }
        self.transfers.bytes.push(bytes.unwrap_or(0));
        self.transfers.graph.push(graph);
    }

    /// The grid and block of a kernel: its own, or those that its call says.
    fn config(&mut self, own: u32, details: Option<CallDetails>) -> LaunchConfigId {
        let config = if own == NOWHERE { details.map_or(NOWHERE, |details| details.config) } else { own };
        let at = if config == NOWHERE {
            self.configs.insert_full(LaunchConfig::default()).0
        } else {
            config as usize
        };
        LaunchConfigId::new(at)
    }
}
