//! One rule applied to one number.

use crate::base::ratios::count_to_f64;
use crate::runs::comparison::{ComparedRow, Comparison, Trend};
use crate::runs::metrics::{self, RunUnit, WorseWhen};
use crate::runs::policy::{Inconclusive, PolicyRule};
use crate::runs::statistics::holm;
use crate::runs::subject::Subject;
use crate::runs::words;
use serde::Serialize;

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum GateOutcome {
    /// The change is within the budget, or not larger than noise.
    Pass,
    /// The change is certainly over the budget.
    Fail,
    /// The number is certainly better.
    Improved,
    /// The samples do not allow a decision.
    Inconclusive,
    /// The number is undefined in these runs.
    NotApplicable,
}

impl GateOutcome {
    /// The word for people.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "FAIL",
            Self::Improved => "improved",
            Self::Inconclusive => "inconclusive",
            Self::NotApplicable => "not applicable",
        }
    }
}

/// One rule applied to one number.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GateCheck {
    /// What the rule is about.
    pub kind: Subject,
    /// Metric or pattern of the rule.
    pub rule: String,
    /// What was compared; the name of the rule if nothing was compared.
    pub name: String,
    /// The numbers; `None` if there are none.
    pub row: Option<ComparedRow>,
    /// Which way is worse.
    pub worse: WorseWhen,
    /// Change that is over budget, in the unit of the number.
    pub limit: Option<f64>,
    /// The same in percent of the baseline.
    pub limit_percent: Option<f64>,
    /// Probability that noise alone makes the number so much worse, corrected for how many numbers the rule
    /// matches.
    pub p_value: Option<f64>,
    /// The same, also corrected for the number of rules that are over budget.
    pub adjusted_p_value: Option<f64>,
    /// One minus the confidence of the rule.
    pub level: f64,
    /// Smallest true change that would fail in 95 % of the cases, in the unit of the number.
    pub detectable: Option<f64>,
    /// The same in percent of the baseline.
    pub detectable_percent: Option<f64>,
    /// The result.
    pub outcome: GateOutcome,
    /// Why.
    pub reason: String,
    /// What inconclusive means for the verdict.
    pub inconclusive: Inconclusive,
}

impl GateCheck {
    fn new(rule: &PolicyRule, name: &str, outcome: GateOutcome, reason: String) -> Self {
        Self {
            kind: rule.kind,
            rule: rule.name.clone(),
            name: name.to_owned(),
            row: None,
            worse: rule.worse,
            limit: None,
            limit_percent: None,
            p_value: None,
            adjusted_p_value: None,
            level: 1.0 - rule.confidence,
            detectable: None,
            detectable_percent: None,
            outcome,
            reason,
            inconclusive: rule.inconclusive,
        }
    }

    /// Whether there are too few iterations for a decision.
    #[must_use]
    pub fn lacks_iterations(&self) -> bool {
        self.outcome == GateOutcome::Inconclusive && self.reason.ends_with(ARE_NEEDED)
    }

    /// Whether it may fail: the change is larger than the policy allows.
    pub(super) fn is_over_budget(&self) -> bool {
        let (Some(row), Some(limit)) = (&self.row, self.limit) else { return false };
        self.p_value.is_some()
            && self.outcome == GateOutcome::Pass
            && self.worse.turned(row.difference.change) > limit
    }

    /// Decides a check that is over budget. `factor` corrects the p-value for the other rules.
    pub(super) fn decide(&mut self, factor: f64) {
        let (Some(row), Some(p_value)) = (&self.row, self.p_value) else { return };
        let adjusted = (p_value * factor).min(1.0);
        self.adjusted_p_value = Some(adjusted);
        let over = over_budget(row, self.limit);
        let difference = &row.difference;
        let ranks = match self.worse {
            WorseWhen::More => difference.iterations_more,
            WorseWhen::Less => difference.iterations_less,
        };
        if adjusted > self.level {
            self.reason =
                format!("{over}, but noise alone can cause such a change (p = {})", words::p_value(adjusted));
        } else if ranks.is_some_and(|p| p > self.level) {
            self.reason = format!("{over}, but the iterations of both sides overlap too much");
        } else {
            self.outcome = GateOutcome::Fail;
            self.reason = format!("{over} (p {})", words::p_bound(adjusted));
        }
    }
}

fn over_budget(row: &ComparedRow, limit: Option<f64>) -> String {
    let limit = limit.unwrap_or_default();
    let text = match (row.difference.change_percent, row.unit) {
        (Some(percent), RunUnit::Ns | RunUnit::Count) => format!(
            "{} is over the budget of {}",
            words::signed_percent(percent),
            words::percent_of(limit, row.difference.base)
        ),
        _ => format!(
            "{} is over the budget of {}",
            words::change(row.difference.change, row.unit),
            words::amount(limit, row.unit)
        ),
    };
    match row.trend {
        Trend::New => format!("new: {text}"),
        _ => text,
    }
}

