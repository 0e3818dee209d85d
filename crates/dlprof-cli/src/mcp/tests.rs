//! The server, spoken to in lines.

use super::{Mcp, serve};
use crate::library::Asked;
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};

fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata")
}

fn settings(root: &Path) -> Mcp {
    let asked = Asked { no_cache: true, threads: 1, ..Asked::default() };
    let roots = vec![root.to_owned()];
    Mcp { roots, asked, most_tokens: 2_000, most_open: 2, is_structured: false, may_export: false }
}

/// The answers to some messages, by id.
fn answers(settings: &Mcp, messages: &[Json]) -> Vec<Json> {
    let lines: Vec<String> = messages.iter().map(Json::to_string).collect();
    raw(settings, &lines.join("\n"))
}

fn raw(settings: &Mcp, lines: &str) -> Vec<Json> {
    let mut out = Vec::new();
    serve(settings, lines.as_bytes(), &mut out).expect("roots that exist");
    let text = String::from_utf8(out).expect("UTF-8");
    let mut answers: Vec<Json> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    answers.sort_by_key(|answer| answer["id"].as_i64());
    answers
}

fn tool(id: i64, name: &str, arguments: &Json) -> Json {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}})
}

/// The envelope in an answer to a call.
fn envelope(answer: &Json) -> Json {
    let content = answer["result"]["content"].as_array().expect("content");
    assert_eq!(content.len(), 1, "{answer}");
    let text = content[0]["text"].as_str().expect("text");
    assert!(text.len() <= 8_000, "{} bytes", text.len());
    serde_json::from_str(text).expect("an envelope")
}

#[test]
fn three_revisions_are_spoken_and_others_refused() {
    let settings = settings(&testdata());
    for revision in ["2025-06-18", "2025-11-25"] {
        let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": revision}});
        let done = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let said =
            answers(&settings, &[hello, done, json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})]);
        assert_eq!(said[0]["result"]["protocolVersion"], revision);
        assert!(said[1]["result"].get("resultType").is_none() && said.len() == 2, "{said:?}");
    }
    let of = |id: i64, revision: &str| {
        let meta = json!({"io.modelcontextprotocol/protocolVersion": revision});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": {"_meta": meta}})
    };
    let discover = json!({"jsonrpc": "2.0", "id": 3, "method": "server/discover", "params": {}});
    let said = answers(&settings, &[of(1, "2026-07-28"), of(2, "1999-01-01"), discover]);
    assert_eq!(said[0]["result"]["resultType"], "complete");
    assert_eq!(said[1]["error"]["code"], -32022);
    assert_eq!(said[2]["result"]["supportedVersions"][0], "2026-07-28");
}

#[test]
fn the_list_of_tools_is_short() {
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let said = answers(&settings(&testdata()), &[list]);
    let tools = said[0]["result"]["tools"].as_array().expect("tools");
    assert_eq!(tools.len(), 8);
    assert!(said[0]["result"].to_string().len() <= 10_000, "{}", said[0].to_string().len());
    assert!(super::words::INSTRUCTIONS.len() <= 1_200 && crate::answers::GUIDE.len() <= 2_000);
    assert!(tools.iter().all(|tool| tool["annotations"]["readOnlyHint"] == true));
}

#[test]
fn tools_answer_in_the_form() {
    let capture = json!("sample.sqlite");
    let said = answers(
        &settings(&testdata()),
        &[
            tool(1, "open", &json!({"paths": [capture]})),
            tool(2, "ask", &json!({"capture": capture, "question": "why_slow"})),
            tool(3, "findings", &json!({"capture": capture})),
            tool(4, "table", &json!({"capture": capture, "table": "ops", "top": 3})),
            tool(5, "query", &json!({"captures": [capture], "sql": "select count(*) as n from kernels"})),
            tool(6, "compare", &json!({"base": capture, "new": capture})),
            tool(7, "explain", &json!({"name": "occupancy"})),
            tool(8, "table", &json!({"capture": capture})),
        ],
    );
    for answer in &said {
        let envelope = envelope(answer);
        assert!(["answer", "partial"].contains(&envelope["state"].as_str().expect("a state")), "{envelope}");
        assert!(envelope["parts"].is_array() || envelope["say"].is_string(), "{envelope}");
    }
    assert_eq!(envelope(&said[3])["parts"][0]["shown"], 3);
    assert!(envelope(&said[4])["parts"][0]["rows"][0][0].as_i64() > Some(0));
    let key = envelope(&said[0])["capture"]["id"].as_str().expect("a key").to_owned();
    assert!(key.starts_with("c-") && key.len() == 10);
}

