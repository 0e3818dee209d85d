//! Launches, calls, copies, input and attribution, drawn and against slow versions.

use super::scene::{Kind, PROCESSES, STREAMS, Scene, THREADS, row, small_thresholds};
use super::slow::scenes;
use super::slow_idle::holds;
use crate::base::ids::ThreadId;
use crate::base::time::{Ns, Span};
use crate::capture::classified::{Attribution, attribution_totals, attributions};
use crate::capture::names::ApiClass;
use crate::figures::activity::{
    CopyKind, CopyMode, HostMemory, LISTED_CLASSES, calls_by_function, calls_by_window, copies, idle_host,
    launch_stats, launches, launches_by_thread, median_call_within, os_read_time, reader_cost,
    syncs_by_window, waiting_times,
};
use crate::read::facts::HostFacts;
use proptest::prelude::*;

#[test]
fn launches_tell_latency_queue_and_delay() {
    let mut scene = Scene::default();
    scene.call("cudaLaunchKernel", 0, 2).call("cudaLaunchKernel", 3, 9).call("cudaLaunchKernel", 40, 42);
    scene.kernel(5, 15, Some(0)).kernel(17, 20, Some(1)).kernel(35, 36, Some(2)).kernel(50, 51, None);
    let settings = small_thresholds();
    let (launches, stats) =
        scene.with(&settings, |classified| (launches(classified), launch_stats(classified)));
    let first = launches[0].expect("a call");
    assert_eq!(
        (first.latency_ns, first.queue_ns, first.start_delay_ns, first.is_starved),
        (Some(5), Some(3), 5, true)
    );
    let second = launches[1].expect("a call");
    assert_eq!((second.latency_ns, second.queue_ns, second.start_delay_ns), (Some(14), Some(8), 2));
    assert!(!second.is_starved);
    assert_eq!(launches[2].expect("a call").latency_ns, None);
    assert_eq!(launches[3], None);
    assert_eq!((stats.kernels, stats.with_call, stats.without_call, stats.before_call), (4, 3, 1, 1));
    assert_eq!((stats.short, stats.short_ns, stats.shorter_than_call, stats.starved), (3, 5, 1, 1));
    assert_eq!(
        (stats.start_delay.sum_ns, stats.latency.median_ns, stats.queue.p90_ns),
        (7, Some(14), Some(8))
    );
}

#[test]
fn calls_count_where_they_start() {
    let mut scene = Scene::default();
    scene
        .call("cudaGraphLaunch", 0, 30)
        .call("cudaLaunchKernel", 9, 10)
        .call("cudaFree", 10, 11)
        .call("cudaFree", 25, 29);
    let settings = small_thresholds();
    scene.with(&settings, |classified| {
        let windows = [Span::new(0, 10), Span::new(10, 20)];
        let calls = calls_by_window(classified, &windows);
        assert_eq!((calls[0].of(ApiClass::Launch).calls, calls[0].of(ApiClass::Launch).time_ns), (2, 31));
        assert_eq!((calls[0].graph_launches, calls[1].of(ApiClass::Allocation).calls), (1, 1));
        let functions = calls_by_function(classified, Span::new(0, 30), &LISTED_CLASSES);
        assert_eq!(functions.len(), 1);
        assert_eq!((functions[0].sum.calls, functions[0].sum.time_ns), (2, 5));
        let threads = launches_by_thread(classified);
        assert_eq!((threads[0].sum.calls, threads[0].first_launch_ns, threads[0].last_launch_ns), (2, 0, 9));
        assert_eq!(threads[0].per_second(), Some(1e9 / 9.0));
        assert_eq!(threads[1].per_second(), None);
    });
}

#[test]
fn the_usual_length_of_calls_is_the_median_within_limits() {
    let mut scene = Scene::default();
    for (at, length) in [2, 9, 4, 30].into_iter().enumerate() {
        let start = 100 * Ns::try_from(at).expect("few calls");
        scene.call("cudaLaunchKernel", start, start + length).call("cudaMalloc", start, start + 1);
    }
    let settings = small_thresholds();
    let usual = |end, least, most| {
        scene.with(&settings, |facts| {
            median_call_within(facts, Span::new(0, end), ApiClass::Launch, least..=most)
        })
    };
    assert_eq!([usual(400, 0, 50), usual(300, 0, 50), usual(0, 0, 50)], [Some(9), Some(4), None]);
    assert_eq!([usual(400, 10, 50), usual(400, 0, 5)], [Some(10), Some(5)]);
}

