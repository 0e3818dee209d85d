//! Tables of GPU work (kernels, copies, memsets) and of synchronisations.

use super::database::{Database, Row};
use super::keys::KeyColumn;
use super::names::{NameReader, Names};
use super::{Progress, correlation_id};
use crate::diagnostics::Diagnostics;
use crate::error::Error;
use crate::ids::{LaunchConfigId, StrId};
use crate::strings::StringPool;
use crate::time::Span;
use crate::trace::{CorrelationId, GraphOrigin, LaunchConfig};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

pub(super) const KERNELS: &str = "CUPTI_ACTIVITY_KIND_KERNEL";
pub(super) const COPIES: &str = "CUPTI_ACTIVITY_KIND_MEMCPY";
pub(super) const MEMSETS: &str = "CUPTI_ACTIVITY_KIND_MEMSET";
pub(super) const GRAPHS: &str = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
pub(super) const SYNCS: &str = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";

/// The columns that every table of GPU work has; ids are still the export's.
pub(super) struct RawWork {
    pub(super) span: Vec<Span>,
    /// (global process id, CUDA device ordinal in that process).
    pub(super) device: KeyColumn<(Option<i64>, i64)>,
    pub(super) global_pid: KeyColumn<i64>,
    pub(super) correlation: Vec<CorrelationId>,
    pub(super) diagnostics: Diagnostics,
}

/// The columns asked for by [`RawWork::push`], which must be the first of a table.
const WORK_COLUMNS: [&str; 5] = ["start", "end", "deviceId", "globalPid", "correlationId"];

impl RawWork {
    fn with_capacity(rows: usize) -> Self {
        Self {
            span: Vec::with_capacity(rows),
            device: KeyColumn::with_capacity(rows),
            global_pid: KeyColumn::with_capacity(rows),
            correlation: Vec::with_capacity(rows),
            diagnostics: Diagnostics::default(),
        }
    }

    /// Adds a row, unless it has no start time.
    fn push(&mut self, row: &Row<'_>) -> bool {
        let Some(span) = row.span(0, 1, &mut self.diagnostics) else { return false };
        self.span.push(span);
        let global_pid = row.int(3, &mut self.diagnostics);
        let ordinal = row.int(2, &mut self.diagnostics).unwrap_or(0);
        self.device.push(Some((global_pid, ordinal)));
        self.global_pid.push(global_pid);
        self.correlation.push(correlation_id(row, 4, &mut self.diagnostics));
        true
    }
}

/// Table `CUPTI_ACTIVITY_KIND_KERNEL`, then `CUPTI_ACTIVITY_KIND_GRAPH_TRACE`: whole graph launches, whose kernels
/// were not recorded.
pub(super) struct RawKernels {
    pub(super) work: RawWork,
    pub(super) short_name: Vec<StrId>,
    pub(super) long_name: Vec<StrId>,
    pub(super) graph: Vec<GraphOrigin>,
    pub(super) whole_graphs: usize,
    pub(super) launch: Vec<LaunchConfigId>,
    pub(super) launch_configs: Vec<LaunchConfig>,
    pub(super) extra: StringPool,
}

pub(super) fn read_kernels(
    database: &Database,
    names: &Names,
    progress: &Progress<'_>,
) -> Result<RawKernels, Error> {
    let rows = usize::try_from(database.row_estimate(KERNELS)?).unwrap_or(0);
    let mut kernels = RawKernels {
        work: RawWork::with_capacity(rows),
        short_name: Vec::with_capacity(rows),
        long_name: Vec::with_capacity(rows),
        graph: Vec::with_capacity(rows),
        whole_graphs: 0,
        launch: Vec::with_capacity(rows),
        launch_configs: Vec::new(),
        extra: StringPool::default(),
    };
    let mut reader = NameReader::new(names);
    let mut configs: IndexSet<LaunchConfig, FxBuildHasher> = IndexSet::default();
    let columns: Vec<&str> = WORK_COLUMNS.into_iter().chain(KERNEL_COLUMNS).collect();
    database.read(KERNELS, &columns, |row| {
        if kernels.work.push(row) {
            kernels.push_kernel(row, &mut reader, &mut configs);
            progress.row();
        }
    })?;
    let columns: Vec<&str> = WORK_COLUMNS.into_iter().chain(["graphId"]).collect();
    database.read(GRAPHS, &columns, |row| {
        if kernels.work.push(row) {
            kernels.push_graph(row, &mut reader, &mut configs);
            progress.row();
        }
    })?;
    kernels.launch_configs = configs.into_iter().collect();
    kernels.extra = reader.into_extra();
    Ok(kernels)
}

