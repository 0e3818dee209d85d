//! What reports of a job for people show besides its tables: sentences, the figures of a step, findings, and which ranks tell most.

use super::blocks::{StepPart, Times, float, parts};
use super::text::{about_savings, problems, title, verdict, what_it_rests_on, where_it_goes};
use crate::display::TimeUnit;
use crate::findings::mark;
use crate::overview::{FindingRow, SavingPerIteration};
use dlprof_core::{Job, JobFinding, JobRank, RankClass, StepClass};
use serde::Serialize;
use std::cmp::Reverse;

/// The number of slowest ranks that are listed one by one.
const SLOWEST: usize = 10;

/// Ranks that are all shown.
const MOST_ROWS: usize = 16;

/// A job in sentences and figures.
#[derive(Debug, Clone, Serialize)]
pub struct JobFacts {
    /// What a rank is called.
    pub(crate) one: &'static str,
    /// What ranks are called.
    pub(crate) many: &'static str,
    pub(crate) verdict: String,
    pub(crate) rests_on: Vec<String>,
    pub(crate) problems: Vec<String>,
    pub(crate) ranks: usize,
    /// Whether waiting is known.
    has_waiting: bool,
    /// Median length of a step, of which lags are shares.
    pub(crate) step_ns: i64,
    /// Mean length of a step.
    pub(crate) length_ns: f64,
    /// Common numbers of the iterations.
    pub(crate) steady: Vec<i64>,
    /// The iteration whose mean length is the median one.
    median_iteration: Option<i64>,
    pub(crate) tiles: Vec<Tile>,
    /// What the parts are parts of.
    pub(crate) where_it_goes: &'static str,
    /// What figures of ranks are means of.
    pub(crate) mean_of: &'static str,
    pub(crate) parts: Vec<Part>,
    /// What it saves per step if nobody waits for the ranks that lag.
    saving_ns: Option<f64>,
    /// The finding that the verdict is about, by its place.
    pub(crate) best: Option<usize>,
    /// The rank that lags most.
    slowest: Option<i64>,
    /// What savings are about.
    pub(crate) about_savings: String,
    pub(crate) findings: Vec<JobFindingRow>,
    /// The ranks that lag.
    pub(crate) lagging: Vec<i64>,
    /// The ranks that tell most: all of few; of many the slowest, the median and the fastest.
    pub(crate) telling: Vec<Telling>,
}

/// A figure at the top.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Tile {
    pub(crate) label: String,
    pub(crate) value: Option<f64>,
    /// `ns`, `%` or `/s`.
    pub(crate) unit: &'static str,
    title: &'static str,
}

/// A part of a step.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Part {
    /// The column of tables.
    pub(crate) key: &'static str,
    pub(crate) name: &'static str,
    pub(crate) ns: f64,
    pub(crate) percent: f64,
    /// Whether the GPU works; else it waits.
    pub(crate) works: bool,
    /// The class whose colour it has.
    pub(crate) class: StepClass,
}

/// A rank, and why it is shown.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Telling {
    pub(crate) rank: i64,
    /// `slow`, `median`, `fast`; empty where all are shown.
    pub(crate) why: &'static str,
}

/// A finding, as the findings of a capture are shown, and the ranks that it is about.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct JobFindingRow {
    #[serde(flatten)]
    pub(crate) row: FindingRow,
    pub(crate) ranks: Vec<i64>,
}

impl JobFacts {
    /// What the page of a job shows.
    #[must_use]
    pub fn new(job: &Job, unit: TimeUnit) -> Self {
        let (words, times) = (job.words(), Times::of(job, unit));
        Self {
            one: words.one,
            many: words.many,
            verdict: verdict(job, times),
            rests_on: what_it_rests_on(job),
            problems: problems(job).iter().map(|text| text.trim_start_matches("! ").to_owned()).collect(),
            ranks: job.ranks.len(),
            has_waiting: job.has_waiting(),
            step_ns: job.step_ns,
            length_ns: job.means.mean.length_ns,
            steady: job.steady.clone(),
            median_iteration: median_iteration(job),
            tiles: tiles(job),
            where_it_goes: where_it_goes(job),
            mean_of: if job.has_steps { "mean step" } else { "all that was captured" },
            parts: parts(job).iter().map(|part| of_step(job, part)).collect(),
            saving_ns: job.saving_ns.filter(|ns| *ns > 0.0),
            best: best(job),
            slowest: ranks(job).next().map(|rank| rank.rank),
            about_savings: about_savings(job),
            findings: job.findings.iter().map(|one| finding(job, one, times)).collect(),
            lagging: ranks(job).filter(|rank| rank.lag.is_lagging()).map(|rank| rank.rank).collect(),
            telling: telling(job),
        }
    }
}

