//! What a user may ask for: which iterations, on which clock, by whose rules.

use crate::base::Error;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Which iterations to aggregate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RangeChoice {
    /// First iteration to aggregate; as `otherwise` says if not given.
    pub iter_start: Option<u32>,
    /// Last iteration to aggregate, inclusive; as `otherwise` says if not given.
    pub iter_stop: Option<u32>,
    /// What is aggregated if no numbers are given.
    pub otherwise: DefaultRange,
    /// The clock of durations and shares.
    pub clock: ClockChoice,
    /// Whose rules say what a window is and which GPUs count.
    pub rules: FigureRules,
    /// Items, such as samples or images, that an iteration handles; `None` if not known.
    pub batch_size: Option<u32>,
}

/// The clock of durations and shares.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClockChoice {
    /// The GPU's where more work is launched than fits into the iterations on the CPU, else the CPU's.
    #[default]
    Auto,
    /// The CPU's.
    Cpu,
    /// The GPU's.
    Gpu,
}

/// Whose rules say what a window is and which GPUs count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FigureRules {
    /// Ours: the clock on which the work runs, the GPU span without iterations, shares of the GPUs that are used.
    #[default]
    Ours,
    /// DLProf's: the clock of the CPU, the whole capture, shares of all GPUs of the machine.
    Dlprof,
}

/// Which iterations are aggregated if no numbers are given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DefaultRange {
    /// The longest run of steady ones if there is one of at least three, else all.
    Auto,
    /// The same, and a diagnostic says so where there is no such run.
    Steady,
    /// All of them, and what lies between.
    #[default]
    All,
}

impl From<RangeInclusive<u32>> for RangeChoice {
    fn from(range: RangeInclusive<u32>) -> Self {
        Self { iter_start: Some(*range.start()), iter_stop: Some(*range.end()), ..Self::default() }
    }
}

impl RangeChoice {
    /// All iterations by DLProf's rules, as its reports have them.
    #[must_use]
    pub fn dlprof() -> Self {
        Self { rules: FigureRules::Dlprof, ..Self::default() }
    }

    /// Checks what can be checked without a capture.
    ///
    /// # Errors
    /// If the range ends before it starts.
    pub fn check(&self) -> Result<(), Error> {
        match (self.iter_start, self.iter_stop) {
            (Some(start), Some(stop)) if start > stop => Err(Error::ReversedRange { start, stop }),
            _ => Ok(()),
        }
    }
}
