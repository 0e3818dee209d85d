//! Conditions mean the same in the fields of the viewer and in the language of conditions: both evaluate the list
//! `testdata/conditions.json`.

use dlprof_core::{CellKind, Columns, Condition, Header, Table, Unit, Value};
use std::error::Error;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

const LIST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/conditions.json");
const PAGES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../dlprof-export/assets/page");

/// The table of the list.
struct Listed {
    columns: Vec<(String, CellKind)>,
    rows: Vec<Vec<serde_json::Value>>,
}

impl Table for Listed {
    fn key(&self) -> &str {
        "listed"
    }

    fn title(&self) -> &str {
        "Listed"
    }

    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn columns(&self) -> usize {
        self.columns.len()
    }

    fn header(&self, column: usize) -> Header<'_> {
        let (key, kind) = &self.columns[column];
        Header { key, title: key, unit: Unit::of_key(key), kind: *kind, doc: "" }
    }

    fn origin_ns(&self) -> i64 {
        0
    }

    fn value(&self, row: usize, column: usize) -> Value<'_> {
        let cell = &self.rows[row][column];
        match self.columns[column].1 {
            CellKind::Int => cell.as_i64().into(),
            CellKind::Float => cell.as_f64().into(),
            CellKind::Flag => cell.as_bool().into(),
            CellKind::Answer | CellKind::Json | CellKind::Text => cell.as_str().into(),
        }
    }
}

fn kind(word: &str) -> CellKind {
    match word {
        "int" => CellKind::Int,
        "float" => CellKind::Float,
        "flag" => CellKind::Flag,
        "answer" => CellKind::Answer,
        "text" => CellKind::Text,
        other => panic!("no kind of cells is called {other}"),
    }
}

#[test]
fn the_command_line_chooses_the_listed_rows() -> Result<(), Box<dyn Error>> {
    let list: serde_json::Value = serde_json::from_slice(&std::fs::read(LIST)?)?;
    let array = |value: &serde_json::Value| value.as_array().cloned().expect("a list");
    let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
    let table = Listed {
        columns: array(&list["columns"])
            .iter()
            .map(|column| (text(&column["key"]), kind(&text(&column["kind"]))))
            .collect(),
        rows: array(&list["rows"]).iter().map(array).collect(),
    };
    for case in [array(&list["cases"]), array(&list["fields"])].concat() {
        let condition = text(&case["where"]);
        let read = Condition::parse(&condition, &Columns::of(&table))
            .map_err(|error| format!("{condition}: {error}"))?;
        let found: Vec<usize> = (0..table.rows()).filter(|&row| read.holds(&table, row)).collect();
        assert_eq!(serde_json::json!(found), case["rows"], "{condition}");
    }
    Ok(())
}

#[test]
fn the_pages_choose_the_listed_rows() -> Result<(), Box<dyn Error>> {
    if !super::runs("node") {
        writeln!(std::io::stderr(), "SKIPPED: conditions of the pages (node is not installed)")?;
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("package.json"), "{ \"type\": \"module\" }")?;
    for name in ["rows.js", "source-blocks.js", "source-http.js", "table-filters.js", "format.js"] {
        std::fs::copy(Path::new(PAGES).join(name), folder.path().join(name))?;
    }
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/browser/conditions.mjs");
    let output = Command::new("node").arg(program).arg(folder.path()).arg(LIST).output()?;
    let said =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success(), "{said}");
    Ok(())
}
