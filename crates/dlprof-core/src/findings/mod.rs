//! Findings: what the expert system sees in a profile, and what to change.
//!
//! The detectors, their conditions and their order are DLProf's, as far as they are known; the words are ours.
//! Thresholds that DLProf never published are constants here, with their reasons.

mod rules;

use crate::aggregate::Profile;

/// A problem and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Stable name of the detector.
    pub id: &'static str,
    /// What was found, with its figures.
    pub problem: String,
    /// What to change.
    pub recommendation: String,
}

/// Runs every detector, in order.
#[must_use]
pub(crate) fn detect(profile: &Profile<'_>) -> Vec<Finding> {
    rules::RULES.iter().filter_map(|rule| rule(profile)).collect()
}
