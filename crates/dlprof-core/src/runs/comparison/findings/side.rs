//! A finding in the runs of one side.

use crate::runs::document::{BaselineRun, MainFigure, RunFinding, RunFindings, RunSaving};
use serde::Serialize;

/// A finding in the runs of one side.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct FindingSide {
    /// Number of runs that have it.
    pub runs: usize,
    /// Number of runs in which its rule was applied.
    pub of_runs: usize,
    /// The median of its savings; `None` if one of the runs that have it has no saving, or savings of another kind.
    pub saving: Option<RunSaving>,
    /// The median of its main figures; `None` if one of the runs that have it has no figure, or another one.
    pub figure: Option<MainFigure>,
    /// The greatest of these savings minus the least, in nanoseconds; 0 for one run.
    pub saving_spread_ns: f64,
    /// The greatest of these main figures minus the least; 0 for one run.
    pub figure_spread: f64,
}

impl FindingSide {
    /// Whether the side has the finding: at least half of its runs do.
    #[must_use]
    pub(crate) fn has_it(&self) -> bool {
        self.runs > 0 && 2 * self.runs >= self.of_runs
    }

    /// Its saving in nanoseconds, if the side has it; else 0.
    pub(super) fn saving_ns(&self) -> f64 {
        self.saving.filter(|_| self.has_it()).map_or(0.0, |saving| saving.ns)
    }
}

/// The runs of one side.
pub(super) struct Runs<'a> {
    /// What people call the side.
    name: &'static str,
    /// Number of iterations of each run.
    iterations: Vec<u32>,
    /// Number of all runs.
    all: usize,
    /// The findings of the runs whose findings are known.
    known: Vec<&'a RunFindings>,
}

impl<'a> Runs<'a> {
    pub(super) fn new(name: &'static str, runs: &'a [BaselineRun]) -> Self {
        Self {
            name,
            iterations: runs.iter().map(|run| run.iterations.total).collect(),
            all: runs.len(),
            known: runs.iter().filter_map(|run| run.findings.as_ref()).collect(),
        }
    }

    /// Whether the findings of no run are known.
    pub(super) fn is_unknown(&self) -> bool {
        self.known.is_empty()
    }

    /// A sentence about runs whose findings are not known, if there are such runs.
    pub(super) fn unknown(&self) -> Option<String> {
        let name = self.name;
        let advice = "make the file again with this version";
        match self.all - self.known.len() {
            0 => None,
            missing if missing == self.all => Some(format!(
                "findings are not compared: those of {name} are not known, because an earlier version did not keep them; {advice}"
            )),
            missing => Some(format!(
                "the findings of {missing} of {} runs of {name} are not known and not compared; {advice}",
                self.all
            )),
        }
    }

    /// Ids of the findings of all runs, in any order.
    pub(super) fn ids(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.known.iter().flat_map(|findings| &findings.found).map(|finding| finding.id.as_str())
    }

    /// Number of runs in which a rule was applied.
    pub(super) fn asked(&self, id: &str) -> usize {
        self.known.iter().filter(|findings| findings.rules.contains(id)).count()
    }

    /// Number of iterations of each run.
    pub(super) fn iterations(&self) -> impl Iterator<Item = u32> + '_ {
        self.iterations.iter().copied()
    }

    /// The finding in the last run that has it.
    pub(super) fn last(&self, id: &str) -> Option<&'a RunFinding> {
        self.all_of(id).last().copied()
    }

    /// The finding in all runs.
    pub(super) fn side(&self, id: &str) -> FindingSide {
        let found = self.all_of(id);
        let savings = found.iter().filter_map(|finding| finding.saving.map(|saving| saving.ns));
        let figures = found.iter().filter_map(|finding| finding.figure.as_ref().map(|figure| figure.value));
        FindingSide {
            runs: found.len(),
            of_runs: self.asked(id),
            saving: saving(&found),
            figure: figure(&found),
            saving_spread_ns: spread(savings),
            figure_spread: spread(figures),
        }
    }

    fn all_of(&self, id: &str) -> Vec<&'a RunFinding> {
        self.known.iter().flat_map(|findings| &findings.found).filter(|finding| finding.id == id).collect()
    }
}

fn saving(found: &[&RunFinding]) -> Option<RunSaving> {
    let savings: Vec<RunSaving> = found.iter().map(|finding| finding.saving).collect::<Option<_>>()?;
    let kind = savings.first()?.kind;
    let is_one_kind = savings.iter().all(|saving| saving.kind == kind);
    let ns = median(savings.iter().map(|saving| saving.ns).collect())?;
    is_one_kind.then_some(RunSaving { ns, kind })
}

fn figure(found: &[&RunFinding]) -> Option<MainFigure> {
    let figures: Vec<&MainFigure> =
        found.iter().map(|finding| finding.figure.as_ref()).collect::<Option<_>>()?;
    let name = &figures.first()?.name;
    let has_one_name = figures.iter().all(|figure| figure.name == *name);
    let value = median(figures.iter().map(|figure| figure.value).collect())?;
    has_one_name.then(|| MainFigure { name: name.clone(), value })
}

/// The median; of an even number of values, the mean of the two in the middle.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let upper = values.get(values.len() / 2)?;
    let lower = values.get((values.len() - 1) / 2)?;
    Some(f64::midpoint(*lower, *upper))
}

/// The greatest value minus the least; 0 without values.
fn spread(values: impl Iterator<Item = f64>) -> f64 {
    let (least, greatest) =
        values.fold((f64::MAX, f64::MIN), |(least, greatest), value| (least.min(value), greatest.max(value)));
    f64::max(greatest - least, 0.0)
}
