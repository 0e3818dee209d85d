//! What readers of other makes find in the files equals the tables.

use super::{Kernels, events, export, inputs, json, table};
use crate::foreign::{accepted, program, script};
use crate::run::{sample, temporary_folder};
use serde_json::Value;
use std::path::Path;
use std::process::Output;

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

#[test]
fn traces_have_the_kernels_of_the_tables() {
    let folder = temporary_folder();
    let [trace, names] = ["run.trace.json", "names.json"].map(|name| folder.path().join(name));
    for (input, words) in inputs(folder.path()) {
        export(words, &input, &trace);
        let expected = table(words, &input, &names);
        assert!(!expected.is_empty(), "{}", input.display());
        assert_eq!(kernels_of_trace(&json(&trace)), expected, "{} {words}", input.display());
        accepted("trace.py", &[&trace, &names]);
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
        accepted("firefox.py", &[&profile, &names]);
    }
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
    let call = at(&|event| event["cat"] == "api");
    let arrow = at(&|event| event["ph"] == "f");
    let name = at(&|event| event["name"] == "thread_name");
    type Fault<'a> = (&'a str, Box<dyn Fn(&mut Vec<Value>)>);
    let faults: [Fault<'_>; 7] = [
        ("lie in each other or follow", Box::new(move |events| events[call]["dur"] = 1e9.into())),
        ("does not lie in other work", Box::new(move |events| events[kernel]["dur"] = 1e9.into())),
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
        let Some(output) = script("trace.py", &[&broken, &names]) else { return };
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(rule), "{rule}: {said}");
    }
}

/// Perfetto's own trace processor opens traces without a complaint, binds all arrows, and finds the kernels with their times.
#[test]
fn perfetto_reads_a_trace() {
    let folder = temporary_folder();
    let [trace, names] = ["run.json.gz", "names.json"].map(|name| folder.path().join(name));
    for (input, words) in inputs(folder.path()) {
        export(words, &input, &trace);
        table(words, &input, &names);
        let arguments = [&trace, &names];
        let Some(output) = program("perfetto-trace", &|command| command.args(arguments)) else { return };
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {said}", input.display());
    }
}

/// The program that Mozilla wrote to read such profiles; `None` if it is not installed.
fn profiler_cli(session: &Path, words: &str, paths: &[&Path]) -> Option<Output> {
    program("profiler-cli", &|command| {
        command.env("PROFILER_CLI_SESSION_DIR", session).args(words.split_whitespace()).args(paths)
    })
}

/// The name of the session in which a profile was loaded; `None` if the program is not installed. It waits half a second for a
/// process of its own, which is too little on a busy machine: then another session is begun.
fn loaded_session(sessions: &Path, profile: &Path) -> Option<String> {
    for attempt in 1..=100 {
        let name = format!("dlprof-agg-{attempt}");
        let loaded = profiler_cli(sessions, &format!("load --session {name}"), &[profile])?;
        if loaded.status.success() {
            return Some(name);
        }
        let said = String::from_utf8_lossy(&loaded.stderr);
        assert!(said.contains("did not become ready"), "{loaded:?}");
        profiler_cli(sessions, &format!("stop {name}"), &[]).expect("it is installed");
    }
    panic!("no session became ready");
}

/// The Firefox Profiler's own code reads the profile, and finds the kernels with their times.
#[test]
fn the_firefox_profiler_reads_a_profile() {
    let folder = temporary_folder();
    let [profile, names] = ["run.firefox.json", "names.json"].map(|name| folder.path().join(name));
    export("", &sample(), &profile);
    let expected = table("", &sample(), &names);
    let sessions = folder.path().join("sessions");
    let Some(session) = loaded_session(&sessions, &profile) else { return };
    let words = format!("profile markers --session {session} --category kernel --limit 0 --json");
    let shown = profiler_cli(&sessions, &words, &[]).expect("it is installed");
    profiler_cli(&sessions, &format!("stop {session}"), &[]).expect("it is installed");
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
