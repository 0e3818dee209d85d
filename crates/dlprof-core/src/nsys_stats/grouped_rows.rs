//! What all summary reports have: groups of values, their statistics, and rows in order.

use super::form::Form;
use super::statistics::{Statistics, percent};
use super::table::{Cell, Report, ReportColumn, Unit};
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// Values by key.
pub(super) struct Groups<K> {
    places: FxHashMap<K, u32>,
    groups: Vec<Group<K>>,
}

/// A group: its key, and the values of its rows.
pub(super) struct Group<K> {
    pub(super) key: K,
    rows: usize,
    values: Vec<i64>,
}

impl<K: Hash + Eq + Clone> Groups<K> {
    pub(super) fn new() -> Self {
        Self { places: FxHashMap::default(), groups: Vec::new() }
    }

    /// The place of a group, which is added if it is new.
    pub(super) fn place(&mut self, key: K) -> usize {
        let next = u32::try_from(self.groups.len()).unwrap_or(u32::MAX);
        let place = *self.places.entry(key.clone()).or_insert(next);
        if place == next {
            self.groups.push(Group { key, rows: 0, values: Vec::new() });
        }
        place as usize
    }

    /// Adds a row to the group at a place.
    pub(super) fn add_at(&mut self, place: usize, value: Option<i64>) {
        let group = &mut self.groups[place];
        group.rows += 1;
        group.values.extend(value);
    }

    /// Adds a row.
    pub(super) fn add(&mut self, key: K, value: Option<i64>) {
        let place = self.place(key);
        self.add_at(place, value);
    }

    /// The groups in order of appearance, with their statistics.
    pub(super) fn into_statistics(self) -> Vec<(K, Statistics)> {
        self.groups.into_iter().map(|group| (group.key, Statistics::of(group.values, group.rows))).collect()
    }

    /// The groups in the order of a key, with their statistics.
    pub(super) fn sorted_by<O: Ord>(self, order: impl Fn(&K) -> O) -> Vec<(K, Statistics)> {
        let mut groups = self.into_statistics();
        groups.sort_by_cached_key(|(key, _)| order(key));
        groups
    }
}

/// A row of a summary before it is printed: its last cells, and its statistics.
pub(super) type SumRow<'a> = (Vec<Cell<'a>>, Statistics);

/// Puts rows in the order of their totals, the greatest first; rows with equal totals stay in order.
pub(super) fn by_total(rows: &mut [SumRow<'_>]) {
    rows.sort_by_key(|(_, statistics)| std::cmp::Reverse(statistics.total));
}

/// What the columns of a summary are called.
pub(super) struct SumTitles {
    /// The number of rows, from 2022 on and before.
    pub(super) count: [&'static str; 2],
    /// The columns behind the statistics.
    pub(super) last: Vec<ReportColumn>,
}

/// A summary of durations: `Time (%)`, the statistics, and the last columns.
pub(super) fn time_summary<'a>(form: Form, titles: SumTitles, rows: Vec<SumRow<'a>>) -> Report<'a> {
    let whole = rows.iter().map(|(_, statistics)| i128::from(statistics.total.unwrap_or(0))).sum();
    let is_old = form == Form::V2020;
    let mut columns = vec![ReportColumn::plain(if is_old { "Time(%)" } else { "Time (%)" })];
    columns.push(ReportColumn::with_unit("Total Time", Unit::Time));
    columns.push(ReportColumn::plain(titles.count[usize::from(is_old)]));
    columns.extend(statistic_columns(form, Unit::Time));
    columns.extend(titles.last);
    let rows = rows.into_iter().map(|(last, statistics)| {
        let mut cells = vec![Cell::real(percent(statistics.total, whole)), Cell::int(statistics.total)];
        cells.push(Cell::count(statistics.rows));
        cells.extend(statistic_cells(form, &statistics));
        cells.extend(last);
        cells
    });
    Report::of_rows(columns, rows.collect())
}

/// Average, median, least, greatest and deviation; before 2022, without median and deviation.
pub(super) fn statistic_columns(form: Form, unit: Unit) -> Vec<ReportColumn> {
    if form.has_median() {
        return ["Avg", "Med", "Min", "Max", "StdDev"]
            .map(|title| ReportColumn::with_unit(title, unit))
            .into();
    }
    let old = |title| ReportColumn { title, unit, shows_unit: false, absent: None };
    ["Average", "Minimum", "Maximum"].map(old).into()
}

/// The cells of [`statistic_columns`].
pub(super) fn statistic_cells<'a>(form: Form, statistics: &Statistics) -> Vec<Cell<'a>> {
    let average = Cell::real(statistics.average);
    let [least, greatest] = [statistics.least, statistics.greatest].map(Cell::int);
    if form.has_median() {
        vec![average, Cell::real(statistics.median), least, greatest, Cell::Real(statistics.deviation)]
    } else {
        vec![average, least, greatest]
    }
}
