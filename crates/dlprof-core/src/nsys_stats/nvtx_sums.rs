//! Summaries of NVTX ranges.

use super::form::Form;
use super::grouped_rows::{Groups, SumRow, SumTitles, by_total, time_summary};
use super::ranges::{OpenEnd, Ranges, Style};
use super::source::Source;
use super::table::{Cell, Report, ReportColumn};

/// Ranges by name, and by style if both are shown.
pub(super) fn ranges<'a>(source: Source<'a>, form: Form, only: Option<Style>) -> Report<'a> {
    let ranges = Ranges::new(source, form, OpenEnd::AllEvents, true);
    let mut groups = Groups::new();
    for range in ranges.list.iter().filter(|range| only.is_none_or(|style| style == range.style)) {
        groups.add((range.name, range.style), range.length());
    }
    let order = ranges.name_order();
    let groups = groups.sorted_by(|&(name, style)| (name.map(|name| order[name.0 as usize]), style));
    let row = |((name, style), statistics): ((Option<super::ranges::NameId>, Style), _)| {
        let name = name.map_or(Cell::Absent, |name| Cell::text(ranges.name(name).to_owned()));
        let cells = if only.is_some() { vec![name] } else { vec![Cell::text(style.as_str()), name] };
        (cells, statistics)
    };
    let mut rows: Vec<SumRow<'a>> = groups.into_iter().map(row).collect();
    by_total(&mut rows);
    let last = if only.is_some() { vec!["Range"] } else { vec!["Style", "Range"] };
    let last = last.into_iter().map(ReportColumn::plain).collect();
    time_summary(form, SumTitles { count: ["Instances"; 2], last }, rows)
}
