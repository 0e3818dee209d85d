//! The contents that all reports for people share, in every format.

use super::layout::Grid;
use crate::text::{bar_of, shorten};
use dlprof_core::{
    BaselineScope, ComparedClass, ComparedPart, ComparedRow, Comparison, Drift, GateCheck, GateOutcome,
    GateReport, GateVerdict, HistorySeries, ITERATION_TIME, RUN_METRICS, RunUnit, Trend, amount_in_words,
    change_in_words, find_run_metric, percent_in_words, signed_percent_in_words,
};

/// Width of the name of a check, in characters.
const NAME: usize = 64;

/// How many failures the headline names.
const NAMED: usize = 4;

/// The verdict in one line.
pub(super) fn headline(report: &GateReport) -> String {
    let failed = failures(report).map(|check| shorten(&check.title(), NAME));
    let drifted = report.drifts.iter().map(|drift| format!("{} (drift)", drift.title));
    let mut what: Vec<String> = failed.chain(drifted).collect();
    let more = what.len().saturating_sub(NAMED);
    if more > 0 {
        what.truncate(NAMED);
        what.push(format!("and {more} more"));
    }
    match report.verdict {
        GateVerdict::Fail if what.is_empty() => {
            format!("FAIL: {}, and the policy counts this as a failure", reason(report))
        }
        GateVerdict::Fail => format!("FAIL: {} worse than allowed", what.join(", ")),
        GateVerdict::Pass => {
            let blind = blind_below(report);
            blind.map_or_else(
                || "PASS".into(),
                |percent| format!("PASS, but a slowdown below {percent} would not be seen"),
            )
        }
        GateVerdict::Inconclusive => format!("INCONCLUSIVE: {}", reason(report)),
    }
}

/// The slowdown of iterations that the gate would have seen, where that is far beyond what the policy allows.
fn blind_below(report: &GateReport) -> Option<String> {
    let is_time = |check: &&GateCheck| check.name == ITERATION_TIME && check.outcome == GateOutcome::Pass;
    let check = report.checks.iter().find(is_time)?;
    let (seen, allowed) = (check.detectable_percent?, check.limit_percent?);
    (check.p_value.is_some() && seen > FAR_BEYOND * allowed.max(1.0)).then(|| percent_in_words(seen))
}

/// What the gate sees is far beyond its budget from this multiple on.
const FAR_BEYOND: f64 = 5.0;

/// Why there is no verdict: what the runs differ in, or else that the samples do not allow one, and the first check of which a
/// reason is known.
fn reason(report: &GateReport) -> String {
    let known: Vec<&str> = report.comparison.no_verdict().collect();
    if !known.is_empty() {
        return known.join("; ");
    }
    let unsure = report.checks.iter().filter(|check| check.outcome == GateOutcome::Inconclusive);
    let known = unsure.clone().find(|check| !check.reason.is_empty());
    let why = known
        .map_or_else(String::new, |check| format!(" ({}: {})", shorten(&check.title(), NAME), check.reason));
    format!("the samples do not allow a verdict{why}")
}

pub(super) fn failures(report: &GateReport) -> impl Iterator<Item = &GateCheck> {
    report.checks.iter().filter(|check| check.outcome == GateOutcome::Fail)
}

/// What is compared with what.
pub(super) fn sides(comparison: &Comparison) -> Vec<String> {
    let list = |names: &[String], used: &[u32]| {
        let runs = match names {
            [one] => one.clone(),
            [first, .., last] => format!("{} runs, {first} … {last}", names.len()),
            [] => String::new(),
        };
        let (low, high) = (used.iter().min().unwrap_or(&0), used.iter().max().unwrap_or(&0));
        let used = if low == high { low.to_string() } else { format!("{low} to {high}") };
        match comparison.scope {
            Some(BaselineScope::Iterations) => {
                let clock = match comparison.clock.as_deref() {
                    Some("gpu") => " on the GPU clock",
                    _ => "",
                };
                format!("{runs} ({used} steady iterations{clock})")
            }
            _ => runs,
        }
    };
    let mut lines = vec![
        format!("baseline: {}", list(&comparison.base, &comparison.iterations.0)),
        format!("new:      {}", list(&comparison.new, &comparison.iterations.1)),
    ];
    lines.extend(comparison.commands.as_ref().map(|(base, new)| {
        let said = |words: &str| if words.is_empty() { "nothing".to_owned() } else { format!("`{words}`") };
        format!("the commands differ: {} in the baseline, {} in the new one", said(base), said(new))
    }));
    lines
}

