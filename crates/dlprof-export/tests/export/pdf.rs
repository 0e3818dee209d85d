//! The PDF, read back with another library.

use crate::formats::for_each_profile;
use dlprof_core::{Answer, Judged, Selection, Table, View, explain};
use dlprof_export::{ColumnText, PdfFont, ReportOptions, ReportTables, TimeUnit, overview, write_pdf};
use lopdf::{Document, Object};

const OPTIONS: ReportOptions<'_> =
    ReportOptions { tables: ReportTables::Chosen, most_rows: Some(0), time_unit: TimeUnit::Ns, font: None };

/// The bytes of a report, and the characters it could not show.
fn report(
    profile: &Judged,
    tables: &[Box<dyn Table + '_>],
    options: &ReportOptions<'_>,
) -> (Vec<u8>, Vec<char>) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("report.pdf");
    let missing = write_pdf(profile, "Größe of the run", tables, options, &path).expect("a report");
    (std::fs::read(path).expect("the report"), missing)
}

/// The text of each page.
fn pages(bytes: &[u8]) -> Vec<String> {
    let document = Document::load_mem(bytes).expect("a PDF");
    let pages: Vec<u32> = document.get_pages().into_keys().collect();
    pages.iter().map(|page| document.extract_text(&[*page]).expect("text")).collect()
}

/// Without what lines and groups of digits add.
fn dense(text: &str) -> Vec<char> {
    let is_kept = |c: &char| !c.is_whitespace() && !c.is_control() && *c != ',';
    text.chars().filter(is_kept).collect()
}

/// A text as it is printed from left to right.
fn turned(text: &str) -> String {
    let info = unicode_bidi::ParagraphBidiInfo::new(text, Some(unicode_bidi::Level::ltr()));
    info.reorder_line(0..text.len()).into_owned()
}

/// How much of `text` a cell takes at its beginning: all of it, or its head, `…` and its tail.
fn taken(text: &[char], cell: &[char]) -> Option<usize> {
    let is_same = |(shown, wanted): (&char, &char)| shown == wanted || *shown == '\u{FFFD}';
    if text.len() >= cell.len() && text.iter().zip(cell).all(is_same) {
        return Some(cell.len());
    }
    let head = text.iter().zip(cell).take_while(|(shown, wanted)| is_same((shown, wanted))).count();
    if head == 0 || text.get(head) != Some(&'…') {
        return None;
    }
    let behind = &text[head + 1..];
    let fits = |length: &usize| {
        behind.len() >= *length && behind.iter().zip(&cell[cell.len() - length..]).all(is_same)
    };
    let tail = (head..cell.len() - head).rev().find(fits)?;
    Some(head + 1 + tail)
}

