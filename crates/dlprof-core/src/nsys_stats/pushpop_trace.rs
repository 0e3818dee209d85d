//! Every push/pop range, with its place in the tree of ranges.
use crate::base::limits::TooMuch;
use crate::read::facts::global_ids::{pid, tid};

use super::form::NsysForm;
use super::range_levels::Nesting;
use super::ranges::{OpenEnd, Ranges, Style};
use super::source::Source;
use super::table::{NsysCell, NsysColumn, NsysReport, NsysUnit};

/// Ranges in order of start and duration. Ranges without a level are left out.
pub(super) fn trace<'a>(source: Source<'a>, form: NsysForm) -> Result<NsysReport<'a>, TooMuch> {
    let open_end = if form.is_new() { OpenEnd::PushPop } else { OpenEnd::AllEvents };
    let mut ranges = Ranges::new(source, form, open_end, true);
    ranges.list.retain(|range| range.style == Style::PushPop);
    let nesting = Nesting::new(&ranges.list, form, source.capture.memory.bytes())?;
    let children = nesting.children(&ranges.list);
    let mut rows: Vec<u32> =
        (0..).zip(&nesting.level).filter(|(_, level)| level.is_some()).map(|(row, _)| row).collect();
    rows.sort_by_key(|&row| (ranges.list[row as usize].start, ranges.list[row as usize].length()));
    let mut columns: Vec<NsysColumn> = ["Start", "End", "Duration", "DurChild", "DurNonChild"]
        .map(|title| NsysColumn::with_unit(title, NsysUnit::Time))
        .into();
    let last = ["Name", "PID", "TID", "Lvl", "NumChild", "RangeId", "ParentId", "RangeStack", "NameTree"];
    columns.extend(last.map(NsysColumn::plain));
    Ok(NsysReport::new(columns, rows.len(), move |row| {
        let at = rows[row];
        let range = &ranges.list[at as usize];
        let (child_count, in_children) = children[at as usize];
        let level = nesting.level[at as usize].unwrap_or(0);
        let name = range.name.map(|name| ranges.name(name));
        let tree = name.map(|name| format!("{}{name}", "--".repeat(level as usize)));
        let parent = nesting.parent[at as usize].map(|parent| ranges.list[parent as usize].row_id);
        vec![
            NsysCell::Int(range.start),
            NsysCell::int(range.end()),
            NsysCell::int(range.length()),
            NsysCell::Int(in_children),
            NsysCell::int(range.length().map(|length| length - in_children)),
            ranges.cell(range.name),
            NsysCell::Int(pid(range.thread)),
            NsysCell::Int(tid(range.thread)),
            NsysCell::Int(level.into()),
            NsysCell::Int(child_count.into()),
            NsysCell::Int(range.row_id),
            NsysCell::int(parent),
            NsysCell::text(nesting.stack(&ranges.list, at)),
            tree.map_or(NsysCell::Absent, NsysCell::text),
        ]
    }))
}
