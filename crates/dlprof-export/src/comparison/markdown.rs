//! Reports for a pull request or a job summary.

use super::findings::{self, Listed};
use super::layout::{Grid, escape};
use super::summary;
use dlprof_core::{ComparedRow, Comparison, GateReport, GateVerdict, HistorySeries};

/// Rows shown of each list.
const TOP: usize = 10;

/// Number of findings that a gate's report names.
const FINDINGS: usize = 5;

/// The gate's report.
#[must_use]
pub fn gate_markdown(report: &GateReport) -> String {
    let mark = match report.verdict {
        GateVerdict::Pass => "✅",
        GateVerdict::Fail => "❌",
        GateVerdict::Inconclusive => "❔",
    };
    let comparison = &report.comparison;
    let mut text = format!("### {mark} dlprof-agg gate: {}\n\n", escape(&summary::headline(report)));
    push_sides(&mut text, comparison);
    for drift in &report.drifts {
        text.push_str(&format!("> **drift**: {}\n\n", escape(&summary::drift(drift))));
    }
    push_grid(&mut text, &summary::checks(report));
    push_findings(&mut text, comparison, Listed::Changed, FINDINGS);
    if let Some(movers) = summary::movers(comparison, report.confidence) {
        text.push_str(&format!("{}\n\n", escape(&movers)));
    }
    push_decomposition(&mut text, comparison);
    text
}

/// A comparison with its `top` largest changes of each list.
#[must_use]
pub fn comparison_markdown(comparison: &Comparison, confidence: f64, top: usize) -> String {
    let mut text = "### dlprof-agg compare\n\n".to_owned();
    push_sides(&mut text, comparison);
    if let Some(sentence) = summary::in_a_sentence(comparison) {
        text.push_str(&format!("{}\n\n", escape(&sentence)));
    }
    push_decomposition(&mut text, comparison);
    push_grid(&mut text, &summary::metrics(comparison));
    if let Some(movers) = summary::movers(comparison, confidence) {
        text.push_str(&format!("{}\n\n", escape(&movers)));
    }
    push_findings(&mut text, comparison, Listed::All, top);
    if let Some(unknown) = summary::ops_unknown(comparison) {
        text.push_str(&format!("{unknown}\n\n"));
    }
    let lists: [(&'static str, &[ComparedRow]); 4] = [
        ("Op type", &comparison.op_types),
        ("Op", &comparison.ops),
        ("Group", &comparison.groups),
        ("Kernel", &comparison.kernels),
    ];
    for (column, rows) in lists {
        push_grid(&mut text, &summary::rows(column, &summary::largest(rows, top)));
    }
    text
}

/// A history; `names` are the names of its documents.
#[must_use]
pub fn history_markdown(names: &[String], series: &[HistorySeries]) -> String {
    let mut text = "### dlprof-agg history\n\n".to_owned();
    push_grid(&mut text, &summary::history(names, series));
    text
}

fn push_sides(text: &mut String, comparison: &Comparison) {
    for line in summary::sides(comparison) {
        text.push_str(&format!("- {}\n", escape(&line)));
    }
    text.push('\n');
    for warning in &comparison.warnings {
        text.push_str(&format!("> **warning**: {}\n\n", escape(warning)));
    }
}

fn push_grid(text: &mut String, grid: &Grid) {
    if !grid.is_empty() {
        text.push_str(&format!("{}\n", grid.markdown()));
    }
}

fn push_findings(text: &mut String, comparison: &Comparison, listed: Listed, top: usize) {
    let grid = findings::grid(comparison, listed, top);
    match findings::headline(comparison) {
        Some(headline) if grid.is_empty() => text.push_str(&format!("{headline}\n\n")),
        Some(headline) => text.push_str(&format!("{headline}. {}\n\n", findings::amounts(comparison))),
        None => {}
    }
    push_grid(text, &grid);
    for sentence in findings::sentences(comparison, listed, top) {
        text.push_str(&format!("- {}\n", escape(&sentence)));
    }
    text.push('\n');
}

fn push_decomposition(text: &mut String, comparison: &Comparison) {
    let Some(classes) = summary::classes(comparison) else { return };
    text.push_str("<details><summary>What the time was spent on, on average</summary>\n\n");
    push_grid(text, &classes);
    push_grid(text, &summary::parts(comparison, TOP));
    text.push_str("</details>\n");
}
