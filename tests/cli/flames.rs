//! Files for other tools: stacks, event files, Prometheus, job summaries. Each is read back here, and by a foreign reader where
//! one is installed (`tests/foreign`).

use crate::foreign::accepted;
use crate::run::{Run, command, run, sample, temporary_folder};
use rusqlite::Connection;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Exports a file with some options, and the bytes of what was written.
fn export(words: &str, input: &Path, output: &Path) -> Vec<u8> {
    let written = run(&format!("export -q --force {words} -o"), &[output, input]);
    assert_eq!(written.code, 0, "{written:?}");
    fs::read(output).unwrap_or_default()
}

fn export_text(words: &str, input: &Path, output: &Path) -> String {
    String::from_utf8(export(words, input, output)).expect("UTF-8")
}

/// The rows of a table.
fn rows(words: &str, table: &str, input: &Path) -> Vec<Value> {
    let shown = run(&format!("show {table} -q --format json {words}"), &[input]);
    assert_eq!(shown.code, 0, "{shown:?}");
    serde_json::from_str(&shown.stdout).expect("an array")
}

fn number(row: &Value, key: &str) -> f64 {
    row[key].as_f64().unwrap_or_else(|| panic!("{key} in {row}"))
}

fn assert_fails(run: &Run, code: i32, message: &str, hint: &str) {
    assert_eq!(run.code, code, "{run:?}");
    assert!(run.stderr.contains(message) && run.stderr.contains(hint), "{run:?}");
}

