//! What charts share: places, headings, figures at the right; the tiles; the iterations as columns.

use super::super::bars::{self, Bar};
use super::super::scale::Scale;
use super::document::Size;
use super::drawing::{Drawing, Style};
use super::layout::{Flow, INK, MARGIN, RULE, SMALL, bold, shorten, style, wrap};
use crate::display::{TimeUnit, short_time};
use crate::palette;

/// The place of a chart: its upper left corner and its width.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) x: f32,
    pub(super) y: f32,
    pub(super) width: f32,
}

/// A share from 0 to 1 as a length on a page.
#[expect(clippy::cast_possible_truncation, reason = "a page needs no more than seven digits")]
pub(super) fn length(share: f64, whole: f32) -> f32 {
    (share.clamp(0.0, 1.0) as f32) * whole
}

/// A heading with a remark at the right.
pub(super) fn heading(drawing: &mut Drawing, frame: Frame, title: &str, remark: &str) {
    let look = bold(10.0, INK);
    drawing.text(frame.x, frame.y + 10.0, look, title);
    let room = frame.width - drawing.width(title, look) - 10.0;
    let remark = shorten(drawing, remark, SMALL, room);
    right_text(drawing, frame.x + frame.width, frame.y + 10.0, SMALL, &remark);
}

/// A text that ends at `x`.
pub(super) fn right_text(drawing: &mut Drawing, x: f32, y: f32, style: Style, text: &str) {
    let width = drawing.width(text, style);
    drawing.text(x - width, y, style, text);
}

/// A figure in large type, what follows it in small type, and its name below.
pub(super) struct Tile {
    pub(super) figure: String,
    pub(super) after: String,
    pub(super) name: String,
}

/// Height of [`tiles`].
pub(super) const TILES: f32 = 53.0;

/// Tiles side by side, between two lines.
pub(super) fn tiles(drawing: &mut Drawing, frame: Frame, tiles: &[Tile]) {
    let right = frame.x + frame.width;
    for y in [frame.y, frame.y + TILES] {
        drawing.line((frame.x, y), (right, y), 0.6, RULE);
    }
    let each = frame.width / (tiles.len().max(1) as f32);
    let mut x = frame.x;
    for (number, tile) in tiles.iter().enumerate() {
        if number > 0 {
            drawing.line((x, frame.y + 5.0), (x, frame.y + TILES - 5.0), 0.5, palette::LINE);
            x += 9.0;
        }
        let room = each - 12.0;
        drawing.text(x, frame.y + 23.0, bold(16.0, INK), &tile.figure);
        let wide = drawing.width(&tile.figure, bold(16.0, INK));
        let after = shorten(drawing, &tile.after, style(9.0, palette::TEXT_2), (room - wide - 4.0).max(0.0));
        drawing.text(x + wide + 4.0, frame.y + 23.0, style(9.0, palette::TEXT_2), &after);
        for (line, y) in wrap(drawing, &tile.name, SMALL, room, 2).iter().zip([36.0, 45.0]) {
            drawing.text(x, frame.y + y, SMALL, line);
        }
        x = frame.x + each * ((number + 1) as f32);
    }
}

/// Width that the figures of an axis take, and the height above and below the columns.
const AXIS: f32 = 34.0;
const ABOVE: f32 = 28.0;
const BELOW: f32 = 16.0;

/// Maximum number of columns: more would be thinner than a line.
pub(super) const MOST_BARS: usize = 120;

