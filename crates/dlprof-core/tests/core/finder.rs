//! Iterations found without being told.

use crate::profiles::profile_of;
use crate::script::Script;
use dlprof_core::{Confidence, DefaultRange, DiagnosticCode, IterationState, KeyNodeChoice, RangeChoice};

/// Iterations with the one before, name of the key node, confidence of the best candidate.
fn found(script: &Script) -> (u32, Option<String>, Option<Confidence>) {
    let capture = script.read();
    let profile = profile_of(&capture);
    let confidence = profile.iterations.candidates.first().map(|best| best.confidence);
    let key_node = profile.iterations.key_node.as_ref().map(|key_node| key_node.name.clone());
    (profile.iterations.count(), key_node, confidence)
}

fn assert_found(script: &Script, total: u32, name: &str) {
    let (found_total, found_name, confidence) = found(script);
    assert_eq!((found_total, found_name.as_deref()), (total, Some(name)));
    assert_ne!(confidence, Some(Confidence::Low));
}

/// The work of a training step.
fn train(script: &mut Script) {
    script.range("forward", |script| {
        script.launch("gemm", 40).launch("relu", 10).launch("gemm", 40).launch("softmax", 10);
    });
    script.range("backward", |script| {
        script.launch("gemm_grad", 80).launch("relu_grad", 10);
    });
    script.range("optimizer", |script| {
        script.launch("adam", 20).wait(30);
    });
}

#[test]
fn back_to_back_iterations_without_a_gap() {
    let mut script = Script::default();
    for _ in 0..200 {
        script.range("step", train);
    }
    assert_found(&script, 201, "step");
}

#[test]
fn numbered_and_unnumbered_texts() {
    let mut script = Script::default();
    for number in 0..40 {
        script.range(&format!("iteration{number}"), train).wait(15);
    }
    assert_found(&script, 41, "iteration");

    let mut script = Script::default();
    for _ in 0..40 {
        train(&mut script);
    }
    assert_found(&script, 41, "forward");
}

#[test]
fn empty_iteration_and_long_warm_up() {
    let mut script = Script::default();
    script.wait(500);
    for step in 0..30 {
        script.range("train_step", |script| match step {
            0 => train(script.wait(3000)),
            17 => {
                script.wait(30);
            }
            _ => train(script),
        });
    }
    assert_found(&script, 31, "train_step");
    let capture = script.read();
    let steady = RangeChoice { otherwise: DefaultRange::Steady, ..RangeChoice::default() };
    let profile =
        capture.index(&KeyNodeChoice::Find).and_then(|index| index.profile(&steady)).expect("a profile");
    let states = &profile.iterations.states;
    assert_eq!(states[..3], [IterationState::Before, IterationState::WarmUp, IterationState::Steady]);
    assert_eq!(states[18], IterationState::Empty);
    assert_eq!((profile.iterations.start, profile.iterations.stop), (2, 29));
}

#[test]
fn a_missing_steady_run_is_said() {
    let mut script = Script::default();
    script.range("step", train).range("step", train);
    let capture = script.read();
    let index = capture.index(&KeyNodeChoice::Named("step".into())).expect("it ran");
    let is_said = |otherwise: DefaultRange, iteration: Option<u32>| {
        let range =
            RangeChoice { iter_start: iteration, iter_stop: iteration, otherwise, ..RangeChoice::default() };
        let profile = index.profile(&range).expect("a profile");
        profile.diagnostics.iter().any(|one| one.code == DiagnosticCode::NoSteadyIterations)
    };
    assert!(is_said(DefaultRange::Steady, None));
    assert!(!is_said(DefaultRange::All, None));
    assert!(!is_said(DefaultRange::Steady, Some(1)));
}

#[test]
fn steps_within_epochs_with_evaluation_between() {
    let mut script = Script::default();
    for epoch in 0..4 {
        script.range(&format!("epoch {epoch}"), |script| {
            for _ in 0..20 {
                script.range("train_step", train);
            }
            for _ in 0..6 {
                script.range("eval_step", |script| {
                    script.launch("gemm", 40).launch("relu", 10);
                });
            }
        });
    }
    assert_found(&script, 81, "train_step");
}

