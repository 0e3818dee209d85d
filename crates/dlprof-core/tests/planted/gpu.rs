//! Copies, launches, memory, counters and kernels.

use crate::planted::{Planted, json_ns};
use dlprof_core::{
    BlockResources, CopyGroup, DeviceId, Distribution, KeyNodeChoice, LaunchFill, LossSum, MemoryEvents,
    MemorySide, MetricSamples, RangeChoice, SmLimits, WorkId, copy_groups, gpu_memory, launch_stats,
    metrics_of_windows, whole_range,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[test]
fn copies_are_grouped_as_planted() {
    for planted in Planted::all() {
        planted.with(|classified| {
            let row = |group: &CopyGroup| {
                json!({
                    "kind": group.kind.as_str(), "host_memory": group.host_memory.as_str(),
                    "mode": group.mode.as_str(), "count": group.count, "bytes": group.bytes,
                    "gpu_time_ns": group.gpu_time_ns, "api_time_ns": group.api_time_ns,
                })
            };
            let groups = copy_groups(classified, whole_range(&planted.windows()), |_| true);
            planted.compare("copies", groups.iter().map(row).collect());
        });
    }
}

#[test]
fn launches_take_what_was_planted() {
    for planted in Planted::all() {
        planted.with(|classified| {
            let stats = launch_stats(classified);
            let mut row = json!({
                "kernels": stats.kernels, "kernel_ns": stats.kernel_ns, "with_call": stats.with_call,
                "without_call": stats.without_call, "before_call": stats.before_call,
                "started_before_return": stats.started_before_return, "starved": stats.starved,
                "short": stats.short, "short_ns": stats.short_ns, "shorter_than_call": stats.shorter_than_call,
            });
            let mut add = |name: &str, lengths: &Distribution| {
                row[format!("{name}_count")] = lengths.count.into();
                row[format!("{name}_sum_ns")] = lengths.sum_ns.into();
                row[format!("{name}_median_ns")] = json_ns(lengths.median_ns);
                row[format!("{name}_p90_ns")] = json_ns(lengths.p90_ns);
            };
            add("latency", &stats.latency);
            add("queue", &stats.queue);
            add("api", &stats.api);
            add("start_delay", &stats.start_delay);
            planted.compare_row("launch_stats", &row);
        });
    }
}

#[test]
fn memory_in_use_is_as_planted() {
    for planted in Planted::all() {
        let facts = &planted.capture.memory_events;
        let events = MemoryEvents {
            time: &facts.time,
            device: &facts.device,
            kind: &facts.kind,
            operation: &facts.operation,
            bytes: &facts.bytes,
        };
        let row = |row: &dlprof_core::GpuMemory| {
            json!({
                "iteration": row.window + 1, "device_id": row.device.index(), "peak_bytes": row.peak_bytes,
                "end_bytes": row.end_bytes, "allocations": row.allocations, "frees": row.frees,
                "allocated_bytes": row.allocated_bytes,
            })
        };
        let rows = gpu_memory(&events, MemorySide::Device, &planted.windows());
        planted.compare("gpu_memory", rows.iter().map(row).collect());
    }
}

/// Means of counters, times the number of samples, are the planted sums.
#[test]
fn counters_are_as_planted() {
    for planted in Planted::all() {
        let facts = &planted.capture.metric_samples;
        let samples = MetricSamples {
            time: &facts.time,
            device: &facts.device,
            metric: &facts.metric,
            value: &facts.value,
        };
        let row = |row: &dlprof_core::WindowMetric| {
            let samples = u32::try_from(row.mean.samples).expect("few samples");
            let sum = row.mean.mean() * f64::from(samples);
            assert!((sum - sum.round()).abs() < 1e-9);
            json!({
                "iteration": row.window + 1, "device_id": row.device.some().map(DeviceId::index), "metric": row.metric,
                "samples": samples, "sum": format!("{sum:.0}").parse::<i64>().expect("a number"),
            })
        };
        let rows = metrics_of_windows(&samples, &planted.windows());
        planted.compare("gpu_metrics", rows.iter().map(row).collect());
    }
}

#[test]
fn the_counter_of_tensor_cores_is_found() {
    let planted = Planted::new("--plant metrics");
    let index = planted.capture.index(&KeyNodeChoice::Find).expect("an index");
    let profile = index.profile(&RangeChoice::default()).expect("a profile");
    let samples = &planted.capture.metric_samples;
    let names = &planted.capture.notes.metric_names;
    let counter =
        names.iter().find(|known| known.name == "Tensor Active [Throughput %]").expect("the counter");
    let span = profile.iterations.aggregated_span();
    let (times, metrics) = (samples.time.iter(), samples.metric.iter());
    let rows = times.zip(metrics).zip(samples.value.iter());
    let is_inside = |time: i64| (span.start..span.end).contains(&time);
    let counted = rows.filter(|((time, metric), _)| **metric == counter.metric && is_inside(**time));
    let values: Vec<i64> = counted.map(|(_, value)| *value).collect();
    let (name, mean) = profile.sampled_tensor_cores().expect("samples");
    let sum: i64 = values.iter().sum();
    let count = i32::try_from(values.len()).expect("few samples");
    assert_eq!(name, counter.name);
    assert_eq!(format!("{:.0}", mean * f64::from(count)), sum.to_string());
    let without = Planted::new("--plant memory");
    let index = without.capture.index(&KeyNodeChoice::Find).expect("an index");
    assert_eq!(index.profile(&RangeChoice::default()).expect("a profile").sampled_tensor_cores(), None);
}

/// All launches of a kernel name.
#[derive(Default)]
struct Launches {
    row: Value,
    calls: u64,
    gpu_time_ns: i64,
    tail: LossSum,
    underfill: LossSum,
}

impl Launches {
    fn add(&mut self, planted: &Planted, kernel: WorkId) {
        let capture = &planted.capture;
        let config = capture.launch_config(kernel);
        let device = &capture.devices[capture.work.device[kernel].index()];
        let count = |size: [i64; 3]| size.iter().product::<i64>().cast_unsigned();
        let registers = config.registers.expect("registers");
        let shared_bytes = config.shared_bytes().expect("shared memory");
        let block = BlockResources {
            threads: count(config.block),
            registers_per_thread: registers.cast_unsigned(),
            shared_bytes: shared_bytes.cast_unsigned(),
        };
        let sms = device.sm_count.map(i64::cast_unsigned);
        let fill = LaunchFill::of(count(config.grid), block, SmLimits::of_device(device).as_ref(), sms);
        let (occupancy, waves) = fill.occupancy.zip(fill.waves).expect("a known GPU");
        let duration = capture.work.span[kernel].length();
        self.calls += 1;
        self.gpu_time_ns += duration;
        self.tail.push(waves.tail, duration);
        self.underfill.push(waves.underfill, duration);
        self.row = json!({
            "name": capture.strings.get(capture.kernels.short_name[kernel]), "grid": count(config.grid),
            "block": block.threads, "registers_per_thread": registers, "shared_bytes": shared_bytes,
            "blocks_per_sm": occupancy.blocks_per_sm, "occupancy_percent": occupancy.percent(),
            "limited_by": occupancy.limited_by.words(), "waves": waves.waves,
        });
    }
}

/// Occupancy and waves are worked out by hand; losses are known to the quarter of a nanosecond, and rounded to even.
#[test]
fn kernels_fill_the_gpu_as_planted() {
    for planted in Planted::all() {
        let capture = &planted.capture;
        let mut by_name: BTreeMap<&str, Launches> = BTreeMap::new();
        for kernel in capture.work_ids().take(capture.kernels.short_name.len()) {
            let name = capture.strings.get(capture.kernels.short_name[kernel]);
            by_name.entry(name).or_default().add(&planted, kernel);
        }
        let rows = by_name.into_values().map(|launches| {
            let mut row = launches.row;
            row["calls"] = launches.calls.into();
            row["gpu_time_ns"] = launches.gpu_time_ns.into();
            (row, launches.tail.rounded(), launches.underfill.rounded())
        });
        let rows: Vec<(Value, i64, i64)> = rows.collect();
        for (row, tail, underfill) in &rows {
            let planted = planted.row_with("kernels", "name", &row["name"]);
            let quarters = |key: &str| planted[key].as_i64().expect("a number");
            assert_eq!(*tail, rounded(quarters("tail_loss_quarter_ns")));
            assert_eq!(*underfill, rounded(quarters("underfill_loss_quarter_ns")));
        }
        planted.compare("kernels", rows.into_iter().map(|(row, _, _)| row).collect());
    }
}

/// Quarters as wholes; a half goes to the even number.
fn rounded(quarters: i64) -> i64 {
    let whole = quarters / 4;
    match quarters % 4 {
        0 | 1 => whole,
        2 => whole + whole % 2,
        _ => whole + 1,
    }
}
