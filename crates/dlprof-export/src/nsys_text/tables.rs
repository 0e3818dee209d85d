//! Columns and tables for a terminal: as wide as the first rows need, with long texts cut.

use super::Layout;
use super::cells::{self, CellKind};
use dlprof_core::nsys_reports::Report;
use std::io::{self, Write};

/// Rows that decide how wide columns are.
const MEASURED_ROWS: usize = 100;

/// No column is wider.
const WIDEST: usize = 100;

/// A column: its title, how wide it is, and on which side its values stand.
struct Shape {
    title: String,
    width: usize,
    is_number: bool,
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// The shapes of the columns. The first value of a column decides whether they are numbers.
fn shapes(report: &Report<'_>, layout: &Layout<'_>) -> Vec<Shape> {
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
    let shape = |(title, (width, kind)): (String, (usize, Option<CellKind>))| Shape {
        width: width.min(WIDEST).max(length(&title)),
        title,
        is_number: matches!(kind, Some(CellKind::Number)),
    };
    titles.into_iter().zip(widths.into_iter().zip(kinds)).map(shape).collect()
}

/// A text in the middle of a width; an odd blank is behind it.
fn centered(text: &str, width: usize) -> String {
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
    report: &Report<'_>,
    shapes: &[Shape],
    layout: &Layout<'_>,
    out: &mut dyn Write,
    line: impl Fn(&[String]) -> String,
) -> io::Result<()> {
    for row in 0..report.len() {
        let cells = report.row(row);
        let texts =
            cells.iter().zip(report.columns()).map(|(cell, column)| cells::text(cell, column, layout).1);
        let texts: Vec<String> = texts.zip(shapes).map(|(text, shape)| fitted(&text, shape)).collect();
        writeln!(out, "{}", line(&texts))?;
    }
    Ok(())
}

fn write_title(layout: &Layout<'_>, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "\n ** {} ({}):\n\n", layout.title, layout.name)
}

/// Columns with blanks between them.
pub(super) fn write_columns(report: &Report<'_>, layout: &Layout<'_>, out: &mut dyn Write) -> io::Result<()> {
    let shapes = shapes(report, layout);
    write_title(layout, out)?;
    let line = |parts: &[String]| format!(" {}", parts.join("  "));
    let titles: Vec<String> = shapes.iter().map(|shape| centered(&shape.title, shape.width)).collect();
    let rules: Vec<String> = shapes.iter().map(|shape| "-".repeat(shape.width)).collect();
    writeln!(out, "{}", line(&titles))?;
    writeln!(out, "{}", line(&rules))?;
    write_rows(report, &shapes, layout, out, line)
}

/// Columns with lines between and around them.
pub(super) fn write_table(report: &Report<'_>, layout: &Layout<'_>, out: &mut dyn Write) -> io::Result<()> {
    let shapes = shapes(report, layout);
    write_title(layout, out)?;
    let line = |parts: &[String]| format!("| {} |", parts.join(" | "));
    let titles: Vec<String> = shapes.iter().map(|shape| centered(&shape.title, shape.width)).collect();
    let rules: Vec<String> = shapes.iter().map(|shape| "-".repeat(shape.width + 2)).collect();
    let rule = format!("+{}+", rules.join("+"));
    writeln!(out, "{rule}\n{}\n{rule}", line(&titles))?;
    write_rows(report, &shapes, layout, out, line)?;
    writeln!(out, "{rule}")
}
