//! What the verdict and findings say where iterations take longer from one to the next, and of work that all of them have.

use super::idle_tests::{MS, finding};
use super::{Judged, verdict_detail, verdict_meaning};
use crate::base::time::Ns;
use crate::read::facts::NO_CORRELATION;
use crate::steps::iterate::{DefaultRange, KeyNodeChoice, RangeChoice};
use crate::tests::drawn::Drawn;

/// Fourteen steps, each longer than the one before by a factor in percent. A kernel, which the host waits for, runs for a part of each;
/// the longest lie beyond Tukey's fences.
fn growing(factor_percent: Ns, busy_percent: fn(u32) -> Ns, otherwise: DefaultRange) -> Judged {
    let mut drawn = Drawn::new();
    let (mut now, mut length) = (MS, 100_000);
    for step in 0..14_u32 {
        drawn.range("step", now..now + length - 1_000);
        let kernel_ns = length * busy_percent(step) / 100 - 6_000;
        drawn.launch(now + 1_000..now + 3_000, "gather_rows", now + 4_000..now + 4_000 + kernel_ns);
        let wait = now + 3_500..now + 4_500 + kernel_ns;
        drawn.api_call("cudaStreamSynchronize_v3020", wait, NO_CORRELATION);
        now += length;
        length = length * factor_percent / 100;
    }
    drawn.launch(now..now + 2_000, "end", now + 3_000..now + 4_000);
    let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
    index.profile(&RangeChoice { otherwise, ..RangeChoice::default() }).expect("a profile").into()
}

fn doubling(busy_percent: fn(u32) -> Ns, otherwise: DefaultRange) -> Judged {
    growing(200, busy_percent, otherwise)
}

fn busy_until_twelve(step: u32) -> Ns {
    if step < 12 { 95 } else { 20 }
}

/// The two longest of the steps take three quarters of the time.
#[test]
fn a_verdict_on_the_smaller_part_of_a_run_says_what_limits_the_whole() {
    let judged = doubling(busy_until_twelve, DefaultRange::Auto);
    assert_eq!((judged.iterations.start, judged.iterations.stop), (1, 12));
    let words = verdict_detail(&judged).to_string();
    let run = "CPU-bound: over the whole run from iteration 1 on GPUs compute 39% and idle 61% of the time (`--iter-range all` \
               says where). GPU-bound in ";
    assert!(words.starts_with(run), "{words}");
    assert!(words.contains("iterations 1 to 12 (25% of it): GPU compute takes 95.0% of the time"), "{words}");
    let meaning = verdict_meaning(&judged).expect("it says what to do");
    assert!(
        meaning.starts_with("What limits the judged iterations does not limit the whole run"),
        "{meaning}"
    );
    let found = finding(&judged, "unsteady_iterations").expect("no length is usual").problem.to_string();
    assert!(found.ends_with("; findings and savings hold only in iterations 1 to 12"), "{found}");
    // Of iterations that a user chose, nothing else is said.
    let choice = RangeChoice { iter_start: Some(1), iter_stop: Some(12), ..RangeChoice::default() };
    let chosen: Judged = judged.index.profile(&choice).expect("a profile").into();
    assert!(
        verdict_detail(&chosen).to_string().starts_with("GPU-bound: GPU compute takes 95.0%"),
        "{}",
        verdict_detail(&chosen)
    );
}

/// The longest step takes less than a third of the time.
#[test]
fn the_verdict_says_that_it_holds_for_a_part_and_what_limits_the_rest() {
    let busy = |step| if step < 13 { 95 } else { 20 };
    let judged = growing(145, busy, DefaultRange::Auto);
    assert_eq!((judged.iterations.start, judged.iterations.stop), (1, 13));
    let words = verdict_detail(&judged).to_string();
    assert!(words.starts_with("GPU-bound in iterations 1 to 13: GPU compute takes "), "{words}");
    let others = " in iteration 14, which is left out because it is far from the others: GPUs ";
    assert!(words.contains(". But ") && words.contains(others), "{words}");
    let meaning = verdict_meaning(&judged).expect("it says what to do");
    assert!(meaning.starts_with("What limits iterations changes with their length"), "{meaning}");
}

#[test]
fn where_the_rest_is_alike_nothing_is_put_against_it() {
    let judged = growing(145, |_| 95, DefaultRange::Auto);
    let words = verdict_detail(&judged).to_string();
    assert!(words.contains(". GPU-bound in iteration 14, which is left out"), "{words}");
    let meaning = verdict_meaning(&judged).expect("it says what to do");
    assert!(!meaning.starts_with("What limits iterations changes"), "{meaning}");
}

