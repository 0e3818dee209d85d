//! `view`: what the server answers is what other commands print.

use crate::http::{Server, escaped};
use crate::run::{run, sample, temporary_folder, testdata};
use serde_json::{Value, json};
use std::path::Path;

const RANGE: &str = "--key-node /module/train_step --iter-start 15 --iter-stop 58";

/// Rows of a table as the server has them, as objects.
fn served(server: &Server, key: &str, query: &str) -> Vec<Value> {
    let columns: Vec<Value> = server.json("/api/manifest")["tables"]
        .as_array()
        .expect("tables")
        .iter()
        .find(|table| table["key"] == key)
        .expect("the table")["columns"]
        .as_array()
        .expect("columns")
        .clone();
    let answer = server.json(&format!("/api/tables/{key}?{query}"));
    let rows = answer["rows"].as_array().expect("rows").iter();
    let object = |row: &Value| {
        let cells = row.as_array().expect("cells");
        assert_eq!(cells.len(), columns.len(), "{key}");
        let pairs = columns.iter().zip(cells);
        pairs
            .map(|(column, cell)| (column["key"].as_str().expect("a key").to_owned(), parsed(cell)))
            .collect()
    };
    rows.map(object).collect()
}

/// A cell as documents have it: the page parses objects and lists itself.
fn parsed(cell: &Value) -> Value {
    let text = cell.as_str().filter(|text| text.starts_with(['{', '[']));
    text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_else(|| cell.clone())
}

fn shown(words: &str, file: &Path) -> Vec<Value> {
    let run = run(&format!("show {words} --format json -q"), &[file]);
    assert_eq!(run.code, 0, "{run:?}");
    serde_json::from_str(&run.stdout).expect("rows")
}

#[test]
fn every_table_has_the_cells_of_other_commands() {
    let server = Server::start(RANGE, &[&sample()]);
    let folder = temporary_folder();
    let file = folder.path().join("all.json");
    let exported = run(&format!("export {RANGE} -q -o {}", file.display()), &[&sample()]);
    assert_eq!(exported.code, 0, "{exported:?}");
    let all: Value = serde_json::from_slice(&std::fs::read(&file).expect("a file")).expect("JSON");
    let tables = all["tables"].as_object().expect("tables");
    let manifest = server.json("/api/manifest");
    assert_eq!(manifest["tables"].as_array().expect("tables").len(), tables.len());
    assert!(tables.len() > 30, "{}", tables.len());
    for (key, exported) in tables {
        assert_eq!(Value::Array(served(&server, key, "")), *exported, "{key}");
    }
    assert_eq!(served(&server, "ops", ""), shown(&format!("ops {RANGE}"), &sample()));
    assert_eq!(server.json("/api/overview")["verdict"], all["verdict"]);
}

#[test]
fn questions_are_answered_as_show_answers_them() {
    let server = Server::start(RANGE, &[&sample()]);
    for (key, query, words) in [
        ("kernels", "sort=-gpu_time_ns&count=7", "--sort -gpu_time_ns --top 7"),
        (
            "kernels",
            "sort=kernel_name&sort=-gpu_start_ns&count=9",
            "--sort kernel_name,-gpu_start_ns --top 9",
        ),
        (
            "kernels",
            "where=iteration=20&where=gpu_time_ns%3E5000",
            "--where iteration=20 --where gpu_time_ns>5000",
        ),
        ("ops", "where=op_type=conv2d&sort=-gpu_time_ns", "--where op_type=conv2d --sort -gpu_time_ns"),
        (
            "iterations",
            "where=aggregated=yes&sort=-duration_ns&count=3",
            "--where aggregated=yes --sort -duration_ns --top 3",
        ),
    ] {
        let expected = shown(&format!("{key} {words} {RANGE}"), &sample());
        assert!(!expected.is_empty(), "{words}");
        assert_eq!(served(&server, key, query), expected, "{query}");
    }
    let two = server.json("/api/tables/ops?columns=op_id,calls&sort=op_id&count=1");
    assert_eq!(two["rows"].as_array().map(Vec::len), Some(1));
    assert_eq!(two["rows"][0].as_array().map(Vec::len), Some(2));
}

