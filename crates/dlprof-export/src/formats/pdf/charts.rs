//! Charts, drawn with areas and lines.

use super::super::figures::{self, Bar, CLASS_COLORS, Part, ticks};
use super::document::Size;
use super::drawing::Drawing;
use super::layout::{BODY, GREY, INK, MARGIN, PALE, RULE, SMALL, bold, shorten, style};
use crate::display::{TimeUnit, percentage, time};
use dlprof_core::ratios::{percent, to_f64};

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

pub(super) fn title(drawing: &mut Drawing, frame: Frame, text: &str) {
    let shown = shorten(drawing, text, bold(9.0, INK), frame.width);
    drawing.text(frame.x, frame.y + 9.0, bold(9.0, INK), &shown);
}

/// Height of [`doughnut`].
pub(super) const DOUGHNUT: f32 = 114.0;

/// A ring of parts. The name, time and share of each part are to the right. The title has two lines.
pub(super) fn doughnut(
    drawing: &mut Drawing,
    frame: Frame,
    titles: [&str; 2],
    parts: &[Part],
    unit: TimeUnit,
) {
    title(drawing, frame, titles[0]);
    drawing.text(frame.x, frame.y + 19.0, SMALL, titles[1]);
    let radius = 38.0;
    let center = (frame.x + radius + 2.0, frame.y + 28.0 + radius);
    let total: i64 = parts.iter().map(|part| part.ns).sum();
    if total == 0 {
        sector(drawing, center, radius, (0.0, 1.0), PALE);
    }
    let mut from = 0.0;
    for part in parts {
        let to = from + percent(part.ns, total) / 100.0;
        sector(drawing, center, radius, (from, to), part.color);
        from = to;
    }
    let left = center.0 + radius + 12.0;
    let right = frame.x + frame.width;
    let step = 12.4;
    let mut y = center.1 - step * (parts.len() as f32) / 2.0 + 8.0;
    for part in parts {
        drawing.rectangle(left, y - 6.5, Size { width: 7.0, height: 7.0 }, part.color);
        drawing.text(left + 10.0, y, style(7.5, INK), part.name);
        let share = percentage(percent(part.ns, total));
        right_text(drawing, right, y, &share, INK);
        right_text(drawing, right - 34.0, y, &time(to_f64(part.ns), unit), GREY);
        y += step;
    }
}

fn right_text(drawing: &mut Drawing, x: f32, y: f32, text: &str, color: u32) {
    let style = style(7.5, color);
    let width = drawing.width(text, style);
    drawing.text(x - width, y, style, text);
}

/// A part of a ring. Its start and end are shares of the full circle, clockwise from the top.
fn sector(drawing: &mut Drawing, center: (f32, f32), radius: f32, shares: (f64, f64), color: u32) {
    /// The pieces are so short that they look round.
    const STEP: f64 = 1.0 / 180.0;
    let (from, to) = shares;
    if to <= from {
        return;
    }
    let point = |share: f64, radius: f32| {
        let turn = length(share, std::f32::consts::TAU);
        (center.0 + radius * turn.sin(), center.1 - radius * turn.cos())
    };
    let mut shares = vec![from];
    while let Some(next) = shares.last().map(|last| last + STEP).filter(|next| *next < to) {
        shares.push(next);
    }
    shares.push(to);
    let outside = shares.iter().map(|&share| point(share, radius));
    let inside = shares.iter().rev().map(|&share| point(share, radius * 0.58));
    let corners: Vec<(f32, f32)> = outside.chain(inside).collect();
    drawing.polygon(&corners, color);
}

/// Maximum number of GPUs in the chart, because more cannot be read.
const MOST_GPUS: usize = 16;

/// Height of [`utilization`].
pub(super) fn utilization_height(gpus: usize) -> f32 {
    22.0 + 15.0 * (gpus.min(MOST_GPUS) as f32) + if gpus > MOST_GPUS { 12.0 } else { 0.0 }
}

/// A bar per GPU.
pub(super) fn utilization(drawing: &mut Drawing, frame: Frame, gpus: &[(String, f64)]) {
    title(drawing, frame, "GPU utilization: share of the time with a kernel running");
    let names = 190.0;
    let room = frame.width - names - 46.0;
    let mut y = frame.y + 18.0;
    for (name, share) in gpus.iter().take(MOST_GPUS) {
        let shown = shorten(drawing, name, style(8.0, INK), names - 8.0);
        drawing.text(frame.x, y + 8.0, style(8.0, INK), &shown);
        let bar = |width| Size { width, height: 9.0 };
        drawing.rectangle(frame.x + names, y, bar(room), PALE);
        drawing.rectangle(frame.x + names, y, bar(length(share / 100.0, room)), figures::NON_TC);
        right_text(drawing, frame.x + frame.width, y + 8.0, &percentage(*share), INK);
        y += 15.0;
    }
    if gpus.len() > MOST_GPUS {
        let more = format!("and {} more GPUs: see table GPUs", gpus.len() - MOST_GPUS);
        drawing.text(frame.x, y + 8.0, SMALL, &more);
    }
}

