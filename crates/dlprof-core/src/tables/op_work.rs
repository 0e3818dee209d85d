//! Table `op_work`: operations and bytes of ops whose shapes are known.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::measured_table::amount;
use super::shared::{self, OfOp};
use super::table::{Column, Unit};
use crate::base::ids::OpId;
use crate::figures::measured::{MeasuredOp, measured_ops};
use crate::figures::op_work::OpWork;
use crate::figures::profile::Profile;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// The work of an op, and what Nsight Compute measured of it.
#[derive(Debug)]
pub(crate) struct Row {
    work: OpWork,
    measured: Option<MeasuredOp>,
}

/// Columns of table `op_work`.
static COLUMNS: LazyLock<Vec<Column<Row>>> = LazyLock::new(|| {
    let mut columns: Vec<Column<Row>> =
        vec![shared::op_id(), shared::op_name(), shared::direction(), shared::op_type()];
    columns.extend(work());
    columns.extend(roofline());
    columns
});

/// The same, and what was measured.
static WITH_MEASURED: LazyLock<Vec<Column<Row>>> =
    LazyLock::new(|| COLUMNS.iter().copied().chain(measured()).collect());

/// Table `op_work`.
pub(crate) static TABLE: Declaration<Row> = declared(|| &COLUMNS);

/// Table `op_work` where there are counters of Nsight Compute.
pub(crate) static WITH_COUNTERS: Declaration<Row> = declared(|| &WITH_MEASURED);

const fn declared(columns: fn() -> &'static [Column<Row>]) -> Declaration<Row> {
    Declaration {
        key: "op_work",
        title: "Work of Ops",
        doc: "A row per op whose shapes are known: operations, bytes, and what limits it.",
        columns,
        layout: Layout {
            first: &["op_name", "gpu_time_ns", "tflop_per_s", "efficiency_percent"],
            second: &[
                "op_id",
                "bound",
                "intensity",
                "peak_tflop_per_s",
                "flop",
                "bytes",
                "op_type",
                "direction",
            ],
            order: &["-gpu_time_ns", "op_id"],
            sums: &["flop", "bytes", "gpu_time_ns"],
            over_gpus: true,
            ..Layout::PLAIN
        },
    }
}

/// Table `op_work` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<Row> {
    let mut by_op: FxHashMap<OpId, MeasuredOp> =
        measured_ops(profile).into_iter().map(|measured| (measured.op, measured)).collect();
    let row = |work: OpWork| Row { measured: by_op.remove(&work.op), work };
    let rows = profile.op_work().into_iter().map(row).collect();
    let declaration = if profile.capture.counters.is_some() { &WITH_COUNTERS } else { &TABLE };
    declaration.with(profile, rows)
}

impl OfOp for Row {
    fn op(&self, _: &Profile) -> OpId {
        self.work.op
    }
}

fn work() -> [Column<Row>; 5] {
    [
        Column::int("flop", "Operations", Unit::Flop, "Operations that all calls have to do.", |_, row| {
            row.work.flop.into()
        }),
        Column::int(
            "bytes",
            "Bytes",
            Unit::Bytes,
            "Bytes that all calls have to move at least; empty if the data type is unknown.",
            |_, row| row.work.bytes.into(),
        ),
        Column::int(
            "gpu_time_ns",
            "GPU Time",
            Unit::Nanoseconds,
            "Plain sum of the durations of its kernels.",
            |_, row| row.work.gpu_time_ns.into(),
        ),
        Column::float(
            "tflop_per_s",
            "Achieved",
            Unit::TeraflopPerSecond,
            "Operations over GPU time; empty without GPU time.",
            |_, row| row.work.tflop_per_s.into(),
        ),
        Column::float("intensity", "Intensity", Unit::FlopPerByte, "Operations per byte.", |_, row| {
            row.work.intensity.into()
        }),
    ]
}

fn roofline() -> [Column<Row>; 5] {
    [
        Column::float(
            "peak_tflop_per_s",
            "Peak",
            Unit::TeraflopPerSecond,
            "The most that the units which its kernels ran on can do; empty if unknown.",
            |_, row| row.work.peak_tflop_per_s.into(),
        ),
        Column::float(
            "peak_gb_per_s",
            "Peak Bandwidth",
            Unit::GigabytesPerSecond,
            "Memory bandwidth of the GPU; empty if unknown.",
            |_, row| row.work.peak_gb_per_s.into(),
        ),
        Column::text("bound", "Bound", "What limits it: `math` or `memory`; empty if unknown.", |_, row| {
            row.work.bound.map(|bound| bound.as_str()).into()
        }),
        Column::float(
            "efficiency_percent",
            "Efficiency",
            Unit::Percent,
            "What it achieved, of what its intensity lets it achieve.",
            |_, row| row.work.efficiency_percent.into(),
        ),
        Column::flag(
            "assumed",
            "Assumed",
            "Whether parameters that the capture lacks were taken as their defaults.",
            |_, row| row.work.assumed.into(),
        ),
    ]
}

/// What was measured, beside what shapes ask for.
fn measured() -> [Column<Row>; 2] {
    [
        Column::int(
            "measured_flop",
            "Measured Operations",
            Unit::Flop,
            "Operations that Nsight Compute counted: of the whole op if 95 % of it were counted, else of the counted part.",
            |_, row| amount(row.measured.as_ref().and_then(|measured| measured.flop)),
        ),
        Column::int(
            "measured_bytes",
            "Measured Bytes",
            Unit::Bytes,
            "Bytes that moved between DRAM and caches, likewise.",
            |_, row| amount(row.measured.as_ref().and_then(|measured| measured.dram_bytes)),
        ),
    ]
}
