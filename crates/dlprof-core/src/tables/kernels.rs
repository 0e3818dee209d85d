//! Table `kernels`: one row per kernel launch of the aggregated iterations.

use super::declaration::{Declaration, RowTable, RowsOnDemand};
use super::layout::Layout;
use super::place::OfWork;
use super::table::{Column, Unit};
use super::{kernel_launching, place, shared};
use crate::base::ids::WorkId;
use crate::base::time::Ns;
use crate::figures::profile::{KernelLaunch, KernelLaunches, Profile};
use std::ops::Range;
use std::sync::LazyLock;

/// The key of the column with durations on the GPU.
const GPU_TIME: &str = "gpu_time_ns";

/// Columns of table `kernels`.
static COLUMNS: LazyLock<Vec<Column<KernelLaunch>>> = LazyLock::new(|| {
    let mut columns: Vec<Column<KernelLaunch>> = vec![
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
            |p, row: &KernelLaunch| p.capture.strings.get(p.capture.kernels.short_name[row.kernel]).into(),
        ),
    ];
    columns.extend(place::work());
    columns.extend(times());
    columns.extend([Column::answer(
        "tensor_cores",
        "Tensor Cores",
        "`true`, `false`, or `unknown` where the name does not tell.",
        |p: &Profile, row: &KernelLaunch| p.capture.judged.tensor_cores[row.kernel].as_str().into(),
    )]);
    columns.extend(shared::of_kernel_name());
    columns.push(Column::text(
        "graph",
        "CUDA Graph",
        "`node` for a kernel launched by a CUDA graph, `graph` for a whole graph launch recorded as one.",
        |p, row: &KernelLaunch| p.capture.kernels.graph[row.kernel].as_str().into(),
    ));
    columns.extend(launch_config());
    columns.extend(kernel_launching::resources());
    columns.extend(kernel_launching::launch());
    columns.extend(kernel_launching::fill());
    columns.push(kernel_launching::attribution());
    columns.push(Column::text(
        "long_kernel_name",
        "Long Kernel Name",
        "Demangled name.",
        |p, row: &KernelLaunch| p.capture.strings.get(p.capture.kernels.long_name[row.kernel]).into(),
    ));
    columns
});

/// Table `kernels`.
pub(crate) static TABLE: Declaration<KernelLaunch> = Declaration {
    key: "kernels",
    title: "Kernels",
    doc: "A row per kernel launch.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["kernel_name", "gpu_time_ns", "iteration"],
        second: &[
            "op_id",
            "gpu_start_ns",
            "device_id",
            "tensor_cores",
            "occupancy_percent",
            "limited_by",
            "launch_latency_ns",
            "op_name",
            "waves",
        ],
        order: &["-gpu_time_ns", "gpu_start_ns"],
        starts: &["gpu_start_ns", "api_start_ns"],
        views: &[(
            "launches",
            &[
                "kernel_name",
                "gpu_time_ns",
                "op_name",
                "device_id",
                "api_start_ns",
                "gpu_start_ns",
                "tensor_cores",
                "grid_x",
                "grid_y",
                "grid_z",
                "block_x",
                "block_y",
                "block_z",
                "occupancy_percent",
                "launch_latency_ns",
                "iteration",
                "long_kernel_name",
            ],
        )],
        ..Layout::PLAIN
    },
};

/// Table `kernels` of a profile.
#[must_use]
pub fn build(profile: &Profile) -> RowTable<KernelLaunch> {
    TABLE.on_demand(profile, profile.kernel_launches())
}

impl OfWork for KernelLaunch {
    fn work(&self) -> WorkId {
        self.kernel
    }
}

impl RowsOnDemand<KernelLaunch> for KernelLaunches {
    fn len(&self) -> usize {
        self.len()
    }

    fn get(&self, row: usize) -> &KernelLaunch {
        self.get(row)
    }

    fn prepare(&self) {
        self.sort_all();
    }

    fn parts_by_largest(&self, key: &str) -> Option<Vec<(Range<usize>, Ns)>> {
        (key == GPU_TIME).then(|| self.parts_by_longest())
    }
}

/// Start and duration on the GPU and of the API call.
fn times() -> [Column<KernelLaunch>; 4] {
    [
        Column::int("gpu_start_ns", "GPU Start", Unit::Nanoseconds, "Start on the GPU.", |p, row| {
            p.capture.work.span[row.kernel].start.into()
        }),
        Column::int(GPU_TIME, "GPU Time", Unit::Nanoseconds, "Duration on the GPU.", |p, row| {
            p.capture.work.span[row.kernel].length().into()
        }),
        Column::int(
            "api_start_ns",
            "Kernel Timestamp",
            Unit::Nanoseconds,
            "Start of the API call; empty without one.",
            |p, row| row.api.some().map(|api| p.capture.api_calls.span[api].start).into(),
        ),
        Column::int(
            "api_time_ns",
            "API Time",
            Unit::Nanoseconds,
            "Duration of the API call; empty without one.",
            |p, row| row.api.some().map(|api| p.capture.api_calls.span[api].length()).into(),
        ),
    ]
}

/// Grid and block.
fn launch_config() -> [Column<KernelLaunch>; 6] {
    macro_rules! size {
        ($key:literal, $title:literal, $doc:literal, $field:ident, $axis:literal) => {
            Column::int($key, $title, Unit::None, $doc, |p, row| {
                p.capture.launch_config(row.kernel).$field[$axis].into()
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
