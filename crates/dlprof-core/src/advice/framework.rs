//! Which framework a capture shows, so that advice never names the API of another one.

use crate::capture::correlate::Mode;
use crate::read::facts::Vendor;
use regex::bytes::{RegexSet, RegexSetBuilder};
use std::sync::LazyLock;

/// What the program is written with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framework {
    /// PyTorch.
    PyTorch,
    /// TensorFlow.
    TensorFlow,
    /// XLA: JAX, or another front end that compiles with it.
    Xla,
    /// CuPy.
    CuPy,
    /// Loops that an OpenACC compiler turned into kernels.
    OpenAcc,
    /// Loops that an OpenMP compiler turned into kernels.
    OpenMp,
    /// None of these, or the capture does not show which.
    Other,
}

impl Framework {
    /// What markers say, else what the demangled names of the kernels say.
    pub(super) fn of<'a>(mode: Mode, kernels: impl Iterator<Item = &'a str>) -> Self {
        match mode {
            Mode::PytorchMarkers | Mode::PytorchEmitNvtx | Mode::TorchProfiler => Self::PyTorch,
            Mode::Tensorflow => Self::TensorFlow,
            Mode::Jax => Self::Xla,
            Mode::Nvtx | Mode::Simple => Self::of_kernels(kernels),
        }
    }

    /// The first of the list that made one of the kernels, by their demangled names.
    fn of_kernels<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let mut made = [false; MADE_BY.len()];
        for name in names {
            PATTERNS.matches(name.as_bytes()).iter().for_each(|at| made[at] = true);
        }
        made.iter().position(|made| *made).map_or(Self::Other, |at| MADE_BY[at].0)
    }

    /// How to launch less often.
    pub(super) fn fewer_launches(self, vendor: Vendor) -> &'static str {
        match self {
            Self::PyTorch if vendor == Vendor::Amd => {
                "Launch fewer, larger pieces: `torch.compile(mode=\"reduce-overhead\")`, larger batches, fused ops"
            }
            Self::PyTorch if vendor != Vendor::Nvidia => {
                "Launch fewer, larger pieces: `torch.compile`, larger batches, fused ops"
            }
            Self::Other if vendor != Vendor::Nvidia => {
                "Launch fewer, larger pieces: larger batches, fused kernels"
            }
            Self::PyTorch => {
                "Launch fewer, larger pieces: CUDA graphs or `torch.compile(mode=\"reduce-overhead\")`, larger batches, fused ops"
            }
            Self::TensorFlow => {
                "Launch fewer, larger pieces: let XLA fuse ops with `tf.function(jit_compile=True)`, and use larger batches"
            }
            Self::Xla => {
                "Launch fewer, larger pieces: compile the whole step as one program, and use larger batches"
            }
            Self::CuPy => {
                "Launch fewer, larger pieces: fuse operations with `cupy.fuse` or a kernel of your own, and use larger arrays"
            }
            Self::OpenAcc => {
                "Launch fewer, larger pieces: merge loops into fewer compute regions, and queue them with `async`"
            }
            Self::OpenMp => {
                "Launch fewer, larger pieces: merge loops into fewer target regions, and queue them with `nowait`"
            }
            Self::Other => "Launch fewer, larger pieces: CUDA graphs, larger batches, fused kernels",
        }
    }

    /// How to take memory of the GPU less often.
    pub(super) fn fewer_allocations(self, vendor: Vendor) -> &'static str {
        match self {
            Self::PyTorch if vendor == Vendor::Amd => {
                "Let PyTorch's caching allocator keep the memory: no `torch.cuda.empty_cache()` per step; where memory is nearly \
                 full, `PYTORCH_HIP_ALLOC_CONF=expandable_segments:True`"
            }
            Self::PyTorch if vendor != Vendor::Nvidia => {
                "Let PyTorch's caching allocator keep the memory: do not empty its cache per step"
            }
            Self::Other if vendor != Vendor::Nvidia => {
                "Take memory once and use it again, or take it from a pool"
            }
            Self::PyTorch => {
                "Let PyTorch's caching allocator keep the memory: no `torch.cuda.empty_cache()` per step; where memory is nearly \
                 full, `PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True`"
            }
            Self::CuPy => "Let CuPy's memory pool keep the memory: free no blocks between steps",
            Self::OpenAcc => {
                "Take memory once: put a `data` region around all compute regions, so that arrays stay on the GPU"
            }
            Self::OpenMp => {
                "Take memory once: put a `target data` region around all target regions, so that arrays stay on the GPU"
            }
            Self::TensorFlow | Self::Xla => "Take memory once: let the framework keep it from step to step",
            Self::Other => "Take memory once and use it again, or take it from a pool (`cudaMallocAsync`)",
        }
    }

    /// How to wait for the GPU less often, where the program waits after every launch.
    pub(super) fn fewer_waits(self) -> &'static str {
        match self {
            Self::PyTorch => {
                "Do not wait after every launch: remove `torch.cuda.synchronize()` between ops, and let waits for events \
                 replace it"
            }
            Self::OpenAcc => {
                "Do not wait after every launch, as compilers of OpenACC do by default: use `async`, and one `wait` at the end"
            }
            Self::OpenMp => {
                "Do not wait after every launch, as compilers of OpenMP do by default: use `nowait`, and one `taskwait` at the \
                 end"
            }
            Self::TensorFlow | Self::Xla | Self::CuPy | Self::Other => {
                "Do not wait after every launch: wait once, where the host needs a result"
            }
        }
    }

    /// How to copy an array at once that is copied row by row.
    pub(super) fn one_copy(self) -> &'static str {
        match self {
            Self::OpenAcc => {
                "Copy once: keep the rows of an array in one block of memory, and name the block in the data clause, such as \
                 `copyin(a[0:n*m])`; then one launch can work on all of them"
            }
            Self::OpenMp => {
                "Copy once: keep the rows of an array in one block of memory, and map the block, such as `map(to: a[0:n*m])`; \
                 then one launch can work on all of them"
            }
            Self::PyTorch | Self::TensorFlow | Self::Xla | Self::CuPy => {
                "Copy once: gather the parts in one array of the host and copy that; then one launch can work on all of them"
            }
            Self::Other => {
                "Copy once: keep the rows of an array in one block of memory and copy the block, or rows with space between \
                 them with `cudaMemcpy2DAsync`; then one launch can work on all of them"
            }
        }
    }

    /// How to wait less often where the program waits after every copy.
    pub(super) fn fewer_waits_for_copies(self) -> &'static str {
        match self {
            Self::OpenAcc => {
                "Do not wait after each copy, as compilers of OpenACC do by default. Copy once for many launches, and queue \
                 copies and launches with `async`, and one `wait` after the last"
            }
            Self::OpenMp => {
                "Do not wait after each copy, as compilers of OpenMP do by default. Copy once for many launches, and queue \
                 copies and launches with `nowait`, and one `taskwait` after the last"
            }
            _ => {
                "Do not wait after each copy: copy once for many launches, and wait once, after the last copy"
            }
        }
    }

    /// Whether its programs are mostly written in Python.
    pub(super) fn is_python(self) -> bool {
        matches!(self, Self::PyTorch | Self::TensorFlow | Self::Xla | Self::CuPy)
    }

    /// Whether it is one for deep learning.
    pub(super) fn trains_models(self) -> bool {
        matches!(self, Self::PyTorch | Self::TensorFlow | Self::Xla)
    }

    /// Whether a page is about this framework, or about none.
    pub(super) fn fits_link(self, link: &str) -> bool {
        match link {
            _ if link.contains("pytorch.org") => self == Self::PyTorch,
            _ if link.contains("tensorflow.org") => self == Self::TensorFlow,
            _ => true,
        }
    }
}

