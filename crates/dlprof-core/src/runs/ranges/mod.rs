//! Two ranges of iterations of one capture side by side: what one has that the other has not.
//!
//! Every amount is per iteration. Nothing here says whether a difference is chance: a range of one iteration has no noise
//! that could be estimated.

mod amounts;

use crate::base::Error;
use crate::base::ratios::{count_to_f64, to_f64};
use crate::base::time::total;
use crate::figures::profile::{Clock, Profile};
use crate::steps::iterate::{ClockChoice, DefaultRange, RangeChoice};
use amounts::{Amount, Amounts, ByName};
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// What the rows of a list are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RangeSubject {
    /// Classes of a step's time.
    Classes,
    /// Parts of the critical path.
    CriticalPath,
    /// Causes of idle time.
    IdleCauses,
    /// Ops.
    Ops,
    /// Kernels by name.
    Kernels,
    /// API functions.
    ApiCalls,
    /// Functions of the operating system.
    OsCalls,
    /// Long gaps by cause and by the work that ended them.
    Gaps,
}

impl RangeSubject {
    /// All subjects, from the whole to the details.
    pub const ALL: [Self; 8] = [
        Self::Classes,
        Self::CriticalPath,
        Self::IdleCauses,
        Self::Ops,
        Self::Kernels,
        Self::ApiCalls,
        Self::OsCalls,
        Self::Gaps,
    ];

    /// The heading of the list.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Classes => "Where the time goes",
            Self::CriticalPath => "What held the iterations up",
            Self::IdleCauses => "Why GPUs idle",
            Self::Ops => "Ops",
            Self::Kernels => "Kernels",
            Self::ApiCalls => "API calls",
            Self::OsCalls => "OS calls",
            Self::Gaps => "Gaps of 100 µs and more",
        }
    }

    /// What the times of the list are.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Classes => {
                "Time of an iteration by class, averaged over the used GPUs; the classes add up to the length."
            }
            Self::CriticalPath => {
                "Time on the critical path of a replay, by class and name as in table `critical_path`; none where it explains too little."
            }
            Self::IdleCauses => "Idle time by cause, averaged over the used GPUs.",
            Self::Ops => "GPU time of the calls of an op.",
            Self::Kernels => "Sum of the durations of the kernels of a name, over all GPUs.",
            Self::ApiCalls => {
                "Sum of the durations of the calls of a function that start in the range, over all threads; none where iterations are on \
                 the clock of the GPU, during which the host launches others."
            }
            Self::OsCalls => {
                "Sum of the durations of the calls of a function that start in the range, over all threads; calls inside other \
                 such calls are left out, and so are all where iterations are on the clock of the GPU."
            }
            Self::Gaps => {
                "Length of the gaps that lie in the range whole, over all GPUs, by cause and by the work that ended them."
            }
        }
    }
}

/// One of the two ranges.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedRange {
    /// First iteration.
    pub start: u32,
    /// Last iteration, inclusive.
    pub stop: u32,
    /// Number of iterations.
    pub iterations: u32,
    /// Mean duration on the clock in force, in nanoseconds.
    pub mean_ns: f64,
    /// The iteration of median duration.
    pub median: u32,
    /// Number of iterations by state, in order of the word.
    pub states: BTreeMap<&'static str, u32>,
}

/// A time and a count on both sides, per iteration.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedRangeRow {
    /// Of classes and causes the word of the tables; else the name of the op, kernel, function, or gap.
    pub name: String,
    /// Calls, launches or gaps in the first range; `None` where nothing is counted.
    pub base_calls: Option<f64>,
    /// The same in the second range.
    pub new_calls: Option<f64>,
    /// Time in the first range, in nanoseconds.
    pub base_ns: f64,
    /// Time in the second range.
    pub new_ns: f64,
    /// The second less the first.
    pub change_ns: f64,
}

/// The rows of a subject.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RangeDifferences {
    /// What the rows are about.
    pub subject: RangeSubject,
    /// Its heading.
    pub title: &'static str,
    /// What the times are.
    pub meaning: &'static str,
    /// One row for each name on either side, the largest change of time first, then by name.
    pub rows: Vec<ComparedRangeRow>,
}

/// Two ranges of one capture.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RangeComparison {
    /// Name of the capture's file.
    pub capture: String,
    /// The clock of durations, `cpu` or `gpu`.
    pub clock: &'static str,
    /// What the second range is compared with.
    pub base: ComparedRange,
    /// The second range.
    pub new: ComparedRange,
    /// The number of GPUs in use.
    pub gpus: usize,
    /// The lists that have rows.
    pub lists: Vec<RangeDifferences>,
}

impl RangeComparison {
    /// The rows of a subject; none if the capture says nothing of it.
    #[must_use]
    pub fn rows(&self, subject: RangeSubject) -> &[ComparedRangeRow] {
        self.lists.iter().find(|list| list.subject == subject).map_or(&[], |list| &list.rows)
    }

    /// How much longer an iteration of the second range takes, in nanoseconds.
    #[must_use]
    pub fn change_ns(&self) -> f64 {
        self.new.mean_ns - self.base.mean_ns
    }

    /// How much longer kernels take that an iteration of the second range launches, wherever they run, as a mean over GPUs; `None`
    /// without kernels.
    #[must_use]
    pub fn launched_change_ns(&self) -> Option<f64> {
        let kernels = self.rows(RangeSubject::Kernels);
        let change: f64 = kernels.iter().map(|row| row.change_ns).sum();
        (!kernels.is_empty()).then(|| change / count_to_f64(self.gpus.max(1) as u64))
    }

