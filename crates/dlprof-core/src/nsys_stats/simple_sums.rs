//! Summaries of calls, kernels and memory operations, without ranges.

use super::form::NsysForm;
use super::grouped_rows::{Groups, SumTitles, statistic_cells, statistic_columns, time_summary};
use super::labels;
use super::printed_kernel_names::{KernelNames, NsysArguments};
use super::source::Source;
use super::statistics::Statistics;
use super::table::{NsysCell, NsysColumn, NsysReport, NsysUnit};
use crate::base::ids::StrId;
use crate::base::limits::TooMuch;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// `Instances` in all versions.
const INSTANCES: [&str; 2] = ["Instances", "Instances"];
const CALLS: [&str; 2] = ["Num Calls", "Num Calls"];
const OPERATIONS: [&str; 2] = ["Count", "Operations"];

/// CUDA API calls by function. nsys has a row for each version of a function.
pub(super) fn api_calls<'a>(source: Source<'a>, form: NsysForm) -> NsysReport<'a> {
    let mut groups: Groups<StrId> = Groups::new();
    let names = &source.capture.api_calls.name;
    let titles = SumTitles { count: CALLS, last: vec![NsysColumn::plain("Name")] };
    for call in source.calls() {
        groups.add(names[call], Some(source.call_span(call).length()));
    }
    if form == NsysForm::Right {
        let mut merged = Groups::new();
        for call in source.calls() {
            merged.add(source.call_name(call), Some(source.call_span(call).length()));
        }
        return time_summary(form, titles, merged.by_total(|name| *name), |name| vec![name_cell(*name)]);
    }
    time_summary(form, titles, groups.by_total(|id| id.some()), move |&id| {
        vec![name_cell(source.text(id).map(crate::capture::names::without_version))]
    })
}

/// Calls of the operating system's libraries.
pub(super) fn os_calls<'a>(source: Source<'a>, form: NsysForm) -> NsysReport<'a> {
    /// nsys's number of rows that are calls.
    const CALL: i64 = 27;
    let mut groups: Groups<StrId> = Groups::new();
    for (name, length, class) in source.os_calls() {
        if class == CALL {
            groups.add(name, Some(length));
        }
    }
    let titles = SumTitles { count: CALLS, last: vec![NsysColumn::plain("Name")] };
    time_summary(form, titles, groups.by_total(|id| id.some()), move |&id| vec![name_cell(source.text(id))])
}

fn name_cell(name: Option<&str>) -> NsysCell<'_> {
    name.map_or(NsysCell::Absent, NsysCell::text)
}

/// Kernels by name.
pub(super) fn kernels<'a>(
    source: Source<'a>,
    form: NsysForm,
    arguments: &NsysArguments,
) -> Result<NsysReport<'a>, TooMuch> {
    let mut names = KernelNames::new(source, form, arguments)?;
    let titles = SumTitles { count: INSTANCES, last: vec![NsysColumn::plain("Name")] };
    if !form.is_new() {
        let mut groups: Groups<StrId> = Groups::new();
        for kernel in source.kernels() {
            groups.add(names.id(kernel), Some(source.work_span(kernel).length()));
        }
        return Ok(time_summary(form, titles, groups.by_total(|id| *id), move |&id| {
            vec![NsysCell::text(source.text(id).unwrap_or(""))]
        }));
    }
    let mut groups = Groups::new();
    for kernel in source.kernels() {
        groups.add(names.of(kernel), Some(source.work_span(kernel).length()));
    }
    let mut groups = groups.into_statistics();
    groups.sort_by(|(a, x), (b, y)| {
        let (a, b) = (names.text(*a), names.text(*b));
        (Reverse(x.total()), x.rows, a).cmp(&(Reverse(y.total()), y.rows, b))
    });
    let texts = names.into_texts();
    Ok(time_summary(form, titles, groups, move |&name| vec![NsysCell::Text(texts[name as usize].clone())]))
}

/// Three numbers, each in four places.
pub(super) fn triple([x, y, z]: [i64; 3]) -> String {
    format!("{x:>4} {y:>4} {z:>4}")
}