/// A copy of the sample with some SQL run on it.
fn changed(folder: &Path, sql: &str) -> PathBuf {
    let file = folder.join("changed.sqlite");
    fs::copy(sample(), &file).expect("a copy");
    let connection = Connection::open(&file).expect("a database");
    connection.execute_batch(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    file
}

/// Without kernels, copies and memsets.
fn without_gpu_work(folder: &Path) -> PathBuf {
    let tables = ["KERNEL", "MEMCPY", "MEMSET"];
    changed(folder, &tables.map(|table| format!("DELETE FROM CUPTI_ACTIVITY_KIND_{table};")).concat())
}

/// A kernel and an op with names that mean something to formats.
fn with_odd_names(folder: &Path) -> PathBuf {
    changed(
        folder,
        "UPDATE StringIds SET value = 'k;e\\x3b\\r\nr <b>\"n\"|*`_ 128' WHERE id =
             (SELECT min(demangledName) FROM CUPTI_ACTIVITY_KIND_KERNEL);
         UPDATE StringIds SET value = replace(value, 'Net::forward', 'Net;&b|*_ 7') WHERE value LIKE '%funcStack%';",
    )
}

/// Captures of several kinds.
fn captures(folder: &Path) -> Vec<PathBuf> {
    let styles = [
        "--style markers --processes 2 --gpus 2 --kernels 400",
        "--style ranges --kernels 400",
        "--style none --kernels 400",
    ];
    let make = |(at, options): (usize, &str)| {
        let file = folder.join(format!("made-up-{at}.sqlite"));
        dlprof_generate::write_export(&file, options).expect("an export");
        file
    };
    let database = folder.join("dlprof_dldb.sqlite");
    export("--key-node /module/train_step", &sample(), &database);
    let others = [sample(), with_odd_names(folder), database];
    styles.into_iter().enumerate().map(make).chain(others).collect()
}

type Stacks = BTreeMap<Vec<String>, i64>;

fn folded(text: &str) -> Stacks {
    let unescaped = |frame: &str| {
        let mut text = String::new();
        let mut rest = frame;
        while let Some((before, behind)) = rest.split_once('\\') {
            text.push_str(before);
            let (letter, behind) = match behind.strip_prefix('\\') {
                Some(behind) => ('\\', behind),
                None => {
                    (char::from(u8::from_str_radix(&behind[1..3], 16).expect("two digits")), &behind[3..])
                }
            };
            text.push(letter);
            rest = behind;
        }
        text + rest
    };
    let stack = |line: &str| {
        let (stack, weight) = line.rsplit_once(' ').expect("a weight");
        (stack.split(';').map(unescaped).collect(), weight.parse().expect("whole nanoseconds"))
    };
    let stacks: Stacks = text.lines().map(stack).collect();
    assert_eq!(stacks.len(), text.lines().count(), "every stack stands once");
    stacks
}

fn speedscope(text: &str) -> Stacks {
    let file: Value = serde_json::from_str(text).expect("JSON");
    let name = |frame: &Value| {
        let frame = frame.as_u64().and_then(|frame| usize::try_from(frame).ok()).expect("a place");
        file["shared"]["frames"][frame]["name"].as_str().expect("a name").to_owned()
    };
    let profile = &file["profiles"][0];
    let list = |key: &str| profile[key].as_array().expect("a list").iter();
    let stacks = list("samples").map(|sample| sample.as_array().expect("frames").iter().map(name).collect());
    stacks.zip(list("weights").map(|weight| weight.as_i64().expect("whole nanoseconds"))).collect()
}

#[test]
fn stacks_add_up_to_kernels_by_name() {
    let folder = temporary_folder();
    let at = |name: &str| folder.path().join(name);
    for capture in captures(folder.path()) {
        for words in ["", "--iter-start 2 --iter-stop 3", "--iter-range all"] {
            let lines = export_text(words, &capture, &at("a.folded"));
            let stacks = folded(&lines);
            let file = export_text(words, &capture, &at("a.speedscope.json"));
            assert_eq!(speedscope(&file), stacks, "{}", capture.display());
            let mut kernels: BTreeMap<&str, i64> = BTreeMap::new();
            for (stack, weight) in &stacks {
                let leaf = stack.last().expect("a frame").as_str();
                if !leaf.starts_with("[copy ") && leaf != "[memset]" {
                    *kernels.entry(leaf).or_default() += weight;
                }
            }
            let table = rows(words, "kernel_names", &capture);
            let text = |row: &Value| row["long_kernel_name"].as_str().map(str::to_owned);
            let expected: BTreeMap<Option<String>, Option<i64>> =
                table.iter().map(|row| (text(row), row["gpu_time_ns"].as_i64())).collect();
            let found: BTreeMap<Option<String>, Option<i64>> =
                kernels.into_iter().map(|(name, ns)| (Some(name.to_owned()), Some(ns))).collect();
            assert_eq!(found, expected, "{} {words}", capture.display());
            let all = rows(words, "kernel_totals", &capture)[0]["gpu_time_ns"].as_i64();
            assert_eq!(Some(stacks.values().sum()), all, "copies and memsets are in the stacks");
            assert!(export_text(&format!("{words} --threads 1"), &capture, &at("a.folded")) == lines);
            export(&format!("{words} --tables kernel_names"), &capture, &at("a.csv"));
            accepted("stacks.py", &[&at("a.folded"), &at("a.speedscope.json"), &at("a.csv")]);
        }
    }
}

#[test]
fn a_stack_is_module_path_op_and_kernel() {
    let folder = temporary_folder();
    let lines = export_text("", &sample(), &folder.path().join("a.collapsed"));
    let conv2d =
        "module;Net::_call_impl;Net::forward;Conv2d::_call_impl;Conv2d::forward;conv2d;sm80_xmma_fprop";
    assert!(lines.lines().any(|line| line.starts_with(conv2d)), "{lines}");
    assert!(lines.lines().any(|line| line.contains(";[copy ") || line.contains(";[memset] ")), "{lines}");
    assert!(lines.lines().is_sorted(), "{lines}");
    let file = export_text("", &sample(), &folder.path().join("a.speedscope.json"));
    let file: Value = serde_json::from_str(&file).expect("JSON");
    assert_eq!(file["name"], "sample");
    let name = file["profiles"][0]["name"].as_str().expect("a name");
    assert!(name.starts_with("GPU time: iterations 2 to 64 of 0 to 64"), "{name}");
}

#[test]
fn names_mean_nothing_to_collapsed_stacks() {
    let folder = temporary_folder();
    let capture = with_odd_names(folder.path());
    let lines = export_text("", &capture, &folder.path().join("a.folded"));
    let kernel = "k\\x3be\\\\x3b\\\\r\\x0ar <b>\"n\"|*`_\\x20128 ";
    assert!(lines.lines().any(|line| line.contains(kernel)), "{lines}");
    assert!(lines.lines().any(|line| line.contains(";Net\\x3b&b|*_ 7;")), "{lines}");
}

#[test]
fn files_without_content_are_refused() {
    let folder = temporary_folder();
    let kernels = "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL";
    let others: [&dyn Fn() -> PathBuf; 2] =
        [&|| without_gpu_work(folder.path()), &|| changed(folder.path(), kernels)];
    for capture in others {
        for name in ["a.folded", "a.speedscope.json"] {
            let failed = run("export -o", &[&folder.path().join(name), &capture()]);
            assert_fails(&failed, 5, "has no kernels", "--trace=cuda,nvtx");
        }
    }
    let failed = run("export --key-node= --format tensorboard -o", &[&folder.path().join("run"), &sample()]);
    assert_fails(&failed, 5, "there are no iterations", "--key-node NAME");
    let failed = run("export --format tensorboard -o", &[&folder.path().join("a.events"), &sample()]);
    assert_fails(&failed, 2, "TensorBoard reads files with `tfevents` in their name", "a.tfevents`");
    let failed = run("export --tables ops -o", &[&folder.path().join("a.prom"), &sample()]);
    assert_fails(&failed, 2, "is a file for another tool and holds no tables", "--tables");
    let failed = run("export -o", &[Path::new(""), &sample()]);
    assert_fails(&failed, 2, "a value is required for '--output <PATH>'", "");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "nothing was written");
}

