//! Mutated exports: one clear error or a degraded report with a diagnostic; never a panic, never a silently wrong
//! total.

use crate::profiles::profile_of;
use dlprof_core::{Capture, ReadOptions, Severity, TABLES};
use rusqlite::Connection;
use std::path::{Path, PathBuf};

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/sample.sqlite")
}

/// Total GPU time, kernels, API calls; or the error.
type Totals = Result<(i64, usize, usize), String>;

/// Makes every cell of every table, then the totals, and whether something was said about the input.
fn totals(file: &Path) -> (Totals, bool) {
    let capture = match Capture::read(file, &ReadOptions::default()) {
        Ok(capture) => capture,
        Err(error) => return (Err(error.to_string()), true),
    };
    let profile = profile_of(&capture);
    for build in TABLES.iter().map(|definition| definition.build) {
        let table = build(&profile);
        for row in 0..table.rows() {
            for column in 0..table.columns() {
                std::hint::black_box(table.value(row, column));
            }
        }
    }
    let is_said =
        profile.diagnostics.iter().any(|diagnostic| diagnostic.code.severity() == Severity::Warning);
    let totals = profile.kernel_totals.all().gpu_ns;
    let counts = profile.capture.counts();
    (Ok((totals, counts.kernels, counts.api_calls)), is_said)
}

/// The sample with some SQL run on it.
fn mutated(folder: &Path, sql: &str) -> PathBuf {
    let file = folder.join("mutated.sqlite");
    std::fs::copy(sample(), &file).expect("a copy");
    let database = Connection::open(&file).expect("a database");
    let without_checks = format!("PRAGMA foreign_keys = OFF; PRAGMA writable_schema = ON; {sql}");
    database.execute_batch(&without_checks).unwrap_or_else(|error| panic!("{sql}: {error}"));
    file
}

fn tables_and_columns() -> Vec<(String, Vec<String>)> {
    let database = Connection::open(sample()).expect("a database");
    let mut statement = database
        .prepare(
            "SELECT t.name, group_concat(c.name) FROM sqlite_schema t, pragma_table_info(t.name) c
             WHERE t.type = 'table' GROUP BY t.name",
        )
        .expect("SQL");
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?))).expect("rows");
    rows.map(|row| row.expect("a row"))
        .map(|(table, columns)| (table, columns.split(',').map(str::to_owned).collect()))
        .collect()
}

/// A changed total is an error or comes with a warning.
fn check(folder: &Path, sql: &str) {
    let (expected, _) = totals(&sample());
    let (found, is_said) = totals(&mutated(folder, sql));
    assert!(found == expected || is_said, "`{sql}` changes {expected:?} to {found:?} without a word");
}

#[test]
fn dropped_tables() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    for (table, _) in tables_and_columns() {
        check(folder.path(), &format!("DROP TABLE {table}"));
        check(folder.path(), &format!("DELETE FROM {table}"));
    }
}

#[test]
fn dropped_and_emptied_columns() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    for (table, columns) in tables_and_columns() {
        if !table.starts_with("CUPTI")
            && !["NVTX_EVENTS", "StringIds", "TARGET_INFO_GPU"].contains(&table.as_str())
        {
            continue;
        }
        for column in &columns {
            let others: Vec<&str> =
                columns.iter().map(String::as_str).filter(|other| other != column).collect();
            let others = others.join(", ");
            let copy = format!("CREATE TABLE other AS SELECT {others}");
            let swap = format!("DROP TABLE {table}; ALTER TABLE other RENAME TO {table}");
            check(folder.path(), &format!("{copy} FROM {table}; {swap}"));
            check(folder.path(), &format!("{copy}, NULL AS {column} FROM {table}; {swap}"));
            for value in ["'text'", "x'00ff'", "9223372036854775807", "-9223372036854775807", "1e300"] {
                // Other values give other totals; all that is asked is that nothing breaks.
                let _ = totals(&mutated(
                    folder.path(),
                    &format!("{copy}, {value} AS {column} FROM {table}; {swap}"),
                ));
            }
        }
    }
}

/// Megabytes of text, deep nesting, invalid UTF-8, NUL, right-to-left.
#[test]
fn hostile_texts() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let texts = [
        "'{''mod'': ' || replace(hex(zeroblob(500000)), '0', '[')",
        "'{''op'': ''x'', ''args'': [' || replace(hex(zeroblob(500000)), '00', '(1,)') || ']}'",
        "'{\"model_config\": ' || replace(hex(zeroblob(500000)), '0', '[')",
        "replace(hex(zeroblob(500000)), '0', 'a, seq = 1')",
        "CAST(x'fffefd00c328' AS TEXT)",
        "'step ' || char(0) || ' 12'",
        "char(8238) || 'evil 17'",
        "'aten::mm, seq = 99999999999999999999, sizes = [[[['",
        "', seq = '",
    ];
    for text in texts {
        let sql =
            format!("UPDATE NVTX_EVENTS SET text = {text}, textId = NULL WHERE rowid IN (5, 90, 91, 400)");
        let (found, _) = totals(&mutated(folder.path(), &sql));
        assert_eq!(
            found.map(|(gpu_ns, kernels, _)| (gpu_ns, kernels)),
            totals(&sample()).0.map(|(gpu_ns, kernels, _)| (gpu_ns, kernels)),
            "{text}"
        );
    }
}
