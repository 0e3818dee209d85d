//! Table `ncu_launches`: every launch or row of a summary in the logs, with all figures of it.

use super::layout::Layout;
use super::measured_table::{Column, MeasuredDeclaration, MeasuredTable, Origin, amount};
use super::ncu_match::{known, size};
use super::table::{Read, Unit, Value};
use crate::base::time::Ns;
use crate::capture::counters::NcuLevel;
use crate::figures::profile::Profile;
use crate::read::ncu::{NcuFigures, NcuLaunch, NcuLog};
use std::sync::{Arc, LazyLock};

/// A launch of a log.
pub(crate) struct Row {
    log: Arc<NcuLog>,
    place: usize,
    level: Option<NcuLevel>,
    /// Start of the first kernel that it went to.
    gpu_start_ns: Option<Ns>,
}

impl Row {
    fn launch(&self) -> &NcuLaunch {
        &self.log.launches[self.place]
    }

    fn figures(&self) -> &NcuFigures {
        &self.launch().figures
    }
}

fn percent(
    key: &'static str,
    title: &'static str,
    doc: &'static str,
    value: Read<Row, Origin>,
) -> Column<Row> {
    Column::float(key, title, Unit::Percent, doc, value)
}

/// Columns of table `ncu_launches`.
static COLUMNS: LazyLock<Vec<Column<Row>>> = LazyLock::new(|| {
    let mut columns = identity();
    columns.extend(counts());
    columns.extend(work());
    columns.extend(shares());
    columns.extend(accesses());
    columns.extend(roofs());
    columns
});

fn identity() -> Vec<Column<Row>> {
    vec![
        Column::text("file", "Log", "The log.", |_, row: &Row| (&*row.log.file).into()),
        Column::int("block_number", "Table", Unit::None, "Which table of the log, from 0.", |_, row| {
            row.launch().block_number.into()
        }),
        Column::int("id", "ID", Unit::None, "Its number in the table; empty in summaries.", |_, row| {
            row.launch().id.into()
        }),
        Column::text("kernel_name", "Kernel Name", "The name as the log spells it.", |_, row| {
            (&*row.launch().kernel_name).into()
        }),
        Column::text("grid", "Grid", "Blocks along x, y and z, or their number.", |_, row| {
            let text = size(row.launch().grid, row.launch().blocks);
            Some(text).filter(|text| !text.is_empty()).map_or(Value::Null, Value::from)
        }),
        Column::text("block", "Block", "Threads of a block along x, y and z, or their number.", |_, row| {
            let text = size(row.launch().block, row.launch().threads);
            Some(text).filter(|text| !text.is_empty()).map_or(Value::Null, Value::from)
        }),
        Column::text("ranges", "Ranges", "Ranges of NVTX around it, outermost first.", |_, row| {
            let ranges: Vec<&str> = row.launch().ranges.iter().map(|range| &*range.text).collect();
            Some(ranges.join(" / ")).filter(|text| !text.is_empty()).map_or(Value::Null, Value::from)
        }),
        Column::int("process_id", "Process ID", Unit::None, "The process.", |_, row| {
            row.launch().process_id.into()
        }),
        Column::int("device_id", "Device ID", Unit::None, "The device.", |_, row| row.launch().device.into()),
        Column::text("compute_capability", "CC", "Compute capability of the GPU.", |_, row| {
            row.launch().compute_capability.as_deref().map_or(Value::Null, known)
        }),
        Column::int("invocations", "Invocations", Unit::None, "Launches that it stands for.", |_, row| {
            row.launch().invocations.into()
        }),
        Column::flag(
            "failed",
            "Failed",
            "Whether it failed under the profiler, so that it is not used.",
            |_, row| row.launch().is_failed.into(),
        ),
        Column::text(
            "level",
            "Level",
            "How surely it is a kernel of the capture; empty without a capture.",
            |_, row| row.level.map(|level| level.as_str()).into(),
        ),
        Column::int(
            "gpu_start_ns",
            "GPU Start",
            Unit::Nanoseconds,
            "Start of the first kernel of the capture that it went to.",
            |_, row| row.gpu_start_ns.into(),
        ),
    ]
}

