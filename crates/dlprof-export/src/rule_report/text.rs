//! The list of rules for people.

use super::{RuleList, RuleReport, state_word, thresholds};
use crate::display::plain_lines;
use crate::text::wrap;
use dlprof_core::{ListedRule, RuleState};

/// Width of the text in columns.
const WIDTH: usize = 100;

const MORE: &str = "\n`dlprof-agg explain RULE` says how a rule decides.\n";

pub(super) fn list(list: &RuleList<'_>) -> String {
    let indent = id_width(list.rules.iter());
    let mut text = format!("{} rules\n\n", list.rules.len());
    for rule in &list.rules {
        push(&mut text, rule, severity_of(rule), rule.title, indent);
    }
    plain_lines(&text) + MORE
}

pub(super) fn report(report: &RuleReport<'_>) -> String {
    let indent = id_width(report.rules.iter().map(|(rule, _)| rule));
    let mut text = format!("{}\n", report.headline());
    let rule_of = |id: &str| report.rules.iter().map(|(rule, _)| rule).find(|rule| rule.id == id);
    if !report.findings.is_empty() {
        text.push_str("\nFound\n");
    }
    for finding in report.findings {
        if let Some(rule) = rule_of(&finding.id) {
            // A finding may matter less or more than its rule says.
            push(&mut text, rule, finding.severity.as_str(), &report.message(finding), indent);
        }
    }
    for (title, word) in [("Not judged", "not judged"), ("Silent", "silent"), ("Off", "off")] {
        let mut meant = report.rules.iter().filter(|(_, state)| state_word(state) == word).peekable();
        if meant.peek().is_some() {
            text.push_str(&format!("\n{title}\n"));
        }
        for (rule, state) in meant {
            match state {
                RuleState::NotJudged(reason) => push(&mut text, rule, severity_of(rule), reason, indent),
                _ => push(&mut text, rule, severity_of(rule), rule.title, indent),
            }
        }
    }
    plain_lines(&text) + MORE
}

fn id_width<'a>(rules: impl Iterator<Item = &'a ListedRule<'a>>) -> usize {
    rules.map(|rule| rule.id.len()).max().unwrap_or(0)
}

/// The severity that a rule gives its findings.
fn severity_of(rule: &ListedRule<'_>) -> &'static str {
    if rule.is_off { "off" } else { rule.severity.as_str() }
}

/// A rule: severity, id, words, and its thresholds below.
fn push(text: &mut String, rule: &ListedRule<'_>, severity: &str, words: &str, id_width: usize) {
    let start = format!("  {severity:<7}  {:<id_width$}  ", rule.id);
    let indent = " ".repeat(start.len());
    let width = WIDTH.saturating_sub(start.len()).max(40);
    for (at, line) in wrap(words, width).iter().enumerate() {
        text.push_str(&format!("{}{line}\n", if at == 0 { &start } else { &indent }));
    }
    for threshold in thresholds(rule) {
        text.push_str(&format!("{indent}{threshold}\n"));
    }
}
