//! Kernels, ops and op types by time, each with a bar.

use super::super::scale::{Scale, count};
use super::super::short_names;
use super::charts::{Frame, heading, length, right_text};
use super::document::Size;
use super::drawing::{Drawing, Style};
use super::layout::{Flow, GREY, INK, MARGIN, SMALL, break_lines, code, style};
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
            row.grid_occupancy_percent.map_or_else(|| UNKNOWN.to_owned(), |share| format!("{share:.1}"));
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
                ("grid occ. %".to_owned(), occupancy),
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
            name: format!("{}{copies}", row.name_with_direction()),
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

/// The names of a list in at most `most` lines of a width, cut where they must.
fn names_of(drawing: &Drawing, rows: &[Ranked], room: f32, most: usize) -> Vec<Vec<String>> {
    let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    let lines = |text: &str| match drawing.width(text, NAME) <= room || most == 1 {
        true => vec![text.to_owned()],
        false => break_lines(drawing, text, NAME, room),
    };
    let fits = |text: &str| match most {
        1 => drawing.width(text, NAME) <= room,
        _ => lines(text).len() <= most,
    };
    short_names::cut(&names, fits).iter().map(|name| lines(name)).collect()
}

/// Height of a short list with a heading.
pub(super) fn short_height(rows: usize) -> f32 {
    20.0 + LINE * (rows as f32)
}

/// How many lines of a short list fit into a height.
pub(super) fn fitting(height: f32) -> usize {
    (0..=64).take_while(|&rows| short_height(rows) <= height).last().unwrap_or(0)
}

/// Width of the narrowest bars, and space beside figures.
const BAR: f32 = 26.0;
const WIDEST_BAR: f32 = 80.0;
const GAP: f32 = 9.0;

const FIGURE: Style = style(8.0, INK);

/// The widest of some texts.
fn widest<'t>(drawing: &Drawing, texts: impl Iterator<Item = &'t str>, style: Style) -> f32 {
    texts.map(|text| drawing.width(text, style)).fold(0.0, f32::max)
}

/// How wide names and bars are beside figures: names have what they need, bars at least [`BAR`].
fn names_and_bars(drawing: &Drawing, rows: &[Ranked], room: f32) -> (f32, f32) {
    let wanted = widest(drawing, rows.iter().map(|row| row.name.as_str()), NAME) + 6.0;
    let names = wanted.clamp((room - WIDEST_BAR).max(0.0), (room - BAR).max(0.0));
    (names, room - names)
}

/// A short list for the first page: name, bar, time, share.
pub(super) fn short(drawing: &mut Drawing, frame: Frame, titles: [&str; 2], rows: &[Ranked], unit: TimeUnit) {
    let longest = rows.iter().map(|row| row.ns).fold(0.0, f64::max);
    let scale = Scale::of(longest, unit);
    heading(drawing, frame, titles[0], &format!("{} {}", scale.symbol(), titles[1]));
    let right = frame.x + frame.width;
    let times: Vec<String> = rows.iter().map(|row| scale.number(row.ns)).collect();
    let shares: Vec<String> = rows.iter().map(|row| percentage(row.percent)).collect();
    let of_times = widest(drawing, times.iter().map(String::as_str), FIGURE) + GAP;
    let of_shares = widest(drawing, shares.iter().map(String::as_str), FIGURE) + GAP;
    let (names, bars) = names_and_bars(drawing, rows, frame.width - of_times - of_shares);
    let mut y = frame.y + 20.0;
    let shown = names_of(drawing, rows, names - 6.0, 1);
    for (((row, name), time), share) in rows.iter().zip(shown).zip(&times).zip(&shares) {
        let base = y + 8.0;
        drawing.text(frame.x, base, NAME, &name[0]);
        let size = Size { width: length(row.ns / longest.max(1.0), bars).max(0.5), height: 7.0 };
        drawing.rectangle(frame.x + names, y + 1.6, size, row.color);
        right_text(drawing, right - of_shares, base, FIGURE, time);
        right_text(drawing, right, base, style(8.0, GREY), share);
        y += LINE;
    }
}

