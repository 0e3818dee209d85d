//! Ops with copies folded, and op types.

use super::kernels::Shares;
use super::{Basis, Missing};
use crate::display::percentage;
use dlprof_core::{Direction, FoldedOps, Ns, OpTypeStats, Profile, Workload, percent};
use serde::Serialize;
use std::cmp::Reverse;

/// Ops of the aggregated iterations.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ops {
    /// What the times are.
    pub ranked_by: RankedBy,
    /// Number of ops, before copies are folded.
    pub count: usize,
    /// Number of ops with copies folded.
    pub folded: usize,
    /// Time of all ops in nanoseconds.
    pub total_ns: f64,
    /// Ops with copies folded, those with most time first, at most 50. Ops without time are left out.
    pub rows: Vec<OpRow>,
    /// How the time is shared between the forward and the backward pass; `None` where no op is known to be of one of them.
    pub passes: Option<Passes>,
    /// The same in words; of a program that trains also where it is not known.
    pub passes_said: Option<String>,
    /// Number of op types.
    pub type_count: usize,
    /// Op types, those with most time first, at most 50. Types without time are left out.
    pub types: Vec<OpTypeRow>,
    /// Why there are no rows although there is work, and what would name ops: nothing that was recorded tells them apart.
    pub unknown: Option<String>,
}

/// Shares of the time of all ops, in percent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Passes {
    /// Of ops of the forward pass; `None` where none is known to be.
    pub forward_percent: Option<f64>,
    /// Of ops of the backward pass; `None` where none is known to be.
    pub backward_percent: Option<f64>,
    /// Of ops of neither, such as an optimizer, and of ops of which it is not known.
    pub neither_percent: f64,
}

impl Passes {
    fn in_words(self) -> String {
        let known = |name: &str, share: Option<f64>| match share {
            Some(share) => format!("{name} {}", percentage(share)),
            None => format!("{name} not told"),
        };
        let (forward, backward) =
            (known("forward", self.forward_percent), known("backward", self.backward_percent));
        format!("{forward}, {backward}, neither {}", percentage(self.neither_percent))
    }
}

/// Of a program that trains, and of whose ops none says its pass.
const PASSES_UNKNOWN: &str = "forward and backward are not told apart: explain forward";

impl Ops {
    /// The same, without the one op that holds all work, where what is missing says that ops are not known.
    pub(super) fn without_unknown(self, missing: &[Missing]) -> Self {
        match missing.iter().find(|missing| missing.figure == "ops" && self.rows.len() == 1) {
            Some(Missing { reason, option, .. }) => Self {
                rows: Vec::new(),
                types: Vec::new(),
                passes: None,
                passes_said: None,
                unknown: Some(format!("not known: {reason}; to mark them: {option}")),
                ..self
            },
            None => self,
        }
    }
}

/// How many ops and op types are listed.
pub(super) const MOST: usize = 50;

/// What times of ops are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RankedBy {
    /// Time covered by an op's kernels, copies and memsets.
    GpuTime,
    /// Time inside the range of an op and outside of those nested in it, because the capture has no kernel records.
    CpuTime,
}

impl RankedBy {
    /// The words for people.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::GpuTime => "GPU time",
            Self::CpuTime => "range time",
        }
    }
}

/// Ops that are copies of each other, or one op.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OpRow {
    /// The name; `*` is where copies have different numbers.
    pub name: String,
    /// Forward or backward pass, as tables have it; empty where it has none, and where nothing ran backward.
    pub direction: &'static str,
    /// Op type.
    pub op_type: String,
    /// Their time in nanoseconds.
    pub ns: f64,
    /// Share of the time of all ops.
    pub percent: f64,
    /// Share of this and all rows before.
    pub cumulative_percent: f64,
    /// Calls of all copies together.
    pub calls: f64,
    /// Share of the time that found the op by time, not by its thread; `None` where nothing did in this capture.
    pub by_time_percent: Option<f64>,
    /// The copies; one row for an op without copies.
    pub members: Vec<OpMember>,
}

impl OpRow {
    /// The name, and after it the direction where it has one.
    #[must_use]
    pub(crate) fn name_with_direction(&self) -> String {
        match self.direction {
            "" => self.name.clone(),
            direction => format!("{} {direction}", self.name),
        }
    }
}

/// One of several copies of an op.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OpMember {
    /// Op ID.
    pub op_id: String,
    /// Its name.
    pub name: String,
    /// Its time in nanoseconds.
    pub ns: f64,
}

/// All ops of a type.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OpTypeRow {
    /// The op type.
    pub op_type: String,
    /// Number of ops.
    pub ops: u64,
    /// Their time in nanoseconds.
    pub ns: f64,
    /// Share of the time of all ops.
    pub percent: f64,
    /// Share of this and all rows before.
    pub cumulative_percent: f64,
    /// Calls.
    pub calls: f64,
}