#[test]
fn pages_are_pieces_of_the_whole() {
    let server = Server::start(RANGE, &[&sample()]);
    for order in ["", "&sort=-gpu_time_ns", "&sort=kernel_name&where=gpu_time_ns%3E3000"] {
        let whole = server.json(&format!("/api/tables/kernels?columns=kernel_name,gpu_time_ns{order}"));
        let rows = whole["rows"].as_array().expect("rows");
        let matching = whole["matching"].as_u64().expect("a number");
        assert_eq!(matching, rows.len() as u64);
        let mut joined = Vec::new();
        while joined.len() < rows.len() {
            let from = joined.len();
            let page =
                format!("/api/tables/kernels?columns=kernel_name,gpu_time_ns{order}&from={from}&count=500");
            let page = server.json(&page);
            assert_eq!((&page["matching"], &page["total"]), (&whole["matching"], &whole["total"]));
            joined.extend(page["rows"].as_array().expect("rows").iter().cloned());
            assert!(joined.len() > from, "{order}");
        }
        assert_eq!(&joined, rows, "{order}");
    }
    let behind = server.json("/api/tables/kernels?from=99999999&count=5");
    assert_eq!(behind["rows"], json!([]));
}

#[test]
fn every_word_of_a_search_is_in_some_text() {
    let server = Server::start(RANGE, &[&sample()]);
    let all = served(&server, "ops", "");
    let name = all[0]["op_name"].as_str().expect("a name").to_owned();
    let word = name.rsplit('/').next().expect("a part").to_uppercase();
    let found = served(&server, "ops", &format!("search={}%20FORWARD", escaped(&word)));
    let has = |row: &Value, word: &str| {
        let cells = row.as_object().expect("a row").values().filter_map(Value::as_str);
        cells.clone().any(|cell| cell.to_lowercase().contains(&word.to_lowercase()))
    };
    let expected: Vec<Value> = all.into_iter().filter(|row| has(row, &word) && has(row, "forward")).collect();
    assert_eq!(found, expected);
    assert_eq!(served(&server, "ops", "search=nothing-is-called-so"), Vec::<Value>::new());
}

