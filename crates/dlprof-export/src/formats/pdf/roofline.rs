//! The roofline on a page: axes, roofs, points with letters, and a list of the points.

use super::charts::{Frame, heading, length, right_text, whole};
use super::document::Size;
use super::drawing::{Drawing, Style};
use super::layout::{Flow, GREY, INK, SMALL, bold, shorten, style};
use crate::palette;
use crate::roofline::{PictureLine, PicturePoint, RooflinePicture};

/// Room around the frame.
const LEFT: f32 = 56.0;
const ABOVE: f32 = 26.0;
const BELOW: f32 = 30.0;
const HEIGHT: f32 = 300.0;
/// Height of the strip with kernels that have no place.
const STRIP: f32 = 24.0;
/// Corners of a circle.
const CORNERS: u8 = 24;
/// Points that are listed.
const LISTED: usize = 25;
/// Height of a line of the list.
const LINE: f32 = 12.0;
/// The letter of a point has room inside from this radius on.
const LETTER_FROM: f32 = 6.0;
const TICK: Style = style(7.0, GREY);

/// Draws a roofline and lists its points.
pub(super) fn add(flow: &mut Flow, picture: &RooflinePicture) {
    let strip = if picture.strip.is_empty() { 0.0 } else { STRIP };
    let height = ABOVE + HEIGHT + BELOW + strip;
    flow.keep(height + 4.0 * LINE);
    flow.drawing.bookmark("Roofline");
    let place = whole(flow);
    let title = if picture.of == "ops" { "Roofline of ops" } else { "Roofline of kernels" };
    heading(&mut flow.drawing, place, title, &picture.basis);
    let frame =
        Area { x: place.x + LEFT, y: place.y + ABOVE, width: place.width - LEFT - 4.0, height: HEIGHT };
    axes(&mut flow.drawing, frame, picture);
    for roof in &picture.roofs {
        line_of(&mut flow.drawing, frame, roof);
    }
    for point in picture.points.iter().rev() {
        draw_point(&mut flow.drawing, frame.at(point.at), length(point.radius, frame.width), point);
    }
    for point in &picture.points {
        if let Some(at) = point.label_at {
            let (x, y) = frame.at(at);
            flow.drawing.text(x, y + 2.5, style(7.5, INK), &point.short);
        }
    }
    if strip > 0.0 {
        draw_strip(&mut flow.drawing, frame, picture);
    }
    flow.space(height);
    list(flow, picture);
}

/// The frame: its upper left corner and its size.
#[derive(Debug, Clone, Copy)]
struct Area {
    x: f32,
    y: f32,
    width: f32,
    height: f32,
}

impl Area {
    /// Shares from the left and from below as a place on the page.
    fn at(self, [x, y]: [f64; 2]) -> (f32, f32) {
        (self.x + length(x, self.width), self.y + self.height - length(y, self.height))
    }
}

fn axes(drawing: &mut Drawing, frame: Area, picture: &RooflinePicture) {
    let bottom = frame.y + frame.height;
    for tick in &picture.x_ticks {
        let (x, _) = frame.at([tick.at, 0.0]);
        drawing.line((x, frame.y), (x, bottom), 0.4, palette::LINE);
        let wide = drawing.width(&tick.text, TICK);
        drawing.text(x - wide / 2.0, bottom + 10.0, TICK, &tick.text);
    }
    for tick in &picture.y_ticks {
        let (_, y) = frame.at([0.0, tick.at]);
        drawing.line((frame.x, y), (frame.x + frame.width, y), 0.4, palette::LINE);
        right_text(drawing, frame.x - 5.0, y + 2.4, TICK, &tick.text);
    }
    let name = "FLOP per byte";
    let wide = drawing.width(name, TICK);
    drawing.text(frame.x + (frame.width - wide) / 2.0, bottom + 20.0, TICK, name);
}

fn line_of(drawing: &mut Drawing, frame: Area, roof: &PictureLine) {
    let (from, to) = (frame.at(roof.from), frame.at(roof.to));
    drawing.line(from, to, 1.0, palette::TEXT_2);
    let look = style(7.0, palette::TEXT_2);
    let is_flat = (from.1 - to.1).abs() < 0.01;
    if is_flat {
        right_text(drawing, frame.x + frame.width - 3.0, to.1 - 3.0, look, &roof.text);
    } else {
        // Left of the line, which rises: there no point can be.
        let middle = ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0);
        let wide = drawing.width(&roof.text, look);
        drawing.text((middle.0 - wide - 6.0).max(frame.x + 2.0), middle.1 - 2.0, look, &roof.text);
    }
}

