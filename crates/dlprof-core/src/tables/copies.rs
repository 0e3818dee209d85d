//! Table `copies`: copies and memsets that start in the aggregated iterations, by kind.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::table::{Column, Unit};
use crate::figures::activity::CopyGroup;
use crate::figures::profile::Profile;
use std::sync::LazyLock;

/// Columns of table `copies`.
static COLUMNS: LazyLock<Vec<Column<CopyGroup>>> = LazyLock::new(|| {
    let mut columns: Vec<Column<CopyGroup>> = vec![
        Column::text(
            "kind",
            "Kind",
            "Where from and to: H is the host, D a GPU, A an array, P a peer GPU, UM unified memory; or `memset`.",
            |_, row: &CopyGroup| row.kind.as_str().into(),
        ),
        Column::text(
            "host_memory",
            "Host Memory",
            "Memory at the host's side, such as `pageable` or `pinned`; empty for copies without such a side.",
            |_, row| row.host_memory.as_str().into(),
        ),
        Column::text(
            "mode",
            "Mode",
            "`sync` if the call waits for the copy, else `async`; empty without an API call.",
            |_, row| row.mode.as_str().into(),
        ),
    ];
    columns.extend(sums());
    columns
});

fn sums() -> [Column<CopyGroup>; 5] {
    [
        Column::int("count", "Count", Unit::None, "Number of copies and memsets.", |_, row| row.count.into()),
        Column::int("bytes", "Size", Unit::Bytes, "Bytes that were copied or set.", |_, row| {
            row.bytes.into()
        }),
        Column::int(
            "gpu_time_ns",
            "GPU Time",
            Unit::Nanoseconds,
            "Plain sum of their durations.",
            |_, row| row.gpu_time_ns.into(),
        ),
        Column::int(
            "api_time_ns",
            "API Time",
            Unit::Nanoseconds,
            "Plain sum of the durations of their API calls, once per copy.",
            |_, row| row.api_time_ns.into(),
        ),
        Column::float(
            "bandwidth_gb_per_s",
            "Bandwidth",
            Unit::GigabytesPerSecond,
            "Bytes over time on the GPU.",
            |_, row| row.gb_per_second().into(),
        ),
    ]
}

/// Table `copies`.
pub(crate) static TABLE: Declaration<CopyGroup> = Declaration {
    key: "copies",
    title: "Copies",
    doc: "A row per kind, host memory and mode of copies and memsets that start in the aggregated iterations.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["kind", "host_memory", "mode", "gpu_time_ns", "bytes"],
        second: &["count", "bandwidth_gb_per_s", "api_time_ns"],
        order: &["-gpu_time_ns"],
        sums: &["gpu_time_ns", "bytes", "count", "api_time_ns"],
        over_gpus: true,
        ..Layout::PLAIN
    },
};

/// Table `copies` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<CopyGroup> {
    TABLE.with(profile, profile.copies())
}
