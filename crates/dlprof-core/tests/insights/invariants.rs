//! What holds in every capture, checked on the real exports.

use crate::captures::for_each_profile;
use dlprof_core::{
    ApiClass, GpuTime, Judged, LONG_GAP_NS, Ns, Profile, Span, TABLES, Value, WorkKind, whole_range,
};

#[test]
fn every_nanosecond_has_one_place() {
    for_each_profile(|name, profile| {
        let times = profile.gpu_times();
        for place in profile.device_windows() {
            check_gpu_time(name, &times.at(place.device.index(), place.window));
        }
        for step in profile.steps() {
            let Some(classes) = step.classes else { continue };
            let parts = [
                classes.gpu_ns,
                classes.communication_ns,
                classes.copy_ns,
                classes.input_ns,
                classes.cpu_ns,
                classes.sync_ns,
                classes.other_ns,
            ];
            assert_eq!(parts.iter().sum::<Ns>(), step.length_ns, "{name}: classes of a step");
            assert!(parts.iter().all(|&ns| ns >= 0), "{name}: {parts:?}");
        }
    });
}

fn check_gpu_time(name: &str, time: &GpuTime) {
    let busy = time.compute_ns + time.exposed_communication_ns + time.exposed_copy_ns;
    assert_eq!(busy, time.busy_ns, "{name}: busy time");
    assert_eq!(time.busy_ns + time.idle_ns(), time.length_ns, "{name}: length");
    assert_eq!(time.idle.causes().map(|(_, ns)| ns).sum::<Ns>(), time.idle_ns(), "{name}: causes");
    assert!(time.idle.causes().all(|(_, ns)| ns > 0) && time.busy_ns >= 0, "{name}: nothing is negative");
    assert!(time.idle.sync_cost_short_gaps_ns <= time.idle.sync_cost_ns, "{name}: cost of waits");
    assert!(time.idle.sync_cost_ns <= time.idle.drained_by_sync_ns, "{name}: drained by waits");
}

#[test]
fn sums_of_rows_are_sums_of_the_capture() {
    for_each_profile(|name, profile| {
        check_attribution(name, profile);
        check_copies(name, profile);
        check_calls(name, profile);
        check_kernels(name, profile);
        let stats = profile.launch_stats();
        assert_eq!(stats.with_call + stats.without_call, stats.kernels, "{name}: kernels");
        assert_eq!(stats.latency.count + stats.before_call, stats.with_call, "{name}: latencies");
        assert_eq!(
            stats.queue.count + stats.started_before_return,
            stats.latency.count,
            "{name}: queue times"
        );
        let launches: u64 = profile.thread_launches().iter().map(|(_, row)| row.sum.calls).sum();
        assert!(stats.kernels == 0 || stats.with_call == 0 || launches > 0, "{name}: launches");
    });
}

fn check_attribution(name: &str, profile: &Profile) {
    let totals = profile.attribution_totals();
    let spans = &profile.capture.work.span;
    assert_eq!(totals.iter().map(|row| row.items).sum::<u64>(), spans.len() as u64, "{name}: items");
    let time: Ns = spans.iter().map(|span| span.length()).sum();
    assert_eq!(totals.iter().map(|row| row.gpu_time_ns).sum::<Ns>(), time, "{name}: their time");
}

fn check_copies(name: &str, profile: &Profile) {
    let (capture, window) = (&profile.capture, profile.window());
    let starts_inside = |start: Ns| window.start <= start && start < window.end;
    let transfers = capture.work_ids().filter(|&work| capture.work_kind(work) != WorkKind::Kernel);
    let inside = transfers.filter(|&work| starts_inside(capture.work.span[work].start)).count();
    let rows = profile.copies();
    assert_eq!(rows.iter().map(|row| row.count).sum::<u64>(), inside as u64, "{name}: copies");
}

fn check_calls(name: &str, profile: &Profile) {
    let recorded = &profile.capture.recorded;
    let window = whole_range(&profile.call_windows());
    let all = recorded.counted_calls().count() as u64;
    let starts_inside = |span: &Span| window.start <= span.start && span.start < window.end;
    let counted = recorded.counted_calls().filter(|(_, span)| starts_inside(span)).count() as u64;
    let of_step = |step: &dlprof_core::Step| {
        ApiClass::ALL.into_iter().map(|class| step.calls_of(class).calls).sum::<u64>()
    };
    assert_eq!(profile.steps().iter().map(of_step).sum::<u64>(), counted, "{name}: calls of steps");
    let functions = profile.api_functions();
    let of_functions = functions.iter().map(|row| row.calls_in_iterations).sum::<u64>();
    assert_eq!(of_functions, counted, "{name}: calls of functions");
    assert_eq!(functions.iter().map(|row| row.calls).sum::<u64>(), all, "{name}: all calls");
}

