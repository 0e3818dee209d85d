//! A rule at a time, on small drawings.

use super::super::Confidence::{High, Low, Medium};
use super::super::{DelimiterKind, FoundIterations, IterationCandidate, KeyNodeHint};
use super::drawing::{Drawing, done, in_short};
use super::scenes::{assert_found, assert_none, bare_step, layer, pass, step};
use crate::base::time::Ns;

fn candidate<'a>(found: &'a FoundIterations, name: &str) -> &'a IterationCandidate {
    found.candidates.iter().find(|candidate| candidate.name == name).expect("the candidate")
}

fn starts(found: &FoundIterations) -> Vec<Ns> {
    let delimiter = found.delimiter.as_ref().expect("a delimiter");
    delimiter.by_process[0].iterations.iter().map(|span| span.start).collect()
}

fn last_end(found: &FoundIterations) -> Ns {
    let delimiter = found.delimiter.as_ref().expect("a delimiter");
    delimiter.by_process[0].iterations.last().expect("iterations").end
}

#[test]
fn fewer_than_three_are_no_iterations() {
    let mut d = Drawing::new();
    (0..2).for_each(|_| done(d.range("step", step)));
    assert_none(&d.find());
    assert_none(&Drawing::new().find());
}

#[test]
fn of_executions_in_each_other_the_outer_counts() {
    let mut d = Drawing::new();
    (0..10).for_each(|_| done(d.range("step", |d| done(d.range("step", step)))));
    assert_found(&d.find(), &[10], "step", High);
}

#[test]
fn the_last_iteration_ends_with_its_gpu_work() {
    let mut d = Drawing::new();
    for _ in 0..10 {
        d.range("forward", |d| pass(d, 4));
        (0..4).for_each(|_| done(d.kernels("grad", 14, 30)));
        d.copy_out(2);
    }
    let end_of_steps = d.now();
    d.wait(20_000).kernels("teardown", 1, 10);
    let found = d.find();
    assert_found(&found, &[10], "forward", High);
    assert_eq!(last_end(&found), end_of_steps, "with the backward pass, without teardown");
}

#[test]
fn work_that_other_threads_launch_counts_by_time() {
    let mut d = Drawing::new();
    let backward = d.new_thread(0);
    d.on(0);
    for _ in 0..10 {
        d.range("forward", |d| pass(d, 4));
        d.range("backward", |d| {
            d.on(backward);
            (0..4).for_each(|_| done(d.kernels("grad", 14, 30)));
            d.settle().on(0);
        });
        d.range("optimizer", |d| done(d.kernels("adam", 5, 20)));
        d.settle();
    }
    let found = d.find();
    assert_found(&found, &[10], "forward", High);
    let backward = candidate(&found, "backward");
    assert!(backward.coverage > 0.9 && backward.regularity > 0.9, "{backward:?}");
}

#[test]
fn the_outermost_step_delimits() {
    let mut d = Drawing::new();
    for _ in 0..10 {
        d.range("training_step", |d| {
            d.wait(5).range("step", step);
        });
    }
    assert_found(&d.find(), &[10], "training_step", High);
}

#[test]
fn iterations_begin_with_their_first_part() {
    let mut d = Drawing::new();
    for _ in 0..10 {
        d.range("fetch", |d| done(d.wait(3)));
        step(&mut d);
    }
    assert_found(&d.find(), &[10], "fetch", High);
}

#[test]
fn numbers_of_steps_are_labels() {
    let mut d = Drawing::new();
    (3..15).for_each(|number| done(d.range(&format!("iteration {number}"), step)));
    let found = d.find();
    assert_found(&found, &[12], "iteration", High);
    assert_eq!(found.delimiter.expect("a delimiter").labels.len(), 12);
    let mut d = Drawing::new();
    (0..12).for_each(|_| done(d.range("iteration", step)));
    assert!(d.find().delimiter.expect("a delimiter").labels.is_empty());
}

