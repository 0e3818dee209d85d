//! Table `transfers`: copies and memsets that start in the aggregated iterations, one by one.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::place::{self, OfWork};
use super::table::{Column, Unit, Value};
use crate::base::ids::{TransferId, WorkId};
use crate::base::time::Span;
use crate::figures::activity::Transfer;
use crate::figures::profile::Profile;
use std::sync::LazyLock;

/// Columns of table `transfers`.
static COLUMNS: LazyLock<Vec<Column<Transfer>>> = LazyLock::new(|| {
    let mut columns: Vec<Column<Transfer>> = vec![
        Column::text("kind", "Kind", "As in table `copies`.", |_, row: &Transfer| row.kind.as_str().into()),
        Column::text("host_memory", "Host Memory", "As in table `copies`.", |_, row| {
            row.host_memory.as_str().into()
        }),
        Column::text("mode", "Mode", "As in table `copies`.", |_, row| row.mode.as_str().into()),
        Column::int("bytes", "Size", Unit::Bytes, "Bytes that were copied or set; empty if unknown.", bytes),
    ];
    columns.extend(place::work());
    columns.extend(times());
    columns
});

/// Start and duration on the GPU and of the API call.
fn times() -> [Column<Transfer>; 4] {
    [
        Column::int(
            "gpu_start_ns",
            "GPU Start",
            Unit::Nanoseconds,
            "Start on the GPU.",
            |p, row: &Transfer| p.capture.work.span[row.work].start.into(),
        ),
        Column::int("gpu_time_ns", "GPU Time", Unit::Nanoseconds, "Duration on the GPU.", |p, row| {
            p.capture.work.span[row.work].length().into()
        }),
        Column::int(
            "api_start_ns",
            "API Start",
            Unit::Nanoseconds,
            "Start of the API call; empty without one.",
            |p, row| call(p, row).map(|span| span.start).into(),
        ),
        Column::int(
            "api_time_ns",
            "API Time",
            Unit::Nanoseconds,
            "Duration of the API call; empty without one.",
            |p, row| call(p, row).map(|span| span.length()).into(),
        ),
    ]
}

/// Table `transfers`.
pub(crate) static TABLE: Declaration<Transfer> = Declaration {
    key: "transfers",
    title: "Copies and Memsets",
    doc: "A row per copy and memset that starts in the aggregated iterations.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["kind", "gpu_time_ns", "bytes"],
        second: &["host_memory", "mode", "device_id", "stream_id", "gpu_start_ns", "api_time_ns"],
        order: &["-gpu_time_ns", "gpu_start_ns"],
        starts: &["gpu_start_ns", "api_start_ns"],
        ..Layout::PLAIN
    },
};

/// Table `transfers` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<Transfer> {
    TABLE.with(profile, profile.transfers())
}

impl OfWork for Transfer {
    fn work(&self) -> WorkId {
        self.work
    }
}

/// Bytes of a copy or memset; empty where a trace does not say it.
fn bytes<'a>(profile: &'a Profile, row: &Transfer) -> Value<'a> {
    let capture = &profile.capture;
    let transfer = TransferId::new(row.work.index() - capture.kernels.len());
    let is_unknown = capture.unsized_transfers.transfer.binary_search(&transfer).is_ok();
    (!is_unknown).then(|| capture.transfers.bytes[transfer]).into()
}

/// When the API call ran; none without one.
fn call(profile: &Profile, row: &Transfer) -> Option<Span> {
    let api = profile.capture.launches.api[row.work].some()?;
    Some(profile.capture.api_calls.span[api])
}
