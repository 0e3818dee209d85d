//! The words of a recorder and of a maker of GPUs for what texts say in those of nsys and NVIDIA.
//!
//! Names that were recorded stay as they are: only whole words are replaced, and `CUDAFunctor_add` or `at::cuda` is no such word.

use super::{Recorder, RecorderKind, Vendor};
use std::borrow::Cow;

/// What records most, of rocprofv3.
const ROCPROF: &str =
    "rocprofv3 --hip-trace --kernel-trace --memory-copy-trace --marker-trace --output-format rocpd";

/// The same without the program and the form of its output.
const OPTIONS: &str = "--hip-trace --kernel-trace --memory-copy-trace --marker-trace";

/// Words, longer ones first, and those in their place, in which no character stands that JSON or CSV would have to quote.
type Words = &'static [(&'static str, &'static str)];

/// Commands and options of nsys for recordings with AMD's tools.
const OF_ROCPROF: Words = &[
    ("nsys profile --cuda-graph-trace=node", ROCPROF),
    ("nsys profile --trace=cuda,nvtx,osrt", ROCPROF),
    ("nsys profile --trace=cuda,nvtx", ROCPROF),
    ("nsys profile --trace=cuda", ROCPROF),
    ("--cuda-graph-trace=node", "--kernel-trace"),
    ("--trace=cuda,nvtx,osrt", OPTIONS),
    ("--trace=cuda,nvtx", OPTIONS),
    ("--trace=osrt", "--runtime-trace"),
    ("--sample=process-tree", "rocprof-sys --sample"),
    ("--gpu-metrics-devices=all", "--pmc"),
    ("--cuda-memory-usage=true", "--memory-allocation-trace"),
    ("--cuda-memory-usage", "--memory-allocation-trace"),
    ("nsys profile", "rocprofv3"),
    ("nsys export", "rocprofv3"),
    ("Nsight Systems", "rocprofv3"),
    ("nsys", "rocprofv3"),
    ("NVTX events", "roctx ranges"),
    ("NVTX", "roctx"),
];

/// The same for recordings with the profiler of XLA.
const OF_XLA: Words = &[
    ("nsys profile --cuda-graph-trace=node", "XLA_FLAGS=--xla_gpu_enable_command_buffer="),
    ("nsys profile --trace=cuda,nvtx,osrt", "jax.profiler.trace('logs')"),
    ("nsys profile --trace=cuda,nvtx", "jax.profiler.trace('logs')"),
    ("nsys profile --trace=cuda", "jax.profiler.trace('logs')"),
    ("--trace=cuda,nvtx,osrt", "jax.profiler.trace('logs')"),
    ("--trace=cuda,nvtx", "jax.profiler.trace('logs')"),
    ("nsys profile", "jax.profiler.trace"),
    ("nsys export", "jax.profiler.trace"),
    ("Nsight Systems", "the profiler of XLA"),
    ("nsys", "the profiler of XLA"),
    ("NVTX ranges", "ranges (`jax.named_scope`)"),
    ("NVTX range", "range (`jax.named_scope`)"),
    ("NVTX", "`jax.named_scope`"),
];

/// Words of NVIDIA for GPUs of AMD.
const OF_AMD: Words = &[
    ("nvidia-smi -q -d CLOCK,POWER,TEMPERATURE,PERFORMANCE", "amd-smi metric --clock --power --temperature"),
    ("nvidia-smi -q -d CLOCK,PERFORMANCE", "amd-smi metric --clock"),
    ("nvidia-smi topo -m", "amd-smi topology"),
    ("nvidia-smi", "amd-smi process"),
    ("Nsight Compute", "rocprof-compute"),
    ("dlprof-agg ncu --suggest", "rocprof-compute profile"),
    ("dlprof-agg ncu", "rocprof-compute profile"),
    ("ncu", "rocprof-compute"),
    ("CUPTI", "rocprofiler"),
    ("CUDA graphs", "HIP graphs"),
    ("CUDA streams", "streams"),
    ("CUDA stream", "stream"),
    ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"),
    ("CUDA", "HIP"),
    (", or load on the GPU with NVIDIA DALI: https://developer.nvidia.com/DALI", ""),
    ("Tensor Core matrix math", "matrix math"),
    ("Tensor Cores", "matrix units"),
    ("Tensor Core", "matrix unit"),
    ("streaming multiprocessors", "compute units"),
    ("streaming multiprocessor", "compute unit"),
    ("multiprocessors", "compute units"),
    ("multiprocessor", "compute unit"),
    ("SMs", "CUs"),
    ("SM", "CU"),
    ("warps", "waves"),
    ("warp", "wave"),
    ("Warps", "Waves"),
    ("cuBLAS", "hipBLASLt"),
    ("cuDNN", "MIOpen"),
    ("matrix unit matrix math", "matrix math"),
    ("NSys Version", "Recorder Version"),
];

