//! Whether a capture shows inference, training, or both: by what can only be there then.

use crate::base::ids::StrId;
use crate::capture::CaptureContents;
use crate::capture::names::ByName;
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
    /// Ranges that PyTorch writes in training only: updates of an optimizer, nodes of the backward pass.
    pub sure_ranges: u64,
    /// Ranges that training programs write by custom.
    pub training_ranges: u64,
    /// Kernels of an optimizer or a gradient.
    pub training_kernels: u64,
    /// Kernels that servers use, and scripts too: a hint.
    pub serving_kernels: u64,
}

impl WorkloadEvidence {
    /// What follows from it.
    #[must_use]
    pub fn workload(&self) -> Workload {
        let trains = self.sure_ranges > 0 || self.training_ranges > 0 && self.training_kernels > 0;
        match (self.step_marks > 0, trains) {
            (true, true) => Workload::Both,
            (true, false) => Workload::Inference,
            (false, true) => Workload::Training,
            (false, false) => Workload::Unknown,
        }
    }
}

fn expression(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is a constant, and a test compiles it")
}

static SURE: LazyLock<Regex> =
    LazyLock::new(|| expression(r"^Optimizer\.step#|^autograd::engine::evaluate_function"));

static CUSTOM: LazyLock<Regex> = LazyLock::new(|| {
    expression(r"^DistributedDataParallel\.forward|^backward$|^optimizer$|^optimizer_step$|loss\.backward")
});

/// Only the functor tells: `multi_tensor_apply_kernel` runs in servers too.
static TRAINING_KERNEL: LazyLock<Regex> = LazyLock::new(|| {
    expression(r"(?i)FusedOptimizer|FusedAdam|AdamFunctor|LambStage|SGDFunctor|_backward_kernel|_bwd_|wgrad")
});

static SERVING_KERNEL: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)paged_attention|reshape_and_cache|unified_attention|PagedKVCache|store_cache|flash_fwd_splitkv|fmha_.*paged",
    )
});

/// What a capture shows, given the number of its engine steps.
pub(super) fn evidence(capture: &CaptureContents, steps: usize) -> WorkloadEvidence {
    let text_of = |at: usize| capture.strings.get(capture.ranges.texts[at].text);
    let texts = 0..capture.ranges.texts.len();
    let is_sure: Vec<bool> = texts.clone().map(|at| SURE.is_match(text_of(at))).collect();
    let is_custom: Vec<bool> = texts.map(|at| CUSTOM.is_match(text_of(at))).collect();
    let ranges = || capture.ranges.lists().flat_map(|list| list.text.iter());
    let count = |is: &[bool]| ranges().filter(|text| is[text.index()]).count() as u64;
    let kernels = |pattern: &'static Regex| {
        let matches = ByName::new(&capture.strings, |name| pattern.is_match(name));
        capture.kernels.long_name.iter().filter(|&&name: &&StrId| matches.get(name)).count() as u64
    };
    WorkloadEvidence {
        step_marks: steps as u64,
        sure_ranges: count(&is_sure),
        training_ranges: count(&is_custom),
        training_kernels: kernels(&TRAINING_KERNEL),
        serving_kernels: kernels(&SERVING_KERNEL),
    }
}
