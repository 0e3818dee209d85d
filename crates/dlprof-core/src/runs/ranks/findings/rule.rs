//! The rules of jobs, and what one of them found.

use super::super::causes::LagCause;
use super::super::step_scale::StepScale;
use crate::advice::{Measure, Sentence};
use crate::base::diagnostics::Severity;
use crate::read::facts::{Shows, Vendor};
use crate::steps::iterate::Confidence;

/// A rule about a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JobRule {
    /// The GPU of a rank is slow.
    SlowGpu,
    /// A rank has more to compute.
    ExtraWork,
    /// Some kernels of a rank are slow.
    SlowKernels,
    /// The input of a rank comes late.
    LateInput,
    /// The host of a rank launches late.
    LateHost,
    /// The copies of a rank are slow.
    SlowCopies,
    /// The host of a rank waits.
    HostWaits,
    /// The exchange of a rank takes longer.
    SlowTransfer,
    /// A rank is slow for several reasons, or for none that is known.
    SlowRank,
    /// Several ranks lag, and what they cost together.
    SlowRanks,
    /// A communicator is slower than others like it.
    SlowLink,
    /// All ranks of a node lag.
    SlowNode,
    /// A stage of the pipeline has more to do.
    StageImbalance,
    /// A rank is late in some iterations.
    IntermittentRank,
    /// Another rank is slowest in each iteration.
    UnevenSteps,
    /// Ranks wait for other stages.
    PipelineBubbles,
    /// Exchange that nothing hides.
    ExposedTransfer,
    /// Ranks have no capture.
    MissingRanks,
    /// Ranks have different hardware or software.
    RanksDiffer,
    /// Collectives of a rank match no others.
    CollectivesUnmatched,
    /// Clocks rest on UTC.
    ClocksNotAligned,
    /// Records of a rank are missing.
    MissingRecords,
}

impl JobRule {
    /// All rules, in the order in which they are listed.
    pub const ALL: [Self; 22] = [
        Self::SlowGpu,
        Self::ExtraWork,
        Self::SlowKernels,
        Self::LateInput,
        Self::LateHost,
        Self::SlowCopies,
        Self::HostWaits,
        Self::SlowTransfer,
        Self::SlowRank,
        Self::SlowRanks,
        Self::SlowLink,
        Self::SlowNode,
        Self::StageImbalance,
        Self::IntermittentRank,
        Self::UnevenSteps,
        Self::PipelineBubbles,
        Self::ExposedTransfer,
        Self::MissingRanks,
        Self::RanksDiffer,
        Self::CollectivesUnmatched,
        Self::ClocksNotAligned,
        Self::MissingRecords,
    ];

