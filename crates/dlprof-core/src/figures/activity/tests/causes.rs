//! One drawing per cause of idle time.
//!
//! Every scene has a kernel at 0 to 10 and a second one after an idle time; the second one's call is number 1.

use super::scene::{Kind, Scene, row, small_thresholds};
use crate::base::time::{Ns, Span};
use crate::capture::classified::Cause;
use crate::figures::activity::{IdleRange, IdleTime, gpu_figures, gpu_times};
use crate::read::facts::OverheadKind;

/// Idle time of GPU 0 from 0 on.
fn idle(scene: &Scene, until: Ns) -> IdleTime {
    let settings = small_thresholds();
    let windows = [Span::new(0, until)];
    scene.with(&settings, |classified| gpu_times(classified, &windows)).at(0, 0).idle
}

/// The causes of the gap between the kernels.
fn causes(scene: &Scene) -> Vec<(Cause, Ns)> {
    let end = scene.items.iter().map(|item| item.span.end).max().expect("kernels");
    idle(scene, end).causes().collect()
}

/// A kernel, and a second one launched in the gap: its call at 25 to 28, its start at 30.
fn late_launch() -> Scene {
    let mut scene = Scene::default();
    scene.call("cudaLaunchKernel", -5, -3).call("cudaLaunchKernel", 25, 28);
    scene.kernel(0, 10, Some(0)).kernel(30, 40, Some(1));
    scene
}

/// A kernel, and a second one launched before the gap, which begins at 10 and ends at `start`.
fn queued(start: Ns) -> Scene {
    let mut scene = Scene::default();
    scene.call("cudaLaunchKernel", 0, 2).call("cudaLaunchKernel", 4, 6);
    scene.kernel(1, 10, Some(0)).kernel(start, start + 5, Some(1));
    scene
}

#[test]
fn time_without_items_is_edge_or_unused() {
    let mut scene = Scene::default();
    scene.kernel(10, 20, None);
    assert_eq!(idle(&scene, 50).of(Cause::Edge), 40);
    assert_eq!(idle(&scene, 50).gaps, 0);
    let settings = small_thresholds();
    let times = scene.with(&settings, |classified| gpu_times(classified, &[Span::new(0, 50)]));
    assert_eq!(times.at(1, 0).idle.of(Cause::Unused), 50);
    assert_eq!(times.used(), [true, false]);
}

#[test]
fn items_of_zero_length_cut_no_gap() {
    let mut scene = late_launch();
    scene.kernel(15, 15, Some(0)).kernel(50, 50, Some(1));
    assert_eq!(idle(&scene, 60).gaps, 1);
    assert_eq!(idle(&scene, 60).of(Cause::Edge), 20);
    let mut scene = Scene::default();
    scene.kernel(5, 5, None);
    assert_eq!(idle(&scene, 9).of(Cause::Edge), 9);
}

#[test]
fn an_item_without_call_tells_nothing() {
    let mut scene = Scene::default();
    scene.kernel(0, 10, None).kernel(30, 40, None);
    assert_eq!(causes(&scene), [(Cause::NoApiCall, 20)]);
}

#[test]
fn a_queued_item_follows_at_once_or_stalls() {
    assert_eq!(causes(&queued(12)), [(Cause::Edge, 1), (Cause::Turnaround, 2)]);
    assert_eq!(causes(&queued(13)), [(Cause::Edge, 1), (Cause::Stall, 3)]);
}

#[test]
fn a_queued_item_may_depend_on_something_else() {
    let mut ordered = queued(20);
    ordered.call("cudaStreamWaitEvent", 3, 3);
    assert_eq!(causes(&ordered), [(Cause::Edge, 1), (Cause::Dependency, 10)]);
    let mut of_other_stream = queued(20);
    of_other_stream.items[1].stream = 1;
    assert_eq!(causes(&of_other_stream), [(Cause::Edge, 1), (Cause::Dependency, 10)]);
    let mut in_graph = queued(20);
    in_graph.items[1].kind = Kind::GraphNode;
    assert_eq!(causes(&in_graph), [(Cause::Edge, 1), (Cause::Dependency, 10)]);
}

