//! Which ops of a run stand in a baseline by themselves. A capture can have hundreds of thousands, each of which would cost
//! more in a baseline than in the capture; those beyond a limit are together.

use super::BaselineOp;
use super::kept_names::{OTHER_OPS, name};
use super::used::Columns;
use super::used_sums::{OpSums, Sum};
use crate::base::ids::{Maybe, OpId};
use crate::base::limits;
use crate::figures::profile::{IterationOpStats, Profile, WorkByName};
use std::collections::BTreeMap;

/// How many ops of a run have figures of their own: those that start first, which are the same in every run of a program.
pub(crate) const MOST_OPS: usize = limits::BASELINE_OPS.most;

/// How many op types, groups and kernel names have figures of their own: those with most GPU time.
pub(crate) const MOST_NAMES: usize = limits::BASELINE_NAMES.most;

/// The ops of a run, and their place among what is kept.
pub(super) struct KeptOps {
    /// By op: its place; none if the op was not used.
    places: Vec<Option<u32>>,
    /// The first op at each place.
    first: Vec<OpId>,
    /// By op: its place in order of first start.
    position: Vec<u32>,
    /// Whether the last place is that of all later ops.
    has_others: bool,
}

impl KeptOps {
    /// The first `most` of the ops that have GPU time or launches in used iterations, and the others.
    pub(super) fn new(
        profile: &Profile,
        (iteration_ops, work): (&[IterationOpStats], &WorkByName),
        columns: &Columns,
        most: usize,
    ) -> Self {
        let mut is_used = vec![false; profile.index.ops.len()];
        for row in iteration_ops.iter().filter(|row| row.times.gpu_ns > 0 && columns.is_used(row.iteration)) {
            is_used[row.op.index()] = true;
        }
        for row in work.rows.iter().filter(|row| columns.is_used(row.iteration)) {
            if let Some(op) = row.op.some() {
                is_used[op.index()] = true;
            }
        }
        let mut by_start: Vec<OpId> = (0..is_used.len()).map(OpId::new).collect();
        by_start.sort_by_key(|id| (profile.index.ops[id.index()].first_start, *id));
        let mut position = vec![0; by_start.len()];
        for (at, id) in (0..).zip(&by_start) {
            position[id.index()] = at;
        }
        let used = by_start.into_iter().filter(|id| is_used[id.index()]);
        let (mut places, mut first, mut has_others) = (vec![None; is_used.len()], Vec::new(), false);
        for (at, id) in used.enumerate() {
            has_others = at >= most;
            if at <= most {
                first.push(id);
            }
            places[id.index()] = u32::try_from(at.min(most)).ok();
        }
        Self { places, first, position, has_others }
    }

    /// The place of an op, which is used.
    pub(super) fn place(&self, op: OpId) -> Option<usize> {
        self.places[op.index()].map(|place| place as usize)
    }

    /// The key of an op: its own, or that of all later ones.
    pub(super) fn key(&self, profile: &Profile, op: Maybe<OpId>) -> String {
        let Some(op) = op.some() else { return "unassociated".to_owned() };
        let is_other = self.has_others && self.place(op) == Some(self.first.len() - 1);
        if is_other {
            return BaselineOp::key(OTHER_OPS, "", 1);
        }
        let ordinal = profile.index.ops[op.index()].ordinal;
        BaselineOp::key(&name(profile.op_name(op)), profile.label(op).direction.as_str(), ordinal)
    }

    /// Empty sums by place.
    pub(super) fn sums<'a>(&self, profile: &Profile) -> Vec<OpSums<'a>> {
        let sums = |op: BaselineOp| OpSums { op, time: Sum::default(), launches: BTreeMap::new() };
        let own = |&id: &OpId| {
            let label = profile.label(id);
            sums(BaselineOp {
                name: name(profile.op_name(id)).into_owned(),
                op_type: name(&label.op_type).into_owned(),
                direction: label.direction.as_str().to_owned(),
                ordinal: profile.index.ops[id.index()].ordinal,
                shapes: name(&label.shapes.inputs).into_owned(),
                position: self.position[id.index()],
                ..BaselineOp::default()
            })
        };
        let mut all: Vec<OpSums<'a>> = self.first.iter().map(own).collect();
        if let Some(others) = all.last_mut().filter(|_| self.has_others) {
            let position = others.op.position;
            let (name, op_type) = (OTHER_OPS.to_owned(), OTHER_OPS.to_owned());
            others.op = BaselineOp { name, op_type, ordinal: 1, position, ..BaselineOp::default() };
        }
        all
    }
}
