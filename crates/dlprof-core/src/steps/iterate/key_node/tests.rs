//! Key nodes and the iterations they make, drawn.

use super::*;
use crate::base::ids::ThreadId;
use crate::capture::correlate::ModeChoice;
use crate::steps::iterate::KeyNodeChoice;
use crate::tests::drawn::Drawn;

fn named(capture: &Capture, wanted: &str) -> KeyNode {
    find(capture, wanted).unwrap_or_else(|error| panic!("{error}"))
}

/// ```text
/// thread 0   ├ step ┤ ├ step ┤            little GPU time
/// thread 1      ├ step ┤   ├ step ┤       most GPU time
/// ```
#[test]
fn of_several_threads_the_one_with_most_gpu_time_counts() {
    let mut drawn = Drawn::new();
    drawn.range("step", 0..10).range("step", 20..30).launch(5..6, "small", 6..7);
    let busy = drawn.thread();
    drawn.range("step", 5..15).range("step", 25..35).launch(6..7, "large", 8..800);
    let capture = drawn.capture();
    let key_node = named(&capture, "/step");
    assert_eq!((key_node.thread, key_node.starts), (busy.into(), vec![5, 25]));
    assert_eq!(key_node.executions_elsewhere, 2);
    assert_eq!(key_node.by_process.len(), 1, "one thread of each process counts");
}

#[test]
fn equal_threads_are_told_apart_by_their_order() {
    let mut drawn = Drawn::new();
    drawn.range("step", 20..30).range("step", 0..10);
    drawn.thread();
    drawn.range("step", 5..15);
    let key_node = named(&drawn.capture(), "/step");
    assert_eq!((key_node.thread, key_node.starts), (ThreadId::new(0).into(), vec![0, 20]));
}

#[test]
fn every_process_has_its_own_executions() {
    let mut drawn = Drawn::new();
    drawn.range("step", 0..10).launch(1..2, "a", 3..9);
    drawn.process();
    drawn.range("step", 2..12).range("step", 22..32).launch(3..4, "b", 5..6);
    let key_node = named(&drawn.capture(), "/step");
    let starts: Vec<_> = key_node.by_process.iter().map(|process| process.starts.clone()).collect();
    assert_eq!(starts, [vec![0], vec![2, 22]]);
    assert_eq!((key_node.starts, key_node.executions_elsewhere), (vec![0], 2));
}

#[test]
fn names_texts_and_patterns_find_the_same_op() {
    let draw = || {
        let mut drawn = Drawn::new();
        for step in 0..3 {
            drawn
                .range("epoch", step * 100..step * 100 + 90)
                .range("train step", step * 100 + 5..step * 100 + 50);
            drawn.launch(step * 100 + 60..step * 100 + 61, "loose step", step * 100 + 70..step * 100 + 71);
        }
        drawn.capture()
    };
    let capture = draw();
    for wanted in ["/epoch/train step", "train step", "re:train.st", "re:^/epoch/.*step$"] {
        assert_eq!(named(&capture, wanted).starts, [5, 105, 205], "{wanted}");
    }
    let several = named(&capture, "re:epoch");
    assert_eq!(several.name, "re:epoch", "several names match");
    assert_eq!(several.starts, [0, 5, 100, 105, 200, 205]);
    assert!(matches!(find(&capture, "re:("), Err(Error::BadPattern { .. })));
    let Err(Error::UnknownKeyNode { nearest, .. }) = find(&capture, "train stop") else {
        panic!("no such op")
    };
    assert_eq!(nearest, ["/epoch/train step"]);
}

/// A backward node has the name of its forward op, and no iteration begins with it.
#[test]
fn backward_calls_are_no_executions() {
    let mut drawn = Drawn::new();
    drawn.sequenced("aten::linear", 7, 0..20).launch(2..3, "gemm", 4..9);
    drawn.sequenced("AddmmBackward0", 7, 30..40).launch(32..33, "gemm_grad", 34..39);
    let capture = drawn.capture();
    assert_eq!(named(&capture, "/aten::linear").starts, [0]);
}

/// ```text
///          ├─ step ──┤   ├─ step ──┤
/// 0 ───────┴─────────────┴──────────── end
///     0           1             2
/// ```
#[test]
fn executions_are_the_boundaries() {
    let mut drawn = Drawn::new();
    drawn.range("warm up", 0..90).range("step", 100..150).range("step", 200..250);
    drawn.launch(120..121, "late", 210..400);
    let capture = drawn.capture();
    let index = capture.index(&KeyNodeChoice::Named("/step".into())).expect("it ran");
    assert_eq!(index.iterations.boundaries, [0, 100, 200, 400]);
    let launches: Vec<u64> = index.kernels.iter().map(|kernels| kernels.launches).collect();
    assert_eq!(launches, [0, 1, 0], "work follows its call");
    let none = capture.index(&KeyNodeChoice::None).expect("always one");
    assert_eq!(none.iterations.boundaries, [0, 400]);
}

