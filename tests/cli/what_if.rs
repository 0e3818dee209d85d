//! `what-if`: an iteration with changes of the program.

use crate::run::{Run, run, sample, temporary_folder};
use rusqlite::Connection;
use serde_json::Value;
use std::path::Path;

fn what_if(options: &str, edits: &[&str]) -> Run {
    let sample = sample();
    let words: Vec<&Path> = std::iter::once(sample.as_path()).chain(edits.iter().map(Path::new)).collect();
    run(&format!("what-if {options}"), &words)
}

#[test]
fn an_iteration_is_told_with_and_without_edits() {
    let now = what_if("", &[]);
    assert_eq!(now.code, 0, "{now:?}");
    assert!(now.stdout.starts_with("An iteration takes "), "{}", now.stdout);
    assert!(now.stdout.contains("If GPU work took no time: "), "{}", now.stdout);
    assert!(!now.stdout.contains("All of it"), "{}", now.stdout);
    let edited = what_if("", &["kernels x 0.5", "no waits"]).stdout;
    for part in ["kernels x 0.5 ", "no waits ", "All of it: ", " %). Then:\n"] {
        assert!(edited.contains(part), "{part}: {edited}");
    }
    let path = run("show critical-path --format csv --iter-range auto", &[&sample()]).stdout;
    assert!(path.starts_with("class,name,time_ns,per_iteration_ns,percent\n"), "{path}");
}

#[test]
fn json_has_all_figures() {
    let printed = what_if("--format json", &["host x 0.5", "kernels like 'nothing' x 0.5"]);
    let document: Value = serde_json::from_str(&printed.stdout).expect("JSON");
    let figure = |key: &str| document[key].as_i64().expect("a figure");
    assert_eq!(document["kind"], "what_if");
    assert!(figure("iteration_after_ns") < figure("iteration_ns"), "{document:#}");
    assert!(figure("without_host_ns") <= figure("iteration_after_ns"), "{document:#}");
    let edits = document["edits"].as_array().expect("edits");
    assert_eq!(
        (edits.len(), &edits[1]["matches"], &edits[1]["alone_saving_ns"]),
        (2, &Value::from(0), &Value::from(0))
    );
    let shares: f64 = document["critical_path"]
        .as_array()
        .expect("a path")
        .iter()
        .filter_map(|part| part["percent"].as_f64())
        .sum();
    assert!((shares - 100.0).abs() < 0.01, "{shares}");
}

/// What `what-if` lists of findings is what the page says that they save.
#[test]
fn findings_are_changes() {
    let json =
        |command: &str| -> Value { serde_json::from_str(&run(command, &[&sample()]).stdout).expect("JSON") };
    let (page, listed) = (json("--format json"), json("what-if --format json"));
    let listed = listed["advised"].as_array().expect("findings");
    let mut compared = 0;
    for finding in page["findings"].as_array().expect("findings") {
        let saves = finding["saving"]["expected_ns"].as_f64().filter(|&ns| ns > 0.0);
        let advised = listed.iter().find(|advised| advised["edit"] == finding["id"]);
        if let Some((saves, advised)) = saves.zip(advised) {
            let alone = advised["alone_saving_ns"].as_f64().expect("a figure");
            assert!((alone - saves).abs() <= 1.0, "{finding:#}: {advised:#}");
            // A second change that changes nothing has the first one replayed.
            let name = finding["id"].as_str().expect("an ID");
            let replayed = what_if("--format json", &[name, "kernels x 1"]);
            let replayed: Value = serde_json::from_str(&replayed.stdout).expect("JSON");
            let figure = |value: &Value| value.as_f64().expect("a figure");
            let less = figure(&replayed["iteration_ns"]) - figure(&replayed["edits"][1]["iteration_ns"]);
            assert!((less - saves).abs() <= 1.0, "{replayed:#}");
            compared += 1;
        }
    }
    assert!(compared >= 2, "{listed:#?}");
    let together = what_if("", &["tiny-kernels", "sync_in_step"]).stdout;
    assert!(together.contains("\ntiny_kernels: Each two of these kernels"), "{together}");
    assert!(together.contains("All of it: "), "{together}");
    let silent = what_if("", &["fp64_math"]);
    assert_eq!(silent.code, 5, "{silent:?}");
    assert!(silent.stderr.contains("the rule `fp64_math` finds nothing in this capture"), "{silent:?}");
}

#[test]
fn what_cannot_be_replayed_is_said() {
    let unknown = what_if("", &["kernels faster"]);
    assert_eq!(unknown.code, 2);
    assert!(
        unknown.stderr.contains("`kernels faster` is not an edit\nhint: `dlprof-agg what-if --help`"),
        "{}",
        unknown.stderr
    );
    let folder = temporary_folder();
    let ranges = folder.path().join("ranges.sqlite");
    let tables = "CREATE TABLE StringIds (id INTEGER, value TEXT);
        CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER);
        INSERT INTO NVTX_EVENTS VALUES (1000, 1400, 59, 'load', 281474977710657);";
    Connection::open(&ranges).and_then(|connection| connection.execute_batch(tables)).expect("a database");
    let none = run("what-if", &[&ranges]);
    assert!(none.stderr.contains("have no GPU work whose launches are recorded"), "{none:?}");
    let long_help = run("what-if --help", &[]).stdout;
    assert!(long_help.contains("exchange on its own stream"), "{long_help}");
}