/// Kernels by name, grid and block.
pub(super) fn kernel_grids<'a>(
    source: Source<'a>,
    form: NsysForm,
    arguments: &NsysArguments,
) -> Result<NsysReport<'a>, TooMuch> {
    let mut names = KernelNames::new(source, form, arguments)?;
    let last = ["GridXYZ", "BlockXYZ", "Name"].map(NsysColumn::plain).into();
    let titles = SumTitles { count: INSTANCES, last };
    if !form.is_new() {
        let mut groups = Groups::new();
        for kernel in source.kernels() {
            let config = source.launch_config(kernel);
            groups
                .add((names.id(kernel), config.grid, config.block), Some(source.work_span(kernel).length()));
        }
        let groups = groups.by_total(|&(id, grid, block)| (id, triple(grid), triple(block)));
        return Ok(time_summary(form, titles, groups, move |&(id, grid, block)| {
            shape_cells(grid, block, source.text(id).unwrap_or("").into())
        }));
    }
    let mut groups = Groups::new();
    for kernel in source.kernels() {
        let config = source.launch_config(kernel);
        groups.add((names.of(kernel), config.grid, config.block), Some(source.work_span(kernel).length()));
    }
    let mut groups = groups.into_statistics();
    groups.sort_by(|((a, grid, block), x), ((b, other_grid, other_block), y)| {
        let (a, b) = (names.text(*a), names.text(*b));
        (Reverse(x.total()), x.rows, a, grid, block).cmp(&(
            Reverse(y.total()),
            y.rows,
            b,
            other_grid,
            other_block,
        ))
    });
    let texts = names.into_texts();
    Ok(time_summary(form, titles, groups, move |&(name, grid, block)| {
        shape_cells(grid, block, texts[name as usize].clone())
    }))
}

fn shape_cells<'a>(grid: [i64; 3], block: [i64; 3], name: Cow<'a, str>) -> Vec<NsysCell<'a>> {
    vec![NsysCell::text(triple(grid)), NsysCell::text(triple(block)), NsysCell::Text(name)]
}

/// Copies and memsets: what is summed, by what they are called.
fn memory_groups<'a>(
    source: Source<'a>,
    form: NsysForm,
    value: impl Fn(crate::base::ids::WorkId) -> i64,
) -> Groups<Cow<'a, str>> {
    let mut groups: Groups<Cow<'a, str>> = Groups::new();
    let mut places: BTreeMap<u8, Option<usize>> = BTreeMap::new();
    for copy in source.copies() {
        let kind = source.copy_kind(copy);
        let add = || labels::copy(source, form, copy);
        let place = *places.entry(kind).or_insert_with(|| add().map(|label| groups.place(label)));
        if let Some(place) = place {
            groups.add_at(place, Some(value(copy)));
        }
    }
    for memset in source.memsets() {
        groups.add(labels::MEMSET.into(), Some(value(memset)));
    }
    groups
}

/// Copies and memsets by time.
pub(super) fn memory_times<'a>(source: Source<'a>, form: NsysForm) -> NsysReport<'a> {
    let groups = memory_groups(source, form, |work| source.work_span(work).length());
    let titles = SumTitles { count: OPERATIONS, last: vec![NsysColumn::plain("Operation")] };
    let rows = groups.by_total(Clone::clone);
    time_summary(form, titles, rows, |label| vec![NsysCell::Text(label.clone())])
}

/// Copies and memsets by size.
pub(super) fn memory_sizes<'a>(source: Source<'a>, form: NsysForm) -> NsysReport<'a> {
    let groups = memory_groups(source, form, |work| source.bytes(work));
    if form == NsysForm::V2020 {
        return old_memory_sizes(groups.sorted_by(Clone::clone));
    }
    let rows = groups.by_total(Clone::clone);
    let mut columns = vec![NsysColumn::with_unit("Total", NsysUnit::Bytes), NsysColumn::plain("Count")];
    columns.extend(statistic_columns(form, NsysUnit::Bytes));
    columns.push(NsysColumn::plain("Operation"));
    let cells = |(label, statistics): (Cow<'a, str>, Statistics)| {
        let mut cells = vec![NsysCell::int(statistics.total()), NsysCell::count(statistics.rows)];
        cells.extend(statistic_cells(form, &statistics));
        cells.push(NsysCell::Text(label));
        cells
    };
    NsysReport::of_rows(columns, rows.into_iter().map(cells).collect())
}