    /// The word in tables and files.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::SlowGpu => "slow_gpu",
            Self::ExtraWork => "extra_work",
            Self::SlowKernels => "slow_kernels",
            Self::LateInput => "late_input",
            Self::LateHost => "late_host",
            Self::SlowCopies => "slow_copies",
            Self::HostWaits => "host_waits",
            Self::SlowTransfer => "slow_transfer",
            Self::SlowRank => "slow_rank",
            Self::SlowRanks => "slow_ranks",
            Self::SlowLink => "slow_link",
            Self::SlowNode => "slow_node",
            Self::StageImbalance => "stage_imbalance",
            Self::IntermittentRank => "intermittent_rank",
            Self::UnevenSteps => "uneven_steps",
            Self::PipelineBubbles => "pipeline_bubbles",
            Self::ExposedTransfer => "exposed_transfer",
            Self::MissingRanks => "missing_ranks",
            Self::RanksDiffer => "ranks_differ",
            Self::CollectivesUnmatched => "collectives_unmatched",
            Self::ClocksNotAligned => "clocks_not_aligned",
            Self::MissingRecords => "missing_records",
        }
    }

    /// What it finds, in one sentence.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::SlowGpu => {
                "A rank lags because its GPU is slow: nearly all kernels take longer by one factor."
            }
            Self::ExtraWork => "A rank lags because it launches more than the others.",
            Self::SlowKernels => "A rank lags because some of its kernels take longer.",
            Self::LateInput => "A rank lags because its GPU waits for input.",
            Self::LateHost => "A rank lags because its host launches late.",
            Self::SlowCopies => "A rank lags because of copies that nothing hides.",
            Self::HostWaits => "A rank lags because its host waits for the GPU.",
            Self::SlowTransfer => "A rank lags because its exchange of data takes longer.",
            Self::SlowRank => "A rank lags for several reasons, or for none that is known.",
            Self::SlowRanks => "Several ranks lag: what it costs that others wait for any of them.",
            Self::SlowLink => "A communicator is slower than others like it.",
            Self::SlowNode => "Nearly all ranks of a node lag.",
            Self::StageImbalance => "A stage of the pipeline has more to do than the others.",
            Self::IntermittentRank => "A rank is late in some iterations.",
            Self::UnevenSteps => "In each iteration another rank is the slowest.",
            Self::PipelineBubbles => "Ranks wait for other stages of the pipeline.",
            Self::ExposedTransfer => "Data is exchanged while nothing else runs.",
            Self::MissingRanks => "Ranks of the job have no capture with GPU work, or one that ends early.",
            Self::RanksDiffer => "Ranks have different hardware or software.",
            Self::CollectivesUnmatched => "Collectives of a rank match none of the others.",
            Self::ClocksNotAligned => "Clocks rest on UTC, not on collectives.",
            Self::MissingRecords => "Captures of ranks mislead, because records of GPU work are missing.",
        }
    }

    /// The rule for a rank that lags for a reason.
    pub(super) fn of(cause: LagCause) -> Self {
        match cause {
            LagCause::SlowGpu => Self::SlowGpu,
            LagCause::MoreWork => Self::ExtraWork,
            LagCause::SlowKernels => Self::SlowKernels,
            LagCause::LateInput => Self::LateInput,
            LagCause::LateHost => Self::LateHost,
            LagCause::SlowCopies => Self::SlowCopies,
            LagCause::SlowLink => Self::SlowTransfer,
            LagCause::HostWaits => Self::HostWaits,
            LagCause::Mixed | LagCause::Unexplained => Self::SlowRank,
        }
    }

    /// Whether it is about one rank that lags.
    #[must_use]
    pub fn is_about_a_laggard(self) -> bool {
        self <= Self::SlowRank
    }

    /// Whether it says something only where there are steps enough to tell lag from noise.
    #[must_use]
    pub fn needs_lag(self) -> bool {
        self.is_about_a_laggard()
            || matches!(
                self,
                Self::SlowRanks
                    | Self::SlowNode
                    | Self::StageImbalance
                    | Self::IntermittentRank
                    | Self::UnevenSteps
            )
    }

    /// What to do, without the command for the capture.
    #[must_use]
    pub fn advice(self) -> &'static str {
        match self {
            Self::SlowGpu => {
                "Check clocks, power cap and temperature of this GPU (nvidia-smi -q -d CLOCK,PERFORMANCE); swap it out."
            }
            Self::ExtraWork => {
                "Balance the work: this rank launches more than the others (tokens, experts, layers). `show rank_ops` says which \
                 ops."
            }
            Self::SlowKernels => {
                "Compare these kernels with those of another rank: shapes, memory errors, a neighbour on the GPU. `show rank_ops` \
                 says which ops."
            }
            Self::LateInput => "Look at the loader, the shard and the storage of this rank.",
            Self::LateHost => {
                "Look at what the host of this rank does: CPU binding, neighbours, logging on one rank only."
            }
            Self::SlowCopies => {
                "Compare the copies of this rank with those of another: pinned memory, PCIe link."
            }
            Self::HostWaits => {
                "Look for waits of this rank that the others do not have, such as reading a loss."
            }
            Self::SlowTransfer => {
                "Look at the links of this rank: nccl-tests, a NIC or NVLink that runs degraded."
            }
            Self::SlowRank => "Compare this rank with another one, capture by capture.",
            Self::SlowRanks => {
                "Mend all of these ranks: while one of them lags, the others wait for it. The findings about each say how."
            }
            Self::SlowLink => {
                "Test the links of these ranks with nccl-tests; look for a NIC or NVLink that runs degraded, and at the placement."
            }
            Self::SlowNode => {
                "Compare power cap, cooling, driver and neighbours of this node with another one; drain it."
            }
            Self::StageImbalance => "Move layers to the other stages; the last stage also computes the loss.",
            Self::IntermittentRank => {
                "Look at these iterations of this rank: garbage collection, checkpoints, a neighbour."
            }
            Self::UnevenSteps => "Make batches even: sort or pack by length, balance tokens per rank.",
            Self::PipelineBubbles => {
                "Use more microbatches or interleaved stages; a share of (stages − 1) ÷ (microbatches + stages − 1) is unavoidable."
            }
            Self::ExposedTransfer => "Overlap it with compute; use larger buckets; check the links.",
            Self::MissingRanks => {
                "Capture every rank to the end: these may be the slow ones, and waiting for them counts as exchange of data."
            }
            Self::RanksDiffer => "Compare like with like: `show ranks` lists them.",
            Self::CollectivesUnmatched => {
                "Look for another code path on this rank, or for records that were lost (`check`)."
            }
            Self::ClocksNotAligned => "Record a collective of all ranks, or trust pictures to 10 ms only.",
            Self::MissingRecords => {
                "Record these ranks again (`check` says what is missing and why): what is missing looks faster than it is."
            }
        }
    }
}

