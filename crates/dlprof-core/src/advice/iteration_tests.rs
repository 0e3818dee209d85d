//! Findings on drawn iterations: what they say of gaps, waits, GPUs and outliers that some of the iterations have.

use super::finding::Confidence;
use super::idle_tests::{MS, finding};
use super::{Finding, Judged};
use crate::base::ids::ThreadId;
use crate::base::time::Ns;
use crate::read::facts::NO_CORRELATION;
use crate::steps::iterate::{DefaultRange, KeyNodeChoice, RangeChoice};
use crate::tests::drawn::Drawn;

/// All iterations of a drawing with ranges `step`.
fn of_steps(drawn: Drawn) -> Judged {
    let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
    let choice = RangeChoice { otherwise: DefaultRange::All, ..RangeChoice::default() };
    index.profile(&choice).expect("a profile").into()
}

fn found<'a>(judged: &'a Judged, id: &str) -> &'a Finding {
    finding(judged, id).unwrap_or_else(|| panic!("{id} is found"))
}

/// Ten steps with `ops` kernels each; after each but the last of a step the thread waits, and before the first it reads a file.
fn waits_inside(ops: Ns, wait_ns: Ns, read_ns: Ns) -> Judged {
    let mut drawn = Drawn::new();
    let mut now = MS;
    for _ in 0..10 {
        let start = now;
        drawn.os_call("read", now + 1_000..now + read_ns);
        now += read_ns + 10_000;
        for op in 0..ops {
            drawn.range(&format!("op{op}"), now..now + 10_000);
            drawn.launch(now + 1_000..now + 3_000, "gemm", now + 4_000..now + 500_000);
            now += 510_000;
            if op + 1 < ops {
                drawn.os_call("pthread_cond_wait", now..now + wait_ns);
                now += wait_ns + 10_000;
            }
        }
        drawn.range("step", start..now);
        now += 1_000;
    }
    of_steps(drawn)
}

/// Waits in the steps are said to be waits; a file that takes most of the time is not.
#[test]
fn waits_inside_steps_are_told_with_their_own_share() {
    let waits = waits_inside(5, 3 * MS, 2 * MS);
    let input = found(&waits, "input_bound");
    let words = input.problem.to_string();
    assert!(words.contains("4 times per iteration, mostly in `pthread_cond_wait`"), "{words}");
    // Four waits of 3 ms and a file of 2 ms in 16.6 ms.
    let share: f64 = words.split(['%', ' ']).find_map(|word| word.parse().ok()).expect("a share");
    assert!((71.0..74.0).contains(&share), "{words}");
    assert_eq!(input.confidence(), Confidence::Low);

    let reads = waits_inside(5, 2 * MS, 60 * MS);
    let input = found(&reads, "input_bound");
    let words = input.problem.to_string();
    assert!(words.starts_with("GPUs wait for input ") && words.contains("waits or reads files"), "{words}");
    assert_eq!(input.confidence(), Confidence::Medium);
}

/// Steps of 40 launches, in some of which the host pauses for 600 µs.
fn pauses(gpus: usize, has_pause: impl Fn(Ns) -> bool) -> Judged {
    let mut drawn = Drawn::new();
    let threads: Vec<ThreadId> =
        (0..gpus).map(|gpu| if gpu == 0 { ThreadId::new(0) } else { drawn.thread() }).collect();
    for step in 0..10 {
        let start = MS + step * 1_810_000;
        drawn.on(threads[0]).range("step", start..start + 1_809_000);
        for (gpu, &thread) in threads.iter().enumerate() {
            drawn.on(thread).on_gpu(gpu);
            for launch in 0..40 {
                let now = start + launch * 30_000 + if launch > 20 && has_pause(step) { 600_000 } else { 0 };
                drawn.launch(now..now + 2_000, "gemm", now + 3_000..now + 31_000);
            }
            if !has_pause(step) {
                let now = start + 40 * 30_000;
                drawn.launch(now..now + 2_000, "gemm", now + 3_000..now + 601_000);
            }
        }
    }
    of_steps(drawn)
}

/// A pause that only some steps have is not said to be in each; GPUs that pause at once are not counted as several pauses.
#[test]
fn pauses_are_per_iteration_only_where_iterations_have_them() {
    let words = |judged: &Judged| found(judged, "launch_bound").problem.to_string();
    let each = words(&pauses(1, |_| true));
    assert!(each.contains("in one gap of ") && each.ends_with(" per iteration"), "{each}");
    let two = words(&pauses(2, |_| true));
    assert!(two.contains("in one gap of ") && two.ends_with(" per iteration"), "{two}");
    let some = words(&pauses(1, |step| step % 2 == 0));
    assert!(some.contains("in 5 gaps of ") && some.ends_with(" in 10 iterations"), "{some}");
}

