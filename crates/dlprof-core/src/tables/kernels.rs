//! Table `kernels`: one row per kernel launch of the aggregated iterations.

use super::table::{Column, RowTable, Unit};
use crate::aggregate::KernelLaunch;
use crate::aggregate::Profile;

/// Columns of table `kernels`.
pub static COLUMNS: &[Column<KernelLaunch>] = &[
    Column::int(
        "iteration",
        "Iteration",
        Unit::None,
        "Iteration of the op call that launched it.",
        |_, row| row.iteration.into(),
    ),
    Column::text("op_id", "Op ID", "The op that launched it.", |p, row| {
        p.op_id(p.ops.of_call[row.call.index()]).into()
    }),
    Column::text("op_name", "Op Name", "Its name.", |p, row| {
        p.op_name(p.ops.of_call[row.call.index()]).into()
    }),
    Column::text("direction", "Direction", "`fprop` or `bprop`; empty where unknown.", |p, row| {
        p.label(p.ops.of_call[row.call.index()]).direction.as_str().into()
    }),
    Column::text("op_type", "Op Type", "What the op computes.", |p, row| {
        p.label(p.ops.of_call[row.call.index()]).op_type.as_str().into()
    }),
    Column::text(
        "kernel_name",
        "Kernel Name",
        "Name without template arguments and parameters.",
        |p, row| p.trace.strings.get(p.trace.gpu_work.short_name[row.kernel.index()]).into(),
    ),
    Column::int(
        "process_id",
        "Process ID",
        Unit::None,
        "The process that launched it; empty if unknown.",
        |p, row| {
            let process = p.trace.gpu_work.process[row.kernel.index()].some();
            process.map(|process| p.trace.processes[process.index()].pid()).into()
        },
    ),
    Column::int("device_id", "Device ID", Unit::None, "The GPU.", |p, row| {
        p.trace.devices[p.trace.gpu_work.device[row.kernel.index()].index()].device_id.into()
    }),
    Column::int("gpu_start_ns", "GPU Start", Unit::Nanoseconds, "Start on the GPU.", |p, row| {
        p.trace.gpu_work.span[row.kernel.index()].start.into()
    }),
    Column::int("gpu_time_ns", "GPU Time", Unit::Nanoseconds, "Duration on the GPU.", |p, row| {
        p.trace.gpu_work.span[row.kernel.index()].length().into()
    }),
    Column::int(
        "api_start_ns",
        "Kernel Timestamp",
        Unit::Nanoseconds,
        "Start of the API call; empty without one.",
        |p, row| row.api.some().map(|api| p.trace.api_calls.span[api.index()].start).into(),
    ),
    Column::int(
        "api_time_ns",
        "API Time",
        Unit::Nanoseconds,
        "Duration of the API call; empty without one.",
        |p, row| row.api.some().map(|api| p.trace.api_calls.span[api.index()].length()).into(),
    ),
    Column::text(
        "tensor_cores",
        "Tensor Cores",
        "`yes`, `no`, or `unknown` where the name does not tell.",
        |p, row| super::tensor_cores_word(p.correlation.kernel_tensor_cores[row.kernel.index()]).into(),
    ),
    Column::text(
        "graph",
        "CUDA Graph",
        "`node` for a kernel launched by a CUDA graph, `graph` for a whole graph launch recorded as one.",
        |p, row| p.trace.gpu_work.graph[row.kernel.index()].as_str().into(),
    ),
    Column::int("grid_x", "Grid X", Unit::None, "Blocks of the grid in x.", |p, row| {
        p.trace.gpu_work.launch_config(row.kernel).grid[0].into()
    }),
    Column::int("grid_y", "Grid Y", Unit::None, "Blocks of the grid in y.", |p, row| {
        p.trace.gpu_work.launch_config(row.kernel).grid[1].into()
    }),
    Column::int("grid_z", "Grid Z", Unit::None, "Blocks of the grid in z.", |p, row| {
        p.trace.gpu_work.launch_config(row.kernel).grid[2].into()
    }),
    Column::int("block_x", "Block X", Unit::None, "Threads of a block in x.", |p, row| {
        p.trace.gpu_work.launch_config(row.kernel).block[0].into()
    }),
    Column::int("block_y", "Block Y", Unit::None, "Threads of a block in y.", |p, row| {
        p.trace.gpu_work.launch_config(row.kernel).block[1].into()
    }),
    Column::int("block_z", "Block Z", Unit::None, "Threads of a block in z.", |p, row| {
        p.trace.gpu_work.launch_config(row.kernel).block[2].into()
    }),
    Column::text("long_kernel_name", "Long Kernel Name", "Demangled name.", |p, row| {
        p.trace.strings.get(p.trace.gpu_work.long_name[row.kernel.index()]).into()
    }),
];

/// Table `kernels`.
#[must_use]
pub fn build<'a>(profile: &'a Profile<'a>) -> RowTable<'a, KernelLaunch> {
    let rows = profile.kernel_launches().into();
    RowTable { key: "kernels", title: "Kernels", columns: COLUMNS, profile, rows }
}
