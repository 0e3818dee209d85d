//! More of one kind than is told apart: the rest is together, a warning says so, and sums stay whole.

use crate::run::{run, sample, temporary_folder};
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
