//! Where a step goes: a bar, its idle time enlarged below it, and both in figures.

use super::super::bars::{self, BarPart};
use super::super::scale::Scale;
use super::charts::{Frame, heading, length, right_text};
use super::document::Size;
use super::drawing::Drawing;
use super::layout::{GREY, INK, SMALL, bold, shorten, style};
use crate::display::{TimeUnit, percentage};
use crate::job::Part;
use crate::overview::{Step, StepClass};
use crate::palette;

/// Height of a bar, and of the lens between the bars.
pub(super) const BAR: f32 = 17.0;
const LENS: f32 = 9.0;

/// Height of a line of figures, and the most lines of causes.
pub(super) const LINE: f32 = 12.0;
const MOST_CAUSES: usize = 7;

/// A part of the mean step of a job as bars draw it, with a time.
pub(super) fn part_of_job(part: &Part, ns: f64) -> BarPart {
    BarPart { class: part.class, is_waiting: !part.works, ns }
}

/// Height of the chart of a step.
pub(super) fn height(step: &Step) -> f32 {
    let classes = step.classes.iter().filter(|part| part.ns > 0.0).count();
    let absent = usize::from(classes < step.classes.len());
    let lines = (classes + absent).max(step.idle.len().min(MOST_CAUSES + 1));
    18.0 + 2.0 * BAR + LENS + 6.0 + LINE * (lines as f32)
}

/// Draws the bars and their figures.
pub(super) fn draw(drawing: &mut Drawing, frame: Frame, step: &Step, unit: TimeUnit, of: &str) {
    let scale = Scale::of(step.length_ns, unit);
    let said = format!("{of}, {}; solid: the GPU works, hatched: it waits", scale.text(step.length_ns));
    heading(drawing, frame, "Where a step goes", &said);
    let y = frame.y + 18.0;
    let parts = bars::of_step(step);
    let idle_from =
        bar(drawing, Frame { y, ..frame }, &parts, step.length_ns, |part| match part.is_waiting {
            true => format!("idle {}", scale.text(part.ns)),
            false => format!("{} {}", bars::words(part.class, false), scale.text(part.ns)),
        });
    let below = y + BAR + LENS;
    if step.idle_ns > 0.0 {
        let right = frame.x + frame.width;
        let corners = [
            (idle_from, y + BAR + 1.0),
            (right, y + BAR + 1.0),
            (right, below - 1.0),
            (frame.x, below - 1.0),
        ];
        drawing.polygon(&corners, palette::LENS);
    }
    let causes: Vec<BarPart> =
        step.idle.iter().map(|row| BarPart { class: row.class, is_waiting: true, ns: row.ns }).collect();
    let mut named = step.idle.iter();
    bar(drawing, Frame { y: below, ..frame }, &causes, step.idle_ns, |part| {
        let row = named.next();
        row.map_or_else(String::new, |row| format!("{} {}", row.words, scale.text(part.ns)))
    });
    let half = (frame.width - 24.0) / 2.0;
    let top = below + BAR + 6.0;
    classes(drawing, Frame { x: frame.x, y: top, width: half }, step, scale);
    idle(drawing, Frame { x: frame.x + half + 24.0, y: top, width: half }, step, scale);
}