/// Those that lag most first.
fn ranks(job: &Job) -> impl Iterator<Item = &JobRank> {
    let mut ranks: Vec<&JobRank> = job.ranks.iter().collect();
    ranks.sort_by_key(|rank| Reverse(rank.lag.lag_ns));
    ranks.into_iter()
}

/// The first finding with an expected saving, else the first with one.
fn best(job: &Job) -> Option<usize> {
    let saves = |finding: &JobFinding| finding.saves_something(job.scale());
    let is_replayed = |finding: &JobFinding| finding.saving_ns.is_some() && saves(finding);
    let of = &job.findings;
    of.iter().position(is_replayed).or_else(|| of.iter().position(saves))
}

fn telling(job: &Job) -> Vec<Telling> {
    let of = |rank: &JobRank, why| Telling { rank: rank.rank, why };
    if job.ranks.len() <= MOST_ROWS {
        return job.ranks.iter().map(|rank| of(rank, "")).collect();
    }
    let in_order: Vec<&JobRank> = ranks(job).collect();
    let slowest = in_order.iter().take(SLOWEST).map(|rank| of(rank, "slow"));
    let others = [(in_order.len() / 2, "median"), (in_order.len() - 1, "fast")];
    slowest.chain(others.map(|(at, why)| of(in_order[at], why))).collect()
}

/// The steady iteration whose mean length over ranks is the median one; of two in the middle, the later.
fn median_iteration(job: &Job) -> Option<i64> {
    let mean = |iteration: &i64| {
        let lengths = job.ranks.iter().filter_map(|rank| rank.steps.of.get(iteration));
        let (count, sum) = lengths.fold((0, 0), |(count, sum), step| (count + 1, sum + step.length_ns));
        float(sum) / float(count)
    };
    let mut iterations: Vec<(f64, i64)> = job.steady.iter().map(|number| (mean(number), *number)).collect();
    iterations.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    iterations.get(iterations.len() / 2).map(|(_, number)| *number)
}

fn tiles(job: &Job) -> Vec<Tile> {
    let tile = |label: &str, value, unit, title| Tile { label: label.to_owned(), value, unit, title };
    let percent = |ns: f64| Some(job.percent_of_step(ns));
    let mean = &job.means.mean;
    let waiting = |ns: f64| job.has_waiting().then(|| job.percent_of_step(ns));
    let length = match job.has_steps {
        true => "Mean length of a step over all ranks and steps.",
        false => "Mean length of the captures of all ranks: no step repeats in them.",
    };
    vec![
        tile(&format!("{}, mean", job.per_step()), Some(mean.length_ns), "ns", length),
        tile("of it waiting for others", waiting(mean.wait_ns), "%", "Waiting for other ranks."),
        tile(
            "communication, exposed",
            waiting(job.mean_of(RankClass::Transfer)),
            "%",
            "Data is exchanged and nothing computes, without waiting for others.",
        ),
        tile("GPU computing", percent(job.mean_of(RankClass::Compute)), "%", "The GPU computes."),
        tile(
            "waiting for the slowest",
            waiting(job.means.imbalance_ns),
            "%",
            "Of the waiting, what the persistently slowest rank causes.",
        ),
        tile("items: give `--batch-size`", None, "/s", "Items of the whole job per second."),
    ]
    .into_iter()
    .map(|tile| match job.items_per_s {
        Some(items) if tile.unit == "/s" => Tile { label: "items".into(), value: Some(items), ..tile },
        _ => tile,
    })
    .collect()
}

fn of_step(job: &Job, part: &StepPart) -> Part {
    let percent = job.percent_of_step(part.ns);
    Part { key: part.key, name: part.name, ns: part.ns, percent, works: part.works, class: part.class }
}

fn finding(job: &Job, finding: &JobFinding, times: Times) -> JobFindingRow {
    let saving = finding.saves_something(job.scale()).then(|| SavingPerIteration {
        expected_ns: finding.saving_ns,
        at_most_ns: finding.saving_upper_ns.filter(|_| finding.saving_ns.is_none()),
        basis: format!("{}; expected savings are replayed on the recorded times", job.per_step()),
    });
    let row = FindingRow {
        id: finding.rule.key().to_owned(),
        severity: finding.severity.as_str(),
        mark: mark(finding.severity),
        title: finding.rule.meaning().to_owned(),
        problem: title(finding, times),
        advice: finding.advice.clone(),
        confidence: finding.confidence.as_str(),
        saving,
        unlikely: None,
        saves_nothing: false,
        is_replayed: false,
        same_cause_as: None,
        command: None,
        link: None,
    };
    JobFindingRow { row, ranks: finding.ranks.clone() }
}
