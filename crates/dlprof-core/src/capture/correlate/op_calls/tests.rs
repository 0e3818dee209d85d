//! Ranges and the op calls they make, drawn.

use crate::base::diagnostics::DiagnosticCode;
use crate::base::ids::OpCallId;
use crate::base::op_path::{DEEPEST, LONGEST_PART, LONGEST_PATH};
use crate::base::time::Ns;
use crate::capture::Capture;
use crate::capture::correlate::ModeChoice;
use crate::tests::drawn::Drawn;

/// Op calls in order of start: name, direction, CPU time, GPU time, and the name of the forward call.
fn calls(capture: &Capture) -> Vec<(String, &str, Ns, Ns, Option<String>)> {
    let name = |call: OpCallId| capture.names.get(capture.label_of(call).name).to_owned();
    let mut ids: Vec<OpCallId> = capture.op_calls.ids().collect();
    ids.sort_by_key(|&call| (capture.op_calls.span[call], call));
    let row = |call: OpCallId| {
        let times = capture.op_calls.times[call];
        let forward = capture.op_calls.forward[call].some().map(name);
        (name(call), capture.label_of(call).direction.as_str(), times.cpu_ns, times.gpu_ns, forward)
    };
    ids.into_iter().map(row).collect()
}

fn row(name: &str, cpu_ns: Ns, gpu_ns: Ns) -> (String, &'static str, Ns, Ns, Option<String>) {
    (name.to_owned(), "", cpu_ns, gpu_ns, None)
}

/// ```text
/// ├─ step ───────────────────────────────┤
///    ├─ forward ───────┤   ├─ loss ┤
///      ├ layer ┤
///        a        b     c    d         e      launches
/// ```
#[test]
fn every_range_claims_what_no_range_inside_it_claims() {
    let mut drawn = Drawn::new();
    drawn.range("step", 0..100).range("forward", 10..50).range("layer", 15..25).range("loss", 60..80);
    drawn.launch(17..18, "a", 20..21).launch(30..31, "b", 32..34).launch(52..53, "c", 54..58);
    drawn.launch(65..66, "d", 67..75).launch(90..91, "e", 92..108);
    let expected = [
        row("/step", 40, 20),
        row("/step/forward", 30, 2),
        row("/step/forward/layer", 10, 1),
        row("/step/loss", 20, 8),
    ];
    assert_eq!(calls(&drawn.capture()), expected);
}

/// ```text
/// ├─ load ──────┤
///        ├─ train ──────┤        neither lies in the other
/// ```
#[test]
fn ranges_that_cross_lie_side_by_side() {
    let mut drawn = Drawn::new();
    drawn.range("load", 0..50).range("train", 30..90);
    drawn.launch(10..11, "a", 12..13).launch(40..41, "b", 42..44).launch(70..71, "c", 72..76);
    assert_eq!(calls(&drawn.capture()), [row("/load", 50, 1), row("/train", 60, 6)]);
}

#[test]
fn order_of_rows_does_not_matter_and_threads_do() {
    let mut drawn = Drawn::new();
    let first = drawn.thread();
    drawn.range("inner", 20..30).range("outer", 0..100).launch(22..23, "a", 24..29);
    drawn.thread();
    drawn.range("other", 10..40).launch(20..21, "b", 22..25);
    drawn.on(first).launch(90..91, "c", 91..93);
    let expected = [row("/outer", 90, 2), row("/other", 30, 3), row("/outer/inner", 10, 5)];
    assert_eq!(calls(&drawn.capture()), expected);
}

/// What an operator calls is its own, ranges inside it included; ranges around it are not part of its name twice.
#[test]
fn an_operator_claims_all_inside_it() {
    let mut drawn = Drawn::new();
    drawn.range("step", 0..100).sequenced("aten::linear", 3, 10..60).sequenced("aten::addmm", 4, 20..50);
    drawn.range("note", 30..40).launch(32..33, "gemm", 35..45).launch(80..81, "fill", 82..83);
    let linear = ("/step/aten::linear".to_owned(), "fprop", 50, 10, None);
    assert_eq!(calls(&drawn.capture()), [row("/step", 50, 1), linear]);
}

