//! Table `collectives`: what processes of a job exchanged.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::table::{Column, Unit};
use crate::figures::collectives::{CollectiveStats, bytes_of_rank};
use crate::figures::profile::Profile;
use std::sync::LazyLock;

/// Columns of table `collectives`.
static COLUMNS: LazyLock<Vec<Column<CollectiveStats>>> = LazyLock::new(|| {
    vec![
        Column::text("collective", "Collective", "What is exchanged, such as `allreduce`.", |_, row| {
            row.collective.name.as_str().into()
        }),
        Column::text(
            "data_type",
            "Data Type",
            "Type of the elements, as PyTorch has it; empty if the input does not say, as most payloads of NCCL do not.",
            |_, row| row.collective.data_type.as_str().into(),
        ),
        Column::int(
            "message_bytes",
            "Size",
            Unit::Bytes,
            "Bytes of one exchange; where data is gathered or scattered, of all ranks together. Empty if the input does not say it, \
             or how many ranks there are.",
            |_, row| row.bytes.into(),
        ),
        Column::text(
            "process_group",
            "Process Group",
            "Name of the group, and what the program calls it; in captures of nsys, NCCL's number of the communicator.",
            |_, row| {
                let (group, words) = (&row.collective.group, &row.collective.group_description);
                match (group.is_empty(), words.is_empty()) {
                    (true, true) => {
                        let number = row.collective.communicator.map(|number| format!("{number:#x}"));
                        number.unwrap_or_default().into()
                    }
                    (_, true) => group.as_str().into(),
                    (true, false) => words.as_str().into(),
                    (false, false) => format!("{group} ({words})").into(),
                }
            },
        ),
        Column::int(
            "ranks",
            "Ranks",
            Unit::None,
            "Processes of the group; empty if the input does not say.",
            |_, row| row.collective.group_size.into(),
        ),
        Column::int(
            "rank_bytes",
            "Size per Rank",
            Unit::Bytes,
            "Bytes of the message of one rank: of gathering what it gives, of scattering what it gets; what it sends to single ranks and \
             gets from these is added up. Empty if the input does not say.",
            |_, row| bytes_of_rank(&row.collective).into(),
        ),
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
    doc: "A row per collective with the same operands and process group, where a trace of torch.profiler, or what NCCL recorded \
          beside its NVTX ranges in a capture of nsys, says what its kernels exchange.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["collective", "message_bytes", "calls", "gpu_time_ns", "bus_gb_per_s"],
        second: &["data_type", "ranks", "min_ns", "process_group", "rank_bytes"],
        order: &["-gpu_time_ns", "collective"],
        sums: &["calls", "gpu_time_ns"],
        over_gpus: true,
        ..Layout::PLAIN
    },
};

/// Table `collectives` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<CollectiveStats> {
    TABLE.with(profile, profile.collectives())
}
