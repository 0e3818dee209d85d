//! JUnit XML: a test case per check.

use super::summary;
use dlprof_core::{GateOutcome, GateReport};
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};

/// The gate's report. Inconclusive checks are errors; checks whose number is undefined are skipped.
#[must_use]
pub fn junit(report: &GateReport) -> String {
    let mut suite = TestSuite::new("dlprof-agg gate");
    for check in &report.checks {
        let status = match check.outcome {
            GateOutcome::Pass | GateOutcome::Improved => TestCaseStatus::success(),
            GateOutcome::Fail => not_passed(NonSuccessKind::Failure, &check.reason),
            GateOutcome::Inconclusive => not_passed(NonSuccessKind::Error, &check.reason),
            GateOutcome::NotApplicable => skipped(&check.reason),
        };
        let mut case = TestCase::new(check.title(), status);
        case.set_classname(format!("dlprof-agg.{}", check.kind.as_str().replace(' ', "-")));
        case.set_system_out(check.reason.as_str());
        suite.add_test_case(case);
    }
    for drift in &report.drifts {
        let status = not_passed(NonSuccessKind::Failure, &summary::drift(drift));
        let mut case = TestCase::new(format!("{} over the history", drift.title), status);
        case.set_classname("dlprof-agg.drift");
        suite.add_test_case(case);
    }
    document(suite)
}

/// A document of one suite.
pub(crate) fn document(suite: TestSuite) -> String {
    let mut document = quick_junit::Report::new("dlprof-agg");
    document.add_test_suite(suite);
    // The library leaves out characters that XML cannot hold, and writing to memory does not fail.
    document.to_string().unwrap_or_default()
}

/// A check that was not made, with why.
pub(crate) fn skipped(reason: &str) -> TestCaseStatus {
    let mut skipped = TestCaseStatus::skipped();
    skipped.set_message(reason);
    skipped
}

pub(crate) fn not_passed(kind: NonSuccessKind, message: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_message(message);
    status
}
