//! What all summary reports have: groups of values, their statistics, and rows in order.

use super::form::NsysForm;
use super::statistics::{Statistics, percent};
use super::table::{NsysCell, NsysColumn, NsysReport, NsysUnit};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::hash::Hash;

/// Values by key. A group may have one row or millions, and there may be millions of groups, so none has a list of its own.
pub(super) struct Groups<K> {
    places: FxHashMap<K, u32>,
    /// By place: the key, and the number of rows.
    groups: Vec<(K, usize)>,
    /// The values of all groups, and of each its group.
    values: Vec<i64>,
    group_of: Vec<u32>,
}

impl<K: Hash + Eq + Clone> Groups<K> {
    pub(super) fn new() -> Self {
        Self { places: FxHashMap::default(), groups: Vec::new(), values: Vec::new(), group_of: Vec::new() }
    }

    /// The place of a group, which is added if it is new.
    pub(super) fn place(&mut self, key: K) -> usize {
        let next = u32::try_from(self.groups.len()).unwrap_or(u32::MAX);
        let place = *self.places.entry(key.clone()).or_insert(next);
        if place == next {
            self.groups.push((key, 0));
        }
        place as usize
    }

    /// Adds a row to the group at a place.
    pub(super) fn add_at(&mut self, place: usize, value: Option<i64>) {
        self.groups[place].1 += 1;
        if let Some(value) = value {
            self.values.push(value);
            self.group_of.push(u32::try_from(place).unwrap_or(u32::MAX));
        }
    }

    /// Adds a row.
    pub(super) fn add(&mut self, key: K, value: Option<i64>) {
        let place = self.place(key);
        self.add_at(place, value);
    }

    /// The groups in order of appearance, with their statistics.
    pub(super) fn into_statistics(self) -> Vec<(K, Statistics)> {
        let Self { groups, values, group_of, places } = self;
        drop(places);
        let mut ends = vec![0; groups.len()];
        for &place in &group_of {
            ends[place as usize] += 1;
        }
        let mut end = 0;
        for count in &mut ends {
            end += *count;
            *count = end;
        }
        // Filled from the back, so that every end becomes a start.
        let mut starts = ends;
        let mut by_group = vec![0; values.len()];
        for (&place, &value) in group_of.iter().zip(&values).rev() {
            let at = &mut starts[place as usize];
            *at -= 1;
            by_group[*at] = value;
        }
        drop((values, group_of));
        let mut rest = by_group.as_mut_slice();
        let next_starts = starts.iter().skip(1).copied().chain([end]);
        let counts = starts.iter().zip(next_starts).map(|(start, next)| next - start);
        let statistics = |((key, rows), count)| {
            let (values, others) = std::mem::take(&mut rest).split_at_mut(count);
            rest = others;
            (key, Statistics::of(values, rows))
        };
        groups.into_iter().zip(counts).map(statistics).collect()
    }

    /// The groups in the order of a key, with their statistics.
    pub(super) fn sorted_by<O: Ord>(self, order: impl Fn(&K) -> O) -> Vec<(K, Statistics)> {
        let mut groups = self.into_statistics();
        groups.sort_unstable_by_key(|(key, _)| order(key));
        groups
    }

    /// The groups in the order of their totals, the greatest first, with their statistics. Groups with equal totals are in the
    /// order of a key.
    pub(super) fn by_total<O: Ord>(self, order: impl Fn(&K) -> O) -> Vec<(K, Statistics)> {
        let mut groups = self.into_statistics();
        groups.sort_unstable_by(|(a, x), (b, y)| {
            Reverse(x.total()).cmp(&Reverse(y.total())).then_with(|| order(a).cmp(&order(b)))
        });
        groups
    }
}

/// What the columns of a summary are called.
pub(super) struct SumTitles {
    /// The number of rows, from 2022 on and before.
    pub(super) count: [&'static str; 2],
    /// The columns after the statistics.
    pub(super) last: Vec<NsysColumn>,
}

/// A summary of durations: `Time (%)`, the statistics, and the last columns, whose cells `last` makes of the key of a group.
pub(super) fn time_summary<'a, K: 'a>(
    form: NsysForm,
    titles: SumTitles,
    rows: Vec<(K, Statistics)>,
    last: impl Fn(&K) -> Vec<NsysCell<'a>> + 'a,
) -> NsysReport<'a> {
    let whole = rows.iter().map(|(_, statistics)| i128::from(statistics.total().unwrap_or(0))).sum();
    let is_old = form == NsysForm::V2020;
    let mut columns = vec![NsysColumn::plain(if is_old { "Time(%)" } else { "Time (%)" })];
    columns.push(NsysColumn::with_unit("Total Time", NsysUnit::Time));
    columns.push(NsysColumn::plain(titles.count[usize::from(is_old)]));
    columns.extend(statistic_columns(form, NsysUnit::Time));
    columns.extend(titles.last);
    NsysReport::new(columns, rows.len(), move |row| {
        let (key, statistics) = &rows[row];
        let mut cells =
            vec![NsysCell::real(percent(statistics.total(), whole)), NsysCell::int(statistics.total())];
        cells.push(NsysCell::count(statistics.rows));
        cells.extend(statistic_cells(form, statistics));
        cells.extend(last(key));
        cells
    })
}

/// Average, median, least, greatest and deviation; before 2022, without median and deviation.
pub(super) fn statistic_columns(form: NsysForm, unit: NsysUnit) -> Vec<NsysColumn> {
    if form.has_median() {
        return ["Avg", "Med", "Min", "Max", "StdDev"].map(|title| NsysColumn::with_unit(title, unit)).into();
    }
    let old = |title| NsysColumn { title, unit, shows_unit: false, absent: None };
    ["Average", "Minimum", "Maximum"].map(old).into()
}

/// The cells of [`statistic_columns`].
pub(super) fn statistic_cells<'a>(form: NsysForm, statistics: &Statistics) -> Vec<NsysCell<'a>> {
    let average = NsysCell::real(statistics.average());
    let [least, greatest] = [statistics.least(), statistics.greatest()].map(NsysCell::int);
    if form.has_median() {
        vec![
            average,
            NsysCell::real(statistics.median()),
            least,
            greatest,
            NsysCell::Real(statistics.deviation),
        ]
    } else {
        vec![average, least, greatest]
    }
}
