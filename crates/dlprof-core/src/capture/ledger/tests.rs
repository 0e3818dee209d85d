//! Losses of each kind, drawn: which launches are accounted for how, and what follows for iterations.

use super::{Ledger, LossOf, Place};
use crate::base::ids::ThreadId;
use crate::base::time::Ns;
use crate::capture::Capture;
use crate::read::facts::WorkKind;
use crate::steps::iterate::KeyNodeChoice;
use crate::tests::drawn::Drawn;
use proptest::prelude::*;

const STEP: Ns = 10_000_000;

/// What a launch of a drawn program leaves.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Left {
    Kernel,
    Nothing,
}

/// Twenty steps of 10 ms, in each of which a thread launches ten kernels of 0.5 ms, and their records if `left` says so, by step and
/// launch.
fn steps(drawn: &mut Drawn, left: impl Fn(i64, i64) -> Left) {
    for step in 1..21 {
        let start = STEP * step;
        drawn.range("step", start..start + STEP - 100_000);
        for launch in 0..10 {
            let call = start + 10_000 + 600_000 * launch;
            match left(step, launch) {
                Left::Kernel => drawn.launch(call..call + 5_000, "k", call + 8_000..call + 508_000),
                Left::Nothing => drawn.api_call("cudaLaunchKernel", call..call + 5_000, 0),
            };
        }
    }
}

fn lost(is_lost: bool) -> Left {
    if is_lost { Left::Nothing } else { Left::Kernel }
}

fn capture(left: impl Fn(i64, i64) -> Left) -> Capture {
    let mut drawn = Drawn::new();
    steps(&mut drawn, left);
    drawn.capture()
}

fn ledger(capture: &Capture) -> &Ledger {
    &capture.description.ledger
}

/// The iterations that are untraced.
fn untraced(capture: &Capture) -> Vec<(u32, u32)> {
    let index = capture.index(&KeyNodeChoice::Named("step".into())).expect("it ran");
    index.iterations.lost.iter().map(|lost| (lost.first, lost.last)).collect()
}

#[test]
fn a_capture_with_all_records_lost_nothing() {
    let whole = capture(|_, _| Left::Kernel);
    let total = ledger(&whole).total();
    assert_eq!((total.launches, total.recorded, total.missing), (200, 200, 0));
    assert_eq!((ledger(&whole).loss(1.0), untraced(&whole)), (None, vec![]));
}

#[test]
fn places_of_losses_are_told_and_the_step_in_which_one_begins_is_untraced() {
    type Case = (fn(i64, i64) -> Left, Place, (u32, u32));
    let cases: [Case; 3] = [
        (|step, _| lost(step < 6), Place::Start, (1, 5)),
        (|step, launch| lost(step == 8 && launch > 3 || (9..12).contains(&step)), Place::Middle, (8, 11)),
        (|step, launch| lost(step == 15 && launch > 6 || step > 15), Place::End, (15, 20)),
    ];
    for (left, place, iterations) in cases {
        let capture = capture(left);
        let loss = ledger(&capture).loss(1.0).expect("a loss");
        assert_eq!((loss.of, loss.place), (LossOf::Launches, Some(place)));
        assert_eq!(untraced(&capture), [iterations], "{place:?}");
    }
}

#[test]
fn where_records_are_missing_everywhere_no_iteration_is_told_from_others() {
    let scattered = capture(|step, launch| lost((step + launch) % 3 == 0));
    let loss = ledger(&scattered).loss(1.0).expect("a loss");
    assert_eq!((loss.place, untraced(&scattered)), (Some(Place::Throughout), vec![]));
    let most = capture(|step, launch| lost((step + launch) % 3 != 0));
    assert_eq!(untraced(&most), [(1, 20)], "of which most is missing");
}

/// The recording may end before what was launched has run: the last kernels of a program that is far ahead of its GPU.
#[test]
fn what_may_not_have_run_is_not_lost() {
    let mut drawn = Drawn::new();
    for launch in 0..400 {
        let call = 20_000 * launch;
        match launch < 100 {
            true => drawn.launch(call..call + 5_000, "k", 80_000 * launch..80_000 * launch + 80_000),
            false => drawn.api_call("cudaLaunchKernel", call..call + 5_000, 0),
        };
    }
    let capture = drawn.capture();
    let total = ledger(&capture).total();
    assert_eq!((total.missing, total.lost, ledger(&capture).loss(1.0)), (300, 0, None));
}