pub(super) fn ops(profile: &Profile, basis: Basis) -> Ops {
    let folded = profile.folded_ops();
    let ranked_by = if profile.has_kernel_records() { RankedBy::GpuTime } else { RankedBy::CpuTime };
    let total: Ns = folded.iter().map(|ops| time(ops, ranked_by)).sum();
    let mut shares = Shares::of(total);
    let has_backward = folded.iter().any(|ops| ops.direction == Direction::Backward);
    let direction = |ops: &FoldedOps| if has_backward { ops.direction.as_str() } else { "" };
    let listed = folded.iter().filter(|ops| time(ops, ranked_by) > 0).take(MOST);
    let rows = listed.map(|ops| OpRow {
        direction: direction(ops),
        ..row(profile, ops, basis, ranked_by, shares.next(time(ops, ranked_by)))
    });
    let trains = matches!(profile.serving().workload, Workload::Training | Workload::Both);
    let passes = passes(&folded, ranked_by, total, trains);
    let unknown = (trains && total > 0).then(|| PASSES_UNKNOWN.to_owned());
    Ops {
        ranked_by,
        passes,
        passes_said: passes.map(Passes::in_words).or(unknown),
        count: profile.op_stats.len(),
        folded: folded.len(),
        total_ns: basis.each(total),
        rows: rows.collect(),
        type_count: profile.op_types.len(),
        types: types(profile, basis, ranked_by, total),
        unknown: None,
    }
}

fn passes(folded: &[FoldedOps], ranked_by: RankedBy, total: Ns, trains: bool) -> Option<Passes> {
    let share = |direction| {
        let ops = folded.iter().filter(|ops| ops.pass() == direction);
        percent(ops.map(|ops| time(ops, ranked_by)).sum(), total)
    };
    let known = |direction| Some(share(direction)).filter(|&percent| percent > 0.0);
    let (forward_percent, backward_percent) = (known(Direction::Forward), known(Direction::Backward));
    (backward_percent.is_some() || trains && forward_percent.is_some()).then(|| Passes {
        forward_percent,
        backward_percent,
        neither_percent: share(Direction::None),
    })
}

fn time(ops: &FoldedOps, ranked_by: RankedBy) -> Ns {
    match ranked_by {
        RankedBy::GpuTime => ops.gpu_time_ns,
        RankedBy::CpuTime => ops.cpu_time_ns,
    }
}

fn row(
    profile: &Profile,
    ops: &FoldedOps,
    basis: Basis,
    ranked_by: RankedBy,
    (share, cumulative_percent): (f64, f64),
) -> OpRow {
    let knows_by_time = ranked_by == RankedBy::GpuTime && profile.capture.description.loose_calls > 0;
    let members = ops.members.iter().map(|member| OpMember {
        op_id: profile.op_id(member.op).to_owned(),
        name: profile.op_name(member.op).to_owned(),
        ns: basis.each(match ranked_by {
            RankedBy::GpuTime => member.gpu_time_ns,
            RankedBy::CpuTime => member.cpu_time_ns,
        }),
    });
    OpRow {
        name: ops.name.clone(),
        direction: "",
        op_type: ops.op_type.clone(),
        ns: basis.each(time(ops, ranked_by)),
        percent: share,
        cumulative_percent,
        calls: basis.each_count(ops.calls),
        by_time_percent: knows_by_time.then(|| percent(ops.by_time_gpu_time_ns, ops.gpu_time_ns)),
        members: members.collect(),
    }
}

fn types(profile: &Profile, basis: Basis, ranked_by: RankedBy, total: Ns) -> Vec<OpTypeRow> {
    let time = |row: &OpTypeStats| match ranked_by {
        RankedBy::GpuTime => row.times.gpu.sum,
        RankedBy::CpuTime => row.times.cpu.sum,
    };
    let mut types: Vec<&OpTypeStats> = profile.op_types.iter().filter(|row| time(row) > 0).collect();
    types.sort_by(|a, b| (Reverse(time(a)), &a.op_type).cmp(&(Reverse(time(b)), &b.op_type)));
    let mut shares = Shares::of(total);
    let row = |row: &OpTypeStats| {
        let (percent, cumulative_percent) = shares.next(time(row));
        OpTypeRow {
            op_type: row.op_type.clone(),
            ops: row.ops,
            ns: basis.each(time(row)),
            percent,
            cumulative_percent,
            calls: basis.each_count(row.times.cpu.count),
        }
    };
    types.into_iter().take(MOST).map(row).collect()
}
