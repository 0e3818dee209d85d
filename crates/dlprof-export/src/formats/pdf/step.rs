//! Where a step goes: a bar, of it what limits the step enlarged below it, and both in figures. Of a step that the GPU limits that is
//! its kernels by kind, else the idle time by cause.

use super::super::bars::{self, BarPart};
use super::super::scale::Scale;
use super::charts::{Frame, heading, length, right_text};
use super::document::Size;
use super::drawing::Drawing;
use super::layout::{GREY, INK, SMALL, bold, shorten, style};
use crate::display::{TimeUnit, percentage};
use crate::job::Part;
use crate::overview::{KernelKindRow, Kernels, Overview, Step, StepClass};
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

/// The kinds of kernels into which the bar opens; none where the GPU does not limit the step, or kernels are not known. Kernels that
/// exchange data are a class of their own.
fn kinds(overview: &Overview) -> Vec<KernelKindRow> {
    let is_gpu = overview.verdict_parts.step_class == Some(StepClass::Gpu);
    let all =
        overview.kernels.as_ref().filter(|_| is_gpu).map_or(&[][..], |kernels| kernels.kinds.as_slice());
    all.iter().filter(|row| row.kind != StepClass::Communication.words()).copied().collect()
}

/// Height of the chart of a step.
pub(super) fn height(step: &Step, overview: &Overview) -> f32 {
    let classes = step.classes.iter().filter(|part| part.ns > 0.0).count();
    let absent = usize::from(classes < step.classes.len());
    let opened = match kinds(overview).len() {
        0 => step.idle.len(),
        kinds => kinds + 1,
    };
    let lines = (classes + absent).max(opened.min(MOST_CAUSES + 1));
    18.0 + 2.0 * BAR + LENS + 6.0 + LINE * (lines as f32)
}

/// Draws the bars and their figures.
pub(super) fn draw(
    drawing: &mut Drawing,
    frame: Frame,
    (step, overview): (&Step, &Overview),
    unit: TimeUnit,
    of: &str,
) {
    let scale = Scale::of(step.length_ns, unit);
    let said = format!("{of}, {}; solid: the GPU works, hatched: it waits", scale.text(step.length_ns));
    heading(drawing, frame, overview.basis.where_it_goes(), &said);
    let y = frame.y + 18.0;
    let parts = bars::of_step(step);
    bar(drawing, Frame { y, ..frame }, &parts, step.length_ns, |part| match (part.is_waiting, part.class) {
        (true, _) => format!("idle {}", scale.text(part.ns)),
        // The class also has the turnaround between kernels.
        (false, StepClass::Gpu) => format!("kernels run {}", scale.text(part.ns)),
        (false, class) => format!("{} {}", bars::words(class, false), scale.text(part.ns)),
    });
    let kinds = kinds(overview);
    let below = Frame { y: y + BAR + LENS, ..frame };
    let opens = |part: &BarPart| {
        if kinds.is_empty() { part.is_waiting } else { part.class == StepClass::Gpu && !part.is_waiting }
    };
    lens(drawing, below, &parts, step.length_ns, opens);
    match kinds.is_empty() {
        true => causes_bar(drawing, below, step, scale),
        false => kinds_bar(drawing, below, &kinds),
    }
    let half = (frame.width - 24.0) / 2.0;
    let top = below.y + BAR + 6.0;
    classes(drawing, Frame { x: frame.x, y: top, width: half }, step, scale);
    let right = Frame { x: frame.x + half + 24.0, y: top, width: half };
    match kinds.is_empty() {
        true => idle(drawing, right, step, scale),
        false => kinds_and_idle(drawing, right, (&kinds, overview), scale),
    }
}

/// From the first part that opens to the whole bar below.
fn lens(
    drawing: &mut Drawing,
    below: Frame,
    parts: &[BarPart],
    whole_ns: f64,
    opens: impl Fn(&BarPart) -> bool,
) {
    let Some(at) = parts.iter().position(opens) else { return };
    let before: f64 = parts[..at].iter().map(|part| part.ns).sum();
    let place = |ns: f64| below.x + length(ns / whole_ns.max(1.0), below.width);
    let (top, bottom) = (below.y - LENS + 1.0, below.y - 1.0);
    let corners = [
        (place(before), top),
        (place(before + parts[at].ns), top),
        (below.x + below.width, bottom),
        (below.x, bottom),
    ];
    drawing.polygon(&corners, palette::LENS);
}

fn causes_bar(drawing: &mut Drawing, frame: Frame, step: &Step, scale: Scale) {
    let causes: Vec<BarPart> =
        step.idle.iter().map(|row| BarPart { class: row.class, is_waiting: true, ns: row.ns }).collect();
    let mut named = step.idle.iter();
    bar(drawing, frame, &causes, step.idle_ns, |part| {
        let row = named.next();
        row.map_or_else(String::new, |row| format!("{} {}", row.words, scale.text(part.ns)))
    });
}

