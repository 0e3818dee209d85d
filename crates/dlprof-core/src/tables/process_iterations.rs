//! Table `process_iterations`: iterations as each process sees them, where several run the key node.

use super::table::{Column, RowTable, Unit};
use crate::aggregate::{ProcessIterationStats, Profile};
use std::borrow::Cow;

/// Columns of table `process_iterations`.
pub static COLUMNS: &[Column<ProcessIterationStats>] = &[
    Column::int("process_id", "Process ID", Unit::None, "The process.", |p, row| {
        p.trace.processes[row.process.index()].pid().into()
    }),
    Column::int("iteration", "Iteration", Unit::None, "Number of the iteration in the process.", |_, row| {
        row.iteration.into()
    }),
    Column::int(
        "start_ns",
        "Timestamp",
        Unit::Nanoseconds,
        "Start of its own execution of the key node.",
        |_, row| row.span.start.into(),
    ),
    Column::int("duration_ns", "Duration", Unit::Nanoseconds, "Time to its next execution.", |_, row| {
        row.span.length().into()
    }),
    Column::int("kernels", "Total Kernels", Unit::None, "Kernels of the process in it.", |_, row| {
        row.kernels.launches.into()
    }),
    Column::int("tc_kernels", "TC Kernels", Unit::None, "Those that use Tensor Cores.", |_, row| {
        row.kernels.tc_launches.into()
    }),
    Column::int(
        "kernel_gpu_time_ns",
        "GPU Time",
        Unit::Nanoseconds,
        "Plain sum of kernel durations.",
        |_, row| row.kernels.gpu_ns.into(),
    ),
    Column::int(
        "tc_kernel_gpu_time_ns",
        "TC GPU Time",
        Unit::Nanoseconds,
        "Plain sum of durations of kernels that use Tensor Cores.",
        |_, row| row.kernels.tc_gpu_ns.into(),
    ),
];

/// Table `process_iterations`; empty unless several processes run the key node.
#[must_use]
pub fn build<'a>(profile: &'a Profile<'a>) -> RowTable<'a, ProcessIterationStats> {
    let rows = Cow::Borrowed(profile.process_iterations.as_slice());
    RowTable { key: "process_iterations", title: "Iterations by Process", columns: COLUMNS, profile, rows }
}