/// Who aggregates all of them wants a verdict on all of them.
#[test]
fn where_all_are_aggregated_the_verdict_is_of_all_that_go_one_way() {
    let words = verdict_detail(&doubling(busy_until_twelve, DefaultRange::All)).to_string();
    assert!(words.contains("iterations 1 to 14") && !words.contains("left out"), "{words}");
    assert!(!words.starts_with("GPU-bound"), "three quarters of the time are the last two: {words}");
}

/// Steps in which the host is between the same two calls, for 2 ms in most, for 12 ms and more in the fifth and the tenth.
#[test]
fn what_every_step_has_the_host_do_is_no_pause() {
    let mut drawn = Drawn::new();
    let mut now = MS;
    for step in 0..14 {
        let (start, host_ns) = (now, if step % 5 == 4 { 12 * MS + step * 100_000 } else { 2 * MS });
        // Not always at the same place of the step.
        let before = if step % 10 == 9 { 3 } else { 1 };
        for kernel in 0..4 {
            if kernel == before {
                drawn.api_call("cuMemFree_v2", now..now + 2_000, crate::read::facts::NO_CORRELATION);
                now += host_ns;
                drawn.api_call("cuMemAlloc_v2", now - 3_000..now - 1_000, crate::read::facts::NO_CORRELATION);
            }
            drawn.launch(now..now + 5_000, "axpy", now + 10_000..now + 2 * MS);
            drawn.api_call(
                "cudaStreamSynchronize",
                now + 6_000..now + 2 * MS + 1_000,
                crate::read::facts::NO_CORRELATION,
            );
            now += 2 * MS + 200_000;
        }
        drawn.range("step", start..now - 1_000);
    }
    let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
    let choice = RangeChoice { iter_start: Some(1), iter_stop: Some(13), ..RangeChoice::default() };
    let judged: Judged = index.profile(&choice).expect("a profile").into();
    let pause = finding(&judged, "host_pause").expect("long gaps");
    let words = pause.problem.to_string();
    let around = "between the same two calls: `cuMemFree_v2` and `cuMemAlloc_v2`. These are 13 gaps of 100.000 µs and more, up to 13.";
    assert!(words.starts_with("The host keeps GPUs waiting ") && words.contains(around), "{words}");
    // The rule's title would say that it pauses now and then.
    assert!(pause.title.is_some_and(|title| title.contains("between the same two calls")));
}

/// Three steps, in the first of which a GPU works for most of the time for what the host launched before.
fn steps_behind_start_up(start_up_ns: Ns) -> Judged {
    let mut drawn = Drawn::new();
    drawn.launch(MS..MS + 2_000, "init", MS + 3_000..2 * MS + start_up_ns);
    for step in 0..3 {
        let start = 2 * MS + step * 10 * MS;
        drawn.range("step", start..start + 10 * MS - 1_000);
        drawn.launch(start + 1_000..start + 3_000, "saxpy", start + 6 * MS..start + 9 * MS);
    }
    let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
    let choice = RangeChoice { otherwise: DefaultRange::Auto, ..RangeChoice::default() };
    index.profile(&choice).expect("a profile").into()
}

#[test]
fn work_of_start_up_in_the_first_iteration_is_counted() {
    assert_eq!(steps_behind_start_up(4 * MS).work_of_start_up_ns(), 4 * MS);
    assert_eq!(steps_behind_start_up(-MS / 2).work_of_start_up_ns(), 0);
}

/// Two kernels, 300 ms apart, and nothing that says what the host does meanwhile.
#[test]
fn what_would_tell_depends_on_what_was_recorded_and_on_the_program() {
    use super::idle_tests::two_kernels;
    use super::what_would_tell;
    let silent = two_kernels(|_, _| ());
    assert_eq!(
        what_would_tell(&silent).as_deref(),
        Some("nsys profile --sample=process-tree --trace=cuda,nvtx,osrt")
    );
    let with_os_calls = two_kernels(|drawn, time| _ = drawn.os_call("close", time.start..time.start + 1_000));
    assert_eq!(what_would_tell(&with_os_calls).as_deref(), Some("nsys profile --sample=process-tree"));
    let told = two_kernels(|drawn, time| _ = drawn.range("metrics", time));
    assert_eq!(what_would_tell(&told), None);
}
