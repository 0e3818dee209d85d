//! What is in the files, and how they are named.

use super::{events, export, json};
use crate::foreign::accepted;
use crate::run::{Run, database, run, sample, temporary_folder};
use rusqlite::Connection;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A capture without kernels still has its host side.
#[test]
fn captures_without_kernels_have_ranges() {
    let folder = temporary_folder();
    let input = folder.path().join("ranges.sqlite");
    dlprof_generate::write_export(&input, "--style ranges --kernels 50").expect("an export");
    let database = Connection::open(&input).expect("a database");
    database.execute_batch("DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL").expect("no kernels");
    let [trace, profile] = ["run.json.gz", "run.firefox.json.gz"].map(|name| folder.path().join(name));
    export("", &input, &trace);
    export("", &input, &profile);
    accepted("trace.py", &[&trace]);
    accepted("firefox.py", &[&profile]);
    let plain = folder.path().join("run.trace.json");
    export("", &input, &plain);
    let trace = json(&plain);
    let categories: Vec<&str> =
        events(&trace, "X").iter().filter_map(|event| event["cat"].as_str()).collect();
    assert!(categories.contains(&"op") && categories.contains(&"api"), "{categories:?}");
    assert!(!categories.contains(&"kernel"));
}

#[test]
fn the_end_of_a_name_decides_about_packing() {
    let folder = temporary_folder();
    let input = sample();
    let path = |name: &str| folder.path().join(name);
    for (packed, plain, words) in [
        ("a.json.gz", "a.trace.json", ""),
        ("a.trace.json.gz", "a.trace", ""),
        ("b.gz", "b.txt", "--format trace"),
        ("a.firefox.json.gz", "a.firefox.json", ""),
        ("c.gz", "c.txt", "--format firefox"),
    ] {
        export(words, &input, &path(packed));
        export(words, &input, &path(plain));
        let bytes = std::fs::read(path(packed)).expect("a file");
        assert_eq!(bytes[..3], [0x1f, 0x8b, 8], "{packed} is gzip");
        assert_eq!(bytes[4..8], [0; 4], "no time of writing");
        let mut text = String::new();
        std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(&bytes[..]), &mut text)
            .expect("gzip");
        assert!(text == std::fs::read_to_string(path(plain)).expect("a file"), "{packed} and {plain}");
    }
    // Without more, `.json` is the document of all tables.
    export("", &input, &path("all.json"));
    assert!(json(&path("all.json"))["tables"].is_object());
}

/// The sample with the rows of its tables backwards.
fn backwards(folder: &Path) -> PathBuf {
    let file = folder.join("sample.sqlite");
    std::fs::copy(sample(), &file).expect("a copy");
    let database = Connection::open(&file).expect("a database");
    for table in [
        "CUPTI_ACTIVITY_KIND_KERNEL",
        "CUPTI_ACTIVITY_KIND_MEMCPY",
        "CUPTI_ACTIVITY_KIND_RUNTIME",
        "NVTX_EVENTS",
    ] {
        let sql = format!(
            "CREATE TABLE backwards AS SELECT * FROM {table} ORDER BY rowid DESC; DELETE FROM {table}; \
             INSERT INTO {table} SELECT * FROM backwards ORDER BY rowid; DROP TABLE backwards"
        );
        database.execute_batch(&sql).expect("SQL");
    }
    file
}

/// Neither the number of threads nor the order of rows shows.
#[test]
fn equal_captures_give_equal_files() {
    let folder = temporary_folder();
    let turned = backwards(folder.path());
    for ending in ["trace.json", "firefox.json"] {
        let write = |input: &Path, words: &str, name: &str| {
            let path = folder.path().join(format!("{name}.{ending}"));
            export(&format!("--profile-name run {words}"), input, &path);
            std::fs::read_to_string(path).expect("a file")
        };
        let once = write(&sample(), "", "once");
        assert!(once == write(&sample(), "--threads 1", "again"), "{ending}");
        // The head names the export and its sums.
        let other = write(&turned, "", "turned");
        let rest = |text: &str| {
            text.split_once(if ending == "trace.json" { "\"traceEvents\"" } else { "\"threads\"" })
                .map(|parts| parts.1.to_owned())
        };
        assert!(rest(&once) == rest(&other) && rest(&once).is_some(), "{ending}");
    }
}