/// A long list over the width of the page, with a heading in the list of contents: name, bar, time, shares, calls, and what else
/// is known. A name takes two lines if it must.
pub(super) fn long(flow: &mut Flow, title: &str, share_of: &str, rows: &[Ranked], unit: TimeUnit) {
    let longest = rows.iter().map(|row| row.ns).fold(0.0, f64::max);
    let scale = Scale::of(longest, unit);
    flow.heading(title, 3.0 * LINE);
    let list = Long::new(&flow.drawing, share_of, scale, rows, flow.width());
    list.head(flow);
    for ((row, name), cells) in rows.iter().zip(&list.names).zip(&list.cells) {
        let height = LINE + NAME_LINE * (name.len().saturating_sub(1) as f32);
        if flow.keep(height) {
            list.head(flow);
        }
        let base = flow.y + 9.0;
        let drawing = &mut flow.drawing;
        for (number, line) in name.iter().enumerate() {
            drawing.text(MARGIN, base + NAME_LINE * (number as f32), NAME, line);
        }
        let size = Size { width: length(row.ns / longest.max(1.0), list.bar).max(0.5), height: 7.0 };
        drawing.rectangle(MARGIN + list.name, flow.y + 2.4, size, row.color);
        for (number, (cell, &x)) in cells.iter().zip(&list.rights).enumerate() {
            let color = if number == 0 { INK } else { palette::TEXT_2 };
            right_text(drawing, x, base, style(8.0, color), cell);
        }
        flow.y += height;
    }
    flow.space(6.0);
}

/// Distance of two lines of a name.
const NAME_LINE: f32 = 9.5;

/// A long list: its cells, and where they are.
struct Long {
    titles: Vec<String>,
    cells: Vec<Vec<String>>,
    names: Vec<Vec<String>>,
    /// Width of the names, and of the bars after them.
    name: f32,
    bar: f32,
    /// The right ends of the figures.
    rights: Vec<f32>,
}

impl Long {
    fn new(drawing: &Drawing, share_of: &str, scale: Scale, rows: &[Ranked], width: f32) -> Self {
        let more = rows.first().map_or(&[][..], |row| row.more.as_slice());
        let titles = [scale.symbol(), share_of, "sum %", "calls"].into_iter();
        let titles: Vec<String> =
            titles.chain(more.iter().map(|more| more.0.as_str())).map(str::to_owned).collect();
        let cells: Vec<Vec<String>> = rows.iter().map(|row| cells_of(row, scale)).collect();
        let of_column = |(at, title): (usize, &String)| {
            let cells = cells.iter().filter_map(|cells| cells.get(at)).map(String::as_str);
            GAP + drawing.width(title, SMALL).max(widest(drawing, cells, FIGURE))
        };
        let widths: Vec<f32> = titles.iter().enumerate().map(of_column).collect();
        let figures: f32 = widths.iter().sum();
        let (name, bar) = names_and_bars(drawing, rows, width - figures);
        let mut right = MARGIN + name + bar;
        let rights = widths.iter().map(|width| {
            right += width;
            right
        });
        let rights = rights.collect();
        Self { names: names_of(drawing, rows, name - 6.0, 2), titles, cells, name, bar, rights }
    }

    fn head(&self, flow: &mut Flow) {
        let base = flow.y + 8.0;
        flow.drawing.text(MARGIN, base, SMALL, "name");
        for (title, &x) in self.titles.iter().zip(&self.rights) {
            right_text(&mut flow.drawing, x, base, SMALL, title);
        }
        flow.y += 13.0;
    }
}

/// The figures of a line.
fn cells_of(row: &Ranked, scale: Scale) -> Vec<String> {
    let cells = [
        scale.number(row.ns),
        format!("{:.1}", row.percent),
        format!("{:.1}", row.cumulative_percent),
        count(row.calls),
    ];
    cells.into_iter().chain(row.more.iter().map(|(_, text)| text.clone())).collect()
}
