//! Traces of torch.profiler with more than one program in them, and of runs on the CPU alone: made up here, and those of the corpus.

use crate::run::{Run, run, temporary_folder};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn event(category: &str, name: &str, [pid, tid]: [&str; 2], [start, length]: [i64; 2], args: &str) -> String {
    format!(
        r#"{{"ph": "X", "cat": "{category}", "name": "{name}", "pid": {pid}, "tid": {tid}, "ts": {start}, "dur": {length}, "args": {{{args}}}}}"#
    )
}

fn trace(events: &[String]) -> String {
    format!("{{\"schemaVersion\": 1, \"traceEvents\": [{}]}}", events.join(",\n"))
}

fn written(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file");
    path
}

/// A file of the corpus; says so where it is not there.
fn case(name: &str) -> Option<PathBuf> {
    dlprof_generate::corpus::folder().map(|folder| folder.join("cases/traces").join(name))
}

fn succeeded(run: Run) -> Run {
    assert_eq!(run.code, 0, "{run:?}");
    run
}

/// The rows of a query, as CSV without the header.
fn rows(query: &str, file: &Path) -> Vec<String> {
    let answer = succeeded(run("query --format csv --iter-range all", &[file, Path::new(query)]));
    answer.stdout.lines().skip(1).map(str::to_owned).collect()
}

/// Two ranks with the same correlation ids: steps of 1,000 and of 1,250 µs, in each a kernel.
fn merged() -> String {
    let mut events = Vec::new();
    for (rank, period) in [(0, 1000), (1, 1250)] {
        let (cpu, gpu) = (format!("\"[TP0{rank}] 10{rank}\""), format!("\"[TP0{rank}] {rank}\""));
        for step in 0..6 {
            let start = 1000 + step * period;
            let on_cpu = [cpu.as_str(), "5"];
            let correlation = format!("\"correlation\": {}, \"External id\": {}", step + 1, step + 1);
            events.push(event(
                "user_annotation",
                &format!("ProfilerStep#{step}"),
                on_cpu,
                [start, period - 2],
                "",
            ));
            events.push(event(
                "cpu_op",
                "aten::mm",
                on_cpu,
                [start + 10, 40],
                &format!("\"External id\": {}", step + 1),
            ));
            events.push(event("cuda_runtime", "cudaLaunchKernel", on_cpu, [start + 20, 10], &correlation));
            let args = format!(
                "{correlation}, \"device\": {rank}, \"stream\": 7, \"grid\": [4, 1, 1], \"block\": [64, 1, 1]"
            );
            events.push(event("kernel", "ampere_sgemm", [&gpu, "7"], [start + 40, period - 60], &args));
        }
    }
    trace(&events)
}

/// All work has its op, and each rank its own steps.
fn assert_ranks(file: &Path, kernels: &str, steps_ns: [i64; 2]) {
    let joined = rows("SELECT count(*), sum(op_name LIKE '%aten::%') FROM kernels", file);
    assert_eq!(joined, [format!("{kernels},{kernels}")]);
    let check = succeeded(run("check", &[file]));
    assert!(check.stdout.contains("warning[merged-ranks]: 2 × "), "{check:?}");
    assert!(
        check.stdout.contains("  TP00, TP01\n") && check.stdout.contains("`dlprof-agg ranks FILE`"),
        "{check:?}"
    );
    assert!(!check.stdout.contains("process-unknown"), "{check:?}");
    let ranks = succeeded(run("ranks --format json", &[file]));
    let job: Value = serde_json::from_str(&ranks.stdout).expect("JSON");
    let rows = job["tables"]["ranks"].as_array().expect("ranks");
    let lengths: Vec<i64> = rows.iter().map(|rank| rank["own_ns"].as_i64().expect("a time")).collect();
    assert_eq!(lengths, steps_ns, "{}", ranks.stdout);
    // Labels say who is who.
    assert_eq!(job["tables"]["job"][0]["identity"], "trace", "{}", ranks.stdout);
    let verdict = job["verdict"].as_str().expect("a verdict");
    assert!(verdict.starts_with("Rank 1 holds the job back"), "{verdict}");
}

#[test]
fn ranks_of_a_merged_trace_are_ranks() {
    let folder = temporary_folder();
    assert_ranks(&written(folder.path(), "merged.json", &merged()), "12", [1_000_000, 1_250_000]);
    let Some(file) = case("04-merged-two-ranks.json") else { return };
    // Steps of 910 and 1,135 µs, 2 µs apart.
    assert_ranks(&file, "240", [912_000, 1_137_000]);
}

/// Four steps of 200 ms, in each all-reduces of 120 ms on two threads, 20 ms apart: together they cover 140 ms.
fn gloo() -> String {
    let mut events = Vec::new();
    for step in 0..4 {
        let start = 1_000 + step * 200_000;
        events.push(event(
            "user_annotation",
            &format!("ProfilerStep#{step}"),
            ["7", "7"],
            [start, 200_000],
            "",
        ));
        events.push(event("cpu_op", "aten::empty", ["7", "7"], [start + 150_000, 10], "\"External id\": 1"));
        events.push(event("user_annotation", "prepare", ["7", "7"], [start + 170_000, 1_000], ""));
        for (thread, from) in [("8", 10_000), ("9", 30_000)] {
            events.push(event(
                "user_annotation",
                "gloo:all_reduce",
                ["7", thread],
                [start + from, 120_000],
                "",
            ));
        }
    }
    trace(&events)
}

#[test]
fn communication_on_the_cpu_is_told_first() {
    let folder = temporary_folder();
    let file = written(folder.path(), "gloo.json", &gloo());
    let said =
        |file: &Path| succeeded(run("", &[file])).stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let board = said(&file);
    let wanted = "Communication on the CPU (`gloo:all_reduce`) takes 560.000 ms of 800.000 ms, 70.0%";
    assert!(board.contains(wanted), "{board}");
    let sums = "SELECT sum(cpu_communication_ns), sum(length_ns) FROM steps WHERE iteration > 0";
    assert_eq!(rows(sums, &file), ["560000000,800000000"]);
    let ops = "SELECT op_name, calls FROM ops ORDER BY op_name";
    assert_eq!(rows(ops, &file), ["/aten::empty,4", "/gloo:all_reduce,8", "/prepare,4"]);
    // Where little is exchanged, the op that takes most is named.
    let little = written(folder.path(), "little.json", &gloo().replace("\"dur\": 120000", "\"dur\": 100"));
    let board = said(&little);
    assert!(!board.contains("ommunication on the CPU") && board.contains("of the time in ranges"), "{board}");

    let Some(file) = case("03-cpu-gloo-steps.json") else { return };
    assert_eq!(rows(sums, &file), ["708000000,840300000"]);
    let board = said(&file);
    assert!(board.contains("(`gloo:all_reduce`) takes 708.000 ms of 840.300 ms, 84.3%"), "{board}");
}

#[test]
fn a_second_trace_behind_the_first_is_told() {
    let folder = temporary_folder();
    let file = written(folder.path(), "two.json", &(gloo() + &gloo()));
    let told = |file: &Path, bytes: usize| {
        let check = succeeded(run("check", &[file]));
        let wanted = format!("another trace or object of JSON, {bytes} bytes");
        assert!(
            check.stdout.contains("warning[text-behind-trace]") && check.stdout.contains(&wanted),
            "{check:?}"
        );
    };
    told(&file, gloo().len());
    if let Some(file) = case("21-second-trace-behind.json") {
        told(&file, 28_343);
    }
}
