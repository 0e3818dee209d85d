//! Op calls of traces of torch.profiler, drawn.

use crate::base::ids::OpCallId;
use crate::base::time::Ns;
use crate::capture::Capture;
use crate::capture::correlate::{Direction, ModeChoice};
use crate::steps::index::Index;
use crate::steps::iterate::KeyNodeChoice;
use crate::tests::drawn::Drawn;

/// Op calls in order of start: name, direction, CPU time and GPU time.
fn calls(capture: &Capture) -> Vec<(String, &str, Ns, Ns)> {
    let mut ids: Vec<OpCallId> = capture.op_calls.ids().collect();
    ids.sort_by_key(|&call| (capture.op_calls.span[call].start, call));
    let row = |call: OpCallId| {
        let (label, times) = (capture.label_of(call), capture.op_calls.times[call]);
        (capture.names.get(label.name).to_owned(), label.direction.as_str(), times.cpu_ns, times.gpu_ns)
    };
    ids.into_iter().map(row).collect()
}

fn row<'a>(name: &str, direction: &'a str, cpu_ns: Ns, gpu_ns: Ns) -> (String, &'a str, Ns, Ns) {
    (name.to_owned(), direction, cpu_ns, gpu_ns)
}

fn drawn() -> Drawn {
    let mut drawn = Drawn::new();
    drawn.of_torch_profiler();
    drawn
}

/// ```text
/// ├ ProfilerStep#3 ──────────────────────────────────────────┤
///   ├ forward ──────────────────────┤
///     ├ aten::linear ─────┤             ├ record_param_comms ┤
///       ├ aten::addmm ┤
///             a             b      c        d
/// ```
#[test]
fn calls_belong_to_the_outermost_operator_else_to_the_innermost_annotation() {
    let mut drawn = drawn();
    drawn.range("ProfilerStep#3", 0..100).range("forward", 5..50);
    drawn.operator("aten::linear", 7, false, 10..30).operator("aten::addmm", 7, false, 15..25);
    drawn.operator("record_param_comms", None, false, 60..80);
    drawn.launch(17..18, "a", 20..21).launch(40..41, "b", 42..44).launch(55..56, "c", 57..61);
    drawn.launch(65..66, "d", 67..75);
    let expected = [
        row("/ProfilerStep", "", 35, 4),
        row("/forward", "", 25, 2),
        row("/forward/aten::linear", "fprop", 20, 1),
        row("/record_param_comms", "", 20, 8),
    ];
    assert_eq!(calls(&drawn.capture()), expected);
}

#[test]
fn backward_work_has_the_name_of_its_forward_op() {
    let mut drawn = drawn();
    drawn
        .frame("train.py(3): step", 0..100)
        .frame("nn.Module: Net_0", 5..40)
        .frame("nn.Module: Linear_0", 8..35);
    drawn.operator("aten::linear", 7, false, 10..30).operator("aten::addmm", 7, false, 15..25);
    drawn.launch(17..18, "a", 20..21);
    drawn.thread();
    drawn.operator("autograd::engine::evaluate_function: AddmmBackward0", 7, true, 50..80);
    drawn.operator("AddmmBackward0", 7, true, 52..78).operator("aten::mm", None, false, 60..70);
    drawn.launch(62..63, "b", 64..70);
    drawn.operator("autograd::engine::evaluate_function: OtherBackward0", 99, true, 82..90);
    drawn.launch(84..85, "c", 86..88);
    let capture = drawn.capture();
    let expected = [
        row("/Net_0/Linear_0/aten::linear", "fprop", 20, 1),
        row("/Net_0/Linear_0/aten::linear", "bprop", 30, 6),
        row("/OtherBackward0", "bprop", 8, 2),
    ];
    assert_eq!(calls(&capture), expected);
    let of = |at: usize| capture.label_of(OpCallId::new(at));
    assert_eq!((of(0).op_type.as_str(), of(0).stack_trace.as_str()), ("linear", "train.py(3): step"));
    assert_eq!((of(2).op_type.as_str(), of(2).direction), ("OtherBackward0", Direction::Backward));
}

#[test]
fn work_of_a_checkpoint_is_forward_work() {
    let mut drawn = drawn();
    drawn.operator("CheckpointFunction", 4, false, 0..20).operator("aten::conv2d", None, false, 2..18);
    drawn.launch(4..5, "a", 6..7);
    drawn.thread();
    drawn.operator("autograd::engine::evaluate_function: CheckpointFunctionBackward", 4, true, 30..90);
    drawn.operator("CheckpointFunctionBackward", 4, true, 31..89);
    drawn.operator("aten::conv2d", 5, false, 32..50).launch(34..35, "a", 36..38);
    drawn.operator("autograd::engine::evaluate_function: ConvolutionBackward0", 5, true, 55..80);
    drawn.launch(60..61, "b", 62..66);
    let expected = [
        row("/aten::conv2d", "fprop", 16, 1),
        row("/aten::conv2d", "fprop", 18, 2),
        row("/aten::conv2d", "bprop", 25, 4),
    ];
    assert_eq!(calls(&drawn.capture()), expected);
}

