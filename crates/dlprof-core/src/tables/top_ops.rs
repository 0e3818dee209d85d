//! Table `top_ops`: the ten ops with most GPU time.

use super::table::{Column, RowTable, Unit};
use crate::aggregate::OpStats;
use crate::aggregate::Profile;

/// Columns of table `top_ops`.
pub static COLUMNS: &[Column<OpStats>] = &[
    Column::int(
        "gpu_time_ns",
        "GPU Time",
        Unit::Nanoseconds,
        "Per call, time covered by its kernels, copies and memsets; sum over calls.",
        |_, row| row.times.gpu.sum.into(),
    ),
    Column::text("op_name", "Op Name", "Path of the op; its prefixes are the groups.", |p, row| {
        p.op_name(row.op).into()
    }),
    Column::text("direction", "Direction", "`fprop` or `bprop`; empty where unknown.", |p, row| {
        p.label(row.op).direction.as_str().into()
    }),
    Column::text("op_type", "Op Type", "What the op computes.", |p, row| {
        p.label(row.op).op_type.as_str().into()
    }),
    Column::int("calls", "Calls", Unit::None, "Executions of the op.", |_, row| row.times.cpu.count.into()),
    Column::flag("tc_eligible", "TC Eligible", "Whether the op could use Tensor Cores.", |_, row| {
        row.tc_eligible.into()
    }),
    Column::flag("using_tc", "Using TC", "Whether any of its kernels uses Tensor Cores.", |_, row| {
        row.uses_tc.into()
    }),
    Column::text(
        "op_id",
        "Op ID",
        "Op type in upper case and a number; `…_BPROP` for the backward pass of an op.",
        |p, row| p.op_id(row.op).into(),
    ),
];

/// Table `top_ops`.
#[must_use]
pub fn build<'a>(profile: &'a Profile<'a>) -> RowTable<'a, OpStats> {
    let rows = profile.top_ops().into_iter().cloned().collect();
    RowTable { key: "top_ops", title: "Top 10 GPU Ops", columns: COLUMNS, profile, rows }
}
