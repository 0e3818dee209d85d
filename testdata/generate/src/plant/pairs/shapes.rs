//! What kernels do, and how they fill a GPU.

use super::Case;
use super::Planted::{Each, Fixed, OfKernels};
use super::board::Board;
use super::kernels::{
    ELEMENTWISE, FLASH, FLASH_3, FLASH_BACKWARD, Kernel, TENSOR_GEMM, TENSOR_WGRAD, layers,
};
use super::program::{Act, ITERATIONS, Program, State, chain, step, times};
use crate::trace::Ns;

pub(super) const CASES: &[Case] = &[
    Case {
        id: "layout_transposes",
        program: layout_transposes,
        figures: &[("layout_percent", OfKernels(20 * LAYOUT)), ("launches", Each(20.0))],
    },
    Case {
        id: "memory_bound_ops",
        program: memory_bound_ops,
        figures: &[("memory_bound_percent", OfKernels(10 * 4 * POINTWISE))],
    },
    Case {
        id: "elementwise_kernels",
        program: elementwise_kernels,
        figures: &[("elementwise_percent", OfKernels(10 * 2 * POINTWISE)), ("launches", Each(20.0))],
    },
    Case {
        id: "older_attention",
        program: older_attention,
        figures: &[("older_attention_percent", OfKernels(10 * 450_000)), ("launches", Each(20.0))],
    },
    Case {
        id: "unfused_attention",
        program: unfused_attention,
        figures: &[("softmax_percent", OfKernels(10 * SOFTMAX))],
    },
    Case {
        id: "tail_heavy",
        program: tail_heavy,
        figures: &[
            ("tail_loss_percent", OfKernels(10 * 2 * THREE_BLOCKS * 98 / 324)),
            ("blocks_per_sm", Fixed(226.0 / 108.0)),
        ],
    },
    Case {
        id: "underfilled",
        program: underfilled,
        figures: &[
            ("underfill_loss_percent", OfKernels(10 * 200_000 * 3 / 4)),
            ("blocks", Fixed(27.0)),
            ("sm_count", Fixed(108.0)),
        ],
    },
    Case {
        id: "low_occupancy",
        program: low_occupancy,
        figures: &[("occupancy_percent", Fixed(12.5)), ("kernel_percent", OfKernels(10 * 100_000))],
    },
    Case {
        id: "kernel_hotspot",
        program: kernel_hotspot,
        figures: &[("kernel_time_percent", OfKernels(10 * 500_000)), ("launches", Each(10.0))],
    },
    Case { id: "clocks", program: clocks, figures: &[("drift_percent", Fixed(26.0))] },
];

/// How long a change of the layout takes.
const LAYOUT: Ns = 40_000;
const TO_NHWC: Kernel =
    Kernel::full("void cudnn::ops::nchwToNhwcKernel<__half, __half, float, false, true>(int)");
const TO_NCHW: Kernel =
    Kernel::full("void cudnn::ops::nhwcToNchwKernel<__half, __half, float, true, false>(int)");
const CONVOLUTION: Kernel = Kernel::matrix(
    "sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nchw_tilesize128x128x64_stage3_nhwc2nchw",
);

/// Tensors change their layout around each convolution, whose own name mentions layouts; repaired, they are in that of the
/// convolution all along.
fn layout_transposes(state: State) -> Program {
    let [there, back] = [TO_NHWC, TO_NCHW].map(|kernel| Act::Launch(kernel, LAYOUT));
    let convolution = Act::Launch(CONVOLUTION, 120_000);
    let block = state.pick(vec![there, convolution.clone(), back], vec![convolution]);
    Program::of(step(times(10, &chain([block, layers(1)]))))
}

/// How long an operation on single elements takes.
const POINTWISE: Ns = 60_000;
const ADD: Kernel = Kernel::full(
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::Half>>(int)",
);
const LAYER_NORM: Kernel =
    Kernel::full("void at::native::vectorized_layer_norm_kernel<c10::Half, float>(int)");
const TRITON: Kernel = Kernel::full("triton_poi_fused_add_gelu_native_layer_norm_3");

/// Operations on single elements take half of the time; repaired, a compiler fuses two and two, and reads and writes half as
/// much.
fn memory_bound_ops(state: State) -> Program {
    let single = [ELEMENTWISE, ADD, LAYER_NORM, ADD].map(|kernel| Act::Launch(kernel, POINTWISE)).to_vec();
    let fused = vec![Act::Launch(TRITON, POINTWISE); 2];
    let products = [TENSOR_GEMM, TENSOR_WGRAD].map(|kernel| Act::Launch(kernel, 130_000)).to_vec();
    Program::of(step(times(10, &chain([products, state.pick(single, fused)]))))
}

/// Products of FP32 on plain cores.
const PLAIN_GEMM: Kernel = Kernel::matrix("volta_sgemm_128x64_tn");