    /// The part of the critical path that takes half of the difference or more in its direction.
    #[must_use]
    pub fn main_cause(&self) -> Option<&ComparedRangeRow> {
        let holds = |row: &&ComparedRangeRow| {
            let same_way = row.change_ns * self.change_ns() > 0.0;
            same_way && 2.0 * row.change_ns.abs() >= self.change_ns().abs()
        };
        self.rows(RangeSubject::CriticalPath).iter().find(holds)
    }

    /// The class whose time changed most in the direction in which the iteration changed; `None` if no class did.
    #[must_use]
    pub fn main_class(&self) -> Option<&ComparedRangeRow> {
        let same_way = |row: &&ComparedRangeRow| row.change_ns * self.change_ns() > 0.0;
        self.rows(RangeSubject::Classes).iter().find(same_way)
    }
}

/// Compares two ranges of the iterations that a profile has, on the profile's clock.
///
/// # Errors
/// If a range ends before it starts, or after the last iteration.
pub fn compare_ranges(
    profile: &Profile,
    base: RangeInclusive<u32>,
    new: RangeInclusive<u32>,
) -> Result<RangeComparison, Error> {
    let clock = match profile.iterations.windows.clock {
        Clock::Cpu => ClockChoice::Cpu,
        Clock::Gpu => ClockChoice::Gpu,
    };
    let of_range = |range: &RangeInclusive<u32>| {
        let choice = RangeChoice {
            iter_start: Some(*range.start()),
            iter_stop: Some(*range.end()),
            otherwise: DefaultRange::All,
            clock,
            ..profile.iterations.choice
        };
        choice.check()?;
        profile.index.profile_with(&choice, profile.settings())
    };
    let (base, new) = (of_range(&base)?, of_range(&new)?);
    let sides = (compared(&base), compared(&new));
    let amounts = (Amounts::of_profile(&base), Amounts::of_profile(&new));
    let list = |subject| RangeDifferences {
        subject,
        title: subject.title(),
        meaning: subject.meaning(),
        rows: rows(
            (amounts.0.of(subject), f64::from(sides.0.iterations.max(1))),
            (amounts.1.of(subject), f64::from(sides.1.iterations.max(1))),
        ),
    };
    // What GPUs did is not known of iterations without records.
    let is_traced = [&base, &new]
        .into_iter()
        .all(|profile| profile.iterations.range().all(|number| profile.iterations.is_traced(number)));
    let is_known = |subject: &RangeSubject| {
        is_traced || matches!(subject, RangeSubject::ApiCalls | RangeSubject::OsCalls)
    };
    let lists = RangeSubject::ALL.into_iter().filter(is_known).map(list);
    let lists = lists.filter(|list| !list.rows.is_empty());
    Ok(RangeComparison {
        capture: profile.capture.source.path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        clock: profile.iterations.windows.clock.as_str(),
        gpus: new.summary.gpus,
        lists: lists.collect(),
        base: sides.0,
        new: sides.1,
    })
}

/// The slowest of the aggregated iterations beside the one of median duration: what is compared if nobody says otherwise. `None`
/// if fewer than two are aggregated.
#[must_use]
pub fn usual_pair(profile: &Profile) -> Option<(RangeInclusive<u32>, RangeInclusive<u32>)> {
    let (median, slowest) = profile.median_and_slowest_iteration();
    (median != slowest).then_some((median..=median, slowest..=slowest))
}

fn compared(profile: &Profile) -> ComparedRange {
    let iterations = &profile.iterations;
    let durations = iterations.durations();
    let mut states: BTreeMap<&'static str, u32> = BTreeMap::new();
    for number in iterations.range() {
        if let Some(state) = iterations.states.get(number as usize) {
            *states.entry(state.as_str()).or_default() += 1;
        }
    }
    ComparedRange {
        start: iterations.start,
        stop: iterations.stop,
        iterations: iterations.aggregated(),
        mean_ns: to_f64(total(durations.iter().copied())) / count_to_f64(durations.len().max(1) as u64),
        median: profile.median_and_slowest_iteration().0,
        states,
    }
}

/// The amounts of both sides, each with its number of iterations.
fn rows(base: (&ByName, f64), new: (&ByName, f64)) -> Vec<ComparedRangeRow> {
    let mut names: Vec<&String> = base.0.keys().chain(new.0.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let row = |name: &String| {
        let amount = |side: &ByName| side.get(name).copied().unwrap_or_default();
        let (before, after) = (amount(base.0), amount(new.0));
        let is_counted = before.calls.is_some() || after.calls.is_some();
        let calls = |amount: Amount, iterations: f64| {
            is_counted.then(|| count_to_f64(amount.calls.unwrap_or(0)) / iterations)
        };
        let (base_ns, new_ns) = (to_f64(before.ns) / base.1, to_f64(after.ns) / new.1);
        ComparedRangeRow {
            name: name.clone(),
            base_calls: calls(before, base.1),
            new_calls: calls(after, new.1),
            base_ns,
            new_ns,
            change_ns: new_ns - base_ns,
        }
    };
    let mut rows: Vec<ComparedRangeRow> = names.into_iter().map(row).collect();
    rows.sort_by(|a, b| b.change_ns.abs().total_cmp(&a.change_ns.abs()).then_with(|| a.name.cmp(&b.name)));
    rows
}

#[cfg(test)]
mod tests;