/// A bar of parts with what they say, where it fits. Returns where the last part begins.
pub(super) fn bar(
    drawing: &mut Drawing,
    frame: Frame,
    parts: &[BarPart],
    whole_ns: f64,
    mut label: impl FnMut(&BarPart) -> String,
) -> f32 {
    let mut x = frame.x;
    let mut last = frame.x;
    if parts.is_empty() {
        drawing.rectangle(frame.x, frame.y, Size { width: frame.width, height: BAR }, palette::SUNKEN);
    }
    for part in parts {
        let width = length(part.ns / whole_ns.max(1.0), frame.width);
        let color = palette::of_class(part.class);
        // White between neighbours; a part is never wider than its time.
        let size = Size { width: if width > 2.0 { width - 0.7 } else { width }, height: BAR };
        match part.is_waiting {
            true => drawing.hatched(x, frame.y, size, color),
            false => drawing.rectangle(x, frame.y, size, color),
        }
        let text = label(part);
        let look = bold(8.0, palette::on(color));
        let wide = drawing.width(&text, look);
        if !text.is_empty() && wide + 12.0 < width {
            if part.is_waiting {
                let plate = Size { width: wide + 8.0, height: BAR };
                drawing.rectangle(x + 3.0, frame.y, plate, color);
            }
            drawing.text(x + 7.0, frame.y + BAR / 2.0 + 2.9, look, &text);
        }
        last = x;
        x += width;
    }
    last
}

/// A line of figures: a sign, a name, a time and a share.
pub(super) fn line(
    drawing: &mut Drawing,
    frame: Frame,
    part: (StepClass, bool),
    name: &str,
    figures: [&str; 2],
) {
    let (class, is_waiting) = part;
    let sign = Size { width: 7.5, height: 7.5 };
    match is_waiting {
        true => drawing.hatched(frame.x, frame.y + 1.8, sign, palette::of_class(class)),
        false => drawing.rectangle(frame.x, frame.y + 1.8, sign, palette::of_class(class)),
    }
    let base = frame.y + 8.5;
    let right = frame.x + frame.width;
    let name = shorten(drawing, name, style(8.0, INK), frame.width - 110.0);
    drawing.text(frame.x + 12.0, base, style(8.0, INK), &name);
    right_text(drawing, right - 38.0, base, style(8.0, INK), figures[0]);
    right_text(drawing, right, base, style(8.0, GREY), figures[1]);
}

fn classes(drawing: &mut Drawing, mut frame: Frame, step: &Step, scale: Scale) {
    for part in step.classes.iter().filter(|part| part.ns > 0.0) {
        let is_waiting = part.working_ns <= 0.0;
        let name = match (part.class, is_waiting, part.ns > part.working_ns * 1.000_1) {
            (StepClass::Gpu, _, _) => part.words.to_owned(),
            (_, false, true) => format!("{}, and waiting for it", part.words),
            (class, is_waiting, _) => bars::words(class, is_waiting).to_owned(),
        };
        let figures = [scale.number(part.ns), percentage(part.percent)];
        line(drawing, frame, (part.class, is_waiting), &name, figures.each_ref().map(String::as_str));
        frame.y += LINE;
    }
    // The last word of each tells them apart, and all of them have room in a line.
    let last = |words: &'static str| words.rsplit(' ').next().unwrap_or(words);
    let absent: Vec<&str> =
        step.classes.iter().filter(|part| part.ns <= 0.0).map(|part| last(part.words)).collect();
    if !absent.is_empty() {
        let said = format!("No time in: {}.", absent.join(", "));
        let said = shorten(drawing, &said, SMALL, frame.width);
        drawing.text(frame.x, frame.y + 8.5, SMALL, &said);
    }
}

fn idle(drawing: &mut Drawing, mut frame: Frame, step: &Step, scale: Scale) {
    for row in step.idle.iter().take(MOST_CAUSES) {
        let figures = [scale.number(row.ns), percentage(row.percent)];
        line(drawing, frame, (row.class, true), &row.with_range(), figures.each_ref().map(String::as_str));
        frame.y += LINE;
    }
    if let Some(more) = step.idle.len().checked_sub(MOST_CAUSES + 1) {
        let rest: f64 = step.idle.iter().skip(MOST_CAUSES).map(|row| row.ns).sum();
        let said = format!("{} more causes of idle time, {}", more + 1, scale.text(rest));
        drawing.text(frame.x, frame.y + 8.5, SMALL, &said);
    } else if step.idle.is_empty() {
        drawing.text(frame.x, frame.y + 8.5, SMALL, "The GPU is never idle.");
    }
}
