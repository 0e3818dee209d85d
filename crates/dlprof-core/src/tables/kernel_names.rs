//! Table `kernel_names`: kernels of the aggregated iterations by demangled name.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::shared;
use super::table::{Column, Unit};
use crate::figures::by_name::KernelName;
use crate::figures::profile::Profile;
use crate::read::facts::LaunchConfig;
use std::sync::LazyLock;

/// Columns of table `kernel_names`.
static COLUMNS: LazyLock<Vec<Column<KernelName>>> = LazyLock::new(|| {
    let mut columns: Vec<Column<KernelName>> = vec![Column::text(
        "long_kernel_name",
        "Long Kernel Name",
        "Demangled name.",
        |p, row: &KernelName| p.capture.strings.get(row.name).into(),
    )];
    columns.push(Column::text(
        "kernel_name",
        "Kernel Name",
        "Name without template arguments and parameters.",
        |p, row| p.capture.strings.get(p.capture.kernels.short_name[row.example]).into(),
    ));
    columns.extend(times());
    columns.push(Column::text(
        "kernel_kind",
        "Kernel Kind",
        "What it computes, as its name says: of several that fit, the first in the order in which they are told.",
        |p, row| p.kernel_kind(row).words_on(p.capture.recorder.vendor).into(),
    ));
    columns.extend(shared::of_kernel_name());
    columns.extend(launch_config());
    columns.extend(fill());
    columns.push(Column::text(
        "ops",
        "Ops",
        "IDs of the ops that launch it, most time first, separated by spaces; at most eight.",
        |p, row| {
            let ids: Vec<&str> = row.ops.iter().take(MOST_OPS).map(|&(op, _)| p.op_id(op)).collect();
            ids.join(" ").into()
        },
    ));
    columns
});

/// More ops of a kernel are not listed.
const MOST_OPS: usize = 8;

/// Table `kernel_names`.
pub(crate) static TABLE: Declaration<KernelName> = Declaration {
    key: "kernel_names",
    title: "Kernels by Name",
    doc: "A row per demangled name of kernels; times and calls are sums over all GPUs.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["long_kernel_name", "gpu_time_ns", "gpu_time_percent", "calls"],
        second: &[
            "median_gpu_time_ns",
            "max_gpu_time_ns",
            "tensor_cores",
            "occupancy_percent",
            "limited_by",
            "waves",
            "uneven_loss_ns",
            "ops",
            "grid",
            "block",
        ],
        order: &["-gpu_time_ns", "long_kernel_name"],
        sums: &["gpu_time_ns", "calls", "tail_loss_ns", "uneven_loss_ns", "underfill_loss_ns"],
        over_gpus: true,
        views: &[(
            "kernel_names",
            &[
                "long_kernel_name",
                "gpu_time_ns",
                "gpu_time_percent",
                "calls",
                "median_gpu_time_ns",
                "min_gpu_time_ns",
                "max_gpu_time_ns",
                "tensor_cores",
                "occupancy_percent",
                "grid_occupancy_percent",
                "limited_by",
                "waves",
                "grid",
                "block",
                "uneven_loss_ns",
                "tail_loss_ns",
                "underfill_loss_ns",
                "ops",
            ],
        )],
        ..Layout::PLAIN
    },
};

/// Table `kernel_names` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<KernelName> {
    TABLE.of(profile, |p| p.kernel_names())
}

