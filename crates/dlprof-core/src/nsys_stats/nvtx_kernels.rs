//! Kernels by the ranges that contain the calls that launched them.

use super::form::NsysForm;
use super::grouped_rows::{Groups, statistic_cells};
use super::launching_calls::{Calls, Launches, for_each_call};
use super::printed_kernel_names::{KernelNames, NsysArguments};
use super::ranges::{NameId, OpenEnd, Ranges, Style};
use super::source::Source;
use super::statistics::Statistics;
use super::table::{NsysCell, NsysColumn, NsysReport, NsysUnit};
use crate::base::ids::WorkId;
use crate::base::limits::{STATS_KERNEL_ROWS, TooMuch};
use crate::read::facts::global_ids::{pid, tid};
use std::cmp::Reverse;

/// A thread, and the name and style of a range.
type Place = (Option<i64>, Option<NameId>, Option<Style>);

/// The rows of a group besides the durations.
#[derive(Default)]
struct Instances {
    ranges: Vec<u32>,
    kernels: Vec<WorkId>,
}

impl Instances {
    fn add(&mut self, range: Option<u32>, kernel: WorkId) -> bool {
        if range.is_some() && self.ranges.last() != range.as_ref() {
            self.ranges.extend(range);
        }
        let is_new = self.kernels.last() != Some(&kernel);
        if is_new {
            self.kernels.push(kernel);
        }
        is_new
    }

    /// Numbers of distinct ranges and kernels.
    fn count(mut self) -> (usize, usize) {
        self.ranges.sort_unstable();
        self.ranges.dedup();
        self.kernels.sort_unstable();
        self.kernels.dedup();
        (self.ranges.len(), self.kernels.len())
    }
}

/// Kernels by thread, range and name. A kernel counts in every range that contains its call; in two of one name, its time
/// counts twice, as in nsys, unless the form is the right one.
pub(super) fn kernels<'a>(
    source: Source<'a>,
    form: NsysForm,
    arguments: &NsysArguments,
) -> Result<NsysReport<'a>, TooMuch> {
    let open_end = if form.is_new() { OpenEnd::Ranges } else { OpenEnd::AllEvents };
    let ranges = Ranges::new(source, form, open_end, true);
    let launches = Launches::new(source, &Calls::new(source), source.kernels())?;
    let mut names = KernelNames::new(source, form, arguments)?;
    let mut places: Groups<Place> = Groups::new();
    let mut groups: Groups<(u32, u32)> = Groups::new();
    let mut instances: Vec<Instances> = Vec::new();
    let mut room = source.room(&STATS_KERNEL_ROWS);
    // By range: the place of its name on its thread.
    let mut place_of: Vec<Option<u32>> = vec![None; ranges.list.len()];
    let mut add = |place: u32, range: Option<u32>, kernel: WorkId, name: u32| {
        let group = groups.place((place, name));
        if instances.len() <= group {
            room.take(1)?;
            instances.resize_with(group + 1, Instances::default);
        }
        if instances[group].add(range, kernel) || form != NsysForm::Right {
            groups.add_at(group, Some(source.work_span(kernel).length()));
        }
        Ok(())
    };
    let mut place = |key: Place| u32::try_from(places.place(key)).unwrap_or(u32::MAX);
    for &kernel in &launches.without_call {
        add(place((None, None, None)), None, kernel, names.of(kernel))?;
    }
    for_each_call(source, &launches, &ranges.list, |launched, containing| {
        let thread = source.call_thread(launched[0].0);
        for &(_, kernel) in launched {
            let name = names.of(kernel);
            if containing.is_empty() {
                add(place((thread, None, None)), None, kernel, name)?;
            }
            for &at in containing {
                let range = &ranges.list[at as usize];
                let known = &mut place_of[at as usize];
                let place = *known.get_or_insert_with(|| place((thread, range.name, Some(range.style))));
                add(place, Some(at), kernel, name)?;
            }
        }
        Ok(())
    })?;
    let keys: Vec<Place> = places.into_statistics().into_iter().map(|(key, _)| key).collect();
    let order = ranges.name_order();
    let mut rows: Vec<_> = groups
        .into_statistics()
        .into_iter()
        .zip(instances)
        .map(|(((place, name), statistics), instances)| Row {
            place: keys[place as usize],
            name,
            statistics,
            counts: instances.count(),
        })
        .collect();
    let texts = names.into_texts();
    rows.sort_by(|a, b| {
        let key = |row: &Row| {
            let name = row.place.1.map(|name| order[name.0 as usize]);
            (name, row.place.0.map(pid), row.place.0.map(tid), Reverse(row.statistics.total()), row.place.2)
        };
        key(a).cmp(&key(b)).then_with(|| texts[a.name as usize].cmp(&texts[b.name as usize]))
    });
    Ok(NsysReport::new(columns(), rows.len(), move |row| {
        let row = &rows[row];
        let (thread, range, style) = row.place;
        let mut cells = vec![ranges.cell(range)];
        cells.push(style.map_or(NsysCell::Absent, |style| NsysCell::text(style.as_str())));
        cells.extend([NsysCell::int(thread.map(pid)), NsysCell::int(thread.map(tid))]);
        cells.extend([
            NsysCell::count(row.counts.0),
            NsysCell::count(row.counts.1),
            NsysCell::int(row.statistics.total()),
        ]);
        cells.extend(statistic_cells(NsysForm::V2023, &row.statistics));
        cells.push(NsysCell::Text(texts[row.name as usize].clone()));
        cells
    }))
}

/// A row before it is printed.
struct Row {
    place: Place,
    name: u32,
    statistics: Statistics,
    /// Ranges and kernels.
    counts: (usize, usize),
}

fn columns() -> Vec<NsysColumn> {
    let mut columns: Vec<NsysColumn> =
        ["NVTX Range", "Style", "PID", "TID", "NVTX Inst", "Kern Inst"].map(NsysColumn::plain).into();
    let times = ["Total Time", "Avg", "Med", "Min", "Max", "StdDev"];
    columns.extend(times.map(|title| NsysColumn::with_unit(title, NsysUnit::Time)));
    columns.push(NsysColumn::plain("Kernel Name"));
    columns
}
