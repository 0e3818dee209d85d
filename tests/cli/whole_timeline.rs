//! The timeline of the whole capture, as the server sends it.

use crate::http::Server;
use crate::run::{run, sample, temporary_folder};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// All that tiles of a level have of lanes of a kind: number of items and their time.
fn sums(server: &Server, kind: &str, level: u32) -> (i64, i64) {
    let head = server.json("/api/lanes");
    let lanes: Vec<String> = (0_usize..)
        .zip(head["lanes"].as_array().expect("lanes"))
        .filter(|(_, lane)| lane["kind"] == kind)
        .map(|(at, _)| at.to_string())
        .collect();
    let length = 512_i64 << level;
    let ends = ["start_ns", "end_ns"].map(|end| head[end].as_i64().expect("a time").div_euclid(length));
    let (mut count, mut time) = (0, 0);
    for number in ends[0]..=ends[1] {
        let answer = server.get(&format!("/api/tile/{level}/{number}/{}", lanes.join(",")));
        assert!(answer.status == 200 && answer.body.len() < 500_000, "{}", answer.body.len());
        let tile = answer.json();
        assert_eq!(tile["next"], Value::Null);
        for row in tile["rows"].as_array().expect("rows") {
            let at = |key: &str, at: usize| row[key][at].as_i64();
            for piece in 0..row["start_ns"].as_array().expect("starts").len() {
                if at("start_ns", piece) >= Some(0) {
                    count += at("count", piece).unwrap_or(1);
                    time += at("length_ns", piece).expect("a length");
                }
            }
        }
    }
    (count, time)
}

/// Number and time of the rows of a table of the export.
fn recorded(table: &str) -> (i64, i64) {
    let database = rusqlite::Connection::open(sample()).expect("the sample");
    let query = format!("SELECT count(*), coalesce(sum(\"end\" - start), 0) FROM {table}");
    database.query_row(&query, [], |row| Ok((row.get(0)?, row.get(1)?))).expect("the table")
}

#[test]
fn tiles_of_every_level_hold_what_the_export_holds() {
    let server = Server::start("", &[&sample()]);
    let of_gpu = ["KERNEL", "MEMCPY", "MEMSET"].map(|kind| recorded(&format!("CUPTI_ACTIVITY_KIND_{kind}")));
    let work = of_gpu.iter().fold((0, 0), |sum, rows| (sum.0 + rows.0, sum.1 + rows.1));
    let calls = recorded("CUPTI_ACTIVITY_KIND_RUNTIME");
    for level in [16, 19, 24] {
        assert_eq!(sums(&server, "stream", level), work, "level {level}");
        assert_eq!(sums(&server, "api_calls", level), calls, "level {level}");
    }
}

#[test]
fn an_item_leads_to_its_launch() {
    let server = Server::start("", &[&sample()]);
    let head = server.json("/api/lanes");
    let lanes = head["lanes"].as_array().expect("lanes");
    let stream = lanes.iter().position(|lane| lane["kind"] == "stream").expect("a stream");
    let kernel = server.json(&format!("/api/item/{stream}/0/20"));
    let launch = &kernel["launch"];
    assert_eq!(
        lanes[launch["lane"].as_u64().and_then(|at| usize::try_from(at).ok()).expect("a lane")]["kind"],
        "api_calls"
    );
    let call = server.json(&format!("/api/item/{}/{}/{}", launch["lane"], launch["row"], launch["item"]));
    let launched = call["launched"].as_array().expect("work");
    assert!(launched.iter().any(|work| work["start_ns"] == kernel["start_ns"]), "{call}");
}

#[test]
fn a_range_holds_what_a_cut_capture_holds() {
    let server = Server::start("", &[&sample()]);
    let (from, to) = (5_000_000, 9_000_123);
    let sums = server.json(&format!("/api/time-range/{from}/{to}"));
    let list = |key: &str| {
        let lists = sums["lists"].as_array().expect("lists");
        lists.iter().find(|list| list["key"] == key).expect("the list")["rows"]
            .as_array()
            .expect("rows")
            .clone()
    };
    let time = |rows: &[Value]| rows.iter().map(|row| row["time_ns"].as_i64().expect("a time")).sum::<i64>();
    let cut = run(
        &format!(
            "show kernel-names --from {from}ns --to {to}ns --key-node= --iter-range all --format json -q"
        ),
        &[&sample()],
    );
    let kernels: Vec<Value> = serde_json::from_str(&cut.stdout).expect("rows");
    assert!(!kernels.is_empty(), "{cut:?}");
    let mut compared = 0;
    for row in list("work") {
        let name = row["name"].as_str().expect("a name");
        let of_name =
            |kernel: &&Value| kernel["long_kernel_name"].as_str().is_some_and(|long| long.contains(name));
        let same: Vec<&Value> = kernels.iter().filter(of_name).collect();
        if !same.is_empty() {
            let sum =
                |key: &str| same.iter().map(|kernel| kernel[key].as_i64().expect("a number")).sum::<i64>();
            assert_eq!(
                (&row["time_ns"], &row["count"]),
                (&sum("gpu_time_ns").into(), &sum("calls").into()),
                "{name}"
            );
            compared += same.len();
        }
    }
    assert_eq!(compared, kernels.len());
    assert_eq!(time(&list("work")), time(&list("ops")));
    assert_eq!(time(&list("classes")), to - from);
    let answer = server.get("/api/time-range/9/9");
    assert_eq!(answer.status, 404);
}