fn times() -> [Column<KernelName>; 8] {
    [
        Column::int("calls", "Calls", Unit::None, "Launches.", |_, row| row.calls.into()),
        Column::int(
            "gpu_time_ns",
            "GPU Time",
            Unit::Nanoseconds,
            "Plain sum of their durations.",
            |_, row| row.gpu_time_ns.into(),
        ),
        Column::float(
            "gpu_time_percent",
            "Share",
            Unit::Percent,
            "Share of the time of all kernels.",
            |_, row| row.gpu_time_percent.into(),
        ),
        Column::float(
            "avg_gpu_time_ns",
            "Avg. GPU Time",
            Unit::Nanoseconds,
            "Mean of the launches.",
            |_, row| row.average_ns().into(),
        ),
        Column::int("min_gpu_time_ns", "Min GPU Time", Unit::Nanoseconds, "Shortest launch.", |_, row| {
            row.spread.min.into()
        }),
        Column::int(
            "median_gpu_time_ns",
            "Median GPU Time",
            Unit::Nanoseconds,
            "Median of the launches; of an even number, the longer of the two in the middle.",
            |_, row| row.spread.median.into(),
        ),
        Column::int("max_gpu_time_ns", "Max GPU Time", Unit::Nanoseconds, "Longest launch.", |_, row| {
            row.spread.max.into()
        }),
        Column::answer(
            "tensor_cores",
            "Tensor Cores",
            "`true` if any launch uses them, else `unknown` where a name does not tell, else `false`.",
            |_, row| row.tensor_cores.as_str().into(),
        ),
    ]
}

fn config(profile: &Profile, row: &KernelName) -> LaunchConfig {
    profile.capture.launch_configs[row.config.index()]
}

/// Three sizes in words, such as `128×1×1`.
fn sizes([x, y, z]: [i64; 3]) -> String {
    format!("{x}×{y}×{z}")
}

fn launch_config() -> [Column<KernelName>; 2] {
    [
        Column::text("grid", "Grid", "Blocks of the grid of the longest launch: x, y and z.", |p, row| {
            sizes(config(p, row).grid).into()
        }),
        Column::text("block", "Block", "Threads of a block of the longest launch: x, y and z.", |p, row| {
            sizes(config(p, row).block).into()
        }),
    ]
}

fn fill() -> [Column<KernelName>; 8] {
    [
        Column::float(
            "occupancy_percent",
            "Occupancy",
            Unit::Percent,
            "Mean occupancy of the launches, weighted by time; empty if it is known of none.",
            |_, row| row.occupancy_percent.into(),
        ),
        Column::float(
            "grid_occupancy_percent",
            "Grid Occupancy",
            Unit::Percent,
            "The same, but of a grid with fewer blocks than fit the GPU at a time no more than these blocks make.",
            |_, row| row.grid_occupancy_percent.into(),
        ),
        Column::text(
            "limited_by",
            "Limited by",
            "What limits the occupancy of the longest launch: `warps`, `registers`, `shared`, `blocks`.",
            |p, row| {
                let occupancy = row.fill.occupancy;
                occupancy.map(|occupancy| occupancy.limited_by.words_on(p.capture.recorder.vendor)).into()
            },
        ),
        Column::float(
            "waves",
            "Waves",
            Unit::None,
            "Rounds in which the GPU works off the blocks of the longest launch; empty if unknown.",
            |_, row| row.fill.waves.map(|waves| waves.waves).into(),
        ),
        Column::int(
            "tail_loss_ns",
            "Tail Loss at Most",
            Unit::Nanoseconds,
            "Time of all launches that belongs to empty places of last rounds; blocks that share an SM run faster beside fewer \
             others, so that less is lost; empty if unknown of all.",
            |_, row| row.tail_loss_ns.into(),
        ),
        Column::int(
            "uneven_loss_ns",
            "Uneven Loss",
            Unit::Nanoseconds,
            "Time that all launches lose because some multiprocessors run a block more than others, if blocks are equally long; \
             empty if unknown of all.",
            |_, row| row.uneven_loss_ns.into(),
        ),
        Column::int(
            "underfill_loss_ns",
            "Underfill Loss",
            Unit::Nanoseconds,
            "Time that launches lose because they have fewer blocks than the GPU has multiprocessors; empty if unknown of all.",
            |_, row| row.underfill_loss_ns.into(),
        ),
        Column::int("op_count", "Number of Ops", Unit::None, "Number of ops that launch it.", |_, row| {
            u64::try_from(row.ops.len()).unwrap_or(u64::MAX).into()
        }),
    ]
}