/// CRC-32C, bit by bit.
fn crc32c(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| (crc >> 1) ^ (0x82f6_3b78 & 0_u32.wrapping_sub(crc & 1));
    !bytes.iter().fold(!0, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), step))
}

/// The records of an event file, whose checksums are right.
fn records(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut records = Vec::new();
    let mut take = |length: usize| {
        let (head, rest) = bytes.split_at(length);
        bytes = rest;
        (head, rest.is_empty())
    };
    let masked = |bytes: &[u8]| crc32c(bytes).rotate_right(15).wrapping_add(0xa282_ead8).to_le_bytes();
    loop {
        let length = take(8).0;
        assert_eq!(take(4).0, masked(length));
        let length = u64::from_le_bytes(length.try_into().expect("eight bytes"));
        let data = take(usize::try_from(length).expect("a length")).0;
        let (checksum, is_last) = take(4);
        assert_eq!(checksum, masked(data));
        records.push(data);
        if is_last {
            return records;
        }
    }
}

/// The fields of a message with their numbers; numbers as their bytes.
fn fields(mut bytes: &[u8]) -> Vec<(u64, Vec<u8>)> {
    fn varint(bytes: &mut &[u8]) -> u64 {
        let end = bytes.iter().position(|byte| byte & 0x80 == 0).expect("an end") + 1;
        let (digits, rest) = bytes.split_at(end);
        *bytes = rest;
        digits.iter().rev().fold(0, |value, digit| value << 7 | u64::from(digit & 0x7f))
    }
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let length = match key & 7 {
            0 => {
                fields.push((key >> 3, varint(&mut bytes).to_le_bytes().to_vec()));
                continue;
            }
            1 => 8,
            2 => usize::try_from(varint(&mut bytes)).expect("a length"),
            5 => 4,
            wire => panic!("wire type {wire}"),
        };
        let (value, rest) = bytes.split_at(length);
        fields.push((key >> 3, value.to_vec()));
        bytes = rest;
    }
    fields
}

