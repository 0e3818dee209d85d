//! Table `job_findings`: what the rules found in the job.

use super::super::arithmetic::whole_ns;
use super::super::findings::JobFinding;
use super::super::job::Job;
use super::communicators::listed;
use super::declaration::{JobColumn, JobDeclaration};
use crate::advice::Measure;
use crate::tables::{Layout, Unit};
use serde_json::{Map, Value as Json};
use std::sync::LazyLock;

/// A finding, by its place.
type Row = usize;

/// Table `job_findings`.
pub(super) static TABLE: JobDeclaration<Row> = JobDeclaration {
    key: "job_findings",
    title: "Findings about the Job",
    doc: "A row per finding, those that save most first.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["rule", "title", "saving_ns"],
        second: &["saving_upper_ns", "severity", "confidence", "advice"],
        sentences: &["title", "advice"],
        ..Layout::PLAIN
    },
};

/// Its rows.
pub(super) fn rows(job: &Job) -> Vec<Row> {
    (0..job.findings.len()).collect()
}

fn of(job: &Job, row: Row) -> &JobFinding {
    &job.findings[row]
}

/// The figures of a finding as a JSON object.
fn figures(finding: &JobFinding) -> String {
    let value = |measure: &Measure| match measure {
        Measure::Time(ns) => Json::from(*ns),
        Measure::Count(count) => Json::from(*count),
        Measure::Number(number) => Json::from(*number),
        Measure::Text(text) => Json::from(text.as_str()),
    };
    let figures: Map<String, Json> =
        finding.figures.iter().map(|(name, measure)| ((*name).to_owned(), value(measure))).collect();
    Json::Object(figures).to_string()
}

static COLUMNS: LazyLock<Vec<JobColumn<Row>>> = LazyLock::new(|| {
    const NS: Unit = Unit::Nanoseconds;
    vec![
        JobColumn::text("rule", "Rule", "The rule.", |job, &row| of(job, row).rule.key().into()),
        JobColumn::text("severity", "Severity", "`warning` or `note`.", |job, &row| {
            of(job, row).severity.as_str().into()
        }),
        JobColumn::text("confidence", "Certain", "`high`, `medium` or `low`.", |job, &row| {
            of(job, row).confidence.as_str().into()
        }),
        JobColumn::text(
            "ranks",
            "Ranks",
            "The ranks that it is about; empty if it is about all.",
            |job, &row| listed(of(job, row).ranks.iter().copied()).into(),
        ),
        JobColumn::text("title", "Finding", "What was found.", |job, &row| of(job, row).title_in_ms().into()),
        JobColumn::int(
            "saving_ns",
            "Saving",
            NS,
            "What it would save per step, by replay; empty where nothing is replayed.",
            |job, &row| of(job, row).saving_ns.map(whole_ns).into(),
        ),
        JobColumn::int("saving_upper_ns", "At Most", NS, "What it cannot save more than.", |job, &row| {
            of(job, row).saving_upper_ns.map(whole_ns).into()
        }),
        JobColumn::json("figures", "Figures", "What the rule measured, as a JSON object.", |job, &row| {
            figures(of(job, row)).into()
        }),
        JobColumn::text("advice", "Advice", "What to do.", |job, &row| of(job, row).advice.as_str().into()),
    ]
});