#[test]
fn another_range_is_what_the_command_line_gives() {
    let server = Server::start(RANGE, &[&sample()]);
    for (body, words) in [
        (
            json!({"start": 20, "stop": 30, "key_node": null, "clock": "gpu"}),
            "--key-node /module/train_step --iter-start 20 --iter-stop 30 --clock gpu",
        ),
        (
            json!({"start": 0, "stop": 0, "key_node": "", "clock": "auto"}),
            "--key-node= --iter-start 0 --iter-stop 0",
        ),
    ] {
        let answer = server.aggregate("", &body.to_string());
        assert_eq!(answer.status, 200, "{}", answer.text());
        let made = answer.json();
        assert_eq!(
            (&made["start"], &made["stop"], &made["is_current"]),
            (&body["start"], &body["stop"], &json!(true))
        );
        let id = made["id"].as_str().expect("an ID");
        for key in ["summary", "ops", "steps", "kernels", "findings"] {
            let expected = shown(&format!("{key} {words}"), &sample());
            assert_eq!(served(&server, key, &format!("aggregation={id}")), expected, "{key} {words}");
        }
        let again = server.aggregate(&format!("?aggregation={id}"), &body.to_string()).json();
        assert_eq!(again["id"], made["id"], "the same request is the same aggregation");
        let window = &server.json(&format!("/api/manifest?aggregation={id}"))["window"];
        assert_eq!((&window["start"], &window["stop"]), (&body["start"], &body["stop"]));
    }
    let listed = server.json("/api/aggregations");
    assert_eq!(listed.as_array().map(Vec::len), Some(3));
    assert_eq!(listed[0]["is_current"], json!(true), "{listed}");
    for (body, status, words) in [
        (r#"{"start": 9, "stop": 3}"#, 422, "ends before it starts"),
        (r#"{"start": 0, "stop": 9999}"#, 422, "9999"),
        (r#"{"start": 0, "stop": 1, "key_node": "no-such-node"}"#, 422, "never ran"),
        (r#"{"start": 0, "stop": 1, "key_node": "re:("}"#, 422, "regular expression"),
        (r#"{"first": 0}"#, 400, "cannot be read"),
        ("{", 400, "cannot be read"),
    ] {
        let answer = server.aggregate("", body);
        assert_eq!(answer.status, status, "{body}: {}", answer.text());
        assert!(
            answer.json()["error"].as_str().is_some_and(|error| error.contains(words)),
            "{}",
            answer.text()
        );
    }
}

/// A rule that fits the range in which the server starts may fail for another one.
#[test]
fn a_rule_that_fails_for_another_range_is_said() {
    let folder = temporary_folder();
    let settings = folder.path().join("mine.toml");
    let rule = "[[rule]]\nid = 'busy'\ntitle = 'busy {busy_percent:.1f} %'\nadvice = 'none'\nwhen = 'busy_percent > 0'\n\
                query = 'select 100.0 * busy_ns / length_ns as busy_percent from gpu_time'\n";
    std::fs::write(&settings, rule).expect("a file");
    let words = format!("--config {} --key-node /module/train_step", settings.display());
    let server = Server::start(&format!("{words} --iter-start 20 --iter-stop 20"), &[&sample()]);
    let first = server.json("/api/overview");
    assert!(first["failed_rules"].is_null(), "{first}");
    assert!(first["findings"].as_array().expect("findings").iter().any(|finding| finding["id"] == "busy"));

    let made = server.aggregate("", r#"{"start": 20, "stop": 22}"#).json();
    let id = made["id"].as_str().expect("an ID");
    let overview = server.json(&format!("/api/overview?aggregation={id}"));
    let [failed] = overview["failed_rules"].as_array().expect("the rule").as_slice() else {
        panic!("{overview}");
    };
    assert_eq!(failed["id"], "busy");
    assert_eq!(failed["problem"], "Rule `busy` of `mine.toml` could not be applied to these iterations");
    let reason = failed["reason"].as_str().expect("a text");
    assert_eq!(reason, "line 6, column 9: `query` of rule `busy` gives 3 rows; one row is needed");
    assert!(!overview["findings"].as_array().expect("findings").is_empty(), "the other rules are applied");
    // Other commands end there.
    let run = run(&format!("rules {words} --iter-start 20 --iter-stop 22"), &[&sample()]);
    assert!(run.code == 2 && run.stderr.contains(reason), "{run:?}");
}

#[test]
fn aggregations_are_remembered() {
    let cache = temporary_folder();
    let first = Server::start_in(cache.path(), &format!("-p 0 {RANGE}"), &[&sample()]);
    let made = first.aggregate("", r#"{"start": 16, "stop": 17}"#).json();
    drop(first);
    let second = Server::start_in(cache.path(), &format!("-p 0 {RANGE}"), &[&sample()]);
    let listed = second.json("/api/aggregations");
    assert_eq!((&listed[0]["id"], &listed[1]["is_current"]), (&made["id"], &json!(true)), "{listed}");
    let id = made["id"].as_str().expect("an ID");
    let words = "--key-node /module/train_step --iter-start 16 --iter-stop 17";
    assert_eq!(
        served(&second, "summary", &format!("aggregation={id}")),
        shown(&format!("summary {words}"), &sample())
    );
    drop(second);
    assert_eq!(crate::run::run_with_cache(cache.path(), "cache clear", &[]).code, 0);
    let third = Server::start_in(cache.path(), &format!("-p 0 {RANGE}"), &[&sample()]);
    assert_eq!(third.json("/api/aggregations").as_array().map(Vec::len), Some(1));
    let unused = Server::start_in(cache.path(), &format!("-p 0 --no-cache {RANGE}"), &[&sample()]);
    assert_eq!(unused.aggregate("", r#"{"start": 16, "stop": 17}"#).status, 200);
    let fourth = Server::start_in(cache.path(), &format!("-p 0 {RANGE}"), &[&sample()]);
    assert_eq!(fourth.json("/api/aggregations").as_array().map(Vec::len), Some(1));
}

#[test]
fn files_are_those_of_the_exporters() {
    let server = Server::start(RANGE, &[&sample()]);
    let condition = escaped("gpu_time_ns > 0");
    for format in ["csv", "json", "tsv", "ndjson"] {
        let file = server.get(&format!(
            "/api/export/ops.{format}?where={condition}&sort=-gpu_time_ns&columns=op_id,gpu_time_ns"
        ));
        let words = format!(
            "show ops --where gpu_time_ns>0 --sort -gpu_time_ns --columns op_id,gpu_time_ns {RANGE} -q --format {format}"
        );
        assert_eq!((file.status, file.text()), (200, run(&words, &[&sample()]).stdout));
        assert!(
            file.head.contains(&format!("attachment; filename=\"sample-ops.{format}\"")),
            "{}",
            file.head
        );
    }
    for (format, start) in [("xlsx", "PK"), ("pdf", "%PDF-"), ("parquet", "PAR1")] {
        let file = server.get(&format!("/api/export/kernels.{format}?count=50"));
        assert!(file.status == 200 && file.body.starts_with(start.as_bytes()), "{format}: {}", file.head);
    }
    for (path, status) in
        [("ops.exe", 404), ("ops", 404), ("opps.csv", 404), ("ops.csv?where=speed=1", 400), ("ops.html", 404)]
    {
        assert_eq!(server.get(&format!("/api/export/{path}")).status, status, "{path}");
    }
}

#[test]
fn reports_of_the_viewer_are_those_of_the_command_line() {
    let server = Server::start(RANGE, &[&sample()]);
    let folder = temporary_folder();
    for format in ["pdf", "xlsx"] {
        let file = server.get(&format!("/api/export/iterations.{format}"));
        let path = folder.path().join(format!("sample.{format}"));
        let words = format!(
            "export {RANGE} -q --tables iterations --max-rows 2000 -o {}",
            path.to_str().expect("UTF-8")
        );
        let exported = run(&words, &[&sample()]);
        assert_eq!((file.status, exported.code), (200, 0), "{exported:?}");
        assert!(
            file.body == std::fs::read(&path).expect("a file"),
            "{format}: times count from the same start"
        );
    }
}

#[test]
fn timelines_and_flame_graphs_are_there() {
    let server = Server::start(RANGE, &[&sample()]);
    let timeline = server.json("/api/timeline/20");
    assert!(timeline["lanes"].as_array().is_some_and(|lanes| !lanes.is_empty()));
    let iteration = &shown(&format!("iterations --iteration 20 {RANGE}"), &sample())[0];
    assert_eq!(timeline["length_ns"], iteration["duration_ns"]);
    let totals = shown(&format!("kernel-totals {RANGE}"), &sample());
    let total =
        totals.iter().find(|row| row["class"] == "All Kernels").expect("the row")["gpu_time_ns"].clone();
    for key in ["modules", "types", "kernels"] {
        let tree = server.json(&format!("/api/flame/{key}"));
        let parts = tree["children"].as_array().expect("parts").iter();
        assert_eq!(parts.map(|part| part["time_ns"].as_i64().unwrap_or(0)).sum::<i64>(), tree["time_ns"]);
        assert_eq!(tree["time_ns"], total);
    }
    let sums = server.json("/api/ranges");
    assert_eq!(sums["counted"].as_array().map(Vec::len), Some(66), "{sums}");
    assert_eq!(server.json("/api/progress"), json!({ "running": [] }));
}

#[test]
fn two_captures_are_compared_and_both_are_selectable() {
    let folder = temporary_folder();
    let other = folder.path().join("other.sqlite");
    std::fs::copy(sample(), &other).expect("a copy");
    let graph = crate::run::database(folder.path(), "cuda-graph.sql");
    let server = Server::start("", &[&sample(), &graph]);
    assert_eq!(server.json("/api/manifest")["has_comparison"], json!(true));
    let compared = run("compare -q --format json", &[&sample(), &graph]);
    // They have nothing in common, which both say.
    assert_eq!(compared.code, 6, "{compared:?}");
    let expected: Value = serde_json::from_str(&compared.stdout).expect("JSON");
    let page = server.json("/api/comparison");
    for (field, value) in expected.as_object().expect("an object") {
        // What the printed document is; the page knows.
        if !["kind", "schema_version"].contains(&field.as_str()) {
            assert_eq!(&page[field], value, "{field}");
        }
    }
    let lengths = page["lengths_ns"][0].as_array().expect("lengths of the baseline");
    assert_eq!(json!(lengths.len()), expected["iterations"][0][0]);
    let listed = server.json("/api/aggregations");
    assert_eq!(
        (&listed[0]["profile_name"], &listed[1]["profile_name"]),
        (&json!("sample"), &json!("cuda-graph"))
    );
    let id = listed[1]["id"].as_str().expect("an ID");
    assert_eq!(served(&server, "gpus", &format!("aggregation={id}")), shown("gpus", &graph));

    let three = Server::start("", &[&sample(), &graph, &other]);
    assert_eq!(three.json("/api/manifest")["has_comparison"], json!(false));
    let none = three.get("/api/comparison");
    assert!(none.status == 404 && none.text().contains("nothing to compare"), "{}", none.text());
    let nine = run("view -p 0", &[&*sample(); 9]);
    assert!(nine.code == 2 && nine.stderr.contains("at most 8"), "{nine:?}");
}

#[test]
fn what_cannot_be_viewed_is_said_as_elsewhere() {
    let missing = run("view -p 0", &[Path::new("missing.sqlite")]);
    assert!(missing.code == 3 && missing.stderr.contains("missing.sqlite"), "{missing:?}");
    let reversed = run("view -p 0 --iter-start 9 --iter-stop 3", &[&sample()]);
    assert!(reversed.code == 2 && reversed.stderr.contains("ends before it starts"), "{reversed:?}");
    let nowhere = run("view -p 0 -b 203.0.113.9", &[&sample()]);
    assert!(nowhere.code == 2 && nowhere.stderr.contains("cannot listen on `203.0.113.9`"), "{nowhere:?}");
    let text = run("view -p 0", &[&testdata("sample.sqlite").with_file_name("no-events.sql")]);
    assert_eq!(text.code, 3, "{text:?}");
}

#[test]
fn texts_like_formulas_are_made_safe_only_where_the_user_asks() {
    let folder = temporary_folder();
    let file = folder.path().join("run.sqlite");
    std::fs::copy(sample(), &file).expect("a copy");
    let database = rusqlite::Connection::open(&file).expect("the copy");
    let renamed = "UPDATE StringIds SET value = '=HYPERLINK(1)' || value WHERE id IN \
                   (SELECT demangledName FROM CUPTI_ACTIVITY_KIND_KERNEL)";
    assert!(database.execute(renamed, []).expect("new names") > 0);
    drop(database);
    for (words, begins) in [("", "=HYPERLINK(1)"), ("--csv-safe", "'=HYPERLINK(1)")] {
        let server = Server::start(words, &[&file]);
        let path = "/api/export/kernel_names.csv?columns=long_kernel_name,gpu_time_ns";
        let text = server.get(path).text();
        let names: Vec<&str> = text.lines().skip(1).map(|line| line.trim_start_matches('"')).collect();
        assert!(!names.is_empty() && names.iter().all(|name| name.starts_with(begins)), "{words}: {names:?}");
        assert_eq!(server.json("/api/manifest")["csv_safe"], json!(!words.is_empty()));
        let other = server.get("/api/export/kernel_names.json?columns=long_kernel_name").text();
        assert!(!other.contains("'=HYPERLINK"), "other formats have the texts of the capture: {other}");
    }
}