fn counts() -> Vec<Column<Row>> {
    vec![
        Column::float(
            "duration_ns",
            "Duration",
            Unit::Nanoseconds,
            "Time under `ncu`, at its clocks; of a summary the mean.",
            |_, row: &Row| row.figures().duration_ns.into(),
        ),
        Column::float("sm_hz", "SM Clock", Unit::Hertz, "Clock of the SMs under `ncu`.", |_, row| {
            row.figures().sm_hz.into()
        }),
        Column::int("sm_cycles", "SM Cycles", Unit::None, "Cycles of the SMs.", |_, row| {
            amount(row.figures().sm_cycles)
        }),
        Column::int("dram_read_bytes", "DRAM Read", Unit::Bytes, "Bytes read from DRAM.", |_, row| {
            amount(row.figures().dram_read_bytes)
        }),
        Column::int("dram_write_bytes", "DRAM Written", Unit::Bytes, "Bytes written to DRAM.", |_, row| {
            amount(row.figures().dram_write_bytes)
        }),
        Column::int(
            "dram_bytes",
            "DRAM",
            Unit::Bytes,
            "Bytes that moved between DRAM and caches.",
            |_, row| amount(row.figures().dram_bytes),
        ),
        Column::int("l2_bytes", "L2", Unit::Bytes, "Bytes that moved between L2 and L1.", |_, row| {
            amount(row.figures().l2_bytes)
        }),
        Column::int("l1_bytes", "L1", Unit::Bytes, "Bytes that moved between L1 and registers.", |_, row| {
            amount(row.figures().l1_bytes)
        }),
    ]
}

fn work() -> Vec<Column<Row>> {
    vec![
        Column::int(
            "fp32_flop",
            "FP32",
            Unit::Flop,
            "Operations of FP32 on vector units.",
            |_, row: &Row| amount(row.figures().fp32_flop),
        ),
        Column::int("fp64_flop", "FP64", Unit::Flop, "Operations of FP64 on vector units.", |_, row| {
            amount(row.figures().fp64_flop)
        }),
        Column::int("fp16_flop", "FP16", Unit::Flop, "Operations of FP16 on vector units.", |_, row| {
            amount(row.figures().fp16_flop)
        }),
        Column::int("tensor_flop", "Tensor", Unit::Flop, "Operations on Tensor Cores.", |_, row| {
            amount(row.figures().tensor_flop_sum())
        }),
        Column::text("tensor_precisions", "Precisions", "Precisions of these.", |_, row| {
            let parts = row.figures().tensor_flop.iter().flatten().filter(|(_, flop)| *flop > 0.0);
            let names: Vec<&str> = parts.map(|(precision, _)| precision.as_str()).collect();
            Some(names.join(" ")).filter(|text| !text.is_empty()).map_or(Value::Null, Value::from)
        }),
        Column::int(
            "flop",
            "Operations",
            Unit::Flop,
            "All operations; empty if those of FP32, or of Tensor Cores in use, are unknown.",
            |_, row| amount(row.figures().flop),
        ),
        Column::text(
            "flop_source",
            "Counted By",
            "What they come from: `counters`, `rates`, `opcodes`, `ops`, `assumed` or `mixed`.",
            |_, row| row.figures().flop_source().map(|source| source.as_str()).into(),
        ),
        Column::text("flop_lacks", "Lacks", "Precisions that are missing in them.", |_, row| {
            let lacks = row.figures().flop_lacks.join(" ");
            Some(lacks).filter(|text| !text.is_empty()).map_or(Value::Null, Value::from)
        }),
        Column::float(
            "intensity",
            "Intensity",
            Unit::FlopPerByte,
            "Operations per byte of DRAM.",
            |_, row| row.figures().intensity().into(),
        ),
        Column::float(
            "l2_intensity",
            "L2 Intensity",
            Unit::FlopPerByte,
            "Operations per byte of L2.",
            |_, row| row.figures().l2_intensity().into(),
        ),
        Column::float(
            "l1_intensity",
            "L1 Intensity",
            Unit::FlopPerByte,
            "Operations per byte of L1.",
            |_, row| row.figures().l1_intensity().into(),
        ),
        Column::float(
            "tflop_per_s",
            "Achieved",
            Unit::TeraflopPerSecond,
            "Operations over time under `ncu`, at its clocks.",
            |_, row| row.figures().flop_per_s().map(|rate| rate * 1e-12).into(),
        ),
        Column::float(
            "gb_per_s",
            "DRAM Rate",
            Unit::GigabytesPerSecond,
            "Bytes of DRAM over time under `ncu`, at its clocks.",
            |_, row| row.figures().dram_bytes_per_s().map(|rate| rate * 1e-9).into(),
        ),
    ]
}

