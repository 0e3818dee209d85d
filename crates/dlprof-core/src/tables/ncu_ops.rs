//! Table `ncu_ops`: ops as their kernels were measured, beside what their shapes ask for.

use super::layout::Layout;
use super::measured_table::{Column, MeasuredDeclaration, MeasuredTable, Origin, WithMeasured, amount};
use super::table::Unit;
use crate::figures::measured::{MeasuredFigures, MeasuredOp, measured_ops};
use crate::figures::profile::Profile;
use std::sync::LazyLock;

/// An op with its name.
pub(crate) struct Row {
    id: String,
    name: String,
    direction: &'static str,
    op_type: String,
    measured: MeasuredOp,
}

impl WithMeasured for Row {
    fn measured(&self) -> Option<&MeasuredFigures> {
        self.measured.figures.as_ref()
    }
}

/// Columns of table `ncu_ops`.
static COLUMNS: LazyLock<Vec<Column<Row>>> = LazyLock::new(|| {
    let mut columns: Vec<Column<Row>> = vec![
        Column::text(
            "op_id",
            "Op ID",
            "Op type in upper case and a number; `…_BPROP` for the backward pass of an op.",
            |_, row: &Row| row.id.as_str().into(),
        ),
        Column::text("op_name", "Op Name", "Path of the op; its prefixes are the groups.", |_, row| {
            row.name.as_str().into()
        }),
        Column::text("direction", "Direction", "`fprop` or `bprop`; empty where unknown.", |_, row| {
            row.direction.into()
        }),
        Column::text("op_type", "Op Type", "What the op computes.", |_, row| row.op_type.as_str().into()),
        Column::int(
            "gpu_time_ns",
            "GPU Time",
            Unit::Nanoseconds,
            "Plain sum of the durations of its kernels.",
            |_, row| row.measured.gpu_time_ns.into(),
        ),
        Column::float(
            "counted_percent",
            "Counted",
            Unit::Percent,
            "Share of that time whose launches have counts.",
            |_, row| row.measured().map(|figures| figures.counted_percent).into(),
        ),
        Column::int(
            "flop",
            "Operations",
            Unit::Flop,
            "Operations that were counted: of the whole op if 95 % of it were counted, else of the counted part.",
            |_, row| amount(row.measured.flop),
        ),
        Column::int(
            "dram_bytes",
            "DRAM",
            Unit::Bytes,
            "Bytes that moved between DRAM and caches, likewise.",
            |_, row| amount(row.measured.dram_bytes),
        ),
    ];
    columns.extend(super::measured_table::limits());
    columns.push(Column::float(
        "tensor_active_percent",
        "Tensor Pipe",
        Unit::Percent,
        "Use of the pipe of Tensor Cores while its SM was active.",
        |_, row: &Row| row.measured().and_then(|figures| figures.tensor_active_percent).into(),
    ));
    columns.extend([
        Column::int(
            "op_work_flop", "Shapes' Operations",
            Unit::Flop,
            "Operations that its shapes ask for, as in table `op_work`.",
            |_, row: &Row| row.measured.by_shapes.as_ref().map(|work| work.flop).into(),
        ),
        Column::int(
            "op_work_bytes", "Shapes' Bytes",
            Unit::Bytes,
            "Bytes that it has to move at least, as in table `op_work`.",
            |_, row| row.measured.by_shapes.as_ref().and_then(|work| work.bytes).into(),
        ),
        Column::float(
            "flop_ratio", "Operations Ratio",
            Unit::None,
            "Operations that were counted over those of the shapes; empty unless 95 % of the op were counted.",
            |_, row| row.measured.flop_ratio().into(),
        ),
        Column::float(
            "bytes_ratio", "Bytes Ratio",
            Unit::None,
            "Bytes that moved over those of the shapes; empty unless 95 % of the op were counted.",
            |_, row| row.measured.bytes_ratio().into(),
        ),
    ]);
    columns
});

/// Table `ncu_ops`.
pub(crate) static TABLE: MeasuredDeclaration<Row> = MeasuredDeclaration {
    key: "ncu_ops",
    title: "Measured Ops",
    doc: "A row per op whose kernels ran, with what Nsight Compute measured of them (`--ncu`) beside what its shapes ask for.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["op_name", "gpu_time_ns", "bound", "roof_percent", "counted_percent"],
        second: &[
            "op_id",
            "tflop_per_s",
            "gb_per_s",
            "flop",
            "flop_ratio",
            "bytes_ratio",
            "tensor_active_percent",
        ],
        order: &["-gpu_time_ns", "op_id"],
        ..Layout::PLAIN
    },
};

/// Table `ncu_ops` of a profile.
pub(crate) fn build(profile: &Profile) -> MeasuredTable<Row> {
    let row = |measured: MeasuredOp| {
        let label = profile.label(measured.op);
        Row {
            id: profile.op_id(measured.op).to_owned(),
            name: profile.op_name(measured.op).to_owned(),
            direction: profile.direction(measured.op).as_str(),
            op_type: label.op_type.clone(),
            measured,
        }
    };
    TABLE.with(&Origin(profile.window().start), measured_ops(profile).into_iter().map(row).collect())
}
