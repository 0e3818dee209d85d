//! Targets on whole files.

use crate::bases::{databases, exports, options, scratch};
use crate::deeds::damage;
use arbitrary::Unstructured;
use dlprof_core::{
    Cache, Capture, Error, Judged, KeptExport, KeyNodeChoice, ModeChoice, RangeChoice, ReadOptions,
    RowReader, SqliteOptions, TABLES,
};
use rusqlite::Connection;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A whole export with some deeds: both readers give the same tables.
pub fn whole_exports(bytes: &[u8]) {
    let Some(file) = damaged(exports(), bytes) else { return };
    let read = |reader| {
        let sqlite = SqliteOptions { reader, ..SqliteOptions::default() };
        everything(Capture::read(&file, &ReadOptions { sqlite, ..options() }))
    };
    let (by_pages, by_sqlite) = (read(RowReader::Auto), read(RowReader::Sqlite));
    assert!(by_pages == by_sqlite, "the readers differ");
}

/// A whole DLProf database with some deeds.
pub fn dlprof_databases(bytes: &[u8]) {
    let Some(file) = damaged(databases(), bytes) else { return };
    drop(everything(Capture::read(&file, &options())));
}

/// A copy of a file with deeds that are drawn from bytes.
fn damaged(files: &[PathBuf], bytes: &[u8]) -> Option<PathBuf> {
    let mut input = Unstructured::new(bytes);
    let file = scratch().join("damaged.sqlite");
    fs::copy(input.choose(files).ok()?, &file).expect("a copy");
    // The next copy must not meet a journal of the last database.
    let set_up = "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; PRAGMA writable_schema = ON;
                  UPDATE sqlite_schema SET sql = replace(sql, ' NOT NULL', '') WHERE type = 'table';";
    Connection::open(&file).and_then(|database| database.execute_batch(set_up)).expect("a database");
    let database = Connection::open(&file).expect("a database");
    database.execute_batch("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY").expect("SQL");
    // Too few bytes end the deeds early.
    let _ = damage(&database, &mut input);
    Some(file)
}

/// Every cell of every table; none if the file cannot be read.
fn everything(capture: Result<Capture, Error>) -> Option<String> {
    let capture = capture.ok()?;
    let index = capture.index(&KeyNodeChoice::Find).expect("the finder asks for nothing impossible");
    let profile = index.profile(&RangeChoice::default()).expect("all iterations exist");
    Some(cells(&profile.into()))
}

fn cells(profile: &Judged) -> String {
    let mut text = String::new();
    for definition in TABLES {
        let table = (definition.build)(profile);
        for row in 0..table.rows() {
            for column in 0..table.columns() {
                text.push_str(&format!("{:?},", table.value(row, column)));
            }
        }
        text.push('\n');
    }
    text
}

/// Kept files with changed bytes: what is kept is not used, or gives what the export gives.
pub fn kept_files(bytes: &[u8]) {
    let (export, expected) = kept();
    let folder = scratch().join("kept");
    let mut input = Unstructured::new(bytes);
    let files = files_of(&folder);
    let Ok(path) = input.choose(&files) else { return };
    let whole = fs::read(path).expect("a kept file");
    let mut changed = whole.clone();
    while !input.is_empty() {
        let Ok((at, byte)) = input.arbitrary::<(u32, u8)>() else { break };
        match changed.len() {
            0 => break,
            length if byte == 7 => changed.truncate(at as usize % length),
            length => changed[at as usize % length] ^= byte,
        }
    }
    fs::write(path, changed).expect("a damaged file");
    let capture = export.kept_capture(&options()).expect("threads");
    if let Some(capture) = capture {
        let index = export.kept_index(&capture, &KeyNodeChoice::Find);
        let index = index.unwrap_or_else(|| capture.index(&KeyNodeChoice::Find).expect("iterations"));
        let profile = index.profile(&RangeChoice::default()).expect("all iterations exist");
        assert!(cells(&profile.into()) == *expected, "damaged kept files were used");
    }
    fs::write(path, whole).expect("the file as it was");
}

/// What is kept of the first export, and what its tables hold.
fn kept() -> &'static (KeptExport, String) {
    static MADE: OnceLock<(KeptExport, String)> = OnceLock::new();
    MADE.get_or_init(|| {
        let cache = Cache::new(scratch().join("kept"), 1 << 30);
        let export = cache.export(&exports()[0], ModeChoice::default());
        let capture = export.capture(&options()).expect("an export");
        let index = export.index(&capture, &KeyNodeChoice::Find).expect("iterations");
        let profile = index.profile(&RangeChoice::default()).expect("all iterations exist");
        let expected = cells(&profile.into());
        (export, expected)
    })
}

fn files_of(folder: &Path) -> Vec<PathBuf> {
    let entries =
        |folder: &Path| fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a name").path());
    let folders = entries(folder).filter(|path| path.is_dir());
    let mut files: Vec<PathBuf> = folders.flat_map(|folder| entries(&folder)).collect();
    files.sort();
    files
}