pub(super) fn title(row: &ComparedRow) -> String {
    find_run_metric(&row.key)
        .filter(|_| row.share_percent.is_none())
        .map_or(row.key.clone(), |metric| metric.title.to_owned())
}

/// What a value describes, as a title.
pub(super) fn scope(comparison: &Comparison) -> &'static str {
    match comparison.scope {
        Some(BaselineScope::WholeCapture) => "Whole capture",
        _ => "Per iteration (means without the fifth at each end)",
    }
}

/// The checks of a gate.
pub(super) fn checks(report: &GateReport) -> Grid {
    let mut grid =
        Grid::new(&["Check", ">Base", ">New", ">Change", ">Budget", ">Detectable", "Result", "Why"]);
    for check in &report.checks {
        let none = || "–".to_owned();
        let row = check.row.as_ref();
        let in_percent = |percent: Option<f64>, amount: Option<f64>| match (percent, amount, row) {
            // More than all of the base says nothing as a share of it.
            (Some(percent), _, Some(row)) if row.unit != RunUnit::Percent && percent <= 100.0 => {
                percent_in_words(percent)
            }
            (_, Some(amount), Some(row)) if row.unit == RunUnit::Percent => {
                format!("{amount:.2} points")
            }
            (_, Some(amount), Some(row)) => amount_in_words(amount, row.unit),
            _ => none(),
        };
        grid.push(vec![
            shorten(&check.title(), NAME),
            row.map_or_else(none, |row| amount_in_words(row.difference.base, row.unit)),
            row.map_or_else(none, |row| amount_in_words(row.difference.new, row.unit)),
            row.map_or_else(none, change),
            in_percent(check.limit_percent, check.limit),
            in_percent(check.detectable_percent, check.detectable),
            check.outcome.as_str().to_owned(),
            check.reason.clone(),
        ]);
    }
    grid
}

/// The change of a row: in percent of the base if that is possible, else in the unit of the row.
pub(super) fn change(row: &ComparedRow) -> String {
    match (row.difference.change_percent, row.unit) {
        (Some(percent), RunUnit::Ns | RunUnit::Count) => signed_percent_in_words(percent),
        _ => change_in_words(row.difference.change, row.unit),
    }
}

/// The metrics. Where it is not known of all runs what GPUs did, those that only some have are there without figures.
pub(super) fn metrics(comparison: &Comparison) -> Grid {
    let mut grid = rows("Metric", &comparison.metrics.iter().collect::<Vec<_>>());
    if comparison.scope.is_some() && comparison.decomposition.is_none() {
        let titles = RUN_METRICS
            .iter()
            .filter(|metric| comparison.partial_metrics.iter().any(|key| key == metric.key));
        titles.for_each(|metric| {
            grid.push([metric.title, "–", "–", "–", "–", "unknown"].map(str::to_owned).into())
        });
    }
    grid
}

/// Rows of a comparison with their intervals.
pub(super) fn rows(title_of_column: &'static str, rows: &[&ComparedRow]) -> Grid {
    let mut grid = Grid::new(&[title_of_column, ">Base", ">New", ">Change", ">Interval", "Trend"]);
    for row in rows {
        let mut name = shorten(&title(row), 52);
        if let Some(old) = &row.renamed_from {
            name.push_str(&format!(" (was {})", shorten(old, 36)));
        }
        if row.shapes_changed {
            name.push_str(" (other shapes)");
        }
        let difference = &row.difference;
        let is_single = difference.samples.0.max(difference.samples.1) <= 1;
        let interval = match (row.trend, difference.change_percent.is_some(), row.unit) {
            _ if is_single => "–".to_owned(),
            (Trend::Unknown | Trend::New | Trend::Vanished, ..) => "–".to_owned(),
            (_, true, RunUnit::Ns | RunUnit::Count) => {
                let of_base = |value: f64| signed_percent_in_words(value / difference.base * 100.0);
                format!("{} to {}", of_base(difference.interval.0), of_base(difference.interval.1))
            }
            _ => format!(
                "{} to {}",
                change_in_words(difference.interval.0, row.unit),
                change_in_words(difference.interval.1, row.unit)
            ),
        };
        grid.push(vec![
            name,
            amount_in_words(difference.base, row.unit),
            amount_in_words(difference.new, row.unit),
            change(row),
            interval,
            row.trend.as_str().to_owned(),
        ]);
    }
    grid
}

