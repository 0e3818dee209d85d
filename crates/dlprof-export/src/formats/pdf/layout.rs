//! Divides texts into lines, and lines into pages.

use super::document::Size;
use super::drawing::{Drawing, Kind, Style};
use crate::palette;

/// A4 portrait.
pub(super) const PORTRAIT: Size = Size { width: 595.28, height: 841.89 };

/// A4 landscape.
pub(super) const LANDSCAPE: Size = Size { width: PORTRAIT.height, height: PORTRAIT.width };

/// The margin to the left and right of the text.
pub(super) const MARGIN: f32 = 42.0;

/// Space between two parts of a page.
pub(super) const SPACE: f32 = 10.0;

const TOP: f32 = 44.0;
const BOTTOM: f32 = 52.0;

pub(super) const INK: u32 = palette::TEXT;
pub(super) const GREY: u32 = palette::TEXT_3;
pub(super) const RULE: u32 = palette::LINE_2;
pub(super) const PALE: u32 = palette::SUNKEN;

pub(super) const fn style(size: f32, color: u32) -> Style {
    Style { size, kind: Kind::Regular, color }
}

pub(super) const fn bold(size: f32, color: u32) -> Style {
    Style { size, kind: Kind::Bold, color }
}

pub(super) const fn code(size: f32, color: u32) -> Style {
    Style { size, kind: Kind::Code, color }
}

pub(super) const SMALL: Style = style(7.5, GREY);

/// Distance from one base line to the next.
pub(super) fn line_height(style: Style) -> f32 {
    style.size * 1.32
}

/// A text no wider than `room`. It is shortened in the middle, because the start and the end of a name say most.
pub(super) fn shorten(drawing: &Drawing, text: &str, style: Style, room: f32) -> String {
    if drawing.width(text, style) <= room {
        return text.to_owned();
    }
    let room = (room - drawing.width("…", style)).max(0.0);
    let take = |chars: &mut dyn Iterator<Item = char>, room: f32| -> (String, f32) {
        let mut used = 0.0;
        let mut taken = String::new();
        for c in chars {
            let advance = drawing.advance(c, style);
            if used + advance > room {
                break;
            }
            used += advance;
            taken.push(c);
        }
        (taken, used)
    };
    let (head, used) = take(&mut text.chars(), room / 3.0);
    let (tail, _) = take(&mut text.chars().rev(), room - used);
    format!("{head}…{}", tail.chars().rev().collect::<String>())
}

/// A text in at most `most` lines that fit into `room`. A text that is too long is shortened in the middle.
pub(super) fn wrap(drawing: &Drawing, text: &str, style: Style, room: f32, most: u8) -> Vec<String> {
    let mut length = room * f32::from(most);
    let mut shortened = shorten(drawing, text, style, length);
    loop {
        let lines = break_lines(drawing, &shortened, style, room);
        if lines.len() <= usize::from(most) || length < style.size {
            return lines;
        }
        length *= 0.95;
        shortened = shorten(drawing, text, style, length);
    }
}

/// Breaks lines at spaces, not between a figure and its unit. A part without spaces is broken at a mark between words, or anywhere.
pub(super) fn break_lines(drawing: &Drawing, text: &str, style: Style, room: f32) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0.0;
    for c in text.chars() {
        let advance = drawing.advance(c, style);
        if used + advance > room && !line.is_empty() {
            if c == ' ' && (!ends_with_figure(&line) || !line.contains(' ')) {
                lines.push(std::mem::take(&mut line));
                used = 0.0;
                continue;
            }
            let rest = line.split_off(break_position(&line));
            lines.push(std::mem::replace(&mut line, rest).trim_end().to_owned());
            used = drawing.width(&line, style);
        }
        line.push(c);
        used += advance;
    }
    lines.push(line);
    lines
}

/// The best place to break a full line. A figure stays with its unit if it can.
fn break_position(line: &str) -> usize {
    let is_between_words = |&(at, _): &(usize, &str)| !ends_with_figure(&line[..at]);
    if let Some((at, _)) = line.rmatch_indices(' ').find(is_between_words) {
        return at + 1;
    }
    let is_mark = |c: char| matches!(c, '/' | '_' | ':' | ',' | '.' | '-' | ')' | '>' | ';' | '=' | '|');
    line.rfind(' ').or_else(|| line.rfind(is_mark)).map_or(line.len(), |at| at + 1)
}

/// Whether the last word is a figure, and no name that ends with one.
fn ends_with_figure(line: &str) -> bool {
    let word = line.rsplit(' ').next().unwrap_or_default();
    word.ends_with(|c: char| c.is_ascii_digit()) && !word.contains(char::is_alphabetic)
}

/// A document that is filled from top to bottom.
pub(super) struct Flow<'a> {
    pub(super) drawing: Drawing<'a>,
    /// Vertical position of the next element.
    pub(super) y: f32,
    size: Size,
    /// The text of the footer of every page.
    name: String,
    /// The lines of the footer of the first page.
    first_foot: Vec<String>,
}

