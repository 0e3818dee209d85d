//! The workbook, read back with another library and as XML.

use crate::formats::{assert_cell, for_each_profile};
use calamine::{Data, Range, Reader, Xlsx, open_workbook_from_rs};
use dlprof_core::{Judged, Selection, Table, Unit, Value, View, columns_for_people, to_f64};
use dlprof_export::{TimeUnit, overview, write_workbook};
use std::cell::Cell;
use std::io::{Cursor, Read};

fn workbook(profile: &Judged, tables: &[Box<dyn Table + '_>]) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("profile.xlsx");
    write_workbook(profile, "run", tables, TimeUnit::Auto, &path).expect("a workbook");
    std::fs::read(&path).expect("the file")
}

fn opened(bytes: &[u8]) -> Xlsx<Cursor<Vec<u8>>> {
    open_workbook_from_rs(Cursor::new(bytes.to_vec())).expect("a workbook")
}

/// A part of the archive as text.
fn part(bytes: &[u8], name: &str) -> String {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).expect("an archive");
    let mut text = String::new();
    archive.by_name(name).expect("the part").read_to_string(&mut text).expect("UTF-8");
    text
}

/// The tables that have sheets.
fn filled<'a>(tables: &'a [Box<dyn Table + 'a>]) -> impl Iterator<Item = &'a (dyn Table + 'a)> {
    tables.iter().map(AsRef::as_ref).filter(|table| table.rows() > 0)
}

/// The XML of the sheet of a table: the first sheet is the dashboard, then the tables with rows follow in order.
fn sheet_xml(bytes: &[u8], tables: &[Box<dyn Table + '_>], key: &str) -> String {
    let at = filled(tables).position(|table| table.key() == key).expect("the table") + 2;
    part(bytes, &format!("xl/worksheets/sheet{at}.xml"))
}

/// A table in the order of its sheet.
struct Sheet<'a> {
    view: View<'a>,
    rows: Vec<usize>,
}

impl<'a> Sheet<'a> {
    fn new(table: &'a dyn Table) -> Self {
        let key = |column: usize| table.header(column).key.to_owned();
        let columns: Vec<String> = columns_for_people(table).into_iter().map(key).collect();
        let selection = Selection { columns: &columns, sort: &table.layout().sort(), ..Selection::default() };
        let view = View::new(table, &selection).expect("columns of the table");
        let mut rows: Vec<usize> = (0..view.rows()).collect();
        if table.key() == "kernel_summaries" {
            let ops = texts(&view, "op_id");
            rows.sort_by_key(|&row| (ops.iter().position(|op| *op == ops[row]), row));
        }
        Self { view, rows }
    }
}

fn texts(table: &dyn Table, key: &str) -> Vec<String> {
    let column = (0..table.columns()).find(|&at| table.header(at).key == key).expect("a column");
    let text = |row| match table.value(row, column) {
        Value::Text(text) => text.into_owned(),
        _ => String::new(),
    };
    (0..table.rows()).map(text).collect()
}

fn at(sheet: &Range<Data>, line: usize, column: usize) -> Data {
    let place = (u32::try_from(line).expect("few rows"), u32::try_from(column).expect("few columns"));
    sheet.get_value(place).cloned().unwrap_or(Data::Empty)
}

#[test]
fn every_cell_is_in_its_sheet() {
    for_each_profile(|profile, tables| {
        let bytes = workbook(profile, tables);
        assert!(bytes == workbook(profile, tables), "the same bytes every time");
        let mut book = opened(&bytes);
        for table in filled(tables) {
            let sheet = book.worksheet_range(table.title()).expect("a sheet");
            let shown = Sheet::new(table);
            for column in 0..shown.view.columns() {
                let header = shown.view.header(column);
                let title = at(&sheet, 0, column).to_string();
                assert!(title.starts_with(header.title), "{title}");
                let is_start = table.layout().starts.contains(&header.key);
                let origin = if is_start { table.origin_ns() } else { 0 };
                let size = size_of_unit(&title, header.unit);
                for (line, &row) in (1..).zip(&shown.rows) {
                    let value = match shown.view.value(row, column) {
                        Value::Float(share) if header.unit == Unit::Percent => Value::Float(share / 100.0),
                        Value::Float(number) => Value::Float(number / size),
                        Value::Int(number) if header.unit != Unit::None => {
                            Value::Float(to_f64(number - origin) / size)
                        }
                        value => value,
                    };
                    assert_cell(&value, &at(&sheet, line, column), table.key());
                }
            }
        }
    });
}

/// How many units of the data one of the unit in a title is. Times are in units for people.
fn size_of_unit(title: &str, unit: Unit) -> f64 {
    let symbol = title.rsplit_once(" (").and_then(|(_, rest)| rest.split(')').next()).unwrap_or_default();
    let sizes = match unit {
        Unit::Nanoseconds => &[("µs", 1e3), ("ms", 1e6)][..],
        Unit::Bytes => &[("bytes", 1.0), ("KB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12)],
        Unit::Hertz => &[("MHz", 1e6), ("GHz", 1e9)],
        Unit::Flop => &[("FLOP", 1.0), ("MFLOP", 1e6), ("GFLOP", 1e9), ("TFLOP", 1e12)],
        Unit::BytesPerSecond => &[("GB/s", 1e9)],
        _ => return 1.0,
    };
    let known = sizes.iter().find(|(known, _)| *known == symbol);
    known.unwrap_or_else(|| panic!("{title}: an unknown unit")).1
}

#[test]
fn sheets_have_rows_and_filters() {
    for_each_profile(|profile, tables| {
        let bytes = workbook(profile, tables);
        for table in filled(tables) {
            assert!(sheet_xml(&bytes, tables, table.key()).contains("<autoFilter "), "{}", table.key());
        }
        let empty: Vec<&str> =
            tables.iter().filter(|table| table.rows() == 0).map(|table| table.title()).collect();
        assert!(!empty.is_empty(), "small captures lack something");
        let mut book = opened(&bytes);
        let sheet = book.worksheet_range("Dashboard").expect("a sheet");
        let said = |title: &str| sheet.used_cells().any(|(_, _, cell)| cell.to_string().contains(title));
        for title in empty {
            assert!(book.worksheet_range(title).is_err() && said(title), "{title}");
        }
    });
}

#[test]
fn the_date_is_that_of_the_capture() {
    let dated = Cell::new(0);
    for_each_profile(|profile, tables| {
        let core = part(&workbook(profile, tables), "docProps/core.xml");
        assert!(!core.contains("2000-01-01"), "{core}");
        if let Some(at) = &overview(profile, TimeUnit::Auto).captured_at {
            let minute = at.trim_end_matches(" UTC").replace(' ', "T");
            assert!(core.contains(&minute), "{minute}: {core}");
            dated.set(dated.get() + 1);
        }
    });
    assert!(dated.get() > 0, "a capture has a date");
}

#[test]
fn sheets_are_named_in_words() {
    for_each_profile(|profile, tables| {
        let names = opened(&workbook(profile, tables)).sheet_names();
        let mut expected = vec!["Dashboard"];
        expected.extend(filled(tables).map(|table| table.title()));
        expected.extend(["Columns", "Chart figures"]);
        assert_eq!(names, expected);
        assert!(names.iter().all(|name| name.chars().count() <= 31 && !name.contains('_')));
    });
}

#[test]
fn shares_are_percentages_and_times_are_grouped() {
    for_each_profile(|profile, tables| {
        let bytes = workbook(profile, tables);
        let styles = part(&bytes, "xl/styles.xml");
        assert!(styles.contains("formatCode=\"0.0 %\""));
        let xml = sheet_xml(&bytes, tables, "gpus");
        let has_style = |id: &usize| xml.contains(&format!(" s=\"{id}\""));
        assert!(format_ids(&styles, "0.0 %").iter().any(has_style), "cells of shares have the format");
    });
}

/// The numbers of the cell styles with a number format.
fn format_ids(styles: &str, code: &str) -> Vec<usize> {
    let format = styles.split("<numFmt ").find(|part| part.contains(&format!("formatCode=\"{code}\"")));
    let number = format.and_then(|part| part.split('"').nth(1)).expect("its number");
    let cells = styles.split("<cellXfs").nth(1).expect("cell styles");
    let has_format = |xf: &&str| xf.contains(&format!("numFmtId=\"{number}\""));
    cells.split("<xf ").skip(1).enumerate().filter(|(_, xf)| has_format(xf)).map(|(at, _)| at).collect()
}

/// What a cell shows of a sentence: code has a face of its own in place of backticks.
fn in_cell(sentence: &str) -> String {
    sentence.replace('`', "")
}

#[test]
fn ops_lead_to_all_of_their_kernels() {
    for_each_profile(|profile, tables| {
        let bytes = workbook(profile, tables);
        let table = |key: &str| tables.iter().find(|table| table.key() == key).expect("the table").as_ref();
        let kernels = Sheet::new(table("kernel_summaries"));
        let of_kernels = texts(&kernels.view, "op_id");
        let lines: Vec<&String> = kernels.rows.iter().map(|&row| &of_kernels[row]).collect();
        let xml = sheet_xml(&bytes, tables, "ops");
        let mut links = 0;
        for op in texts(table("ops"), "op_id") {
            let own: Vec<usize> =
                (2..).zip(&lines).filter(|(_, of)| **of == &op).map(|(line, _)| line).collect();
            let Some((first, last)) = own.first().zip(own.last()) else { continue };
            assert_eq!(last - first + 1, own.len(), "the kernels of an op stay together");
            assert!(xml.contains(&format!("location=\"'Kernel Summaries'!A{first}:A{last}\"")), "{op}");
            links += 1;
        }
        assert!(links > 0);
        assert_eq!(xml.matches("<hyperlink ").count(), links);
    });
}

#[test]
fn sheets_are_set_up_for_print() {
    for_each_profile(|profile, tables| {
        let bytes = workbook(profile, tables);
        let names = part(&bytes, "xl/workbook.xml");
        let sheets = filled(tables).count();
        for number in 1..=sheets + 2 {
            let xml = part(&bytes, &format!("xl/worksheets/sheet{number}.xml"));
            for wanted in [
                "fitToPage=\"1\"",
                "orientation=\"landscape\"",
                "fitToHeight=\"0\"",
                "paperSize=\"9\"",
                "Page &amp;P of &amp;N",
            ] {
                assert!(xml.contains(wanted), "sheet {number} lacks {wanted}");
            }
            assert!(!xml.contains("fitToWidth=\"0\""));
        }
        assert_eq!(
            names.matches("_xlnm.Print_Titles").count(),
            sheets + 1,
            "all but the first repeat a header"
        );
        assert!(sheet_xml(&bytes, tables, "ops").contains("state=\"frozen\""));
    });
}

#[test]
fn the_first_sheet_has_the_answer() {
    for_each_profile(|profile, tables| {
        let bytes = workbook(profile, tables);
        let overview = overview(profile, TimeUnit::Auto);
        let sheet = opened(&bytes).worksheet_range("Dashboard").expect("a sheet");
        let cells: Vec<String> = sheet.used_cells().map(|(_, _, cell)| cell.to_string()).collect();
        let has = |text: &str| cells.iter().any(|cell| cell.contains(text));
        assert!(has(&overview.verdict), "{}", overview.verdict);
        match &overview.verdict_detail {
            Some(detail) => assert!(has(detail), "{detail}"),
            None => assert!(overview.verdict.starts_with("Too short to judge"), "{}", overview.verdict),
        }
        for finding in &overview.findings {
            assert!(has(&in_cell(&finding.problem)) && has(&in_cell(&finding.advice)), "{finding:?}");
            if let Some(saving) = &finding.saving {
                let size = if overview.tiles.iteration_ns < 1e6 { 1e3 } else { 1e6 };
                let time = saving.ns() / size;
                let is_there =
                    |cell: &Data| matches!(cell, Data::Float(cell) if (cell - time).abs() < 1e-9 * time);
                assert!(sheet.used_cells().any(|(_, _, cell)| is_there(cell)), "{time}");
            }
        }
        assert!(overview.verdict_meaning.is_some_and(&has), "what the verdict means");
        assert!(has(&overview.window.parts.join(" · ")) && has(&overview.system.join(" · ")));
        let xml = part(&bytes, "xl/worksheets/sheet1.xml");
        assert!(xml.contains("location=\"'Ops'!A1\""), "a link to all ops");
        if let Some(step) = &overview.step {
            let busy = overview.tiles.gpu_busy_percent.expect("a share") / 100.0;
            assert!(
                sheet
                    .used_cells()
                    .any(|(_, _, cell)| matches!(cell, Data::Float(cell) if (cell - busy).abs() < 1e-12))
            );
            let place =
                |start: &str| cells.iter().position(|cell| cell.starts_with(start)).expect("a heading");
            let of_step = &cells[place("class of time")..place("What to change")];
            for part in &step.classes {
                let row = of_step.iter().any(|cell| cell == part.words);
                assert_eq!(row, part.ns > 0.0, "{:?}", part.class);
            }
        }
    });
}

/// Nothing lies on anything else: a chart covers no cell with content, and no other chart.
#[test]
fn charts_cover_nothing() {
    for_each_profile(|profile, tables| {
        let bytes = workbook(profile, tables);
        let sheet = opened(&bytes).worksheet_range("Dashboard").expect("a sheet");
        let drawing = part(&bytes, "xl/drawings/drawing1.xml");
        let number = |text: &str, name: &str| -> usize {
            let (_, rest) = text.split_once(&format!("<{name}>")).expect("a place");
            rest.split('<').next().and_then(|number| number.parse().ok()).expect("a number")
        };
        let mut free_from = 0;
        for anchor in drawing.split("<xdr:twoCellAnchor").skip(1) {
            let (from, to) = anchor.split_once("<xdr:to>").expect("two corners");
            let (first, last) = (number(from, "xdr:row"), number(to, "xdr:row"));
            assert!(first >= free_from, "charts overlap");
            free_from = last;
            let covered = |line: usize| (0..11).any(|column| at(&sheet, line, column) != Data::Empty);
            // The chart ends at the upper edge of its last line or within it.
            assert!(!(first..last).any(covered), "a chart covers cells");
            assert!(number(to, "xdr:col") <= 11, "a chart ends with the columns of the sheet");
        }
    });
}

#[test]
fn every_column_is_explained() {
    for_each_profile(|profile, tables| {
        let sheet = opened(&workbook(profile, tables)).worksheet_range("Columns").expect("a sheet");
        let mut line = 0;
        for table in filled(tables) {
            for column in columns_for_people(table) {
                line += 1;
                let header = table.header(column);
                let cells = [0, 1, 4].map(|column| at(&sheet, line, column).to_string());
                assert_eq!(cells, [table.title(), header.title, header.key]);
                assert!(at(&sheet, line, 3).to_string().starts_with(header.doc), "{}", header.key);
            }
        }
        assert_eq!(sheet.height(), line + 1);
    });
}
