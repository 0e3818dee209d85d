//! What a change of the program would do: the iterations replayed with it.

use super::chosen::KernelsOf;
use super::edit::Edit;
use super::graph::Change;
use super::model::{Model, NotReplayed};
use super::path::{
    CriticalPath, MOST_UNEXPLAINED_PERCENT, PathLimit, critical_path, limiter, unexplained_percent,
};
use super::window::Reach;
use crate::base::diagnostics::DiagnosticCode;
use crate::base::ratios::percent;
use crate::base::time::Ns;
use crate::figures::profile::Profile;
use serde::Serialize;

/// The aggregated iterations of a profile as a graph of what waits for what, which can be replayed with changes.
#[derive(Debug)]
pub struct Replay {
    model: Model,
}

/// The iterations with some edits.
#[derive(Debug, Clone, PartialEq)]
pub struct WhatIf {
    /// The changes in order, each with what those up to it do together.
    pub edits: Vec<EditOutcome>,
    /// Changes that findings advise, each alone.
    pub advised: Vec<EditOutcome>,
    /// What the iterations consist of as they were recorded.
    pub before: CriticalPath,
    /// What they consist of with all edits.
    pub after: CriticalPath,
    /// The iterations that are replayed; `None` without iterations, and one of them is all that is looked at.
    pub iterations: Option<u64>,
    /// How often the step runs in them, over which times of an iteration are means: more often where some are unsplit.
    pub passes: u64,
    /// How long an iteration takes as it was recorded.
    pub step_ns: Ns,
    /// How long it takes with all edits.
    pub step_after_ns: Ns,
    /// What was recorded in an order that cannot be, and is left out of what waits for what.
    pub contradictions: u64,
    /// How long it would take if GPU work, or the host, took no time.
    pub bounds: Bounds,
    /// What is wrong with the capture, so that no figures are given; `None` where nothing is known to be.
    pub misleads: Option<String>,
}

/// How short an iteration can become, by what takes no time in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Bounds {
    /// How long it takes as it was recorded.
    pub step_ns: Ns,
    /// How long it would take if GPU work took no time.
    pub without_gpu_ns: Ns,
    /// How long it would take if the host took no time.
    pub without_host_ns: Ns,
    /// How long it would take if kernels took no time, but copies and exchange did.
    pub without_kernels_ns: Ns,
    /// How long it would take if what it waits for outside of the program were there at once.
    pub without_input_ns: Ns,
}

impl Bounds {
    /// What shorter GPU work can save at most, in percent.
    #[must_use]
    pub fn gpu_percent(self) -> f64 {
        percent(self.step_ns - self.without_gpu_ns, self.step_ns)
    }

    /// What shorter kernels can save at most, in percent.
    pub(crate) fn kernels_percent(self) -> f64 {
        percent(self.step_ns - self.without_kernels_ns, self.step_ns)
    }

    /// What can be saved if nothing outside of the program is waited for, in percent.
    #[must_use]
    pub fn input_percent(self) -> f64 {
        percent(self.step_ns - self.without_input_ns, self.step_ns)
    }

    /// What a faster host can save at most, in percent.
    #[must_use]
    pub fn host_percent(self) -> f64 {
        percent(self.step_ns - self.without_host_ns, self.step_ns)
    }
}

/// Edits that are one change of a program: one in words, or those that stand for what a finding advises.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedEdits {
    /// The edit in words, or the name of the finding.
    pub(crate) name: String,
    /// The edits.
    pub(crate) edits: Vec<Edit>,
    /// What those of a finding are.
    pub(crate) basis: Option<String>,
    /// Whether they are the most that can be had.
    pub(crate) is_at_most: bool,
    /// What they save of an iteration alone, where a finding says it: as much of the replay as can be had.
    pub(crate) said_ns: Option<Ns>,
}

impl NamedEdits {
    /// The edit in words, or the name of the finding.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl From<Edit> for NamedEdits {
    fn from(edit: Edit) -> Self {
        Self {
            name: edit.text().to_owned(),
            edits: vec![edit],
            basis: None,
            is_at_most: false,
            said_ns: None,
        }
    }
}

/// What a change does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditOutcome {
    /// The edit in words, or the name of the finding that advises it.
    pub edit: String,
    /// What is edited for a finding; none of an edit in words.
    pub basis: Option<String>,
    /// Whether it is the most that can be had.
    pub is_at_most: bool,
    /// How many calls or pieces of GPU work it is about, in all iterations.
    pub matches: u64,
    /// How long an iteration takes with this edit and those before it.
    pub step_ns: Ns,
    /// How much less an iteration takes with this edit alone; negative if it takes more.
    pub alone_ns: Ns,
}

/// How much is replayed, for savings, which every dashboard has, and where changes are asked for.
const REACH: Reach = Reach { calls_of_iterations: 40_000, calls_of_capture: 2_000_000 };

/// Captures without iterations that have more calls have no replayed savings: a dashboard is to be quick.
const MOST_CALLS_OF_SAVINGS: usize = 100_000;

impl Replay {
    /// What waits for what in the aggregated iterations that findings are about.
    ///
    /// # Errors
    /// If no launch of GPU work is recorded there, or the capture has no iterations and is too long.
    pub fn of(profile: &Profile) -> Result<Self, NotReplayed> {
        Ok(Self { model: Model::of(profile, REACH)? })
    }

