//! Whether a capture shows inference, training, or both: by what can only be there then.

use crate::capture::CaptureContents;
use crate::capture::training::{TrainingSigns, kernels_like, training_signs};
use regex::Regex;
use std::sync::LazyLock;

/// What a capture shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Workload {
    /// A server: it has step marks.
    Inference,
    /// Training: an optimizer, or gradients.
    Training,
    /// Both, such as reinforcement learning.
    Both,
    /// Neither can be seen.
    Unknown,
}

impl Workload {
    /// The word for reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Inference => "inference",
            Self::Training => "training",
            Self::Both => "both",
            Self::Unknown => "unknown",
        }
    }

    /// Whether advice that exists in training only may be given.
    #[must_use]
    pub fn trains(self) -> bool {
        matches!(self, Self::Training | Self::Both)
    }

    /// Whether the capture is of a server.
    #[must_use]
    pub fn serves(self) -> bool {
        matches!(self, Self::Inference | Self::Both)
    }
}

/// What shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WorkloadEvidence {
    /// Steps of servers, over all threads.
    pub step_marks: u64,
    /// What shows training.
    pub(crate) training: TrainingSigns,
    /// Kernels that servers use, and scripts too: a hint.
    pub serving_kernels: u64,
}

impl WorkloadEvidence {
    /// What follows from it.
    #[must_use]
    pub fn workload(&self) -> Workload {
        match (self.step_marks > 0, self.training.trains()) {
            (true, true) => Workload::Both,
            (true, false) => Workload::Inference,
            (false, true) => Workload::Training,
            (false, false) => Workload::Unknown,
        }
    }
}

static SERVING_KERNEL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)paged_attention|reshape_and_cache|unified_attention|PagedKVCache|store_cache|flash_fwd_splitkv|fmha_.*paged",
    )
    .expect("the pattern is a constant, and a test compiles it")
});

/// What a capture shows, given the number of its engine steps.
pub(super) fn evidence(capture: &CaptureContents, steps: usize) -> WorkloadEvidence {
    WorkloadEvidence {
        step_marks: steps as u64,
        training: training_signs(capture),
        serving_kernels: kernels_like(capture, &SERVING_KERNEL),
    }
}