/// Columns of the kernel table behind [`WORK_COLUMNS`].
const KERNEL_COLUMNS: [&str; 9] =
    ["shortName", "demangledName", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ", "graphNodeId"];

impl RawKernels {
    fn push_kernel(
        &mut self,
        row: &Row<'_>,
        reader: &mut NameReader<'_>,
        configs: &mut IndexSet<LaunchConfig, FxBuildHasher>,
    ) {
        let diagnostics = &mut self.work.diagnostics;
        let long = reader.cell(row, 6, diagnostics);
        let short = reader.cell(row, 5, diagnostics).or(long).unwrap_or_else(|| reader.intern("unknown"));
        self.short_name.push(short);
        self.long_name.push(long.unwrap_or(short));
        let mut dim = |column| row.int(column, diagnostics).unwrap_or(0);
        let config = LaunchConfig { grid: [dim(7), dim(8), dim(9)], block: [dim(10), dim(11), dim(12)] };
        self.launch.push(LaunchConfigId::new(configs.insert_full(config).0));
        let is_node = row.int(13, diagnostics).is_some_and(|node| node != 0);
        self.graph.push(if is_node { GraphOrigin::Node } else { GraphOrigin::None });
    }

    fn push_graph(
        &mut self,
        row: &Row<'_>,
        reader: &mut NameReader<'_>,
        configs: &mut IndexSet<LaunchConfig, FxBuildHasher>,
    ) {
        let graph = row.int(5, &mut self.work.diagnostics).unwrap_or(0);
        let name = reader.intern(&format!("CUDA graph {graph}"));
        self.short_name.push(name);
        self.long_name.push(name);
        self.launch.push(LaunchConfigId::new(configs.insert_full(LaunchConfig::default()).0));
        self.graph.push(GraphOrigin::WholeGraph);
        self.whole_graphs += 1;
    }
}

/// Table `CUPTI_ACTIVITY_KIND_MEMCPY`: its work and the kind of each copy.
pub(super) fn read_copies(database: &Database, progress: &Progress<'_>) -> Result<(RawWork, Vec<u8>), Error> {
    let mut kinds = Vec::new();
    let work = read_memory_work(database, COPIES, "copyKind", progress, |row, diagnostics| {
        let kind = row.int(5, diagnostics).and_then(|kind| u8::try_from(kind).ok());
        kinds.push(kind.unwrap_or(0));
    })?;
    Ok((work, kinds))
}

/// Table `CUPTI_ACTIVITY_KIND_MEMSET`.
pub(super) fn read_memsets(database: &Database, progress: &Progress<'_>) -> Result<RawWork, Error> {
    read_memory_work(database, MEMSETS, "bytes", progress, |_, _| {})
}

fn read_memory_work(
    database: &Database,
    table: &str,
    own: &str,
    progress: &Progress<'_>,
    mut on_row: impl FnMut(&Row<'_>, &mut Diagnostics),
) -> Result<RawWork, Error> {
    let mut work = RawWork::with_capacity(usize::try_from(database.row_estimate(table)?).unwrap_or(0));
    let columns: Vec<&str> = WORK_COLUMNS.into_iter().chain([own]).collect();
    database.read(table, &columns, |row| {
        if work.push(row) {
            on_row(row, &mut work.diagnostics);
            progress.row();
        }
    })?;
    Ok(work)
}

/// Table `CUPTI_ACTIVITY_KIND_SYNCHRONIZATION`: only which API calls waited matters.
pub(super) struct RawSyncs {
    pub(super) global_pid: KeyColumn<i64>,
    pub(super) correlation: Vec<CorrelationId>,
    pub(super) diagnostics: Diagnostics,
}

pub(super) fn read_syncs(database: &Database, progress: &Progress<'_>) -> Result<RawSyncs, Error> {
    let rows = usize::try_from(database.row_estimate(SYNCS)?).unwrap_or(0);
    let mut syncs = RawSyncs {
        global_pid: KeyColumn::with_capacity(rows),
        correlation: Vec::with_capacity(rows),
        diagnostics: Diagnostics::default(),
    };
    database.read(SYNCS, &["globalPid", "correlationId"], |row| {
        syncs.global_pid.push(row.int(0, &mut syncs.diagnostics));
        syncs.correlation.push(correlation_id(row, 1, &mut syncs.diagnostics));
        progress.row();
    })?;
    Ok(syncs)
}
