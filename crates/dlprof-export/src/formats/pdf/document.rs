//! The file: its pages, list of contents and fonts as numbered objects.

use super::face::{self, Face};
use pdf_writer::types::PageMode;
use pdf_writer::{Content, Date, Filter, Finish, Name, Pdf, Rect, Ref, Settings, TextStr};
use std::io;

/// Width and height of a page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Size {
    pub(super) width: f32,
    pub(super) height: f32,
}

const CREATOR: &str = concat!("dlprof-agg ", env!("CARGO_PKG_VERSION"));

/// Gives numbers to the objects of a file.
struct Numbers(i32);

impl Numbers {
    /// Reserves `count` consecutive numbers and returns the first.
    fn take(&mut self, count: i32) -> Ref {
        let first = Ref::new(self.0);
        self.0 += count;
        first
    }
}

/// The bytes of a file with a title, the date of what it is about, pages, titles (each with the page it leads to, from 0), and
/// fonts with their names.
pub(super) fn bytes(
    title: &str,
    created: Option<[i64; 6]>,
    pages: Vec<(Size, Content)>,
    bookmarks: &[(String, usize)],
    fonts: &[(&str, Face<'_>)],
) -> io::Result<Vec<u8>> {
    let mut pdf = Pdf::with_settings(Settings { pretty: false });
    let mut numbers = Numbers(1);
    let (catalog, information, tree) = (numbers.take(1), numbers.take(1), numbers.take(1));
    let mut about = pdf.document_info(information);
    about.title(TextStr(title)).creator(TextStr(CREATOR));
    if let Some(date) = created.and_then(date) {
        about.creation_date(date);
    }
    about.finish();
    let mut used = Vec::new();
    for (name, face) in fonts.iter().filter(|(_, face)| !face.is_unused()) {
        let font = numbers.take(face::OBJECTS);
        face.write(&mut pdf, font, deflated)?;
        used.push((*name, font));
    }
    let mut kids: Vec<(Ref, f32)> = Vec::new();
    for (size, content) in pages {
        let (page, stream) = (numbers.take(1), numbers.take(1));
        add_page(&mut pdf, [page, stream, tree], size, content, &used);
        kids.push((page, size.height));
    }
    let count = i32::try_from(kids.len()).map_err(io::Error::other)?;
    pdf.pages(tree).kids(kids.iter().map(|(page, _)| *page)).count(count);
    let entries = bookmarks.iter().filter_map(|(title, page)| Some((title.as_str(), *kids.get(*page)?)));
    let outline = add_outline(&mut pdf, &mut numbers, entries.collect());
    let mut catalog = pdf.catalog(catalog);
    catalog.pages(tree).outlines(outline).page_mode(PageMode::UseOutlines).lang(TextStr("en"));
    catalog.viewer_preferences().display_doc_title(true);
    catalog.finish();
    Ok(pdf.finish())
}

/// Year, month, day, hour, minute and second of UTC as a date; none for years that a file cannot hold.
fn date([year, month, day, hour, minute, second]: [i64; 6]) -> Option<Date> {
    let small = |number: i64| u8::try_from(number).ok();
    let date = Date::new(u16::try_from(year).ok()?).month(small(month)?).day(small(day)?);
    Some(date.hour(small(hour)?).minute(small(minute)?).second(small(second)?).utc_offset_hour(0))
}

fn add_page(
    pdf: &mut Pdf,
    [id, stream, tree]: [Ref; 3],
    size: Size,
    content: Content,
    fonts: &[(&str, Ref)],
) {
    let mut page = pdf.page(id);
    page.parent(tree).media_box(Rect::new(0.0, 0.0, size.width, size.height)).contents(stream);
    page.resources().fonts().pairs(fonts.iter().map(|(name, font)| (Name(name.as_bytes()), *font)));
    page.finish();
    pdf.stream(stream, &deflated(&content.finish())).filter(Filter::FlateDecode);
}

/// The list of contents; every entry leads to the top of its page, given with its height.
fn add_outline(pdf: &mut Pdf, numbers: &mut Numbers, entries: Vec<(&str, (Ref, f32))>) -> Ref {
    let outline = numbers.take(1);
    let items: Vec<Ref> = entries.iter().map(|_| numbers.take(1)).collect();
    let mut list = pdf.outline(outline);
    if let (Some(&first), Some(&last)) = (items.first(), items.last()) {
        list.first(first).last(last).count(last.get() - first.get() + 1);
    }
    list.finish();
    for (at, (title, (page, top))) in entries.into_iter().enumerate() {
        let mut item = pdf.outline_item(items[at]);
        item.title(TextStr(title)).parent(outline);
        if at > 0 {
            item.prev(items[at - 1]);
        }
        if let Some(&next) = items.get(at + 1) {
            item.next(next);
        }
        item.dest().page(page).xyz(0.0, top, None);
    }
    outline
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    /// Compression level, from 0 to 10. Higher levels save little more.
    const EFFORT: u8 = 7;
    miniz_oxide::deflate::compress_to_vec_zlib(bytes, EFFORT)
}