/// By tag: step, time in seconds, and value.
type Series = BTreeMap<String, Vec<(u64, f64, f64)>>;

fn series(bytes: &[u8]) -> Series {
    let mut series = Series::new();
    for (at, record) in records(bytes).into_iter().enumerate() {
        let event: BTreeMap<u64, Vec<u8>> = fields(record).into_iter().collect();
        let whole = |field: u64| u64::from_le_bytes(event[&field][..].try_into().expect("eight bytes"));
        if at == 0 {
            assert_eq!(event[&3], b"brain.Event:2");
            continue;
        }
        for (_, value) in fields(&event[&5]) {
            let value: BTreeMap<u64, Vec<u8>> = fields(&value).into_iter().collect();
            let tag = String::from_utf8(value[&1].clone()).expect("UTF-8");
            let number = f32::from_le_bytes(value[&2][..].try_into().expect("four bytes"));
            series.entry(tag).or_default().push((whole(2), f64::from_bits(whole(1)), number.into()));
        }
    }
    series
}

/// As numbers of 32 bits: what the format holds.
fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * a.abs().max(b.abs()).max(1e-6)
}

#[test]
fn event_files_have_scalars_per_iteration() {
    let folder = temporary_folder();
    let file = folder.path().join("a.tfevents");
    for words in ["--batch-size 32", "--iter-start 3 --iter-stop 7", "--iter-range all --clock gpu"] {
        let bytes = export(words, &sample(), &file);
        assert!(export(&format!("{words} --threads 1"), &sample(), &file) == bytes);
        let found = series(&bytes);
        // What lies between runs of iterations is not a step.
        let conditions = "--where aggregated=yes --where state!=outside";
        let iterations = rows(&format!("{words} {conditions}"), "iterations", &sample());
        let is_step = |row: &Value| iterations.iter().any(|step| step["iteration"] == row["iteration"]);
        let of_steps = |table: &str| {
            let rows = rows(words, table, &sample()).into_iter();
            rows.filter(&is_step).collect::<Vec<Value>>()
        };
        let (steps, busy) = (of_steps("steps"), of_steps("gpu_time"));
        let expect = |tag: &str, rows: &[Value], value: &dyn Fn(&Value) -> f64| {
            let points = found.get(tag).unwrap_or_else(|| panic!("no tag {tag} in {:?}", found.keys()));
            assert_eq!(points.len(), rows.len(), "{tag} {words}");
            for ((step, _, found), row) in points.iter().zip(rows) {
                assert_eq!(Some(*step), row["iteration"].as_u64(), "{tag}");
                assert!(is_near(*found, value(row)), "{tag}: {found}, {row}");
            }
        };
        expect("iteration/time_ms", &steps, &|row| number(row, "length_ns") / 1e6);
        for class in ["gpu", "communication", "copy", "input", "cpu", "sync", "other"] {
            expect(&format!("step/{class}_ms"), &steps, &|row| number(row, &format!("{class}_ns")) / 1e6);
        }
        expect("iteration/gpu_busy_percent", &busy, &|row| {
            100.0 * number(row, "busy_ns") / number(row, "length_ns")
        });
        match words.contains("batch") {
            true => expect("iteration/items_per_s", &iterations, &|row| number(row, "items_per_s")),
            false => assert!(!found.contains_key("iteration/items_per_s")),
        }
        // The capture began at 2024-01-02 03:04:05.
        for ((_, time, _), row) in found["iteration/time_ms"].iter().zip(&iterations) {
            let expected = 1_704_164_645.0 + number(row, "start_ns") / 1e9;
            assert!((time - expected).abs() < 1e-5, "{time}, not {expected}");
        }
    }
}

