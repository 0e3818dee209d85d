//! A cell in the middle of a table, the last one, or all of a column hold what nobody expects there: whatever it is, reading ends
//! with a capture or with an error. Every column of every table takes its turn.

use dlprof_core::{Capture, Judged, KeyNodeChoice, RangeChoice, ReadOptions, TABLES};
use dlprof_generate::write_export;
use rusqlite::{Connection, types::Value};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// What captures with several threads, processes and GPUs are made with.
const CAPTURES: [&str; 2] = [
    "--style markers --kernels 60 --processes 2 --gpus 2 --iterations 4",
    "--plant host --plant memory --plant metrics --plant overlap --gpus 2 --iterations 4",
];

/// Which rows of a table.
const PLACES: [&str; 3] = [
    "WHERE rowid = (SELECT (min(rowid) + max(rowid)) / 2 FROM \"{table}\")",
    "WHERE rowid = (SELECT max(rowid) FROM \"{table}\")",
    "",
];

fn values() -> [Value; 7] {
    [
        Value::Null,
        Value::Text("text".into()),
        Value::Real(1.5),
        Value::Integer(-1),
        Value::Integer(i64::MAX),
        Value::Integer(i64::MIN),
        Value::Real(9_223_372_036_854_775_808.0),
    ]
}

/// Reads a capture, judges it and makes every cell of every table.
fn read(file: &Path) -> Result<(), String> {
    let capture = Capture::read(file, &ReadOptions::default()).map_err(|error| error.to_string())?;
    let index = capture.index(&KeyNodeChoice::Find).map_err(|error| error.to_string())?;
    let profile = index.profile(&RangeChoice::default()).map_err(|error| error.to_string())?;
    let profile = Judged::from(profile);
    std::hint::black_box(profile.findings());
    for table in TABLES.iter().map(|definition| (definition.build)(&profile)) {
        for row in 0..table.rows() {
            for column in 0..table.columns() {
                std::hint::black_box(table.value(row, column));
            }
        }
    }
    Ok(())
}

/// A capture whose cells can be emptied: no column refuses NULL.
fn without_constraints(file: &Path) {
    let database = Connection::open(file).expect("a database");
    let sql = "PRAGMA writable_schema = ON;
               UPDATE sqlite_schema SET sql = replace(sql, ' NOT NULL', '') WHERE type = 'table';";
    database.execute_batch(sql).expect("SQL");
}

fn columns(file: &Path) -> Vec<(String, String)> {
    let database = Connection::open(file).expect("a database");
    let sql = "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c
               WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%' ORDER BY 1, c.cid";
    let mut statement = database.prepare(sql).expect("SQL");
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("rows");
    rows.map(|row| row.expect("a row")).collect()
}

/// Sets cells; `None` if SQLite refuses, as it does for a text in the key of rows, or no row is there.
fn changed(base: &Path, (table, column): &(String, String), place: &str, value: &Value) -> Option<PathBuf> {
    let file = base.with_extension("changed.sqlite");
    std::fs::copy(base, &file).expect("a copy");
    let place = place.replace("{table}", table);
    let sql = format!("UPDATE \"{table}\" SET \"{column}\" = ?1 {place}");
    let rows = Connection::open(&file).expect("a database").execute(&sql, [value]);
    rows.is_ok_and(|rows| rows > 0).then_some(file)
}

#[test]
fn no_cell_makes_reading_panic() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut panics = Vec::new();
    for (number, arguments) in CAPTURES.iter().enumerate() {
        let base = folder.path().join(format!("{number}.sqlite"));
        write_export(&base, arguments).expect("an export");
        without_constraints(&base);
        read(&base).expect("a capture that nobody changed");
        let mut tried = 0;
        for (at, place_of) in columns(&base).iter().enumerate() {
            // Neighbours take the other values, and other places.
            for (turn, value) in values().iter().enumerate().filter(|(turn, _)| (at + turn) % 2 == 0) {
                let place = PLACES[(at + turn) / 2 % PLACES.len()];
                let Some(file) = changed(&base, place_of, place, value) else { continue };
                tried += 1;
                if catch_unwind(AssertUnwindSafe(|| read(&file))).is_err() {
                    panics.push(format!("{arguments}: {place_of:?} = {value:?} {place}"));
                }
            }
        }
        assert!(tried > 300, "only {tried} cells of {arguments} could be changed");
    }
    assert!(panics.is_empty(), "{panics:#?}");
}
