//! Tables of GPU work (kernels, copies, memsets) and of synchronisations.

use super::database::Database;
use super::keys::{Distinct, KeyColumn};
use super::names::{NameReader, Names};
use super::row::{Cell, Row};
use super::{Progress, correlation_id};
use crate::diagnostics::Diagnostics;
use crate::error::Error;
use crate::ids::{LaunchConfigId, StrId};
use crate::strings::StringPool;
use crate::time::Span;
use crate::trace::{CorrelationId, GraphOrigin, LaunchConfig};

pub(super) const KERNELS: &str = "CUPTI_ACTIVITY_KIND_KERNEL";
pub(super) const COPIES: &str = "CUPTI_ACTIVITY_KIND_MEMCPY";
pub(super) const MEMSETS: &str = "CUPTI_ACTIVITY_KIND_MEMSET";
pub(super) const GRAPHS: &str = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
pub(super) const SYNCS: &str = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";

/// The columns that every table of GPU work has; ids are still the export's.
pub(super) struct RawWork {
    pub(super) span: Vec<Span>,
    /// Global process id, and CUDA device ordinal in that process.
    pub(super) process_and_device: KeyColumn<(Option<i64>, i64)>,
    pub(super) correlation: Vec<CorrelationId>,
    pub(super) diagnostics: Diagnostics,
}

/// The columns asked for by [`RawWork::push`], which must be the first of a table.
const WORK_COLUMNS: [&str; 5] = ["start", "end", "deviceId", "globalPid", "correlationId"];

impl RawWork {
    fn with_capacity(rows: usize) -> Self {
        Self {
            span: Vec::with_capacity(rows),
            process_and_device: KeyColumn::with_capacity(rows),
            correlation: Vec::with_capacity(rows),
            diagnostics: Diagnostics::default(),
        }
    }

    /// Adds a row, unless it has no start time.
    fn push(&mut self, row: &Row<'_>) -> bool {
        let Some(span) = row.span(0, 1, &mut self.diagnostics) else { return false };
        self.span.push(span);
        let global_pid = row.int(3, &mut self.diagnostics);
        let ordinal = row.int(2, &mut self.diagnostics).unwrap_or_else(|| {
            if row.value(2) == Cell::Null {
                row.count_bad_value(2, &mut self.diagnostics);
            }
            0
        });
        self.process_and_device.push(Some((global_pid, ordinal)));
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
    let columns: Vec<&str> = WORK_COLUMNS.into_iter().chain(KERNEL_COLUMNS).collect();
    let init = || KernelReading::new(rows, names);
    let mut reading = database.fold(KERNELS, &columns, Some(progress), init, KernelReading::push)?;
    let columns: Vec<&str> = WORK_COLUMNS.into_iter().chain(["graphId"]).collect();
    database.read(GRAPHS, &columns, |row| reading.push_graph(row))?;
    let KernelReading { mut kernels, names, configs } = reading;
    kernels.launch_configs = configs.into_list();
    kernels.extra = names.into_extra();
    Ok(kernels)
}

/// Columns of the kernel table behind [`WORK_COLUMNS`].
const KERNEL_COLUMNS: [&str; 9] =
    ["shortName", "demangledName", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ", "graphNodeId"];

struct KernelReading<'a> {
    kernels: RawKernels,
    names: NameReader<'a>,
    configs: Distinct<LaunchConfig>,
}

impl<'a> KernelReading<'a> {
    fn new(rows: usize, names: &'a Names) -> Self {
        let kernels = RawKernels {
            work: RawWork::with_capacity(rows),
            short_name: Vec::with_capacity(rows),
            long_name: Vec::with_capacity(rows),
            graph: Vec::with_capacity(rows),
            whole_graphs: 0,
            launch: Vec::with_capacity(rows),
            launch_configs: Vec::new(),
            extra: StringPool::default(),
        };
        Self { kernels, names: NameReader::new(names), configs: Distinct::new() }
    }

