//! Captures drawn in code that must come out right: those in which ranges decide.

use super::super::Confidence::{High, Medium};
use super::drawing::{Drawing, done, in_short};
use super::scenes::{assert_found, assert_none, bare_step, layer, micro_batch, pass, step};
use crate::base::time::Ns;

#[test]
fn micro_batches_with_ranges_for_parts() {
    let mut d = Drawing::new();
    for _ in 0..6 {
        for _ in 0..4 {
            d.range("forward", |d| pass(d, 3));
            d.range("backward", |d| (0..3).for_each(|_| done(d.kernels("grad", 14, 30))));
        }
        d.range("optimizer", |d| done(d.kernels("adam", 5, 20))).copy_out(2);
    }
    let (counts, by, _) = in_short(&d.find());
    assert_eq!((counts, by.as_str()), (vec![6], "optimizer"));
}

#[test]
fn micro_batches_inside_steps() {
    let mut d = Drawing::new();
    for _ in 0..6 {
        d.range("step", |d| {
            (0..4).for_each(|_| done(d.range("micro_batch", micro_batch)));
            d.kernels("adam", 5, 20).copy_out(2);
        });
    }
    assert_found(&d.find(), &[6], "step", High);
}

#[test]
fn steps_in_epochs() {
    let mut d = Drawing::new();
    for epoch in 0..3 {
        d.range(&format!("epoch {epoch}"), |d| {
            (0..10).for_each(|_| done(d.range("step", step)));
        });
        d.wait(500);
    }
    assert_found(&d.find(), &[30], "step", High);
}

#[test]
fn training_between_validation() {
    let mut d = Drawing::new();
    for _ in 0..3 {
        d.range("train", |d| (0..8).for_each(|_| done(d.range("step", step))));
        d.range("validation", |d| {
            (0..4).for_each(|_| {
                done(d.range("step", |d| {
                    done({
                        pass(d, 4);
                        d.copy_out(2)
                    })
                }))
            });
        });
    }
    let found = d.find();
    // Validation takes over a fifth of the GPU time.
    assert_found(&found, &[24], "step", Medium);
    let delimiter = found.delimiter.expect("a delimiter");
    let expected = "24 × step in train; also 12 in validation: --key-node /validation/step";
    assert_eq!(delimiter.sections.to_string(), expected);
    let iterations = &delimiter.by_process[0].iterations;
    let gaps: Vec<usize> = (1..24).filter(|&at| iterations[at].start > iterations[at - 1].end).collect();
    assert_eq!(gaps, [8, 16], "validation is in no iteration");
}

#[test]
fn warm_up_and_measurement() {
    let mut d = Drawing::new();
    d.range("warmup", |d| (0..5).for_each(|_| done(d.range("step", step))));
    d.range("measure", |d| (0..10).for_each(|_| done(d.range("step", step))));
    d.wait(500).kernels("teardown", 3, 200);
    let found = d.find();
    assert_found(&found, &[10], "step", High);
    let delimiter = found.delimiter.expect("a delimiter");
    let expected = "10 × step in measure; also 5 in warmup: --key-node /warmup/step";
    assert_eq!(delimiter.sections.to_string(), expected);
}

#[test]
fn slow_first_steps() {
    let mut d = Drawing::new();
    for number in 0..15 {
        d.range("step", |d| {
            d.wait(if number < 3 { 200_000 } else { 0 });
            step(d);
        });
    }
    assert_found(&d.find(), &[15], "step", High);
    let mut d = Drawing::new();
    for number in 0..15 {
        d.wait(if number < 3 { 200_000 } else { 10 });
        bare_step(&mut d);
    }
    assert_found(&d.find(), &[15], "116 kernels", High);
}

#[test]
fn layer_counts_that_vary_inside_steps() {
    let mut d = Drawing::new();
    for number in 0..20 {
        d.range("step", |d| {
            pass(d, 3 + number * 7 % 5);
            d.kernels("adam", 5, 20).copy_out(2);
        });
    }
    let (counts, by, _) = in_short(&d.find());
    assert_eq!((counts, by.as_str()), (vec![20], "step"));
}

#[test]
fn two_processes() {
    let mut d = Drawing::new();
    (0..10).for_each(|_| done(d.range("step", step)));
    let second = d.new_thread(1);
    d.at_start_on(second);
    (0..10).for_each(|_| done(d.range("step", step)));
    assert_found(&d.find(), &[10, 10], "step", High);
    let mut d = Drawing::new();
    (0..10).for_each(|_| bare_step(&mut d));
    let second = d.new_thread(1);
    d.at_start_on(second);
    (0..10).for_each(|_| bare_step(&mut d));
    assert_found(&d.find(), &[10, 10], "116 kernels", High);
}

#[test]
fn data_loader_only() {
    let mut d = Drawing::new();
    for number in 0..21 {
        d.range("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", |d| done(d.wait(100)));
        if number < 20 {
            bare_step(&mut d);
        }
    }
    let found = d.find();
    let (counts, ..) = in_short(&found);
    assert!(counts == [20] || counts == [21], "{counts:?} {:#?}", found.candidates);
}

#[test]
fn a_pause_after_half_of_the_steps() {
    let mut d = Drawing::new();
    for number in 0..20 {
        d.range("step", step).wait(if number == 9 { 3_000_000 } else { 0 });
    }
    let found = d.find();
    assert_eq!(in_short(&found).0, [20], "{:#?}", found.candidates);
    let iterations = &found.delimiter.expect("a delimiter").by_process[0].iterations;
    assert!(iterations[9].length() > 3_000_000_000, "the pause stays in its iteration");
    let mut d = Drawing::new();
    for number in 0..20 {
        bare_step(&mut d);
        d.wait(if number == 9 { 3_000_000 } else { 10 });
    }
    let found = d.find();
    assert_eq!(in_short(&found).0, [20], "{:#?}", found.candidates);
}

