//! Table `kernel_summaries`: one row per op and kernel name.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::shared;
use super::table::{Column, Unit};
use crate::figures::profile::{KernelSummary, Profile};
use std::sync::LazyLock;

/// Columns of table `kernel_summaries`.
static COLUMNS: LazyLock<Vec<Column<KernelSummary>>> = LazyLock::new(|| {
    let mut columns: Vec<Column<KernelSummary>> = vec![
        Column::text(
            "kernel_name",
            "Kernel Name",
            "Name without template arguments and parameters.",
            |p, row: &KernelSummary| p.capture.strings.get(row.name).into(),
        ),
        shared::op_id(),
        shared::op_name(),
        shared::direction(),
        Column::answer(
            "tensor_cores",
            "Tensor Cores",
            "`true`, `false`, or `unknown` where the name does not tell.",
            |_, row: &KernelSummary| row.tensor_cores.as_str().into(),
        ),
        Column::int("kernel_calls", "Calls", Unit::None, "Launches.", |_, row: &KernelSummary| {
            row.gpu.count.into()
        }),
    ];
    columns.extend(shared::launch_times());
    columns.push(Column::text(
        "long_kernel_name",
        "Long Kernel Name",
        "Demangled name of the kernel launched last.",
        |p, row: &KernelSummary| p.capture.strings.get(row.long_name).into(),
    ));
    columns
});

/// Table `kernel_summaries`.
pub(crate) static TABLE: Declaration<KernelSummary> = Declaration {
    key: "kernel_summaries",
    title: "Kernel Summaries",
    doc: "A row per op and kernel name.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["kernel_name", "gpu_time_ns", "kernel_calls"],
        second: &["op_id", "avg_gpu_time_ns", "tensor_cores", "op_name", "max_gpu_time_ns", "api_time_ns"],
        order: &["-gpu_time_ns", "op_id", "kernel_name"],
        sums: &["gpu_time_ns", "kernel_calls", "api_time_ns"],
        over_gpus: true,
        views: &[(
            "op_kernels",
            &[
                "kernel_name",
                "gpu_time_ns",
                "kernel_calls",
                "avg_gpu_time_ns",
                "min_gpu_time_ns",
                "max_gpu_time_ns",
                "tensor_cores",
                "long_kernel_name",
            ],
        )],
        ..Layout::PLAIN
    },
};

/// Table `kernel_summaries` of a profile.
#[must_use]
pub fn build(profile: &Profile) -> RowTable<KernelSummary> {
    TABLE.of(profile, |p| &p.kernel_summaries)
}