#[test]
fn a_wait_ends_the_step_unless_its_thread_launches_again() {
    let mut scene = Scene::default();
    scene.call("cudaMemcpyAsync", 0, 1).call("cudaStreamSynchronize", 1, 5).call("cudaLaunchKernel", 5, 6);
    scene.call("cudaDeviceSynchronize", 8, 9).call("cudaLaunchKernel", 10, 11).call(
        "cudaStreamSynchronize",
        12,
        13,
    );
    scene.calls.extend([row(1, "cudaLaunchKernel", 14, 15), row(0, "cudaMemcpyAsync", 16, 17)]);
    scene.item(Kind::Copy, 1, 2, Some(0)).item(Kind::Copy, 17, 18, Some(7));
    let settings = small_thresholds();
    let syncs = scene.with(&settings, |classified| {
        syncs_by_window(classified, &[Span::new(0, 10), Span::new(10, 16), Span::new(16, 20)], &[])
    });
    let counts: Vec<_> = syncs.iter().map(|of| (of.syncs, of.in_step(), of.scalar_reads)).collect();
    // Copies of scenes go to the GPU: none reads a value.
    assert_eq!(counts, [(2, 1, 0), (1, 0, 0), (0, 0, 0)]);
    let reads = |kind| {
        let mut scene = scene.clone();
        scene.copy_kind = Some(kind);
        scene.with(&settings, |classified| syncs_by_window(classified, &[Span::new(0, 20)], &[])[0].clone())
    };
    assert_eq!((reads(2).scalar_reads, reads(8).scalar_reads), (1, 0));
    // The copy after it keeps the last wait from ending the step.
    assert_eq!((reads(2).syncs, reads(2).in_step()), (3, 3));
}

#[test]
fn input_costs_what_its_ranges_and_calls_cover() {
    let mut scene = Scene::default();
    scene.range("get_batch", 5, 15).range("get_batch", 10, 20).range("forward", 20, 90);
    scene.ranges.push(row(1, "DataLoader", 0, 12));
    scene.os_calls.extend([row(0, "read", 2, 6), row(3, "recv", 4, 12), row(3, "poll", 0, 50)]);
    let settings = small_thresholds();
    scene.with(&settings, |classified| {
        let windows = [Span::new(0, 10), Span::new(10, 30)];
        let cost = reader_cost(classified, &windows).expect("ranges that load");
        assert_eq!((cost.thread, cost.by_window), (ThreadId::new(0), vec![5, 10]));
        assert_eq!(reader_cost(classified, &[Span::new(40, 50)]), None);
        assert_eq!(os_read_time(classified, &windows), Some(vec![8, 2]));
    });
}

#[test]
fn copies_are_grouped_by_kind_memory_and_mode() {
    let mut scene = Scene::default();
    scene.call("cudaMemcpy", 0, 7).call("cudaMemsetAsync", 7, 8);
    scene.item(Kind::Copy, 1, 5, Some(0)).item(Kind::Copy, 6, 9, None).item(Kind::Copy, 30, 31, None);
    scene.item(Kind::Memset, 9, 10, Some(1));
    let settings = small_thresholds();
    let groups = scene.with(&settings, |classified| copies(classified, Span::new(0, 30), |_| true));
    let keys: Vec<_> =
        groups.iter().map(|group| (group.kind, group.host_memory, group.mode, group.api_time_ns)).collect();
    let expected = [
        (CopyKind::HtoD, HostMemory::Pageable, CopyMode::None, 0),
        (CopyKind::HtoD, HostMemory::Pageable, CopyMode::Sync, 7),
        (CopyKind::Memset, HostMemory::None, CopyMode::Async, 1),
    ];
    assert_eq!(keys, expected);
    assert_eq!((groups[1].bytes, groups[1].gpu_time_ns, groups[1].gb_per_second()), (100, 4, Some(25.0)));
}

