//! Table `kernels`: one row per kernel launch of the aggregated iterations.

use super::shared;
use super::table::{Column, RowTable, Unit};
use crate::aggregate::KernelLaunch;
use crate::aggregate::Profile;
use std::sync::LazyLock;

/// Columns of table `kernels`.
pub static COLUMNS: LazyLock<Vec<Column<KernelLaunch>>> = LazyLock::new(|| {
    let mut columns = vec![
        Column::int(
            "iteration",
            "Iteration",
            Unit::None,
            "Iteration of the op call that launched it.",
            |_, row: &KernelLaunch| row.iteration.into(),
        ),
        shared::op_id(),
        shared::op_name(),
        shared::direction(),
        shared::op_type(),
        Column::text(
            "kernel_name",
            "Kernel Name",
            "Name without template arguments and parameters.",
            |p, row: &KernelLaunch| {
                p.trace.strings.get(p.trace.gpu_work.short_name[row.kernel.index()]).into()
            },
        ),
        Column::int(
            "process_id",
            "Process ID",
            Unit::None,
            "The process that launched it; empty if unknown.",
            |p, row: &KernelLaunch| {
                let process = p.trace.gpu_work.process[row.kernel.index()].some();
                process.map(|process| p.trace.processes[process.index()].pid()).into()
            },
        ),
        Column::int("device_id", "Device ID", Unit::None, "The GPU.", |p, row: &KernelLaunch| {
            p.trace.devices[p.trace.gpu_work.device[row.kernel.index()].index()].device_id.into()
        }),
    ];
    columns.extend(times());
    columns.extend([
        Column::text(
            "tensor_cores",
            "Tensor Cores",
            "`yes`, `no`, or `unknown` where the name does not tell.",
            |p, row: &KernelLaunch| p.correlation.kernel_tensor_cores[row.kernel.index()].as_str().into(),
        ),
        Column::text(
            "graph",
            "CUDA Graph",
            "`node` for a kernel launched by a CUDA graph, `graph` for a whole graph launch recorded as one.",
            |p, row: &KernelLaunch| p.trace.gpu_work.graph[row.kernel.index()].as_str().into(),
        ),
    ]);
    columns.extend(launch_config());
    columns.push(Column::text(
        "long_kernel_name",
        "Long Kernel Name",
        "Demangled name.",
        |p, row: &KernelLaunch| p.trace.strings.get(p.trace.gpu_work.long_name[row.kernel.index()]).into(),
    ));
    columns
});

/// Table `kernels`.
#[must_use]
pub fn build<'a>(profile: &'a Profile<'a>) -> RowTable<'a, KernelLaunch> {
    let rows = profile.kernel_launches().into();
    RowTable { key: "kernels", title: "Kernels", columns: &COLUMNS, profile, rows }
}

/// Start and duration on the GPU and of the API call.
fn times() -> [Column<KernelLaunch>; 4] {
    [
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
    ]
}

/// Grid and block.
fn launch_config() -> [Column<KernelLaunch>; 6] {
    macro_rules! size {
        ($key:literal, $title:literal, $doc:literal, $field:ident, $axis:literal) => {
            Column::int($key, $title, Unit::None, $doc, |p, row| {
                p.trace.gpu_work.launch_config(row.kernel).$field[$axis].into()
            })
        };
    }
    [
        size!("grid_x", "Grid X", "Blocks of the grid in x.", grid, 0),
        size!("grid_y", "Grid Y", "Blocks of the grid in y.", grid, 1),
        size!("grid_z", "Grid Z", "Blocks of the grid in z.", grid, 2),
        size!("block_x", "Block X", "Threads of a block in x.", block, 0),
        size!("block_y", "Block Y", "Threads of a block in y.", block, 1),
        size!("block_z", "Block Z", "Threads of a block in z.", block, 2),
    ]
}