fn draw_point(drawing: &mut Drawing, (x, y): (f32, f32), radius: f32, point: &PicturePoint) {
    let radius = radius.max(2.5);
    let fill = palette::of_bound(point.bound);
    drawing.polygon(&circle(x, y, radius), fill);
    if !point.is_exact {
        drawing.polygon(&circle(x, y, (radius - 1.2).max(0.8)), palette::SURFACE);
    }
    if radius >= LETTER_FROM {
        let color = if point.is_exact { palette::on(fill) } else { INK };
        let letter = point.letter.to_string();
        let look = bold(7.0, color);
        let wide = drawing.width(&letter, look);
        drawing.text(x - wide / 2.0, y + 2.5, look, &letter);
    }
}

/// Corners on a circle.
fn circle(x: f32, y: f32, radius: f32) -> Vec<(f32, f32)> {
    let angle = |corner: u8| f32::from(corner) / f32::from(CORNERS) * std::f32::consts::TAU;
    (0..CORNERS)
        .map(|corner| (radius.mul_add(angle(corner).cos(), x), radius.mul_add(angle(corner).sin(), y)))
        .collect()
}

/// Kernels without FLOP or without bytes, below the frame.
fn draw_strip(drawing: &mut Drawing, frame: Area, picture: &RooflinePicture) {
    let top = frame.y + frame.height + BELOW - 4.0;
    let size = Size { width: frame.width, height: STRIP - 8.0 };
    drawing.rectangle(frame.x, top, size, palette::SUNKEN);
    right_text(drawing, frame.x - 5.0, top + 10.5, TICK, "no FLOP");
    let each = frame.width / (picture.strip.len() as f32);
    for point in &picture.strip {
        let x = frame.x + length(point.at[0], frame.width);
        draw_point(drawing, (x, top + size.height / 2.0), 3.0, point);
        let text = shorten(drawing, &format!("{} {}", point.letter, point.dram), SMALL, each / 2.0 - 6.0);
        if each > 90.0 {
            drawing.text(x + 6.0, top + 10.5, SMALL, &text);
        }
    }
}

/// The points by letter, with their figures.
fn list(flow: &mut Flow, picture: &RooflinePicture) {
    /// Where the columns end, from the right.
    const ENDS: [f32; 5] = [0.0, 56.0, 124.0, 194.0, 292.0];
    let all = || picture.points.iter().chain(&picture.strip);
    for point in all().take(LISTED) {
        flow.keep(LINE);
        let place = whole(flow);
        let Frame { x, y, width } = place;
        let right = x + width;
        let base = y + 9.0;
        flow.drawing.text(x, base, bold(8.0, INK), &point.letter.to_string());
        let cells = [&point.bound_words, &point.dram, &point.rate, &point.intensity, &point.time];
        for (end, cell) in ENDS.iter().zip(cells) {
            right_text(&mut flow.drawing, right - end, base, style(8.0, palette::TEXT_2), cell);
        }
        let room = width - ENDS[4] - 90.0;
        let name = shorten(&flow.drawing, &point.short, style(8.0, INK), room);
        flow.drawing.text(x + 14.0, base, style(8.0, INK), &name);
        flow.space(LINE);
    }
    let left = all().count().saturating_sub(LISTED);
    let ridges = picture.roofs.iter().filter(|roof| !roof.ridge.is_empty());
    let mut more: Vec<String> = ridges.map(|roof| format!("{}: {}.", roof.text, roof.ridge)).collect();
    if left > 0 {
        more.push(format!("{left} more with less time are drawn and not listed."));
    }
    if !picture.left_out.is_empty() {
        more.push(picture.left_out.clone());
    }
    if all().any(|point| !point.is_exact) {
        more.push("Hollow points are means over launches of the same name and size.".to_owned());
    }
    if !more.is_empty() {
        flow.paragraph(&more.join(" "), style(7.5, GREY), 0.0);
    }
    flow.space(10.0);
}