/// The rows of a list that changed, the largest changes first.
pub(super) fn largest(rows: &[ComparedRow], top: usize) -> Vec<&ComparedRow> {
    let mut changed: Vec<&ComparedRow> = rows.iter().filter(|row| row.trend != Trend::Equal).collect();
    changed.sort_by(|a, b| b.difference.change.abs().total_cmp(&a.difference.change.abs()));
    changed.truncate(top);
    changed
}

/// How much longer or shorter it became, and the two parts that changed most; none where a side is empty.
pub(super) fn in_a_sentence(comparison: &Comparison) -> Option<String> {
    let decomposition = comparison.decomposition.as_ref()?;
    let [base, new] = [decomposition.base_ns, decomposition.new_ns].map(dlprof_core::to_f64);
    let mut parts: Vec<(&str, f64)> = decomposition
        .by_class()
        .into_iter()
        .filter(|&(class, base, new)| base != new && class != ComparedClass::Rounding)
        .map(|(class, base, new)| (class.as_str(), dlprof_core::to_f64(new - base)))
        .collect();
    parts.sort_by(|one, other| other.1.abs().total_cmp(&one.1.abs()));
    let parts: Vec<String> = parts
        .into_iter()
        .take(2)
        .map(|(name, change)| format!("{name} {}", change_in_words(change, RunUnit::Ns)))
        .collect();
    let what = match comparison.scope {
        Some(BaselineScope::Iterations) => "An iteration takes",
        _ => "The whole capture takes",
    };
    let percent = signed_percent_in_words((new - base) / base * 100.0);
    let (base_time, new_time) = (amount_in_words(base, RunUnit::Ns), amount_in_words(new, RunUnit::Ns));
    if base > 0.0 && parts.is_empty() {
        return Some(format!("{what} {base_time} on both sides"));
    }
    (base > 0.0).then(|| {
        let parts = parts.join("; ");
        let few = match comparison.scope {
            Some(BaselineScope::Iterations) => few_decide(comparison, [base, new]).unwrap_or_default(),
            _ => ". No step was found, so that the captures may hold different amounts of work".to_owned(),
        };
        format!("{what} {base_time}, then {new_time} on average ({percent}): {parts}{few}")
    })
}

/// Where a few iterations make the mean of a side: what the mean is without the fifth at each end, as the metrics have it.
fn few_decide(comparison: &Comparison, means: [f64; 2]) -> Option<String> {
    let metric = comparison.metric(ITERATION_TIME)?;
    let usual = [metric.difference.base, metric.difference.new];
    let is_far = usual.iter().zip(means).any(|(usual, mean)| (mean - usual).abs() > FAR_FROM_USUAL * usual);
    is_far.then(|| {
        let [base, new] = usual.map(|ns| amount_in_words(ns, RunUnit::Ns));
        format!(
            ". Without the fifth at each end it takes {base}, then {new}: a few iterations are far from it"
        )
    })
}

/// A mean that differs from the one without the fifth at each end by more than this share of it comes from a few iterations.
const FAR_FROM_USUAL: f64 = 0.1;

/// The change of the iteration time by class, adding up to the last line.
pub(super) fn classes(comparison: &Comparison) -> Option<Grid> {
    let decomposition = comparison.decomposition.as_ref()?;
    let mut grid = Grid::new(&["Part", ">Base", ">New", ">Change"]);
    let mut push = |name: &str, base: i64, new: i64| {
        let (base, new) = (dlprof_core::to_f64(base), dlprof_core::to_f64(new));
        grid.push(vec![
            name.to_owned(),
            amount_in_words(base, RunUnit::Ns),
            amount_in_words(new, RunUnit::Ns),
            change_in_words(new - base, RunUnit::Ns),
        ]);
    };
    for (class, base, new) in decomposition.by_class() {
        push(class.as_str(), base, new);
    }
    push("all", decomposition.base_ns, decomposition.new_ns);
    Some(grid)
}