/// Applies a rule to everything that it matches.
pub(super) fn checks(rule: &PolicyRule, comparison: &Comparison, iteration_ns: f64) -> Vec<GateCheck> {
    if comparison.scope.is_none() {
        let reason = "one side has iterations, but the other side has none".to_owned();
        return vec![GateCheck::new(rule, &rule.name, GateOutcome::Inconclusive, reason)];
    }
    let rows: Vec<&ComparedRow> = match rule.kind {
        Subject::Metric => comparison.metric(&rule.name).into_iter().collect(),
        Subject::OpType => matching(rule, &comparison.op_types),
        Subject::Op => matching(rule, &comparison.ops),
        Subject::Group => matching(rule, &comparison.groups),
        Subject::Kernel => matching(rule, &comparison.kernels),
    };
    if rows.is_empty() {
        return vec![nothing_to_check(rule, comparison)];
    }
    let mut checks: Vec<GateCheck> = rows.into_iter().map(|row| check(rule, row, iteration_ns)).collect();
    match rule.name.as_str() {
        _ if rule.kind != Subject::Metric => {}
        metrics::GPU_IDLE => checks.iter_mut().for_each(|idle| excuse_less_work(idle, comparison)),
        metrics::LAUNCHES => {
            checks.iter_mut().for_each(|launches| excuse_faster(launches, comparison, rule.confidence))
        }
        _ => {}
    }
    let p_values: Vec<f64> = checks.iter().map(|check| check.p_value.unwrap_or(1.0)).collect();
    for (check, adjusted) in checks.iter_mut().zip(holm(&p_values)) {
        check.p_value = check.p_value.map(|_| adjusted);
    }
    checks
}

/// Rows whose name matches. For ops, the key without the ordinal may match too.
fn matching<'a>(rule: &PolicyRule, rows: &'a [ComparedRow]) -> Vec<&'a ComparedRow> {
    let fits = |name: &str| rule.pattern.as_ref().is_some_and(|pattern| pattern.is_match(name));
    let op_name = |key: &str| key.rsplit_once(" #").map(|(name, _)| name.to_owned()).unwrap_or_default();
    let plain = |name: String| {
        name.strip_suffix(" fprop").or(name.strip_suffix(" bprop")).map_or(name.clone(), str::to_owned)
    };
    let is_wanted = |row: &&ComparedRow| {
        let old = row.renamed_from.as_deref().into_iter();
        let keys: Vec<&str> = old.chain([row.key.as_str()]).collect();
        keys.iter().any(|key| {
            fits(key) || (rule.kind == Subject::Op && (fits(&op_name(key)) || fits(&plain(op_name(key)))))
        })
    };
    rows.iter().filter(is_wanted).collect()
}

fn nothing_to_check(rule: &PolicyRule, comparison: &Comparison) -> GateCheck {
    if comparison.partial_metrics.contains(&rule.name) {
        let reason = "only some of the runs have this number".to_owned();
        return GateCheck::new(rule, &rule.name, GateOutcome::Inconclusive, reason);
    }
    if rule.kind == Subject::Metric {
        let why = match rule.name.as_str() {
            metrics::ITEMS_PER_SECOND => "they were measured without `--batch-size`",
            metrics::JOB_WAIT => "no collectives of different ranks could be matched in common steps",
            metrics::JOB_LAG => "the ranks have no steps in common",
            metrics::COPY_TIME => "kernels or copies were not recorded",
            metrics::COMMUNICATION_TIME => {
                "no kernels were recorded, or nothing tells which of them exchange data"
            }
            name if metrics::OF_GPUS.contains(&name) => "no kernels were recorded",
            _ => "no op that could use matrix units ran a kernel",
        };
        let reason = format!("undefined in these runs: {why}");
        return GateCheck::new(rule, &rule.name, GateOutcome::NotApplicable, reason);
    }
    let reason = format!("no {} matches `{}`", rule.kind.as_str(), rule.name);
    let outcome = if rule.is_required { GateOutcome::Inconclusive } else { GateOutcome::NotApplicable };
    GateCheck::new(rule, &rule.name, outcome, reason)
}

fn check(rule: &PolicyRule, row: &ComparedRow, iteration_ns: f64) -> GateCheck {
    let difference = &row.difference;
    let base = difference.base.abs();
    let limit = rule.limit(difference.base, row.unit, iteration_ns);
    let (p_value, p_better) = match rule.worse {
        WorseWhen::More => (difference.p_more, difference.p_less),
        WorseWhen::Less => (difference.p_less, difference.p_more),
    };
    let detectable = difference.detectable.max(limit + difference.margin);
    let of_base = |amount: f64| (base > 0.0).then(|| amount / base * 100.0);
    let mut check = GateCheck {
        row: Some(row.clone()),
        limit: Some(limit),
        limit_percent: of_base(limit),
        p_value: Some(p_value),
        detectable: Some(detectable),
        detectable_percent: of_base(detectable),
        ..GateCheck::new(rule, &row.key, GateOutcome::Pass, "within the budget".to_owned())
    };
    let fewest = difference.samples.0.min(difference.samples.1);
    let is_unsampled = row.kind != Subject::Metric && difference.samples == (0, 0);
    if row.trend == Trend::Equal && fewest >= rule.minimum_iterations {
        check.reason = "no change at all".to_owned();
    } else if is_unsampled {
        // It was too small to be sampled on both sides, so it cannot have become large.
        check.outcome = GateOutcome::NotApplicable;
        check.reason = "below 0.5 % of the GPU time on both sides: not sampled".to_owned();
        check.p_value = None;
    } else if let Some(reason) = too_little(rule, row) {
        check.outcome = GateOutcome::Inconclusive;
        check.reason = reason;
        check.p_value = None;
    } else if rule.worse.turned(difference.change) < 0.0 && p_better <= 1.0 - rule.confidence {
        check.outcome = GateOutcome::Improved;
        check.reason = "better, by more than noise".to_owned();
    }
    check
}

