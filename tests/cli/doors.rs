//! Files for other viewers: traces for Perfetto, and profiles for the Firefox Profiler.

use crate::inputs::say;
use crate::run::{Run, database, run, sample, temporary_folder};
use rusqlite::Connection;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

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

/// A time of a trace in nanoseconds.
fn nanoseconds(microseconds: &Value) -> u64 {
    let text = microseconds.to_string();
    let (whole, rest) = text.split_once('.').unwrap_or((&text, "0"));
    format!("{whole}{rest:0<3}").parse().expect("a time of whole nanoseconds")
}

fn kernels_of_trace(trace: &Value) -> Kernels {
    let mut kernels = Kernels::new();
    for event in events(trace, "X").into_iter().filter(|event| event["cat"] == "kernel") {
        let name = event["args"]["long_kernel_name"].as_str().unwrap_or_default();
        let sum = kernels.entry(name.to_owned()).or_default();
        *sum = (sum.0 + 1, sum.1 + nanoseconds(&event["dur"]));
    }
    kernels
}

/// Kernels of a profile, by the times of its markers in milliseconds.
fn kernels_of_profile(profile: &Value) -> Kernels {
    let mut kernels = Kernels::new();
    for thread in profile["threads"].as_array().expect("threads") {
        let markers = &thread["markers"];
        for (at, data) in markers["data"].as_array().expect("markers").iter().enumerate() {
            if data["type"] == "kernel" {
                let ns = |key: &str| (markers[key][at].as_f64().expect("a time") * 1e6).round();
                let name = data["long_kernel_name"].as_str().unwrap_or_default();
                let sum = kernels.entry(name.to_owned()).or_default();
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "small and whole"
                )]
                let length = (ns("endTime") - ns("startTime")) as u64;
                *sum = (sum.0 + 1, sum.1 + length);
            }
        }
    }
    kernels
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

/// Checks a file with a script of Python; `None` if there is no Python.
fn foreign(script: &str, paths: &[&Path]) -> Option<Output> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/foreign").join(script);
    let output = Command::new("python3").arg(script).args(paths).output();
    match output {
        Ok(output) => Some(output),
        Err(_) => {
            say(format_args!("SKIPPED: checks by a foreign reader, because there is no `python3`"));
            None
        }
    }
}

fn accepts(script: &str, paths: &[&Path]) {
    if let Some(output) = foreign(script, paths) {
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{script} {paths:?}: {said}");
    }
}

#[test]
fn traces_have_the_kernels_of_the_tables() {
    let folder = temporary_folder();
    let [trace, names] = ["run.trace.json", "names.json"].map(|name| folder.path().join(name));
    for (input, words) in inputs(folder.path()) {
        export(words, &input, &trace);
        let expected = table(words, &input, &names);
        assert!(!expected.is_empty(), "{}", input.display());
        assert_eq!(kernels_of_trace(&json(&trace)), expected, "{} {words}", input.display());
        accepts("trace.py", &[&trace, &names]);
    }
}

#[test]
fn profiles_have_the_kernels_of_the_tables() {
    let folder = temporary_folder();
    let [profile, names] = ["run.firefox.json", "names.json"].map(|name| folder.path().join(name));
    for (input, words) in inputs(folder.path()) {
        export(words, &input, &profile);
        let expected = table(words, &input, &names);
        assert_eq!(kernels_of_profile(&json(&profile)), expected, "{} {words}", input.display());
        accepts("firefox.py", &[&profile, &names]);
    }
}

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
    accepts("trace.py", &[&trace]);
    accepts("firefox.py", &[&profile]);
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
    accepts("trace.py", &[&trace]);
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
    assert_eq!(kernel["grid"], serde_json::json!([2, 1, 1]));
    let copy = slice("copy", "copy HtoD");
    assert_eq!(
        (&copy["bytes"], &copy["from"], &copy["to"]),
        (&4096.into(), &"pinned".into(), &"device".into())
    );
    slice("mpi", "MPI_Send");
    slice("os", "poll");
    // The row that repeats a call for its backtrace is no call.
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

