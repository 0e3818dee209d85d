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
}

impl RecorderKind {
    /// What people call the program.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Nsys => "nsys",
            Self::Dlprof => "DLProf",
            Self::TorchProfiler => "torch.profiler",
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

    /// What people call the units that multiply matrices; none where nothing is known of them.
    #[must_use]
    pub fn matrix_units(self) -> Option<&'static str> {
        match self {
            Self::Nvidia => Some("Tensor Cores"),
            Self::Amd => Some("matrix units"),
            Self::Intel => Some("XMX units"),
            Self::Ascend => Some("cube units"),
            Self::Other | Self::Unknown => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Vendor;

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
