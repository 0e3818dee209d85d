//! The lists: top kernels, kernel time by kind, top ops, top op types.

use super::Look;
use super::numbers::{TimeForm, share};
use super::ranked_rows::{Column, Importance, Listing, ListingRow};
use crate::display::{counted, grouped};
use crate::origin::UNKNOWN;
use crate::overview::{KernelKindRow, KernelRow, Kernels, OpRow, Overview, RankedBy};
use dlprof_core::count_to_f64;

const fn column(title: &'static str, importance: Importance) -> Column {
    Column { title, importance }
}

/// The columns that every list begins with.
fn shares(form: TimeForm, ns: f64, percent: f64, cumulative: f64) -> Vec<String> {
    vec![form.number(ns), share(percent), share(cumulative)]
}

fn share_columns(form: TimeForm) -> Vec<Column> {
    vec![
        column(form.symbol(), Importance::Main),
        column("%", Importance::Main),
        column("cum %", Importance::Cumulative),
    ]
}

fn part_of(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// Kernels by name; `shown` is how many of them will be.
pub(super) fn kernels(kernels: &Kernels, look: &Look<'_>, shown: usize) -> Listing {
    let longest = kernels.rows.first().map_or(0.0, |row| row.ns);
    let form = TimeForm::of(longest, look.time_unit, 0);
    let mean =
        TimeForm::of_means(kernels.rows.iter().map(|row| row.mean_ns).fold(0.0, f64::max), look.time_unit);
    let shown = shown.min(kernels.rows.len());
    let all = grouped(&kernels.names.to_string());
    let names = if kernels.names == 1 { "name" } else { "names" };
    let gpus = kernels.sum_in_words();
    let title = match shown == kernels.names {
        true => format!("Kernels, {all} {names}{gpus}"),
        false => format!("Top kernels, {shown} of {all} {names}{gpus}"),
    };
    let mut columns = share_columns(form);
    columns.extend([
        column("calls", Importance::Calls),
        column(mean_title(mean), Importance::Mean),
        column("grid occ %", Importance::Extra),
    ]);
    let row = |row: &KernelRow| {
        let mut cells = shares(form, row.ns, row.percent, row.cumulative_percent);
        cells.push(counted(row.calls));
        cells.push(mean.number(row.mean_ns));
        cells.push(row.grid_occupancy_percent.map_or_else(|| UNKNOWN.to_owned(), share));
        ListingRow { name: row.label.clone(), suffix: String::new(), cells, share: part_of(row.ns, longest) }
    };
    Listing {
        titles: vec![
            format!("{title}, % of kernel time"),
            title,
            format!("Top kernels{gpus}"),
            "Top kernels".to_owned(),
        ],
        rows: kernels.rows.iter().map(row).collect(),
        columns,
        bar_behind: Some(3),
        below: None,
    }
}

/// The heading of mean times, which have their own unit.
fn mean_title(form: TimeForm) -> &'static str {
    match form.symbol() {
        "ns" => "mean ns",
        "µs" => "mean µs",
        "ms" => "mean ms",
        _ => "mean s",
    }
}

/// Kernel time by kind.
pub(super) fn kinds(kernels: &Kernels, look: &Look<'_>) -> Listing {
    let longest = kernels.kinds.first().map_or(0.0, |row| row.ns);
    let form = TimeForm::of(longest, look.time_unit, 0);
    let row = |row: &KernelKindRow| ListingRow {
        name: row.kind.to_owned(),
        suffix: String::new(),
        cells: shares(form, row.ns, row.percent, row.cumulative_percent),
        share: part_of(row.ns, longest),
    };
    Listing {
        titles: vec![
            format!("Kernel time by kind{}, % of kernel time", kernels.sum_in_words()),
            format!("Kernel time by kind{}", kernels.sum_in_words()),
            "Kernel time by kind".to_owned(),
            "By kind".to_owned(),
        ],
        rows: kernels.kinds.iter().map(row).collect(),
        columns: share_columns(form),
        bar_behind: Some(3),
        below: None,
    }
}

/// Ops with copies folded.
pub(super) fn ops(overview: &Overview, look: &Look<'_>) -> Listing {
    let ops = &overview.ops;
    let longest = ops.rows.first().map_or(0.0, |row| row.ns);
    let form = TimeForm::of(longest, look.time_unit, 0);
    let mut columns = share_columns(form);
    let knows_by_time = ops.rows.iter().any(|row| row.by_time_percent.is_some());
    if knows_by_time {
        columns.push(column("by time %", Importance::Extra));
    }
    let row = |row: &OpRow| {
        let mut cells = shares(form, row.ns, row.percent, row.cumulative_percent);
        if knows_by_time {
            cells.push(row.by_time_percent.map_or_else(|| UNKNOWN.to_owned(), |share| format!("{share:.0}")));
        }
        ListingRow { name: row.name.clone(), suffix: suffix(row), cells, share: part_of(row.ns, longest) }
    };
    let (long, short) = match ops.ranked_by {
        RankedBy::GpuTime => ("Top ops, equal ones folded, × calls", "Top ops, × calls"),
        RankedBy::CpuTime => ("Top ops by time of their ranges, × calls", "Top ops by range time"),
    };
    let (whole, gpus) = (ops.ranked_by.words(), overview.gpus_of_ops());
    Listing {
        titles: vec![
            format!("{long}{gpus}, % of {whole}"),
            format!("{long}{gpus}"),
            format!("{short}{gpus}"),
            short.to_owned(),
        ],
        rows: ops.rows.iter().map(row).collect(),
        columns,
        bar_behind: Some(3),
        below: ops.passes_said.clone(),
    }
}

/// What stands after the name of an op: its direction, and its calls where there are several.
fn suffix(row: &OpRow) -> String {
    let direction = if row.direction.is_empty() { String::new() } else { format!(" {}", row.direction) };
    let calls = if row.calls > 1.05 { format!(" ×{}", counted(row.calls)) } else { String::new() };
    direction + &calls
}

/// Op types.
pub(super) fn op_types(overview: &Overview, look: &Look<'_>) -> Listing {
    let types = &overview.ops.types;
    let longest = types.first().map_or(0.0, |row| row.ns);
    let form = TimeForm::of(longest, look.time_unit, 0);
    let mut columns = share_columns(form);
    columns.push(column("ops", Importance::Extra));
    let rows = types.iter().map(|row| {
        let mut cells = shares(form, row.ns, row.percent, row.cumulative_percent);
        cells.push(counted(count_to_f64(row.ops)));
        ListingRow {
            name: row.op_type.clone(),
            suffix: String::new(),
            cells,
            share: part_of(row.ns, longest),
        }
    });
    Listing {
        titles: vec![format!("Top op types{}", overview.gpus_of_ops()), "Top op types".to_owned()],
        rows: rows.collect(),
        columns,
        bar_behind: Some(3),
        below: None,
    }
}

/// The kinds of kernels in one line of words.
pub(super) fn kinds_in_words(kernels: &Kernels) -> Vec<String> {
    let listed = kernels.kinds.iter().filter(|row| row.percent >= 0.05);
    listed.map(|row| format!("{} {} %", row.kind, share(row.percent))).collect()
}
