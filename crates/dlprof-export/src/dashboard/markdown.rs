//! The dashboard as Markdown, for the summaries of CI systems.

use super::Look;
use super::numbers::{TimeForm, counted, mean_and_deviation, share};
use crate::display::{percentage, short_time};
use crate::origin::UNKNOWN;
use crate::overview::{FindingRow, Overview, Per, RankedBy};
use std::fmt::Write;

/// So many rows of a table are shown.
const MOST: usize = 10;

/// The dashboard as Markdown.
#[must_use]
pub fn markdown(overview: &Overview, look: &Look<'_>) -> String {
    let name = look.profile_name.map_or_else(String::new, |name| format!("{name}: "));
    let mut text = format!("## {}\n\n", escaped(&format!("{name}{}", overview.window.capture)));
    let blocks = [
        Some(format!("**{}**", escaped(&overview.verdict))),
        Some(overview.window.parts.iter().map(|part| escaped(part)).collect::<Vec<_>>().join(" · ")),
        Some(tiles(overview, look)),
        step(overview, look),
        Some(findings(overview, look)),
        kernels(overview, look),
        ops(overview, look),
        Some(overview.system.iter().map(|part| escaped(part)).collect::<Vec<_>>().join(" · ")),
    ];
    let blocks: Vec<String> = blocks.into_iter().flatten().filter(|block| !block.is_empty()).collect();
    text.push_str(&blocks.join("\n\n"));
    text.push('\n');
    text
}

/// A text in which no sign means anything to Markdown.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    let mut is_code = false;
    for letter in crate::display::plain(text).chars() {
        is_code ^= letter == '`';
        let is_special =
            matches!(letter, '|' | '<' | '>') || (!is_code && matches!(letter, '*' | '_' | '[' | ']' | '\\'));
        match letter {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            _ if is_special => {
                escaped.push('\\');
                escaped.push(letter);
            }
            _ => escaped.push(letter),
        }
    }
    escaped
}

/// A table; the first column is text, the others are figures.
fn table(header: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut text = format!("| {} |\n|{}", header.join(" | "), " --- |");
    text.push_str(&" ---: |".repeat(header.len() - 1));
    for row in rows {
        let _ = write!(text, "\n| {} |", row.join(" | "));
    }
    text
}

fn known(share: Option<f64>) -> String {
    share.map_or_else(|| UNKNOWN.to_owned(), percentage)
}

fn tiles(overview: &Overview, look: &Look<'_>) -> String {
    let tiles = &overview.tiles;
    let time = match overview.basis.per {
        Per::Iteration => "Time per iteration",
        Per::Window => "Time in all",
    };
    let count = |count: Option<f64>| count.map_or_else(|| UNKNOWN.to_owned(), counted);
    let header = [time, "GPU busy", "Tensor Cores", "Kernels", "Items/s"];
    let row = vec![
        mean_and_deviation(tiles.iteration_ns, tiles.deviation_ns, look.time_unit),
        known(tiles.gpu_busy_percent),
        known(tiles.tensor_core_percent),
        count(tiles.kernels),
        count(tiles.items_per_s),
    ];
    table(&header, std::iter::once(row))
}

fn step(overview: &Overview, look: &Look<'_>) -> Option<String> {
    let step = overview.step.as_ref()?;
    let form = TimeForm::of(step.length_ns, look.time_unit, 1);
    let time = format!("{} {}", form.symbol(), overview.basis.words());
    let shown = step.classes.iter().filter(|part| !form.is_zero(part.ns));
    let rows =
        shown.map(|part| vec![part.class.words().to_owned(), form.number(part.ns), share(part.percent)]);
    let mut text = table(&["Where the time goes", &time, "%"], rows);
    let idle: Vec<String> = step
        .idle
        .iter()
        .filter(|row| !form.is_zero(row.ns))
        .map(|row| format!("{} {}", row.words, form.number(row.ns)))
        .collect();
    if !idle.is_empty() {
        let _ = write!(text, "\n\nGPU idle {}: {}", form.number(step.idle_ns), idle.join(", "));
    }
    Some(text)
}

fn findings(overview: &Overview, look: &Look<'_>) -> String {
    if overview.findings.is_empty() {
        return "No rule found anything.".to_owned();
    }
    let saving = |finding: &FindingRow| {
        finding.saving.as_ref().map_or_else(
            || UNKNOWN.to_owned(),
            |saving| format!("{} −{}", saving.kind(), short_time(saving.ns(), look.time_unit)),
        )
    };
    let row = |finding: &FindingRow| {
        let what = format!("{} {}", finding.mark, escaped(&finding.problem));
        vec![what, escaped(&finding.advice), saving(finding)]
    };
    let title = format!("Saving {}", overview.basis.words());
    let mut text = format!("| Finding | What to change | {title} |\n| --- | --- | ---: |");
    for finding in overview.findings.iter().take(MOST) {
        let _ = write!(text, "\n| {} |", row(finding).join(" | "));
    }
    text
}

fn kernels(overview: &Overview, look: &Look<'_>) -> Option<String> {
    let kernels = overview.kernels.as_ref().filter(|kernels| !kernels.rows.is_empty())?;
    let form = TimeForm::of(kernels.rows[0].ns, look.time_unit, 0);
    let time = format!("{} {}", form.symbol(), overview.basis.words());
    let rows = kernels.rows.iter().take(MOST).map(|row| {
        let cells =
            [form.number(row.ns), share(row.percent), share(row.cumulative_percent), counted(row.calls)];
        std::iter::once(escaped(&row.label)).chain(cells).collect()
    });
    let title = format!("Top kernels, of {} names", kernels.names);
    Some(table(&[&title, &time, "%", "cum %", "calls"], rows))
}

fn ops(overview: &Overview, look: &Look<'_>) -> Option<String> {
    let ops = &overview.ops;
    let first = ops.rows.first()?;
    let form = TimeForm::of(first.ns, look.time_unit, 0);
    let time = format!("{} {}", form.symbol(), overview.basis.words());
    let rows = ops.rows.iter().take(MOST).map(|row| {
        let cells =
            [form.number(row.ns), share(row.percent), share(row.cumulative_percent), counted(row.calls)];
        std::iter::once(escaped(&row.name)).chain(cells).collect()
    });
    let title = match ops.ranked_by {
        RankedBy::GpuTime => "Top ops, equal ones folded",
        RankedBy::CpuTime => "Top ops by CPU time, equal ones folded",
    };
    Some(table(&[title, &time, "%", "cum %", "calls"], rows))
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn names_mean_nothing_to_markdown() {
        assert_eq!(escaped("a_b|c*<d>"), "a\\_b\\|c\\*&lt;d&gt;");
        assert_eq!(escaped("use `a_b`"), "use `a_b`");
    }
}
