//! What ops are: DLProf's markers say their shapes and types.

use super::Case;
use super::Planted::Fixed;
use super::kernels::{ELEMENTWISE, Kernel, TENSOR_GEMM};
use super::program::{Act, Program, State, chain, range, step, times};
use crate::trace::Ns;

pub(super) const CASES: &[Case] = &[
    Case {
        id: "tc_shapes",
        program: tc_shapes,
        figures: &[("size", Fixed(50_257.0)), ("nearest_multiple", Fixed(50_264.0))],
    },
    Case { id: "amp_detector", program: amp, figures: &[("bad_data_type_ops", Fixed(10.0))] },
];

/// Stacks of the ops.
const HEAD: &str = "{'traceMarker': ['train.py:21'], 'funcStack': '/Net::forward/Linear::head/linear'}";
const BODY: &str = "{'traceMarker': ['train.py:18'], 'funcStack': '/Net::forward/Linear::body/linear'}";

/// 16-bit products on plain cores, and on Tensor Cores.
const PLAIN: Kernel = Kernel::matrix("ampere_fp16_sgemm_fp16_128x64_tn");
/// FP32 products on plain cores.
const SGEMM: Kernel = Kernel::matrix("ampere_sgemm_128x64_tn");

/// An op with a kernel.
fn op(stack: &'static str, marker: &'static str, kernel: Kernel, ns: Ns) -> Vec<Act> {
    range(stack, range(marker, [Act::Launch(kernel, ns)]))
}

macro_rules! linear {
    ($type:literal, $inputs:literal, $weights:literal) => {
        concat!(
            "{'mod': 'torch.nn.functional', 'op': 'linear', 'args': [{'name': '', 'type': 'tensor', 'shape': ",
            $inputs,
            ", 'dtype': '",
            $type,
            "'}, {'name': '', 'type': 'tensor', 'shape': ",
            $weights,
            ", 'dtype': '",
            $type,
            "'}]}"
        )
    };
}

/// The vocabulary has an odd size; repaired, it is padded, and Tensor Cores compute the product in 45 % of the time.
fn tc_shapes(state: State) -> Program {
    let odd = op(HEAD, linear!("float16", "(4096, 1024)", "(50257, 1024)"), PLAIN, 200_000);
    let padded = op(HEAD, linear!("float16", "(4096, 1024)", "(50264, 1024)"), TENSOR_GEMM, 90_000);
    Program::of(step(times(10, &chain([body(), state.pick(odd, padded)]))))
}

/// A product that suits Tensor Cores, and an activation.
fn body() -> Vec<Act> {
    let product = op(BODY, linear!("float16", "(4096, 1024)", "(1024, 1024)"), TENSOR_GEMM, 120_000);
    chain([product, vec![Act::Launch(ELEMENTWISE, 100_000)]])
}

/// Products of FP32 only; repaired, with mixed precision.
fn amp(state: State) -> Program {
    let single = op(BODY, linear!("float32", "(4096, 1024)", "(1024, 1024)"), SGEMM, 200_000);
    let mixed = op(BODY, linear!("float16", "(4096, 1024)", "(1024, 1024)"), TENSOR_GEMM, 60_000);
    let rest = vec![Act::Launch(ELEMENTWISE, 100_000)];
    Program::of(step(times(10, &chain([state.pick(single, mixed), rest]))))
}