#[test]
fn the_section_with_most_gpu_time_is_kept() {
    let mut d = Drawing::new();
    d.range("small", |d| (0..8).for_each(|_| done(d.range("step", |d| done(d.kernels("a", 9, 2))))));
    d.range("big", |d| (0..8).for_each(|_| done(d.range("step", step))));
    let found = d.find();
    let sections = found.delimiter.as_ref().expect("a delimiter").sections.to_string();
    assert_eq!(sections, "8 × step in big; also 8 in small: --key-node /small/step");
}

#[test]
fn without_gpu_work_ranges_tell() {
    let mut d = Drawing::new();
    for _ in 0..20 {
        d.range("reader", |d| done(d.wait(50)));
        d.range("backbone", |d| done(d.wait(400)));
        d.range("post", |d| done(d.wait(90)));
    }
    let found = d.find();
    // No sign of steps: names that say nothing, and fewer than a hundred executions.
    assert_found(&found, &[20], "reader", Medium);
    assert!(candidate(&found, "post").regularity > 0.95);
}

#[test]
fn unsteady_ranges_are_no_iterations() {
    let mut d = Drawing::new();
    for number in 0..20_i64 {
        d.range("load", |d| done(d.kernels("a", 2, 10).wait(number * number * 30)));
    }
    let found = d.find();
    assert!(found.delimiter.is_none_or(|delimiter| delimiter.kind != DelimiterKind::Range));
}

/// A loader that runs ahead: on another thread, and in another process.
#[test]
fn what_runs_beside_the_work_is_no_candidate() {
    let has =
        |found: &FoundIterations, name: &str| found.candidates.iter().any(|candidate| candidate.name == name);
    for process in [0, 1] {
        let mut d = Drawing::new();
        d.new_thread(process);
        (0..10).for_each(|_| done(d.range("loader step", |d| done(d.wait(400)))));
        d.on(0);
        (0..9).for_each(|_| {
            bare_step(&mut d);
            d.wait(10);
        });
        let found = d.find();
        assert!(!has(&found, "loader step"), "{:#?}", found.candidates);
        assert_found(&found, &[9], "116 kernels", High);
    }
    // Beside the steps, one for one: the steps of the thread that launches delimit.
    let mut d = Drawing::new();
    let loader = d.new_thread(0);
    d.on(0);
    for _ in 0..10 {
        let now = d.now();
        d.at_start_on(loader).wait((now / 1_000 - 1).max(0));
        d.range("fetch step", |d| done(d.wait(20)));
        d.on(0).range("train step", step);
    }
    assert_found(&d.find(), &[10], "train step", High);
}

/// Nearly all of the work lies in one interval.
#[test]
fn work_must_be_spread_over_the_iterations() {
    let mut d = Drawing::new();
    (0..9).for_each(|_| done(d.range("chunk", |d| done(d.wait(100).kernel("fill", 2)))));
    (0..300).for_each(|_| layer(&mut d));
    d.range("chunk", |d| done(d.wait(100).kernel("fill", 2)));
    let found = d.find();
    assert!(found.candidates.iter().all(|candidate| candidate.name != "chunk"), "{:#?}", found.candidates);
}

/// Calls tell where there are no kernel records: nothing is launched while the loader runs.
#[test]
fn without_kernel_records_calls_tell_what_holds_the_work() {
    let mut d = Drawing::new();
    let loader = d.new_thread(0);
    (0..20).for_each(|_| done(d.range("loader step", |d| done(d.wait(40)))));
    d.on(0);
    for _ in 0..20 {
        d.range("step", |d| {
            (0..5).for_each(|_| {
                d.sync("cudaLaunchKernel_v7000");
                d.wait(30);
            });
        });
    }
    let _ = loader;
    assert_found(&d.find(), &[20], "step", High);
}

