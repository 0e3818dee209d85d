//! Pages, texts, lines and areas. All calls of the PDF library are here.
//!
//! Lengths are points (1/72 inch), positions are measured from the upper left corner of the page.

use lopdf::{Bookmark, Object};
use printpdf::{
    Codepoint, Color, FontId, Line, LinePoint, Op, PaintMode, ParsedFont, PdfDocument, PdfFont,
    PdfFontHandle, PdfPage, PdfSaveOptions, Point, Polygon, PolygonRing, Pt, Rect, Rgb, TextItem,
    WindingOrder,
};
use std::collections::BTreeSet;
use std::io::{self, Write};

/// Width and height of a page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Size {
    pub(super) width: f32,
    pub(super) height: f32,
}

/// How a text looks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Style {
    /// Size of the face.
    pub(super) size: f32,
    pub(super) is_bold: bool,
    /// Red, green and blue, a byte each.
    pub(super) color: u32,
}

/// A face that may be used beside the built-in one.
#[derive(Debug, Clone)]
pub struct Font(ParsedFont);

impl Font {
    /// Reads a TrueType or OpenType face, of a collection the first; `None` if the bytes are none.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let font = ParsedFont::from_bytes(bytes, 0, &mut Vec::new())?;
        (font.num_glyphs > 1 && font.font_metrics.units_per_em > 0).then_some(Self(font))
    }
}

/// Faces in the order in which a character is looked for: regular, bold, the user's.
const NAMES: [&str; 3] = ["Sans", "SansBold", "User"];
const REGULAR: &[u8] = include_bytes!("../../../assets/fonts/DejaVuSansCondensed.ttf");
const BOLD: &[u8] = include_bytes!("../../../assets/fonts/DejaVuSansCondensed-Bold.ttf");

/// Shown instead of a character that no face has.
const REPLACEMENT: char = '\u{FFFD}';

/// Where a character is drawn from.
#[derive(Debug, Clone, Copy)]
struct Glyph {
    face: usize,
    id: u16,
    /// Width as a share of the size.
    advance: f32,
}

struct Page {
    size: Size,
    ops: Vec<Op>,
}

/// A document in the making.
pub(super) struct Drawing {
    faces: Vec<ParsedFont>,
    pages: Vec<Page>,
    current: usize,
    bookmarks: Vec<(String, usize)>,
    missing: BTreeSet<char>,
}

impl Drawing {
    /// Without a page yet.
    pub(super) fn new(font: Option<&Font>) -> Self {
        let built_in = [REGULAR, BOLD].map(|bytes| {
            ParsedFont::from_bytes(bytes, 0, &mut Vec::new()).expect("the built-in faces can be read")
        });
        let faces = built_in.into_iter().chain(font.map(|font| font.0.clone())).collect();
        Self { faces, pages: Vec::new(), current: 0, bookmarks: Vec::new(), missing: BTreeSet::new() }
    }

    /// Adds a page, on which is drawn from now on.
    pub(super) fn add_page(&mut self, size: Size) {
        self.current = self.pages.len();
        self.pages.push(Page { size, ops: Vec::new() });
    }

    pub(super) fn pages(&self) -> usize {
        self.pages.len()
    }

    /// Goes back to a page; returns its size.
    pub(super) fn go_to(&mut self, page: usize) -> Size {
        self.current = page;
        self.pages[page].size
    }

    /// Characters met that no face has.
    pub(super) fn missing(&self) -> &BTreeSet<char> {
        &self.missing
    }

    /// An entry in the list of contents, leading to the current page.
    pub(super) fn bookmark(&mut self, title: &str) {
        self.bookmarks.push((title.to_owned(), self.current));
    }

    /// The width of a text; characters that a page does not show have none.
    pub(super) fn width(&self, text: &str, style: Style) -> f32 {
        text.chars().map(|c| self.advance(c, style)).sum()
    }

    pub(super) fn advance(&self, c: char, style: Style) -> f32 {
        self.glyph(c, style.is_bold).map_or(0.0, |(glyph, _)| glyph.advance * style.size)
    }

    /// The glyph of a character, and whether it stands for one that no face has.
    fn glyph(&self, c: char, is_bold: bool) -> Option<(Glyph, bool)> {
        if is_invisible(c) {
            return None;
        }
        let order: &[usize] = if is_bold { &[1, 0, 2] } else { &[0, 2] };
        let in_faces = |c: char| {
            order.iter().filter(|&&face| face < self.faces.len()).find_map(|&face| {
                let font = &self.faces[face];
                let id = font.lookup_glyph_index(c as u32).filter(|&id| id != 0)?;
                let units = f32::from(font.font_metrics.units_per_em);
                Some(Glyph { face, id, advance: f32::from(font.get_horizontal_advance(id)) / units })
            })
        };
        in_faces(c).map(|glyph| (glyph, false)).or_else(|| in_faces(REPLACEMENT).map(|glyph| (glyph, true)))
    }