#[test]
fn what_is_not_known_has_no_scalar() {
    let folder = temporary_folder();
    let capture = without_gpu_work(folder.path());
    let words = "--key-node /module/Net::_call_impl/Net::forward/relu";
    let found = series(&export(words, &capture, &folder.path().join("a.tfevents")));
    assert_eq!(found.keys().collect::<Vec<_>>(), ["iteration/time_ms"]);
}

#[test]
fn tensorboard_reads_event_files() {
    let folder = temporary_folder();
    let path = |name: &str| folder.path().join(name);
    // A path with a slash, one without, and a folder that is there: each is a run.
    for run in ["runs/", "runs/one/", "runs/two"] {
        fs::create_dir_all(path("runs")).expect("a folder");
        export("--format tensorboard --batch-size 4", &sample(), &path(run));
    }
    let file = path("runs/one/events.out.tfevents.0.dlprof-agg");
    let expected = series(&fs::read(&file).expect("an event file"));
    let again = run("export --format tensorboard -o", &[&path("runs/one"), &sample()]);
    assert_fails(&again, 4, "exists", "--force");
    assert_eq!(fs::read_dir(path("runs")).expect("a folder").count(), 3, "nothing else is left");
    let Some(found) = accepted("tensorboard_events.py", &[&path("runs")]) else { return };
    let found: BTreeMap<String, Series> = serde_json::from_str(&found).expect("JSON");
    assert_eq!(found.keys().collect::<Vec<_>>(), [".", "one", "two"]);
    assert!(found.values().all(|run| *run == expected), "{found:?}");
}

/// The samples of a file for Prometheus, by name and labels as they stand. Every line follows the grammar.
fn samples(text: &str) -> BTreeMap<String, f64> {
    let mut samples = BTreeMap::new();
    let mut family = String::new();
    for line in text.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (name, words) = help.split_once(' ').expect("a text");
            assert!(!words.is_empty() && !words.contains('\\'), "{line}");
            family = name.to_owned();
        } else if let Some(kind) = line.strip_prefix("# TYPE ") {
            assert_eq!(kind, format!("{family} gauge"));
        } else {
            let (sample, value) = line.rsplit_once(' ').expect("a value");
            assert_eq!(sample.split('{').next(), Some(family.as_str()), "{line}");
            assert!(family.starts_with("dlprof_") && sample.ends_with("\"}"), "{line}");
            let value: f64 = value.parse().expect("a number");
            assert!(value.is_finite(), "{line}");
            assert!(samples.insert(sample.to_owned(), value).is_none(), "{line} stands twice");
        }
    }
    samples
}

#[test]
fn prometheus_has_the_figures_of_the_dashboard() {
    let folder = temporary_folder();
    let file = folder.path().join("a.prom");
    let words = "--batch-size 32 --profile-name a\"b\\c";
    let text = export_text(words, &sample(), &file);
    let found = samples(&text);
    let overview: Value =
        serde_json::from_str(&run("-q --format json --batch-size 32", &[&sample()]).stdout).expect("JSON");
    let expect = |name: &str, labels: &str, value: f64| {
        let sample = format!("dlprof_{name}{{capture=\"a\\\"b\\\\c\"{labels}}}");
        let found = *found.get(&sample).unwrap_or_else(|| panic!("no {sample} in\n{text}"));
        assert!((found - value).abs() <= 1e-12 * value.abs(), "{sample}: {found}, not {value}");
    };
    let tiles = &overview["tiles"];
    expect("iteration_seconds", "", number(tiles, "iteration_ns") / 1e9);
    expect("busy_ratio", "", number(tiles, "gpu_busy_percent") / 100.0);
    expect("tensor_core_ratio", "", number(tiles, "tensor_core_percent") / 100.0);
    expect("items_per_second", "", number(tiles, "items_per_s"));
    expect("iteration_kernels", "", number(tiles, "kernels"));
    for part in overview["step"]["classes"].as_array().expect("classes") {
        let class = part["class"].as_str().expect("a class");
        expect("iteration_class_seconds", &format!(",class=\"{class}\""), number(part, "ns") / 1e9);
    }
    for row in overview["step"]["idle"].as_array().expect("causes") {
        let cause = row["cause"].as_str().expect("a cause");
        expect("iteration_idle_seconds", &format!(",cause=\"{cause}\""), number(row, "ns") / 1e9);
    }
    let findings = overview["findings"].as_array().expect("findings");
    for severity in ["error", "warning", "note"] {
        let count = findings.iter().filter(|finding| finding["severity"] == severity).count();
        expect(
            "findings",
            &format!(",severity=\"{severity}\""),
            f64::from(u32::try_from(count).expect("few")),
        );
    }
    for finding in findings {
        let labels = format!(",finding={},severity={}", finding["id"], finding["severity"]);
        expect("finding", &labels, 1.0);
    }
    assert!(!text.contains("_bytes") && text.ends_with('\n'));
}

