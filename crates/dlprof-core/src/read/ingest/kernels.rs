//! Tables `CUPTI_ACTIVITY_KIND_KERNEL` and `CUPTI_ACTIVITY_KIND_GRAPH_TRACE`: kernels, and whole graph launches, whose
//! kernels were not recorded.

use super::columns::columns;
use super::graph_nodes::{Nodes, RawGraphNodes, node_id};
use super::keys::Distinct;
use super::multiprocessors::Multiprocessors;
use super::row::Row;
use super::string_ids::NameReader;
use super::work::{self, RawWork, graph_origin};
use super::{TableSource, copies, memsets};
use crate::base::Error;
use crate::base::diagnostics::{DiagnosticCode, Diagnostics};
use crate::base::ids::{LaunchConfigId, StrId, WorkId};
use crate::columns::StringPool;
use crate::read::facts::{GraphOrigin, KernelFactsBuilder, LaunchConfig};
use crate::read::most_names::{MOST_KERNEL_NAMES, MetNames, OTHER_NAMES};

pub(super) const TABLE: &str = "CUPTI_ACTIVITY_KIND_KERNEL";
pub(super) const GRAPHS: &str = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";

columns! {
    after *work::COLUMNS;
    SHORT_NAME "shortName";
    DEMANGLED_NAME "demangledName";
    GRID_X "gridX";
    GRID_Y "gridY";
    GRID_Z "gridZ";
    BLOCK_X "blockX";
    BLOCK_Y "blockY";
    BLOCK_Z "blockZ";
    GRAPH_NODE_ID "graphNodeId";
    REGISTERS "registersPerThread";
    STATIC_SHARED "staticSharedMemory";
    DYNAMIC_SHARED "dynamicSharedMemory";
    MANGLED_NAME "mangledName";
    GREEN_CONTEXT_ID "greenContextId";
}

/// The only further column of the table of whole graph launches.
const GRAPH_ID: usize = work::COLUMNS.len();

/// Both tables as read, one after the other.
pub(super) struct RawKernels {
    pub(super) work: RawWork,
    pub(super) columns: KernelFactsBuilder,
    pub(super) whole_graphs: usize,
    pub(super) launch_configs: Vec<LaunchConfig>,
    /// Demangled and mangled names that belong together.
    pub(super) mangled: Vec<(StrId, StrId)>,
    pub(super) graph_nodes: RawGraphNodes,
    pub(super) extra: StringPool,
}

pub(super) fn read(source: &TableSource<'_>) -> Result<RawKernels, Error> {
    let rows = source.rows(TABLE)? + source.rows(GRAPHS)?;
    // Copies and memsets follow.
    let all_work = rows + source.rows(copies::TABLE)? + source.rows(memsets::TABLE)?;
    let nodes = Nodes::read(source)?;
    let init = || Reading {
        nodes: &nodes,
        kernels: RawKernels {
            work: RawWork::with_capacity(source.memory, all_work),
            columns: KernelFactsBuilder::new(source.memory, rows),
            whole_graphs: 0,
            launch_configs: Vec::new(),
            mangled: Vec::new(),
            graph_nodes: RawGraphNodes::new(source.memory),
            extra: StringPool::default(),
        },
        names: NameReader::new(source.names),
        multiprocessors: source.multiprocessors,
        met: [(); 2].map(|()| MetNames::at_most(MOST_KERNEL_NAMES)),
        configs: Distinct::new(),
        mangled: Distinct::new(),
    };
    let columns = [work::COLUMNS, COLUMNS].concat();
    let mut reading = source.fold(TABLE, &columns, init, Reading::push)?;
    let columns = [work::COLUMNS, &["graphId"]].concat();
    source.database.read(GRAPHS, &columns, |row| reading.push_graph(row))?;
    let Reading { mut kernels, names, configs, mangled, .. } = reading;
    kernels.mangled = mangled.into_list();
    kernels.mangled.sort_unstable();
    kernels.launch_configs = configs.into_list();
    kernels.extra = names.into_extra();
    Ok(kernels)
}