#[test]
fn what_ran_before_a_wait_for_the_device_is_lost() {
    let mut drawn = Drawn::new();
    for launch in 0..60 {
        let call = 10_000 * launch;
        match launch < 30 {
            true => drawn.launch(call..call + 5_000, "k", call + 6_000..call + 9_000),
            false => drawn.api_call("cudaLaunchKernel", call..call + 5_000, 0),
        };
    }
    drawn.api_call("cudaDeviceSynchronize", 600_000..610_000, 0);
    assert_eq!(ledger(&drawn.capture()).total().lost, 30);
}

#[test]
fn a_process_without_records_is_told_from_others() {
    let mut drawn = Drawn::new();
    steps(&mut drawn, |_, _| Left::Kernel);
    drawn.process();
    steps(&mut drawn, |_, _| Left::Nothing);
    let capture = drawn.capture();
    let loss = ledger(&capture).loss(1.0).expect("a loss");
    assert_eq!((loss.of, loss.launches), (LossOf::Processes, 200));
    assert_eq!(loss.lost, 196, "the last ones may not have run");
    assert_eq!(untraced(&capture), [], "the others are known");
}

#[test]
fn a_process_that_loses_its_start_makes_these_iterations_untraced() {
    let mut drawn = Drawn::new();
    steps(&mut drawn, |_, _| Left::Kernel);
    drawn.process();
    steps(&mut drawn, |step, _| lost(step < 4));
    assert_eq!(untraced(&drawn.capture()), [(1, 3)]);
}

#[test]
fn launches_of_graphs_without_any_record() {
    let mut drawn = Drawn::new();
    steps(&mut drawn, |_, _| Left::Kernel);
    for step in 1..21 {
        drawn.api_call("cudaGraphLaunch_v10000", STEP * step + 7_000_000..STEP * step + 7_010_000, 0);
    }
    let capture = drawn.capture();
    let loss = ledger(&capture).loss(1.0).expect("a loss");
    assert_eq!(
        (loss.of, loss.lost, loss.launches),
        (LossOf::Graphs, 19, 20),
        "the last one may not have run"
    );
    assert_eq!(untraced(&capture), [(1, 20)], "but nothing says that it has a record");
}

#[test]
fn launches_into_a_graph_are_captured_and_not_lost() {
    let mut drawn = Drawn::new();
    drawn.launch(0..5_000, "k", 6_000..9_000);
    drawn.api_call("cudaStreamBeginCapture_v10000", 10_000..11_000, 0);
    for launch in 1..101 {
        drawn.api_call("cudaLaunchKernel", 20_000 * launch..20_000 * launch + 5_000, 0);
    }
    drawn.api_call("cudaStreamEndCapture_v10000", 3_000_000..3_001_000, 0);
    drawn.launch(3_100_000..3_105_000, "k", 3_106_000..3_109_000);
    let capture = drawn.capture();
    let total = ledger(&capture).total();
    assert_eq!((total.launches, total.recorded, total.captured, total.missing), (102, 2, 100, 0));
    assert!(ledger(&capture).only_captures());
    assert!(ledger(&capture).hides_gpu_time().is_some());
}

/// A kernel without a call of one process is none that another process seems to lack.
#[test]
fn kernels_of_another_process_are_not_those_that_are_missing() {
    let mut drawn = Drawn::new();
    for launch in 0..100 {
        drawn.launch(
            20_000 * launch..20_000 * launch + 5_000,
            "k",
            20_000 * launch + 6_000..20_000 * launch + 9_000,
        );
        drawn.loose(WorkKind::Kernel, "orphan", 20_000 * launch + 10_000..20_000 * launch + 11_000);
    }
    drawn.process();
    for launch in 0..60 {
        drawn.api_call("cudaLaunchKernel", 20_000 * launch..20_000 * launch + 5_000, 0);
    }
    drawn.api_call("cudaDeviceSynchronize", 2_000_000..2_001_000, 0);
    let capture = drawn.capture();
    assert_eq!(ledger(&capture).loss(1.0).map(|loss| (loss.of, loss.lost)), Some((LossOf::Processes, 60)));
}

