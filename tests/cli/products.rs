//! Inputs of which two numbers multiply: every product has an end, the same for all commands, and the memory budget counts.

use crate::run::{Run, run, sample, temporary_folder};
use rusqlite::Connection;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// A capture of as many steps, each with a call and a kernel, whose columns are formulas of `rowid`, the number of the step.
struct Steps {
    count: u32,
    device: &'static str,
    correlation: &'static str,
    /// Start and end.
    kernel: [&'static str; 2],
}

impl Default for Steps {
    fn default() -> Self {
        let kernel = ["1070 + rowid * 1000", "1900 + rowid * 1000"];
        Self { count: 1, device: "0", correlation: "rowid", kernel }
    }
}

const CALLS: &str = "CUPTI_ACTIVITY_KIND_RUNTIME";
const KERNELS: &str = "CUPTI_ACTIVITY_KIND_KERNEL";

impl Steps {
    /// The machine of the sample, with other events.
    fn write(&self, folder: &Path, name: &str) -> PathBuf {
        let file = folder.join(name).with_extension("sqlite");
        fs::copy(sample(), &file).expect("a copy");
        Connection::open(&file).and_then(|export| export.execute_batch(&self.sql())).expect("other events");
        file
    }

    fn sql(&self) -> String {
        let Self { count, device, correlation, kernel: [start, end] } = self;
        let many = |table: &str, set: &str| {
            format!(
                "CREATE TEMP TABLE first AS SELECT * FROM {table} LIMIT 1;
                 DELETE FROM {table};
                 WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})
                 INSERT INTO {table} SELECT first.* FROM n, first;
                 DROP TABLE temp.first;
                 UPDATE {table} SET {set};"
            )
        };
        let range =
            "start = 1000 + rowid * 1000, \"end\" = 1990 + rowid * 1000, eventType = 59, textId = NULL,
                     text = 'step ' || rowid";
        let call = format!(
            "start = 1010 + rowid * 1000, \"end\" = 1060 + rowid * 1000, correlationId = {correlation},
             globalTid = (SELECT globalTid FROM NVTX_EVENTS LIMIT 1)"
        );
        let kernel = format!(
            "start = {start}, \"end\" = {end}, deviceId = {device}, correlationId = {correlation}, streamId = 7"
        );
        let events = [many("NVTX_EVENTS", range), many(CALLS, &call), many(KERNELS, &kernel)].concat();
        format!(
            "BEGIN; DELETE FROM CUPTI_ACTIVITY_KIND_MEMCPY; DELETE FROM CUPTI_ACTIVITY_KIND_MEMSET;
             DELETE FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION; {events} COMMIT;"
        )
    }
}

fn refused(words: &str, file: &Path, said: &[&str]) {
    let run = run(words, &[file]);
    assert_eq!((run.code, run.stdout.as_str()), (5, ""), "{words}: {run:?}");
    for said in said.iter().copied().chain([&*file.display().to_string()]) {
        assert!(run.stderr.contains(said), "{words}: {said}: {run:?}");
    }
}

fn succeeded(words: &str, file: &Path) -> Run {
    let run = run(words, &[file]);
    assert_eq!(run.code, 0, "{words}: {run:?}");
    run
}

/// Every kernel of a correlation id is joined with every call of it, as nsys does.
#[test]
fn calls_and_kernels_of_one_correlation_id_are_few_rows_or_a_refusal() {
    let folder = temporary_folder();
    let steps = |count| Steps { count, correlation: "1", ..Steps::default() };
    let (few, many) = (steps(100).write(folder.path(), "few"), steps(1_500).write(folder.path(), "many"));
    let shown = succeeded("stats -q -f csv -r cuda_kern_exec_trace", &few).stdout;
    let rows = shown.lines().filter(|line| !line.is_empty()).count();
    assert_eq!(rows, 1 + 100 * 100, "a title and all pairs");
    let pairs = "pairs of a call and GPU work with one correlation id: more than ";
    for report in [
        "cuda_kern_exec_sum",
        "cuda_kern_exec_trace",
        "nvtx_gpu_proj_sum",
        "nvtx_gpu_proj_trace",
        "nvtx_kern_sum",
    ] {
        let words = format!("stats -q -f csv -r {report}");
        succeeded(&words, &few);
        refused(&words, &many, &[pairs, "more than 2000000", report, "`--filter-time`"]);
        refused(&format!("{words} --memory 1M"), &few, &[pairs, report, "`--memory`"]);
    }
    let rows = succeeded("stats -q -f csv -r cuda_gpu_kern_sum", &many).stdout.lines().count();
    assert!(rows > 1, "what joins nothing is made");
}

/// GPUs with work at both ends of the capture have rows for all iterations between, and nearly all of them say nothing.
#[test]
fn gpus_and_iterations_have_the_same_end_for_all_commands() {
    let folder = temporary_folder();
    let steps = Steps { count: 10_300, device: "rowid * 7 % 200", ..Steps::default() };
    let file = steps.write(folder.path(), "many");
    for words in ["", "show ops -q", "check", "ranks -q"] {
        refused(words, &file, &["rows of", "; at most 2000000", "`--key-node`"]);
    }
}

/// A rank has all iterations. What is kept of them is no column, so the memory budget limits it.
#[test]
fn ranks_of_one_capture_fit_into_the_memory_budget() {
    let folder = temporary_folder();
    let steps = Steps { count: 300, device: "rowid * 7 % 40", ..Steps::default() };
    let file = steps.write(folder.path(), "ranks");
    let job: Value = serde_json::from_str(&succeeded("ranks -q --format json", &file).stdout).expect("JSON");
    assert!(job.to_string().contains("\"rank\":39"), "{job}");
    succeeded("-q --memory 2M", &file);
    refused("ranks -q --memory 2M", &file, &["rows of ranks and iterations", "; at most ", "`--memory`"]);
}

/// Of a hundred thousand pairs of GPUs and iterations those are listed that say something.
#[test]
fn pairs_of_gpus_and_iterations_are_listed_where_they_say_something() {
    let folder = temporary_folder();
    let steps = Steps { count: 512, device: "rowid / 2 % 256", ..Steps::default() };
    let file = steps.write(folder.path(), "pairs");
    let rows = succeeded("show gpu_time -q --format csv --iter-range all", &file).stdout.lines().count();
    assert!((512..2_000).contains(&rows), "{rows} of {} pairs", 256 * 512);
}

/// Kernels of a stream that lie in each other are on a lane each.
#[test]
fn kernels_of_a_stream_that_lie_in_each_other_have_lanes() {
    let folder = temporary_folder();
    let kernel = ["10000000 + rowid", "20000000 - rowid"];
    let file = Steps { count: 2_000, kernel, ..Steps::default() }.write(folder.path(), "nested");
    let trace = folder.path().join("nested.trace.json");
    let run = run("export -q --no-cache -o", &[&trace, &file]);
    assert_eq!(run.code, 0, "{run:?}");
    let text = fs::read_to_string(&trace).expect("a trace");
    let lanes = text.matches(", overlapping ").count();
    assert!((1_990..2_000).contains(&lanes), "{lanes}");
}
