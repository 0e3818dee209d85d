use super::*;
use crate::base::ids::{Maybe, ThreadId};
use crate::steps::iterate::KeyNodeChoice;
use crate::tests::drawn::Drawn;
use std::ops::Range;

/// A thread of a drawn program.
struct Worker {
    /// Whether it has the ranges of the steps.
    has_ranges: bool,
    /// In which steps it launches, from 1 on.
    steps: Range<i64>,
    /// Launches in each of them.
    launches: i64,
    /// Whether it is the first of another process.
    is_process: bool,
}

const MAIN: Worker = Worker { has_ranges: true, steps: 1..21, launches: 4, is_process: false };

fn worker(steps: Range<i64>, launches: i64) -> Worker {
    Worker { has_ranges: false, steps, launches, is_process: false }
}

/// What is lost of twenty steps: the place of each thread, and the iterations that are untraced.
fn lost_of(workers: &[Worker]) -> Vec<(Option<usize>, u32, u32)> {
    let mut drawn = Drawn::new();
    let mut threads: Vec<ThreadId> = vec![ThreadId::new(0)];
    for worker in &workers[1..] {
        threads.push(if worker.is_process { drawn.process() } else { drawn.thread() });
    }
    for step in 1..21 {
        let start = 1000 * step;
        for (at, (worker, &thread)) in workers.iter().zip(&threads).enumerate() {
            drawn.on(thread);
            if worker.has_ranges {
                drawn.range("step", start..start + 900);
            }
            let launches = if worker.steps.contains(&step) { worker.launches } else { 0 };
            for launch in 0..launches {
                let call = start + 10 + 20 * launch + i64::try_from(at).expect("few");
                drawn.launch(call..call + 1, "k", call + 2..call + 12);
            }
        }
    }
    let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
    let place = |lost: &LostRecords| lost.thread.some().map(ThreadId::index);
    index.iterations.lost.iter().map(|lost| (place(lost), lost.first, lost.last)).collect()
}

#[test]
fn a_thread_whose_records_end_while_others_launch() {
    assert_eq!(lost_of(&[MAIN, worker(1..9, 4)]), [(Some(1), 9, 20)]);
    // It made less than a tenth of the launches, or only the last iteration is without it.
    assert_eq!(lost_of(&[Worker { launches: 40, ..MAIN }, worker(1..9, 4)]), []);
    assert_eq!(lost_of(&[MAIN, worker(1..20, 4)]), []);
    assert_eq!(lost_of(&[MAIN, worker(1..21, 4)]), []);
}

#[test]
fn a_thread_whose_own_ranges_go_on() {
    let main = Worker { steps: 1..3, ..MAIN };
    assert_eq!(lost_of(&[main, worker(1..21, 4)]), [(Some(0), 3, 20)]);
}

#[test]
fn all_records_end_while_ranges_go_on() {
    assert_eq!(lost_of(&[Worker { steps: 1..9, ..MAIN }]), [(Some(0), 9, 20)]);
    let both = [Worker { steps: 1..9, ..MAIN }, worker(1..9, 4)];
    assert_eq!(lost_of(&both), [(None, 9, 20)]);
    // One thread lost them before all did.
    let one_first = [Worker { steps: 1..9, ..MAIN }, worker(1..5, 4)];
    assert_eq!(lost_of(&one_first), [(Some(1), 5, 8), (None, 9, 20)]);
    assert_eq!(lost_of(&[Worker { launches: 0, ..MAIN }]), [], "nothing was ever launched");
}

#[test]
fn a_thread_that_only_sets_things_up_lost_nothing() {
    assert_eq!(lost_of(&[MAIN, worker(1..3, 40)]), []);
}

#[test]
fn work_that_another_thread_takes_over_is_not_lost() {
    assert_eq!(lost_of(&[MAIN, worker(1..9, 4), worker(9..21, 4)]), []);
}