/// Tables with two columns each, so that each stands in one piece.
fn narrow<'a>(tables: &'a [Box<dyn Table + 'a>]) -> Vec<Box<dyn Table + 'a>> {
    let mut narrow: Vec<Box<dyn Table + 'a>> = Vec::new();
    for table in tables {
        let keys: Vec<String> = (0..table.columns()).map(|at| table.header(at).key.to_owned()).collect();
        for columns in keys.chunks(2) {
            let selection = Selection { columns, ..Selection::default() };
            narrow.push(Box::new(View::new(table.as_ref(), &selection).expect("columns of the table")));
        }
    }
    narrow
}

#[test]
fn every_cell_is_printed() {
    /// Between two rows there may be the foot of a page and a header, between two tables a heading as well; each table without
    /// rows adds as much.
    const BETWEEN: usize = 400;
    for_each_profile(|profile, tables| {
        let narrow = narrow(tables);
        let (bytes, _) = report(profile, &narrow, &OPTIONS);
        let text = dense(&pages(&bytes).concat());
        let first: String = dense(narrow[0].title()).into_iter().collect();
        let whole: String = text.iter().collect();
        let mut at = whole[..whole.find(&first).expect("the first table")].chars().count();
        let mut between = 0;
        for table in &narrow {
            between += BETWEEN;
            let of = |column| ColumnText::new(table.as_ref(), column, TimeUnit::Ns);
            let texts: Vec<ColumnText<'_>> = (0..table.columns()).map(of).collect();
            for row in 0..table.rows() {
                let shown = |(column, text): (usize, &ColumnText<'_>)| {
                    dense(&turned(&text.cell(&table.value(row, column))))
                };
                let cells: Vec<Vec<char>> = texts.iter().enumerate().map(shown).collect();
                let end_from = |start: usize| {
                    cells.iter().try_fold(start, |at, cell| Some(at + taken(&text[at..], cell)?))
                };
                let last = (at + between).min(text.len());
                between = BETWEEN;
                at = (at..=last)
                    .find_map(end_from)
                    .unwrap_or_else(|| panic!("{} row {row}: {cells:?} after {at}", table.key()));
            }
        }
    });
}

#[test]
fn pages_are_numbered_and_listed() {
    for_each_profile(|profile, tables| {
        let (bytes, _) = report(profile, tables, &OPTIONS);
        let pages = pages(&bytes);
        for (number, page) in (1..).zip(&pages) {
            let foot = format!("page {number} of {}", pages.len());
            assert!(page.contains(&foot), "{foot}: {page}");
        }
        let listed = bookmarks(&Document::load_mem(&bytes).expect("a PDF"));
        assert_eq!(listed[0], "Dashboard");
        let titles: Vec<&str> = tables.iter().map(|table| table.title()).collect();
        let first = listed.iter().position(|title| title == titles[0]).expect("the first table");
        assert_eq!(listed[first..first + titles.len()], titles);
        assert_eq!(listed.iter().filter(|title| *title == "How to read this").count(), 1);
    });
}

/// Titles of the list of contents, in order.
fn bookmarks(document: &Document) -> Vec<String> {
    let catalog = document.catalog().expect("a catalog");
    let outlines = catalog.get(b"Outlines").and_then(Object::as_reference).expect("a list");
    let mut next = document.get_dictionary(outlines).and_then(|list| list.get(b"First")).cloned();
    let mut titles = Vec::new();
    while let Ok(entry) = next.as_ref().map_err(|_| ()).and_then(|next| next.as_reference().map_err(|_| ())) {
        let entry = document.get_dictionary(entry).expect("an entry");
        let title = entry.get(b"Title").and_then(Object::as_str).expect("a title");
        titles.push(String::from_utf8(title.to_vec()).expect("ASCII"));
        next = entry.get(b"Next").cloned();
    }
    titles
}

#[test]
fn what_is_left_out_is_said() {
    for_each_profile(|profile, _| {
        let tables: Vec<Box<dyn Table + '_>> = vec![
            Box::new(dlprof_core::build_iterations(profile)),
            Box::new(dlprof_core::build_kernels(profile)),
        ];
        let options = ReportOptions { tables: ReportTables::Usual, most_rows: Some(2), ..OPTIONS };
        let (bytes, _) = report(profile, &tables, &options);
        let text: String = dense(&pages(&bytes).concat()).into_iter().collect();
        let which = ["thoseaggregatedfirst", "thosewithmostGPUtime"];
        for (table, which) in tables.iter().zip(which).filter(|(table, _)| table.rows() > 2) {
            let said = format!("2of{}rowsareshown{which}", table.rows());
            assert!(text.contains(&said), "{said}");
        }
        assert!(text.contains("Columnsnotshown:"));
    });
}

#[test]
fn missing_characters_are_shown_and_told() {
    for_each_profile(|profile, tables| {
        let (bytes, missing) = report(profile, tables, &OPTIONS);
        let text = pages(&bytes).concat();
        let is_odd = profile.op_stats.iter().any(|op| profile.op_name(op.op).contains('中'));
        assert_eq!(missing.contains(&'中'), is_odd);
        assert!(!missing.contains(&'ö'));
        assert_eq!(text.contains("U+4E2D"), is_odd);
        assert_eq!(text.contains('\u{FFFD}'), is_odd);
    });
}

