//! More of one kind than is told apart: the rest is together, a warning says so, and sums stay whole.

use crate::run::{run, sample, temporary_folder};
use dlprof_generate::write_export;
use rusqlite::Connection;
use std::fs;
use std::path::{Path, PathBuf};

/// The sample with ranges that a `SELECT` makes of the numbers `i` up to a number and of a thread.
fn with_ranges(folder: &Path, most: u32, select: &str) -> PathBuf {
    let file = folder.join("many.sqlite");
    fs::copy(sample(), &file).expect("a copy");
    let sql = format!(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {most}),
             first AS (SELECT max(end) AS last, globalTid FROM NVTX_EVENTS)
         INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) {select} FROM n, first;"
    );
    Connection::open(&file).and_then(|database| database.execute_batch(&sql)).expect("SQL");
    file
}

/// The time of all kernels, by the table of their names.
fn kernel_time(file: &Path) -> i64 {
    let shown = run("show kernel-names -q --format json", &[file]);
    assert_eq!(shown.code, 0, "{shown:?}");
    let rows: Vec<serde_json::Value> = serde_json::from_str(&shown.stdout).expect("rows");
    rows.iter().map(|row| row["gpu_time_ns"].as_i64().expect("a time")).sum()
}

#[test]
fn texts_of_ranges_beyond_the_limit_are_together() {
    let folder = temporary_folder();
    let file = with_ranges(
        folder.path(),
        200_100,
        "SELECT last + 10 * i, last + 10 * i + 5, 59, 'text ' || i, globalTid",
    );
    let check = run("check", &[&file]);
    assert_eq!(check.code, 0, "{check:?}");
    assert!(check.stdout.contains("too-many-names"), "{check:?}");
    assert_eq!(kernel_time(&file), kernel_time(&sample()));
}

/// Each launch is in a range of its own whose text is beyond the limit.
#[test]
fn ops_named_by_texts_beyond_the_limit_are_one_row() {
    let folder = temporary_folder();
    let file = folder.path().join("around.sqlite");
    write_export(&file, "--style ranges --iterations 5").expect("an export");
    let database = Connection::open(&file).expect("a database");
    let sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200100),
             first AS (SELECT max(end) AS last, globalTid FROM NVTX_EVENTS)
         INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid)
             SELECT last + 10 * i, last + 10 * i + 5, 59, 'text ' || i, globalTid FROM n, first;
         INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid)
             SELECT start - 1, end + 1, 59, 'around ' || rowid, globalTid FROM CUPTI_ACTIVITY_KIND_RUNTIME
             WHERE correlationId IN (SELECT correlationId FROM CUPTI_ACTIVITY_KIND_KERNEL)";
    database.execute_batch(sql).expect("SQL");
    let count = |sql: &str| database.query_row(sql, [], |row| row.get::<_, i64>(0)).expect("a count");
    let beyond = count("SELECT count(DISTINCT text) - 200000 FROM NVTX_EVENTS");
    let kernels = count("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL");
    assert!(beyond > kernels && kernels > 100, "{beyond} texts, {kernels} kernels");
    let shown = run("show op-types -q --iter-range all --format json", &[&file]);
    assert_eq!(shown.code, 0, "{shown:?}");
    let rows: Vec<serde_json::Value> = serde_json::from_str(&shown.stdout).expect("rows");
    let rest: Vec<_> = rows.iter().filter(|row| row["op_type"] == "other names").collect();
    assert_eq!(rest.len(), 1, "one row for the rest");
    assert_eq!(rest[0]["calls"], beyond, "each text beyond the limit has one range");
    assert!(rows.iter().all(|row| row["op_type"] != "around"), "no text beyond the limit has a row");
}

/// 5,000 ranges that nothing pops, in a capture of 46 days: their times add up to more than 64 bits hold.
#[test]
fn ranges_that_are_never_popped_in_a_long_capture_are_a_warning() {
    let folder = temporary_folder();
    let file = with_ranges(
        folder.path(),
        5_000,
        "SELECT i, iif(i = 1, 4000000000000000, NULL), 59, 'never popped', globalTid",
    );
    let check = run("check", &[&file]);
    assert_eq!(check.code, 0, "{check:?}");
    assert!(check.stdout.contains("leaked-ranges"), "{check:?}");
    assert_eq!(kernel_time(&file), kernel_time(&sample()));
}
