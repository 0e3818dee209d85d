//! Who recorded a capture, and of whose GPUs: what decides which figures exist and in whose words advice speaks.

use serde::{Deserialize, Serialize};

/// The program that recorded a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum RecorderKind {
    /// Nsight Systems.
    #[default]
    Nsys,
    /// DLProf, which kept what Nsight Systems had recorded.
    Dlprof,
    /// torch.profiler.
    TorchProfiler,
    /// rocprofv3 of AMD.
    Rocprofv3,
    /// rocprof-sys of AMD.
    RocprofSys,
    /// rocmProfileData of AMD.
    Rpd,
    /// The profiler of XLA, which JAX and TensorFlow use.
    Xla,
}

impl RecorderKind {
    /// What people call the program.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Nsys => "nsys",
            Self::Dlprof => "DLProf",
            Self::TorchProfiler => "torch.profiler",
            Self::Rocprofv3 => "rocprofv3",
            Self::RocprofSys => "rocprof-sys",
            Self::Rpd => "rocmProfileData",
            Self::Xla => "the profiler of XLA",
        }
    }
}

/// Who makes the GPUs of a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Vendor {
    /// NVIDIA.
    #[default]
    Nvidia,
    /// AMD.
    Amd,
    /// Intel.
    Intel,
    /// Huawei: NPUs of the name Ascend.
    Ascend,
    /// Somebody else.
    Other,
    /// Nothing in the capture tells.
    Unknown,
}

/// Who recorded a capture, and of whose GPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Recorder {
    /// The program.
    pub kind: RecorderKind,
    /// Who makes the GPUs.
    pub vendor: Vendor,
}

impl Recorder {
    /// Whether the capture is a trace of torch.profiler.
    #[must_use]
    pub fn is_torch_profiler(self) -> bool {
        self.kind == RecorderKind::TorchProfiler
    }

    /// What is said of a capture of nsys, or of a trace of torch.profiler: each in words of its own.
    #[must_use]
    pub fn words<T>(self, of_nsys: T, of_trace: T) -> T {
        if self.is_torch_profiler() { of_trace } else { of_nsys }
    }
}

/// What a command of the maker of GPUs shows of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shows {
    /// Clocks, power and heat.
    State,
    /// How GPUs are linked.
    Links,
    /// The programs that use a GPU.
    Programs,
}

impl Vendor {
    /// Whose GPUs a function of a runtime or driver is for; none if its name does not tell.
    #[must_use]
    pub(crate) fn of_function(name: &str) -> Option<Self> {
        const PREFIXES: [(&str, Vendor); 9] = [
            ("hip", Vendor::Amd),
            ("hsa_", Vendor::Amd),
            ("cuda", Vendor::Nvidia),
            ("cu", Vendor::Nvidia),
            ("ur", Vendor::Intel),
            ("ze", Vendor::Intel),
            ("sycl", Vendor::Intel),
            ("pi", Vendor::Intel),
            ("acl", Vendor::Ascend),
        ];
        // `cuLaunchKernel`, `urQueueFinish`: a capital letter follows a short prefix, so that `custom` is none.
        let fits = |prefix: &str| {
            let rest = name.strip_prefix(prefix);
            rest.is_some_and(|rest| {
                prefix.len() > 2 || rest.starts_with(|next: char| next.is_ascii_uppercase())
            })
        };
        PREFIXES.iter().find(|(prefix, _)| fits(prefix)).map(|(_, vendor)| *vendor)
    }

    /// Who makes a GPU; none if its name does not tell.
    #[must_use]
    pub(crate) fn of_gpu(name: &str) -> Option<Self> {
        const BRANDS: [(&str, Vendor); 11] = [
            ("NVIDIA", Vendor::Nvidia),
            ("GeForce", Vendor::Nvidia),
            ("Tesla", Vendor::Nvidia),
            ("Quadro", Vendor::Nvidia),
            ("TITAN", Vendor::Nvidia),
            ("AMD", Vendor::Amd),
            ("Radeon", Vendor::Amd),
            ("Instinct", Vendor::Amd),
            ("Intel", Vendor::Intel),
            ("Ascend", Vendor::Ascend),
            ("MTIA", Vendor::Other),
        ];
        BRANDS.iter().find(|(brand, _)| name.contains(brand)).map(|(_, vendor)| *vendor)
    }

    /// Whose GPUs a kernel is for; none if its name does not tell: most names are those of frameworks.
    #[must_use]
    pub(crate) fn of_kernel(name: &str) -> Option<Self> {
        const PREFIXES: [(&str, Vendor); 10] = [
            ("nccl", Vendor::Nvidia),
            ("volta_", Vendor::Nvidia),
            ("turing_", Vendor::Nvidia),
            ("ampere_", Vendor::Nvidia),
            ("sm70_", Vendor::Nvidia),
            ("sm80_", Vendor::Nvidia),
            ("sm90_", Vendor::Nvidia),
            ("nvjet_", Vendor::Nvidia),
            ("Cijk_", Vendor::Amd),
            ("rccl", Vendor::Amd),
        ];
        PREFIXES.iter().find(|(prefix, _)| name.starts_with(prefix)).map(|(_, vendor)| *vendor)
    }