/// ```text
/// main      ├ linear ──────────┤
///             ├ addmm, seq 7 ┤
/// autograd                        ├ evaluate_function: AddmmBackward0 ┤
///                                   ├ AddmmBackward0, seq 7 ┤
/// ```
#[test]
fn a_backward_node_belongs_to_the_call_around_the_latest_range_of_its_number() {
    let mut drawn = Drawn::new();
    for start in [0, 1000] {
        drawn.sequenced("aten::linear", 6, start..start + 60);
        drawn.sequenced("aten::addmm", 7, start + 10..start + 50).launch(
            start + 20..start + 21,
            "gemm",
            start + 30..start + 40,
        );
    }
    drawn.thread();
    drawn.range("autograd::engine::evaluate_function: AddmmBackward0", 1100..1200);
    drawn.sequenced("AddmmBackward0", 7, 1110..1190).launch(1120..1121, "gemm_grad", 1130..1150);
    let capture = drawn.capture();
    let forward = capture.op_calls.forward.iter().find_map(|call| call.some()).expect("a node");
    assert_eq!(capture.op_calls.span[forward].start, 1000, "the latest before it");
    let last = calls(&capture).pop().expect("a call");
    assert_eq!(last, ("/aten::linear".to_owned(), "bprop", 100, 20, Some("/aten::linear".to_owned())));
}

#[test]
fn a_backward_node_without_its_forward_call_is_counted() {
    let mut drawn = Drawn::new();
    drawn.sequenced("aten::mul", 1, 0..10);
    drawn.sequenced("AddmmBackward0", 7, 20..30).launch(22..23, "gemm_grad", 24..29);
    let capture = drawn.capture();
    assert_eq!(capture.diagnostics.counted(DiagnosticCode::BackwardWithoutForward), 1);
    assert_eq!(calls(&capture)[1].1, "bprop");
}

/// Of DLProf's markers only the outermost argument marker is a call; trace markers give it its place.
#[test]
fn markers_make_the_outermost_function_a_call() {
    let function = |name: &str| format!("{{'mod': 'torch.nn.functional', 'op': '{name}', 'args': []}}");
    let mut drawn = Drawn::new();
    drawn.range("{'traceMarker': ['train.py:3'], 'funcStack': 'net/conv'}", 0..100);
    drawn.range(&function("conv2d"), 10..60).range(&function("pad"), 20..30);
    drawn.range("a range of the user", 62..70).range("{'mod': 'torch', 'op': ", 72..75);
    drawn.launch(22..23, "pad", 24..25).launch(40..41, "conv", 42..52).launch(64..65, "loose", 66..67);
    let capture = drawn.capture();
    let conv2d = ("net/conv".to_owned(), "fprop", 50, 11, None);
    assert_eq!(calls(&capture), [conv2d, row("unassociated_loose", 1, 1)]);
    assert_eq!(capture.diagnostics.counted(DiagnosticCode::MalformedMarker), 1);
}

#[test]
fn without_ranges_all_work_is_one_op() {
    let mut drawn = Drawn::new();
    drawn.launch(0..5, "a", 10..20).launch(30..35, "b", 40..70);
    let capture = drawn.capture();
    assert_eq!(capture.description.mode.as_str(), "simple");
    let gpu_ns: Ns = calls(&capture).iter().map(|call| call.3).sum();
    assert_eq!(gpu_ns, 40);
    let mut drawn = Drawn::new();
    drawn.range("step", 0..9).launch(1..2, "a", 3..4);
    assert_eq!(drawn.capture_in(ModeChoice::Simple).description.mode.as_str(), "simple");
}

