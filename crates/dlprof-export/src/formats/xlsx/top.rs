//! The kernels, ops and op types with most time, on the first sheet.

use super::grid::{Grid, Half, Row, ms_format};
use super::links::Links;
use crate::overview::{OpRow, Overview, RankedBy};
use rust_xlsxwriter::XlsxError;

/// So many are listed.
const MOST: usize = 10;

/// A name, its time, its share, the share of it and all before, a count.
fn row(name: &str, ns: f64, percent: f64, cumulative_percent: f64, count: f64) -> Row {
    let figures = [ns / 1e6, percent / 100.0, cumulative_percent / 100.0, count].map(Some);
    Row { name: name.to_owned(), figures: figures.into() }
}

/// Number formats of such rows, by the longest time.
fn formats(longest_ns: Option<f64>) -> [&'static str; 4] {
    [ms_format(longest_ns.unwrap_or(0.0)), "0.0 %", "0.0 %", "#,##0.#"]
}

/// The kernels with most time, and the kinds of kernels.
pub(super) fn kernels(grid: &mut Grid<'_>, overview: &Overview, links: &Links) -> Result<(), XlsxError> {
    let Some(kernels) = &overview.kernels else { return Ok(()) };
    let (left, right) = (Half::Left, Half::Right);
    let title = format!("Top kernels, {} of {} names", kernels.rows.len().min(MOST), kernels.names);
    grid.heading((left.first(), left.last()), &title, links.to_table("kernel_names"))?;
    grid.heading((right.first(), right.last()), "Kernel time by kind", links.to_table("kernels"))?;
    grid.line += 1;
    let rows: Vec<Row> = kernels
        .rows
        .iter()
        .take(MOST)
        .map(|kernel| row(&kernel.label, kernel.ns, kernel.percent, kernel.cumulative_percent, kernel.calls))
        .collect();
    let code = formats(kernels.rows.first().map(|row| row.ns));
    let lines = grid.table(left, &["name", "ms", "of kernels", "cumulative", "calls"], &code, &rows)?;
    let kinds: Vec<Row> = kernels
        .kinds
        .iter()
        .take(MOST)
        .map(|kind| row(kind.kind, kind.ns, kind.percent, kind.cumulative_percent, kind.calls))
        .collect();
    let code = formats(kernels.kinds.first().map(|row| row.ns));
    let others = grid.table(right, &["kind", "ms", "of kernels", "cumulative", "calls"], &code, &kinds)?;
    grid.line += lines.max(others) + 1;
    Ok(())
}

/// The ops with most time, equal ones folded, and the op types.
pub(super) fn ops(grid: &mut Grid<'_>, overview: &Overview, links: &Links) -> Result<(), XlsxError> {
    let ops = &overview.ops;
    let (left, right) = (Half::Left, Half::Right);
    let time = match ops.ranked_by {
        RankedBy::GpuTime => "GPU ms",
        RankedBy::CpuTime => "CPU ms",
    };
    let title = format!("Top ops, {} of {}, equal ones folded", ops.rows.len().min(MOST), ops.folded);
    grid.heading((left.first(), left.last()), &title, links.to_table("ops"))?;
    grid.heading((right.first(), right.last()), "Top op types", links.to_table("op_types"))?;
    grid.line += 1;
    let op = |op: &OpRow| {
        let name = match op.members.len() {
            0 | 1 => op.name.clone(),
            copies => format!("{} ×{copies}", op.name),
        };
        row(&name, op.ns, op.percent, op.cumulative_percent, op.calls)
    };
    let rows: Vec<Row> = ops.rows.iter().take(MOST).map(op).collect();
    let code = formats(ops.rows.first().map(|row| row.ns));
    let lines = grid.table(left, &["name", time, "of ops", "cumulative", "calls"], &code, &rows)?;
    let types: Vec<Row> = ops
        .types
        .iter()
        .take(MOST)
        .map(|kind| row(&kind.op_type, kind.ns, kind.percent, kind.cumulative_percent, kind.calls))
        .collect();
    let code = formats(ops.types.first().map(|row| row.ns));
    let others = grid.table(right, &["op type", time, "of ops", "cumulative", "calls"], &code, &types)?;
    grid.line += lines.max(others) + 1;
    Ok(())
}