/// The recording of torch.profiler begins while the program runs: what a stream waits for before its first item is not known.
#[test]
fn before_the_first_item_of_a_stream_a_trace_does_not_say_what_it_waits_for() {
    let mut queued = queued(20);
    queued.idle_from = Some(0);
    assert_eq!(causes(&queued), [(Cause::Stall, 10), (Cause::Launch, 1)]);
    queued.items[1].stream = 1;
    queued.call("cudaStreamWaitEvent", 3, 3);
    assert_eq!(causes(&queued), [(Cause::Launch, 1), (Cause::Unknown, 10)]);
    // Its call was made in the gap: from SUBMIT after the call on.
    let mut late = late_launch();
    (late.items[1].span, late.items[1].stream, late.idle_from) = (Span::new(40, 50), 1, Some(0));
    assert_eq!(causes(&late), [(Cause::Launch, 6), (Cause::Unknown, 15 + 9)]);
}

/// A step of a trace begins with the input of its first kernel, and ends with what nothing tells about.
#[test]
fn the_time_before_the_first_item_of_a_trace_is_a_gap() {
    let mut scene = Scene { idle_from: Some(0), ..Scene::default() };
    scene.range("get_batch", 0, 20).call("cudaLaunchKernel", 20, 22).kernel(23, 30, Some(0));
    assert_eq!(causes(&scene), [(Cause::DataLoading, 20), (Cause::Launch, 3)]);
    assert_eq!(idle(&scene, 40).of(Cause::Edge), 10);
    scene.items[0].call = None;
    assert_eq!(idle(&scene, 40).of(Cause::Edge), 33, "its launch was before the recording");
    scene.idle_from = None;
    scene.items[0].call = Some(0);
    assert_eq!(idle(&scene, 40).of(Cause::Edge), 33, "another capture may begin while the GPU works");
}

#[test]
fn a_launch_takes_until_the_item_should_have_started() {
    let mut scene = late_launch();
    scene.call("cudaStreamSynchronize", 9, 25);
    assert_eq!(causes(&scene), [(Cause::Sync, 15), (Cause::Launch, 5)]);
    scene.items[1].span = Span::new(40, 50);
    // SUBMIT is 3: from 31 on the item was submitted and did not start.
    assert_eq!(causes(&scene), [(Cause::Stall, 9), (Cause::Sync, 15), (Cause::Launch, 6)]);
    scene.call("cudaStreamWaitEvent", 20, 20);
    assert_eq!(causes(&scene), [(Cause::Dependency, 9), (Cause::Sync, 15), (Cause::Launch, 6)]);
}

#[test]
fn a_launch_that_takes_long_is_slow() {
    let mut scene = late_launch();
    scene.calls[1].span = Span::new(10, 28);
    assert_eq!(causes(&scene), [(Cause::SlowLaunch, 20)]);
}

#[test]
fn a_clock_that_disagrees_leaves_no_launch_in_the_gap() {
    let mut scene = late_launch();
    scene.calls[1].span = Span::new(33, 35);
    assert_eq!(causes(&scene), [(Cause::Unknown, 20)]);
}

/// The cause of 10 to 25 in [`late_launch`] with something more.
fn before_launch(add: impl FnOnce(&mut Scene)) -> Vec<(Cause, Ns)> {
    let mut scene = late_launch();
    add(&mut scene);
    let mut causes = causes(&scene);
    causes.retain(|&(cause, _)| cause != Cause::Launch);
    causes
}