#[test]
fn items_are_found_by_name() {
    let server = Server::start("", &[&sample()]);
    let found = server.json("/api/find/0?search=gemm");
    let other = server.json("/api/find/0?search=launchkernel");
    let count = |answer: &Value| answer["count"].as_u64().expect("a number");
    assert!(count(&found) > 0 && count(&other) > 0 && count(&found) != count(&other), "{found}");
    let names =
        found["next"].as_array().expect("items").iter().map(|item| item["name"].as_str().unwrap_or_default());
    assert!(
        names.clone().all(|name| name.to_lowercase().contains("gemm")),
        "{:?}",
        names.collect::<Vec<_>>()
    );
    assert_eq!(count(&server.json("/api/find/0?search=no%20such%20name")), 0);
}

#[test]
fn what_is_not_there_is_said() {
    let server = Server::start("", &[&sample()]);
    for path in [
        "tile/70/0/0",
        "tile/-1/0/0",
        "tile/20/x/0",
        "tile/20/0/a",
        "tile/20/0/",
        "item/9999/0/0",
        "item/0/0/x",
        "find/soon",
    ] {
        let answer = server.get(&format!("/api/{path}"));
        assert_eq!(answer.status, 404, "{path}");
        assert!(answer.json()["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{path}");
    }
    let none = server.json("/api/tile/20/0/9999");
    assert_eq!(none["rows"], serde_json::json!([]));
}

/// The sample with two counters: memory in use, and a metric.
fn with_counters(folder: &Path) -> PathBuf {
    let path = folder.join("counters.sqlite");
    std::fs::copy(sample(), &path).expect("a copy");
    let database = rusqlite::Connection::open(&path).expect("the copy");
    let sql = "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER, globalPid INTEGER, deviceId INTEGER, bytes INTEGER,
            memKind INTEGER, memoryOperationType INTEGER);
        INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS SELECT start, globalPid, deviceId, 1000 + correlationId % 7, 2, 0
            FROM CUPTI_ACTIVITY_KIND_KERNEL;
        CREATE TABLE GPU_METRICS (timestamp INTEGER, typeId INTEGER, metricId INTEGER, value INTEGER);
        INSERT INTO GPU_METRICS SELECT start, 0, 4, correlationId % 90 + 5 FROM CUPTI_ACTIVITY_KIND_KERNEL;
        CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER, sourceId INTEGER, typeName TEXT, metricId INTEGER, metricName TEXT);
        INSERT INTO TARGET_INFO_GPU_METRICS VALUES (0, 0, 'GPU Metrics', 4, 'SMs Active [%]');";
    database.execute_batch(sql).expect("tables");
    path
}

#[test]
fn counters_have_the_values_of_the_export() {
    let folder = temporary_folder();
    let path = with_counters(folder.path());
    let server = Server::start("", &[&path]);
    let head = server.json("/api/lanes");
    let lanes = head["lanes"].as_array().expect("lanes").len();
    let counters = head["counters"].as_array().expect("counters");
    assert_eq!(counters.len(), 2, "{counters:?}");
    let database = rusqlite::Connection::open(&path).expect("the copy");
    let number = |query: &str| database.query_row(query, [], |row| row.get::<_, f64>(0)).expect("a number");
    let all = number("SELECT 1.0 * sum(bytes) FROM CUDA_GPU_MEMORY_USAGE_EVENTS");
    let largest = number("SELECT 1.0 * max(value) FROM GPU_METRICS");
    assert_eq!((&counters[0]["name"], &counters[0]["high"]), (&"GPU memory in use".into(), &all.into()));
    assert_eq!((&counters[1]["name"], &counters[1]["high"]), (&"SMs Active [%]".into(), &largest.into()));
    // A tile says what all tiles of the next level say together.
    for (at, counter) in counters.iter().enumerate() {
        let entries = |level: u32, number: i64| {
            let tile = server.json(&format!("/api/tile/{level}/{number}/{}", lanes + at));
            let shown = tile["counters"][0].clone();
            let list = |key: &str| {
                shown[key].as_array().into_iter().flatten().filter_map(Value::as_f64).collect::<Vec<f64>>()
            };
            (list("low"), list("high"), list("last"))
        };
        let wide = entries(16, 0);
        let (first, second) = (entries(15, 0), entries(15, 1));
        let most = |lists: [&[f64]; 2]| lists.concat().into_iter().fold(f64::MIN, f64::max);
        assert!((most([&wide.1, &[]]) - most([&first.1, &second.1])).abs() < 0.5, "{counter}");
        assert_eq!(wide.2.last(), second.2.last(), "{counter}");
        assert!(wide.0.iter().zip(&wide.1).all(|(low, high)| low <= high), "{counter}");
        assert!(wide.0.len() <= 513 && wide.0.len() > 20, "{counter}");
    }
}