/// Ranges that cross, as `nvtxRangeStart` allows them, are on threads of their own.
#[test]
fn crossing_ranges_have_lanes() {
    let folder = temporary_folder();
    let input = database(folder.path(), "host-tables.sql");
    let database = Connection::open(&input).expect("a database");
    let columns = "(start, end, eventType, globalTid, text)";
    let sql = format!(
        "DROP TABLE IF EXISTS NVTX_EVENTS; \
         CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, globalTid INTEGER, text TEXT); \
         INSERT INTO NVTX_EVENTS {columns} VALUES (1005, 1100, 60, 16777217, 'a'), (1050, 1200, 60, 16777217, 'b')"
    );
    database.execute_batch(&sql).expect("SQL");
    let trace = folder.path().join("run.trace.json");
    export("", &input, &trace);
    accepted("trace.py", &[&trace]);
    let trace = json(&trace);
    let thread = |name: &str| {
        let all = events(&trace, "X");
        let event = all.into_iter().find(|event| event["name"] == name).expect("the range");
        event["tid"].as_i64()
    };
    assert_eq!(thread("a"), Some(1));
    assert_ne!(thread("b"), Some(1));
    let names = events(&trace, "M");
    let name =
        names.iter().find(|event| event["name"] == "thread_name" && event["tid"].as_i64() == thread("b"));
    let name = name.and_then(|event| event["args"]["name"].as_str()).expect("a name");
    assert!(name.ends_with(", overlapping 1"), "{name}");
}

/// What is on the tracks of a capture that has everything.
#[test]
fn host_tables_and_counters_are_in_a_trace() {
    let folder = temporary_folder();
    let input = database(folder.path(), "host-tables.sql");
    let trace = folder.path().join("run.trace.json");
    export("", &input, &trace);
    let trace = json(&trace);
    let slices = events(&trace, "X");
    let slice = |category: &str, name: &str| {
        let wanted = |event: &&&Value| event["cat"] == category && event["name"] == name;
        let found: Vec<_> = slices.iter().filter(wanted).collect();
        assert_eq!(found.len(), 1, "{category} {name}");
        found[0]["args"].clone()
    };
    let kernel = slice("kernel", "gemm");
    assert_eq!(
        (&kernel["registers_per_thread"], &kernel["dynamic_shared_bytes"]),
        (&168.into(), &49152.into())
    );
    assert_eq!(kernel["grid"], serde_json::json!([2, 0, 0]));
    let copy = slice("copy", "copy HtoD");
    assert_eq!(
        (&copy["bytes"], &copy["from"], &copy["to"]),
        (&4096.into(), &"pinned".into(), &"device".into())
    );
    slice("mpi", "MPI_Send");
    slice("os", "poll");
    // The row that repeats a call for its backtrace is not a call.
    slice("api", "cudaLaunchKernel");
    let counters: std::collections::BTreeSet<&str> =
        events(&trace, "C").iter().filter_map(|event| event["name"].as_str()).collect();
    assert!(counters.contains("GPU memory in use") && counters.contains("GPU utilization"), "{counters:?}");
    assert!(counters.len() > 2, "sampled counters: {counters:?}");
    assert!(!events(&trace, "s").is_empty());
}

/// CPU samples with their stacks are in profiles.
#[test]
fn samples_are_in_a_profile() {
    let folder = temporary_folder();
    let input = database(folder.path(), "host-tables.sql");
    let profile = folder.path().join("run.firefox.json");
    export("", &input, &profile);
    let profile = json(&profile);
    let threads = profile["threads"].as_array().expect("threads");
    let samples: u64 = threads.iter().filter_map(|thread| thread["samples"]["length"].as_u64()).sum();
    assert_eq!(samples, 3);
    let texts = profile["shared"]["stringArray"].as_array().expect("texts");
    assert!(texts.iter().any(|text| text == "main") && texts.iter().any(|text| text == "train"), "{texts:?}");
}

#[test]
fn files_for_other_viewers_hold_no_tables() {
    let folder = temporary_folder();
    for name in ["run.json.gz", "run.firefox.json"] {
        let Run { code, stderr, .. } = run("export --tables ops -o", &[&folder.path().join(name), &sample()]);
        assert_eq!(code, 2, "{stderr}");
        assert!(stderr.contains("is a file for another tool and holds no tables"), "{stderr}");
        assert!(!folder.path().join(name).exists());
    }
}