/// DLProf takes TensorFlow's `global_step`, and nothing else by itself, however regular it is.
#[test]
fn dlprofs_own_key_node() {
    let draw = |text: &str, mode| {
        let mut drawn = Drawn::new();
        for step in 1..7 {
            drawn.range(text, step * 100..step * 100 + 50);
            drawn.launch(step * 100 + 10..step * 100 + 11, "gemm", step * 100 + 20..step * 100 + 40);
        }
        drawn.capture_in(mode)
    };
    let boundaries = |capture: &Capture, choice: &KeyNodeChoice| {
        capture.index(choice).expect("an index").iterations.boundaries.clone()
    };
    let steps = draw("step", ModeChoice::Auto);
    assert_eq!(boundaries(&steps, &KeyNodeChoice::Find).len(), 8, "the finder sees six steps");
    assert_eq!(boundaries(&steps, &KeyNodeChoice::Dlprof), [0, 650]);
    let node = draw(r#"{"op":"AssignAddVariableOp","name":"global_step"}"#, ModeChoice::Auto);
    let starts = [0, 100, 200, 300, 400, 500, 600, 650];
    assert_eq!(boundaries(&node, &KeyNodeChoice::Dlprof), starts);
    assert_eq!(node.description.mode, Mode::Tensorflow);
    let other = draw(r#"{"op":"AssignAddVariableOp","name":"local_step"}"#, ModeChoice::Auto);
    assert_eq!(boundaries(&other, &KeyNodeChoice::Dlprof), [0, 650]);
}

/// Texts of all candidates, each given back: it makes as many iterations as are listed.
fn given_back(capture: &Capture) -> Vec<String> {
    let candidates = crate::steps::iterate::candidates(capture);
    let text = |candidate: &crate::steps::iterate::IterationCandidate| {
        let index = capture.index(&KeyNodeChoice::Named(candidate.key_node.clone())).expect("it is listed");
        let count = index.iterations.count() as usize - 1;
        assert_eq!(count, candidate.executions, "{candidate:#?}");
        candidate.key_node.clone()
    };
    candidates.iter().map(text).collect()
}

#[test]
fn what_is_listed_can_be_given_back() {
    // Steps in steps: the outer ones count, and ops of that text run twice as often.
    let mut nested = Drawn::new();
    for step in 0..8 {
        let at = step * 100;
        nested.range("step", at..at + 90).range("step", at + 5..at + 80);
        nested.launch(at + 10..at + 11, "gemm", at + 20..at + 70);
    }
    assert!(given_back(&nested.capture()).contains(&"/step".to_owned()));
    // Steps of a warm-up and of a measurement.
    let mut sections = Drawn::new();
    sections.range("warmup", 0..500).range("measure", 500..1_500);
    for step in 0..15 {
        let at = step * 100;
        sections.range("step", at..at + 90).launch(at + 10..at + 11, "gemm", at + 20..at + 70);
    }
    assert!(given_back(&sections.capture()).contains(&"/measure/step".to_owned()));
    // Operators are the ops, and the steps around them are none.
    let mut operators = Drawn::new();
    for step in 0..8 {
        let at = step * 100;
        operators.range("step", at..at + 90).sequenced("aten::mm", 7, at + 5..at + 80);
        operators.launch(at + 10..at + 11, "gemm", at + 20..at + 70);
    }
    let texts = given_back(&operators.capture());
    assert!(texts.iter().any(|text| text.ends_with("step")), "{texts:?}");
    // Kernels alone.
    let mut kernels = Drawn::new();
    for step in 0..12 {
        for (place, name) in ["a", "b", "c"].into_iter().enumerate() {
            let at = step * 100 + 10 * crate::base::time::Ns::try_from(place).expect("few");
            kernels.launch(at..at + 2, name, at + 5..at + 9);
        }
    }
    let capture = kernels.capture();
    assert_eq!(given_back(&capture), ["kernels:3:a"]);
    let of_kernel = |text: &str| named_by_kernel(&capture, text);
    assert_eq!(of_kernel("b"), of_kernel("kernel:b"));
    assert_eq!(of_kernel("b").len(), 14, "twelve launches, and what comes before");
    assert!(capture.index(&KeyNodeChoice::Named("kernels:4:a".into())).is_err());
    let Err(Error::UnknownKeyNode { nearest, .. }) = capture.index(&KeyNodeChoice::Named("kernel:bb".into()))
    else {
        panic!("no such kernel")
    };
    assert!(nearest.is_empty(), "{nearest:?}");
}

fn named_by_kernel(capture: &Capture, text: &str) -> Vec<Ns> {
    let index = capture.index(&KeyNodeChoice::Named(text.into())).expect("a kernel");
    index.iterations.boundaries.clone()
}