#[test]
fn a_process_that_ends_early_lost_nothing() {
    let process = Worker { has_ranges: true, is_process: true, ..worker(1..9, 4) };
    let ends = Worker { has_ranges: false, ..process };
    assert_eq!(lost_of(&[MAIN, ends]), []);
}

/// Twenty steps of 1 µs, in which a second thread launches but in some of them.
struct WithHoles {
    /// First step of each, and the step after it.
    holes: &'static [[i64; 2]],
    length_in_hole: i64,
    main_in_hole: i64,
    /// Of the second thread in each step: whether it calls the operating system, and whether it calls CUDA.
    has_signs: bool,
    has_calls: bool,
}

impl WithHoles {
    fn new() -> Self {
        Self { holes: &[[9, 13]], length_in_hole: 1000, main_in_hole: 4, has_signs: true, has_calls: false }
    }

    /// The iterations that are untraced.
    fn lost(&self) -> Vec<(u32, u32, bool)> {
        let mut drawn = Drawn::new();
        let (main, other) = (ThreadId::new(0), drawn.thread());
        let mut start = 1000;
        for step in 1..21 {
            let is_hole = self.holes.iter().any(|&[first, end]| (first..end).contains(&step));
            let length = if is_hole { self.length_in_hole } else { 1000 };
            drawn.on(main).range("step", start..start + length - 100);
            for launch in 0..if is_hole { self.main_in_hole } else { 4 } {
                let call = start + 10 + 20 * launch;
                drawn.launch(call..call + 1, "k", call + 2..call + 12);
            }
            drawn.on(other);
            if self.has_signs {
                drawn.os_call("futex", start + 300..start + 310);
            }
            if self.has_calls {
                drawn.api_call("cudaEventQuery", start + 320..start + 321, 0);
            }
            for launch in 0..if is_hole { 0 } else { 4 } {
                let call = start + 210 + 20 * launch;
                drawn.launch(call..call + 1, "k", call + 2..call + 12);
            }
            start += length;
        }
        let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
        index.iterations.lost.iter().map(|lost| (lost.first, lost.last, lost.again_ns.is_some())).collect()
    }
}

#[test]
fn records_that_are_missing_for_a_while() {
    let missing = WithHoles::new();
    assert_eq!(missing.lost(), [(9, 12, true)]);
    let shorter = WithHoles { length_in_hole: 600, ..WithHoles::new() };
    assert_eq!(shorter.lost(), [], "an evaluation takes less time");
    assert_eq!(WithHoles { main_in_hole: 8, ..missing }.lost(), [], "another thread does the work");
}

#[test]
fn a_thread_that_has_nothing_to_do_for_a_while_lost_nothing() {
    let silent = WithHoles { has_signs: false, ..WithHoles::new() };
    assert_eq!(silent.lost(), [], "nothing says that it went on");
    let calls = WithHoles { has_calls: true, ..WithHoles::new() };
    assert_eq!(calls.lost(), [], "its records are there");
    let twice = WithHoles { holes: &[[5, 7], [12, 14]], ..WithHoles::new() };
    assert_eq!(twice.lost(), [], "it works on a schedule");
}

#[test]
fn times_that_seconds_would_round_to_nothing_are_in_ms() {
    let words = |end_ns: i64, again_ns: Option<i64>| {
        let lost =
            LostRecords { of: LostOf::Calls, thread: Maybe::NONE, end_ns, again_ns, first: 1, last: 2 };
        lost.in_words(&Drawn::new().capture())
    };
    assert_eq!(words(30_000_000, Some(36_000_000)), "all CUDA records are missing from 30.0 ms to 36.0 ms");
    assert_eq!(
        words(37_600_000_000, Some(40_000_000_000)),
        "all CUDA records are missing from 37.6 s to 40.0 s"
    );
    assert_eq!(words(37_600_000_000, None), "all CUDA records end at 37.6 s");
}