/// The iterations as columns. The aggregated ones have a line below them; columns that are cut have their time on top.
pub(super) fn iterations(drawing: &mut Drawing, frame: Frame, height: f32, bars: &[Bar], unit: TimeUnit) {
    let ticks = bars::ticks(bars::full_ns(bars));
    let full = ticks.last().copied().unwrap_or(1.0);
    let scale = Scale::of(full, unit);
    let each = bars.first().map_or(1, |bar| bar.last - bar.first + 1);
    let remark = match each {
        1 => scale.symbol().to_owned(),
        count => format!("{}, a column is the average of {count}", scale.symbol()),
    };
    heading(drawing, frame, "Iterations", &remark);
    let (left, right) = (frame.x + AXIS, frame.x + frame.width);
    let (top, bottom) = (frame.y + ABOVE, frame.y + height - BELOW);
    for tick in ticks {
        let y = bottom - length(tick / full, bottom - top);
        drawing.line((left, y), (right, y), 0.4, palette::LINE);
        right_text(drawing, left - 5.0, y + 2.6, SMALL, &scale.tick(tick));
    }
    let step = (right - left) / (bars.len().max(1) as f32);
    let width = (step * 0.78).min(30.0);
    // From here on there is room above and below the columns.
    let [mut free_from, mut number_from] = [frame.x; 2];
    for (number, bar) in bars.iter().enumerate() {
        let x = left + step * (number as f32) + (step - width) / 2.0;
        column(drawing, Column { x, width, top, bottom }, bar, full);
        if bars::is_cut(bar, full) {
            let text = short_time(bar.ns, unit);
            let wide = drawing.width(&text, SMALL);
            let at = (x + (width - wide) / 2.0).min(right - wide);
            if at >= free_from {
                drawing.text(at, top - 4.0, SMALL, &text);
                free_from = at + wide + 3.0;
            }
        }
        if bar.is_aggregated {
            let mark = Size { width: step, height: 1.8 };
            drawing.rectangle(x - (step - width) / 2.0, bottom + 1.6, mark, palette::ACCENT);
        }
        let text = bar.first.to_string();
        let wide = drawing.width(&text, SMALL);
        let at = x + (width - wide) / 2.0;
        if at >= number_from {
            drawing.text(at, bottom + 12.0, SMALL, &text);
            number_from = at + wide + 7.0;
        }
    }
}

/// The place of a column.
#[derive(Debug, Clone, Copy)]
struct Column {
    x: f32,
    width: f32,
    top: f32,
    bottom: f32,
}

fn column(drawing: &mut Drawing, place: Column, bar: &Bar, full: f64) {
    let Column { x, width, top, bottom } = place;
    let is_cut = bars::is_cut(bar, full);
    // A column that is cut keeps its parts in proportion.
    let whole = if is_cut { bar.ns } else { full };
    let mut y = bottom;
    for part in &bar.parts {
        let height = length(part.ns / whole.max(1.0), bottom - top);
        let size = Size { width, height };
        match part.is_waiting {
            true => drawing.hatched(x, y - height, size, palette::of_class(part.class)),
            false => drawing.rectangle(x, y - height, size, palette::of_class(part.class)),
        }
        y -= height;
    }
    if bar.parts.is_empty() {
        let height = length(bar.ns / whole.max(1.0), bottom - top);
        drawing.rectangle(x, bottom - height, Size { width, height }, palette::OUTSIDE);
    }
    if is_cut {
        zigzag(drawing, x, top + (bottom - top) * 0.14, width);
    }
}

/// A broken axis: a white zigzag across a column.
fn zigzag(drawing: &mut Drawing, x: f32, y: f32, width: f32) {
    const TEETH: u8 = 4;
    let tooth = width / f32::from(TEETH);
    let edge = |y: f32| {
        (0..=TEETH).map(move |number| {
            (x + tooth * f32::from(number), if number % 2 == 0 { y + 2.0 } else { y - 2.0 })
        })
    };
    let lower: Vec<(f32, f32)> = edge(y + 2.2).collect();
    let corners: Vec<(f32, f32)> = edge(y).chain(lower.into_iter().rev()).collect();
    drawing.polygon(&corners, palette::SURFACE);
}

/// The rest of the page.
pub(super) fn whole(flow: &Flow) -> Frame {
    Frame { x: MARGIN, y: flow.y, width: flow.width() }
}
