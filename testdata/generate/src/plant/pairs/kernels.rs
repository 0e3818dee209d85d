//! The kernels of pairs, with the names that libraries give them.
//!
//! On all boards an SM holds 2 blocks of the matrix kernels (8 warps of 4096 registers each) and 6 or 8 of the others (8 warps
//! of 1024 registers), so that grids of [`PER_SM`] blocks for each SM are whole waves.

use super::super::records::KernelShape;
use super::program::{Act, times};
use crate::trace::Ns;

/// Blocks for each SM in grids of whole waves: a multiple of 2, 6 and 8.
const PER_SM: i64 = 96;

/// A kernel, whose grid depends on the GPU.
#[derive(Clone, Copy)]
pub(super) struct Kernel {
    /// Function.
    name: &'static str,
    /// Threads of a block.
    block: i64,
    /// Registers of a thread.
    registers: i64,
    /// Dynamic shared memory of a block.
    shared: i64,
    /// Blocks in the grid for every hundred SMs.
    blocks_per_100_sms: i64,
}

impl Kernel {
    /// Matrix math: two blocks fit on an SM.
    pub(super) const fn matrix(name: &'static str) -> Self {
        Self { name, block: 256, registers: 128, shared: 0, blocks_per_100_sms: 100 * PER_SM }
    }

    /// A kernel that fills the warps of an SM.
    pub(super) const fn full(name: &'static str) -> Self {
        Self { name, block: 256, registers: 32, shared: 0, blocks_per_100_sms: 100 * PER_SM }
    }

    /// With another number of blocks.
    pub(super) const fn blocks(self, blocks_per_100_sms: i64) -> Self {
        Self { blocks_per_100_sms, ..self }
    }

    /// With shared memory.
    pub(super) const fn shared(self, shared: i64) -> Self {
        Self { shared, ..self }
    }

    /// The kernel on a GPU of so many SMs.
    pub(super) fn on(self, sm_count: i64) -> KernelShape {
        let Self { name, block, registers, shared, blocks_per_100_sms } = self;
        KernelShape {
            name,
            grid: (sm_count * blocks_per_100_sms / 100).max(1),
            block,
            registers,
            shared: [0, shared],
        }
    }
}

/// Matrix products on Tensor Cores.
pub(super) const TENSOR_GEMM: Kernel =
    Kernel::matrix("ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn");
/// Other products on Tensor Cores.
pub(super) const TENSOR_WGRAD: Kernel =
    Kernel::matrix("ampere_fp16_s16816gemm_fp16_256x64_ldg8_f2f_stages_64x3_nt");
/// Fused attention.
pub(super) const FLASH: Kernel =
    Kernel::matrix("void flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4>>(Flash_fwd_params)");
/// The gradients of fused attention.
pub(super) const FLASH_BACKWARD: Kernel = Kernel::matrix(
    "void flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits<64, 128, 128, 8>>(Flash_bwd_params)",
);
/// Fused attention for Hopper.
pub(super) const FLASH_3: Kernel = Kernel::matrix(
    "void cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnFwdSm90<flash::CollectiveMainloopFwdSm90<2>>>>(T1::Params)",
);
/// An activation.
pub(super) const ELEMENTWISE: Kernel = Kernel::full(
    "void at::native::vectorized_elementwise_kernel<4, at::native::GeluFunctor<c10::Half>>(int)",
);

/// The matrix math of a usual model, and little else: no kernel has half of the time.
pub(super) const MODEL: [(Kernel, Ns); 4] =
    [(TENSOR_GEMM, 100_000), (FLASH, 90_000), (ELEMENTWISE, 60_000), (TENSOR_WGRAD, 110_000)];

/// How long a layer of [`MODEL`] runs.
pub(super) const LAYER_NS: Ns = 360_000;

/// Launches of some layers of [`MODEL`].
pub(super) fn layers(count: usize) -> Vec<Act> {
    times(count, &MODEL.map(|(kernel, ns)| Act::Launch(kernel, ns)))
}

/// Operations of an unfused Adam.
pub(super) const ADAM: [Kernel; 4] = [
    Kernel::full(
        "void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<float, float, float, \
         at::native::MulFunctor<float>>>(int)",
    ),
    Kernel::full(
        "void at::native::vectorized_elementwise_kernel<4, at::native::addcmul_cuda_scalar_tensor2_kernel>(int)",
    ),
    Kernel::full("void at::native::vectorized_elementwise_kernel<4, at::native::sqrt_kernel_cuda>(int)"),
    Kernel::full("void at::native::vectorized_elementwise_kernel<4, at::native::addcdiv_cuda_kernel>(int)"),
];

/// Updates many parameters.
pub(super) const MULTI_TENSOR: Kernel = Kernel::full(
    "void at::native::multi_tensor_apply_kernel<at::native::TensorListMetadata<4>, FusedAdamMathFunctor<float, 4>>(int)",
);
