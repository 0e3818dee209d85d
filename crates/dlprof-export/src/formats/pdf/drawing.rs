//! Pages, texts, lines and areas. Only this module, `face` and `document` call the PDF library.
//!
//! Lengths are points (1/72 inch), positions are measured from the upper left corner of the page.

use super::direction::left_to_right;
use super::document::{self, Size};
use super::face::{Face, Font};
use pdf_writer::{Content, Name, Str};
use std::collections::BTreeSet;
use std::io::{self, Write};

/// How a text looks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Style {
    /// Size of the font.
    pub(super) size: f32,
    pub(super) kind: Kind,
    /// Red, green and blue, one byte each.
    pub(super) color: u32,
}

/// The kind of letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Regular,
    Bold,
    /// For code and for names from the capture: all letters are equally wide, and easy to tell apart.
    Code,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Regular, Self::Bold, Self::Code];

    /// The faces in which a character is searched, in order.
    fn faces(self) -> &'static [usize] {
        match self {
            Self::Regular => &[0, 3],
            Self::Bold => &[1, 0, 3],
            Self::Code => &[2, 0, 3],
        }
    }
}

/// Font faces: those of [`Kind::ALL`], then the user's.
const NAMES: [&str; 4] = ["F0", "F1", "F2", "F3"];
const REGULAR: &[u8] = include_bytes!("../../../assets/fonts/DejaVuSansCondensed.ttf");
const BOLD: &[u8] = include_bytes!("../../../assets/fonts/DejaVuSansCondensed-Bold.ttf");
const CODE: &[u8] = include_bytes!("../../../assets/fonts/LiberationMono-Regular.ttf");

/// Shown instead of a character that no face has.
const REPLACEMENT: char = '\u{FFFD}';

/// The face and glyph that draw a character.
#[derive(Debug, Clone, Copy)]
struct Glyph {
    face: usize,
    id: u16,
    /// Width as a share of the size.
    advance: f32,
}

/// A character of a line: what is shown for it, and whether that is only [`REPLACEMENT`].
struct Letter {
    glyph: Glyph,
    c: char,
    is_missing: bool,
}

struct Page {
    size: Size,
    content: Content,
}

/// A document that is being drawn.
pub(super) struct Drawing<'a> {
    faces: Vec<Face<'a>>,
    /// Glyphs of the first 128 characters, of which most texts consist, by kind.
    usual: [Vec<Option<Glyph>>; 3],
    pages: Vec<Page>,
    current: usize,
    bookmarks: Vec<(String, usize)>,
    missing: BTreeSet<char>,
}

impl<'a> Drawing<'a> {
    /// A document without pages.
    pub(super) fn new(font: Option<&'a Font>) -> Self {
        let built_in =
            [REGULAR, BOLD, CODE].map(|bytes| Face::read(bytes).expect("the built-in faces can be read"));
        let faces = built_in.into_iter().chain(font.and_then(Font::face)).collect();
        let mut drawing = Self {
            faces,
            usual: Default::default(),
            pages: Vec::new(),
            current: 0,
            bookmarks: Vec::new(),
            missing: BTreeSet::new(),
        };
        let usual = |kind| (0..128_u8).map(|c| drawing.look_up(char::from(c), kind)).collect();
        drawing.usual = Kind::ALL.map(usual);
        drawing
    }

    /// Adds a page and makes it the current page.
    pub(super) fn add_page(&mut self, size: Size) {
        self.current = self.pages.len();
        self.pages.push(Page { size, content: Content::new() });
    }

    pub(super) fn pages(&self) -> usize {
        self.pages.len()
    }

    /// Makes an earlier page the current page; returns its size.
    pub(super) fn go_to(&mut self, page: usize) -> Size {
        self.current = page;
        self.pages[page].size
    }

    /// Characters of the texts so far that no face has.
    pub(super) fn missing(&self) -> &BTreeSet<char> {
        &self.missing
    }

    /// Adds an entry to the list of contents that leads to the current page.
    pub(super) fn bookmark(&mut self, title: &str) {
        self.bookmarks.push((title.to_owned(), self.current));
    }

    /// The width of a text. Characters that a page does not show have no width.
    pub(super) fn width(&self, text: &str, style: Style) -> f32 {
        let letters = self.letters(text, style.kind);
        letters.iter().map(|letter| letter.glyph.advance * style.size).sum()
    }

    pub(super) fn advance(&self, c: char, style: Style) -> f32 {
        self.letter(c, style.kind).map_or(0.0, |letter| letter.glyph.advance * style.size)
    }

    /// What is printed for a text, from left to right.
    fn letters(&self, text: &str, kind: Kind) -> Vec<Letter> {
        left_to_right(text).into_iter().filter_map(|c| self.letter(c, kind)).collect()
    }

    fn letter(&self, c: char, kind: Kind) -> Option<Letter> {
        if is_invisible(c) {
            return None;
        }
        let found = self.glyph(c, kind).map(|glyph| Letter { glyph, c, is_missing: false });
        let missing = || self.glyph(REPLACEMENT, kind).map(|glyph| Letter { glyph, c, is_missing: true });
        found.or_else(missing)
    }

    fn glyph(&self, c: char, kind: Kind) -> Option<Glyph> {
        let usual = &self.usual[kind as usize];
        let known = usize::try_from(u32::from(c)).ok().and_then(|at| usual.get(at));
        known.copied().unwrap_or_else(|| self.look_up(c, kind))
    }