/// ```text
/// ├─ step ─────────────────────────────────────────┤
///    ├─ step ──────────────────────────────────────┤      never popped: each lies in the one before
///       ├─ step ───────────────────────────────────┤
///          a         b         c …
/// ```
#[test]
fn ranges_deeper_than_counts_belong_to_the_last_level() {
    let ranges = DEEPEST + 40;
    let end = 10 * Ns::try_from(ranges).expect("few") + 10;
    let mut drawn = Drawn::new();
    for at in 0..ranges {
        let start = 10 * Ns::try_from(at).expect("few");
        drawn.range("step", start..end).launch(start + 1..start + 2, "a", start + 3..start + 4);
    }
    let capture = drawn.capture();
    assert_eq!(capture.diagnostics.counted(DiagnosticCode::DeepNesting), 40);
    let calls = calls(&capture);
    assert_eq!(calls.len(), DEEPEST);
    let last = calls.last().expect("a call");
    assert_eq!(last.0, "/step".repeat(DEEPEST));
    assert_eq!(last.3, 41, "its own launch, and those of the ranges inside");
    assert_eq!(calls.iter().map(|call| call.3).sum::<Ns>(), Ns::try_from(ranges).expect("few"));
}

#[test]
fn paths_of_long_texts_end_too() {
    let text = |at: usize| format!("{at}{}", "x".repeat(5000));
    let mut drawn = Drawn::new();
    for at in 0..40 {
        let start = 10 * Ns::try_from(at).expect("few");
        drawn.range(&text(at), start..1000).launch(start + 1..start + 2, "a", start + 3..start + 4);
    }
    let capture = drawn.capture();
    assert_eq!(capture.diagnostics.counted(DiagnosticCode::DeepNesting), 24);
    let calls = calls(&capture);
    assert_eq!(calls.len(), 16);
    assert!(calls.iter().all(|call| call.0.len() <= LONGEST_PATH + 2 * LONGEST_PART));
    assert_eq!(calls.iter().map(|call| call.3).sum::<Ns>(), 40);
}

/// Gradients are added to parameters after the node of the backward pass, without a number that tells whose they are.
#[test]
fn additions_of_gradients_claim_their_work_in_both_modes() {
    for marker in ["aten::linear", "{'mod': 'torch', 'op': 'linear', 'args': []}"] {
        let mut drawn = Drawn::new();
        drawn.range(marker, 0..60).sequenced("aten::addmm", 7, 10..50);
        drawn.thread();
        for start in [100, 200] {
            drawn.range(
                "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad",
                start..start + 20,
            );
            drawn.range("torch::autograd::AccumulateGrad", start + 2..start + 18);
            drawn.launch(start + 5..start + 6, "add", start + 7..start + 9);
        }
        let capture = drawn.capture();
        let all = calls(&capture);
        let added = ("torch::autograd::AccumulateGrad".to_owned(), "bprop", 20, 2, None);
        assert_eq!(all[all.len() - 2..], [added.clone(), added], "{marker}");
    }
}

/// ```text
/// ├─ Optimizer.step#SGD.step ────────────────────┤
///    ├─ training_step ┤            ├ aten::add_ ┤
///      ├ aten::relu ┤
/// ```
/// A trainer runs the whole step in a closure that it gives to the optimizer.
#[test]
fn ranges_of_the_program_inside_a_step_of_an_optimizer_are_its_own() {
    let mut drawn = Drawn::new();
    drawn.sequenced("Optimizer.step#SGD.step", 2, 0..100);
    drawn.range("training_step", 10..40).sequenced("aten::relu", 3, 15..35);
    drawn.launch(20..21, "relu", 22..24).sequenced("aten::add_", 4, 60..80).launch(65..66, "add", 67..70);
    let optimizer = ("/Optimizer.step#SGD.step".to_owned(), "", 70, 3, None);
    let relu = ("/training_step/aten::relu".to_owned(), "fprop", 20, 2, None);
    assert_eq!(calls(&drawn.capture()), [optimizer, row("/training_step", 10, 0), relu]);
}