/// Twelve steps of two GPUs that exchange data: one of them computes for 5 ms, the slow one for 8.
fn two_gpus(slow: impl Fn(Ns) -> usize) -> Judged {
    let mut drawn = Drawn::new();
    let threads = [ThreadId::new(0), drawn.thread()];
    for step in 0..12 {
        let start = MS + step * 10 * MS;
        drawn.on(threads[0]).range("step", start..start + 10 * MS - 1_000);
        for (gpu, thread) in threads.into_iter().enumerate() {
            let compute_ns = if gpu == slow(step) { 8 * MS } else { 5 * MS };
            drawn.on(thread).on_gpu(gpu);
            drawn.launch(start + 1_000..start + 3_000, "gemm", start + 4_000..start + 4_000 + compute_ns);
            let exchange = start + 5_000 + compute_ns..start + 9 * MS;
            drawn.launch(start + 4_000..start + 5_000, "ncclDevKernel_AllReduce", exchange);
        }
    }
    of_steps(drawn)
}

/// Of two GPUs that take turns, neither is the slow one.
#[test]
fn gpus_that_take_turns_are_not_said_to_be_slow() {
    let one = two_gpus(|_| 1);
    let words = found(&one, "exposed_communication").problem.to_string();
    assert!(words.contains("they wait for GPU 1, which computes longer"), "{words}");
    assert!(finding(&one, "straggler_gpu").is_some());
    let turns = two_gpus(|step| usize::from(step % 2 == 1));
    let words = found(&turns, "exposed_communication").problem.to_string();
    assert!(words.contains("they wait for the one that computes longest in the iteration"), "{words}");
    assert!(finding(&turns, "straggler_gpu").is_none());
}

/// Steps of 5 ms that take memory for 0.8 ms; three of them take 4 ms longer, for memory or for something else.
fn with_outliers(takes_memory: bool) -> Judged {
    let mut drawn = Drawn::new();
    let mut now = MS;
    for step in 0..25 {
        let start = now;
        let more_ns = if [6, 13, 20].contains(&step) { 4 * MS } else { 0 };
        let memory_ns = 800_000 + if takes_memory { more_ns } else { 0 };
        drawn.api_call("cudaMalloc", now + 1_000..now + memory_ns, NO_CORRELATION);
        now += memory_ns + 1_000;
        if more_ns > 0 && !takes_memory {
            drawn.range("save_checkpoint", now..now + more_ns);
            now += more_ns + 1_000;
        }
        drawn.launch(now..now + 2_000, "gemm", now + 3_000..now + 4_000_000);
        now += 4_100_000;
        drawn.range("step", start..now - 1_000);
    }
    drawn.launch(now..now + 2_000, "gemm", now + 3_000..now + 4_000_000);
    of_steps(drawn)
}

/// What all iterations do is no reason of outliers.
#[test]
fn outliers_come_of_allocation_only_where_they_allocate_more_than_others() {
    let allocating = with_outliers(true);
    assert_eq!(found(&allocating, "unsteady_iterations").same_cause_as, Some("allocation_in_step"));
    let saving = with_outliers(false);
    let unsteady = found(&saving, "unsteady_iterations");
    assert_eq!(unsteady.same_cause_as, None);
    assert!(finding(&saving, "allocation_in_step").is_some());
    assert!(unsteady.problem.to_string().contains("/save_checkpoint`"), "{}", unsteady.problem);
}

/// A step that does less than the others costs nothing.
#[test]
fn outliers_that_take_no_longer_are_no_finding() {
    let judged = |last_ms: Ns| {
        let mut drawn = Drawn::new();
        let mut now = MS;
        for step in 0..10 {
            let length = if step == 5 { last_ms * MS } else { 20 * MS };
            drawn.range("step", now..now + length);
            drawn.launch(now + 1_000..now + 3_000, "gemm", now + 4_000..now + length - 10_000);
            now += length + 1_000;
        }
        of_steps(drawn)
    };
    assert!(finding(&judged(200), "unsteady_iterations").is_some());
    assert!(finding(&judged(1), "unsteady_iterations").is_none());
}
