//! Findings: the problems that the expert system finds in a profile, and what to change.
//!
//! The detectors, their conditions and their order are DLProf's, as far as they are known. The texts are ours.
//! Thresholds that DLProf never published are constants here, with their reasons.

mod rules;
mod sentence;

pub use sentence::{Figure, Sentence};

use crate::profile::Profile;

/// A problem and what to do about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Stable name of the detector.
    pub id: &'static str,
    /// What was found, with its figures.
    pub problem: Sentence,
    /// What to change.
    pub recommendation: Sentence,
}

/// Runs all detectors, in order.
#[must_use]
pub fn detect(profile: &Profile) -> Vec<Finding> {
    rules::RULES.iter().filter_map(|rule| rule(profile)).collect()
}