    /// The argument of `torch.profiler.profile` that records the GPUs as well.
    #[must_use]
    pub fn activities(self) -> &'static str {
        match self {
            Self::Nvidia | Self::Amd => "activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]",
            Self::Intel => "activities=[ProfilerActivity.CPU, ProfilerActivity.XPU]",
            Self::Ascend => "activities=[ProfilerActivity.CPU, ProfilerActivity.NPU]",
            Self::Other | Self::Unknown => "activities=torch.profiler.supported_activities()",
        }
    }

    /// What has to be allowed to trace the GPUs.
    #[must_use]
    pub fn tracer(self) -> &'static str {
        match self {
            Self::Nvidia => "CUPTI",
            Self::Amd => "ROCm",
            Self::Intel => "Level Zero",
            Self::Ascend => "CANN",
            Self::Other | Self::Unknown => "the profiler of the driver",
        }
    }

    /// The command that shows something of the GPUs, as words in brackets after a space; empty where none is known.
    pub(crate) fn command(self, shows: Shows) -> &'static str {
        match (self, shows) {
            (Self::Nvidia, Shows::State) => " (`nvidia-smi -q -d CLOCK,POWER,TEMPERATURE,PERFORMANCE`)",
            (Self::Nvidia, Shows::Links) => " (`nvidia-smi topo -m`)",
            (Self::Nvidia, Shows::Programs) => " (`nvidia-smi`)",
            (Self::Amd, Shows::State) => " (`amd-smi metric --clock --power --temperature`, or `rocm-smi`)",
            (Self::Amd, Shows::Links) => " (`amd-smi topology`, or `rocm-smi --showtopo`)",
            (Self::Amd, Shows::Programs) => " (`amd-smi process`, or `rocm-smi --showpids`)",
            (Self::Intel, Shows::State) => " (`xpu-smi stats`)",
            (Self::Intel, Shows::Links) => " (`xpu-smi topology -m`)",
            (Self::Intel, Shows::Programs) => " (`xpu-smi ps`)",
            (Self::Ascend, Shows::State | Shows::Programs) => " (`npu-smi info`)",
            (Self::Ascend, Shows::Links) => " (`npu-smi info -t topo`)",
            (Self::Other | Self::Unknown, _) => "",
        }
    }

    /// The program that measures what limits a kernel; none where none is known.
    pub(crate) fn kernel_profiler(self) -> Option<&'static str> {
        match self {
            Self::Nvidia => Some("Nsight Compute"),
            Self::Amd => Some("rocprofiler-compute"),
            Self::Intel | Self::Ascend | Self::Other | Self::Unknown => None,
        }
    }

    /// What people call the units that multiply matrices.
    #[must_use]
    pub fn matrix_units(self) -> &'static str {
        if self == Self::Nvidia { "Tensor Cores" } else { "matrix units" }
    }
}

#[cfg(test)]
mod tests {
    use super::{Shows, Vendor};

    #[test]
    fn functions_tell_whose_gpus_they_are_for() {
        for (name, vendor) in [
            ("cudaLaunchKernel", Some(Vendor::Nvidia)),
            ("cuLaunchKernelEx", Some(Vendor::Nvidia)),
            ("hipLaunchKernel", Some(Vendor::Amd)),
            ("hsa_amd_memory_async_copy", Some(Vendor::Amd)),
            ("urEnqueueKernelLaunchWithArgsExp", Some(Vendor::Intel)),
            ("zeCommandListAppendLaunchKernel", Some(Vendor::Intel)),
            ("piEnqueueKernelLaunch", Some(Vendor::Intel)),
            ("aclnnMatmul", Some(Vendor::Ascend)),
            ("current", None),
            ("zero_", None),
            ("url", None),
            ("runFunction", None),
        ] {
            assert_eq!(Vendor::of_function(name), vendor, "{name}");
        }
    }

    #[test]
    fn only_gpus_of_nvidia_are_spoken_of_in_its_words() {
        for vendor in [Vendor::Amd, Vendor::Intel, Vendor::Ascend, Vendor::Other, Vendor::Unknown] {
            let commands = [Shows::State, Shows::Links, Shows::Programs].map(|shows| vendor.command(shows));
            let other = [vendor.kernel_profiler().unwrap_or(""), vendor.tracer(), vendor.matrix_units()];
            for words in commands.into_iter().chain(other) {
                let of_nvidia = ["nvidia", "Nsight", "CUPTI", "Tensor Core", "CUDA"];
                assert!(!of_nvidia.iter().any(|word| words.contains(word)), "{vendor:?}: {words}");
            }
        }
        assert!(Vendor::Nvidia.command(Shows::Links).contains("nvidia-smi topo -m"));
    }

    #[test]
    fn names_of_gpus_tell_who_makes_them() {
        for (name, vendor) in [
            ("NVIDIA H100 80GB HBM3", Some(Vendor::Nvidia)),
            ("Tesla V100-SXM2-32GB", Some(Vendor::Nvidia)),
            ("AMD Instinct MI300X", Some(Vendor::Amd)),
            ("Intel(R) Data Center GPU Max 1550", Some(Vendor::Intel)),
            ("Ascend910B2", Some(Vendor::Ascend)),
            ("", None),
        ] {
            assert_eq!(Vendor::of_gpu(name), vendor, "{name}");
        }
    }
}