#[test]
fn prometheus_names_what_times_are_of() {
    let folder = temporary_folder();
    let file = folder.path().join("a.prom");
    let whole = export_text("--key-node=", &sample(), &file);
    assert!(
        whole.contains("\ndlprof_window_class_seconds{") && !whole.contains("dlprof_iteration"),
        "{whole}"
    );
    let capture = without_gpu_work(folder.path());
    let empty = export_text("", &capture, &file);
    for unknown in ["busy", "class", "kernel", "tensor_core", "idle"] {
        let is_metric = |line: &&str| !line.starts_with('#') && !line.starts_with("dlprof_finding");
        let known = empty
            .lines()
            .filter(is_metric)
            .find(|line| line.split('{').next().is_some_and(|name| name.contains(unknown)));
        assert_eq!(known, None, "a capture without GPU work does not know it");
    }
}

#[test]
fn the_client_of_prometheus_reads_the_text() {
    let folder = temporary_folder();
    let file = folder.path().join("a.prom");
    for capture in captures(folder.path()).into_iter().chain([without_gpu_work(folder.path())]) {
        let text = export_text("--profile-name a\"b\\c", &capture, &file);
        let Some(read) = accepted("prometheus_text.py", &[&file]) else { return };
        let read: Vec<(String, BTreeMap<String, String>, f64)> = serde_json::from_str(&read).expect("JSON");
        let own = samples(&text);
        assert_eq!(read.len(), own.len());
        for ((name, labels, value), line) in
            read.iter().zip(text.lines().filter(|line| !line.starts_with('#')))
        {
            assert_eq!(labels["capture"], "a\"b\\c");
            let (sample, _) = line.rsplit_once(' ').expect("a value");
            assert!(sample.starts_with(name.as_str()));
            assert!((own[sample] - value).abs() <= 1e-15 * value.abs());
        }
    }
}

#[test]
fn job_summaries_are_appended_to() {
    let folder = temporary_folder();
    let summary = folder.path().join("step_summary_1");
    fs::write(&summary, "| a |\n").expect("a file");
    let export = |path: &Path, more: &str| {
        let mut command = command(folder.path(), &format!("export -q {more} -o"), &[path, &sample()]);
        let output = command.env("GITHUB_STEP_SUMMARY", &summary).output().expect("the program starts");
        (output.status.code(), String::from_utf8(output.stderr).expect("UTF-8"))
    };
    let dashboard = run("-q --format markdown", &[&sample()]).stdout;
    assert!(dashboard.starts_with("## sample.sqlite\n"), "{dashboard}");
    // The path of the environment needs no format, and a report may be written at the same time.
    let report = folder.path().join("report.html");
    assert_eq!(export(&summary, &format!("-o {}", report.display())).0, Some(0));
    assert_eq!(fs::read_to_string(&summary).expect("the summary"), format!("| a |\n\n{dashboard}"));
    assert!(fs::read_to_string(report).expect("the page").starts_with("<!DOCTYPE html>"));
    // Other files take the format's name, and are made.
    let other = folder.path().join("summary.md");
    for times in 1..=2 {
        assert_eq!(export(&other, "--format step-summary").0, Some(0));
        let text = fs::read_to_string(&other).expect("the summary");
        assert_eq!(text, format!("\n{dashboard}").repeat(times));
    }
    fs::write(&summary, vec![b'x'; 1 << 20]).expect("a file");
    let (code, stderr) = export(&summary, "");
    assert!(code == Some(4) && stderr.contains("GitHub shows at most 1048576"), "{stderr}");
    assert_eq!(fs::metadata(&summary).expect("the summary").len(), 1 << 20, "nothing was added");
}