/// Maximum number of bars of [`iterations`]: more bars would be thinner than a line.
pub(super) const MOST_BARS: usize = 240;

/// Height of [`iterations`].
pub(super) const ITERATIONS: f32 = 148.0;

/// Iterations as bars stacked by class, with a line under the aggregated ones.
pub(super) fn iterations(drawing: &mut Drawing, frame: Frame, bars: &[Bar], unit: TimeUnit) {
    let per_bar = bars.first().map_or(1, |bar| bar.last - bar.first + 1);
    let name = match per_bar {
        1 => "Iterations: duration by class".to_owned(),
        count => format!("Iterations: duration by class, each bar is the average of {count}"),
    };
    title(drawing, frame, &name);
    legend(drawing, frame);
    let full = figures::full_scale_ns(bars);
    let (left, top, height) = (frame.x + 50.0, frame.y + 32.0, 88.0);
    let bottom = top + height;
    for tick in ticks(full) {
        let y = bottom - length(tick / full, height);
        drawing.line((left, y), (frame.x + frame.width, y), 0.4, RULE);
        right_text(drawing, left - 5.0, y + 2.8, &unit.fitting(full).short(tick), GREY);
    }
    let step = (frame.width - 50.0) / (bars.len().max(1) as f32);
    let width = (step * 0.82).min(26.0);
    let mut x = left + (step - width) / 2.0;
    let mut longer = 0;
    for bar in bars {
        let mut y = bottom;
        for (ns, color) in bar.ns.iter().zip(CLASS_COLORS) {
            let height = length(ns / full, height).min(y - top);
            drawing.rectangle(x, y - height, Size { width, height }, color);
            y -= height;
        }
        if bar.total_ns() > full * 1.000_001 {
            longer += 1;
            let tip = (x + width / 2.0, top - 5.0);
            drawing.polygon(&[(x, top - 1.0), (x + width, top - 1.0), tip], GREY);
        }
        if bar.is_aggregated {
            let mark = Size { width: step, height: 2.0 };
            drawing.rectangle(x - (step - width) / 2.0, bottom + 2.0, mark, INK);
        }
        x += step;
    }
    let last = frame.x + frame.width;
    if let (Some(first_bar), Some(last_bar)) = (bars.first(), bars.last()) {
        drawing.text(left, bottom + 13.0, SMALL, &first_bar.first.to_string());
        right_text(drawing, last, bottom + 13.0, &last_bar.last.to_string(), GREY);
    }
    let mut caption = "iteration; a line marks aggregated iterations".to_owned();
    if longer > 0 {
        let longest = bars.iter().map(Bar::total_ns).fold(0.0, f64::max);
        caption.push_str(&format!("; chart cut: {longer} longer bars, the longest {}", time(longest, unit)));
    }
    let width = drawing.width(&caption, SMALL);
    drawing.text((left + last - width) / 2.0, bottom + 13.0, SMALL, &caption);
}

/// Name of each class, in its colour.
fn legend(drawing: &mut Drawing, frame: Frame) {
    let names = dlprof_core::index::Resources::default().by_class();
    let mut x = frame.x + 50.0;
    for ((name, _), color) in names.into_iter().zip(CLASS_COLORS) {
        drawing.rectangle(x, frame.y + 15.0, Size { width: 6.5, height: 6.5 }, color);
        drawing.text(x + 10.0, frame.y + 21.0, SMALL, name);
        x += 10.0 + drawing.width(name, SMALL) + 13.0;
    }
}

/// A figure and its name, in a box.
pub(super) fn tile(drawing: &mut Drawing, frame: Frame, figure: &str, name: &str) {
    drawing.rectangle(frame.x, frame.y, Size { width: frame.width, height: TILE }, PALE);
    let figure = shorten(drawing, figure, bold(16.0, INK), frame.width - 16.0);
    drawing.text(frame.x + 8.0, frame.y + 20.0, bold(16.0, INK), &figure);
    let name = shorten(drawing, name, SMALL, frame.width - 16.0);
    drawing.text(frame.x + 8.0, frame.y + 33.0, SMALL, &name);
}

/// Height of [`tile`].
pub(super) const TILE: f32 = 41.0;

/// Two columns of names and values; returns their height.
pub(super) fn pairs(drawing: &mut Drawing, frame: Frame, name: &str, pairs: &[(String, String)]) -> f32 {
    title(drawing, frame, name);
    let names = 92.0;
    let mut y = frame.y + 24.0;
    for (name, value) in pairs {
        drawing.text(frame.x, y, style(8.0, GREY), name);
        let room = frame.width - names;
        for line in super::layout::wrap(drawing, value, style(8.0, BODY.color), room, 2) {
            drawing.text(frame.x + names, y, style(8.0, INK), &line);
            y += 11.5;
        }
    }
    y - frame.y
}

/// A frame as wide as the page.
pub(super) fn whole(y: f32, width: f32) -> Frame {
    Frame { x: MARGIN, y, width }
}
