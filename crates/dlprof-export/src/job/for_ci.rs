//! Findings of a job for CI systems: JUnit XML, SARIF 2.1.0 and workflow commands of GitHub.

use super::blocks::Times;
use super::text::{saving, title, verdict};
use crate::comparison::annotations::{Message, commands, sarif_document};
use crate::comparison::junit::{document, not_passed, skipped};
use crate::display::TimeUnit;
use dlprof_core::{Job, JobFinding, JobRule, LEAST_STEPS_OF_LAG, Severity};
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};

/// A job as SARIF. The location of a finding is the capture of its first rank, because there is no source line.
#[must_use]
pub fn job_sarif(job: &Job) -> String {
    sarif_document(JobRule::ALL.into_iter().map(|rule| (rule.key(), rule.meaning())), &messages(job))
}

/// A job as workflow commands: `::warning title=…::…`.
#[must_use]
pub fn job_github(job: &Job) -> String {
    format!(
        "dlprof-agg ranks: {}\n{}",
        verdict(job, Times::of(job, TimeUnit::Auto)),
        commands(&messages(job))
    )
}

/// A job as JUnit XML: a test case per rule. Findings below the severity that fails are successes with a text.
#[must_use]
pub fn job_junit(job: &Job, fail_on: Option<Severity>) -> String {
    let fail_on = fail_on.unwrap_or(Severity::Warning);
    let mut suite = TestSuite::new("dlprof-agg ranks");
    for rule in JobRule::ALL {
        let found: Vec<&JobFinding> = job.findings.iter().filter(|finding| finding.rule == rule).collect();
        let words: Vec<String> = found.iter().map(|finding| message(job, finding)).collect();
        let words = words.join("\n");
        let status = if found.iter().any(|finding| finding.severity >= fail_on) {
            not_passed(NonSuccessKind::Failure, &words)
        } else if rule.is_about_a_laggard() && job.steady.len() < LEAST_STEPS_OF_LAG {
            skipped(&format!("lag needs {LEAST_STEPS_OF_LAG} common steps"))
        } else {
            TestCaseStatus::success()
        };
        let mut case = TestCase::new(rule.key(), status);
        case.set_classname("dlprof-agg.ranks");
        if !words.is_empty() {
            case.set_system_out(words);
        }
        suite.add_test_case(case);
    }
    document(suite)
}

fn messages(job: &Job) -> Vec<Message> {
    let message = |finding: &JobFinding| Message {
        rule: finding.rule.key().to_owned(),
        level: finding.severity.as_str(),
        text: message(job, finding),
        capture: capture(job, finding),
    };
    job.findings.iter().map(message).collect()
}

/// What was found, what it would save, and what to do.
fn message(job: &Job, finding: &JobFinding) -> String {
    let times = Times::of(job, TimeUnit::Auto);
    let saving = match finding.saves_something(job.scale()) {
        true => format!(", {} {}", saving(finding, times), job.per_step()),
        false => String::new(),
    };
    format!("{}{saving}. {}", title(finding, times), finding.advice)
}

/// The name of the capture of the first rank that a finding is about, if it has one; else of the first that was read.
fn capture(job: &Job, finding: &JobFinding) -> String {
    let rank = job.ranks.iter().find(|rank| finding.ranks.contains(&rank.rank)).or(job.ranks.first());
    let name = rank.and_then(|rank| rank.who.file.file_name()).unwrap_or_default();
    name.to_string_lossy().into_owned()
}
