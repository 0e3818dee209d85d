//! What rules ask for that not every input has. On an input without it they would be silent, or wrong.

use crate::figures::profile::ProfileContents;

/// What a rule asks for beyond ops, kernels and copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// CUDA graphs told from kernels.
    Graphs,
    /// API calls outside ops, and calls of the operating system.
    HostCalls,
    /// The kind of host memory of copies.
    HostMemory,
    /// Registers and shared memory of kernels.
    KernelResources,
    /// Messages of nsys.
    Messages,
    /// Records about the profiler.
    ProfilerRecords,
    /// Ranges that are no ops.
    Ranges,
    /// Streams.
    Streams,
}

impl Need {
    /// Why the input of a profile does not have it; `None` if it does.
    pub(super) fn missing(self, profile: &ProfileContents) -> Option<&'static str> {
        profile.capture.description.dlprof.as_ref()?;
        Some(match self {
            Self::Graphs => "a DLProf database does not tell graphs from kernels",
            Self::HostCalls => {
                "a DLProf database has neither API calls outside ops nor calls of the operating system, so causes of idle \
                 time are incomplete"
            }
            Self::HostMemory => "a DLProf database does not have the kind of host memory of copies",
            Self::KernelResources => {
                "a DLProf database does not have the registers and shared memory of kernels"
            }
            Self::Messages => "a DLProf database has no messages of nsys",
            Self::ProfilerRecords => "a DLProf database has no records about the profiler",
            Self::Ranges => "a DLProf database has no ranges but its ops",
            Self::Streams => "a DLProf database has no streams",
        })
    }
}
