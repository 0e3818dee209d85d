//! Table `op_work`: operations and bytes of ops whose shapes are known.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::shared::{self, OfOp};
use super::table::{Column, Unit};
use crate::base::ids::OpId;
use crate::figures::op_work::OpWork;
use crate::figures::profile::Profile;
use std::sync::LazyLock;

/// Columns of table `op_work`.
static COLUMNS: LazyLock<Vec<Column<OpWork>>> = LazyLock::new(|| {
    let mut columns = vec![shared::op_id(), shared::op_name(), shared::direction(), shared::op_type()];
    columns.extend(work());
    columns.extend(roofline());
    columns
});

/// Table `op_work`.
pub(crate) static TABLE: Declaration<OpWork> = Declaration {
    key: "op_work",
    title: "Work of Ops",
    doc: "A row per op whose shapes are known: operations, bytes, and what limits it.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["op_name", "gpu_time_ns", "tflop_per_s", "efficiency_percent"],
        second: &["op_id", "bound", "intensity", "peak_tflop_per_s", "flop", "bytes", "op_type", "direction"],
        order: &["-gpu_time_ns", "op_id"],
        ..Layout::PLAIN
    },
};

/// Table `op_work` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<OpWork> {
    TABLE.with(profile, profile.op_work())
}

impl OfOp for OpWork {
    fn op(&self, _: &Profile) -> OpId {
        self.op
    }
}

fn work() -> [Column<OpWork>; 5] {
    [
        Column::int("flop", "Operations", Unit::Flop, "Operations that all calls have to do.", |_, row| {
            row.flop.into()
        }),
        Column::int(
            "bytes",
            "Bytes",
            Unit::Bytes,
            "Bytes that all calls have to move at least; empty if the data type is unknown.",
            |_, row| row.bytes.into(),
        ),
        Column::int(
            "gpu_time_ns",
            "GPU Time",
            Unit::Nanoseconds,
            "Plain sum of the durations of its kernels.",
            |_, row| row.gpu_time_ns.into(),
        ),
        Column::float(
            "tflop_per_s",
            "Achieved",
            Unit::TeraflopPerSecond,
            "Operations over GPU time; empty without GPU time.",
            |_, row| row.tflop_per_s.into(),
        ),
        Column::float("intensity", "Intensity", Unit::FlopPerByte, "Operations per byte.", |_, row| {
            row.intensity.into()
        }),
    ]
}

fn roofline() -> [Column<OpWork>; 5] {
    [
        Column::float(
            "peak_tflop_per_s",
            "Peak",
            Unit::TeraflopPerSecond,
            "The most that the units which its kernels ran on can do; empty if unknown.",
            |_, row| row.peak_tflop_per_s.into(),
        ),
        Column::float(
            "peak_gb_per_s",
            "Peak Bandwidth",
            Unit::GigabytesPerSecond,
            "Memory bandwidth of the GPU; empty if unknown.",
            |_, row| row.peak_gb_per_s.into(),
        ),
        Column::text("bound", "Bound", "What limits it: `math` or `memory`; empty if unknown.", |_, row| {
            row.bound.map(|bound| bound.as_str()).into()
        }),
        Column::float(
            "efficiency_percent",
            "Efficiency",
            Unit::Percent,
            "What it achieved, of what its intensity lets it achieve.",
            |_, row| row.efficiency_percent.into(),
        ),
        Column::flag(
            "assumed",
            "Assumed",
            "Whether parameters that the capture lacks were taken as their defaults.",
            |_, row| row.assumed.into(),
        ),
    ]
}
