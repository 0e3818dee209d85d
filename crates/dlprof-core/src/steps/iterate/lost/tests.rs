use super::*;
use crate::base::ids::ThreadId;
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

/// Of twenty steps of 1 µs, the second thread launches in all but four; the iterations that are untraced.
fn lost_with_hole(length_in_hole: i64, main_in_hole: i64) -> Vec<(u32, u32, bool)> {
    let mut drawn = Drawn::new();
    let (main, other) = (ThreadId::new(0), drawn.thread());
    let mut start = 1000;
    for step in 1..21 {
        let is_hole = (9..13).contains(&step);
        let length = if is_hole { length_in_hole } else { 1000 };
        drawn.on(main).range("step", start..start + length - 100);
        for launch in 0..if is_hole { main_in_hole } else { 4 } {
            let call = start + 10 + 20 * launch;
            drawn.launch(call..call + 1, "k", call + 2..call + 12);
        }
        for launch in 0..if is_hole { 0 } else { 4 } {
            let call = start + 210 + 20 * launch;
            drawn.on(other).launch(call..call + 1, "k", call + 2..call + 12);
        }
        start += length;
    }
    let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
    index.iterations.lost.iter().map(|lost| (lost.first, lost.last, lost.again_ns.is_some())).collect()
}

#[test]
fn records_that_are_missing_for_a_while() {
    assert_eq!(lost_with_hole(1000, 4), [(9, 12, true)]);
    assert_eq!(lost_with_hole(600, 4), [], "an evaluation takes less time");
    assert_eq!(lost_with_hole(1000, 8), [], "another thread does the work");
}