/// nsys 2020 prints KiB and sorts by their text.
fn old_memory_sizes<'a>(groups: Vec<(Cow<'a, str>, Statistics)>) -> NsysReport<'a> {
    let kib = |bytes: f64| super::statistics::round_shortest(bytes / 1024.0, 3);
    let columns =
        ["Total", "Operations", "Average", "Minimum", "Maximum", "Operation"].map(NsysColumn::plain);
    let mut rows: Vec<(String, Vec<NsysCell<'a>>)> = groups
        .into_iter()
        .map(|(label, statistics)| {
            let total = statistics.total().unwrap_or(0) as f64;
            let number = |bytes: f64| NsysCell::Number(kib(bytes));
            let cells = vec![
                number(total),
                NsysCell::count(statistics.rows),
                number(total / statistics.rows.max(1) as f64),
                number(statistics.least().unwrap_or(0) as f64),
                number(statistics.greatest().unwrap_or(0) as f64),
                NsysCell::Text(label),
            ];
            (kib(total), cells)
        })
        .collect();
    rows.sort_by(|a, b| b.0.cmp(&a.0));
    NsysReport::of_rows(columns.into(), rows.into_iter().map(|(_, cells)| cells).collect())
}

/// Kernels, copies and memsets, and API calls if asked for, by what they are called.
pub(super) fn operations<'a>(
    source: Source<'a>,
    form: NsysForm,
    arguments: &NsysArguments,
    with_calls: bool,
) -> Result<NsysReport<'a>, TooMuch> {
    /// By text: the category of the first row, and the values.
    type ByText<'a> = Groups<Cow<'a, str>>;
    let mut groups: ByText<'a> = Groups::new();
    let mut categories = BTreeMap::new();
    if with_calls {
        let mut by_id: BTreeMap<StrId, usize> = BTreeMap::new();
        for call in source.calls() {
            let id = source.capture.api_calls.name[call];
            let add = || groups.place(source.call_name(call).unwrap_or("").into());
            let place = *by_id.entry(id).or_insert_with(add);
            categories.entry(place).or_insert("CUDA_API");
            groups.add_at(place, Some(source.call_span(call).length()));
        }
    }
    let mut names = KernelNames::new(source, form, arguments)?;
    let kernels: Vec<(u32, i64)> =
        source.kernels().map(|kernel| (names.of(kernel), source.work_span(kernel).length())).collect();
    let texts = names.into_texts();
    let places: Vec<usize> = texts.into_iter().map(|text| groups.place(text)).collect();
    for (name, length) in kernels {
        let place = places[name as usize];
        categories.entry(place).or_insert("CUDA_KERNEL");
        groups.add_at(place, Some(length));
    }
    let copies = source.copies().filter_map(|copy| Some((copy, labels::copy(source, form, copy)?)));
    for (work, label) in copies.chain(source.memsets().map(|memset| (memset, labels::MEMSET.into()))) {
        let place = groups.place(label);
        categories.entry(place).or_insert("MEMORY_OPER");
        groups.add_at(place, Some(source.work_span(work).length()));
    }
    let with_category = |(place, (text, statistics))| {
        let category: &'static str = categories.get(&place).unwrap_or(&"");
        ((category, text), statistics)
    };
    let mut rows: Vec<((&'static str, Cow<'a, str>), Statistics)> =
        groups.into_statistics().into_iter().enumerate().map(with_category).collect();
    rows.retain(|(_, statistics)| statistics.rows > 0);
    rows.sort_by(|((_, a), x), ((_, b), y)| (Reverse(x.total()), a).cmp(&(Reverse(y.total()), b)));
    let last = ["Category", "Operation"].map(NsysColumn::plain).into();
    Ok(time_summary(form, SumTitles { count: INSTANCES, last }, rows, |(category, text)| {
        vec![NsysCell::text(*category), NsysCell::Text(text.clone())]
    }))
}
