//! Table `groups`: groups, and under each the ops of that name.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::table::{Column, Unit};
use crate::base::ratios::count_to_f64;
use crate::figures::profile::{GroupStats, OpStats, Profile};
use crate::steps::index::OpTimes;

/// Columns of table `groups`.
static COLUMNS: &[Column<GroupRow>] = &[
    Column::text("name", "Name", "Group, with a final `/`, or op.", |p, row| row.name(p).into()),
    Column::text("op_id", "Op ID", "Op ID; empty for a group.", |p, row| row.op_id(p).into()),
    Column::int("level", "Level", Unit::None, "Depth; the root is 1.", |p, row| row.level(p).into()),
    Column::int("calls", "Num Calls Aggregated", Unit::None, "Calls of the ops.", |_, row| {
        row.calls().into()
    }),
    Column::int(
        "tc_eligible_ops",
        "Num TC Eligible Ops",
        Unit::None,
        "Ops that could use Tensor Cores.",
        |_, row| row.tc_eligible_ops().into(),
    ),
    Column::int("tc_ops", "Num Ops Using TC", Unit::None, "Ops that use Tensor Cores.", |_, row| {
        row.tc_ops().into()
    }),
    Column::int("cpu_time_ns", "CPU Time", Unit::Nanoseconds, "CPU Time; sum over calls.", |_, row| {
        row.times().cpu.sum.into()
    }),
    Column::int("gpu_time_ns", "GPU Time", Unit::Nanoseconds, "GPU Time; sum over calls.", |_, row| {
        row.times().gpu.sum.into()
    }),
    Column::int(
        "cpu_overhead_ns",
        "CPU Overhead Time",
        Unit::Nanoseconds,
        "CPU Overhead Time; sum over calls.",
        |_, row| row.times().cpu_overhead.sum.into(),
    ),
    Column::int(
        "gpu_idle_ns",
        "GPU Idle Time",
        Unit::Nanoseconds,
        "GPU Idle Time; sum over calls.",
        |_, row| row.times().gpu_idle.sum.into(),
    ),
    Column::float(
        "tc_ops_percent",
        "Ops Using TC %",
        Unit::Percent,
        "Ops that use Tensor Cores, as a share of those that could or do; empty without such ops.",
        |_, row| {
            let compatible = row.tc_compatible_ops();
            let share = || 100.0 * count_to_f64(row.tc_ops()) / count_to_f64(compatible);
            (compatible > 0).then(share).into()
        },
    ),
];

/// Table `groups`.
pub(crate) static TABLE: Declaration<GroupRow> = Declaration {
    key: "groups",
    title: "Group Ops",
    doc: "A row per group and op below it.",
    columns: || COLUMNS,
    layout: Layout {
        first: &["name", "gpu_time_ns", "calls"],
        second: &["op_id", "level", "cpu_time_ns", "tc_eligible_ops", "tc_ops"],
        sums: &["calls", "cpu_time_ns", "gpu_time_ns", "cpu_overhead_ns", "gpu_idle_ns"],
        over_gpus: true,
        views: &[(
            "groups",
            &[
                "gpu_time_ns",
                "cpu_time_ns",
                "calls",
                "cpu_overhead_ns",
                "gpu_idle_ns",
                "tc_eligible_ops",
                "tc_ops",
                "level",
                "op_id",
            ],
        )],
        ..Layout::PLAIN
    },
};

/// Table `groups` of a profile.
#[must_use]
pub fn build(profile: &Profile) -> RowTable<GroupRow> {
    let groups = profile.groups.iter().cloned().map(GroupRow::Group);
    let ops = profile.op_stats.iter().cloned().map(GroupRow::Op);
    let mut rows: Vec<GroupRow> = groups.chain(ops).collect();
    rows.sort_by_key(|row| (row.name(profile), row.op_id(profile)));
    TABLE.with(profile, rows)
}

/// A group or an op.
#[derive(Debug, Clone)]
pub enum GroupRow {
    /// A group.
    Group(GroupStats),
    /// An op.
    Op(OpStats),
}

impl GroupRow {
    fn name<'a>(&self, profile: &'a Profile) -> &'a str {
        match self {
            Self::Group(group) => group.name(&profile.index),
            Self::Op(op) => profile.op_name(op.op),
        }
    }

    fn op_id<'a>(&self, profile: &'a Profile) -> &'a str {
        match self {
            Self::Group(_) => "",
            Self::Op(op) => profile.op_id(op.op),
        }
    }

    fn level(&self, profile: &Profile) -> u64 {
        match self {
            Self::Group(group) => group.level,
            Self::Op(op) => profile.op_name(op.op).matches('/').count() as u64 + 1,
        }
    }

    fn calls(&self) -> u64 {
        match self {
            Self::Group(group) => group.calls,
            Self::Op(op) => op.times.cpu.count,
        }
    }

    fn tc_eligible_ops(&self) -> u64 {
        match self {
            Self::Group(group) => group.tc_eligible_ops,
            Self::Op(op) => op.tc_eligible.into(),
        }
    }

    fn tc_ops(&self) -> u64 {
        match self {
            Self::Group(group) => group.tc_ops,
            Self::Op(op) => op.uses_tc.into(),
        }
    }

    fn tc_compatible_ops(&self) -> u64 {
        match self {
            Self::Group(group) => group.tc_compatible_ops,
            Self::Op(op) => (op.tc_eligible || op.uses_tc).into(),
        }
    }

    fn times(&self) -> &OpTimes {
        match self {
            Self::Group(group) => &group.times,
            Self::Op(op) => &op.times,
        }
    }
}