#[test]
fn micro_batches_within_steps() {
    let mut script = Script::default();
    for step in 0..25 {
        script.range(&format!("step {step}"), |script| {
            for _ in 0..4 {
                script.range("micro_batch", |script| {
                    script.launch("gemm", 40).launch("gemm_grad", 80);
                });
            }
            script.range("optimizer", |script| {
                script.launch("adam", 20);
            });
        });
    }
    assert_found(&script, 26, "step");
}

/// Layers recur more often than steps, and are none.
#[test]
fn layers_are_no_iterations() {
    let mut script = Script::default();
    for _ in 0..12 {
        script.range("step", |script| {
            for layer in 0..8 {
                script.range(&format!("layer.{layer}"), |script| {
                    script.launch("gemm", 40);
                });
            }
            script.wait(50).launch("adam", 20);
        });
    }
    assert_found(&script, 13, "step");
}

#[test]
fn kernel_sequences_without_ranges() {
    let mut script = Script::default();
    script.launch("init", 10).launch("init", 10).launch("fill", 5);
    for _ in 0..20 {
        script.launch("embed", 15);
        for _ in 0..10 {
            script.launch("gemm", 40).launch("relu", 10).launch("gemm", 40);
        }
        script.launch("loss", 5).launch("adam", 20);
    }
    assert_found(&script, 21, "embed");
}

#[test]
fn nothing_recurs() {
    let mut script = Script::default();
    let mut number = 7_u32;
    for _ in 0..60 {
        number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let (name, ns) =
            (format!("work_{}", char::from(b'a' + (number >> 27) as u8 % 9)), i64::from(number >> 20));
        script.range(&name, |script| {
            script.launch(&name, ns).wait(ns);
        });
    }
    let (total, key_node, _) = found(&script);
    assert_eq!((total, key_node), (1, None));
    assert_eq!(found(&Script::default().launch("once", 5).to_owned()).0, 1);
}

#[test]
fn key_nodes_by_pattern_and_none() {
    let mut script = Script::default();
    for number in 0..10 {
        script.range(&format!("my step {number}"), train);
    }
    let capture = script.read();
    let total = |key_node| capture.index(&key_node).map(|index| index.iterations.total());
    assert_eq!(total(KeyNodeChoice::Named("re:^/my st.p$".into())).expect("it ran"), 11);
    assert_eq!(total(KeyNodeChoice::Named("my step".into())).expect("it ran"), 11);
    assert_eq!(total(KeyNodeChoice::None).expect("always one"), 1);
    let error = total(KeyNodeChoice::Named("re:(".into())).expect_err("no regular expression");
    assert!(error.to_string().contains("is not a regular expression"), "{error}");
}

/// `layer.5` and `layer.6` are different things, `step 5` and `step 6` are not.
#[test]
fn numbers_in_texts() {
    let mut script = Script::default();
    for step in 0..3 {
        script.range(&format!("step {step}"), |script| {
            for layer in 0..2 {
                script.range(&format!("layer.{layer}"), |script| {
                    script.launch("gemm", 40);
                });
            }
        });
    }
    let capture = script.read();
    let profile = profile_of(&capture);
    let mut names: Vec<(&str, u64)> =
        profile.op_stats.iter().map(|op| (profile.op_name(op.op), op.times.cpu.count)).collect();
    names.sort_unstable();
    assert_eq!(names, [("/step", 3), ("/step/layer.0", 3), ("/step/layer.1", 3)]);
}

/// Every second step does a little more: names of kernels cannot tell two such steps from one.
#[test]
fn kernel_sequences_that_vary() {
    let mut script = Script::default();
    for step in 0..24 {
        script.launch("embed", 15);
        for _ in 0..4 {
            script.launch("gemm", 40).launch("relu", 10).launch("norm", 10);
        }
        script.launch("loss", 5).launch("loss_grad", 9).launch("embed_grad", 20).launch("adam", 20);
        if step % 2 == 1 {
            script.launch("log", 3);
        }
    }
    assert_found(&script, 13, "embed");
}