#[test]
fn some_of_few_launches_of_graphs_are_a_loss() {
    let graphs = |lost: Ns| {
        let mut drawn = Drawn::new();
        for launch in 0..10 {
            let call = 100_000 * launch;
            let number = 50 + u32::try_from(launch).expect("few");
            drawn.api_call("cudaGraphLaunch_v10000", call..call + 5_000, number);
            if launch >= lost {
                let origin = (drawn.current_process(), number);
                drawn.work(WorkKind::Kernel, "k", call + 6_000..call + 90_000, origin);
            }
        }
        let capture = drawn.capture();
        ledger(&capture).loss(1.0).map(|loss| loss.lost)
    };
    assert_eq!((graphs(5), graphs(1), graphs(0)), (Some(5), None, None));
}

#[test]
fn one_launch_may_be_two_calls() {
    let mut drawn = Drawn::new();
    for launch in 0..100 {
        let call = 10_000 * launch;
        drawn.api_call("cudaLaunchKernel", call..call + 6_000, 0);
        drawn.launch(call + 1_000..call + 5_000, "k", call + 6_000..call + 9_000);
    }
    let capture = drawn.capture();
    assert_eq!((ledger(&capture).total().recorded, ledger(&capture).total().missing), (200, 0));
}

/// Waits of 8 ms in steps of 10 ms, after kernels that end after `kernel_ns`.
fn waiting(kernel_ns: Ns) -> Capture {
    let mut drawn = Drawn::new();
    for step in 0..30 {
        let start = STEP * step;
        drawn.launch(start..start + 5_000, "k", start + 8_000..start + 8_000 + kernel_ns);
        drawn.api_call("cudaStreamSynchronize_v3020", start + 10_000..start + 8_010_000, 0);
    }
    drawn.capture()
}

#[test]
fn waits_go_on_behind_the_last_recorded_work_or_end_with_it() {
    let endless = waiting(500_000);
    let waits = ledger(&endless).waits;
    assert_eq!((waits.waits, waits.time_ns), (30, 225_060_000));
    assert!(ledger(&endless).has_endless_waits(10.0));
    assert_eq!(ledger(&waiting(8_000_000)).waits.waits, 0);
    let mut of_host = Drawn::new();
    of_host.api_call("cudaLaunchHostFunc", 0..1_000, 0);
    of_host.launch(1_000..2_000, "k", 3_000..4_000);
    of_host.api_call("cudaDeviceSynchronize", 5_000..9_000_000, 0);
    assert_eq!(ledger(&of_host.capture()).waits.waits, 0, "it may wait for the host");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever is missing where, each launch is accounted for once, and an iteration that lost a tenth of its launches is not
    /// judged unless the loss is everywhere.
    #[test]
    fn every_launch_is_accounted_for(
        missing in prop::collection::vec(any::<bool>(), 200),
        captured in prop::collection::vec(any::<bool>(), 20),
        threads in 1_usize..3,
    ) {
        let mut drawn = Drawn::new();
        let all: Vec<ThreadId> = (0..threads).map(|at| if at == 0 { ThreadId::new(0) } else { drawn.thread() }).collect();
        for step in 1..21_i64 {
            for (at, &thread) in all.iter().enumerate() {
                drawn.on(thread);
                let (start, place) = (STEP * step, usize::try_from(step - 1).expect("small"));
                drawn.range("step", start..start + STEP - 100_000);
                let is_captured = at == 0 && captured[place];
                if is_captured {
                    drawn.api_call("cudaStreamBeginCapture", start + 1_000..start + 2_000, 0);
                }
                for launch in 0..10 {
                    let call = start + 10_000 + 600_000 * i64::try_from(launch).expect("small");
                    match is_captured || missing[10 * place + launch] {
                        true => drawn.api_call("cudaLaunchKernel", call..call + 5_000, 0),
                        false => drawn.launch(call..call + 5_000, "k", call + 8_000..call + 508_000),
                    };
                }
                if is_captured {
                    drawn.api_call("cudaStreamEndCapture", start + 9_000_000..start + 9_001_000, 0);
                }
            }
        }
        let capture = drawn.capture();
        let total = ledger(&capture).total();
        prop_assert_eq!(total.launches, total.recorded + total.captured + total.missing);
        prop_assert_eq!(total.launches, 200 * threads as u64);
        let inside = captured.iter().filter(|&&is| is).count() as u64;
        prop_assert_eq!(total.captured, 10 * inside);
        prop_assert!(total.lost <= total.missing);
        for row in &ledger(&capture).launches {
            prop_assert_eq!(row.launches, row.recorded + row.captured + row.missing);
            prop_assert_eq!(row.place.is_some(), row.missing > 0);
        }
    }
}