    fn look_up(&self, c: char, kind: Kind) -> Option<Glyph> {
        kind.faces().iter().filter(|&&face| face < self.faces.len()).find_map(|&face| {
            let id = self.faces[face].glyph(c)?;
            Some(Glyph { face, id, advance: self.faces[face].advance(id) })
        })
    }

    /// Writes a text in one line; `y` is its base line.
    pub(super) fn text(&mut self, x: f32, y: f32, style: Style, text: &str) {
        let letters = self.letters(text, style.kind);
        let mut runs: Vec<(usize, Vec<u8>)> = Vec::new();
        for Letter { glyph, c, is_missing } in letters {
            if is_missing {
                self.missing.insert(c);
            }
            let shown = if is_missing { REPLACEMENT } else { c };
            let number = self.faces[glyph.face].take(glyph.id, shown).to_be_bytes();
            match runs.last_mut() {
                Some((face, run)) if *face == glyph.face => run.extend(number),
                _ => runs.push((glyph.face, number.to_vec())),
            }
        }
        let (x, y) = self.point(x, y);
        let content = self.content();
        content.begin_text();
        fill_with(content, style.color);
        content.next_line(x, y);
        for (face, run) in runs {
            content.set_font(Name(NAMES[face].as_bytes()), style.size).show(Str(&run));
        }
        content.end_text();
    }

    /// Fills a rectangle, given by its upper left corner.
    pub(super) fn rectangle(&mut self, x: f32, y: f32, size: Size, fill: u32) {
        let (x, y) = self.point(x, y + size.height);
        let content = self.content();
        fill_with(content, fill);
        content.rect(x, y, rounded(size.width), rounded(size.height)).fill_nonzero();
    }

    /// Fills a rectangle with stripes: the colour, and a paler one.
    pub(super) fn hatched(&mut self, x: f32, y: f32, size: Size, fill: u32) {
        /// Distance from one stripe to the next, and its thickness.
        const STEP: f32 = 4.0;
        const STRIPE: f32 = 1.5;
        if size.width <= 0.0 || size.height <= 0.0 {
            return;
        }
        self.rectangle(x, y, size, fill);
        let (left, bottom) = self.point(x, y + size.height);
        let [red, green, blue] = shares(crate::palette::paler(fill));
        let content = self.content();
        content.save_state();
        content.rect(left, bottom, rounded(size.width), rounded(size.height)).clip_nonzero().end_path();
        content.set_stroke_rgb(red, green, blue).set_line_width(STRIPE);
        // A stripe is where x − y is a multiple of the distance, so that the stripes of neighbours continue each other.
        let mut from = ((left - size.height - bottom) / STEP).floor() * STEP + bottom;
        while from < left + size.width {
            content.move_to(rounded(from), bottom);
            content.line_to(rounded(from + size.height), rounded(bottom + size.height));
            from += STEP;
        }
        content.stroke();
        content.restore_state();
    }

    /// Draws a straight line.
    pub(super) fn line(&mut self, from: (f32, f32), to: (f32, f32), thickness: f32, stroke: u32) {
        let (from, to) = (self.point(from.0, from.1), self.point(to.0, to.1));
        let [red, green, blue] = shares(stroke);
        let content = self.content();
        content.set_stroke_rgb(red, green, blue).set_line_width(thickness);
        content.move_to(from.0, from.1).line_to(to.0, to.1).stroke();
    }

    /// Fills a polygon.
    pub(super) fn polygon(&mut self, corners: &[(f32, f32)], fill: u32) {
        let corners: Vec<(f32, f32)> = corners.iter().map(|&(x, y)| self.point(x, y)).collect();
        let content = self.content();
        fill_with(content, fill);
        for (number, &(x, y)) in corners.iter().enumerate() {
            if number == 0 {
                content.move_to(x, y)
            } else {
                content.line_to(x, y)
            };
        }
        content.close_path().fill_nonzero();
    }

    /// A position as PDF counts it: from the lower left corner.
    fn point(&self, x: f32, y: f32) -> (f32, f32) {
        (rounded(x), rounded(self.pages[self.current].size.height - y))
    }

    fn content(&mut self) -> &mut Content {
        &mut self.pages[self.current].content
    }

    /// Writes the document. The same drawing gives the same bytes.
    pub(super) fn write(self, title: &str, created: Option<[i64; 6]>, out: &mut dyn Write) -> io::Result<()> {
        let pages = self.pages.into_iter().map(|page| (page.size, page.content)).collect();
        let fonts: Vec<(&str, Face<'_>)> = NAMES.into_iter().zip(self.faces).collect();
        out.write_all(&document::bytes(title, created, pages, &self.bookmarks, &fonts)?)
    }
}

/// Characters that join or vary other characters but are not visible themselves.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200D}' | '\u{2060}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}')
}

/// Lengths need no more than two digits after the point.
fn rounded(length: f32) -> f32 {
    (length * 100.0).round() / 100.0
}

fn fill_with(content: &mut Content, color: u32) {
    let [red, green, blue] = shares(color);
    content.set_fill_rgb(red, green, blue);
}

/// Red, green and blue from 0 to 1.
fn shares(color: u32) -> [f32; 3] {
    let [_, red, green, blue] = color.to_be_bytes();
    [red, green, blue].map(|byte| (f32::from(byte) / 255.0 * 1000.0).round() / 1000.0)
}
