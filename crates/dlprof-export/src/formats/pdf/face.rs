//! Font faces: which glyph shows a character, how wide it is, and which part of a face a document contains.

use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap};
use pdf_writer::{Filter, Finish, Name, Pdf, Rect, Ref, Str};
use std::collections::BTreeMap;
use std::io;
use subsetter::GlyphRemapper;
use ttf_parser::{GlyphId, RawFace, Tag, name_id};

/// A face that may be used beside the built-in one.
#[derive(Debug, Clone)]
pub struct Font {
    bytes: Vec<u8>,
}

impl Font {
    /// Reads a TrueType or OpenType face, or the first face of a collection. `None` if the bytes are not such a
    /// face, or if its glyphs cannot be embedded.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let face = Face::read(bytes)?;
        let is_whole = face.face.number_of_glyphs() > 1 && face.part().is_ok();
        is_whole.then(|| Self { bytes: bytes.to_vec() })
    }

    /// The face; none of its glyphs is used yet.
    pub(super) fn face(&self) -> Option<Face<'_>> {
        Face::read(&self.bytes)
    }
}

/// A face and the glyphs of it that are used.
pub(super) struct Face<'a> {
    bytes: &'a [u8],
    face: ttf_parser::Face<'a>,
    /// The number in the document of each used glyph, in order of first use.
    numbers: GlyphRemapper,
    /// Number in the document → the character that it shows.
    shown: BTreeMap<u16, char>,
}

impl<'a> Face<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Option<Self> {
        let face = ttf_parser::Face::parse(bytes, 0).ok()?;
        Some(Self { bytes, face, numbers: GlyphRemapper::new(), shown: BTreeMap::new() })
    }

    /// The glyph of a character.
    pub(super) fn glyph(&self, c: char) -> Option<u16> {
        self.face.glyph_index(c).map(|glyph| glyph.0).filter(|glyph| *glyph != 0)
    }

    /// Width of a glyph as a share of the size.
    pub(super) fn advance(&self, glyph: u16) -> f32 {
        let units = self.face.glyph_hor_advance(GlyphId(glyph)).unwrap_or(0);
        f32::from(units) / f32::from(self.face.units_per_em())
    }

    /// Adds a glyph to the document to show a character; returns its number in the document.
    pub(super) fn take(&mut self, glyph: u16, c: char) -> u16 {
        let number = self.numbers.remap(glyph);
        self.shown.entry(number).or_insert(c);
        number
    }

    /// Whether no glyph is used.
    pub(super) fn is_unused(&self) -> bool {
        self.shown.is_empty()
    }

    /// The bytes of a face that has only the used glyphs.
    fn part(&self) -> io::Result<Vec<u8>> {
        subsetter::subset(self.bytes, 0, &self.numbers)
            .map_err(|error| io::Error::other(format!("a font cannot be embedded: {error}")))
    }

    /// The name of the embedded font: six letters that differ for different glyphs, then the name of the face.
    fn name(&self) -> String {
        let names = self.face.names().into_iter().filter(|name| name.name_id == name_id::POST_SCRIPT_NAME);
        let name = names.filter_map(|name| name.to_string()).next().unwrap_or_default();
        let name: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
        let glyphs = self.numbers.remapped_gids();
        let sum = glyphs.fold(7_u32, |sum, glyph| sum.wrapping_mul(31).wrapping_add(u32::from(glyph)));
        let letters = (0..6).map(|place| {
            let letter = (sum / 26_u32.pow(place) % 26).to_le_bytes()[0];
            char::from(b'A' + letter)
        });
        format!("{}+{name}", letters.collect::<String>())
    }

    /// Writes the used part of the face as a font of glyph numbers, with five objects from `first` on.
    pub(super) fn write(&self, pdf: &mut Pdf, first: Ref, deflate: fn(&[u8]) -> Vec<u8>) -> io::Result<()> {
        let [font, descendant, descriptor, texts, file] = ids(first);
        let name = self.name();
        let part = self.part()?;
        let outlines = RawFace::parse(&part, 0).ok().and_then(|raw| raw.table(Tag::from_bytes(b"CFF ")));
        pdf.type0_font(font)
            .base_font(Name(name.as_bytes()))
            .encoding_predefined(Name(b"Identity-H"))
            .descendant_font(descendant)
            .to_unicode(texts);
        let mut cid = pdf.cid_font(descendant);
        match outlines {
            Some(_) => cid.subtype(CidFontType::Type0),
            None => cid.subtype(CidFontType::Type2).cid_to_gid_map_predefined(Name(b"Identity")),
        };
        cid.base_font(Name(name.as_bytes())).system_info(GLYPH_NUMBERS).font_descriptor(descriptor);
        cid.default_width(0.0);
        let widths = self.numbers.remapped_gids().map(|glyph| (self.advance(glyph) * 1000.0).round());
        cid.widths().consecutive(0, widths);
        cid.finish();
        self.describe(pdf, descriptor, &name, file, outlines.is_some());
        pdf.stream(texts, &deflate(&self.texts())).filter(Filter::FlateDecode);
        let program = deflate(outlines.unwrap_or(&part));
        let mut stream = pdf.stream(file, &program);
        stream.filter(Filter::FlateDecode);
        match outlines {
            Some(_) => stream.pair(Name(b"Subtype"), Name(b"CIDFontType0C")),
            None => stream.pair(Name(b"Length1"), i32::try_from(part.len()).map_err(io::Error::other)?),
        };
        Ok(())
    }

    fn describe(&self, pdf: &mut Pdf, id: Ref, name: &str, file: Ref, is_compact: bool) {
        let scaled = |units: i16| (f32::from(units) * 1000.0 / f32::from(self.face.units_per_em())).round();
        let extent = self.face.global_bounding_box();
        let mut descriptor = pdf.font_descriptor(id);
        descriptor
            .name(Name(name.as_bytes()))
            .flags(FontFlags::SYMBOLIC)
            .bbox(Rect::new(
                scaled(extent.x_min),
                scaled(extent.y_min),
                scaled(extent.x_max),
                scaled(extent.y_max),
            ))
            .italic_angle(self.face.italic_angle())
            .ascent(scaled(self.face.ascender()))
            .descent(scaled(self.face.descender()))
            .cap_height(scaled(self.face.capital_height().unwrap_or(self.face.ascender())))
            .stem_v(if self.face.is_bold() { 140.0 } else { 80.0 });
        if is_compact {
            descriptor.font_file3(file)
        } else {
            descriptor.font_file2(file)
        };
    }

    /// The text of each glyph number, for search and copy.
    fn texts(&self) -> Vec<u8> {
        let mut texts = UnicodeCmap::new(Name(b"Texts"), GLYPH_NUMBERS);
        for (&number, &c) in &self.shown {
            texts.pair(number, c);
        }
        texts.finish().to_vec()
    }
}

/// Texts are written as glyph numbers of two bytes.
const GLYPH_NUMBERS: SystemInfo<'static> =
    SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };

/// Number of objects of one face.
pub(super) const OBJECTS: i32 = 5;

fn ids(first: Ref) -> [Ref; 5] {
    [0, 1, 2, 3, 4].map(|number| Ref::new(first.get() + number))
}