/// Whole microseconds let an inner operator end later than the one around it.
#[test]
fn an_operator_that_ends_late_is_inside() {
    let mut drawn = drawn();
    drawn.operator("aten::conv2d", None, false, 0..14).operator("aten::convolution", None, false, 2..15);
    drawn.launch(13..14, "a", 20..25).operator("aten::relu", None, false, 15..20).launch(15..16, "b", 25..27);
    let expected = [row("/aten::conv2d", "fprop", 14, 5), row("/aten::relu", "fprop", 5, 2)];
    assert_eq!(calls(&drawn.capture()), expected);
}

#[test]
fn a_collective_is_named_by_what_it_does() {
    let mut drawn = drawn();
    drawn.operator("c10d::allreduce_", None, false, 0..50).operator("record_param_comms", None, false, 5..45);
    drawn.range("nccl:all_reduce", 10..40).launch(20..21, "ncclDevKernel", 30..60);
    assert_eq!(calls(&drawn.capture()), [row("/nccl:all_reduce", "", 50, 30)]);
}

#[test]
fn annotations_alone_are_ops_in_the_mode_of_plain_ranges() {
    let mut drawn = drawn();
    drawn.range("forward", 0..50).operator("aten::mm", None, false, 10..20).launch(12..13, "a", 20..25);
    assert_eq!(calls(&drawn.capture_in(ModeChoice::Nvtx)), [row("/forward", "", 50, 5)]);
}

#[test]
fn steps_are_iterations_and_the_last_ends_with_its_work() {
    let mut drawn = drawn();
    for step in 0..4 {
        let start = 1000 * (step + 1);
        drawn.range(&format!("ProfilerStep#{}", step + 7), start..start + 900);
        drawn.operator("aten::mm", None, false, start + 10..start + 50);
        drawn.launch(start + 12..start + 13, "a", start + 100..start + 950);
    }
    drawn.operator("aten::mm", None, false, 6000..6100).launch(6010..6011, "b", 6020..6030);
    let index: Index = drawn.capture().index(&KeyNodeChoice::Find).expect("an index");
    let iterations = &index.iterations;
    assert_eq!(iterations.boundaries, [0, 1000, 2000, 3000, 4000, 6030, 6100]);
    assert_eq!(iterations.label(4), Some("ProfilerStep#10"));
    assert_eq!(iterations.key_node.as_ref().map(|key_node| key_node.name.as_str()), Some("ProfilerStep"));
}

/// `prof.step()` inside of `record_function`: each crosses the end of the other.
///
/// ```text
/// ├ ProfilerStep#1 ────────────────┤├ ProfilerStep#2 ──────────────┤
///    ├ train_step ─────────────────────┤  ├ train_step ──────────────────┤
///       ├ mm ┤                              ├ mm ┤
/// ```
#[test]
fn annotations_that_cross_are_siblings() {
    let mut drawn = drawn();
    for step in 0..3 {
        let start = 100_000 * step;
        drawn.range(&format!("ProfilerStep#{step}"), start..start + 100_000);
        drawn.range("train_step", start + 3_000..start + 101_500);
        drawn.operator("aten::mm", None, false, start + 10_000..start + 20_000);
        drawn.launch(start + 12_000..start + 13_000, "a", start + 20_000..start + 20_005);
    }
    let expected = vec![row("/train_step/aten::mm", "fprop", 10_000, 5); 3];
    assert_eq!(calls(&drawn.capture()), expected);
}

/// What is called after the start of the second one belongs to it.
#[test]
fn work_behind_a_crossing_belongs_to_the_later_annotation() {
    let mut drawn = drawn();
    drawn.range("train", 0..50_000);
    for (start, name) in [(10_000, "a"), (40_000, "b"), (60_000, "c")] {
        if name == "b" {
            drawn.range("optimizer", 30_000..90_000);
        }
        drawn.operator("aten::mm", None, false, start..start + 5_000);
        drawn.launch(start + 1_000..start + 2_000, name, start + 3_000..start + 3_001);
    }
    let expected = [
        row("/train/aten::mm", "fprop", 5_000, 1),
        row("/optimizer/aten::mm", "fprop", 5_000, 1),
        row("/optimizer/aten::mm", "fprop", 5_000, 1),
    ];
    assert_eq!(calls(&drawn.capture()), expected);
}