/// The multiprocessors that the context of a kernel may use. A kernel of a green context names it beside its own context.
fn row_multiprocessors(
    row: &Row<'_>,
    multiprocessors: &Multiprocessors,
    diagnostics: &mut Diagnostics,
) -> Option<i64> {
    if multiprocessors.is_empty() {
        return None;
    }
    let key = work::stream_key(row, diagnostics);
    multiprocessors.of(key, row.int(GREEN_CONTEXT_ID, diagnostics))
}

struct Reading<'a> {
    nodes: &'a Nodes,
    kernels: RawKernels,
    names: NameReader<'a>,
    multiprocessors: &'a Multiprocessors,
    /// Short names, and long ones.
    met: [MetNames; 2],
    configs: Distinct<LaunchConfig>,
    /// Demangled and mangled names.
    mangled: Distinct<(StrId, StrId)>,
}

impl Reading<'_> {
    fn push(&mut self, row: &Row<'_>) {
        let Self { kernels, names, .. } = self;
        if !kernels.work.push(row) {
            return;
        }
        let diagnostics = &mut kernels.work.diagnostics;
        let long = names.cell(row, DEMANGLED_NAME, diagnostics);
        let short =
            names.cell(row, SHORT_NAME, diagnostics).or(long).unwrap_or_else(|| names.intern("unknown"));
        let mut size = |column| row.int(column, diagnostics).unwrap_or(0);
        let grid = [size(GRID_X), size(GRID_Y), size(GRID_Z)];
        let block = [size(BLOCK_X), size(BLOCK_Y), size(BLOCK_Z)];
        let config = LaunchConfig {
            grid,
            block,
            registers: row.int(REGISTERS, diagnostics),
            static_shared_bytes: row.int(STATIC_SHARED, diagnostics),
            dynamic_shared_bytes: row.int(DYNAMIC_SHARED, diagnostics),
            multiprocessors: row_multiprocessors(row, self.multiprocessors, diagnostics),
        };
        let graph = graph_origin(row, GRAPH_NODE_ID, diagnostics);
        let [known, mangled] = [DEMANGLED_NAME, MANGLED_NAME].map(|column| names.known_cell(row, column));
        if let (Some(long), Some(mangled)) = (known, mangled)
            && long != mangled
            && self.mangled.len() < MOST_KERNEL_NAMES
        {
            self.mangled.position((long, mangled));
        }
        if graph == GraphOrigin::Node {
            let process = work::stream_key(row, &mut Diagnostics::default()).global_pid;
            let kernel = WorkId::new(kernels.columns.graph.len());
            kernels.graph_nodes.push(kernel, process, node_id(row, GRAPH_NODE_ID), self.nodes);
        }
        self.add(short, long.unwrap_or(short), config, graph);
    }

    fn push_graph(&mut self, row: &Row<'_>) {
        if !self.kernels.work.push(row) {
            return;
        }
        let graph = row.int(GRAPH_ID, &mut self.kernels.work.diagnostics).unwrap_or(0);
        let name = self.names.intern(&format!("CUDA graph {graph}"));
        self.add(name, name, LaunchConfig::default(), GraphOrigin::WholeGraph);
        self.kernels.whole_graphs += 1;
    }

    fn add(&mut self, mut short_name: StrId, mut long_name: StrId, config: LaunchConfig, graph: GraphOrigin) {
        let [met_short, met_long] = &mut self.met;
        if !(met_short.has_room_for(short_name) && met_long.has_room_for(long_name)) {
            let example = || self.names.text(long_name).to_owned();
            self.kernels.work.diagnostics.count(DiagnosticCode::TooManyNames, example);
            let other = self.names.intern(OTHER_NAMES);
            (short_name, long_name) = (other, other);
        }
        let columns = &mut self.kernels.columns;
        columns.short_name.push(short_name);
        columns.long_name.push(long_name);
        columns.config.push(LaunchConfigId::new(self.configs.position(config) as usize));
        columns.graph.push(graph);
    }
}
