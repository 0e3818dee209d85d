//! Cells of the tables of a small capture, worked out by hand.
//!
//! ```text
//! µs          0    100  105      115              200  205      225     300
//! thread 1    ├ step ────────────────────────────────────────────────────┤
//!                  │a                             │b                         calls of 1 µs
//! GPU                   ▒▒▒▒ a ▒▒▒                     ▒▒▒▒ b ▒▒▒
//! ```
//!
//! Without iterations the window is from 105 to 225 µs.

use crate::drawn::Drawn;
use dlprof_core::{Judged, ReadOptions, Value, definition};

fn profile() -> Judged {
    let mut drawn = Drawn::new();
    drawn.range(1, "step", 0, 300_000).launch(1, "a", 100_000, 10_000).launch(1, "b", 200_000, 20_000);
    drawn.profile(&ReadOptions::default()).into()
}

/// The cells of some columns, row by row; undefined ones are `-`.
fn cells(profile: &Judged, table: &str, keys: &[&str]) -> Vec<Vec<String>> {
    let table = (definition(table).expect("a table").build)(profile);
    let place = |key: &&str| (0..table.columns()).find(|&at| table.header(at).key == *key).expect("a column");
    let columns: Vec<usize> = keys.iter().map(place).collect();
    let cell = |row: usize, column: usize| match table.value(row, column) {
        Value::Null => "-".to_owned(),
        Value::Int(number) => number.to_string(),
        Value::Float(number) => format!("{number:.1}"),
        Value::Flag(flag) => flag.to_string(),
        Value::Text(text) => text.into_owned(),
    };
    (0..table.rows()).map(|row| columns.iter().map(|&column| cell(row, column)).collect()).collect()
}

#[test]
fn idle_time_has_causes() {
    let profile = profile();
    let keys = ["device_id", "length_ns", "busy_ns", "idle_ns", "compute_ns", "gaps", "longest_gap_ns"];
    let expected = ["0", "120000", "30000", "90000", "30000", "1", "90000"];
    assert_eq!(cells(&profile, "gpu_time", &keys), [expected]);
    let causes = cells(&profile, "idle_causes", &["iteration", "device_id", "cause", "time_ns"]);
    assert_eq!(causes, [["0", "0", "launch", "5000"], ["0", "0", "host_range", "85000"]]);
}

#[test]
fn steps_have_classes_and_calls() {
    let keys = ["length_ns", "gpu_ns", "cpu_ns", "other_ns", "verdict", "launch_calls", "launch_call_ns"];
    let rows = cells(&profile(), "steps", &keys);
    // The call of `a` starts before the window.
    assert_eq!(rows, [["120000", "30000", "90000", "0", "cpu", "1", "1000"]]);
    let unknown = cells(&profile(), "steps", &["reader_cost_ns", "os_io_ns", "items_per_s"]);
    assert_eq!(unknown, [["-", "-", "-"]]);
}

#[test]
fn launches_are_measured() {
    let profile = profile();
    let keys = ["kernel_name", "launch_latency_ns", "queue_ns", "start_delay_ns", "attribution", "waves"];
    let expected = [["a", "5000", "4000", "5000", "own", "-"], ["b", "5000", "4000", "5000", "own", "-"]];
    assert_eq!(cells(&profile, "kernels", &keys), expected);
    let keys =
        ["kernels", "kernel_ns", "with_call", "starved", "latency_sum_ns", "queue_median_ns", "api_p90_ns"];
    assert_eq!(cells(&profile, "launch_stats", &keys), [["2", "30000", "2", "2", "10000", "4000", "1000"]]);
    let keys = ["thread_id", "launch_calls", "first_launch_ns", "last_launch_ns", "launches_per_s"];
    assert_eq!(cells(&profile, "threads", &keys), [["1", "2", "100000", "200000", "10000.0"]]);
    let keys = ["api_function", "call_class", "thread_class", "calls", "time_ns", "calls_in_iterations"];
    let expected = ["cudaLaunchKernel_v7000", "launch", "main", "2", "2000", "1"];
    assert_eq!(cells(&profile, "api_calls", &keys), [expected]);
}

#[test]
fn kernels_have_names() {
    let keys = ["long_kernel_name", "calls", "gpu_time_ns", "grid", "block", "occupancy_percent", "op_count"];
    let expected =
        [["b", "1", "20000", "1×1×1", "32×1×1", "-", "1"], ["a", "1", "10000", "1×1×1", "32×1×1", "-", "1"]];
    assert_eq!(cells(&profile(), "kernel_names", &keys), expected);
}

/// Tables about facts that a capture lacks are empty.
#[test]
fn what_is_not_recorded_has_no_rows() {
    let profile = profile();
    for table in
        ["copies", "host_calls", "idle_os_calls", "idle_functions", "gpu_memory", "gpu_metrics", "op_work"]
    {
        assert!(cells(&profile, table, &[]).is_empty(), "{table}");
    }
    let row =
        cells(&profile, "idle_threads", &["thread_id", "waiting_ns", "on_cpu_ns", "unknown_ns", "samples"]);
    assert_eq!(row, [["1", "86000", "0", "86000", "0"]]);
}
