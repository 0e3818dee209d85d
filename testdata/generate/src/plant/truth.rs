//! What is true of a planted capture, by table and with the names of its columns.

use super::Planned;
use super::book::{Book, GpuSums, KernelSums, Launch};
use super::choice::{Plant, Planted};
use crate::options::Options;
use crate::trace::{Ns, Span};
use serde_json::{Value, json};
use std::error::Error;

/// All that is planted.
pub(super) fn truth(options: &Options, plants: &[Plant], planned: &Planned) -> Result<Value, Box<dyn Error>> {
    let book = &planned.book;
    let is_ahead = plants.iter().any(|plant| plant.what == Planted::Ahead);
    Ok(json!({
        "options": serde_json::to_value(options)?,
        "planted": serde_json::to_value(plants)?,
        "key_node": "train_step",
        "clock": if is_ahead { "gpu" } else { "cpu" },
        "iterations": iterations(planned),
        "gpu_time": gpu_time(planned)?,
        "idle_causes": idle_causes(book),
        "steps": steps(planned),
        "copies": copies(book),
        "host_calls": host_calls(book),
        "threads": threads(planned),
        "launch_stats": launch_stats(book),
        "attribution": attribution(book),
        "idle_threads": idle_threads(planned),
        "idle_os_calls": idle_os_calls(book),
        "idle_functions": idle_functions(book),
        "gpu_memory": gpu_memory(book)?,
        "gpu_metrics": gpu_metrics(book),
        "kernels": kernels(book),
    }))
}

fn iterations(planned: &Planned) -> Vec<Value> {
    let rows = (1..).zip(planned.iterations.iter().zip(&planned.cpu_starts));
    let row = |(index, (span, cpu_start)): (u64, (&Span, &Ns))| {
        let (start, stop) = (span.start, span.stop);
        json!({"index": index, "start_ns": start, "stop_ns": stop, "cpu_start_ns": cpu_start})
    };
    rows.map(row).collect()
}

/// Sums by iteration and GPU, with the length of the iteration.
fn sums(planned: &Planned) -> impl Iterator<Item = (usize, usize, Ns, &GpuSums)> {
    planned.iterations.iter().zip(&planned.book.gpus).enumerate().flat_map(|(iteration, (span, gpus))| {
        let length = span.duration();
        gpus.iter().enumerate().map(move |(gpu, sums)| (iteration + 1, gpu, length, sums))
    })
}

fn gpu_time(planned: &Planned) -> Result<Vec<Value>, Box<dyn Error>> {
    let mut rows = Vec::new();
    for (iteration, gpu, length, sums) in sums(planned) {
        if sums.busy_ns() + sums.idle_ns() != length {
            return Err(format!("iteration {iteration} of GPU {gpu} is not laid out whole").into());
        }
        let mut row = serde_json::to_value(sums)?;
        row["iteration"] = iteration.into();
        row["device_id"] = gpu.into();
        row["length_ns"] = length.into();
        row["busy_ns"] = sums.busy_ns().into();
        row["idle_ns"] = sums.idle_ns().into();
        rows.push(row);
    }
    Ok(rows)
}

fn idle_causes(book: &Book) -> Vec<Value> {
    let mut rows = Vec::new();
    for (iteration, gpus) in (1_u64..).zip(&book.gpus) {
        for (gpu, sums) in gpus.iter().enumerate() {
            for (cause, ns) in sums.causes.iter().filter(|(_, ns)| **ns > 0) {
                let row: Value =
                    json!({"iteration": iteration, "device_id": gpu, "cause": cause, "time_ns": ns});
                rows.push(row);
            }
        }
    }
    rows
}