/// More GPU idle time is a regression only if it makes iterations longer. If the iterations grew by less than half
/// as much as the idle time, the rest of the idle time comes from shorter work.
fn excuse_less_work(idle: &mut GateCheck, comparison: &Comparison) {
    let (Some(row), Some(iteration)) = (&idle.row, comparison.metric(metrics::ITERATION_TIME)) else {
        return;
    };
    if idle.is_over_budget() && iteration.difference.change < row.difference.change / 2.0 {
        idle.p_value = None;
        idle.reason = "more idle because the work takes less time; the iteration is not longer because of it"
            .to_owned();
    }
}

/// More launches are a regression only where they cost time: not of iterations that are certainly shorter.
fn excuse_faster(launches: &mut GateCheck, comparison: &Comparison, confidence: f64) {
    let iteration = comparison.metric(metrics::ITERATION_TIME).map(|row| &row.difference);
    let is_faster = iteration.is_some_and(|time| time.change < 0.0 && time.p_less <= 1.0 - confidence);
    if launches.is_over_budget() && is_faster {
        launches.p_value = None;
        launches.reason = "more launches, but iterations are shorter, by more than noise".to_owned();
    }
}

/// How a reason ends that says how many iterations are needed.
const ARE_NEEDED: &str = "are needed";

/// Why the samples do not allow a decision; `None` if they do.
fn too_little(rule: &PolicyRule, row: &ComparedRow) -> Option<String> {
    let (base, new) = row.difference.samples;
    let needed = rule.minimum_iterations;
    // Something that exists only on one side has samples only there.
    let counts = match row.trend {
        Trend::New => vec![new],
        Trend::Vanished => vec![base],
        _ if row.kind == Subject::Metric => vec![base, new],
        _ => vec![base, new].into_iter().filter(|&count| count > 0).collect(),
    };
    if counts.iter().any(|&count| count < needed) {
        let iterations = if base == 0 && new == 0 {
            "no iterations".to_owned()
        } else {
            format!("{base} and {new} iterations")
        };
        return Some(format!("{iterations}, at least {needed} {ARE_NEEDED}"));
    }
    // Even samples without any overlap would not be certain enough.
    let smallest = 1.0 / ways(base.max(new), base.min(new));
    if base > 0 && new > 0 && smallest > 1.0 - rule.confidence {
        return Some(format!("{base} and {new} iterations are too few for this confidence"));
    }
    None
}

/// Number of ways to choose `few` of `few + many`.
fn ways(many: usize, few: usize) -> f64 {
    (1..=few.min(64)).map(|step| count_to_f64((many + step) as u64) / count_to_f64(step as u64)).product()
}

impl GateCheck {
    /// Leaves the numbers and takes the result back: the sides are unlike.
    pub(super) fn withdraw(&mut self, reason: &str) {
        if self.outcome != GateOutcome::NotApplicable {
            self.outcome = GateOutcome::Inconclusive;
            reason.clone_into(&mut self.reason);
        }
    }

    /// What it is about, for people.
    #[must_use]
    pub fn title(&self) -> String {
        match self.kind {
            Subject::Metric => {
                metrics::find(&self.name).map_or(self.name.clone(), |metric| metric.title.to_owned())
            }
            kind => format!("{} {}", kind.as_str(), self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::comparison::compare;
    use crate::runs::document::Document;
    use crate::runs::policy::Policy;
    use crate::runs::statistics::Assumptions;

    #[test]
    fn what_is_undefined_has_a_reason_of_its_own() {
        let nothing = Document::new(Vec::new());
        let comparison =
            compare(&nothing, &nothing, Assumptions { run_deviation_percent: 1.0, confidence: 0.95 });
        let reason = |name: &str| {
            let rules = Policy::default().rules;
            let rule = rules.into_iter().find(|rule| rule.name == name).expect(name);
            nothing_to_check(&rule, &comparison).reason
        };
        for (name, why) in [
            (metrics::JOB_LAG, "the ranks have no steps in common"),
            (metrics::JOB_WAIT, "no collectives of different ranks could be matched in common steps"),
            (metrics::TC_UTILIZATION, "no op that could use matrix units ran a kernel"),
        ] {
            assert_eq!(reason(name), format!("undefined in these runs: {why}"));
        }
    }
}
