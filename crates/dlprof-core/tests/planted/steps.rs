//! Busy and idle time of GPUs, the cause of every idle nanosecond, classes of steps, calls.

use crate::planted::{Planted, json_ns};
use dlprof_core::{
    ApiClass, Cause, Classified, GpuTimes, KeyNodeChoice, LISTED_CLASSES, StepClasses, calls_by_function,
    calls_by_window, gpu_times, os_read_time, reader_cost, syncs_by_window, whole_range,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn gpu_time_rows(times: &GpuTimes) -> Vec<Value> {
    let mut rows = Vec::new();
    for device in 0..times.used().len() {
        for (at, row) in times.of_device(device).enumerate() {
            rows.push(json!({
                "iteration": at + 1, "device_id": device, "length_ns": row.length_ns, "busy_ns": row.busy_ns,
                "idle_ns": row.idle_ns(), "compute_ns": row.compute_ns, "communication_ns": row.communication_ns,
                "copy_ns": row.copy_ns, "exposed_communication_ns": row.exposed_communication_ns,
                "exposed_copy_ns": row.exposed_copy_ns, "drained_by_sync_ns": row.idle.drained_by_sync_ns,
                "sync_cost_ns": row.idle.sync_cost_ns,
                "sync_cost_short_gaps_ns": row.idle.sync_cost_short_gaps_ns,
                "cpu_in_short_gaps_ns": row.idle.cpu_in_short_gaps_ns,
                "cpu_in_long_gaps_ns": row.idle.cpu_in_long_gaps_ns, "gaps": row.idle.gaps,
                "longest_gap_ns": row.idle.longest_gap_ns,
            }));
        }
    }
    rows
}

fn idle_cause_rows(times: &GpuTimes) -> Vec<Value> {
    let mut rows = Vec::new();
    for device in 0..times.used().len() {
        for (at, row) in times.of_device(device).enumerate() {
            rows.extend(row.idle.causes().map(|(cause, ns)| {
                json!({"iteration": at + 1, "device_id": device, "cause": cause.as_str(), "time_ns": ns})
            }));
        }
    }
    rows
}

#[test]
fn every_idle_nanosecond_has_the_planted_cause() {
    for planted in Planted::all() {
        planted.with(|classified| {
            let times = gpu_times(classified, &planted.windows());
            planted.compare("gpu_time", gpu_time_rows(&times));
            planted.compare("idle_causes", idle_cause_rows(&times));
        });
    }
}

/// So that no cause is forgotten when one is added.
#[test]
fn every_cause_is_planted() {
    let planted = Planted::new("--plant all --gpus 2");
    planted.with(|classified| {
        let times = gpu_times(classified, &planted.windows());
        let causes: BTreeSet<Cause> = (0..times.used().len())
            .flat_map(|device| times.total(device).idle.causes().map(|(cause, _)| cause).collect::<Vec<_>>())
            .collect();
        assert_eq!(causes, BTreeSet::from(Cause::ALL));
    });
}

#[test]
fn steps_have_the_planted_classes() {
    for planted in Planted::all() {
        planted.with(|classified| {
            let windows = planted.windows();
            let times = gpu_times(classified, &windows);
            let classes = |at| times.classes(at).expect("used GPUs");
            let row = |(at, step): (usize, StepClasses)| {
                json!({
                    "iteration": at + 1, "length_ns": step.length_ns, "gpu_ns": step.gpu_ns,
                    "communication_ns": step.communication_ns, "copy_ns": step.copy_ns,
                    "input_ns": step.input_ns, "cpu_ns": step.cpu_ns, "sync_ns": step.sync_ns,
                    "other_ns": step.other_ns,
                })
            };
            planted.compare("steps", (0..windows.len()).map(|at| row((at, classes(at)))).collect());
        });
    }
}

fn call_rows(planted: &Planted, classified: &Classified<'_>) -> Vec<Value> {
    let windows = planted.windows();
    let syncs = syncs_by_window(classified, &windows, &[]);
    let reader = reader_cost(classified, &windows);
    let os_io = os_read_time(classified, &windows);
    let mut rows = Vec::new();
    for (at, calls) in calls_by_window(classified, &windows).iter().enumerate() {
        // A launch follows every planted wait.
        assert_eq!((syncs[at].terminal.len(), calls.graph_launches), (0, 0));
        let mut row = json!({
            "iteration": at + 1, "scalar_reads": syncs[at].scalar_reads, "sync_calls": syncs[at].in_step(),
            "reader_cost_ns": json_ns(reader.as_ref().map(|cost| cost.by_window[at])),
            "os_io_ns": json_ns(os_io.as_ref().map(|times| times[at])),
        });
        for class in ApiClass::ALL {
            let sum = calls.of(class);
            row[format!("{}_calls", class.as_str())] = sum.calls.into();
            row[format!("{}_call_ns", class.as_str())] = sum.time_ns.into();
        }
        rows.push(row);
    }
    rows
}

#[test]
fn steps_have_the_planted_calls() {
    for planted in Planted::all().filter(|planted| !planted.is_on_gpu_clock()) {
        planted.with(|classified| {
            planted.compare("steps", call_rows(&planted, classified));
            let rows = calls_by_function(classified, whole_range(&planted.windows()), &LISTED_CLASSES);
            let row = |row: &dlprof_core::FunctionCalls| {
                json!({
                    "call_class": row.class.as_str(), "api_function": planted.capture.strings.get(row.function),
                    "calls": row.sum.calls, "time_ns": row.sum.time_ns,
                })
            };
            planted.compare("host_calls", rows.iter().map(row).collect());
        });
    }
}

/// On the CPU the planted iterations begin at the key node, also where the GPU does their work much later.
#[test]
fn the_key_node_delimits_the_planted_iterations() {
    for planted in Planted::all() {
        let key_node = KeyNodeChoice::Named("train_step".to_owned());
        let index = planted.capture.index(&key_node).expect("an index");
        let starts = planted.cpu_starts();
        assert_eq!(index.iterations.boundaries[1..=starts.len()], starts, "`{}`", planted.arguments);
    }
}

/// The GPU takes its time for what was launched long before: where its iterations begin lies further and further after.
#[test]
fn launches_run_ahead_of_the_gpu() {
    let planted = Planted::new("--plant ahead=60000 --iterations 8");
    let windows = planted.windows();
    let lags: Vec<i64> =
        windows.iter().zip(planted.cpu_starts()).map(|(window, cpu)| window.start - cpu).collect();
    assert!(lags.is_sorted_by(|a, b| a < b), "{lags:?}");
    // 40 kernels of 60 µs and as many times 3 µs between them, from launches of 220 µs.
    assert_eq!(windows[0].length(), 40 * 63_000);
    assert_eq!(lags[7] - lags[0], 7 * (40 * 63_000 - 220_000));
    planted.with(|classified| {
        let times = gpu_times(classified, &windows);
        planted.compare("gpu_time", gpu_time_rows(&times));
    });
}
