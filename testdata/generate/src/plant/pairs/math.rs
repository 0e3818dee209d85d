//! Number types that are slower than need be.

use super::Case;
use super::Planted::OfKernels;
use super::board::Board;
use super::kernels::{ELEMENTWISE, Kernel, MODEL, layers};
use super::program::{Act, Program, State, chain, step, times};
use crate::trace::Ns;

pub(super) const CASES: &[Case] = &[
    Case {
        id: "fp32_matrix",
        program: fp32_matrix,
        figures: &[("fp32_matrix_percent", OfKernels(3_000_000))],
    },
    Case {
        id: "fp32_matrix_pre_ampere",
        program: fp32_matrix_pre_ampere,
        figures: &[("fp32_matrix_percent", OfKernels(3_000_000))],
    },
    Case {
        id: "half_without_tensor_cores",
        program: half_without_tensor_cores,
        figures: &[("half_matrix_percent", OfKernels(3_000_000))],
    },
    Case { id: "fp64_math", program: fp64_math, figures: &[("fp64_math_percent", OfKernels(1_200_000))] },
];

const SGEMM: Kernel = Kernel::matrix("ampere_sgemm_128x64_tn");
const SGEMM_WIDE: Kernel = Kernel::matrix("ampere_sgemm_128x128_nn");
const TF32_GEMM: Kernel = Kernel::matrix("ampere_tf32_s1688gemm_tf32_128x128_ldg8_f2f_stages_32x3_tn");
const TF32_WIDE: Kernel = Kernel::matrix("ampere_tf32_s1688gemm_tf32_256x64_ldg8_f2f_stages_32x3_nn");
const VOLTA_SGEMM: Kernel = Kernel::matrix("volta_sgemm_128x64_tn");
const VOLTA_SGEMM_WIDE: Kernel = Kernel::matrix("volta_sgemm_128x128_nn");
const VOLTA_HALF: Kernel = Kernel::matrix("volta_fp16_sgemm_fp16_128x64_tn");
const VOLTA_HALF_WIDE: Kernel = Kernel::matrix("volta_fp16_sgemm_fp16_128x128_nn");
const VOLTA_FP16: Kernel = Kernel::matrix("volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_tn");
const VOLTA_FP16_WIDE: Kernel = Kernel::matrix("volta_fp16_s884gemm_fp16_256x64_ldg8_f2f_nn");
const DGEMM: Kernel = Kernel::matrix("ampere_dgemm_128x64_tn");
/// Normalises; with the activation it takes 1 ms of a step.
const NORM: Kernel = Kernel::full("void at::native::vectorized_layer_norm_kernel<float, float>(int)");

/// Products of 3 ms that become `speed_up` percent of as fast, and other kernels of 2 ms.
fn products([slow, slow_wide]: [Kernel; 2], quick: Option<([Kernel; 2], Ns)>) -> Vec<Act> {
    let ([first, second], percent) = quick.unwrap_or(([slow, slow_wide], 100));
    let product = |kernel: Kernel| Act::Launch(kernel, 150_000 * 100 / percent);
    let rest = [Act::Launch(ELEMENTWISE, 50_000), Act::Launch(NORM, 50_000)];
    times(10, &[product(first), product(second), rest[0].clone(), rest[1].clone()])
}

/// FP32 products on plain cores; repaired, with TF32, 3.7 times as fast: TF32's peak is 8 times as high, of which 46 % are
/// reached.
fn fp32_matrix(state: State) -> Program {
    let quick = state.pick(None, Some(([TF32_GEMM, TF32_WIDE], 370)));
    Program::of(step(products([SGEMM, SGEMM_WIDE], quick)))
}

/// The same before TF32; repaired, with FP16, 4.3 times as fast: its peak is 8 times as high.
fn fp32_matrix_pre_ampere(state: State) -> Program {
    let quick = state.pick(None, Some(([VOLTA_FP16, VOLTA_FP16_WIDE], 430)));
    Program::of(step(products([VOLTA_SGEMM, VOLTA_SGEMM_WIDE], quick))).on(&Board::V100)
}

/// FP16 on plain cores; repaired, on Tensor Cores, 4.3 times as fast.
fn half_without_tensor_cores(state: State) -> Program {
    let quick = state.pick(None, Some(([VOLTA_FP16, VOLTA_FP16_WIDE], 430)));
    Program::of(step(products([VOLTA_HALF, VOLTA_HALF_WIDE], quick))).on(&Board::V100)
}

/// FP64 on a GPU that computes it at a sixty-fourth of the FP32 rate; repaired, in FP32, forty times as fast.
fn fp64_math(state: State) -> Program {
    let product = state.pick(Act::Launch(DGEMM, 400_000), Act::Launch(SGEMM, 10_000));
    let model = MODEL.map(|(kernel, ns)| Act::Launch(kernel, ns)).to_vec();
    Program::of(step(chain([times(3, &chain([vec![product], model])), layers(5)]))).on(&Board::RTX_3090)
}