fn check_kernels(name: &str, profile: &Profile) {
    let names = profile.kernel_names();
    let launches = profile.kernel_launches();
    assert_eq!(names.iter().map(|row| row.calls).sum::<u64>(), launches.len() as u64, "{name}: kernels");
    let time: Ns = names.iter().map(|row| row.gpu_time_ns).sum();
    let totals = profile.kernel_totals.all().gpu_ns - profile.kernel_totals.memory.gpu_ns;
    assert_eq!(time, totals, "{name}: time of kernels");
    for op in &profile.op_stats {
        let by_time = profile.by_time_gpu_time_ns(op.op);
        assert!((0..=op.times.gpu.sum).contains(&by_time), "{name}: {}", profile.op_name(op.op));
    }
}

#[test]
fn host_time_and_samples_add_up() {
    for_each_profile(|name, profile| {
        let host = profile.idle_host();
        for row in &host.threads {
            let parts = row.on_cpu_ns + row.off_cpu_ns + row.unknown_ns;
            assert!(parts == row.waiting_ns && row.unknown_ns >= 0, "{name}: {row:?}");
        }
        let issuing: u64 = host.threads.iter().map(|row| row.samples).sum();
        assert_eq!(issuing, host.samples[0], "{name}: samples of threads");
        let samples: u64 = host.functions.iter().map(|row| row.samples).sum();
        assert_eq!(samples, host.samples.iter().sum::<u64>(), "{name}: samples of functions");
    });
}

/// Long gaps are found on the way to other figures, too.
#[test]
fn the_longest_gaps_are_the_long_ones() {
    for_each_profile(|name, profile| {
        let found = profile.longest_gaps();
        assert!(found.is_sorted_by_key(|row| -row.gap.span.length()), "{name}: the longest come first");
        let inside = |row: &&dlprof_core::LongestGap| row.gap.span.clip(profile.window()) == row.gap.span;
        assert!(found.iter().filter(inside).count() == found.len(), "{name}: all lie in the window");
        let least = found.last().filter(|_| found.len() == 100).map_or(0, |row| row.gap.span.length());
        for gap in profile.long_gaps().inside(profile.window(), LONG_GAP_NS.max(least + 1)) {
            let row = found.iter().find(|row| row.gap.device == gap.device && row.gap.span == gap.span);
            let row = row.unwrap_or_else(|| panic!("{name}: {gap:?} is missing"));
            assert_eq!((row.cause, row.gap.ended_by), (gap.cause, gap.ended_by), "{name}: {gap:?}");
            let times = [row.host.range, row.host.os_call].map(|of| of.map_or(0, |(_, ns)| ns));
            assert!(times.iter().all(|ns| (0..=gap.span.length()).contains(ns)), "{name}: {row:?}");
        }
    });
}

/// Every cell of every new table can be read, and no number of time, bytes or calls is below 0.
#[test]
fn no_figure_is_negative() {
    /// Rows looked at: tables of launches are long.
    const MOST: usize = 2_000;
    // Memory below 0 says that it was allocated before the capture; times before 0 are before its start.
    let may_be_negative =
        ["peak_bytes", "peak_percent", "mean_bytes", "end_bytes", "first_launch_ns", "last_launch_ns"];
    for_each_profile(|name, profile| {
        let judged = Judged::from(profile.clone());
        for definition in TABLES {
            let table = (definition.build)(&judged);
            for column in 0..table.columns() {
                let key = table.header(column).key.to_owned();
                for row in 0..table.rows().min(MOST) {
                    let is_negative = match table.value(row, column) {
                        Value::Int(number) => number < 0,
                        Value::Float(number) => number < 0.0 || number.is_nan(),
                        _ => false,
                    };
                    let is_allowed = may_be_negative.contains(&key.as_str()) || key.ends_with("start_ns");
                    assert!(!is_negative || is_allowed, "{name}: {}.{key}, row {row}", definition.key);
                }
            }
        }
    });
}
