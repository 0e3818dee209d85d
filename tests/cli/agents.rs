//! `ask`, `--brief` and `mcp` as agents and scripts use them.

use crate::foreign::{accepted, program};
use crate::run::{command, run, sample, temporary_folder, testdata};
use serde_json::{Value, json};
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
    for (words, paths, tool) in [
        ("check --format json", &[file][..], "ask"),
        ("ask why_slow --format json", &[file], "ask"),
        ("explain occupancy --format json", &[], "explain"),
    ] {
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
        said.code == 0 && said.stdout.contains("`--brief` has the SQL") && said.stdout.len() <= 8_000,
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

/// The inspector of the Model Context Protocol.
#[test]
fn the_inspector_speaks_to_the_server() {
    let asked = |words: &str| {
        let output = program("mcp-inspector", &|inspector| {
            let server = [env!("CARGO_BIN_EXE_dlprof-agg"), "mcp", "--no-cache", "--root"];
            inspector.arg("--cli").args(server).arg(testdata("")).args(words.split(' '))
        })?;
        assert!(output.status.success(), "{words}: {}", String::from_utf8_lossy(&output.stderr));
        Some(serde_json::from_slice::<Value>(&output.stdout).expect("JSON"))
    };
    let Some(tools) = asked("--method tools/list") else { return };
    assert_eq!(tools["tools"].as_array().map(Vec::len), Some(8), "{tools}");
    let call =
        "--method tools/call --tool-name ask --tool-arg question=why_slow --tool-arg capture=sample.sqlite";
    let answer = asked(call).expect("it ran before");
    let text = answer["content"][0]["text"].as_str().expect("a text");
    let envelope: Value = serde_json::from_str(text).expect("JSON");
    assert_eq!((&envelope["tool"], &envelope["question"]), (&"ask".into(), &"why_slow".into()), "{envelope}");
}

/// What a client asks that means no good is an error in the form, and what it asks after that is answered.
#[cfg(unix)]
#[test]
fn a_hostile_client_gets_errors_and_the_server_goes_on() {
    let folder = temporary_folder();
    let root = folder.path();
    let made = std::process::Command::new("mkfifo").arg(root.join("pipe.sqlite")).status();
    assert!(made.is_ok_and(|status| status.success()), "mkfifo");
    let sparse = std::fs::File::create(root.join("sparse.sqlite")).expect("a file");
    sparse.set_len(4 << 30).expect("a hole");
    std::os::unix::fs::symlink("/proc/self/environ", root.join("link.sqlite")).expect("a link");
    std::os::unix::fs::symlink("loop", root.join("loop")).expect("a link");
    std::fs::copy(sample(), root.join("sample.sqlite")).expect("a copy");
    let long = "x".repeat(5000);
    let wanted = [
        ("pipe.sqlite", "outside_roots"),
        ("sparse.sqlite", "not_a_capture"),
        ("link.sqlite", "outside_roots"),
        ("loop/sample.sqlite", "outside_roots"),
        ("sample.sqlite/../../x", "outside_roots"),
        ("/dev/zero", "outside_roots"),
        (".", "unreadable"),
        (&long, "unknown_capture"),
    ];
    let open = |(id, (path, _)): (usize, &(&str, &str))| {
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
               "params": {"name": "open", "arguments": {"paths": [path]}}})
        .to_string()
    };
    let pings = (100..2100).map(|id| json!({"jsonrpc": "2.0", "id": id, "method": "ping"}).to_string());
    let deep = format!("{{\"id\": 7, \"params\": {}", "[".repeat(100_000));
    let requests: Vec<String> = wanted.iter().enumerate().map(open).chain([deep]).chain(pings).collect();
    let cache = temporary_folder();
    let mut server = command(cache.path(), "mcp --no-cache --root", &[root]);
    let mut server = server
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut input = server.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || input.write_all((requests.join("\n") + "\n").as_bytes()));
    let output = server.wait_with_output().expect("it ends");
    writer.join().expect("no panic").expect("it reads");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let said: Vec<Value> = String::from_utf8(output.stdout)
        .expect("UTF-8")
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(said.len(), wanted.len() + 2000);
    for (id, (path, code)) in wanted.iter().enumerate() {
        let answer = said.iter().find(|answer| answer["id"] == id).expect("an answer");
        let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_default();
        assert!(text.contains(&format!("\"code\":\"{code}\"")), "{path}: {answer}");
    }
}
