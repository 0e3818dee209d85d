//! `reports`: DLProf's files.

use crate::run::{run, sample, temporary_folder};
use std::path::Path;

fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("the folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

const ALL: [&str; 8] = [
    "dlprof_detailed.csv",
    "dlprof_expert_systems.csv",
    "dlprof_group_op.csv",
    "dlprof_iteration.csv",
    "dlprof_kernel.csv",
    "dlprof_op_type.csv",
    "dlprof_summary.csv",
    "dlprof_tensor_core.csv",
];

#[test]
fn all_reports() {
    let folder = temporary_folder();
    let out = folder.path().join("new");
    let written = run("reports --reports all --formats csv --output-path", &[&out, &sample()]);
    assert_eq!(written.code, 0, "{written:?}");
    assert_eq!(written.stdout.lines().count(), 8);
    assert_eq!(files(&out), ALL);

    let again = run("reports --output-path", &[&out, &sample()]);
    assert_eq!(again.code, 4, "{again:?}");
    assert!(again.stderr.contains("exists"), "{again:?}");
    let forced = run("reports --force --output-path", &[&out, &sample()]);
    assert_eq!(forced.code, 0, "{forced:?}");
    assert_eq!(files(&out), ALL, "nothing temporary is left");
}

#[test]
fn some_reports_with_a_profile_name() {
    let folder = temporary_folder();
    let words = "reports --reports kernel,summary --profile-name run7 --key-node /module/train_step \
                 --iter-start 15 --iter-stop 58 --output-path";
    let written = run(words, &[folder.path(), &sample()]);
    assert_eq!(written.code, 0, "{written:?}");
    assert_eq!(files(folder.path()), ["run7_kernel.csv", "run7_summary.csv"]);
    let summary = std::fs::read_to_string(folder.path().join("run7_summary.csv")).expect("the summary");
    assert!(summary.starts_with("System Config\nProfile Name,run7\nGPU Count,1\n"), "{summary}");
    assert!(
        summary.contains(
            "Total Iterations,65\nAggregated Iterations,44\nStart Iteration,15\nStop Iteration,58\n"
        )
    );
}

#[test]
fn old_command_line_without_subcommand() {
    let folder = temporary_folder();
    let words = "--force=true --formats=csv --reports=summary,op_type --output_path";
    let written = run(words, &[folder.path(), &sample()]);
    assert_eq!(written.code, 0, "{written:?}");
    assert_eq!(files(folder.path()), ["dlprof_op_type.csv", "dlprof_summary.csv"]);
}

#[test]
fn wrong_lists() {
    let folder = temporary_folder();
    for (words, error) in [
        ("reports --reports summary,sumary --output-path", "no report `sumary`"),
        ("reports --formats pdf --output-path", "cannot be written in format `pdf`"),
        ("reports --profile-name ../up --output-path", "cannot be the start of a file name"),
    ] {
        let run = run(words, &[folder.path(), &sample()]);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.stderr.contains(error), "{run:?}");
    }
    assert!(files(folder.path()).is_empty());
}

#[test]
fn outputs_that_cannot_be_written() {
    let folder = temporary_folder();
    let blocked = folder.path().join("file");
    std::fs::write(&blocked, "in the way").expect("a file");
    let run = run("reports --output-path", &[&blocked, &sample()]);
    assert_eq!(run.code, 4, "{run:?}");
    assert!(run.stderr.contains("cannot write"), "{run:?}");
}

#[test]
fn reports_as_json() {
    let folder = temporary_folder();
    let path = folder.path().to_str().expect("a UTF-8 path").to_owned();
    let written =
        run(&format!("reports --formats json,csv --profile-name run --output-path {path}"), &[&sample()]);
    assert_eq!(written.code, 0, "{written:?}");
    assert_eq!(written.stdout.lines().count(), 16);
    for line in written.stdout.lines().filter(|line| line.ends_with(".json")) {
        let text = std::fs::read_to_string(line).expect("the file");
        let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        if line.ends_with("run_summary.json") {
            assert_eq!(json["System Config"]["Profile Name"][0], "run");
            assert!(text.starts_with("{\n  \"All Kernels\" : \n  {\n"), "{text}");
        } else {
            assert!(json.as_array().is_some_and(|rows| !rows.is_empty()), "{line}");
        }
    }
    let xml = run(&format!("reports --formats xml --output-path {path}"), &[&sample()]);
    assert!(xml.code == 2 && xml.stderr.contains("formats are csv, json"), "{xml:?}");
}

/// DLProf knows nothing of the finder: without a named key node its reports have one iteration.
#[test]
fn without_a_named_key_node_there_is_dlprofs_own() {
    let folder = temporary_folder();
    let iterations = |words: &str| {
        let written = run(
            &format!("reports --force --reports summary {words} --output-path"),
            &[folder.path(), &sample()],
        );
        assert_eq!(written.code, 0, "{written:?}");
        let summary = std::fs::read_to_string(folder.path().join("dlprof_summary.csv")).expect("the summary");
        let line = summary.lines().find(|line| line.starts_with("Total Iterations,")).map(str::to_owned);
        line.expect("a number of iterations")
    };
    assert_eq!(iterations(""), "Total Iterations,1");
    assert_eq!(iterations("--key-node="), "Total Iterations,1");
    assert_eq!(iterations("--key-node /module/train_step"), "Total Iterations,65");
}