#[test]
fn mistakes_of_requests_are_results_that_say_what_to_do() {
    let capture = json!("sample.sqlite");
    let said = answers(
        &settings(&testdata()),
        &[
            tool(1, "ask", &json!({"capture": capture, "question": "why"})),
            tool(2, "table", &json!({"capture": capture, "table": "opps"})),
            tool(3, "query", &json!({"captures": [capture], "sql": "drop table ops"})),
            tool(4, "ask", &json!({"capture": capture, "question": "steady", "cursor": "x"})),
            tool(5, "ask", &json!({"capture": capture, "question": "steady", "colour": "red"})),
            tool(6, "query", &json!({"captures": [capture], "sql": "x".repeat(1 << 20)})),
            tool(7, "ask", &json!({"question": "steady"})),
            tool(8, "no_such_tool", &json!({})),
        ],
    );
    let codes: Vec<String> = said[..7]
        .iter()
        .map(|answer| {
            assert_eq!(answer["result"]["isError"], true, "{answer}");
            envelope(answer)["error"]["code"].as_str().expect("a code").to_owned()
        })
        .collect();
    assert_eq!(codes[1..4], ["unknown_table", "refused_sql", "bad_cursor"]);
    assert_eq!(said[7]["error"]["code"], -32602);
}

#[test]
fn only_files_below_the_roots_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("root");
    std::fs::create_dir(&root).expect("a folder");
    std::fs::write(folder.path().join("outside.sqlite"), "x").expect("a file");
    std::fs::copy(testdata().join("sample.sqlite"), root.join("inside.sqlite")).expect("a copy");
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path().join("outside.sqlite"), root.join("link.sqlite"))
        .expect("a link");
    let outside = folder.path().join("outside.sqlite").display().to_string();
    let missing = folder.path().join("missing.sqlite").display().to_string();
    let names = [
        "../outside.sqlite",
        outside.as_str(),
        missing.as_str(),
        "/proc/self/environ",
        "link.sqlite",
        "a\0b",
        "",
    ];
    let calls: Vec<Json> =
        (1..).zip(names).map(|(id, name)| tool(id, "open", &json!({"paths": [name]}))).collect();
    let said = answers(&settings(&root), &calls);
    let words: Vec<String> = said.iter().map(|answer| envelope(answer)["error"].to_string()).collect();
    assert!(words.iter().all(|one| *one == words[0] && one.contains("outside of the roots")), "{words:?}");
    let said = answers(
        &settings(&root),
        &[
            tool(1, "open", &json!({"paths": ["inside.sqlite"]})),
            tool(2, "open", &json!({"paths": ["none.sqlite"]})),
        ],
    );
    assert_eq!(envelope(&said[0])["state"], "answer");
    assert_eq!(envelope(&said[1])["error"]["code"], "unknown_capture");
}

#[test]
fn garbage_is_skipped_and_too_long_lines_end_the_connection() {
    let ping = |id: i64| json!({"jsonrpc": "2.0", "id": id, "method": "ping"}).to_string();
    let said =
        raw(&settings(&testdata()), &format!("garbage\n[1]\n\n{}\n{{\"id\": 5}}\n{}\n", ping(1), ping(2)));
    assert_eq!(said.iter().map(|answer| answer["id"].as_i64()).collect::<Vec<_>>(), [Some(1), Some(2)]);
    let said = raw(&settings(&testdata()), &format!("{}\n{}\n{}\n", ping(1), "x".repeat(5 << 20), ping(2)));
    assert_eq!(said.len(), 1);
    assert_eq!(raw(&settings(&testdata()), ""), Vec::<Json>::new());
}

#[test]
fn a_cancelled_request_has_no_answer_and_others_have() {
    let running = super::call::Running::default();
    let call = running.begin(&json!(7), None);
    running.cancel(&json!(8));
    assert!(!call.is_cancelled());
    running.cancel(&json!(7));
    assert!(call.is_cancelled() && call.goes_on().is_break());
    let held = super::held::Held::new(1);
    let path = testdata().join("sample.sqlite");
    let asked = Asked { no_cache: true, ..Asked::default() };
    let ended = held.open(&path, &asked, &call, &|_, _| ());
    assert!(ended.is_err(), "reading ends");
    let again = running.begin(&json!(9), None);
    assert!(held.open(&path, &asked, &again, &|_, _| ()).is_ok(), "and can be begun again");
}

#[test]
fn prompts_and_resources_are_there() {
    let said = answers(
        &settings(&testdata()),
        &[
            json!({"jsonrpc": "2.0", "id": 1, "method": "prompts/get", "params": {"name": "diagnose", "arguments": {"capture": "a.sqlite"}}}),
            json!({"jsonrpc": "2.0", "id": 2, "method": "resources/read", "params": {"uri": "dlprof://because"}}),
            json!({"jsonrpc": "2.0", "id": 3, "method": "resources/read", "params": {"uri": "dlprof://table/ops"}}),
            json!({"jsonrpc": "2.0", "id": 4, "method": "resources/read", "params": {"uri": "file:///etc/passwd"}}),
            json!({"jsonrpc": "2.0", "id": 5, "method": "no/such"}),
        ],
    );
    assert!(
        said[0]["result"]["messages"][0]["content"]["text"]
            .as_str()
            .is_some_and(|text| text.contains("a.sqlite"))
    );
    assert!(said[1].to_string().contains("no_gpu_metrics") && said[2].to_string().contains("gpu_time_ns"));
    assert_eq!(said[3]["error"]["code"], -32602);
    assert_eq!(said[4]["error"]["code"], -32601);
}
