//! NVTX ranges on the time line of the GPU: from the first to the last operation whose call lies in the range.

use super::form::NsysForm;
use super::grouped_rows::{Groups, statistic_cells};
use super::launching_calls::{Calls, Launches, for_each_call};
use super::range_levels::Nesting;
use super::ranges::{NameId, OpenEnd, Range, Ranges, Style};
use super::source::Source;
use super::statistics::round;
use super::table::{NsysCell, NsysColumn, NsysReport, NsysUnit};
use crate::base::ids::{ApiCallId, WorkId};
use crate::base::limits::TooMuch;
use crate::base::time::{Ns, Span};
use crate::read::facts::NO_CORRELATION;
use crate::read::facts::global_ids::{pid, tid};
use rustc_hash::FxHashSet;

/// What the GPU did for a range.
#[derive(Clone, Copy)]
struct Projection {
    span: Span,
    /// Distinct correlation ids; 0 if the GPU did nothing.
    operations: u32,
    last_correlation: u32,
}

impl Projection {
    const NONE: Self =
        Self { span: Span { start: Ns::MAX, end: Ns::MIN }, operations: 0, last_correlation: NO_CORRELATION };

    fn add(&mut self, span: Span, correlation: u32, is_new: bool) {
        self.span = Span { start: self.span.start.min(span.start), end: self.span.end.max(span.end) };
        let is_first = self.operations == 0;
        self.operations += u32::from(is_first || is_new && self.last_correlation != correlation);
        self.last_correlation = correlation;
    }

    /// Itself, if the GPU did something.
    fn some(&self) -> Option<&Self> {
        (self.operations > 0).then_some(self)
    }
}

/// The operations in no range.
#[derive(Default)]
struct Outside {
    span: Option<Span>,
    /// Distinct correlation ids.
    ids: FxHashSet<u32>,
    /// The call whose operation ends last.
    last_call: Option<ApiCallId>,
}

impl Outside {
    fn add(&mut self, span: Span, correlation: u32, call: ApiCallId) {
        let known = self.span.unwrap_or(span);
        if span.end >= known.end {
            self.last_call = Some(call);
        }
        self.span = Some(Span { start: known.start.min(span.start), end: known.end.max(span.end) });
        self.ids.insert(correlation);
    }
}

/// Whether the operations in no range are looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LooseOperations {
    Found,
    LeftOut,
}

/// The projections of all ranges, and how the ranges lie in each other.
struct Projected<'a> {
    ranges: Ranges<'a>,
    by_range: Vec<Projection>,
    outside: Outside,
    nesting: Nesting,
}

impl<'a> Projected<'a> {
    fn new(source: Source<'a>, form: NsysForm, loose: LooseOperations) -> Result<Self, TooMuch> {
        let open_end = if form.is_new() { OpenEnd::Ranges } else { OpenEnd::AllEvents };
        let mut ranges = Ranges::new(source, form, open_end, true);
        ranges.list.retain(|range| !range.ends_elsewhere);
        let work = source.kernels().chain(source.copies()).chain(source.memsets());
        let launches = Launches::new(source, &Calls::new(source), work)?;
        let mut by_range = vec![Projection::NONE; ranges.list.len()];
        let mut outside = Outside::default();
        let mut seen = Repeated::new(source, &launches);
        for_each_call(source, &launches, &ranges.list, |launched, containing| {
            for &(call, work) in launched {
                let span = source.work_span(work);
                let correlation = source.work_correlation(work).unwrap_or(NO_CORRELATION);
                for &range in containing {
                    let is_new = seen.is_new(range, correlation);
                    by_range[range as usize].add(span, correlation, is_new);
                }
                if containing.is_empty() && loose == LooseOperations::Found {
                    outside.add(span, correlation, call);
                }
            }
            Ok(())
        })?;
        let nesting = Nesting::new(&ranges.list, form, source.capture.memory.bytes())?;
        Ok(Self { ranges, by_range, outside, nesting })
    }

