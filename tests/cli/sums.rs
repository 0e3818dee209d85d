//! Times and sizes that add up to more than 64 bits hold are refused; what is a little less is read, and what is shown adds up.

use crate::run::{Run, run, sample, temporary_folder};
use rusqlite::Connection;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// The longest time that a record may have, in nanoseconds: nearly four months.
const LONGEST: i64 = 10_000_000_000_000_000;

/// The sample, changed.
fn changed(folder: &Path, name: &str, sql: &str) -> PathBuf {
    let file = folder.join(name).with_extension("sqlite");
    fs::copy(sample(), &file).expect("a copy");
    Connection::open(&file).and_then(|export| export.execute_batch(sql)).expect("a changed copy");
    file
}

fn refused(file: &Path, said: &str) {
    for command in ["", "check", "show ops", "stats", "reports"] {
        let run = run(command, &[file]);
        assert_eq!(run.code, 3, "{command}: {run:?}");
        assert_eq!(run.stderr.lines().filter(|line| line.starts_with("error: ")).count(), 1, "{run:?}");
        assert!(run.stderr.contains(said), "{command}: {run:?}");
        assert!(run.stderr.contains(&format!("`{}`", file.display())), "{command}: {run:?}");
    }
}

fn rows(table: &str, file: &Path) -> Vec<Value> {
    let Run { code, stdout, stderr } = run(&format!("show {table} -q --format json"), &[file]);
    assert_eq!(code, 0, "{table}: {stderr}");
    serde_json::from_str(&stdout).expect("an array")
}

/// Every table is shown, the figures of kernels are those of the file, and no saving is more than the window.
fn adds_up(file: &Path, tables: &[&str]) {
    let export = Connection::open(file).expect("an export");
    let kernels: i64 = export
        .query_row("SELECT sum(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL", [], |row| row.get(0))
        .expect("a sum");
    let names = rows("kernel_names", file);
    let sum: i128 = names.iter().map(|row| i128::from(row["gpu_time_ns"].as_i64().expect("a time"))).sum();
    assert!(sum <= i128::from(kernels), "{sum} of {kernels} ns");
    let wall_clock = rows("summary", file)[0]["wall_clock_ns"].as_i64().expect("a time");
    for finding in rows("findings", file) {
        for key in ["saving_ns", "saving_upper_ns"] {
            let saving = finding[key].as_i64().unwrap_or(0);
            assert!((0..=wall_clock).contains(&saving), "{finding}");
        }
    }
    for table in tables {
        rows(table, file);
    }
    for command in ["", "check", "stats -q"] {
        let run = run(command, &[file]);
        assert_eq!(run.code, 0, "{command}: {run:?}");
    }
}

const TABLES: [&str; 12] = [
    "ops",
    "groups",
    "kernels",
    "iterations",
    "process_iterations",
    "idle_causes",
    "launch_stats",
    "copies",
    "gpu_time",
    "host_calls",
    "idle_ranges",
    "attribution",
];

#[test]
fn kernels_of_four_months_each() {
    let folder = temporary_folder();
    let longer = |rows: u32| {
        format!("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = start + {LONGEST} WHERE rowid <= {rows}")
    };
    let file = changed(folder.path(), "many", &longer(600));
    refused(&file, "the times in table `CUPTI_ACTIVITY_KIND_KERNEL` of ");
    adds_up(&changed(folder.path(), "some", &longer(200)), &TABLES);
}

#[test]
fn ranges_and_calls_of_four_months_each() {
    let folder = temporary_folder();
    for table in ["NVTX_EVENTS", "CUPTI_ACTIVITY_KIND_RUNTIME"] {
        let longer = |rows: u32| {
            let of = format!("(SELECT rowid FROM {table} WHERE end IS NOT NULL LIMIT {rows})");
            format!("UPDATE {table} SET end = start + {LONGEST} WHERE rowid IN {of}")
        };
        let file = changed(folder.path(), table, &longer(400));
        refused(&file, &format!("the times in table `{table}` of "));
        adds_up(&changed(folder.path(), "some", &longer(200)), &TABLES[..4]);
    }
}

#[test]
fn copies_of_exabytes() {
    let folder = temporary_folder();
    let bytes = |rows: u32, bytes: i64| {
        format!("UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET bytes = {bytes} WHERE rowid <= {rows}")
    };
    let file = changed(folder.path(), "many", &bytes(3, i64::MAX));
    refused(&file, "the sizes in table `CUPTI_ACTIVITY_KIND_MEMCPY` of ");
    adds_up(&changed(folder.path(), "some", &bytes(2, 1 << 59)), &TABLES);
}

/// Kernels that start months after their launch: no record is long, but times between them are.
#[test]
fn waits_of_three_years() {
    let folder = temporary_folder();
    let later = |rows: u32| {
        let shift = 99_000_000_000_000_000_i64;
        format!(
            "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = start + {shift}, end = end + {shift} WHERE rowid <= {rows}"
        )
    };
    let file = changed(folder.path(), "many", &later(100));
    let run = run("", &[&file]);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.stderr.contains("the times from launch to start of the GPU work of "), "{run:?}");
    adds_up(&changed(folder.path(), "some", &later(10)), &TABLES);
}

/// A record that lies years after the others, in a capture of many GPUs.
#[test]
fn a_capture_too_long_for_its_gpus() {
    let folder = temporary_folder();
    let sql = "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = rowid % 40;
        UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = start + 99000000000000000, end = end + 99000000000000000
        WHERE rowid = 10";
    let file = changed(folder.path(), "years", sql);
    refused(&file, "in table `CUPTI_ACTIVITY_KIND_KERNEL`: too long for 40 GPUs");
}
