//! The kernels, ops and op types with most time, on the first sheet.

use super::super::scale::Scale;
use super::cells::{PERCENT, times_code};
use super::grid::{ALL, CHARS, Grid, Half, Row, text};
use super::links::Links;
use crate::display::TimeUnit;
use crate::overview::{OpRow, Overview, RankedBy};
use crate::palette;
use rust_xlsxwriter::XlsxError;

/// How many are listed.
const MOST: usize = 10;

/// The first figure of a list: a time in the unit of the sheet.
struct Times {
    scale: Scale,
}

impl Times {
    fn new(longest_ns: Option<f64>, unit: TimeUnit) -> Self {
        Self { scale: Scale::of(longest_ns.unwrap_or(0.0), unit) }
    }

    /// A name, its time, its share, the share of it and all before, a count.
    fn row(&self, name: &str, ns: f64, percent: f64, cumulative_percent: f64, count: f64) -> Row {
        let figures = [self.scale.value(ns), percent / 100.0, cumulative_percent / 100.0, count].map(Some);
        Row { name: name.to_owned(), figures: figures.into() }
    }

    /// Number formats of such rows.
    fn codes(&self) -> [String; 4] {
        let rest = [PERCENT, PERCENT, "#,##0.#"].map(str::to_owned);
        let [share, cumulative, count] = rest;
        [times_code(self.scale), share, cumulative, count]
    }
}

/// The kernels with most time, and the kinds of kernels.
pub(super) fn kernels(
    grid: &mut Grid<'_>,
    overview: &Overview,
    unit: TimeUnit,
    links: &Links,
) -> Result<(), XlsxError> {
    let Some(kernels) = &overview.kernels else { return Ok(()) };
    let (left, right) = (Half::Left, Half::Right);
    let shown = kernels.rows.len().min(MOST);
    let title = format!("Top kernels, {shown} of {} names{}", kernels.names, kernels.sum_in_words());
    grid.heading((left.first(), left.last()), &title, links.to_table("kernel_names"))?;
    grid.heading((right.first(), right.last()), "Kernel time by kind", links.to_table("kernels"))?;
    grid.line += 1;
    let times = Times::new(kernels.rows.first().map(|row| row.ns), unit);
    let rows: Vec<Row> = kernels
        .rows
        .iter()
        .take(MOST)
        .map(|kernel| {
            times.row(&kernel.label, kernel.ns, kernel.percent, kernel.cumulative_percent, kernel.calls)
        })
        .collect();
    let titles = |name| [name, unit.symbol(), "of kernels", "cumulative", "calls"];
    let lines = grid.table(left, &titles("name"), &times.codes(), &rows)?;
    let times = Times::new(kernels.kinds.first().map(|row| row.ns), unit);
    let kinds: Vec<Row> = kernels
        .kinds
        .iter()
        .take(MOST)
        .map(|kind| times.row(kind.kind, kind.ns, kind.percent, kind.cumulative_percent, kind.calls))
        .collect();
    let others = grid.table(right, &titles("kind"), &times.codes(), &kinds)?;
    grid.line += lines.max(others) + 1;
    Ok(())
}

/// The ops with most time, equal ones folded, and the op types.
pub(super) fn ops(
    grid: &mut Grid<'_>,
    overview: &Overview,
    unit: TimeUnit,
    links: &Links,
) -> Result<(), XlsxError> {
    let ops = &overview.ops;
    if let Some(unknown) = &ops.unknown {
        grid.heading(ALL, "Top ops", links.to_table("ops"))?;
        grid.line += 1;
        return grid.paragraph(ALL, unknown, &text(9.0, palette::TEXT_3), (CHARS, 14.0));
    }
    let (left, right) = (Half::Left, Half::Right);
    let time = match ops.ranked_by {
        RankedBy::GpuTime => "GPU",
        RankedBy::CpuTime => "CPU",
    };
    let time = format!("{time} {}", unit.symbol());
    let titles = |name| [name, time.as_str(), "of ops", "cumulative", "calls"];
    let title = format!("Top ops, {} of {}, equal ones folded", ops.rows.len().min(MOST), ops.folded);
    grid.heading((left.first(), left.last()), &title, links.to_table("ops"))?;
    grid.heading((right.first(), right.last()), "Top op types", links.to_table("op_types"))?;
    grid.line += 1;
    let times = Times::new(ops.rows.first().map(|row| row.ns), unit);
    let op = |op: &OpRow| {
        let name = match op.members.len() {
            0 | 1 => op.name_with_direction(),
            copies => format!("{} ×{copies}", op.name_with_direction()),
        };
        times.row(&name, op.ns, op.percent, op.cumulative_percent, op.calls)
    };
    let rows: Vec<Row> = ops.rows.iter().take(MOST).map(op).collect();
    let lines = grid.table(left, &titles("name"), &times.codes(), &rows)?;
    let times = Times::new(ops.types.first().map(|row| row.ns), unit);
    let types: Vec<Row> = ops
        .types
        .iter()
        .take(MOST)
        .map(|kind| times.row(&kind.op_type, kind.ns, kind.percent, kind.cumulative_percent, kind.calls))
        .collect();
    let others = grid.table(right, &titles("op type"), &times.codes(), &types)?;
    grid.line += lines.max(others) + 1;
    Ok(())
}
