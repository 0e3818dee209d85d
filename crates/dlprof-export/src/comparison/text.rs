//! Reports for a terminal.

use super::findings::{self, Listed};
use super::layout::Grid;
use super::summary;
use crate::display::plain_lines;
use dlprof_core::{ComparedRow, Comparison, GateReport, GateVerdict, HistorySeries};

/// Number of rows shown of each list of a gate's report.
const TOP: usize = 10;

/// Number of findings that a gate's report names.
const FINDINGS: usize = 5;

/// The gate's report.
#[must_use]
pub fn gate_text(report: &GateReport) -> String {
    let comparison = &report.comparison;
    let mut text = format!("{}\n", summary::headline(report));
    push_lines(&mut text, summary::sides(comparison));
    push_lines(&mut text, comparison.warnings.iter().map(|warning| format!("warning: {warning}")));
    push_lines(&mut text, report.drifts.iter().map(|drift| format!("drift: {}", summary::drift(drift))));
    push_grid(&mut text, "Checks", &summary::checks(report));
    push_findings(&mut text, comparison, Listed::Changed, FINDINGS);
    if let Some(movers) = summary::movers(comparison, report.confidence) {
        text.push_str(&format!("\n{movers}\n"));
    }
    push_decomposition(&mut text, comparison, if report.verdict == GateVerdict::Pass { 5 } else { TOP });
    plain_lines(&text)
}

/// A comparison with its `top` largest changes of each list.
#[must_use]
pub fn comparison_text(comparison: &Comparison, confidence: f64, top: usize) -> String {
    let mut text = String::new();
    push_lines(&mut text, summary::sides(comparison));
    push_lines(&mut text, comparison.warnings.iter().map(|warning| format!("warning: {warning}")));
    push_lines(&mut text, summary::in_a_sentence(comparison).map(|sentence| format!("\n{sentence}")));
    push_decomposition(&mut text, comparison, top);
    push_grid(&mut text, summary::scope(comparison), &summary::metrics(comparison));
    if let Some(movers) = summary::movers(comparison, confidence) {
        text.push_str(&format!("\n{movers}\n"));
    }
    push_findings(&mut text, comparison, Listed::All, top);
    if let Some(unknown) = summary::ops_unknown(comparison) {
        text.push_str(&format!("\n{unknown}\n"));
    }
    let lists: [(&'static str, &str, &[ComparedRow]); 4] = [
        ("Op type", "Op types, GPU time", &comparison.op_types),
        ("Op", "Ops, GPU time", &comparison.ops),
        ("Group", "Groups, GPU time", &comparison.groups),
        ("Kernel", "Kernel names, GPU time", &comparison.kernels),
    ];
    for (column, title, rows) in lists {
        let largest = summary::largest(rows, top);
        let title = match rows.len() {
            0 => continue,
            _ if largest.is_empty() => {
                text.push_str(&format!("\n{title}: none of {} changed\n", rows.len()));
                continue;
            }
            all => format!("{title}: the {} largest changes of {all}", largest.len()),
        };
        push_grid(&mut text, &title, &summary::rows(column, &largest));
    }
    plain_lines(&text)
}

/// A history; `names` are the names of its documents.
#[must_use]
pub fn history_text(names: &[String], series: &[HistorySeries]) -> String {
    let mut text = match names {
        [] => String::new(),
        [one] => format!("1 baseline: {one}\n"),
        [first, .., last] => format!("{} baselines, {first} … {last}\n", names.len()),
    };
    push_grid(
        &mut text,
        "History (| marks the value at which the level changed)",
        &summary::history(names, series),
    );
    plain_lines(&text)
}

fn push_lines(text: &mut String, lines: impl IntoIterator<Item = String>) {
    for line in lines {
        text.push_str(&format!("{line}\n"));
    }
}

fn push_grid(text: &mut String, title: &str, grid: &Grid) {
    if !grid.is_empty() {
        text.push_str(&format!("\n{title}\n{}", grid.text()));
    }
}

fn push_findings(text: &mut String, comparison: &Comparison, listed: Listed, top: usize) {
    let grid = findings::grid(comparison, listed, top);
    text.push('\n');
    match findings::headline(comparison) {
        Some(headline) if grid.is_empty() => text.push_str(&format!("{headline}\n")),
        Some(headline) => {
            text.push_str(&format!("{headline}. {}\n{}", findings::amounts(comparison), grid.text()))
        }
        None => {}
    }
    push_lines(text, findings::sentences(comparison, listed, top));
}

fn push_decomposition(text: &mut String, comparison: &Comparison, top: usize) {
    let Some(classes) = summary::classes(comparison) else { return };
    push_grid(text, "What the time was spent on, on average", &classes);
    push_grid(text, "Largest changes of these parts", &summary::parts(comparison, top));
}