/// The parts that changed most.
pub(super) fn parts(comparison: &Comparison, top: usize) -> Grid {
    let mut grid = Grid::new(&[">Change", "Part", "Op", "Kernel, copy or cause"]);
    let largest = comparison.decomposition.as_ref().map_or_else(Vec::new, |all| all.largest());
    for part in largest.into_iter().take(top) {
        grid.push(vec![
            change_in_words(dlprof_core::to_f64(part.change_ns()), RunUnit::Ns),
            part.class.as_str().to_owned(),
            if comparison.tells_ops { shorten(&part.op, 48) } else { String::new() },
            name(part),
        ]);
    }
    grid
}

fn name(part: &ComparedPart) -> String {
    shorten(&part.name, 48)
}

/// That nothing is compared by op, where a side does not tell ops apart.
pub(super) fn ops_unknown(comparison: &Comparison) -> Option<&'static str> {
    (!comparison.tells_ops).then_some(
        "ops are not told apart, because a side was read in simple mode: kernels are compared by name",
    )
}

/// The op types that certainly changed, in one line; `None` if there are none.
pub(super) fn movers(comparison: &Comparison, confidence: f64) -> Option<String> {
    let movers = comparison.movers(confidence);
    let list: Vec<String> = movers
        .iter()
        .take(5)
        .map(|row| {
            let what = shorten(&row.key, 40);
            let amount = change_in_words(row.difference.change, row.unit);
            match row.difference.change_percent {
                Some(percent) => format!("{what} {} ({amount})", signed_percent_in_words(percent)),
                None => format!("{what} {amount}"),
            }
        })
        .collect();
    (!list.is_empty()).then(|| format!("top movers (op types, GPU time per iteration): {}", list.join(", ")))
}

/// A sentence about a metric that slowly grew over its budget.
pub(super) fn drift(drift: &Drift) -> String {
    let change = drift.last - drift.first;
    let percent = match drift.unit {
        RunUnit::Percent => change_in_words(change, drift.unit),
        _ if drift.first == 0.0 => change_in_words(change, drift.unit),
        _ => signed_percent_in_words(change / drift.first * 100.0),
    };
    let since = match drift.since {
        0 => "in these runs".to_owned(),
        1 => "one baseline ago".to_owned(),
        back => format!("{back} baselines ago"),
    };
    format!(
        "{} went from {} to {} over the history ({percent}, budget {}); it last changed {since}",
        drift.title,
        amount_in_words(drift.first, drift.unit),
        amount_in_words(drift.last, drift.unit),
        amount_in_words(drift.limit, drift.unit),
    )
}

/// The metrics of a history with sparklines.
pub(super) fn history(names: &[String], all: &[HistorySeries]) -> Grid {
    let mut grid = Grid::new(&["Metric", ">First", ">Last", ">Change", "Values", "Changed at"]);
    for series in all {
        let known: Vec<f64> = series.values.iter().flatten().copied().collect();
        let (Some(&first), Some(&last)) = (known.first(), known.last()) else { continue };
        let change = match series.unit {
            RunUnit::Percent => change_in_words(last - first, series.unit),
            _ if first == 0.0 => change_in_words(last - first, series.unit),
            _ => signed_percent_in_words((last - first) / first * 100.0),
        };
        let step = |change: &dlprof_core::ChangePoint| {
            let by = match series.unit {
                RunUnit::Ns | RunUnit::Count if change.before != 0.0 => {
                    signed_percent_in_words((change.after - change.before) / change.before * 100.0)
                }
                unit => change_in_words(change.after - change.before, unit),
            };
            format!("{} ({by})", shorten(&names[change.at], 32))
        };
        let steps: Vec<String> = series.changes.iter().map(step).collect();
        grid.push(vec![
            series.title.to_owned(),
            amount_in_words(first, series.unit),
            amount_in_words(last, series.unit),
            change,
            sparkline(series),
            if steps.is_empty() { "–".to_owned() } else { steps.join(", ") },
        ]);
    }
    grid
}

/// One bar per document, between the smallest and the largest value. `|` is in front of a value at which the level
/// changed; a point means that the document has no value.
fn sparkline(series: &HistorySeries) -> String {
    let known = series.values.iter().flatten();
    let (low, high) =
        known.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(*value), high.max(*value)));
    let mut line = String::new();
    for (at, value) in series.values.iter().enumerate() {
        if series.changes.iter().any(|change| change.at == at) {
            line.push('|');
        }
        line.push(match value {
            None => '·',
            // A level line is drawn at half the height.
            Some(_) if high <= low => bar_of(0.5),
            Some(value) => bar_of((value - low) / (high - low)),
        });
    }
    line
}
