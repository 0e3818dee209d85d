//! Whom GPUs wait for, as the verdict says it: a thread that computes, one that sleeps, one that waits for another thread, or work
//! that is done once, with its name.

use super::idle_tests::{MS, finding, kernels_beside, two_kernels};
use super::{Judged, verdict, verdict_detail, verdict_meaning};
use crate::read::facts::NO_CORRELATION;
use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
use crate::tests::drawn::Drawn;

fn said(judged: &Judged) -> String {
    verdict_detail(judged).to_string()
}

/// GPUs wait 300 ms for a thread in a range, which has no processor for some of them.
#[test]
fn a_thread_that_sleeps_is_no_slow_cpu() {
    let sleeps = |ms| {
        two_kernels(|drawn, time| {
            drawn.range("prefetch", time.clone());
            drawn.sleeps(time.start..time.start + ms * MS);
            drawn.sleeps(305 * MS..306 * MS);
        })
    };
    let asleep = sleeps(250);
    let words = "Waiting: GPUs idle 96.1% of the time for the thread that launches, which sleeps most of it";
    assert!(said(&asleep).starts_with(words), "{}", said(&asleep));
    let meaning = verdict_meaning(&asleep).expect("it has one");
    assert!(meaning.contains("Neither a faster CPU"), "{meaning}");
    let found = finding(&asleep, "cpu_work_between").expect("GPUs wait");
    assert_eq!(found.title, Some("GPUs wait while the thread that launches sleeps"));
    assert!(found.recommendation.to_string().contains("GPUs are busy only "), "{}", found.recommendation);

    let awake = sleeps(20);
    assert!(said(&awake).starts_with("One cold pass: "), "{}", said(&awake));
    assert_eq!(finding(&awake, "cpu_work_between").expect("GPUs wait").title, None);
}

/// It sleeps in a wait for the GPU, which is no time in which GPUs wait for the CPU.
#[test]
fn sleep_elsewhere_does_not_count() {
    let judged = two_kernels(|drawn, _| {
        drawn.api_call("cudaStreamSynchronize", 12 * MS..110 * MS, NO_CORRELATION);
        drawn.range("work", 112 * MS..310 * MS);
        drawn.sleeps(12 * MS..175 * MS);
        drawn.sleeps(305 * MS..306 * MS);
    });
    assert!(said(&judged).starts_with("One cold pass: "), "{}", said(&judged));
}

/// The first kernel runs 190 or 90 ms of 310, for which the thread waits, and GPUs wait for the thread in the rest.
#[test]
fn where_gpus_compute_longer_than_they_wait_both_are_said() {
    let works = |until: i64| {
        kernels_beside(until * MS, |drawn, time| {
            drawn.api_call("cudaDeviceSynchronize", time.start..until * MS + 2_000, NO_CORRELATION);
            drawn.range("work", until * MS + 3_000..time.end);
        })
    };
    let both = said(&works(200));
    assert!(
        both.starts_with("GPU- and CPU-bound: GPUs compute 64.2% of the time and wait for the CPU 35.5%"),
        "{both}"
    );
    assert!(said(&works(100)).starts_with("One cold pass: "), "{}", said(&works(100)));
}

/// Eight steps of 10 ms, in which a thread works, waits or copies between its launches, and a kernel that runs for most of them.
fn steps(kernel_ns: i64, waits: bool, copy_ns: i64) -> Judged {
    let mut drawn = Drawn::new();
    for step in 0..8 {
        let start = 100 * MS + step * 10 * MS;
        drawn.range("step", start..start + 10 * MS - 1);
        let launched = start + 10_000;
        drawn.launch(start..launched, "gemm", launched..launched + kernel_ns);
        let end = if waits { launched + kernel_ns + 2_000 } else { start + 20_000 };
        drawn.api_call("cudaDeviceSynchronize", start + 11_000..end, NO_CORRELATION);
        if copy_ns > 0 {
            drawn.copy(end + 1_000..end + copy_ns + 8_000, 1 << 20, end + 5_000..end + 5_000 + copy_ns);
        }
    }
    let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
    index.profile(&RangeChoice::from(1..=8)).expect("a profile").into()
}

/// GPUs are busy nine tenths of the time, but the thread launches one kernel per step whenever the last one ended: shorter kernels
/// change nothing.
#[test]
fn a_busy_gpu_that_a_thread_paces_is_not_what_limits() {
    let paced = steps(9 * MS, false, 0);
    assert_eq!(verdict(&paced).class, "cpu_bound", "{}", verdict(&paced).sentence);
    let bounds = verdict(&paced).bounds.expect("the steps are replayed");
    assert!(bounds.gpu_percent() < 1.0 && bounds.host_percent() > 8.0, "{bounds:?}");
    // The thread waits for each kernel: these are what takes the time.
    let waits = steps(9 * MS, true, 0);
    assert_eq!(verdict(&waits).class, "gpu_bound", "{}", verdict(&waits).sentence);
    let bounds = verdict(&waits).bounds.expect("the steps are replayed");
    assert!(bounds.gpu_percent() > 85.0, "{bounds:?}");
}

#[test]
fn kernels_that_take_longer_than_copies_are_said_beside_them() {
    let both = verdict(&steps(6 * MS, true, 3 * MS)).sentence.to_string();
    assert!(both.starts_with("GPU- and copy-bound: 60."), "{both}");
    let copies = verdict(&steps(3 * MS, true, 6 * MS)).sentence.to_string();
    assert!(copies.starts_with("Copy-bound: copies take 6"), "{copies}");
}