fn shares() -> Vec<Column<Row>> {
    vec![
        percent("sm_percent", "SM", "Use of the SMs, of their peak.", |_, row| {
            row.figures().sm_percent.into()
        }),
        percent(
            "memory_percent",
            "Memory",
            "Use of caches and memory, of the peak of the busiest.",
            |_, row| row.figures().memory_percent.into(),
        ),
        percent("dram_percent", "DRAM Use", "Use of DRAM, of its peak.", |_, row| {
            row.figures().dram_percent.into()
        }),
        percent("l2_percent", "L2 Use", "Use of L2, of its peak.", |_, row| row.figures().l2_percent.into()),
        percent("l1_percent", "L1 Use", "Use of L1, of its peak.", |_, row| row.figures().l1_percent.into()),
        Column::text(
            "bound",
            "Bound",
            "`memory`, `compute`, `balanced`, `latency` or `small_grid`.",
            |_, row| row.figures().bound.map(|bound| bound.as_str()).into(),
        ),
        percent("achieved_occupancy_percent", "Achieved Occupancy", "Warps that were active.", |_, row| {
            row.figures().achieved_occupancy_percent.into()
        }),
        percent(
            "theoretical_occupancy_percent",
            "Theoretical Occupancy",
            "Warps that an SM may hold.",
            |_, row| row.figures().theoretical_occupancy_percent.into(),
        ),
        Column::float("waves", "Waves", Unit::None, "Waves of blocks on an SM.", |_, row| {
            row.figures().waves.into()
        }),
        Column::answer(
            "tensor_cores",
            "Tensor Cores",
            "Whether it ran on Tensor Cores; `unknown` where counters leave it open.",
            |_, row| match row.figures().tensor_cores {
                Some(true) => "true".into(),
                Some(false) => "false".into(),
                None => "unknown".into(),
            },
        ),
        percent(
            "tensor_active_percent",
            "Tensor Pipe",
            "Use of the pipe while its SM was active.",
            |_, row| row.figures().tensor_active_percent.into(),
        ),
    ]
}

fn accesses() -> Vec<Column<Row>> {
    vec![
        Column::float(
            "sectors_per_request_ld",
            "Sectors per Load",
            Unit::None,
            "Sectors for each load of a warp.",
            |_, row: &Row| row.figures().sectors_per_request_ld.into(),
        ),
        Column::float(
            "sectors_per_request_st",
            "Sectors per Store",
            Unit::None,
            "Sectors for each store of a warp.",
            |_, row| row.figures().sectors_per_request_st.into(),
        ),
        percent(
            "sector_use_percent_ld",
            "Load Use",
            "Bytes of the loaded sectors that threads asked for.",
            |_, row| row.figures().sector_use_percent_ld.into(),
        ),
        percent(
            "sector_use_percent_st",
            "Store Use",
            "Bytes of the stored sectors that threads wrote.",
            |_, row| row.figures().sector_use_percent_st.into(),
        ),
        percent(
            "issue_active_percent",
            "Issue Active",
            "Cycles in which a scheduler issued an instruction.",
            |_, row| row.figures().issue_active_percent.into(),
        ),
        Column::text("top_stall", "Top Stall", "What warps waited for longest.", |_, row| {
            row.figures().top_stall.as_deref().into()
        }),
        percent(
            "top_stall_percent",
            "Stalled",
            "Share of that between two instructions of a warp.",
            |_, row| row.figures().top_stall_percent.into(),
        ),
    ]
}

fn roofs() -> Vec<Column<Row>> {
    vec![
        Column::float(
            "roof_gb_per_s",
            "DRAM Roof",
            Unit::GigabytesPerSecond,
            "The most that DRAM can do at the clocks of `ncu`.",
            |_, row: &Row| row.figures().dram_roof_bytes_per_s.map(|roof| roof * 1e-9).into(),
        ),
        Column::float(
            "roof_fp32_tflop_per_s",
            "FP32 Roof",
            Unit::TeraflopPerSecond,
            "The most operations of FP32 at the clocks of `ncu`.",
            |_, row| row.figures().fp32_roof_flop_per_s.map(|roof| roof * 1e-12).into(),
        ),
    ]
}

/// Table `ncu_launches`.
pub(crate) static TABLE: MeasuredDeclaration<Row> = MeasuredDeclaration {
    key: "ncu_launches",
    title: "Measured Launches",
    doc: "A row per launch, or row of a summary, in the logs of Nsight Compute (`--ncu`), with all figures of it.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["kernel_name", "duration_ns", "bound", "id"],
        second: &[
            "level",
            "invocations",
            "flop",
            "dram_bytes",
            "intensity",
            "sm_percent",
            "memory_percent",
            "tensor_cores",
            "top_stall",
            "file",
        ],
        order: &["file", "block_number", "id"],
        starts: &["gpu_start_ns"],
        ..Layout::PLAIN
    },
};

/// Table `ncu_launches` of a profile.
pub(crate) fn build(profile: &Profile) -> MeasuredTable<Row> {
    let capture = &profile.capture;
    let logs = capture.counters.iter().flat_map(|counters| &counters.logs);
    let rows = logs.flat_map(|joined| {
        joined.places.iter().enumerate().map(|(place, (level, first))| Row {
            log: Arc::clone(&joined.log),
            place,
            level: Some(*level),
            gpu_start_ns: first.map(|kernel| capture.work.span[kernel].start),
        })
    });
    TABLE.with(&Origin(profile.window().start), rows.collect())
}

/// Table `ncu_launches` of logs without a capture.
pub(crate) fn of_logs(logs: &[Arc<NcuLog>]) -> MeasuredTable<Row> {
    let rows = logs.iter().flat_map(|log| {
        (0..log.launches.len()).map(|place| Row {
            log: Arc::clone(log),
            place,
            level: None,
            gpu_start_ns: None,
        })
    });
    TABLE.with(&Origin(0), rows.collect())
}