/// The classes of steps and the calls that start in them.
fn steps(planned: &Planned) -> Vec<Value> {
    let book = &planned.book;
    let gpus = Ns::try_from(planned.used_gpus).unwrap_or(1);
    let mut rows = Vec::new();
    for (at, (span, sums)) in planned.iterations.iter().zip(&book.gpus).enumerate() {
        let idle = |causes: &[&str]| -> Ns {
            sums.iter().flat_map(|sums| causes.iter().filter_map(|cause| sums.causes.get(cause))).sum()
        };
        let busy = |of: fn(&GpuSums) -> Ns| -> Ns { sums.iter().map(of).sum() };
        let classes = [
            ("gpu_ns", busy(|sums| sums.compute_ns) + idle(&["turnaround"])),
            ("communication_ns", busy(|sums| sums.exposed_communication_ns) + idle(&["communication"])),
            ("copy_ns", busy(|sums| sums.exposed_copy_ns) + idle(&["copy"])),
            ("input_ns", idle(&["data_loading", "input_wait", "io"])),
            (
                "cpu_ns",
                idle(&["launch", "slow_launch", "allocation", "setup", "api", "host_range", "host_issue"]),
            ),
            ("sync_ns", idle(&["sync"])),
        ]
        .map(|(class, ns)| (class, ns / gpus));
        let length = span.duration();
        let known: Ns = classes.iter().map(|(_, ns)| ns).sum();
        let mut row = json!({"iteration": at + 1, "length_ns": length, "other_ns": length - known});
        classes.iter().for_each(|&(class, ns)| row[class] = ns.into());
        for class in ["launch", "sync", "copy", "allocation", "setup", "api"] {
            let sum = book.calls[at].get(class).copied().unwrap_or_default();
            row[format!("{class}_calls")] = sum.count.into();
            row[format!("{class}_call_ns")] = sum.time_ns.into();
        }
        row["scalar_reads"] = book.scalar_reads[at].into();
        row["os_io_ns"] = read_time(planned, *span).into();
        row["reader_cost_ns"] = book.reader[at].values().max().copied().into();
        rows.push(row);
    }
    rows
}

/// Time of an iteration in which some thread reads; reads do not cross iterations. None without calls of the operating system.
fn read_time(planned: &Planned, iteration: Span) -> Option<Ns> {
    if planned.records.os_calls.is_empty() {
        return None;
    }
    let reads = planned.records.os_calls.iter().filter(|row| row.name == "read").map(|row| row.span);
    let mut reads: Vec<Span> =
        reads.filter(|span| iteration.start <= span.start && span.start < iteration.stop).collect();
    reads.sort_by_key(|span| span.start);
    let mut until = iteration.start;
    let mut covered = 0;
    for Span { start, stop } in reads {
        covered += (stop - start.max(until)).max(0);
        until = until.max(stop);
    }
    Some(covered)
}

fn copies(book: &Book) -> Vec<Value> {
    let rows = book.copies.iter().map(|([kind, memory, mode], sum)| {
        json!({
            "kind": kind, "host_memory": memory, "mode": mode, "count": sum.gpu.count, "bytes": sum.bytes,
            "gpu_time_ns": sum.gpu.time_ns, "api_time_ns": sum.api_time_ns,
        })
    });
    rows.collect()
}

fn host_calls(book: &Book) -> Vec<Value> {
    let is_listed = |class: &str| matches!(class, "sync" | "allocation" | "setup");
    let rows = book.functions.iter().filter(|((class, _), _)| is_listed(class));
    rows.map(|((class, function), sum)| {
        json!({"call_class": class, "api_function": function, "calls": sum.count, "time_ns": sum.time_ns})
    })
    .collect()
}

fn threads(planned: &Planned) -> Vec<Value> {
    let threads = planned.trace.threads.iter().zip(&planned.book.threads);
    let launching = threads.filter_map(|(thread, sums)| Some((thread, sums, sums.launch_starts?)));
    launching
        .map(|(thread, sums, (first, last))| {
            json!({
                "global_tid": thread.global_tid, "name": thread.name, "launch_calls": sums.launches.count,
                "first_launch_ns": first, "last_launch_ns": last, "launch_call_ns": sums.launches.time_ns,
            })
        })
        .collect()
}

fn launch_stats(book: &Book) -> Value {
    let launches = &book.launches;
    let count = |is: &dyn Fn(&Launch) -> bool| launches.iter().filter(|launch| is(launch)).count();
    let busy_until = |launch: &Launch| launch.stream_end.unwrap_or(launch.call.start).max(launch.call.start);
    let queued = launches.iter().filter(|launch| launch.kernel.start >= launch.call.stop);
    let with_call: Ns = launches.iter().map(|launch| launch.kernel.duration()).sum();
    let mut stats = json!({
        "kernels": launches.len() as u64 + book.without_call.count, "kernel_ns": with_call + book.without_call.time_ns,
        "with_call": launches.len(), "without_call": book.without_call.count, "before_call": 0,
        "started_before_return": count(&|launch| launch.kernel.start < launch.call.stop),
        "starved": count(&|launch| launch.stream_end.is_none_or(|end| end <= launch.call.start)),
        "short": book.short.count, "short_ns": book.short.time_ns,
        "shorter_than_call": count(&|launch| launch.kernel.duration() < launch.call.duration()),
    });
    let of = |length: fn(&Launch) -> Ns| launches.iter().map(length).collect();
    let lengths: [(&str, Vec<Ns>); 4] = [
        ("latency", of(|launch| launch.kernel.start - launch.call.start)),
        ("queue", queued.map(|launch| launch.kernel.start - launch.call.stop).collect()),
        ("api", of(|launch| launch.call.duration())),
        ("start_delay", launches.iter().map(|launch| launch.kernel.start - busy_until(launch)).collect()),
    ];
    for (name, mut lengths) in lengths {
        lengths.sort_unstable();
        // Rounded to the nearest position, halves up.
        let at = |tenths: usize| Some(lengths[(tenths * lengths.len().checked_sub(1)? + 5) / 10]);
        stats[format!("{name}_count")] = lengths.len().into();
        stats[format!("{name}_sum_ns")] = lengths.iter().sum::<Ns>().into();
        stats[format!("{name}_median_ns")] = at(5).into();
        stats[format!("{name}_p90_ns")] = at(9).into();
    }
    stats
}