/// Two operations on single elements follow each product, which uses no Tensor Cores; repaired, a compiler fuses them.
fn elementwise_kernels(state: State) -> Program {
    let single = [ELEMENTWISE, ADD].map(|kernel| Act::Launch(kernel, POINTWISE)).to_vec();
    let product = Act::Launch(PLAIN_GEMM, 260_000);
    let fused = vec![Act::Launch(TRITON, POINTWISE)];
    let acts = times(10, &chain([vec![product], state.pick(single, fused)]));
    Program::of(step(acts)).on(&Board::P100)
}

/// Attention in kernels for GPUs before Hopper; repaired, in kernels that are 1.6 times as fast.
fn older_attention(state: State) -> Program {
    let [forward, backward] = state.pick([FLASH, FLASH_BACKWARD], [FLASH_3, FLASH_3]);
    let speed = |ns: Ns| state.pick(ns, ns * 10 / 16);
    let attention = vec![Act::Launch(forward, speed(150_000)), Act::Launch(backward, speed(300_000))];
    let products = [TENSOR_GEMM, TENSOR_WGRAD].map(|kernel| Act::Launch(kernel, 200_000)).to_vec();
    Program::of(step(times(10, &chain([attention, products])))).on(&Board::H100)
}

const SOFTMAX: Ns = 60_000;
const SOFTMAX_FORWARD: Kernel = Kernel::full("softmax_warp_forward");
const MASKED_FILL: Kernel = Kernel::full("void at::native::masked_fill_kernel<c10::Half>(int)");
const DROPOUT: Kernel = Kernel::full("void at::native::fused_dropout_kernel_vec<c10::Half, float, 4>(int)");
const SCORES: Kernel = Kernel::matrix("ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x3_tn");

/// Attention runs in five kernels; repaired, in one that takes about as long as the two products.
fn unfused_attention(state: State) -> Program {
    let scores = Act::Launch(SCORES, 70_000);
    let between = [(MASKED_FILL, 40_000), (SOFTMAX_FORWARD, SOFTMAX), (DROPOUT, 40_000)];
    let separate = chain([
        vec![scores.clone()],
        between.map(|(kernel, ns)| Act::Launch(kernel, ns)).to_vec(),
        vec![scores],
    ]);
    let fused = vec![Act::Launch(FLASH, 143_000)];
    let others = [TENSOR_GEMM, ELEMENTWISE, TENSOR_WGRAD].map(|kernel| Act::Launch(kernel, 100_000)).to_vec();
    Program::of(step(times(10, &chain([state.pick(separate, fused), others]))))
}

/// How long three blocks take an SM that holds two.
const THREE_BLOCKS: Ns = 200_000;

/// 226 blocks for 108 SMs, so that some of them run three and most two; repaired, the same work in two larger blocks for each.
fn tail_heavy(state: State) -> Program {
    let ns = state.pick(THREE_BLOCKS, THREE_BLOCKS * 226 / 324 + 4_000);
    let products =
        [TENSOR_GEMM, TENSOR_WGRAD].map(|kernel| Act::Launch(kernel.blocks(state.pick(210, 200)), ns));
    Program::of(step(times(10, &chain([products.to_vec(), vec![Act::Launch(FLASH, 90_000)]]))))
}

/// Grids for a quarter of the SMs; repaired, a batch four times as large fills them.
fn underfilled(state: State) -> Program {
    let product = Act::Launch(SCORES.blocks(state.pick(25, 9_600)), 200_000);
    Program::of(step(times(10, &chain([vec![product], layers(1)]))))
}

const STENCIL: Kernel = Kernel::full("stencil_kernel");

/// Shared memory for one block of 8 warps on an SM that holds 64; repaired, the blocks take less of it.
fn low_occupancy(state: State) -> Program {
    let kernel = STENCIL.shared(state.pick(100_000, 16_000)).blocks(state.pick(1_600, 9_600));
    Program::of(step(times(10, &chain([vec![Act::Launch(kernel, 100_000)], layers(1)]))))
}

/// One kernel takes most of the time; repaired, it was looked at and takes a fifth.
fn kernel_hotspot(state: State) -> Program {
    let hot = Act::Launch(STENCIL, state.pick(500_000, 100_000));
    Program::of(step(times(10, &chain([vec![hot], layers(1)]))))
}

/// The GPU becomes hot and a quarter slower; repaired, it is cooled.
fn clocks(state: State) -> Program {
    let count = 2 * ITERATIONS;
    let of_iteration = |iteration: usize| {
        let slower = Ns::try_from(state.pick(300 * iteration / count, 0)).unwrap_or(0);
        let model = super::kernels::MODEL.map(|(kernel, ns)| Act::Launch(kernel, ns + ns * slower / 1000));
        step(times(10, &model))
    };
    Program::of_steps((0..count).map(of_iteration).collect())
}