#[test]
fn loose_work_goes_to_the_range_of_the_thread_that_waits() {
    let mut scene = Scene::default();
    scene.range("step 1", 0, 100).range("backward", 20, 80);
    scene.calls.extend([row(1, "cudaLaunchKernel", 30, 31), row(0, "cudaLaunchKernel", 70, 71)]);
    scene.calls.extend([row(1, "cudaLaunchKernel", 68, 69), row(1, "cudaLaunchKernel", 90, 91)]);
    scene.kernel(40, 41, Some(0)).kernel(80, 82, Some(1)).kernel(83, 84, Some(2)).kernel(95, 99, Some(3));
    scene.kernel(120, 121, None);
    let settings = small_thresholds();
    scene.with(&settings, |classified| {
        let found = attributions(classified);
        let words: Vec<&str> = (0..5).map(|item| found.get(item).as_str()).collect();
        // At 68 the main thread is about to launch: it does not wait.
        assert_eq!(words, ["by_time", "own", "none", "by_time", "no_call"]);
        let Attribution::ByTime(range) = found.get(0) else { panic!("by time") };
        assert_eq!((range.thread, range.row), (ThreadId::new(0), 1));
        let totals = attribution_totals(classified, &found);
        let by_time: Vec<_> = totals.iter().filter(|total| total.attribution.as_str() == "by_time").collect();
        assert_eq!(by_time.iter().map(|total| total.gpu_time_ns).collect::<Vec<_>>(), [4, 1]);
    });
}

#[test]
fn the_host_is_watched_while_gpus_wait_for_it() {
    let mut scene = Scene::default();
    scene.call("cudaLaunchKernel", -9, -8).call("cudaLaunchKernel", 28, 30);
    scene.kernel(0, 10, Some(0)).kernel(32, 40, Some(1));
    scene.os_calls.extend([
        row(0, "sem_wait", 5, 15),
        row(0, "sem_wait", 16, 18),
        row(0, "read", 35, 36),
        row(1, "read", 12, 14),
    ]);
    let threads = [0, 0, 1, 3, 3].map(ThreadId::new);
    let mut samples = HostFacts::default();
    samples.samples.time = vec![9, 10, 20, 29, 30].into();
    samples.samples.thread = threads.iter().map(|&thread| thread.into()).collect();
    samples.stack_offsets.offset = vec![0; 6].into();
    samples.switches.time = vec![12, 25, 14].into();
    samples.switches.thread = vec![ThreadId::new(0).into(); 3].into();
    samples.switches.switched_in = vec![false, false, true].into();
    let settings = small_thresholds();
    scene.with(&settings, |classified| {
        let waiting = waiting_times(classified, &[Span::new(0, 40)]);
        // From the start of the gap to the return of the call that ended it.
        assert_eq!(waiting.of(ThreadId::new(0)), [Span::new(10, 30)]);
        let host = idle_host(classified, &waiting, &samples);
        let row = host.threads[0];
        assert_eq!(
            (row.waiting_ns, row.off_cpu_ns, row.on_cpu_ns, row.unknown_ns, row.samples),
            (20, 2, 11, 7, 1)
        );
        assert_eq!(host.samples, [1, 1, 1]);
        let os_calls: Vec<_> = host.os_calls.iter().map(|call| (call.calls, call.time_ns)).collect();
        assert_eq!(os_calls, [(2, 7)]);
        let roles: Vec<_> =
            host.functions.iter().map(|row| (row.role.as_str(), row.function.as_str())).collect();
        assert_eq!(
            roles,
            [("issuing", "[no stack]"), ("same_process", "[no stack]"), ("other_process", "[no stack]")]
        );
    });
}

