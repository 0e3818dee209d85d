//! JUnit XML: a test case per rule.

use super::RuleReport;
use crate::comparison::junit::{document, not_passed, skipped};
use dlprof_core::{RuleState, Severity};
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};

/// Findings below the severity that fails are successes with a text; rules that are off or could not judge are skipped.
pub(super) fn report(report: &RuleReport<'_>) -> String {
    let mut suite = TestSuite::new("dlprof-agg rules");
    let fail_on = report.fail_on.unwrap_or(Severity::Warning);
    for (rule, state) in &report.rules {
        let (status, words) = match state {
            RuleState::Fires(finding) if finding.severity >= fail_on => {
                let message = report.message(finding);
                (not_passed(NonSuccessKind::Failure, &message), Some(message))
            }
            RuleState::Fires(finding) => (TestCaseStatus::success(), Some(report.message(finding))),
            RuleState::Silent => (TestCaseStatus::success(), None),
            RuleState::Off => (skipped("the settings silence this rule"), None),
            RuleState::NotJudged(reason) => (skipped(reason), None),
        };
        let mut case = TestCase::new(rule.id, status);
        case.set_classname("dlprof-agg.rules");
        if let Some(words) = words {
            case.set_system_out(words);
        }
        suite.add_test_case(case);
    }
    document(suite)
}
