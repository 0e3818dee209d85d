//! Table `operators`: operators of torch.profiler by name.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::table::{Column, Unit};
use crate::figures::operators::OperatorStats;
use crate::figures::profile::Profile;
use std::sync::LazyLock;

/// Columns of table `operators`.
static COLUMNS: LazyLock<Vec<Column<OperatorStats>>> = LazyLock::new(|| {
    vec![
        Column::text("operator", "Operator", "Name of the operator.", |p, row: &OperatorStats| {
            p.capture.strings.get(row.name).into()
        }),
        Column::int("calls", "Calls", Unit::None, "Number of calls.", |_, row| row.calls.into()),
        Column::int(
            "self_gpu_time_ns",
            "Self GPU Time",
            Unit::Nanoseconds,
            "GPU time of the work that it launched itself and no operator inside it.",
            |_, row| row.self_gpu_ns.into(),
        ),
        Column::int(
            "total_gpu_time_ns",
            "Total GPU Time",
            Unit::Nanoseconds,
            "GPU time of the work that it and all operators inside it launched.",
            |_, row| row.total_gpu_ns.into(),
        ),
        Column::int(
            "self_cpu_time_ns",
            "Self CPU Time",
            Unit::Nanoseconds,
            "Time on the CPU, without operators inside it.",
            |_, row| row.self_cpu_ns.into(),
        ),
        Column::int(
            "total_cpu_time_ns",
            "Total CPU Time",
            Unit::Nanoseconds,
            "Time on the CPU.",
            |_, row| row.total_cpu_ns.into(),
        ),
    ]
});

/// Table `operators`.
pub(crate) static TABLE: Declaration<OperatorStats> = Declaration {
    key: "operators",
    title: "Operators",
    doc: "A row per operator of a trace of torch.profiler, as PyTorch's `key_averages()` has them: by itself, and with the \
          operators inside it. Other captures have none.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["operator", "calls", "self_gpu_time_ns", "total_gpu_time_ns"],
        second: &["self_cpu_time_ns", "total_cpu_time_ns"],
        order: &["-self_gpu_time_ns", "operator"],
        sums: &["calls", "self_gpu_time_ns", "total_gpu_time_ns", "self_cpu_time_ns", "total_cpu_time_ns"],
        over_gpus: true,
        ..Layout::PLAIN
    },
};

/// Table `operators` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<OperatorStats> {
    TABLE.with(profile, profile.operators())
}