/// Kernels of each framework.
const MADE_BY: [(Framework, &str); 6] = [
    (
        Framework::PyTorch,
        r"\bat::(native|cuda)\b|\bc10::|\btorch::|\bpytorch_flash\b|^triton_(poi|per|red|tem|for)_|^fmha_cutlass[FB]_",
    ),
    (Framework::TensorFlow, r"\btensorflow::|\bEigenMetaKernel\b"),
    (Framework::Xla, r"^([a-z_]+_)?fusion(_\d+)*$|^wrapped_[a-z_]+$|\bxla::|^jit_"),
    (Framework::CuPy, r"^cupyx?_|\bcupy::"),
    (Framework::OpenAcc, r"_\d+_gpu(__red)?(\(|$)|\b__(pgi|nv)_uacc_"),
    (Framework::OpenMp, r"^__omp_offloading_|^nvkernel_.*_F\d+L\d+"),
];

static PATTERNS: LazyLock<RegexSet> = LazyLock::new(|| {
    let patterns = MADE_BY.map(|(_, pattern)| pattern);
    let set = RegexSetBuilder::new(patterns).unicode(false).build();
    set.expect("the patterns are constants, and a test compiles them")
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_real_kernels_tell_the_framework() {
        for (name, framework) in [
            ("void at::native::vectorized_elementwise_kernel<4>(int)", Framework::PyTorch),
            ("triton_poi_fused_add_3", Framework::PyTorch),
            ("void Eigen::internal::EigenMetaKernel<float, long>(float)", Framework::TensorFlow),
            ("loop_add_fusion_3", Framework::Xla),
            ("fusion", Framework::Xla),
            ("cupy_multiply__float32_float_float32", Framework::CuPy),
            ("main_42_gpu", Framework::OpenAcc),
            ("__pgi_uacc_cuda_fill_42_gpu", Framework::OpenAcc),
            ("__omp_offloading_31_18a8104__Z_1", Framework::OpenMp),
            ("nvkernel_main_F1L23_2", Framework::OpenMp),
            ("saxpy(int, float *)", Framework::Other),
            ("ampere_sgemm_128x64_tn", Framework::Other),
        ] {
            assert_eq!(Framework::of_kernels([name].into_iter()), framework, "{name}");
        }
    }

    #[test]
    fn pages_about_other_frameworks_do_not_fit() {
        assert!(!Framework::OpenAcc.fits_link("https://pytorch.org/docs/stable/optim.html"));
        assert!(Framework::PyTorch.fits_link("https://pytorch.org/docs/stable/optim.html"));
        assert!(
            Framework::OpenAcc.fits_link("https://developer.nvidia.com/DALI")
                && Framework::Other.fits_link("")
        );
    }
}