#[test]
fn calls_are_causes_by_class() {
    let known = [
        ("cudaDeviceSynchronize", Cause::Sync),
        ("cudaMemcpy", Cause::Copy),
        ("cudaFree", Cause::Allocation),
        ("cuModuleLoadData", Cause::Setup),
        ("cudaEventQuery", Cause::Api),
        ("cuLaunchKernel", Cause::SlowLaunch),
    ];
    for (name, cause) in known {
        assert_eq!(before_launch(|scene| _ = scene.call(name, 10, 25)), [(cause, 15)], "{name}");
    }
}

#[test]
fn ranges_are_causes_by_text() {
    assert_eq!(before_launch(|scene| _ = scene.range("forward", 0, 50)), [(Cause::HostRange, 15)]);
    assert_eq!(before_launch(|scene| _ = scene.range("get_batch", 0, 50)), [(Cause::DataLoading, 15)]);
    let exchange = before_launch(|scene| scene.nccl.push(row(0, "ncclAllReduce", 0, 50)));
    assert_eq!(exchange, [(Cause::Communication, 15)]);
    let communicator = before_launch(|scene| scene.mpi.push(row(0, "MPI_Init", 0, 50)));
    assert_eq!(communicator, [(Cause::Setup, 15)]);
}

/// The first `MPI_Send` registers memory: what the exchange itself takes is less.
#[test]
fn a_cuda_call_inside_an_exchange_owns_its_time() {
    let inside = |name: &'static str| {
        before_launch(|scene| {
            scene.mpi.push(row(0, "MPI_Send", 5, 50));
            scene.call(name, 12, 22);
        })
    };
    assert_eq!(inside("cuMemHostRegister_v2"), [(Cause::Allocation, 10), (Cause::Communication, 5)]);
    assert_eq!(inside("cudaMemcpyAsync"), [(Cause::Copy, 10), (Cause::Communication, 5)]);
    assert_eq!(inside("cuLibraryLoadData"), [(Cause::Setup, 10), (Cause::Communication, 5)]);
    let polling = before_launch(|scene| {
        scene.mpi.push(row(0, "MPI_Wait", 5, 50));
        scene.call("cudaEventQuery", 12, 14).call("cudaEventQuery", 16, 18);
    });
    assert_eq!(polling, [(Cause::Api, 4), (Cause::Communication, 11)]);
}

#[test]
fn idle_time_of_ranges_is_that_of_the_cause_by_the_innermost_range() {
    let mut scene = late_launch();
    scene.range("step", 0, 50).range("compile", 11, 19);
    assert_eq!(causes(&scene), [(Cause::Launch, 5), (Cause::HostRange, 15)]);
    let settings = small_thresholds();
    let windows = [Span::new(0, 15), Span::new(15, 40)];
    let found = scene.with(&settings, |classified| {
        let name = |row: &IdleRange| classified.activity().strings.get(row.text).to_owned();
        let rows = gpu_figures(classified, &windows).ranges.of_windows(0..windows.len());
        rows.iter().map(|row| (row.window, name(row), row.time_ns)).collect::<Vec<_>>()
    });
    let expected = [(0, "compile", 4), (0, "step", 1), (1, "compile", 5), (1, "step", 5)];
    assert_eq!(found, expected.map(|(window, text, ns)| (window, text.to_owned(), ns)));
}

#[test]
fn the_profiler_is_asked_first_and_during_the_launch_too() {
    let overhead = |kind| move |scene: &mut Scene| scene.overheads.push((row(0, "", 12, 26), kind));
    assert_eq!(before_launch(overhead(OverheadKind::Profiler)), [(Cause::Profiler, 14), (Cause::Unknown, 2)]);
    assert_eq!(before_launch(overhead(OverheadKind::Setup)), [(Cause::Setup, 13), (Cause::Unknown, 2)]);
    assert_eq!(before_launch(overhead(OverheadKind::BufferFull)), [(Cause::Unknown, 15)]);
}