/// The same for GPUs of makers of whose tools nothing is said.
const OF_OTHERS: Words = &[
    ("CUDA graphs", "graphs"),
    ("CUDA graph", "graph"),
    ("CUDA Graph", "Graph"),
    ("CUDA Version", "Runtime Version"),
    ("CUDA", "the runtime"),
    ("cuDNN Version", "Library Version"),
    ("cuDNN", "the library of layers"),
    ("NSys Version", "Recorder Version"),
    ("Tensor Core matrix math", "matrix math"),
    ("Tensor Cores", "matrix units"),
    ("Tensor Core", "matrix unit"),
    ("SMs", "compute units"),
    ("SM", "Compute Unit"),
    ("warps", "waves"),
    ("warp", "wave"),
];

impl Recorder {
    /// A text in the words of this recorder and of the maker of its GPUs.
    #[must_use]
    pub fn in_its_words<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.has_own_words() { self.title_in_its_words(text) } else { text.into() }
    }

    /// A title of a column, or what it means, in the words of this recorder and of the maker of its GPUs: those of traces of
    /// torch.profiler too, whose other texts are written for each maker.
    #[must_use]
    pub fn title_in_its_words<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let of_tool = match self.kind {
            RecorderKind::Rocprofv3 | RecorderKind::RocprofSys | RecorderKind::Rpd => OF_ROCPROF,
            RecorderKind::Xla => OF_XLA,
            RecorderKind::Nsys | RecorderKind::Dlprof | RecorderKind::TorchProfiler => &[],
        };
        let of_gpus = match self.vendor {
            Vendor::Amd => OF_AMD,
            Vendor::Intel | Vendor::Ascend | Vendor::Other => OF_OTHERS,
            Vendor::Nvidia | Vendor::Unknown => &[],
        };
        let text = of_tool.iter().chain(of_gpus).fold(Cow::Borrowed(text), |text, (word, instead)| {
            if text.contains(word) { replaced(&text, word, instead).into() } else { text }
        });
        if self.vendor == Vendor::Amd && text.contains("cuda") { of_hip(&text).into() } else { text }
    }

    /// Whether texts are in other words than those of nsys and NVIDIA.
    #[must_use]
    pub fn has_own_words(&self) -> bool {
        !matches!(self.kind, RecorderKind::Nsys | RecorderKind::Dlprof | RecorderKind::TorchProfiler)
    }
}

/// Whether a letter is part of a name beside it.
fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | ':')
}

/// A text with a whole word replaced.
fn replaced(text: &str, word: &str, instead: &str) -> String {
    let mut found = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(word) {
        let (before, behind) = (&rest[..at], &rest[at + word.len()..]);
        let joins = |letter: Option<char>| letter.is_some_and(is_of_name);
        // A colon ends a clause, two of them are part of a name.
        let joins_behind =
            joins(behind.chars().next().filter(|&letter| letter != ':')) || behind.starts_with("::");
        found.push_str(before);
        found.push_str(if joins(before.chars().next_back()) || joins_behind { word } else { instead });
        rest = behind;
    }
    found + rest
}

/// A text with functions of CUDA's runtime as those of HIP: `cudaMalloc` is `hipMalloc`.
fn of_hip(text: &str) -> String {
    let mut found = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("cuda") {
        let (before, behind) = (&rest[..at], &rest[at + "cuda".len()..]);
        let is_function = behind.starts_with(|next: char| next.is_ascii_uppercase())
            && !before.chars().next_back().is_some_and(is_of_name);
        found.push_str(before);
        found.push_str(if is_function { "hip" } else { "cuda" });
        rest = behind;
    }
    found + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_are_replaced_and_names_stay() {
        let of_amd = Recorder { kind: RecorderKind::Rocprofv3, vendor: Vendor::Amd };
        for (text, expected) in [
            (
                "capture with `nsys profile --trace=cuda,nvtx`",
                "capture with `rocprofv3 --hip-trace --kernel-trace --memory-copy-trace --marker-trace --output-format rocpd`",
            ),
            ("add NVTX ranges around it.", "add roctx ranges around it."),
            ("a call of cudaMalloc (CUDA): SMs idle", "a call of hipMalloc (HIP): CUs idle"),
            (
                "at::native::CUDAFunctor_add at::CUDA::SM x_SM_ torch.cuda.synchronize",
                "at::native::CUDAFunctor_add at::CUDA::SM x_SM_ torch.cuda.synchronize",
            ),
            ("softmax_warp_forward, warps", "softmax_warp_forward, waves"),
            ("sm_count tensor_cores Tensor Cores", "sm_count tensor_cores matrix units"),
        ] {
            assert_eq!(of_amd.in_its_words(text), expected);
        }
        let of_jax = Recorder { kind: RecorderKind::Xla, vendor: Vendor::Nvidia };
        assert_eq!(
            of_jax.in_its_words("NVTX ranges, CUDA, cudaMalloc"),
            "ranges (`jax.named_scope`), CUDA, cudaMalloc"
        );
        let all = OF_ROCPROF.iter().chain(OF_XLA).chain(OF_AMD);
        assert!(all.into_iter().all(|(_, instead)| !instead.contains(['"', '\\', '\n'])));
        let text = "nsys, NVTX, CUDA";
        assert!(matches!(Recorder::default().in_its_words(text), Cow::Borrowed(same) if same == text));
    }
}
