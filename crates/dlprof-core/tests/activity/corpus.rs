//! Why GPUs wait, in every real export of the corpus: what must hold in any capture.

use dlprof_core::{
    Activity, ActivitySettings, ApiClass, Capture, Classified, GpuTime, Ns, ReadOptions, Span,
    attribution_totals, attributions, calls_by_window, copy_groups, gpu_times, idle_host, launch_stats,
    waiting_times, whole_range,
};
use std::path::{Path, PathBuf};

/// Windows of uneven length, from before the first GPU item to after the last.
fn uneven_windows(span: Span) -> Vec<Span> {
    let length = span.length();
    let bounds: Vec<Ns> = [-5, 3, 4, 11, 30, 31, 64, 90, 103]
        .iter()
        .map(|percent| span.start + length * percent / 100)
        .collect();
    bounds.windows(2).map(|pair| Span::new(pair[0], pair[1])).collect()
}

/// Real exports, where the checkout has them beside it.
#[expect(clippy::print_stdout, reason = "a skipped test must show itself")]
fn corpus() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let Ok(files) = std::fs::read_dir(&folder) else {
        println!("SKIPPED: no real exports in {}", folder.display());
        return Vec::new();
    };
    let paths = files.flatten().map(|file| file.path());
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|e| e == "sqlite")).collect();
    paths.sort();
    paths
}

/// From the first start to the last end of GPU items; empty without any.
fn gpu_span(spans: &[Span]) -> Span {
    let start = spans.iter().map(|span| span.start).min().unwrap_or(0);
    Span::new(start, spans.iter().map(|span| span.end).max().unwrap_or(0))
}

#[test]
fn every_nanosecond_of_the_corpus_has_one_cause() {
    for path in corpus() {
        // Some hold no events at all.
        let Ok(capture) = Capture::read(&path, &ReadOptions::default()) else { continue };
        let activity = Activity::of(&capture);
        let windows = uneven_windows(gpu_span(&activity.work.span));
        let settings = ActivitySettings::default();
        let classified = Classified::new(activity, &settings);
        check_gpu_times(&classified, &windows);
        check_counts(&classified, &windows);
        let waiting = waiting_times(&classified, &windows);
        let host = idle_host(&classified, &waiting, &capture.host);
        for row in &host.threads {
            assert_eq!(row.on_cpu_ns + row.off_cpu_ns + row.unknown_ns, row.waiting_ns);
            assert!(row.unknown_ns >= 0);
        }
        let issuing: u64 = host.threads.iter().map(|row| row.samples).sum();
        assert_eq!(issuing, host.samples[0]);
        let of_functions: u64 = host.functions.iter().map(|row| row.samples).sum();
        assert_eq!(of_functions, host.samples.iter().sum::<u64>());
    }
}

fn check_gpu_times(classified: &Classified<'_>, windows: &[Span]) {
    let times = gpu_times(classified, windows);
    let whole = gpu_times(classified, &[whole_range(windows)]);
    for device in 0..times.used().len() {
        times.of_device(device).for_each(|row| check_row(&row));
        let (sum, whole) = (times.total(device), whole.total(device));
        let parts = |row: &GpuTime| (row.length_ns, row.busy_ns, row.idle.causes().collect::<Vec<_>>());
        assert_eq!(parts(&sum), parts(&whole));
    }
    for (at, window) in windows.iter().enumerate() {
        let Some(step) = times.classes(at) else { continue };
        let classes = [
            step.gpu_ns,
            step.communication_ns,
            step.copy_ns,
            step.input_ns,
            step.cpu_ns,
            step.sync_ns,
            step.other_ns,
        ];
        assert_eq!(classes.iter().sum::<Ns>(), window.length());
        assert!(classes.iter().all(|&ns| ns >= 0));
    }
}

fn check_row(row: &GpuTime) {
    assert_eq!(row.compute_ns + row.exposed_communication_ns + row.exposed_copy_ns, row.busy_ns);
    assert_eq!(row.idle.causes().map(|(_, ns)| ns).sum::<Ns>(), row.idle_ns());
    assert!(row.idle.causes().all(|(_, ns)| ns > 0));
    assert!(row.exposed_communication_ns <= row.communication_ns && row.exposed_copy_ns <= row.copy_ns);
    assert!(row.idle.sync_cost_short_gaps_ns <= row.idle.sync_cost_ns);
    assert!(row.idle.sync_cost_ns <= row.idle.drained_by_sync_ns);
}

fn check_counts(classified: &Classified<'_>, windows: &[Span]) {
    let activity = classified.activity();
    let totals = attribution_totals(classified, &attributions(classified));
    let count: u64 = totals.iter().map(|total| total.items).sum();
    assert_eq!(count, activity.work.len() as u64);
    let time: Ns = totals.iter().map(|total| total.gpu_time_ns).sum();
    assert_eq!(time, activity.work.span.iter().map(|span| span.length()).sum::<Ns>());
    let range = whole_range(windows);
    let is_in_range = |span: &&Span| range.start <= span.start && span.start < range.end;
    let groups: u64 = copy_groups(classified, range, |_| true).iter().map(|group| group.count).sum();
    assert_eq!(
        groups,
        activity.work.span[..][activity.kernels.len()..].iter().filter(is_in_range).count() as u64
    );
    let calls = calls_by_window(classified, windows);
    let of_classes = |class| calls.iter().map(|calls| calls.of(class).calls).sum::<u64>();
    let calls: u64 = ApiClass::ALL.into_iter().map(of_classes).sum();
    assert_eq!(calls, activity.counted_calls().filter(|(_, span)| is_in_range(&span)).count() as u64);
    let stats = launch_stats(classified);
    assert_eq!(stats.with_call + stats.without_call, stats.kernels);
    assert_eq!(stats.latency.count + stats.before_call, stats.with_call);
    assert_eq!(stats.queue.count + stats.started_before_return, stats.latency.count);
}