impl<'a> Flow<'a> {
    pub(super) fn new(mut drawing: Drawing<'a>, name: &str) -> Self {
        drawing.add_page(PORTRAIT);
        Self { drawing, y: TOP, size: PORTRAIT, name: name.to_owned(), first_foot: Vec::new() }
    }

    /// Width between the margins.
    pub(super) fn width(&self) -> f32 {
        self.size.width - 2.0 * MARGIN
    }

    /// Sets the lines of the footer of the first page.
    pub(super) fn set_first_foot(&mut self, lines: Vec<String>) {
        self.first_foot = lines;
    }

    /// Height that is left on the page.
    pub(super) fn room(&self) -> f32 {
        let is_first = self.drawing.pages() == 1;
        let lines = if is_first { self.first_foot.len().saturating_sub(1) } else { 0 };
        self.size.height - BOTTOM - FOOT_LINE * (lines as f32) - self.y
    }

    /// Height of a page of this size that is empty.
    pub(super) fn page_height(&self) -> f32 {
        self.size.height - BOTTOM - TOP
    }

    /// Starts a new page if less than `height` is left; returns whether it did.
    pub(super) fn keep(&mut self, height: f32) -> bool {
        let is_full = self.room() < height;
        if is_full {
            self.new_page(self.size);
        }
        is_full
    }

    pub(super) fn new_page(&mut self, size: Size) {
        self.drawing.add_page(size);
        self.size = size;
        self.y = TOP;
    }

    /// Sets the size of the pages from here on.
    pub(super) fn turn(&mut self, size: Size) {
        if self.size != size {
            self.new_page(size);
        }
    }

    pub(super) fn space(&mut self, height: f32) {
        self.y += height;
    }

    /// A heading with an entry in the list of contents. It is on the same page as the next `height` of content.
    pub(super) fn heading(&mut self, title: &str, height: f32) {
        self.keep(34.0 + height);
        self.y += 22.0;
        self.drawing.bookmark(title);
        let shown = shorten(&self.drawing, title, bold(13.0, INK), self.width());
        self.drawing.text(MARGIN, self.y, bold(13.0, INK), &shown);
        self.y += 5.0;
        self.drawing.line((MARGIN, self.y), (MARGIN + self.width(), self.y), 0.8, RULE);
        self.y += 6.0;
    }

    /// Lines of text, indented by `indent`.
    pub(super) fn paragraph(&mut self, text: &str, style: Style, indent: f32) {
        let room = self.width() - indent;
        for line in wrap(&self.drawing, text, style, room, MOST_LINES) {
            self.keep(line_height(style));
            self.y += line_height(style);
            self.drawing.text(MARGIN + indent, self.y - style.size * 0.3, style, &line);
        }
    }

    /// Writes the footer on every page and returns the drawing.
    pub(super) fn finish(mut self) -> Drawing<'a> {
        const TOOL: &str = concat!("dlprof-agg ", env!("CARGO_PKG_VERSION"));
        let pages = self.drawing.pages();
        for page in 0..pages {
            let size = self.drawing.go_to(page);
            let right = size.width - MARGIN;
            let number = format!("page {} of {pages}", page + 1);
            let number = format!("{TOOL} · {number}");
            let wide = self.drawing.width(&number, SMALL);
            let name = shorten(&self.drawing, &self.name, SMALL, right - MARGIN - wide - 20.0);
            let lines = if page == 0 && !self.first_foot.is_empty() { &self.first_foot[..] } else { &[name] };
            let last = size.height - 28.0;
            let first = last - FOOT_LINE * (lines.len().saturating_sub(1) as f32);
            self.drawing.line((MARGIN, first - 10.0), (right, first - 10.0), 0.5, RULE);
            for (number, line) in lines.iter().enumerate() {
                self.drawing.text(MARGIN, first + FOOT_LINE * (number as f32), SMALL, line);
            }
            self.drawing.text(right - wide, last, SMALL, &number);
        }
        self.drawing
    }
}

/// Distance of two lines of a footer.
const FOOT_LINE: f32 = 9.5;

/// Maximum number of lines of a paragraph. Longer paragraphs are shortened in the middle.
const MOST_LINES: u8 = 12;

#[cfg(test)]
mod tests {
    use super::break_position;

    #[test]
    fn a_figure_stays_with_its_unit() {
        let kept = |line: &str| line[..break_position(line)].to_owned();
        assert_eq!(kept("One change saves about 68 "), "One change saves about ");
        assert_eq!(kept("One change saves ab"), "One change saves ");
        assert_eq!(kept("68 "), "68 ", "there is no other place");
        assert_eq!(kept("of sgemm_128x64 tn"), "of sgemm_128x64 ", "a name is no figure");
    }
}
