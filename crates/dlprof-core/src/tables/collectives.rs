//! Table `collectives`: what processes of a job exchanged.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::table::{Column, Unit};
use crate::figures::collectives::CollectiveStats;
use crate::figures::profile::Profile;
use std::sync::LazyLock;

/// Columns of table `collectives`.
static COLUMNS: LazyLock<Vec<Column<CollectiveStats>>> = LazyLock::new(|| {
    vec![
        Column::text("collective", "Collective", "What is exchanged, such as `allreduce`.", |_, row| {
            row.collective.name.as_str().into()
        }),
        Column::text("data_type", "Data Type", "Type of the elements, as PyTorch has it.", |_, row| {
            row.collective.data_type.as_str().into()
        }),
        Column::int(
            "message_bytes",
            "Size",
            Unit::Bytes,
            "Bytes of one exchange; where data is gathered or scattered, of all ranks together. Empty if the trace does not say.",
            |_, row| row.bytes.into(),
        ),
        Column::text(
            "process_group",
            "Process Group",
            "Name of the group, and what the program calls it.",
            |_, row| {
                let (group, words) = (&row.collective.group, &row.collective.group_description);
                match (group.is_empty(), words.is_empty()) {
                    (_, true) => group.as_str().into(),
                    (true, false) => words.as_str().into(),
                    (false, false) => format!("{group} ({words})").into(),
                }
            },
        ),
        Column::int("ranks", "Ranks", Unit::None, "Processes of the group.", |_, row| {
            row.collective.group_size.into()
        }),
        Column::int("calls", "Calls", Unit::None, "Number of kernels.", |_, row| row.calls.into()),
        Column::int(
            "gpu_time_ns",
            "GPU Time",
            Unit::Nanoseconds,
            "Sum of the durations of the kernels; it holds time in which they wait for other ranks.",
            |_, row| row.gpu_time_ns.into(),
        ),
        Column::int("min_ns", "Shortest", Unit::Nanoseconds, "Duration of the shortest kernel.", |_, row| {
            row.min_ns.into()
        }),
        Column::float(
            "bus_gb_per_s",
            "Bus Bandwidth",
            Unit::GigabytesPerSecond,
            "What crosses the slowest link in the shortest kernel, as NCCL's tests count it; empty if bytes or ranks are not known.",
            |_, row| row.bus_gb_per_s().into(),
        ),
    ]
});

/// Table `collectives`.
pub(crate) static TABLE: Declaration<CollectiveStats> = Declaration {
    key: "collectives",
    title: "Collectives",
    doc: "A row per collective with the same operands and process group, where a trace of torch.profiler says what its kernels \
          exchange.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["collective", "message_bytes", "calls", "gpu_time_ns", "bus_gb_per_s"],
        second: &["data_type", "ranks", "min_ns", "process_group"],
        order: &["-gpu_time_ns", "collective"],
        ..Layout::PLAIN
    },
};

/// Table `collectives` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<CollectiveStats> {
    TABLE.with(profile, profile.collectives())
}
