//! Table `kernel_totals`: all GPU work by class.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::table::{Column, Unit};
use crate::figures::profile::Profile;
use crate::steps::index::KernelTotal;

/// Columns of table `kernel_totals`.
static COLUMNS: &[Column<KernelTotalRow>] = &[
    Column::text(
        "class",
        "Class",
        "Kernels that use Tensor Cores, memory operations, all other kernels, and all together.",
        |_, row| row.class.into(),
    ),
    Column::int(
        "gpu_time_ns",
        "Total GPU Time",
        Unit::Nanoseconds,
        "Plain sum of durations on the GPU.",
        |_, row| row.total.gpu_ns.into(),
    ),
    Column::int("launches", "Total Count", Unit::None, "Kernels, or copies and memsets.", |_, row| {
        row.total.launches.into()
    }),
    Column::int(
        "names",
        "Distinct Names",
        Unit::None,
        "Distinct kernel names; distinct API functions for memory. DLProf calls this the number of kernels.",
        |_, row| row.total.names.into(),
    ),
    Column::int(
        "api_time_ns",
        "API Time",
        Unit::Nanoseconds,
        "Sum of durations of the API calls.",
        |_, row| row.total.api_ns.into(),
    ),
];

/// Table `kernel_totals`.
pub(crate) static TABLE: Declaration<KernelTotalRow> = Declaration {
    key: "kernel_totals",
    title: "Kernel Details",
    doc: "GPU work by class: Tensor Core kernels, other kernels, memory.",
    columns: || COLUMNS,
    layout: Layout {
        first: &["class", "gpu_time_ns", "launches"],
        second: &["names", "api_time_ns"],
        sums: &["gpu_time_ns", "launches", "api_time_ns"],
        over_gpus: true,
        ..Layout::PLAIN
    },
};

/// Table `kernel_totals` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<KernelTotalRow> {
    let totals = &profile.kernel_totals;
    let row = |class, total| KernelTotalRow { class, total };
    let rows = vec![
        row("All Kernels", totals.all()),
        row("Kernels Using TC", totals.tc),
        row("Memory Kernels", totals.memory),
        row("All Other Kernels", totals.non_tc),
    ];
    TABLE.with(profile, rows)
}

/// A class of GPU work.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KernelTotalRow {
    class: &'static str,
    total: KernelTotal,
}
