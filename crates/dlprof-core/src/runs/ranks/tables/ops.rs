//! Table `rank_ops`: the ops on which ranks of a group differ.

use super::super::arithmetic::{median, median_f64, of_count};
use super::super::groups::group_name;
use super::super::job::{Job, JobRank};
use super::declaration::{JobColumn, JobDeclaration};
use crate::base::ratios::count_to_f64;
use crate::base::time::Ns;
use crate::tables::{Layout, Unit};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// An op of a group.
pub(super) struct Row {
    op: String,
    group: usize,
    ranks: usize,
    others_ns: Ns,
    most_ns: Ns,
    rank: i64,
    kernels_others: f64,
    kernels: f64,
}

impl Row {
    fn excess_ns(&self) -> Ns {
        self.most_ns - self.others_ns
    }
}

/// Table `rank_ops`.
pub(super) static TABLE: JobDeclaration<Row> = JobDeclaration {
    key: "rank_ops",
    title: "Ops of Ranks",
    doc: "A row per group and op: compute kernels of a step on the rank that needs most, and on the others.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["op", "max_rank", "excess_ns", "gpu_ns_max", "gpu_ns_others"],
        ..Layout::PLAIN
    },
};

/// By op: of each member of a group the kernels of a step and their time.
type ByOp<'a> = BTreeMap<&'a str, Vec<Option<(f64, Ns)>>>;

pub(super) fn rows(job: &Job) -> Vec<Row> {
    let mut rows: Vec<Row> = (0..job.groups).flat_map(|group| of_group(job, group)).collect();
    rows.sort_by_key(|row| Reverse(row.excess_ns()));
    rows
}

fn of_group(job: &Job, group: usize) -> Vec<Row> {
    let members: Vec<&JobRank> =
        job.ranks.iter().filter(|rank| rank.group == group && !rank.steps.of.is_empty()).collect();
    let mut ops = ByOp::new();
    for (at, rank) in members.iter().enumerate() {
        let steps = rank.steps.of.len();
        for of in &rank.ops {
            let per_step = of.time_ns.div_euclid(Ns::try_from(steps).unwrap_or(Ns::MAX));
            let list = ops.entry(&of.op).or_insert_with(|| vec![None; members.len()]);
            list[at] = Some((count_to_f64(of.kernels) / of_count(steps), per_step));
        }
    }
    ops.into_iter().filter_map(|(op, of)| row(op, group, &members, &of)).collect()
}

fn row(op: &str, group: usize, members: &[&JobRank], of: &[Option<(f64, Ns)>]) -> Option<Row> {
    let figures: Vec<(f64, Ns)> = of.iter().map(|one| one.unwrap_or_default()).collect();
    // Of equals the lowest rank.
    let most = (0..figures.len()).rev().max_by_key(|&at| figures[at].1)?;
    // A rank without others is compared with itself.
    let is_alone = members.len() == 1;
    let others = || (0..members.len()).filter(|&at| is_alone || at != most);
    Some(Row {
        op: op.to_owned(),
        group,
        ranks: of.iter().flatten().count(),
        others_ns: median(others().map(|at| figures[at].1))?,
        most_ns: figures[most].1,
        rank: members[most].rank,
        kernels_others: median_f64(others().map(|at| figures[at].0))?,
        kernels: figures[most].0,
    })
}

static COLUMNS: LazyLock<Vec<JobColumn<Row>>> = LazyLock::new(|| {
    const NS: Unit = Unit::Nanoseconds;
    vec![
        JobColumn::text(
            "op",
            "Op",
            "Path of the user ranges, without numbers of steps; empty for kernels outside of ranges.",
            |_, row: &Row| row.op.as_str().into(),
        ),
        JobColumn::text("group", "Group", "The group of ranks.", |_, row| group_name(row.group).into()),
        JobColumn::int("ranks", "Ranks", Unit::None, "How many of its ranks have the op.", |_, row| {
            (row.ranks as u64).into()
        }),
        JobColumn::int(
            "gpu_ns_others",
            "GPU Time, Others",
            NS,
            "Median time of its compute kernels in a step, of all ranks but the one that needs most.",
            |_, row| row.others_ns.into(),
        ),
        JobColumn::int(
            "gpu_ns_max",
            "GPU Time, Most",
            NS,
            "The same of the rank that needs most.",
            |_, row| row.most_ns.into(),
        ),
        JobColumn::int("max_rank", "Rank", Unit::None, "The rank that needs most.", |_, row| row.rank.into()),
        JobColumn::int("excess_ns", "Excess", NS, "What it needs more than the others.", |_, row| {
            row.excess_ns().into()
        }),
        JobColumn::float(
            "kernels_others",
            "Kernels, Others",
            Unit::None,
            "Median number of the compute kernels of the others in a step.",
            |_, row| row.kernels_others.into(),
        ),
        JobColumn::float(
            "kernels_max_rank",
            "Kernels",
            Unit::None,
            "Number of the compute kernels of that rank in a step.",
            |_, row| row.kernels.into(),
        ),
    ]
});