#[test]
fn same_profile_same_bytes() {
    for_each_profile(|profile, tables| {
        let options = ReportOptions { most_rows: None, time_unit: TimeUnit::Auto, ..OPTIONS };
        let (first, _) = report(profile, tables, &options);
        let (second, _) = report(profile, tables, &options);
        assert!(first == second);
        assert!(first.starts_with(b"%PDF-"));
    });
}

/// A sentence as it is found in the text of a page: without spaces, and without the signs of code.
fn plain(sentence: &str) -> String {
    dense(&sentence.replace('`', "")).into_iter().collect()
}

#[test]
fn the_first_page_has_the_answer() {
    for_each_profile(|profile, tables| {
        let options = ReportOptions {
            most_rows: None,
            time_unit: TimeUnit::Auto,
            tables: ReportTables::Usual,
            ..OPTIONS
        };
        let (bytes, _) = report(profile, tables, &options);
        let pages = pages(&bytes);
        let overview = overview(profile, TimeUnit::Auto);
        let first: String = dense(&pages[0]).into_iter().collect();
        assert!(first.contains(&plain(&overview.verdict)), "{}: {first}", overview.verdict);
        match &overview.verdict_detail {
            Some(detail) => assert!(first.contains(&plain(detail)), "{detail}: {first}"),
            None => assert!(overview.verdict.starts_with("Too short to judge"), "{}", overview.verdict),
        }
        assert!(first.contains(&plain(overview.verdict_meaning.expect("a plain sentence"))), "{first}");
        if let Some(at) = &overview.captured_at {
            assert!(first.contains(&plain(&format!("captured {at}"))), "{at}: {first}");
            let day: String = at.chars().filter(char::is_ascii_digit).take(8).collect();
            let created = format!("D:{day}");
            assert!(String::from_utf8_lossy(&bytes).contains(&created), "{created}");
        }
        let mut listed = 0;
        for finding in &overview.findings {
            let page = pages[..2].iter().position(|page| {
                let page: String = dense(page).into_iter().collect();
                // A long sentence is cut where the page has no room.
                let problem: String = plain(&finding.problem).chars().take(120).collect();
                page.contains(&problem) && page.contains(&plain(&finding.advice))
            });
            let page = page.unwrap_or_else(|| panic!("{} is on neither page", finding.problem));
            assert!(page >= listed, "findings keep their order");
            listed = page;
            if let Some(saving) = finding.saving.as_ref().filter(|_| page == 0) {
                assert!(first.contains('−') && first.contains(&plain(saving.kind())));
            }
        }
        assert_eq!(listed > 0, pages[0].contains("more on the next page"));
        for part in overview.window.parts.iter().chain(&overview.system) {
            // Longer parts, such as names of kernels, run over the end of a line.
            let start: String = part.chars().take(30).collect();
            assert!(first.contains(&plain(&turned(&start))), "the foot has {part}");
        }
        if let Some(step) = &overview.step {
            for class in step.classes.iter().filter(|part| part.ns <= 0.0 && part.is_seen) {
                let absent = first.split("Notimein:").nth(1).expect("a line on what is absent");
                let last = class.class.words().rsplit(' ').next().expect("a word");
                assert!(absent.contains(last), "{last}: {absent}");
            }
        }
    });
}

#[test]
fn the_report_says_how_to_read_it() {
    for_each_profile(|profile, tables| {
        let options = ReportOptions { tables: ReportTables::Usual, ..OPTIONS };
        let (bytes, _) = report(profile, &tables[..1], &options);
        let text: String = dense(&pages(&bytes).concat()).into_iter().collect();
        assert!(
            bookmarks(&Document::load_mem(&bytes).expect("a PDF")).contains(&"How to read this".to_owned())
        );
        let Answer::Found(meanings) = explain("key_node") else { panic!("a term") };
        assert!(text.contains(&plain(meanings[0].definition)));
    });
}