fn kinds_bar(drawing: &mut Drawing, frame: Frame, kinds: &[KernelKindRow]) {
    let part = |row: &KernelKindRow| BarPart { class: StepClass::Gpu, is_waiting: false, ns: row.ns };
    let parts: Vec<BarPart> = kinds.iter().map(part).collect();
    let whole: f64 = kinds.iter().map(|row| row.ns).sum();
    let mut named = kinds.iter();
    bar(drawing, frame, &parts, whole, |_| {
        named.next().map_or_else(String::new, |row| format!("{} {}", row.kind, percentage(row.percent)))
    });
}

/// A bar of parts with what they say, where it fits.
pub(super) fn bar(
    drawing: &mut Drawing,
    frame: Frame,
    parts: &[BarPart],
    whole_ns: f64,
    mut label: impl FnMut(&BarPart) -> String,
) {
    let mut x = frame.x;
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
        x += width;
    }
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
    let name = shorten(drawing, name, style(8.0, INK), frame.width - FIGURES);
    drawing.text(frame.x + 12.0, base, style(8.0, INK), &name);
    right_text(drawing, right - 38.0, base, style(8.0, INK), figures[0]);
    right_text(drawing, right, base, style(8.0, GREY), figures[1]);
}

/// Room for the sign and the two figures of a line.
const FIGURES: f32 = 110.0;

fn classes(drawing: &mut Drawing, mut frame: Frame, step: &Step, scale: Scale) {
    for part in step.classes.iter().filter(|part| part.ns > 0.0) {
        let is_waiting = part.working_ns <= 0.0;
        let waits = scale.number(part.waits_ns());
        let name = match (is_waiting, waits == scale.number(0.0)) {
            (true, _) => bars::words(part.class, true).to_owned(),
            (false, true) => part.words.to_owned(),
            (false, false) => format!("{}, of it idle {waits}", part.words),
        };
        let figures = [scale.number(part.ns), percentage(part.percent)];
        line(drawing, frame, (part.class, is_waiting), &name, figures.each_ref().map(String::as_str));
        frame.y += LINE;
    }
    // The last word of each tells them apart, and all of them have room in a line.
    let last = |words: &'static str| words.rsplit(' ').next().unwrap_or(words);
    let absent: Vec<&str> = step.absent().map(last).collect();
    if !absent.is_empty() {
        let said = format!("No time in: {}.", absent.join(", "));
        let said = shorten(drawing, &said, SMALL, frame.width);
        drawing.text(frame.x, frame.y + 8.5, SMALL, &said);
    }
}

fn idle(drawing: &mut Drawing, mut frame: Frame, step: &Step, scale: Scale) {
    for row in step.idle.iter().take(MOST_CAUSES) {
        let figures = [scale.number(row.ns), percentage(row.percent)];
        // The range only where all of it has room.
        let with_range = row.with_range();
        let fits = drawing.width(&with_range, style(8.0, INK)) <= frame.width - FIGURES;
        let name = if fits { &with_range } else { row.words };
        line(drawing, frame, (row.class, true), name, figures.each_ref().map(String::as_str));
        frame.y += LINE;
    }
    if let Some(more) = step.idle.len().checked_sub(MOST_CAUSES + 1) {
        let rest: f64 = step.idle.iter().skip(MOST_CAUSES).map(|row| row.ns).sum();
        let causes = if more == 0 { "cause" } else { "causes" };
        let said = format!("{} more {causes} of idle time, {}", more + 1, scale.text(rest));
        drawing.text(frame.x, frame.y + 8.5, SMALL, &said);
    } else if step.idle.is_empty() {
        drawing.text(frame.x, frame.y + 8.5, SMALL, "The GPU is never idle.");
    }
}

/// Kernel time by kind, and in a line the idle time.
fn kinds_and_idle(
    drawing: &mut Drawing,
    mut frame: Frame,
    (kinds, overview): (&[KernelKindRow], &Overview),
    scale: Scale,
) {
    for row in kinds.iter().take(MOST_CAUSES) {
        let figures = [scale.number(row.ns), percentage(row.percent)];
        let part = (StepClass::Gpu, false);
        line(drawing, frame, part, row.kind, figures.each_ref().map(String::as_str));
        frame.y += LINE;
    }
    let sum = overview.kernels.as_ref().map_or_else(String::new, Kernels::sum_in_words);
    let idle = match overview.step.as_ref().and_then(|step| Some((step, step.idle.first()?))) {
        Some((step, most)) => format!("Idle: {}, mostly {}.", scale.text(step.idle_ns), most.words),
        None => "The GPU is never idle.".to_owned(),
    };
    let said = format!("Kernel time{sum}. {idle}");
    let said = shorten(drawing, &said, SMALL, frame.width);
    drawing.text(frame.x, frame.y + 8.5, SMALL, &said);
}