impl JobRule {
    /// What to do, in the words of who makes the GPUs.
    pub(super) fn advice_for(self, vendor: Vendor) -> String {
        let (tests, links) = match vendor {
            Vendor::Nvidia => return self.advice().to_owned(),
            Vendor::Amd => ("rccl-tests", "xGMI link"),
            _ => ("a test of collectives alone", "link between GPUs"),
        };
        let command = vendor.command(Shows::State);
        let advice = self.advice().replace(" (nvidia-smi -q -d CLOCK,PERFORMANCE)", command);
        advice.replace("nccl-tests", tests).replace("NVLink", links)
    }
}

/// What a rule found.
#[derive(Debug, Clone, PartialEq)]
pub struct JobFinding {
    /// The rule.
    pub rule: JobRule,
    /// How much it matters.
    pub severity: Severity,
    /// How sure it is.
    pub confidence: Confidence,
    /// The ranks that it is about.
    pub ranks: Vec<i64>,
    /// What was found, without a capital letter.
    pub title: Sentence,
    /// What to do, in whole sentences.
    pub advice: String,
    /// What a replay says that it would save per step; none where nothing is replayed.
    pub saving_ns: Option<f64>,
    /// What cannot be exceeded.
    pub saving_upper_ns: Option<f64>,
    /// What the rule measured, by name.
    pub figures: Vec<(&'static str, Measure)>,
}

impl JobFinding {
    pub(super) fn new(
        rule: JobRule,
        confidence: Confidence,
        ranks: Vec<i64>,
        title: impl Into<Sentence>,
    ) -> Self {
        Self {
            rule,
            severity: Severity::Warning,
            confidence,
            ranks,
            title: title.into(),
            advice: rule.advice().to_owned(),
            saving_ns: None,
            saving_upper_ns: None,
            figures: Vec::new(),
        }
    }

    pub(super) fn error(self) -> Self {
        Self { severity: Severity::Error, ..self }
    }

    pub(super) fn note(self) -> Self {
        Self { severity: Severity::Note, ..self }
    }

    pub(super) fn advises(self, advice: &str) -> Self {
        Self { advice: advice.to_owned(), ..self }
    }

    pub(super) fn saves(self, expected_ns: Option<f64>, upper_ns: Option<f64>) -> Self {
        Self { saving_ns: expected_ns, saving_upper_ns: upper_ns, ..self }
    }

    pub(super) fn figure(mut self, name: &'static str, measure: Measure) -> Self {
        self.figures.push((name, measure));
        self
    }

    /// With a command that shows more.
    pub(super) fn command(mut self, command: &str) -> Self {
        self.advice = format!("{} See `{command}`.", self.advice);
        self
    }

    /// What was found, with times in milliseconds, as in data files.
    #[must_use]
    pub fn title_in_ms(&self) -> String {
        self.title.text(|ns| format!("{:.2} ms", ns / 1e6))
    }

    /// What a replay says that it would save, or else what it cannot exceed, unless that is less than half of what is shown of
    /// times of the job.
    #[must_use]
    pub fn saves_something(&self, times: StepScale) -> bool {
        self.saving_ns.or(self.saving_upper_ns).is_some_and(|ns| 2.0 * ns >= times.least_shown_ns())
    }

    /// What findings are ranked by: a saving of 0 by replay is known to be 0.
    pub(in crate::runs::ranks) fn weight(&self) -> f64 {
        self.saving_ns.or(self.saving_upper_ns).unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{JobRule, Vendor};

    #[test]
    fn commands_are_those_of_the_maker_of_the_gpus() {
        let advice = |rule: JobRule, vendor| rule.advice_for(vendor);
        assert!(advice(JobRule::SlowGpu, Vendor::Nvidia).contains("nvidia-smi"));
        assert!(advice(JobRule::SlowGpu, Vendor::Amd).contains("amd-smi metric"));
        for vendor in [Vendor::Amd, Vendor::Intel, Vendor::Ascend, Vendor::Other, Vendor::Unknown] {
            for rule in JobRule::ALL {
                let advice = advice(rule, vendor);
                let is_of_nvidia = ["nvidia", "NVLink", "nccl"].iter().any(|word| advice.contains(word));
                assert!(!is_of_nvidia, "{advice}");
            }
        }
    }
}
