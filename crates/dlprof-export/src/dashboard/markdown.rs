//! The dashboard as Markdown, for the summaries of CI systems.

use super::Look;
use super::numbers::{TimeForm, share};
use super::step::of_it;
use crate::display::{counted, percentage, short_time};
use crate::origin::UNKNOWN;
use crate::overview::{FindingRow, Overview, Per, RankedBy};
use crate::text::{shorten, shorten_name};
use std::fmt::Write;

/// How many rows of a table are shown.
const MOST: usize = 10;

/// The dashboard as Markdown.
#[must_use]
pub fn markdown(overview: &Overview, look: &Look<'_>) -> String {
    let name = look.profile_name.map_or_else(String::new, |name| format!("{name}: "));
    let mut text = format!("## {}\n\n", escaped_name(&format!("{name}{}", overview.window.capture)));
    let blocks = [
        Some(format!("**{}**", escaped(&overview.verdict))),
        overview.verdict_detail.as_deref().map(escaped),
        Some(overview.window.parts.iter().map(|part| escaped(part)).collect::<Vec<_>>().join(" · ")),
        Some(tiles(overview, look)),
        Some(
            overview.serving.iter().map(|said| format!("- {}", escaped(said))).collect::<Vec<_>>().join("\n"),
        ),
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

/// Longer sentences and names are cut in the middle: GitHub shows no summary of more than 1 MiB.
const LONGEST_SENTENCE: usize = 1000;
const LONGEST_NAME: usize = 200;

/// A sentence in which no sign means anything to Markdown, but pairs of backticks, which enclose names.
pub(crate) fn escaped(text: &str) -> String {
    let text = shorten(text, LONGEST_SENTENCE);
    let parts: Vec<&str> = text.split('`').collect();
    let mut escaped = String::new();
    for (at, part) in parts.iter().enumerate() {
        let is_open = at % 2 == 1;
        let is_closed = at + 1 < parts.len();
        match is_open {
            // Entities mean nothing inside; only the sign between the cells of a table does.
            true if is_closed && !part.is_empty() => {
                escaped.push_str(&format!("`{}`", part.replace('|', "\\|")));
            }
            true if is_closed => escaped.push_str("\\`\\`"),
            true => escaped.push_str(&format!("\\`{}", without_signs(part))),
            false => escaped.push_str(&without_signs(part)),
        }
    }
    escaped
}

/// A name in which no sign means anything to Markdown.
pub(crate) fn escaped_name(name: &str) -> String {
    without_signs(&shorten_name(name, LONGEST_NAME))
}

fn without_signs(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '|' | '*' | '_' | '[' | ']' | '\\' | '`' | '~' | '$' => {
                escaped.push('\\');
                escaped.push(letter);
            }
            letter => escaped.push(letter),
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
        Per::Iteration => "Mean time per iteration",
        Per::Window => "Time in all",
    };
    let count = |count: Option<f64>| count.map_or_else(|| UNKNOWN.to_owned(), counted);
    let on_units = format!("Kernel time on {}", overview.matrix_units);
    let header = [time, "GPU busy", &on_units, "Kernels", "Items/s"];
    let row = vec![
        short_time(tiles.iteration_ns, look.time_unit) + &tiles.deviation_in_words(look.time_unit),
        known(tiles.gpu_busy_percent) + &tiles.only_copies_in_words(),
        tiles.tensor_cores_in_words().unwrap_or_else(|| UNKNOWN.to_owned()),
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
    let rows = shown.map(|part| {
        let words = match of_it(step, part, form) {
            Some(of_it) => format!("{}, {of_it}", part.words),
            None => part.words.to_owned(),
        };
        vec![words, form.number(part.ns), share(part.percent)]
    });
    let mut text = table(&[overview.basis.where_it_goes(), &time, "%"], rows);
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
            || finding.without_saving(UNKNOWN).to_owned(),
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
    if let Some(after) = &overview.after_changes {
        let _ = write!(text, "\n\n{}", escaped(after));
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
        std::iter::once(escaped_name(&row.label)).chain(cells).collect()
    });
    let title = format!("Top kernels, of {} names{}", kernels.names, kernels.sum_in_words());
    Some(table(&[&title, &time, "%", "cum %", "calls"], rows))
}

fn ops(overview: &Overview, look: &Look<'_>) -> Option<String> {
    let ops = &overview.ops;
    if let Some(unknown) = &ops.unknown {
        return Some(format!("Top ops: {}", escaped(unknown)));
    }
    let first = ops.rows.first()?;
    let form = TimeForm::of(first.ns, look.time_unit, 0);
    let time = format!("{} {}", form.symbol(), overview.basis.words());
    let rows = ops.rows.iter().take(MOST).map(|row| {
        let cells =
            [form.number(row.ns), share(row.percent), share(row.cumulative_percent), counted(row.calls)];
        std::iter::once(escaped_name(&row.name_with_direction())).chain(cells).collect()
    });
    let title = match ops.ranked_by {
        RankedBy::GpuTime => "Top ops, equal ones folded",
        RankedBy::CpuTime => "Top ops by time of their ranges, equal ones folded",
    };
    Some(table(&[title, &time, "%", "cum %", "calls"], rows))
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_NAME, escaped, escaped_name};

    #[test]
    fn names_mean_nothing_to_markdown() {
        assert_eq!(escaped_name("a_b|c*<d>"), "a\\_b\\|c\\*&lt;d&gt;");
        assert_eq!(escaped_name("`&lt;"), "\\`&amp;lt;");
        assert_eq!(escaped_name(&"x".repeat(5000)).chars().count(), LONGEST_NAME);
    }

    #[test]
    fn names_in_sentences_are_shown_as_they_are() {
        assert_eq!(escaped("use `a_b`, not c_d"), "use `a_b`, not c\\_d");
        assert_eq!(escaped("`f<int, 4>(a|b)` takes 9 %"), "`f<int, 4>(a\\|b)` takes 9 %");
        assert_eq!(escaped("a ` <b>"), "a \\` &lt;b&gt;");
        assert_eq!(escaped("a ``<b>"), "a \\`\\`&lt;b&gt;");
    }
}