#[test]
fn waiting_and_reading_are_for_input_outside_ops() {
    let waits = |name: &'static str, text: &'static str, start: Ns| {
        before_launch(|scene| {
            scene.os_calls.push(row(0, name, 10, 25));
            scene.range(text, start, start + 30);
        })
    };
    // A range elsewhere: the thread has ops.
    assert_eq!(waits("poll", "forward", 100), [(Cause::InputWait, 15)]);
    assert_eq!(waits("read", "forward", 100), [(Cause::Io, 15)]);
    assert_eq!(waits("nanosleep", "forward", 100), [(Cause::OsCall, 15)]);
    // Inside an op.
    assert_eq!(waits("poll", "forward", 5), [(Cause::OsCall, 15)]);
    assert_eq!(waits("read", "forward", 5), [(Cause::OsCall, 15)]);
    // Inside a whole iteration, which is not an op, on a thread without ops.
    assert_eq!(waits("read", "iteration5", 5), [(Cause::Io, 15)]);
    assert_eq!(waits("poll", "iteration5", 5), [(Cause::OsCall, 15)]);
    assert_eq!(waits("ioctl", "iteration5", 5), [(Cause::HostRange, 15)]);
}

#[test]
fn short_waits_are_for_locks() {
    let waits = before_launch(|scene| {
        scene.os_calls.push(row(0, "futex", 10, 14));
        scene.range("forward", 100, 130);
    });
    assert_eq!(waits, [(Cause::OsCall, 4), (Cause::Unknown, 11)]);
}

#[test]
fn a_thread_soon_before_its_next_call_is_issuing() {
    let issuing = before_launch(|scene| _ = scene.call("cudaEventQuery", 10, 21));
    assert_eq!(issuing, [(Cause::Api, 11), (Cause::HostIssue, 4)]);
    let paused = before_launch(|scene| _ = scene.call("cudaEventQuery", 10, 20));
    assert_eq!(paused, [(Cause::Api, 10), (Cause::Unknown, 5)]);
}

#[test]
fn other_threads_of_the_process_are_asked_last() {
    let other = |thread| before_launch(|scene| scene.calls.push(row(thread, "cudaFree", 12, 20)));
    assert_eq!(other(1), [(Cause::Allocation, 8), (Cause::Unknown, 7)]);
    assert_eq!(other(3), [(Cause::Unknown, 15)]);
    let launch = before_launch(|scene| scene.calls.push(row(1, "cudaLaunchKernel", 12, 14)));
    assert_eq!(launch, [(Cause::Unknown, 15)]);
}

#[test]
fn of_items_that_start_together_the_one_launched_first_ends_the_gap() {
    let mut scene = late_launch();
    scene.call("cudaLaunchKernel", 11, 12);
    scene.kernel(30, 35, Some(2)).kernel(30, 45, None);
    // Submitted at 12: from 15 on it stalled.
    assert_eq!(causes(&scene), [(Cause::Stall, 15), (Cause::Launch, 4), (Cause::Unknown, 1)]);
}

#[test]
fn a_wait_that_drains_the_queue_has_a_cost() {
    let mut scene = late_launch();
    scene.call("cudaStreamSynchronize", 8, 12);
    let found = idle(&scene, 40);
    assert_eq!((found.drained_by_sync_ns, found.sync_cost_ns), (20, 7));
    // The gap is long.
    assert_eq!((found.sync_cost_short_gaps_ns, found.cpu_in_short_gaps_ns), (0, 0));
    assert_eq!(found.cpu_in_long_gaps_ns, 5);
    scene.items[1].span = Span::new(20, 40);
    scene.calls[1].span = Span::new(14, 16);
    let found = idle(&scene, 40);
    assert_eq!((found.drained_by_sync_ns, found.sync_cost_ns, found.sync_cost_short_gaps_ns), (10, 9, 9));
    assert_eq!((found.cpu_in_short_gaps_ns, found.cpu_in_long_gaps_ns), (7, 0));
    assert_eq!((found.gaps, found.longest_gap_ns), (1, 10));
}
