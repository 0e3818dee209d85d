//! The page, read back as XML.

use crate::formats::{for_each_profile, in_words};
use dlprof_core::Profile;
use dlprof_core::tables::{CellKind, Table, Value};
use dlprof_export::display::{TimeUnit, plain};
use dlprof_export::formats::html;
use dlprof_export::formats::report::{Options, Tables};
use quick_xml::Reader;
use quick_xml::events::Event;
use std::collections::BTreeMap;

const OPTIONS: Options<'_> =
    Options { tables: Tables::Chosen, most_rows: Some(0), time_unit: TimeUnit::Auto, font: None };

fn page(profile: &Profile, tables: &[Box<dyn Table + '_>], title: &str, options: &Options<'_>) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("report.html");
    html::write(profile, title, tables, options, &path).expect("a page");
    std::fs::read_to_string(path).expect("UTF-8")
}

/// A cell: the exact number it carries, and its text.
type Cell = (Option<String>, String);

/// Keys of the columns, and rows.
type Read = (Vec<String>, Vec<Vec<Cell>>);

/// Without what no XML reader takes: the style and the script, which hold nothing of the profile.
fn markup(page: &str) -> String {
    let (head, rest) = page.split_once("<style>").expect("a style");
    let (_, rest) = rest.split_once("</style>").expect("its end");
    let (body, script) = rest.split_once("<script>").expect("a script");
    let (_, tail) = script.split_once("</script>").expect("its end");
    format!("{head}{body}{tail}").replace("<!DOCTYPE html>", "")
}

/// Keys and rows of each table, by its key; and the names of all elements.
fn tables_of(page: &str) -> (BTreeMap<String, Read>, Vec<String>) {
    let markup = markup(page);
    let mut reader = Reader::from_str(&markup);
    let (mut found, mut names) = (BTreeMap::<String, Read>::new(), Vec::new());
    let mut key = String::new();
    let mut cell: Option<Cell> = None;
    loop {
        match reader.read_event().expect("well-formed") {
            Event::Eof => return (found, names),
            Event::Start(element) | Event::Empty(element) => {
                let name = element.name().as_ref().to_owned();
                let attribute = |key: &str| {
                    let attribute = element.try_get_attribute(key).expect("attributes");
                    attribute.map(|attribute| attribute.value.into_owned())
                };
                match name.as_str() {
                    "h2" => key = attribute("id").expect("an id"),
                    "th" => {
                        let title = attribute("data-key").expect("a key");
                        found.entry(key.clone()).or_default().0.push(title);
                    }
                    "tr" => {
                        // The row of titles comes before any key is known.
                        if let Some((_, rows)) = found.get_mut(&key) {
                            rows.push(Vec::new());
                        }
                    }
                    "td" => cell = Some((attribute("data-v"), String::new())),
                    _ => {}
                }
                names.push(name);
            }
            Event::Text(text) => {
                if let Some((_, shown)) = &mut cell {
                    shown.push_str(&text);
                }
            }
            Event::GeneralRef(entity) => {
                if let Some((_, shown)) = &mut cell {
                    shown.push(match &*entity {
                        "amp" => '&',
                        "lt" => '<',
                        "gt" => '>',
                        "quot" => '"',
                        "#39" => '\'',
                        other => panic!("&{other};"),
                    });
                }
            }
            Event::End(element) if element.name().as_ref() == "td" => {
                let cell = cell.take().expect("a cell");
                if let Some(row) = found.get_mut(&key).and_then(|(_, rows)| rows.last_mut()) {
                    row.push(cell);
                }
            }
            _ => {}
        }
    }
}

#[test]
fn every_cell_is_there_and_exact() {
    for_each_profile(|profile, tables| {
        let (found, _) = tables_of(&page(profile, tables, "run", &OPTIONS));
        assert_eq!(found.len(), tables.len());
        for table in tables {
            let (keys, rows) = &found[table.key()];
            let wanted: Vec<&str> = (0..table.columns()).map(|at| table.header(at).key).collect();
            assert_eq!(keys, &wanted);
            assert_eq!(rows.len(), table.rows(), "{}", table.key());
            for (row, cells) in rows.iter().enumerate() {
                assert_eq!(cells.len(), table.columns());
                for (column, (exact, shown)) in cells.iter().enumerate() {
                    let at = format!("{} {row} {column}: {exact:?} {shown:?}", table.key());
                    match table.value(row, column) {
                        Value::Null => assert!(exact.is_none() && shown.is_empty(), "{at}"),
                        Value::Int(number) => assert_eq!(exact, &Some(number.to_string()), "{at}"),
                        Value::Float(number) => {
                            let read: f64 = exact.as_ref().expect("a number").parse().expect("a number");
                            assert_eq!(read.to_bits(), number.to_bits(), "{at}");
                        }
                        Value::Flag(flag) => assert_eq!(shown, if flag { "yes" } else { "no" }, "{at}"),
                        Value::Text(answer) if table.header(column).kind == CellKind::Answer => {
                            assert_eq!(shown, in_words(&answer), "{at}");
                        }
                        Value::Text(text) => assert_eq!(shown, &plain(&text), "{at}"),
                    }
                }
            }
        }
    });
}

#[test]
fn names_cannot_become_markup() {
    for_each_profile(|profile, tables| {
        let title = "</title><script>alert(\"1\")</script> 'x' \u{202E}";
        let page = page(profile, tables, title, &OPTIONS);
        let (_, names) = tables_of(&page);
        assert!(names.iter().all(|name| name != "script"));
        assert_eq!(page.matches("<script>").count(), 1, "our own");
        assert!(!page.contains("alert(\"1\")") && !page.contains('\u{202E}'));
        for outside in ["src=", "@import", "url(", "<link", "<img"] {
            assert!(!page.contains(outside), "{outside}");
        }
    });
}

#[test]
fn cut_tables_say_so() {
    for_each_profile(|profile, tables| {
        let options = Options { most_rows: Some(2), ..OPTIONS };
        let page = page(profile, tables, "run", &options);
        let kernels = tables.iter().find(|table| table.key() == "kernels").expect("the table");
        let said = format!("2 of {} rows are shown, those with most GPU time.", kernels.rows());
        assert!(page.contains(&said));
        assert_eq!(tables_of(&page).0["kernels"].1.len(), 2);
    });
}
