//! Kernels, ops and op types by time, each with a bar.

use super::super::scale::{Scale, count};
use super::super::short_names;
use super::charts::{Frame, heading, length, right_text};
use super::document::Size;
use super::drawing::{Drawing, Style};
use super::layout::{Flow, GREY, INK, SMALL, code, style};
use crate::display::{TimeUnit, percentage};
use crate::origin::UNKNOWN;
use crate::overview::{KernelKindRow, KernelRow, OpRow, OpTypeRow};
use crate::palette;

/// A line of a list.
#[derive(Debug, Clone)]
pub(super) struct Ranked {
    pub(super) name: String,
    pub(super) ns: f64,
    pub(super) percent: f64,
    pub(super) cumulative_percent: f64,
    pub(super) calls: f64,
    pub(super) color: u32,
    /// What else is known, by title.
    pub(super) more: Vec<(String, String)>,
}

impl Ranked {
    /// Kernels; their means have one unit.
    pub(super) fn kernels(rows: &[KernelRow], unit: TimeUnit) -> Vec<Self> {
        let mean = Scale::of(rows.iter().map(|row| row.mean_ns).fold(0.0, f64::max), unit);
        rows.iter().map(|row| Self::kernel(row, mean)).collect()
    }

    fn kernel(row: &KernelRow, mean: Scale) -> Self {
        let occupancy =
            row.occupancy_percent.map_or_else(|| UNKNOWN.to_owned(), |share| format!("{share:.1}"));
        let tensor_cores = match row.tensor_cores {
            "yes" | "true" => "yes",
            "no" | "false" => "no",
            _ => UNKNOWN,
        };
        Self {
            name: row.label.clone(),
            ns: row.ns,
            percent: row.percent,
            cumulative_percent: row.cumulative_percent,
            calls: row.calls,
            color: if tensor_cores == "yes" { palette::TC } else { palette::KERNEL },
            more: vec![
                (format!("mean {}", mean.symbol()), mean.number(row.mean_ns)),
                ("occ. %".to_owned(), occupancy),
                ("TC".to_owned(), tensor_cores.to_owned()),
            ],
        }
    }

    pub(super) fn kind(row: &KernelKindRow) -> Self {
        Self {
            name: row.kind.to_owned(),
            ns: row.ns,
            percent: row.percent,
            cumulative_percent: row.cumulative_percent,
            calls: row.calls,
            color: palette::KERNEL,
            more: Vec::new(),
        }
    }

    pub(super) fn op(row: &OpRow) -> Self {
        let copies = if row.members.len() > 1 { format!(" ×{}", row.members.len()) } else { String::new() };
        Self {
            name: format!("{}{copies}", row.name),
            ns: row.ns,
            percent: row.percent,
            cumulative_percent: row.cumulative_percent,
            calls: row.calls,
            color: palette::KERNEL,
            more: Vec::new(),
        }
    }

    pub(super) fn op_type(row: &OpTypeRow) -> Self {
        Self {
            name: row.op_type.clone(),
            ns: row.ns,
            percent: row.percent,
            cumulative_percent: row.cumulative_percent,
            calls: row.calls,
            color: palette::KERNEL,
            more: Vec::new(),
        }
    }
}

/// Height of a line.
const LINE: f32 = 15.0;

/// Names are in the code face, because they differ in single letters.
const NAME: Style = code(7.6, INK);

/// The names of a list, cut to a width.
fn names_of(drawing: &Drawing, rows: &[Ranked], room: f32) -> Vec<String> {
    let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    short_names::cut(&names, |text| drawing.width(text, NAME) <= room)
}

/// Height of a short list with a heading.
pub(super) fn short_height(rows: usize) -> f32 {
    20.0 + LINE * (rows as f32)
}

/// How many lines of a short list fit into a height.
pub(super) fn fitting(height: f32) -> usize {
    (0..=64).take_while(|&rows| short_height(rows) <= height).last().unwrap_or(0)
}