fn attribution(book: &Book) -> Vec<Value> {
    let rows = book.attribution.iter().map(|([attribution, range], sum)| {
        json!({"attribution": attribution, "range": range, "items": sum.count, "gpu_time_ns": sum.time_ns})
    });
    rows.collect()
}

fn idle_threads(planned: &Planned) -> Vec<Value> {
    let threads = planned.trace.threads.iter().zip(&planned.book.threads);
    let awaited = threads.filter(|(_, sums)| sums.waiting_ns > 0);
    awaited
        .map(|(thread, sums)| {
            let on_cpu = if sums.is_scheduled { sums.waiting_ns - sums.off_cpu_ns } else { 0 };
            json!({
                "global_tid": thread.global_tid, "name": thread.name, "waiting_ns": sums.waiting_ns,
                "on_cpu_ns": on_cpu, "off_cpu_ns": sums.off_cpu_ns,
                "unknown_ns": sums.waiting_ns - on_cpu - sums.off_cpu_ns, "samples": sums.samples,
            })
        })
        .collect()
}

fn idle_os_calls(book: &Book) -> Vec<Value> {
    let rows = book.os_calls.iter();
    rows.map(|(name, sum)| json!({"os_call": name, "calls": sum.count, "time_ns": sum.time_ns})).collect()
}

fn idle_functions(book: &Book) -> Vec<Value> {
    let rows = book.samples.iter().map(|([role, function, module], samples)| {
        json!({"role": role, "function": function, "module": module, "samples": samples})
    });
    rows.collect()
}

fn gpu_memory(book: &Book) -> Result<Vec<Value>, Box<dyn Error>> {
    let mut rows = Vec::new();
    for (&(iteration, gpu), sums) in &book.memory {
        let mut row = serde_json::to_value(sums)?;
        row["iteration"] = (iteration + 1).into();
        row["device_id"] = gpu.into();
        rows.push(row);
    }
    Ok(rows)
}

fn gpu_metrics(book: &Book) -> Vec<Value> {
    let rows = book.metrics.iter().map(|(&(iteration, gpu, metric), &(samples, sum))| {
        json!({"iteration": iteration + 1, "device_id": gpu, "metric": metric, "samples": samples, "sum": sum})
    });
    rows.collect()
}

/// Kernels by name. Losses are exact: in quarters of a nanosecond.
fn kernels(book: &Book) -> Vec<Value> {
    let row = |KernelSums { shape, fill, sum }: &KernelSums| {
        json!({
            "name": shape.name, "calls": sum.count, "gpu_time_ns": sum.time_ns, "grid": shape.grid,
            "block": shape.block, "registers_per_thread": shape.registers,
            "shared_bytes": shape.shared.iter().sum::<i64>(), "blocks_per_sm": fill.blocks_per_sm,
            "occupancy_percent": fill.occupancy_percent, "limited_by": fill.limited_by,
            "waves": waves(fill.quarter_waves), "tail_loss_quarter_ns": sum.time_ns * fill.tail_quarters,
            "underfill_loss_quarter_ns": sum.time_ns * fill.underfill_quarters,
        })
    };
    book.kernels.values().map(row).collect()
}

/// A quarter of the SMs get one of the two blocks that each could hold: an eighth of a wave.
fn waves(quarters: i64) -> f64 {
    if quarters == 0 { 0.125 } else { f64::from(i32::try_from(quarters).unwrap_or(0)) / 4.0 }
}
