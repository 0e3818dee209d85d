//! Columns and tables for a terminal: as wide as the first rows need, with long texts cut.

use super::Layout;
use super::cells::{self, CellKind};
use dlprof_core::NsysReport;
use std::io::{self, Write};

/// Rows that decide how wide columns are.
const MEASURED_ROWS: usize = 100;

/// No column is wider.
const WIDEST: usize = 100;

/// A column: its title, how wide it is, and on which side its values stand.
struct Shape {
    title: String,
    /// In characters; a column of 0 is not shown.
    width: usize,
    is_number: bool,
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// The shapes of the columns. The first value of a column decides whether they are numbers.
fn shapes(report: &NsysReport<'_>, layout: &Layout<'_>) -> Vec<Shape> {
    let columns = report.columns();
    let mut widths: Vec<usize> = Vec::new();
    let titles: Vec<String> = columns.iter().map(|column| cells::title(column, layout)).collect();
    widths.extend(titles.iter().map(|title| length(title)));
    let mut kinds: Vec<Option<CellKind>> = vec![None; columns.len()];
    for row in 0..report.len().min(MEASURED_ROWS) {
        let cells = report.row(row);
        for (place, (cell, column)) in cells.iter().zip(columns).enumerate() {
            let (kind, text) = cells::text(cell, column, layout);
            widths[place] = widths[place].max(length(&text));
            if kinds[place].is_none() && !text.is_empty() {
                kinds[place] = Some(kind);
            }
        }
    }
    let arguments = layout.arguments;
    let widest = if arguments.no_limit { usize::MAX } else { WIDEST };
    let given = arguments.widths.iter().copied().chain(std::iter::repeat(None));
    let shape =
        |((title, given), (width, kind)): ((String, Option<usize>), (usize, Option<CellKind>))| Shape {
            width: given.unwrap_or_else(|| width.min(widest).max(length(&title))),
            title,
            is_number: matches!(kind, Some(CellKind::Number)),
        };
    titles.into_iter().zip(given).zip(widths.into_iter().zip(kinds)).map(shape).collect()
}

/// The columns that are shown.
fn shown(shapes: &[Shape]) -> impl Iterator<Item = &Shape> {
    shapes.iter().filter(|shape| shape.width > 0)
}

/// A title in the middle of its column; an odd blank is after it.
fn centered(shape: &Shape) -> String {
    let (text, width) = (&shape.title, shape.width);
    if length(text) > width {
        return fitted(text, shape);
    }
    let free = width.saturating_sub(length(text));
    format!("{}{text}{}", " ".repeat(free / 2), " ".repeat(free - free / 2))
}

/// A text of a width: cut, or with blanks.
fn fitted(text: &str, shape: &Shape) -> String {
    let free = shape.width.saturating_sub(length(text));
    if length(text) > shape.width {
        let kept: String = text.chars().take(shape.width - 1).collect();
        return format!("{kept}…");
    }
    if shape.is_number {
        format!("{}{text}", " ".repeat(free))
    } else {
        format!("{text}{}", " ".repeat(free))
    }
}

fn write_rows(
    report: &NsysReport<'_>,
    shapes: &[Shape],
    layout: &Layout<'_>,
    out: &mut dyn Write,
    line: impl Fn(&[String]) -> String,
) -> io::Result<()> {
    for row in 0..report.len() {
        let cells = report.row(row);
        let texts =
            cells.iter().zip(report.columns()).map(|(cell, column)| cells::text(cell, column, layout).1);
        let shown = texts.zip(shapes).filter(|(_, shape)| shape.width > 0);
        let texts: Vec<String> = shown.map(|(text, shape)| fitted(&text, shape)).collect();
        writeln!(out, "{}", line(&texts))?;
    }
    Ok(())
}

fn write_title(layout: &Layout<'_>, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "\n ** {} ({}):\n\n", layout.title, layout.name)
}

/// Columns with blanks between them.
pub(super) fn write_columns(
    report: &NsysReport<'_>,
    layout: &Layout<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let shapes = shapes(report, layout);
    write_title(layout, out)?;
    let line = |parts: &[String]| format!(" {}", parts.join("  "));
    let titles: Vec<String> = shown(&shapes).map(centered).collect();
    let rules: Vec<String> = shown(&shapes).map(|shape| "-".repeat(shape.width)).collect();
    if !layout.arguments.no_header {
        writeln!(out, "{}\n{}", line(&titles), line(&rules))?;
    }
    write_rows(report, &shapes, layout, out, line)
}

/// Columns with lines between and around them.
pub(super) fn write_table(
    report: &NsysReport<'_>,
    layout: &Layout<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let shapes = shapes(report, layout);
    write_title(layout, out)?;
    let line = |parts: &[String]| format!("| {} |", parts.join(" | "));
    let titles: Vec<String> = shown(&shapes).map(centered).collect();
    let rules: Vec<String> = shown(&shapes).map(|shape| "-".repeat(shape.width + 2)).collect();
    let rule = format!("+{}+", rules.join("+"));
    if !layout.arguments.no_header {
        writeln!(out, "{rule}\n{}", line(&titles))?;
    }
    writeln!(out, "{rule}")?;
    write_rows(report, &shapes, layout, out, line)?;
    writeln!(out, "{rule}")
}