/// The attribution of a call by the words of the definition: thread and row of the range.
fn slow_attribution(scene: &Scene, call: usize) -> Option<(usize, Option<usize>)> {
    let (thread, time) = (scene.calls[call].thread, scene.calls[call].span.start);
    let of = |thread: usize| scene.ranges.iter().filter(move |row| row.thread == thread).enumerate();
    let innermost = |thread: usize| {
        let open = of(thread).filter(|(_, row)| row.span.start <= time && time <= row.span.end);
        open.max_by_key(|(at, row)| (row.span.start, -row.span.end, *at)).map(|(at, _)| at)
    };
    if innermost(thread).is_some() {
        return Some((thread, None));
    }
    let near = small_thresholds().thresholds.waiting_ns;
    let waits = |thread: usize| {
        let mut calls = scene.calls.iter().filter(|row| row.thread == thread);
        calls.all(|row| time <= row.span.start - near || row.span.end + near <= time)
    };
    let launched = |thread: usize| -> Ns {
        let of_thread = scene
            .items
            .iter()
            .filter(|item| item.call.is_some_and(|call| scene.calls[call].thread == thread));
        of_thread.map(|item| item.span.length()).sum()
    };
    let others = (0..THREADS).filter(|&other| other != thread && PROCESSES[other] == PROCESSES[thread]);
    let able = others.filter(|&other| innermost(other).is_some() && waits(other));
    let best = able.min_by_key(|&other| (-launched(other), other))?;
    Some((best, innermost(best)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn attributions_are_those_of_the_definition(scene in scenes()) {
        let settings = small_thresholds();
        // Ranges of libraries have rows of their own after those of the program.
        let found = scene.with(&settings, attributions);
        for (item, of) in scene.items.iter().enumerate() {
            let expected = of.call.map(|call| slow_attribution(&scene, call));
            let found = match found.get(item) {
                Attribution::NoCall => None,
                Attribution::None => Some(None),
                Attribution::Own => Some(Some((scene.calls[of.call.expect("a call")].thread, None))),
                Attribution::ByTime(range) => Some(Some((range.thread.index(), Some(range.row as usize)))),
            };
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn launches_are_those_of_the_definition(scene in scenes()) {
        let settings = small_thresholds();
        let (found, stats) = scene.with(&settings, |classified| (launches(classified), launch_stats(classified)));
        let mut order: Vec<usize> = (0..scene.items.len()).collect();
        order.sort_by_key(|&item| (scene.items[item].span, item));
        let mut stream_ends: [Option<Ns>; STREAMS] = [None; STREAMS];
        let (mut delays, mut starved) = (Vec::new(), 0);
        for item in order {
            let of = scene.items[item];
            let before = stream_ends[of.stream];
            stream_ends[of.stream] = Some(before.map_or(of.span.end, |end| end.max(of.span.end)));
            let Some(&launch) = found.get(item) else { continue };
            prop_assert_eq!(launch.is_some(), of.call.is_some());
            let Some(launch) = launch else { continue };
            let call = scene.calls[of.call.expect("a call")].span;
            let delay = of.span.start - before.map_or(call.start, |end| end.max(call.start));
            prop_assert_eq!(launch.start_delay_ns, delay.max(0));
            prop_assert_eq!(launch.is_starved, before.is_none_or(|end| end <= call.start));
            prop_assert_eq!(launch.latency_ns.unwrap_or(-1), (of.span.start - call.start).max(-1));
            if of.span.start >= call.start {
                delays.push(delay.max(0));
                starved += u64::from(launch.is_starved);
            }
        }
        delays.sort_unstable();
        prop_assert_eq!(stats.starved, starved);
        prop_assert_eq!(stats.start_delay.median_ns, delays.get(delays.len() / 2).copied());
        prop_assert_eq!(stats.start_delay.sum_ns, delays.iter().sum::<Ns>());
    }

    #[test]
    fn reading_covers_what_any_thread_reads(scene in scenes()) {
        let settings = small_thresholds();
        let windows = [Span::new(-3, 20), Span::new(20, 33)];
        let found = scene.with(&settings, |classified| os_read_time(classified, &windows)).expect("a table");
        for (found, window) in found.into_iter().zip(windows) {
            let reads = |time: &Ns| scene.os_calls.iter().any(|row| row.name == "read" && holds(row.span, *time));
            prop_assert_eq!(found, (window.start..window.end).filter(reads).map(|_| 1).sum::<Ns>());
        }
    }
}