/// The first `test` takes long before it allocates, so that one interval of five differs: still it is the loop.
#[test]
fn an_enclosing_range_with_equal_evidence_delimits() {
    let mut d = Drawing::new();
    for number in 0..5 {
        d.range("test", |d| {
            d.wait(if number == 0 { 3_000 } else { 5 }).range("allocOutput", |d| done(d.wait(20)));
            d.kernels("solve", 6, 100).copy_out(2);
        });
    }
    let found = d.find();
    assert_found(&found, &[5], "test", Medium);
    assert!(candidate(&found, "allocOutput").score >= 0.6, "{:#?}", found.candidates);
}

/// 17 blocks cut inside a step, with something in each that may be a sign of a step.
fn blocks(sign: impl Fn(&mut Drawing)) -> FoundIterations {
    let mut d = Drawing::new();
    d.kernels("layer", 5, 20);
    for _ in 0..17 {
        layer(&mut d);
        sign(&mut d);
    }
    d.kernels("layer", 7, 20);
    d.find()
}

#[test]
fn signs_of_a_step() {
    assert_none(&blocks(|_| ()));
    assert_eq!(blocks(|_| ()).candidates[0].confidence, Low);
    assert_eq!(in_short(&blocks(|d| done(d.copy_out(2)))).2, Some(Medium), "results are read");
    assert_eq!(in_short(&blocks(|d| d.sync("cudaEventSynchronize_v3020"))).2, Some(Medium), "an event");
    assert_eq!(in_short(&blocks(|d| d.sync("cudaDeviceSynchronize_v3020"))).2, Some(Medium), "the device");
    assert_none(&blocks(|d| d.sync("cudaStreamSynchronize_v3020")));
    assert_none(&blocks(|d| done(d.copy_in(2))));

    let mut d = Drawing::new();
    (0..17).for_each(|_| layer(&mut d));
    assert_found(&d.find(), &[17], "12 kernels", Medium);
}

#[test]
fn periods_inside_layers_and_steps_are_parts() {
    let mut d = Drawing::new();
    (0..8).for_each(|_| {
        done(d.range("layer_1", |d| (0..2).for_each(|_| done(d.kernels("a", 4, 300).copy_out(2)))))
    });
    assert_none(&d.find());

    let mut d = Drawing::new();
    d.range("train_step", |d| {
        (0..17).for_each(|_| {
            done({
                layer(d);
                d.copy_out(2)
            })
        })
    });
    assert_none(&d.find());
}

#[test]
fn steps_begin_at_the_start_of_whole_periods_or_with_the_first_copy() {
    let mut d = Drawing::new();
    let mut expected = Vec::new();
    for _ in 0..10 {
        d.wait(25);
        expected.push(d.now());
        d.copy_in(10).wait(7).copy_in(10);
        bare_step(&mut d);
    }
    assert_eq!(starts(&d.find()), expected);
}

#[test]
fn a_cut_capture_begins_where_the_gpu_waits_longest() {
    let mut d = Drawing::new();
    (0..4).for_each(|_| done(d.kernels("grad", 14, 30)));
    d.kernels("adam", 5, 20).copy_out(2);
    let mut expected = Vec::new();
    for _ in 0..9 {
        d.wait(400);
        expected.push(d.now());
        bare_step(&mut d);
    }
    d.wait(400).kernels("embed", 2, 10);
    (0..3).for_each(|_| layer(&mut d));
    assert_eq!(starts(&d.find()), expected);
}

#[test]
fn names_of_candidates_say_what_they_are() {
    let mut d = Drawing::new();
    for _ in 0..5 {
        d.range("epoch", |d| (0..6).for_each(|_| done(d.range("batch", step))));
    }
    let found = d.find();
    assert_found(&found, &[30], "batch", High);
    assert_eq!(candidate(&found, "epoch").hint, KeyNodeHint::Other);
    assert_eq!(candidate(&found, "batch").section, "epoch");
    assert_eq!(candidate(&found, "forward").section, "epoch/batch");
}
