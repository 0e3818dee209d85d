//! The files that lie beside the project.

use rusqlite::{Connection, OpenFlags};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A row of a reference file: cells by column.
pub(crate) type Row = HashMap<String, String>;

/// Says something past the test harness, which hides what passing tests print.
pub(crate) fn say(text: impl std::fmt::Display) {
    use std::io::Write;
    writeln!(std::io::stderr(), "{text}").expect("standard error");
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus")
}

/// The rows of a reference file; `None`, said loudly, where it is missing.
pub(crate) fn rows(name: &str) -> Option<Vec<Row>> {
    let path = corpus().join("insights").join(name);
    let Ok(text) = std::fs::read_to_string(&path) else {
        say(format_args!("SKIPPED: no reference values at {}", path.display()));
        return None;
    };
    let mut lines = text.lines();
    let header = cells(lines.next().expect("a header"));
    Some(lines.map(|line| header.iter().cloned().zip(cells(line)).collect()).collect())
}

/// The cells of a line; quotes keep commas together.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut is_quoted = false;
    for c in line.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(String::new()),
            c => cells.last_mut().expect("never empty").push(c),
        }
    }
    cells
}

/// The exports of the corpus, opened, by name; none, said loudly, where it is missing.
pub(crate) fn exports() -> Vec<(String, Connection)> {
    export_paths().into_iter().map(|(name, path)| (name, open(&path))).collect()
}

/// The exports of the corpus by name; none, said loudly, where it is missing.
pub(crate) fn export_paths() -> Vec<(String, PathBuf)> {
    let Ok(entries) = std::fs::read_dir(corpus()) else {
        say(format_args!("SKIPPED: no corpus at {}", corpus().display()));
        return Vec::new();
    };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|end| end == "sqlite")).collect();
    paths.sort();
    paths.into_iter().map(|path| (stem(&path), path)).collect()
}

fn stem(path: &Path) -> String {
    path.file_stem().and_then(|stem| stem.to_str()).expect("a UTF-8 name").to_owned()
}

/// Opens an export for reading.
pub(crate) fn open(path: &Path) -> Connection {
    let uri = format!("file:{}?mode=ro&immutable=1", path.display());
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    Connection::open_with_flags(uri, flags).expect("a database")
}

/// A reference document of an export; `None` where there is none for it.
pub(crate) fn document(name: &str) -> Option<serde_json::Value> {
    let text = std::fs::read_to_string(corpus().join("insights").join(format!("{name}.json"))).ok()?;
    Some(serde_json::from_str(&text).expect("a JSON document"))
}