/// Of a thread that polls, what it waits for is not recorded.
#[test]
fn a_thread_that_polls_does_not_pace() {
    let mut drawn = Drawn::new();
    for step in 0..8 {
        let start = 100 * MS + step * 10 * MS;
        drawn.range("step", start..start + 10 * MS - 1);
        drawn.launch(start..start + 10_000, "gemm", start + 10_000..start + 10 * MS - 30_000);
        for asked in 1..9 {
            drawn.api_call("cudaEventQuery", start + asked * MS..start + asked * MS + 2_000, NO_CORRELATION);
        }
    }
    let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
    let judged: Judged = index.profile(&RangeChoice::from(1..=8)).expect("a profile").into();
    assert_eq!((verdict(&judged).class, verdict(&judged).bounds), ("gpu_bound", None));
}

/// The thread sleeps 30 times for 5 ms while GPUs wait for it.
#[test]
fn sleeps_of_one_length_are_told() {
    let judged = two_kernels(|drawn, time| {
        drawn.range("load", time);
        (0..30).for_each(|at| _ = drawn.sleeps((20 + 9 * at) * MS..(25 + 9 * at) * MS));
        drawn.sleeps(305 * MS..306 * MS);
    });
    let found = finding(&judged, "cpu_work_between").expect("GPUs wait").recommendation.to_string();
    assert!(found.contains("sleeps of equal length: 30 of about 5.000 ms."), "{found}");
}

#[test]
fn what_has_most_of_the_work_that_is_done_once_is_named() {
    let calls = |first: i64| {
        two_kernels(|drawn, _| {
            drawn.api_call("cudaStreamCreateWithFlags_v5000", 12 * MS..(12 + first) * MS, NO_CORRELATION);
            drawn.api_call("cuModuleLoadData", 290 * MS..(590 - 12 - first) * MS, NO_CORRELATION);
        })
    };
    let stream = calls(270);
    assert!(
        said(&stream).ends_with("of the time: 270.000 ms in `cudaStreamCreateWithFlags`"),
        "{}",
        said(&stream)
    );
    // Verdict and what it means are of one mind: neither asks for launches to be made earlier.
    assert_eq!(verdict(&stream).class, "set_up");
    assert!(said(&stream).starts_with("Mostly set-up: "), "{}", said(&stream));
    assert!(verdict_meaning(&stream).is_some_and(|meaning| meaning.contains("does not repeat")));
    let range = two_kernels(|drawn, time| _ = drawn.range("Nvrtc::CompileProgram", time));
    assert!(said(&range).ends_with("of the time: 298.000 ms in `Nvrtc::CompileProgram`"), "{}", said(&range));
    // The first has half of it, and the second three quarters with it.
    let two = two_kernels(|drawn, _| {
        drawn.api_call("cudaStreamCreateWithFlags_v5000", 12 * MS..172 * MS, NO_CORRELATION);
        drawn.api_call("cuModuleLoadData", 180 * MS..300 * MS, NO_CORRELATION);
    });
    let words = "of the time: 160.000 ms in `cudaStreamCreateWithFlags` and 120.000 ms in `cuModuleLoadData`";
    assert!(said(&two).ends_with(words), "{}", said(&two));
    // Of three calls none has half of it, nor two three quarters.
    let three = two_kernels(|drawn, _| {
        drawn.api_call("cudaStreamCreate", 12 * MS..110 * MS, NO_CORRELATION);
        drawn.api_call("cuModuleLoadData", 111 * MS..210 * MS, NO_CORRELATION);
        drawn.api_call("cudaGraphInstantiate", 211 * MS..310 * MS, NO_CORRELATION);
    });
    assert!(said(&three).contains("work that is done once keeps GPUs idle "), "{}", said(&three));
}

/// GPUs wait 100 ms for a thread that is outside its ops, and 150 ms after a wait and a copy in which it is in another function.
fn waits_in(function: &str) -> Judged {
    let mut drawn = Drawn::new();
    drawn.range("op", 5 * MS..8 * MS);
    drawn.launch(9 * MS..9 * MS + 10_000, "first", 10 * MS..11 * MS);
    drawn.os_call(function, 11 * MS..111 * MS);
    drawn.launch(111 * MS..111 * MS + 10_000, "second", 112 * MS..113 * MS);
    drawn.api_call("cudaStreamSynchronize", 114 * MS..189 * MS, NO_CORRELATION);
    drawn.api_call("cudaMemcpy", 189 * MS..264 * MS, NO_CORRELATION);
    drawn.os_call("poll", 114 * MS..264 * MS);
    drawn.launch(264 * MS..264 * MS + 10_000, "third", 265 * MS..300 * MS);
    let index = drawn.capture().index(&KeyNodeChoice::None).expect("an index");
    index.profile(&RangeChoice::default()).expect("a profile").into()
}

#[test]
fn a_lock_is_named_though_the_thread_waits_longer_for_other_things() {
    let locked = waits_in("pthread_mutex_lock");
    assert!(said(&locked).starts_with("Waiting: GPUs idle "), "{}", said(&locked));
    let problem = finding(&locked, "input_bound").expect("it waits").problem.to_string();
    assert!(problem.contains("`pthread_mutex_lock`, in which it waits for another thread"), "{problem}");
    let input = waits_in("epoll_wait");
    assert!(said(&input).starts_with("Input-bound: "), "{}", said(&input));
}

#[test]
fn the_line_of_the_program_that_failed_is_named() {
    let failed = |lines: &str| said(&two_kernels(|drawn, _| _ = drawn.printed_at_its_end(lines)));
    let place = failed("stderr: FATAL ERROR: no data / file:/home/me/main.c train line:116");
    assert!(
        place.starts_with("The program ended badly: “stderr: FATAL ERROR: no data, main.c train line:116”. "),
        "{place}"
    );
    let other = failed("stderr: FATAL ERROR: no data / core dumped");
    assert!(other.starts_with("The program ended badly: “stderr: FATAL ERROR: no data”. "), "{other}");
}