    /// Ranges with a projection and a name, in file order.
    fn rows(&self) -> Vec<u32> {
        let has_row = |(range, projection): &(u32, &Projection)| {
            projection.some().is_some() && self.ranges.list[*range as usize].name.is_some()
        };
        (0..).zip(&self.by_range).filter(has_row).map(|(range, _)| range).collect()
    }

    /// By range: number of children that have a projection.
    fn children(&self) -> Vec<i64> {
        let mut children = vec![0; self.by_range.len()];
        for (parent, projection) in self.nesting.parent.iter().zip(&self.by_range) {
            if let (Some(parent), Some(_)) = (parent, projection.some()) {
                children[*parent as usize] += 1;
            }
        }
        children
    }
}

/// Correlation ids that several calls have: only these may come to a range again after others.
struct Repeated {
    ids: FxHashSet<u32>,
    seen: FxHashSet<(u32, u32)>,
}

impl Repeated {
    fn new(source: Source<'_>, launches: &Launches) -> Self {
        let mut ids: Vec<u32> = launches
            .by_call()
            .filter_map(|launched: &[(ApiCallId, WorkId)]| source.call_correlation(launched[0].0))
            .collect();
        ids.sort_unstable();
        let repeated = ids.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
        Self { ids: repeated.collect(), seen: FxHashSet::default() }
    }

    fn is_new(&mut self, range: u32, correlation: u32) -> bool {
        let may_repeat = !self.ids.is_empty() && self.ids.contains(&correlation);
        !may_repeat || self.seen.insert((range, correlation))
    }
}

/// Every range with GPU work, in order of row ids.
pub(super) fn trace<'a>(source: Source<'a>, form: NsysForm) -> Result<NsysReport<'a>, TooMuch> {
    let shows_loose = matches!(form, NsysForm::V2023 | NsysForm::Right);
    let loose = if shows_loose { LooseOperations::Found } else { LooseOperations::LeftOut };
    let projected = Projected::new(source, form, loose)?;
    let children = projected.children();
    let mut rows: Vec<Option<u32>> = projected.rows().into_iter().map(Some).collect();
    rows.sort_by_key(|row| row.map(|row| projected.ranges.list[row as usize].row_id));
    if projected.outside.span.is_some() {
        rows.insert(0, None);
    }
    let times = |title| NsysColumn::with_unit(title, NsysUnit::Time);
    let mut columns = vec![NsysColumn::plain("Name")];
    columns.extend(["Projected Start", "Projected Duration", "Orig Start", "Orig Duration"].map(times));
    let last = ["Style", "PID", "TID", "NumGPUOps", "Lvl", "NumChild", "RangeId", "ParentId", "RangeStack"];
    columns.extend(last.map(NsysColumn::plain));
    Ok(NsysReport::new(columns, rows.len(), move |row| match rows[row] {
        Some(at) => range_cells(&projected, at, children[at as usize]),
        None => outside_cells(source, &projected),
    }))
}

fn range_cells<'a>(projected: &Projected<'a>, at: u32, children: i64) -> Vec<NsysCell<'a>> {
    let Projected { ranges, nesting, .. } = projected;
    let range = &ranges.list[at as usize];
    let projection = projected.by_range[at as usize].some();
    let level = nesting.level[at as usize];
    let parent = nesting.parent[at as usize].filter(|_| level.is_some());
    vec![
        ranges.cell(range.name),
        NsysCell::int(projection.map(|projection| projection.span.start)),
        NsysCell::int(projection.map(|projection| projection.span.length())),
        NsysCell::Int(range.start),
        NsysCell::int(range.length()),
        NsysCell::text(range.style.as_str()),
        NsysCell::Int(pid(range.thread)),
        NsysCell::Int(tid(range.thread)),
        NsysCell::Int(projection.map_or(0, |projection| projection.operations.into())),
        NsysCell::int(level.map(i64::from)),
        NsysCell::Int(children),
        NsysCell::Int(range.row_id),
        NsysCell::int(parent.map(|parent| ranges.list[parent as usize].row_id)),
        level.map_or(NsysCell::Absent, |_| NsysCell::text(nesting.stack(&ranges.list, at))),
    ]
}

