//! What names say about Tensor Cores, or the matrix units of AMD's GPUs.
//!
//! Sources:
//!
//! * **DLProf**: its own output on three published captures (1.8.0) and the Viewer guide.
//! * **`PyProf`**: NVIDIA/PyProf `pyprof/prof/tc.py`, the open ancestor (2020).
//! * **`XProf`**: TensorFlow `core/profiler/utils/kernel_stats_utils.cc` (2021).
//! * **kineto**: pytorch/kineto `tb_plugin/torch_tb_profiler/profiler/tensor_core.py` (2022).
//! * **H100**: public nsys kernel tables of Hopper and Blackwell GPUs, compared with measured FLOP rates (2024-2026).
//! * MIOpen calls its implicit products `igemm_fwd_gtcx2_…`: `x` says that they use MFMA (`xdlops`), the number which.
//! * The kernels in the public code of the libraries in [`super::libraries`].

/// Instructions, atoms and shapes of Tensor Cores, in a function, its namespaces or its template arguments.
pub(super) const USED: &str = "gmma hgmma igmma qgmma wgmma umma tcgen05 tcgen wmma hmma imma qmma dmma mmasync mmaatom mmatensorop \
    classtensorop =tensorop =tensor_op h884 s884 d884 i884 h1688 s1688 c1688 d1688 i8816 16816 i16832 16832 161616 tensor16x8x \
    mainloopsm90 mainloopsm100 mainloopsm103 mainloopsm120 mfma xdl xdlops gtcx gtcx2 gtcx3 mi16x16x mi32x32x mi4x4x wmmaops m16nxk m16n8k m8n8k m32n8k m64n \
    dgrad1x1stride2x2 firstlayerwgrad conv2dc1k1 directgroup";

/// Products that have no other way.
pub(super) const USED_BY_LIBRARY: &str = "nvjet xmma marlin machete mxgemm wgmmapagedattention";

/// Products on plain cores, whatever else the function says.
pub(super) const NOT_USED: &str = "ffma simt universalfma mmasimt";

/// The same, unless a shape of Tensor Cores is named.
pub(super) const NOT_USED_WITHOUT_SHAPE: &str = "sgemm dgemm cgemm zgemm gcgemm hgemm hhgemm scudnn gemv gemvx gemvnsp spmv csrmv winograd depthwise \
    depthwise2d depthwise3d";

/// Types of operands that plain cores do not multiply.
pub(super) const NARROW: &str = "fp8 e4m3 e5m2 mxfp8 nvfp4 e2m1 fp4";

/// Engines of cuDNN from before Tensor Cores.
pub(super) const OLD_ENGINES: &str =
    "engine alg0engine alg1engine implicitconvolve explicitconvolve convolve dgrad2d wgradalg0 wgradalg1";

/// Families of fused attention that multiply on Tensor Cores in 16 bits or less, in [`ATTENTION_LIBRARIES`].
pub(super) const ATTENTION_FAMILIES: &str = "flashfwd flashbwd flashattn flashattention flashattentionforward flashattentionbackward fmha sdpa prefill \
    mla computeattn attnfwd attnbwd flashattnfwd flashattnbwd";

/// The libraries that have these families.
pub(super) const ATTENTION_LIBRARIES: &[&str] =
    &["FlashAttention", "FlashMLA", "torch", "FlashInfer", "cuDNN", "TensorRT-LLM", "CUTLASS"];