#[test]
fn names_mean_nothing_to_a_job_summary() {
    let folder = temporary_folder();
    let capture = with_odd_names(folder.path());
    let text = export_text("--format step-summary", &capture, &folder.path().join("a.md"));
    // Between backticks nothing is markup.
    let outside: String = text.replace("\\`", "").split('`').step_by(2).collect();
    assert!(!outside.contains("<b>"), "{text}");
    assert!(text.contains("/Net;&amp;b\\|\\*\\_ 7/"), "{text}");
    let long = changed(
        folder.path(),
        "UPDATE StringIds SET value = printf('%.*c', 100000, 'x') || id WHERE id IN
             (SELECT demangledName FROM CUPTI_ACTIVITY_KIND_KERNEL);",
    );
    let text = export_text("--format step-summary", &long, &folder.path().join("b.md"));
    assert!(text.len() < 50_000, "{} bytes", text.len());
}

/// What DLProf's plugin for TensorBoard had as tabs: ops, groups, and the summary of the model.
#[test]
fn the_tabs_of_dlprofs_plugin_are_tables() {
    let ops = rows("", "ops", &sample());
    let is = |row: &Value, key: &str| row[key] == true;
    let compatible = |row: &&Value| is(row, "tc_eligible") || is(row, "using_tc");
    let summary = &rows("", "model_summary", &sample())[0];
    let count = |count: usize| u64::try_from(count).ok();
    let time =
        |rows: &mut dyn Iterator<Item = &Value>| rows.map(|row| number(row, "gpu_time_ns")).sum::<f64>();
    assert_eq!(summary["nodes"].as_u64(), count(ops.len()));
    assert_eq!(summary["compatible_nodes"].as_u64(), count(ops.iter().filter(compatible).count()));
    let using = ops.iter().filter(|row| is(row, "using_tc")).count();
    assert_eq!(summary["compatible_nodes_using_tc"].as_u64(), count(using));
    let [some, all] = [time(&mut ops.iter().filter(compatible)), time(&mut ops.iter())];
    assert!(is_near(number(summary, "gpu_time_ns"), all) && all > 0.0);
    assert!(is_near(number(summary, "compatible_gpu_time_percent"), 100.0 * some / all));
    let groups = rows("--where op_id=''", "groups", &sample());
    assert!(groups.len() > 5);
    for group in groups {
        let name = group["name"].as_str().expect("a name");
        let inside = || {
            let is_inside = |row: &&Value| row["op_name"].as_str().is_some_and(|op| op.starts_with(name));
            ops.iter().filter(move |row| name == "_CompleteModel_" || is_inside(row))
        };
        let using = inside().filter(|row| is(row, "using_tc")).count();
        assert_eq!(group["tc_ops"].as_u64(), count(using), "{group}");
        assert!(is_near(number(&group, "gpu_time_ns"), time(&mut inside())), "{group}");
        match inside().filter(compatible).count() {
            0 => assert!(group["tc_ops_percent"].is_null(), "{group}"),
            all => {
                let [using, all] = [using, all].map(|count| f64::from(u32::try_from(count).expect("few")));
                assert!(is_near(number(&group, "tc_ops_percent"), 100.0 * using / all), "{group}");
            }
        }
    }
}
