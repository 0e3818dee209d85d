//! What may delimit iterations, and how likely.

use crate::time::Ns;
use serde::{Deserialize, Serialize};

/// Scores below this choose nothing.
pub const ACCEPTED: f64 = 0.6;

/// Scores from this on are good.
const HIGH: f64 = 0.75;

/// An op, range or kernel that may delimit iterations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Its name; for kernel sequences that of the kernel that begins one.
    pub name: String,
    /// Its executions on the thread that counts.
    pub executions: usize,
    /// What it is.
    pub kind: CandidateKind,
    /// Median interval between executions.
    pub interval_ns: Ns,
    /// Share of intervals within 35 % of the median, from 0 to 1.
    pub steadiness: f64,
    /// Share of the GPU time (without GPU work: of the CPU time of ops) in its intervals, from 0 to 1.
    pub coverage: f64,
    /// Share of intervals whose kernel count is near the median, from 0 to 1.
    pub regularity: f64,
    /// From 0 to 1; 0.6 is needed to be chosen.
    pub score: f64,
}

impl Candidate {
    /// How sure the finder is of it.
    #[must_use]
    pub fn confidence(&self) -> Confidence {
        Confidence::of_score(self.score)
    }
}

/// What a candidate is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum CandidateKind {
    /// An op.
    Op,
    /// An operator of `emit_nvtx`.
    Operator,
    /// A range of the user.
    Range,
    /// A repeated sequence of kernels.
    KernelSequence,
}

impl CandidateKind {
    /// The words for reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Op => "op",
            Self::Operator => "operator",
            Self::Range => "range",
            Self::KernelSequence => "kernel sequence",
        }
    }
}

/// How sure the finder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confidence {
    /// Nothing recurs steadily.
    Low,
    /// Something recurs, with doubts.
    Medium,
    /// Clear.
    High,
}

impl Confidence {
    /// The word for reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    /// What a score means.
    #[must_use]
    pub fn of_score(score: f64) -> Self {
        match score {
            score if score >= HIGH => Self::High,
            score if score >= ACCEPTED => Self::Medium,
            _ => Self::Low,
        }
    }
}
