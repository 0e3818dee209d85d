//! `ask`, `--brief` and `mcp` as agents and scripts use them.

use crate::foreign::accepted;
use crate::run::{command, run, sample, temporary_folder, testdata};
use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

fn brief(words: &str, paths: &[&Path]) -> (i32, Value) {
    let run = run(words, paths);
    assert!(run.stdout.len() <= 8_001 && run.stdout.lines().count() == 1, "{words}: {run:?}");
    (run.code, serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{words}: {error}: {run:?}")))
}

#[test]
fn commands_answer_briefly_in_one_form() {
    let sample = sample();
    let file = sample.as_path();
    let cases: [(&str, &[&Path], &str); 8] = [
        ("--brief", &[file], "ask"),
        ("check --brief", &[file], "ask"),
        ("compare --brief", &[file, file], "ask"),
        ("ask where_time --brief", &[file], "ask"),
        ("rules --brief", &[file], "ask"),
        ("show ops --brief", &[file], "show"),
        ("show iterations --top 3 --brief", &[file], "show"),
        ("explain occupancy --brief", &[], "explain"),
    ];
    for (words, paths, tool) in cases {
        let (code, said) = brief(words, paths);
        assert_eq!(
            (code, &said["v"], &said["tool"]),
            (0, &Value::from(1), &Value::from(tool)),
            "{words}: {said}"
        );
        assert!(["answer", "partial"].contains(&said["state"].as_str().expect("a state")), "{said}");
    }
    for (words, code) in
        [("--fail-on warning --brief", 1), ("rules --fail-on note --brief", 1), ("rules --brief", 0)]
    {
        assert_eq!(brief(words, &[file]).0, code, "{words}");
    }
    for (words, paths, tool) in
        [("check --format json", &[file][..], "ask"), ("explain occupancy --format json", &[], "explain")]
    {
        let run = run(words, paths);
        let said: Value = serde_json::from_str(&run.stdout).expect("JSON");
        assert_eq!((run.code, &said["tool"]), (0, &Value::from(tool)), "{words}: {said}");
    }
    let (_, short) = brief("ask where_time --brief --max-tokens 400", &[file]);
    assert!(short.to_string().len() <= 1_600, "{}", short.to_string().len());
}

#[test]
fn failures_have_the_form_too_and_their_exit_codes() {
    let folder = temporary_folder();
    let not_there = folder.path().join("missing.sqlite");
    std::fs::write(folder.path().join("text.sqlite"), "no database").expect("a file");
    let sample = sample();
    let text = folder.path().join("text.sqlite");
    let cases: [(&str, &Path, i32, &str); 6] = [
        ("--brief", &not_there, 3, "unknown_capture"),
        ("check --brief", &text, 3, "not_a_capture"),
        ("show opps --brief", &sample, 2, "unknown_table"),
        ("ask steady --about no_such_range --brief", &sample, 5, "no_such_key"),
        ("ask compare --brief", &sample, 2, "bad_request"),
        ("stats --brief", &sample, 2, "bad_request"),
    ];
    for (words, path, code, name) in cases {
        let (found, said) = brief(words, &[path]);
        assert_eq!(
            (found, said["state"].as_str(), said["error"]["code"].as_str()),
            (code, Some("error"), Some(name)),
            "{said}"
        );
    }
}

/// Where a command line asks for JSON, its failure is JSON, beside the words for people and with the same exit code.
#[test]
fn failures_are_json_where_json_is_asked_for() {
    let folder = temporary_folder();
    let not_there = folder.path().join("missing.sqlite");
    let sample = sample();
    let cases: [(&str, &Path, i32, &str, &str); 9] = [
        ("--format json", &not_there, 3, "dlprof-agg", "unknown_capture"),
        ("show ops --format json", &not_there, 3, "show", "unknown_capture"),
        ("show opps --format=json", &sample, 2, "show", "unknown_table"),
        ("show ops --columns no_such --format json", &sample, 2, "show", "unknown_column"),
        ("rules --format json", &not_there, 3, "rules", "unknown_capture"),
        ("stats -f json", &not_there, 3, "stats", "unknown_capture"),
        ("compare --format json", &sample, 2, "compare", "bad_request"),
        ("show ops --no-such-option --format json", &sample, 2, "show", "bad_request"),
        ("ask why_slow --no-such-option --brief", &sample, 2, "ask", "bad_request"),
    ];
    for (words, path, code, tool, name) in cases {
        let run = run(words, &[path]);
        let said: Value =
            serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{words}: {error}: {run:?}"));
        assert_eq!(
            (run.code, said["state"].as_str(), said["tool"].as_str(), said["error"]["code"].as_str()),
            (code, Some("error"), Some(tool), Some(name)),
            "{words}: {said}"
        );
        assert!(!said["error"]["say"].as_str().expect("words").contains("error:"), "{said}");
        assert!(run.stderr.contains("error: "), "{words}: {run:?}");
    }
    let plain = run("show ops", &[&not_there]);
    assert!(plain.code == 3 && plain.stdout.is_empty(), "{plain:?}");
}

#[test]
fn answers_are_text_without_brief() {
    let sample = sample();
    let said = run("ask why_slow", &[&sample]);
    assert!(
        said.code == 0 && said.stdout.contains("shown by: select") && said.stdout.len() <= 8_000,
        "{said:?}"
    );
    let guide = run("help agent", &[]).stdout;
    let plain = run("agent", &[]).stdout;
    assert!(
        guide.contains("ask QUESTION FILE --brief") && plain.starts_with("---\nname: dlprof-agg"),
        "{guide}"
    );
}

/// A client that writes its requests and closes its end gets its answers, and the server ends.
#[test]
fn the_server_answers_what_is_piped_into_it() {
    let (cache, folder) = (temporary_folder(), testdata(""));
    let mut server = command(cache.path(), "mcp --no-cache --root", &[&folder])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let requests = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\nnonsense\n\
        {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"ask\",\"arguments\":\
        {\"capture\":\"sample.sqlite\",\"question\":\"why_slow\"}}}\n";
    server.stdin.take().expect("a pipe").write_all(requests.as_bytes()).expect("it reads");
    let output = server.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    let said = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(said.lines().count() == 2 && said.contains("\\\"question\\\":\\\"why_slow\\\""), "{said}");
}

#[test]
fn the_client_of_pypi_speaks_to_the_server() {
    let program = Path::new(env!("CARGO_BIN_EXE_dlprof-agg"));
    let said = accepted("mcp_client.py", &[program, &testdata(""), Path::new("sample.sqlite")]);
    if let Some(said) = said {
        let lines: Vec<&str> = said.lines().collect();
        assert!(lines.len() == 2 && lines.iter().all(|line| line.contains("8 tools, ")), "{said}");
        assert!(!said.contains("cannot") && !said.contains("error"), "{said}");
    }
}
