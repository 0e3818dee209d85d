//! The changes of a program that stand for the advice of a finding.

use crate::replay::{Edit, KernelsOf};
use std::borrow::Cow;

/// The changes of a program that stand for the advice of a finding: what is likely, and what cannot be exceeded.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Edits {
    /// What is likely; none where that is what the rule reckons, as far as it is no more than the most.
    pub(super) expected: Vec<Edit>,
    /// The most that can be had; none where that is what the rule reckons.
    pub(super) at_most: Vec<Edit>,
    /// Whether what the rule reckons as the most is measured and cannot be exceeded either.
    pub(super) is_within_reckoned: bool,
    /// What they are, as the start of a sentence.
    pub(super) basis: Cow<'static, str>,
}

impl Edits {
    /// Each two kernels that follow one another are one, which takes so much of the time of both.
    pub(super) fn fused(of: KernelsOf, times: f64, basis: impl Into<Cow<'static, str>>) -> Self {
        Self {
            expected: vec![Edit::fused_kernels(of.clone(), 2, times)],
            at_most: vec![Edit::fused_kernels(of, usize::MAX, 0.0)],
            is_within_reckoned: false,
            basis: basis.into(),
        }
    }

    /// What is likely, and no more than that.
    pub(super) fn likely_all(edits: Vec<Edit>, basis: &'static str) -> Self {
        Self { expected: edits.clone(), ..Self::most(edits, basis) }
    }

    /// The most that can be had; nothing says how much of it.
    pub(super) fn most(edits: Vec<Edit>, basis: &'static str) -> Self {
        Self { expected: Vec::new(), at_most: edits, is_within_reckoned: false, basis: basis.into() }
    }

    /// The host does not wait for the GPU inside of iterations.
    pub(super) fn without_waits() -> Self {
        Self {
            expected: vec![Edit::without_waits_inside()],
            at_most: vec![Edit::without_waiting_calls()],
            is_within_reckoned: false,
            basis: "Calls that wait for the GPU are not made, but the last one of each iteration; at most that one neither".into(),
        }
    }

    /// The host launches once between two waits.
    pub(super) fn launches_as_one() -> Self {
        Self {
            expected: vec![Edit::launches_as_one()],
            at_most: vec![Edit::launches_as_one_at_most()],
            is_within_reckoned: false,
            basis: "The launches between two waits of the host as one, with gaps under 1 ms between them; at most with all gaps"
                .into(),
        }
    }
}
