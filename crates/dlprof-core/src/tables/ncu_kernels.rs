//! Table `ncu_kernels`: kernels by demangled name, as Nsight Compute measured them.

use super::layout::Layout;
use super::measured_table::{
    Column, MeasuredDeclaration, MeasuredTable, Origin, WithMeasured, amount, details, limits, shares,
};
use super::table::Unit;
use crate::figures::measured::{MeasuredFigures, MeasuredKernel, kernels_of_logs, measured_kernels};
use crate::figures::profile::Profile;
use crate::read::ncu::NcuLog;
use std::sync::{Arc, LazyLock};

impl WithMeasured for MeasuredKernel {
    fn measured(&self) -> Option<&MeasuredFigures> {
        Some(&self.figures)
    }
}

/// Columns of table `ncu_kernels`.
static COLUMNS: LazyLock<Vec<Column<MeasuredKernel>>> = LazyLock::new(|| {
    let mut columns: Vec<Column<MeasuredKernel>> = vec![
        Column::text("long_kernel_name", "Long Kernel Name", "Demangled name.", |_, row: &MeasuredKernel| {
            (&*row.long_name).into()
        }),
        Column::int("calls", "Calls", Unit::None, "Launches in the aggregated iterations.", |_, row| {
            row.calls.into()
        }),
        Column::int(
            "gpu_time_ns",
            "GPU Time",
            Unit::Nanoseconds,
            "Their time on the GPU in the capture; without a capture under `ncu`, empty if no launch says it.",
            |_, row| row.gpu_time_ns.into(),
        ),
        Column::int("measured_calls", "Measured", Unit::None, "Launches in the logs.", |_, row| {
            row.measured_calls.into()
        }),
        Column::text(
            "level",
            "Level",
            "How surely launches of the logs are these, of the least sure: `launch`, `summary`, `signature`, `base`, `name`, `none`.",
            |_, row| row.figures.level.map(|level| level.as_str()).into(),
        ),
        Column::float(
            "counted_percent",
            "Counted",
            Unit::Percent,
            "Share of the time whose launches have counts.",
            |_, row| row.gpu_time_ns.map(|_| row.figures.counted_percent).into(),
        ),
        Column::int("flop", "Operations", Unit::Flop, "Operations of the launches with counts.", |_, row| {
            amount(row.figures.flop)
        }),
        Column::text(
            "flop_source",
            "Counted By",
            "What operations come from: `counters`, `rates`, `opcodes`, `ops`, `assumed` or `mixed`.",
            |_, row| row.figures.flop_source.map(|source| source.as_str()).into(),
        ),
        Column::int(
            "dram_bytes",
            "DRAM",
            Unit::Bytes,
            "Bytes that moved between DRAM and caches, of the launches with counts.",
            |_, row| amount(row.figures.dram_bytes),
        ),
    ];
    columns.extend(limits());
    columns.extend(shares());
    columns.push(Column::float(
        "occupancy_percent",
        "Occupancy",
        Unit::Percent,
        "The same from the capture: what grids, blocks, registers and shared memory allow.",
        |_, row| row.occupancy_percent.into(),
    ));
    columns.push(Column::answer(
        "tensor_cores",
        "Tensor Cores",
        "Whether it runs on Tensor Cores: measured, else as its name says.",
        |_, row| row.tensor_cores.map(|answer| answer.as_str()).into(),
    ));
    columns.extend(details());
    columns
});

/// Table `ncu_kernels`.
pub(crate) static TABLE: MeasuredDeclaration<MeasuredKernel> = MeasuredDeclaration {
    key: "ncu_kernels",
    title: "Measured Kernels",
    doc: "A row per demangled name of kernels, with what Nsight Compute measured of them (`--ncu`).",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["long_kernel_name", "gpu_time_ns", "bound", "roof_percent", "level"],
        second: &[
            "tflop_per_s",
            "gb_per_s",
            "dram_percent",
            "sm_percent",
            "tensor_cores",
            "tensor_active_percent",
            "achieved_occupancy_percent",
            "top_stall",
            "calls",
        ],
        order: &["-gpu_time_ns", "long_kernel_name"],
        ..Layout::PLAIN
    },
};

/// Table `ncu_kernels` of a profile.
pub(crate) fn build(profile: &Profile) -> MeasuredTable<MeasuredKernel> {
    TABLE.with(&Origin(profile.window().start), measured_kernels(profile))
}

/// Table `ncu_kernels` of logs without a capture.
pub(crate) fn of_logs(logs: &[Arc<NcuLog>]) -> MeasuredTable<MeasuredKernel> {
    TABLE.with(&Origin(0), kernels_of_logs(logs)).titled("Measured Kernels, at Base Clock")
}