/// The row of all operations that lie in no range.
fn outside_cells<'a>(source: Source<'a>, projected: &Projected<'_>) -> Vec<NsysCell<'a>> {
    let mut cells = vec![NsysCell::Absent; 14];
    let outside = &projected.outside;
    if let Some(span) = outside.span {
        let thread = outside.last_call.and_then(|call| source.call_thread(call));
        cells[1] = NsysCell::Int(span.start);
        cells[2] = NsysCell::Int(span.length());
        cells[6] = NsysCell::int(thread.map(pid));
        cells[7] = NsysCell::int(thread.map(tid));
        cells[8] = NsysCell::count(outside.ids.len());
        cells[10] = NsysCell::Int(0);
    }
    cells
}

/// What a group of the summary adds up.
#[derive(Clone, Copy, Default)]
struct Sums {
    ranges: i64,
    original: Ns,
    operations: i64,
    levels: i64,
    with_level: i64,
    children: i64,
}

impl Sums {
    fn add(&mut self, range: &Range, projection: &Projection, level: Option<u32>, children: i64) {
        self.ranges += 1;
        self.original += range.length().unwrap_or(0);
        self.operations += i64::from(projection.operations);
        self.levels += level.map_or(0, i64::from);
        self.with_level += i64::from(level.is_some());
        self.children += children;
    }
}

/// Projections by name and style.
pub(super) fn summary<'a>(source: Source<'a>, form: NsysForm) -> Result<NsysReport<'a>, TooMuch> {
    let projected = Projected::new(source, form, LooseOperations::LeftOut)?;
    let children = projected.children();
    let mut groups: Groups<(Option<NameId>, Style)> = Groups::new();
    let mut sums: Vec<Sums> = Vec::new();
    for at in projected.rows() {
        let range = &projected.ranges.list[at as usize];
        let Some(projection) = projected.by_range[at as usize].some() else { continue };
        let place = groups.place((range.name, range.style));
        if sums.len() <= place {
            sums.push(Sums::default());
        }
        groups.add_at(place, Some(projection.span.length()));
        sums[place].add(range, projection, projected.nesting.level[at as usize], children[at as usize]);
    }
    let order = projected.ranges.name_order();
    let mut rows: Vec<_> = groups.into_statistics().into_iter().zip(sums).collect();
    rows.sort_by_key(|(((name, style), _), _)| (name.map(|name| order[name.0 as usize]), *style));
    rows.sort_by_key(|((_, statistics), _)| std::cmp::Reverse(statistics.total()));
    Ok(NsysReport::new(summary_columns(), rows.len(), move |row| {
        let (((name, style), statistics), sums) = &rows[row];
        let mean =
            |sum: i64, count: i64| NsysCell::real((count > 0).then(|| round(sum as f64 / count as f64)));
        let mut cells = vec![projected.ranges.cell(*name)];
        cells.extend([
            NsysCell::text(style.as_str()),
            NsysCell::int(statistics.total()),
            NsysCell::Int(sums.original),
        ]);
        cells.push(NsysCell::Int(sums.ranges));
        cells.extend(statistic_cells(NsysForm::V2023, statistics));
        cells.extend([NsysCell::Int(sums.operations), mean(sums.operations, sums.ranges)]);
        cells.extend([mean(sums.levels, sums.with_level), mean(sums.children, sums.ranges)]);
        cells
    }))
}

fn summary_columns() -> Vec<NsysColumn> {
    let times = |title| NsysColumn::with_unit(title, NsysUnit::Time);
    let mut columns: Vec<NsysColumn> = ["Range", "Style"].map(NsysColumn::plain).into();
    columns.extend(["Total Proj Time", "Total Range Time"].map(times));
    columns.push(NsysColumn::plain("Range Instances"));
    columns.extend(["Proj Avg", "Proj Med", "Proj Min", "Proj Max", "Proj StdDev"].map(times));
    columns.extend(["Total GPU Ops", "Avg GPU Ops", "Avg Range Lvl", "Avg Num Child"].map(NsysColumn::plain));
    columns
}