    /// Writes a text in one line; `y` is its base line.
    pub(super) fn text(&mut self, x: f32, y: f32, style: Style, text: &str) {
        let mut runs: Vec<(usize, Vec<Codepoint>)> = Vec::new();
        for c in text.chars() {
            let Some((glyph, is_missing)) = self.glyph(c, style.is_bold) else { continue };
            let shown = if is_missing { REPLACEMENT } else { c };
            if is_missing {
                self.missing.insert(c);
            }
            let codepoint = Codepoint::with_cid(glyph.id, 0.0, shown.to_string());
            match runs.last_mut() {
                Some((face, run)) if *face == glyph.face => run.push(codepoint),
                _ => runs.push((glyph.face, vec![codepoint])),
            }
        }
        let pos = self.point(x, y);
        let ops = self.ops();
        ops.extend([
            Op::StartTextSection,
            Op::SetFillColor { col: color(style.color) },
            Op::SetTextCursor { pos },
        ]);
        for (face, run) in runs {
            let font = PdfFontHandle::External(FontId(NAMES[face].to_owned()));
            ops.push(Op::SetFont { font, size: Pt(style.size) });
            ops.push(Op::ShowText { items: vec![TextItem::GlyphIds(run)] });
        }
        ops.push(Op::EndTextSection);
    }

    /// Fills a rectangle, given by its upper left corner.
    pub(super) fn rectangle(&mut self, x: f32, y: f32, size: Size, fill: u32) {
        let corner = self.point(x, y + size.height);
        let rectangle = Rect {
            x: corner.x,
            y: corner.y,
            width: Pt(size.width),
            height: Pt(size.height),
            mode: Some(PaintMode::Fill),
            winding_order: Some(WindingOrder::NonZero),
        };
        self.ops().extend([Op::SetFillColor { col: color(fill) }, Op::DrawRectangle { rectangle }]);
    }

    /// Draws a straight line.
    pub(super) fn line(&mut self, from: (f32, f32), to: (f32, f32), thickness: f32, stroke: u32) {
        let points = [from, to].map(|(x, y)| LinePoint { p: self.point(x, y), bezier: false }).to_vec();
        self.ops().extend([
            Op::SetOutlineColor { col: color(stroke) },
            Op::SetOutlineThickness { pt: Pt(thickness) },
            Op::DrawLine { line: Line { points, is_closed: false } },
        ]);
    }

    /// Fills a polygon.
    pub(super) fn polygon(&mut self, corners: &[(f32, f32)], fill: u32) {
        let corner = |&(x, y): &(f32, f32)| LinePoint { p: self.point(x, y), bezier: false };
        let rings = vec![PolygonRing { points: corners.iter().map(corner).collect() }];
        let polygon = Polygon { rings, mode: PaintMode::Fill, winding_order: WindingOrder::NonZero };
        self.ops().extend([Op::SetFillColor { col: color(fill) }, Op::DrawPolygon { polygon }]);
    }

    fn point(&self, x: f32, y: f32) -> Point {
        Point { x: Pt(x), y: Pt(self.pages[self.current].size.height - y) }
    }

    fn ops(&mut self) -> &mut Vec<Op> {
        &mut self.pages[self.current].ops
    }

    /// Writes the document. The same drawing gives the same bytes.
    pub(super) fn write(self, title: &str, out: &mut dyn Write) -> io::Result<()> {
        let mut document = PdfDocument::new(title);
        document.metadata.info.creator = concat!("dlprof-agg ", env!("CARGO_PKG_VERSION")).to_owned();
        for (name, font) in NAMES.into_iter().zip(self.faces) {
            document.resources.fonts.map.insert(FontId(name.to_owned()), PdfFont::new(font));
        }
        document.pages = self
            .pages
            .into_iter()
            .map(|page| {
                let media = Rect::from_wh(Pt(page.size.width), Pt(page.size.height));
                PdfPage { media_box: media.clone(), trim_box: media.clone(), crop_box: media, ops: page.ops }
            })
            .collect();
        let mut file = printpdf::to_lopdf_doc(&document, &PdfSaveOptions::default(), &mut Vec::new());
        // The identifier counts up with each document of a process.
        file.trailer.remove(b"ID");
        let pages = file.get_pages();
        for (title, page) in self.bookmarks {
            let page = u32::try_from(page + 1).ok().and_then(|number| pages.get(&number));
            if let Some(&page) = page {
                file.add_bookmark(Bookmark::new(title, [0.0; 3], 0, page), None);
            }
        }
        let outline = file.build_outline();
        let catalog = file.catalog_mut().map_err(io::Error::other)?;
        catalog.set("Lang", Object::string_literal("en"));
        if let Some(outline) = outline {
            catalog.set("Outlines", Object::Reference(outline));
            catalog.set("PageMode", Object::Name(b"UseOutlines".to_vec()));
        }
        file.compress();
        file.save_to(&mut { out })
    }
}

/// Characters that join or vary others and show nothing themselves.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200D}' | '\u{2060}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}')
}

fn color(rgb: u32) -> Color {
    let [_, red, green, blue] = rgb.to_be_bytes();
    let share = |byte: u8| f32::from(byte) / 255.0;
    Color::Rgb(Rgb { r: share(red), g: share(green), b: share(blue), icc_profile: None })
}