/// The script must be able to say no.
#[test]
fn the_foreign_reader_refuses_broken_traces() {
    let folder = temporary_folder();
    let [trace, broken, names] =
        ["run.trace.json", "broken.trace.json", "names.json"].map(|name| folder.path().join(name));
    export("", &sample(), &trace);
    table("", &sample(), &names);
    let good = json(&trace);
    let at = |wanted: &dyn Fn(&Value) -> bool| {
        good["traceEvents"]
            .as_array()
            .and_then(|events| events.iter().position(wanted))
            .expect("such an event")
    };
    let kernel = at(&|event| event["cat"] == "kernel");
    let arrow = at(&|event| event["ph"] == "f");
    let name = at(&|event| event["name"] == "thread_name");
    type Fault<'a> = (&'a str, Box<dyn Fn(&mut Vec<Value>)>);
    let faults: [Fault<'_>; 6] = [
        ("lie in each other", Box::new(move |events| events[kernel]["dur"] = 1e9.into())),
        ("two ends", Box::new(move |events| drop(events.remove(arrow)))),
        ("ends in GPU work", Box::new(move |events| events[arrow]["ts"] = 0.into())),
        ("named before", Box::new(move |events| drop(events.remove(name)))),
        (
            "the members of its phase",
            Box::new(move |events| drop(events[kernel].as_object_mut().map(|event| event.remove("dur")))),
        ),
        ("totals of kernels differ", Box::new(move |events| events[kernel]["cat"] = "memset".into())),
    ];
    for (rule, fault) in faults {
        let mut trace = good.clone();
        fault(trace["traceEvents"].as_array_mut().expect("events"));
        std::fs::write(&broken, trace.to_string()).expect("a file");
        let Some(output) = foreign("trace.py", &[&broken, &names]) else { return };
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(rule), "{rule}: {said}");
    }
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

/// The program that Mozilla wrote to read such profiles; `None` if it is not installed.
fn profiler_cli(session: &Path, words: &str, paths: &[&Path]) -> Option<Output> {
    let mut command = Command::new("profiler-cli");
    command.env("PROFILER_CLI_SESSION_DIR", session).args(words.split_whitespace()).args(paths);
    command.output().ok()
}

/// The Firefox Profiler's own code reads the profile, and finds the kernels with their times.
#[test]
fn the_firefox_profiler_reads_a_profile() {
    let folder = temporary_folder();
    let [profile, names] = ["run.firefox.json", "names.json"].map(|name| folder.path().join(name));
    export("", &sample(), &profile);
    let expected = table("", &sample(), &names);
    let session = folder.path().join("sessions");
    let Some(loaded) = profiler_cli(&session, "load --session dlprof-agg", &[&profile]) else {
        return say("SKIPPED: `profiler-cli` of npm's @firefox-devtools/profiler-cli is not installed");
    };
    assert!(loaded.status.success(), "{loaded:?}");
    let words = "profile markers --session dlprof-agg --category kernel --limit 0 --json";
    let shown = profiler_cli(&session, words, &[]).expect("it is installed");
    profiler_cli(&session, "stop dlprof-agg", &[]).expect("it is installed");
    let shown: Value = serde_json::from_slice(&shown.stdout).expect("JSON");
    let mut found = Kernels::new();
    for marker in shown["markers"].as_array().expect("markers") {
        let name = marker["data"]["long_kernel_name"].as_str().unwrap_or_default();
        let sum = found.entry(name.to_owned()).or_default();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small and whole")]
        let length = (marker["duration"].as_f64().expect("a length") * 1e6).round() as u64;
        *sum = (sum.0 + 1, sum.1 + length);
    }
    assert_eq!(found, expected);
}