    /// The same for savings. None for a capture without iterations that is too long, for a trace in which most of what happened is
    /// missing, and where the few iterations that can be replayed are not like all of them.
    pub(crate) fn for_savings(profile: &Profile) -> Option<Self> {
        let is_thinned = profile.capture.diagnostics.counted(DiagnosticCode::ThinnedTrace) > 0;
        let is_long =
            profile.iterations.key_node.is_none() && profile.capture.api_calls.len() > MOST_CALLS_OF_SAVINGS;
        if is_thinned || is_long {
            return None;
        }
        Self::of(profile).ok().filter(|replay| replay.model.window.is_typical)
    }

    /// Whether so much of the critical path is explained that what changes save can be said.
    pub(crate) fn is_explained(&self) -> bool {
        self.unexplained_percent() <= MOST_UNEXPLAINED_PERCENT
    }

    /// What edits save together of an iteration; of all that is replayed where there are no iterations.
    pub(crate) fn saved_of(&self, edits: &[Edit]) -> Ns {
        self.model.saved_ns(&self.with(edits).replay())
    }

    /// The same, and what limits then.
    pub(crate) fn saved_and_limiter(&self, edits: &[Edit]) -> (Ns, Option<PathLimit>) {
        let change = self.with(edits);
        let times = change.replay();
        (self.model.saved_ns(&times), limiter(&self.model, &change, &times))
    }

    fn with(&self, edits: &[Edit]) -> Change<'_> {
        let mut change = Change::none(&self.model.graph);
        for edit in edits {
            edit.apply(&self.model, &mut change);
        }
        change
    }

    /// What the iterations consist of.
    #[must_use]
    pub fn critical_path(&self) -> CriticalPath {
        critical_path(&self.model, &Change::none(&self.model.graph), &self.model.graph.observed)
    }

    /// How long an iteration takes as it was recorded: the mean that pages show of the iterations that are replayed.
    #[must_use]
    pub fn step_ns(&self) -> Ns {
        self.model.window.mean_ns.unwrap_or_else(|| self.model.step_ns(&self.model.graph.observed))
    }

    /// Whether anything is recorded that edits are about.
    pub(crate) fn is_about_something(&self, edits: &[Edit]) -> bool {
        let mut change = Change::none(&self.model.graph);
        edits.iter().map(|edit| edit.apply(&self.model, &mut change)).sum::<usize>() > 0
    }

    /// How short an iteration can become.
    pub(crate) fn bounds(&self) -> Bounds {
        let step_ns = self.step_ns();
        let without = |edit: &Edit| (step_ns - self.saved_ns(edit)).max(0);
        Bounds {
            step_ns,
            without_gpu_ns: without(&Edit::without_gpu()),
            without_host_ns: without(&Edit::without_host()),
            without_kernels_ns: without(&Edit::kernels(KernelsOf::default(), 0.0)),
            without_input_ns: match self.model.arrivals {
                0 => step_ns,
                _ => without(&Edit::input_at_once()),
            },
        }
    }

    /// What of the critical path no record explains, in percent.
    pub(crate) fn unexplained_percent(&self) -> f64 {
        unexplained_percent(&self.model)
    }

    /// How much less an iteration takes with an edit; negative if it takes more.
    #[must_use]
    pub fn saved_ns(&self, edit: &Edit) -> Ns {
        let mut change = Change::none(&self.model.graph);
        edit.apply(&self.model, &mut change);
        self.model.saved_ns(&change.replay())
    }

    /// The iterations with changes, which are made in order, and with other changes, each alone.
    #[must_use]
    pub fn what_if(&self, changes: &[NamedEdits], alone: &[NamedEdits]) -> WhatIf {
        let (model, step_ns) = (&self.model, self.step_ns());
        let mut change = Change::none(&model.graph);
        let outcomes = changes.iter().enumerate().map(|(at, named)| {
            let own = self.alone(named);
            let matches = named.edits.iter().map(|edit| edit.apply(model, &mut change) as u64).sum();
            let together = match at {
                0 => own.alone_ns,
                _ => model.saved_ns(&change.replay()),
            };
            EditOutcome { matches, step_ns: (step_ns - together).max(0), ..own }
        });
        let edits: Vec<EditOutcome> = outcomes.collect();
        WhatIf {
            before: self.critical_path(),
            after: critical_path(model, &change, &change.replay()),
            step_ns,
            iterations: Some(model.window.steps.len() as u64).filter(|&count| count > 0),
            passes: model.passes().unsigned_abs(),
            contradictions: model.graph.contradicted as u64,
            step_after_ns: edits.last().map_or(step_ns, |edit| edit.step_ns),
            bounds: self.bounds(),
            misleads: None,
            edits,
            advised: alone.iter().map(|named| self.alone(named)).collect(),
        }
    }

    /// A change by itself.
    fn alone(&self, named: &NamedEdits) -> EditOutcome {
        let mut change = Change::none(&self.model.graph);
        let matches = named.edits.iter().map(|edit| edit.apply(&self.model, &mut change) as u64).sum();
        let alone_ns = named.said_ns.unwrap_or_else(|| self.model.saved_ns(&change.replay()));
        EditOutcome {
            edit: named.name.clone(),
            basis: named.basis.clone(),
            is_at_most: named.is_at_most,
            matches,
            step_ns: (self.step_ns() - alone_ns).max(0),
            alone_ns,
        }
    }
}

#[cfg(test)]
impl Replay {
    pub(super) fn model(&self) -> &Model {
        &self.model
    }
}
