//! The list of rules as Markdown.

use super::{RuleList, RuleReport, state_word, thresholds};
use crate::comparison::layout::{Grid, escape};
use dlprof_core::{ListedRule, RuleState};

pub(super) fn list(list: &RuleList<'_>) -> String {
    let mut grid = Grid::new(&["Rule", "Severity", "Thresholds", "Finds"]);
    for rule in &list.rules {
        let [id, severity, limits] = cells(rule);
        grid.push(vec![id, severity, limits, rule.title.to_owned()]);
    }
    format!("### dlprof-agg rules\n\n{}", grid.markdown())
}

pub(super) fn report(report: &RuleReport<'_>) -> String {
    let mark = match (report.fail_on, report.has_failed()) {
        (None, _) => "",
        (Some(_), true) => "❌ ",
        (Some(_), false) => "✅ ",
    };
    let mut text = format!("### {mark}dlprof-agg rules: {}\n\n", escape(&report.headline()));
    if !report.findings.is_empty() {
        let mut grid = Grid::new(&["Severity", "Rule", "Finding"]);
        for finding in report.findings {
            grid.push(vec![
                finding.severity.as_str().into(),
                finding.id.to_string(),
                report.message(finding),
            ]);
        }
        text.push_str(&format!("{}\n", grid.markdown()));
    }
    text.push_str("<details><summary>All rules</summary>\n\n");
    let mut grid = Grid::new(&["Rule", "Severity", "Thresholds", "Here"]);
    for (rule, state) in &report.rules {
        let [id, severity, limits] = cells(rule);
        let here = match state {
            RuleState::NotJudged(reason) => format!("{}: {reason}", state_word(state)),
            state => state_word(state).to_owned(),
        };
        grid.push(vec![id, severity, limits, here]);
    }
    text.push_str(&grid.markdown());
    text + "\n</details>\n"
}

fn cells(rule: &ListedRule<'_>) -> [String; 3] {
    let severity = if rule.is_off { "off" } else { rule.severity.as_str() };
    [rule.id.to_owned(), severity.to_owned(), thresholds(rule).join(", ")]
}
