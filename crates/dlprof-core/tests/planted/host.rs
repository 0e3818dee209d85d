//! Threads: what they launch, which ranges their launches belong to, and what they do while GPUs wait for them.

use crate::planted::Planted;
use dlprof_core::{
    Attribution, ThreadId, attribution_totals, attributions, idle_host, launches_by_thread, waiting_times,
};
use serde_json::{Value, json};

fn tid(planted: &Planted, thread: ThreadId) -> i64 {
    planted.capture.threads[thread.index()].global_tid
}

#[test]
fn threads_launch_what_was_planted() {
    for planted in Planted::all() {
        planted.with(|classified| {
            let threads = launches_by_thread(classified);
            let launching = threads.iter().enumerate().filter(|(_, launches)| launches.sum.calls > 0);
            let row = |(thread, launches): (usize, &dlprof_core::ThreadLaunches)| {
                json!({
                    "global_tid": tid(&planted, ThreadId::new(thread)), "launch_calls": launches.sum.calls,
                    "launch_call_ns": launches.sum.time_ns, "first_launch_ns": launches.first_launch_ns,
                    "last_launch_ns": launches.last_launch_ns,
                })
            };
            planted.compare("threads", launching.map(row).collect());
        });
    }
}

fn word(attribution: Attribution) -> &'static str {
    match attribution {
        Attribution::Own => "own",
        Attribution::ByTime(_) => "by_time",
        Attribution::None => "none",
        Attribution::NoCall => "no_call",
    }
}

/// What the thread of the backward pass launches belongs to the range in which the main thread waits.
#[test]
fn loose_work_belongs_to_the_planted_range() {
    for planted in Planted::all() {
        planted.with(|classified| {
            let text = |id: dlprof_core::StrId| id.some().map_or("", |id| planted.capture.strings.get(id));
            let row = |total: &dlprof_core::AttributionTotal| {
                json!({
                    "attribution": word(total.attribution), "range": text(total.text), "items": total.items,
                    "gpu_time_ns": total.gpu_time_ns,
                })
            };
            let totals = attribution_totals(classified, &attributions(classified));
            planted.compare("attribution", totals.iter().map(row).collect());
        });
    }
}

/// Scheduling, calls of the operating system and CPU samples count where a GPU waits for the thread.
#[test]
fn the_host_does_what_was_planted_while_gpus_wait() {
    for planted in Planted::all() {
        planted.with(|classified| {
            let waiting = waiting_times(classified, &planted.windows());
            let host = idle_host(classified, &waiting, &planted.capture.host);
            let thread = |row: &dlprof_core::IdleThread| {
                json!({
                    "global_tid": tid(&planted, row.thread), "waiting_ns": row.waiting_ns,
                    "on_cpu_ns": row.on_cpu_ns, "off_cpu_ns": row.off_cpu_ns, "unknown_ns": row.unknown_ns,
                    "samples": row.samples,
                })
            };
            planted.compare("idle_threads", host.threads.iter().map(thread).collect());
            let os_call = |row: &dlprof_core::IdleOsCall| {
                let name = planted.capture.strings.get(row.function);
                json!({"os_call": name, "calls": row.calls, "time_ns": row.time_ns})
            };
            planted.compare("idle_os_calls", host.os_calls.iter().map(os_call).collect());
            let function = |row: &dlprof_core::IdleFunction| -> Value {
                let (function, module) = (&row.function, &row.module);
                json!({
                    "role": row.role.as_str(), "function": function, "module": module, "samples": row.samples,
                })
            };
            planted.compare("idle_functions", host.functions.iter().map(function).collect());
        });
    }
}
