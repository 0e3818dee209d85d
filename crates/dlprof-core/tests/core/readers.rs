//! The page reader against SQLite: equal on every file, or it declines.

use dlprof_core::RowReader;
use dlprof_core::fuzzing::LARGE_TABLE_COLUMNS;
use dlprof_core::fuzzing::fingerprint;
use dlprof_generate::{corpus, write_export};
use rusqlite::Connection;
use std::path::{Path, PathBuf};

/// Compares the readers on all tables; returns how many tables with rows the pages gave.
fn compare(file: &Path) -> usize {
    let mut read = 0;
    for (table, columns) in LARGE_TABLE_COLUMNS {
        let by_sqlite = fingerprint(file, table, columns, RowReader::Sqlite);
        match (fingerprint(file, table, columns, RowReader::Pages), by_sqlite) {
            (Ok(pages), Ok(sqlite)) => {
                assert_eq!(pages, sqlite, "{}: {table}", file.display());
                read += usize::from(pages.1 > 0);
            }
            (Ok(_), Err(error)) => panic!("{}: {table}: SQLite says {error:?}", file.display()),
            (Err(_), _) => {}
        }
    }
    read
}

fn sample(folder: &Path, arguments: &[&str]) -> PathBuf {
    let file = folder.join("sample.sqlite");
    write_export(&file, &format!("--kernels 4000 {}", arguments.join(" "))).expect("an export");
    file
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder for temporary files")
}

#[test]
fn corpus() {
    let files = corpus::corpus();
    let read: usize = files.iter().map(|file| compare(file)).sum();
    assert!(
        read >= 3 * files.len(),
        "the pages give most tables of real exports: {read} of {} files",
        files.len()
    );
}

#[test]
fn page_sizes_and_shapes_of_files() {
    for texts in ["inline", "interned"] {
        let folder = folder();
        let file = sample(folder.path(), &["--texts", texts]);
        assert!(compare(&file) >= 5, "the pages give all tables of a usual file");
        for page_size in [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536] {
            let database = Connection::open(&file).expect("a database");
            let sql = format!("PRAGMA journal_mode = DELETE; PRAGMA page_size = {page_size}; VACUUM;");
            database.execute_batch(&sql).expect("SQL");
            drop(database);
            assert!(compare(&file) >= 5, "page size {page_size}");
        }
    }
}

#[test]
fn fragmented_and_altered_tables() {
    let folder = folder();
    let file = sample(folder.path(), &[]);
    let change = |sql: &str| Connection::open(&file).expect("a database").execute_batch(sql).expect("SQL");
    change(
        "DELETE FROM NVTX_EVENTS WHERE rowid % 3 = 0;
         INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid)
             SELECT start, end, eventType, text || hex(zeroblob(rowid % 5000)), globalTid FROM NVTX_EVENTS LIMIT 300;
         UPDATE NVTX_EVENTS SET end = NULL WHERE rowid % 7 = 0;
         UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET gridX = 1.5, blockZ = 'x' WHERE rowid % 11 = 0;
         UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET shortName = x'00ff', start = -9223372036854775808 WHERE rowid % 13 = 0;",
    );
    assert!(compare(&file) >= 5);
    change("ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME DROP COLUMN returnValue;");
    change("ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME ADD COLUMN returnValue INTEGER DEFAULT 7;");
    change("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN sum AS (start + 1);");
    change("ALTER TABLE CUPTI_ACTIVITY_KIND_MEMCPY ADD COLUMN extra;");
    compare(&file);
    change("CREATE TABLE copy (id INTEGER PRIMARY KEY DESC, value TEXT); INSERT INTO copy SELECT * FROM StringIds;
            DROP TABLE StringIds; ALTER TABLE copy RENAME TO StringIds;");
    compare(&file);
    change("CREATE TABLE copy (id INT PRIMARY KEY, value TEXT) WITHOUT ROWID; INSERT INTO copy SELECT * FROM StringIds;
            DROP TABLE StringIds; ALTER TABLE copy RENAME TO StringIds;");
    compare(&file);
}

#[test]
fn encodings() {
    let folder = folder();
    let wide = folder.path().join("wide.sqlite");
    let database = Connection::open(&wide).expect("a database");
    database
        .execute_batch(
            "PRAGMA encoding = 'UTF-16le';
             CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
             CREATE TABLE NVTX_EVENTS (start, end, eventType, text, globalTid);
             INSERT INTO StringIds VALUES (1, 'texts of two bytes a character');",
        )
        .expect("SQL");
    drop(database);
    assert_eq!(compare(&wide), 0, "left to SQLite");
}

/// Every byte of a small file in turn, and cuts: the pages decline, or give what SQLite gives.
#[test]
fn rows_that_reach_over_the_end_of_a_page_are_damage() {
    let folder = folder();
    let file = folder.path().join("run.sqlite");
    let (table, columns) = LARGE_TABLE_COLUMNS[0];
    let sql = format!(
        "PRAGMA page_size = 4096; CREATE TABLE {table} ({}); INSERT INTO {table} DEFAULT VALUES;",
        columns.join(", ")
    );
    Connection::open(&file).and_then(|database| database.execute_batch(&sql)).expect("a database");
    assert!(fingerprint(&file, table, columns, RowReader::Sqlite).is_ok());
    // The table is the second page. Its row now has 19 bytes, of which the page has four, and a header of none.
    let mut bytes = std::fs::read(&file).expect("the file");
    bytes[4096 + 8..][..2].copy_from_slice(&4090_u16.to_be_bytes());
    bytes[4096 + 4090..].copy_from_slice(&[19, 1, 0, 0, 0, 0]);
    std::fs::write(&file, bytes).expect("written");
    for reader in [RowReader::Sqlite, RowReader::Pages] {
        assert!(fingerprint(&file, table, columns, reader).is_err(), "{reader:?}");
    }
}

#[test]
fn damaged_files() {
    let folder = folder();
    let file = sample(folder.path(), &["--iterations", "2"]);
    let bytes = std::fs::read(&file).expect("the file");
    let damaged = folder.path().join("damaged.sqlite");
    // Deterministic, spread over the file, and dense in its first pages.
    let places = (100..bytes.len()).step_by(bytes.len() / 400).chain((100..8192).step_by(13));
    for (at, bit) in places.zip([0, 7, 3, 5].into_iter().cycle()) {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << bit;
        std::fs::write(&damaged, &changed).expect("a file");
        compare(&damaged);
    }
    // Found by fuzzing: a leaf page without cells, which SQLite accepts only as a root.
    for page in 1..bytes.len() / 4096 {
        let mut changed = bytes.clone();
        changed[page * 4096 + 3..page * 4096 + 5].fill(0);
        std::fs::write(&damaged, &changed).expect("a file");
        compare(&damaged);
    }
    for part in 1..20 {
        std::fs::write(&damaged, &bytes[..bytes.len() * part / 20]).expect("a file");
        compare(&damaged);
    }
}
