//! Table `iterations`: one row per iteration, aggregated or not.

use super::table::{Column, RowTable, Unit};
use crate::aggregate::Profile;
use crate::aggregate::{IterationStats, percent};
use std::borrow::Cow;

/// Columns of table `iterations`.
pub static COLUMNS: &[Column<IterationStats>] = &[
    Column::int(
        "iteration",
        "Iteration",
        Unit::None,
        "Number, from 0; iteration 0 is what comes before the first execution of the key node.",
        |_, row| row.iteration.into(),
    ),
    Column::text(
        "state",
        "State",
        "`before` the first execution, `warm-up`, `steady`, `outlier`, `empty` (no GPU work) or `cut` by the capture.",
        |p, row| p.iterations.states[row.iteration as usize].as_str().into(),
    ),
    Column::flag("aggregated", "Profiled", "Whether it is in the aggregated range.", |_, row| {
        row.is_aggregated.into()
    }),
    Column::int(
        "start_ns",
        "Timestamp",
        Unit::Nanoseconds,
        "Start, from the start of the capture.",
        |_, row| row.span.start.into(),
    ),
    Column::int("duration_ns", "Duration", Unit::Nanoseconds, "Length.", |_, row| row.span.length().into()),
    Column::int(
        "kernels",
        "Total Kernels",
        Unit::None,
        "Kernels launched by the op calls that start in it.",
        |_, row| row.kernels.launches.into(),
    ),
    Column::int("tc_kernels", "TC Kernels", Unit::None, "Those that use Tensor Cores.", |_, row| {
        row.kernels.tc_launches.into()
    }),
    Column::int(
        "kernel_gpu_time_ns",
        "GPU Time",
        Unit::Nanoseconds,
        "Plain sum of kernel durations, over all GPUs.",
        |_, row| row.kernels.gpu_ns.into(),
    ),
    Column::int(
        "tc_kernel_gpu_time_ns",
        "TC GPU Time",
        Unit::Nanoseconds,
        "Plain sum of durations of kernels that use Tensor Cores.",
        |_, row| row.kernels.tc_gpu_ns.into(),
    ),
    Column::float(
        "gpu_utilization_percent",
        "GPU Utilization",
        Unit::Percent,
        "Share of the time with a kernel or a memory operation running, averaged over GPUs.",
        |_, row| percent(row.resources.gpu_ns(), row.resources.total()).into(),
    ),
    Column::int(
        "tc_kernel_ns",
        "TC Kernels",
        Unit::Nanoseconds,
        "Time with a kernel running that uses Tensor Cores, averaged over GPUs.",
        |p, row| row.resources.average(p.summary.gpus).tc_kernel_ns.into(),
    ),
    Column::int(
        "non_tc_kernel_ns",
        "Non-TC Kernels",
        Unit::Nanoseconds,
        "Time with another kernel running, averaged over GPUs.",
        |p, row| row.resources.average(p.summary.gpus).non_tc_kernel_ns.into(),
    ),
    Column::int(
        "memory_ns",
        "Memory",
        Unit::Nanoseconds,
        "Time with only copies or memsets running, averaged over GPUs.",
        |p, row| row.resources.average(p.summary.gpus).memory_ns.into(),
    ),
    Column::int(
        "dataloader_ns",
        "Dataloader",
        Unit::Nanoseconds,
        "Time without GPU work in the data loader, averaged over GPUs.",
        |p, row| row.resources.average(p.summary.gpus).dataloader_ns.into(),
    ),
    Column::int("io_ns", "I/O", Unit::Nanoseconds, "Time in I/O, averaged over GPUs.", |p, row| {
        row.resources.average(p.summary.gpus).io_ns.into()
    }),
    Column::int(
        "cpu_ns",
        "CPU",
        Unit::Nanoseconds,
        "Time without GPU work in an op, averaged over GPUs.",
        |p, row| row.resources.average(p.summary.gpus).cpu_ns.into(),
    ),
    Column::int("other_ns", "Other", Unit::Nanoseconds, "The rest, averaged over GPUs.", |p, row| {
        row.resources.average(p.summary.gpus).other_ns.into()
    }),
];

/// Table `iterations`.
#[must_use]
pub fn build<'a>(profile: &'a Profile<'a>) -> RowTable<'a, IterationStats> {
    let rows = Cow::Borrowed(profile.iteration_stats.as_slice());
    RowTable { key: "iterations", title: "Iterations", columns: COLUMNS, profile, rows }
}