#[test]
fn warm_up_steps_then_evaluation_steps() {
    let mut d = Drawing::new();
    (0..8).for_each(|_| done(d.range("warm-up step", step)));
    (0..20).for_each(|_| done(d.range("eval step", step)));
    let (counts, by, _) = in_short(&d.find());
    assert_eq!((counts, by.as_str()), (vec![20], "eval step"));
}

#[test]
fn numbered_steps_among_operators() {
    let mut d = Drawing::new();
    for number in 0..12 {
        d.range(&format!("ProfilerStep#{number}, op_id = {number}"), |d| {
            d.range(&format!("aten::mm, op_id = {}", 100 + number), |d| pass(d, 2 + number % 3));
            d.copy_out(2);
        });
    }
    let found = d.find();
    assert_eq!((in_short(&found).0, in_short(&found).1.as_str()), (vec![12], "ProfilerStep"));
    assert_eq!(found.delimiter.expect("a delimiter").labels.len(), 12);
}

#[test]
fn parents_with_random_names() {
    let mut d = Drawing::new();
    for _ in 0..12 {
        let name: String =
            (0..8).map(|_| char::from(b'a' + u8::try_from(d.random(26)).expect("a letter"))).collect();
        d.range(&name, |d| done(d.range("step", step)));
    }
    assert_found(&d.find(), &[12], "step", High);
}

/// A server: requests come at any time, and each runs the same layers. A period of layers is not a request.
#[test]
fn requests_that_come_at_any_time() {
    let mut d = Drawing::new();
    for _ in 0..60 {
        let us = 100 + d.random(9_000);
        d.wait(Ns::try_from(us).expect("small"));
        d.range("request", |d| {
            d.copy_in(20);
            (0..12).for_each(|_| done(d.kernels("layer", 2, 40)));
            d.copy_out(2);
        });
    }
    assert_found(&d.find(), &[60], "request", Medium);
}

/// The same without ranges: what repeats is a layer, but the host reads a result and works after each tenth.
#[test]
fn layers_between_reads_are_one_pass() {
    let mut d = Drawing::new();
    for _ in 0..30 {
        d.copy_in(20);
        (0..10).for_each(|_| done(d.kernels("layer", 5, 40)));
        d.copy_out(2).wait(9_000);
    }
    assert_found(&d.find(), &[30], "50 kernels", High);

    // A loss that is read in each tenth step, without a pause, tells nothing of steps.
    let mut d = Drawing::new();
    for _ in 0..30 {
        (0..10).for_each(|_| done(d.kernels("step", 5, 40)));
        d.copy_out(2).wait(20);
    }
    assert_found(&d.find(), &[300], "5 kernels", Medium);
}

/// Migrations have no call, so that no range holds them.
#[test]
fn migrations_do_not_take_from_what_ranges_hold() {
    let mut d = Drawing::new();
    for _ in 0..20 {
        d.range("sweep", |d| {
            for _ in 0..10 {
                let at = d.random(9);
                d.kernel(&format!("stencil{at}"), 100);
            }
            (0..4).for_each(|_| done(d.migration(1_500)));
            d.settle();
        });
        d.wait(4_000);
    }
    assert_found(&d.find(), &[20], "sweep", Medium);
}

/// One pass of 24 layers, or a volume in 40 tiles, look as steady as steps. A name that says nothing is not an iteration
/// where the kernels repeat with it and show no sign of a whole step; without any evidence it is of medium confidence.
#[test]
fn names_that_say_nothing_need_a_sign_of_steps() {
    let mut d = Drawing::new();
    d.kernels("embed", 2, 10);
    (0..24).for_each(|_| done(d.range("attention", layer)));
    d.kernels("head", 3, 30).copy_out(2);
    assert_none(&d.find());

    let mut d = Drawing::new();
    d.kernels("read", 2, 10);
    (0..40).for_each(|_| done(d.range("tile", |d| done(d.kernels("blur", 3, 200)))));
    assert_none(&d.find());

    // Kernels without a period: in each piece others.
    let pieces = |count: usize| {
        let mut d = Drawing::new();
        for _ in 0..count {
            d.range("piece", |d| {
                for _ in 0..20 {
                    let at = d.random(9);
                    d.kernel(&format!("kernel{at}"), 40);
                }
            });
        }
        d.find()
    };
    assert_found(&pieces(30), &[30], "piece", Medium);
    assert_found(&pieces(150), &[150], "piece", High);

    let mut d = Drawing::new();
    (0..24).for_each(|_| {
        done(d.range("solve", |d| {
            done({
                d.kernels("sparse", 3, 200);
                d.copy_out(2)
            })
        }))
    });
    assert_found(&d.find(), &[24], "solve", High);

    let mut d = Drawing::new();
    for _ in 0..24 {
        d.range("my_model", |d| {
            pass(d, 4);
            (0..4).for_each(|_| done(d.kernels("grad", 14, 30)));
        });
    }
    assert_found(&d.find(), &[24], "my_model", High);
}

/// A range whose name says nothing, around one kernel each, and nothing else.
#[test]
fn a_range_around_a_single_kernel_is_a_candidate() {
    let mut d = Drawing::new();
    for _ in 0..12 {
        d.range("work", |d| done(d.kernels("saxpy", 1, 30))).wait(20);
    }
    let found = d.find();
    let names: Vec<&str> = found.candidates.iter().map(|candidate| candidate.name.as_str()).collect();
    assert!(names.contains(&"work"), "{names:?}");
}
