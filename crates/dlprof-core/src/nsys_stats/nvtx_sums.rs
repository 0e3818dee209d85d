//! Summaries of NVTX ranges.

use super::form::NsysForm;
use super::grouped_rows::{Groups, SumTitles, time_summary};
use super::ranges::{OpenEnd, Ranges, Style};
use super::source::Source;
use super::table::{NsysCell, NsysColumn, NsysReport};

/// Ranges by name, and by style if both are shown.
pub(super) fn ranges<'a>(source: Source<'a>, form: NsysForm, only: Option<Style>) -> NsysReport<'a> {
    let mut ranges = Ranges::new(source, form, OpenEnd::AllEvents, true);
    let mut groups = Groups::new();
    for range in std::mem::take(&mut ranges.list) {
        if only.is_some_and(|style| style != range.style) {
            continue;
        }
        groups.add((range.name, range.style), range.length());
    }
    let order = ranges.name_order();
    let rows = groups.by_total(|&(name, style)| (name.map(|name| order[name.0 as usize]), style));
    let last = if only.is_some() { vec!["Range"] } else { vec!["Style", "Range"] };
    let last = last.into_iter().map(NsysColumn::plain).collect();
    time_summary(form, SumTitles { count: ["Instances"; 2], last }, rows, move |&(name, style)| {
        let name = ranges.cell(name);
        if only.is_some() { vec![name] } else { vec![NsysCell::text(style.as_str()), name] }
    })
}