#[test]
fn all_fonts_are_embedded() {
    for_each_profile(|profile, tables| {
        let (bytes, _) =
            report(profile, &tables[..1], &ReportOptions { tables: ReportTables::Usual, ..OPTIONS });
        let document = Document::load_mem(&bytes).expect("a PDF");
        let mut names = Vec::new();
        for object in document.objects.values().filter_map(|object| object.as_dict().ok()) {
            if object.get(b"Type").and_then(Object::as_name).is_ok_and(|name| name == b"FontDescriptor") {
                let file = object.get(b"FontFile2").or_else(|_| object.get(b"FontFile3"));
                let file = file.and_then(Object::as_reference).expect("an embedded font");
                assert!(document.get_object(file).is_ok());
                let name = object.get(b"FontName").and_then(Object::as_name).expect("a name");
                names.push(String::from_utf8_lossy(name).into_owned());
            }
        }
        assert!(names.iter().any(|name| name.ends_with("LiberationMono")), "a face for code: {names:?}");
        assert!(names.iter().any(|name| name.ends_with("DejaVuSansCondensed")), "{names:?}");
    });
}

#[test]
fn fonts_are_checked() {
    assert!(PdfFont::read(b"no font").is_none());
    let face = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/fonts/DejaVuSansCondensed.ttf"));
    let font = PdfFont::read(&face.expect("the built-in face")).expect("a font");
    for_each_profile(|profile, tables| {
        let (_, without) = report(profile, tables, &OPTIONS);
        let (_, with) = report(profile, tables, &ReportOptions { font: Some(&font), ..OPTIONS });
        assert_eq!(without, with, "the same face again adds nothing");
    });
}

#[test]
fn damaged_fonts_do_no_harm() {
    let face = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/fonts/DejaVuSansCondensed.ttf"));
    let face = face.expect("the built-in face");
    for number in 0..300 {
        let mut damaged = face.clone();
        // The directory of tables at first, then the whole file.
        let at = if number < 200 { number * 2 } else { (number * 7_919) % face.len() };
        damaged[at] ^= 0xA5;
        drop(PdfFont::read(&damaged));
        drop(PdfFont::read(&face[..face.len() * number / 300]));
    }
}

/// One unit for all figures, and pages that are full: no page but the last one ends in its first half.
#[test]
fn times_have_one_unit_and_pages_are_full() {
    for_each_profile(|profile, _| {
        let tables: Vec<Box<dyn Table + '_>> = vec![
            Box::new(dlprof_core::build_gpus(profile)),
            Box::new(dlprof_core::build_iterations(profile)),
        ];
        let options = ReportOptions { tables: ReportTables::Usual, time_unit: TimeUnit::Auto, ..OPTIONS };
        let (bytes, _) = report(profile, &tables, &options);
        let unit = if overview(profile, TimeUnit::Auto).tiles.iteration_ns < 1e6 { "µs" } else { "ms" };
        let heads = ["(ns)", "(µs)", "(ms)", "(s)"];
        let text = pages(&bytes).concat();
        for head in heads.into_iter().filter(|head| text.contains(head)) {
            assert_eq!(head, format!("({unit})"), "{text}");
        }
        let document = Document::load_mem(&bytes).expect("a PDF");
        let numbers = document.get_pages();
        for (number, id) in numbers.iter().filter(|(number, _)| (**number as usize) < numbers.len()) {
            let content =
                lopdf::content::Content::decode(&document.get_page_content(*id)).expect("operations");
            // Where texts are, without the foot of the page.
            let heights = content
                .operations
                .iter()
                .filter(|operation| operation.operator == "Td")
                .filter_map(|operation| operation.operands.get(1).and_then(|y| y.as_float().ok()));
            let lowest = heights.filter(|y| *y > 80.0).fold(f32::INFINITY, f32::min);
            assert!(lowest < 420.0, "page {number} ends at {lowest}");
        }
    });
}