/// A short list for the first page: name, bar, time, share.
pub(super) fn short(drawing: &mut Drawing, frame: Frame, titles: [&str; 2], rows: &[Ranked], unit: TimeUnit) {
    let longest = rows.iter().map(|row| row.ns).fold(0.0, f64::max);
    let scale = Scale::of(longest, unit);
    heading(drawing, frame, titles[0], &format!("{} {}", scale.symbol(), titles[1]));
    let right = frame.x + frame.width;
    let names = frame.width * 0.56;
    let bars = frame.width - names - 72.0;
    let mut y = frame.y + 20.0;
    for (row, name) in rows.iter().zip(names_of(drawing, rows, names - 6.0)) {
        let base = y + 8.0;
        drawing.text(frame.x, base, NAME, &name);
        let size = Size { width: length(row.ns / longest.max(1.0), bars).max(0.5), height: 7.0 };
        drawing.rectangle(frame.x + names, y + 1.6, size, row.color);
        right_text(drawing, right - 34.0, base, style(8.0, INK), &scale.number(row.ns));
        right_text(drawing, right, base, style(8.0, GREY), &percentage(row.percent));
        y += LINE;
    }
}

/// A long list over the width of the page, with a heading in the list of contents: name, bar, time, shares, calls, and what else
/// is known.
pub(super) fn long(flow: &mut Flow, title: &str, share_of: &str, rows: &[Ranked], unit: TimeUnit) {
    let longest = rows.iter().map(|row| row.ns).fold(0.0, f64::max);
    let scale = Scale::of(longest, unit);
    let more = rows.first().map_or(0, |row| row.more.len());
    flow.heading(title, 3.0 * LINE);
    head(flow, share_of, scale, rows, more);
    let columns = Columns::new(flow.width(), more);
    let names = names_of(&flow.drawing, rows, columns.name - 6.0);
    for (row, name) in rows.iter().zip(names) {
        if flow.keep(LINE) {
            head(flow, share_of, scale, rows, more);
        }
        let base = flow.y + 9.0;
        let drawing = &mut flow.drawing;
        let left = super::layout::MARGIN;
        drawing.text(left, base, NAME, &name);
        let size = Size { width: length(row.ns / longest.max(1.0), BAR).max(0.5), height: 7.0 };
        drawing.rectangle(left + columns.name, flow.y + 2.4, size, row.color);
        let cells = [
            scale.number(row.ns),
            format!("{:.1}", row.percent),
            format!("{:.1}", row.cumulative_percent),
            count(row.calls),
        ];
        let cells = cells.iter().chain(row.more.iter().map(|(_, text)| text));
        for (number, (cell, x)) in cells.zip(columns.rights(left)).enumerate() {
            let color = if number == 0 { INK } else { palette::TEXT_2 };
            right_text(drawing, x, base, style(8.0, color), cell);
        }
        flow.y += LINE;
    }
    flow.space(6.0);
}

/// Width of the bars, and of a column of figures.
const BAR: f32 = 52.0;
const FIGURE: f32 = 40.0;

/// Where the columns of a long list are.
struct Columns {
    name: f32,
    figures: usize,
}

impl Columns {
    fn new(width: f32, more: usize) -> Self {
        let figures = 4 + more;
        Self { name: width - BAR - 4.0 - FIGURE * (figures as f32), figures }
    }

    /// The right ends of the figures.
    fn rights(&self, left: f32) -> impl Iterator<Item = f32> + use<> {
        let from = left + self.name + BAR + 4.0;
        (1..=self.figures).map(move |number| from + FIGURE * (number as f32))
    }
}

fn head(flow: &mut Flow, share_of: &str, scale: Scale, rows: &[Ranked], more: usize) {
    let columns = Columns::new(flow.width(), more);
    let left = super::layout::MARGIN;
    let base = flow.y + 8.0;
    let more = rows.first().map_or(&[][..], |row| row.more.as_slice());
    let titles = [scale.symbol(), share_of, "sum %", "calls"]
        .into_iter()
        .chain(more.iter().map(|more| more.0.as_str()));
    flow.drawing.text(left, base, SMALL, "name");
    for (title, x) in titles.zip(columns.rights(left)) {
        right_text(&mut flow.drawing, x, base, SMALL, title);
    }
    flow.y += 13.0;
}