    fn push(&mut self, row: &Row<'_>) {
        let Self { kernels, names, .. } = self;
        if !kernels.work.push(row) {
            return;
        }
        let diagnostics = &mut kernels.work.diagnostics;
        let long = names.cell(row, 6, diagnostics);
        let short = names.cell(row, 5, diagnostics).or(long).unwrap_or_else(|| names.intern("unknown"));
        let mut dim = |column| row.int(column, diagnostics).unwrap_or(0);
        let config = LaunchConfig { grid: [dim(7), dim(8), dim(9)], block: [dim(10), dim(11), dim(12)] };
        let is_node = row.int(13, diagnostics).is_some_and(|node| node != 0);
        let graph = if is_node { GraphOrigin::Node } else { GraphOrigin::None };
        self.add(short, long.unwrap_or(short), config, graph);
    }

    fn push_graph(&mut self, row: &Row<'_>) {
        if !self.kernels.work.push(row) {
            return;
        }
        let graph = row.int(5, &mut self.kernels.work.diagnostics).unwrap_or(0);
        let name = self.names.intern(&format!("CUDA graph {graph}"));
        self.add(name, name, LaunchConfig::default(), GraphOrigin::WholeGraph);
        self.kernels.whole_graphs += 1;
    }

    fn add(&mut self, short_name: StrId, long_name: StrId, config: LaunchConfig, graph: GraphOrigin) {
        let kernels = &mut self.kernels;
        kernels.short_name.push(short_name);
        kernels.long_name.push(long_name);
        kernels.launch.push(LaunchConfigId::new(self.configs.position(config) as usize));
        kernels.graph.push(graph);
    }
}

/// Table `CUPTI_ACTIVITY_KIND_MEMCPY`: its work and the kind of each copy.
pub(super) fn read_copies(database: &Database, progress: &Progress<'_>) -> Result<(RawWork, Vec<u8>), Error> {
    let rows = usize::try_from(database.row_estimate(COPIES)?).unwrap_or(0);
    let columns: Vec<&str> = WORK_COLUMNS.into_iter().chain(["copyKind"]).collect();
    let init = || (RawWork::with_capacity(rows), Vec::with_capacity(rows));
    database.fold(COPIES, &columns, Some(progress), init, |(work, kinds), row| {
        if work.push(row) {
            let kind = row.int(5, &mut work.diagnostics).and_then(|kind| u8::try_from(kind).ok());
            kinds.push(kind.unwrap_or(0));
        }
    })
}

/// Table `CUPTI_ACTIVITY_KIND_MEMSET`.
pub(super) fn read_memsets(database: &Database, progress: &Progress<'_>) -> Result<RawWork, Error> {
    let rows = usize::try_from(database.row_estimate(MEMSETS)?).unwrap_or(0);
    let init = || RawWork::with_capacity(rows);
    database.fold(MEMSETS, &WORK_COLUMNS, Some(progress), init, |work, row| {
        work.push(row);
    })
}

/// Table `CUPTI_ACTIVITY_KIND_SYNCHRONIZATION`: only which API calls waited matters.
pub(super) struct RawSyncs {
    pub(super) global_pid: KeyColumn<i64>,
    pub(super) correlation: Vec<CorrelationId>,
    pub(super) diagnostics: Diagnostics,
}

pub(super) fn read_syncs(database: &Database, progress: &Progress<'_>) -> Result<RawSyncs, Error> {
    let rows = usize::try_from(database.row_estimate(SYNCS)?).unwrap_or(0);
    let init = || RawSyncs {
        global_pid: KeyColumn::with_capacity(rows),
        correlation: Vec::with_capacity(rows),
        diagnostics: Diagnostics::default(),
    };
    database.fold(SYNCS, &["globalPid", "correlationId"], Some(progress), init, |syncs, row| {
        syncs.global_pid.push(row.int(0, &mut syncs.diagnostics));
        syncs.correlation.push(correlation_id(row, 1, &mut syncs.diagnostics));
    })
}
