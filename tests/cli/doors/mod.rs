//! Files for other viewers: traces for Perfetto, and profiles for the Firefox Profiler.

mod contents;
mod readers;

use crate::run::{database, run, sample};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Writes a file of an export with more options.
fn export(words: &str, input: &Path, output: &Path) {
    let written = run(&format!("export -q --force {words} -o"), &[output, input]);
    assert_eq!(written.code, 0, "{written:?}");
}

fn json(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).expect("a text");
    serde_json::from_str(&text).expect("JSON")
}

/// Calls and nanoseconds by demangled name.
type Kernels = BTreeMap<String, (u64, u64)>;

/// What the table of kernel names says, which is also written to a file.
fn table(words: &str, input: &Path, file: &Path) -> Kernels {
    let shown = run(&format!("show kernel_names -q --format json {words}"), &[input]);
    assert_eq!(shown.code, 0, "{shown:?}");
    std::fs::write(file, &shown.stdout).expect("a file");
    let rows: Vec<Value> = serde_json::from_str(&shown.stdout).expect("JSON");
    let row = |row: &Value| {
        let name = row["long_kernel_name"].as_str().expect("a name").to_owned();
        (name, (row["calls"].as_u64().expect("a number"), row["gpu_time_ns"].as_u64().expect("a time")))
    };
    rows.iter().map(row).collect()
}

/// The events of a phase.
fn events<'a>(trace: &'a Value, phase: &str) -> Vec<&'a Value> {
    let events = trace["traceEvents"].as_array().expect("events");
    events.iter().filter(|event| event["ph"] == phase).collect()
}

/// Exports of all kinds, with options.
fn inputs(folder: &Path) -> Vec<(PathBuf, &'static str)> {
    let styles = [
        "--style markers --processes 2 --gpus 2 --kernels 400",
        "--style emit-nvtx --kernels 400",
        "--style none --kernels 400",
    ];
    let make = |(at, options): (usize, &str)| {
        let file = folder.join(format!("made-up-{at}.sqlite"));
        dlprof_generate::write_export(&file, options).expect("an export");
        (file, "")
    };
    let mut inputs: Vec<_> = styles.into_iter().enumerate().map(make).collect();
    let dldb = folder.join("dlprof_dldb.sqlite");
    export("", &sample(), &dldb);
    inputs.push((dldb, ""));
    inputs.push((sample(), ""));
    inputs.push((sample(), "--iter-start 20 --iter-stop 22"));
    inputs.extend(["cuda-graph.sql", "host-tables.sql"].map(|sql| (database(folder, sql), "")));
    inputs
}
