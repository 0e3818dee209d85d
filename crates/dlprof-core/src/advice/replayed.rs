//! Savings that a replay of the iterations decides.
//!
//! ```text
//! finding ─ Edits { expected, at_most } ─ replay ─► Saving
//! ```
//!
//! A rule states what its advice changes: what becomes of which kernels, waits or launches. How much shorter the iterations are then
//! is no matter of the rule. Where they cannot be replayed, the saving that the rule reckons itself stays.

use super::finding::{Finding, Saving};
use super::kernels::Kernel;
use super::savings::LikelyAndMost;
use super::scene::{Scene, part};
use crate::base::ids::WorkId;
use crate::base::ratios::to_f64;
use crate::base::time::{Ns, total};
use crate::figures::profile::Profile;
use crate::replay::{Edit, KernelsOf, Replay};
use std::borrow::Cow;

/// The changes of a program that stand for the advice of a finding.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Edits {
    /// What is likely; none where that is what the rule reckons, as far as it is no more than the most.
    pub(super) expected: Vec<Edit>,
    /// The most that can be had.
    pub(super) at_most: Vec<Edit>,
    /// What they are, as the start of a sentence.
    pub(super) basis: Cow<'static, str>,
}

/// A change that saves less than this part of an iteration promises nothing.
const LEAST_PART: f64 = 0.005;

/// What the basis of a saving says where it was replayed.
const REPLAYED: &str = "; as much of it as iterations are shorter by in a replay";

impl Edits {
    /// Each two kernels that follow one another are one, which takes so much of the time of both.
    pub(super) fn fused(of: KernelsOf, times: f64, basis: impl Into<Cow<'static, str>>) -> Self {
        Self {
            expected: vec![Edit::fused_kernels(of.clone(), 2, times)],
            at_most: vec![Edit::fused_kernels(of, usize::MAX, 0.0)],
            basis: basis.into(),
        }
    }

    /// The host does not wait for the GPU inside of iterations.
    pub(super) fn without_waits() -> Self {
        Self {
            expected: vec![Edit::without_waits_inside()],
            at_most: vec![Edit::without_waits()],
            basis: "Waits for the GPU return at once, but the last one of each iteration; at most that one as well".into(),
        }
    }

    /// The host launches once between two waits.
    pub(super) fn launches_as_one() -> Self {
        Self {
            expected: vec![Edit::launches_as_one()],
            at_most: vec![Edit::launches_as_one_at_most()],
            basis: "The launches between two waits of the host as one, with gaps under 1 ms between them; at most with all gaps"
                .into(),
        }
    }
}

impl Finding {
    /// With a saving that a replay decides, where there is one.
    pub(super) fn replayed(self, edits: Edits) -> Self {
        Self { edits: Some(edits), ..self }
    }
}

/// Replays the changes that findings with a saving state, which are about a time of so much. Gives the replay, if there is one.
pub(super) fn replay_savings(profile: &Profile, findings: &mut [Finding], length: Ns) -> Option<Replay> {
    let is_replayed = |finding: &Finding| finding.saving.is_some() && finding.edits.is_some();
    let replay = findings.iter().any(is_replayed).then(|| Replay::for_savings(profile))??;
    for finding in findings.iter_mut().filter(|finding| is_replayed(finding)) {
        let stated = finding.saving.as_ref().zip(finding.edits.as_ref());
        finding.saving = stated.map(|(reckoned, edits)| saving(&replay, reckoned, edits, length));
    }
    Some(replay)
}

/// Replays the changes of findings that are more than guesses one after the other, in the order of the page.
pub(super) fn replay_together(replay: &Replay, findings: &mut [Finding], length: Ns) {
    let (mut edits, mut most_ns) = (Vec::new(), 0);
    for finding in findings.iter_mut().filter(|finding| finding.is_sure()) {
        let saved_ns = finding.saving.as_ref().and_then(|saving| saving.expected_ns).unwrap_or(0);
        let own = finding.edits.as_ref().map_or(&[][..], |edits| &edits.expected);
        if saved_ns > 0 && !own.is_empty() {
            edits.extend(own.iter().cloned());
            // Fused work takes longer than its first piece, so that a change may take from what those before it save.
            most_ns = replay.saved_of(length, &edits).max(saved_ns).max(most_ns);
            finding.together_ns = Some(most_ns);
        }
    }
}

fn saving(replay: &Replay, reckoned: &Saving, edits: &Edits, length: Ns) -> Saving {
    let saved = |edits: &[Edit]| replay.saved_of(length, edits);
    let most_ns = saved(&edits.at_most);
    let likely_ns = match edits.expected.is_empty() {
        true => reckoned.expected_ns,
        false => Some(saved(&edits.expected)),
    };
    let is_little = |ns: Ns| ns < part(length, LEAST_PART);
    Saving {
        expected_ns: match likely_ns.map(|ns| ns.min(most_ns)) {
            Some(ns) if is_little(ns) => Some(0),
            None if is_little(most_ns) => Some(0),
            likely_ns => likely_ns,
        },
        upper_ns: Some(most_ns),
        basis: format!("{}{REPLAYED}", edits.basis).into(),
    }
}

impl Scene<'_> {
    /// Some kernels by their names, without algorithms that are tried.
    pub(super) fn named<'k>(&self, kernels: impl IntoIterator<Item = &'k Kernel>) -> KernelsOf {
        KernelsOf {
            names: kernels.into_iter().map(|kernel| kernel.long_name).collect(),
            but: self.tried().kernels().map(|(kernel, _)| kernel).collect::<rustc_hash::FxHashSet<WorkId>>(),
            ..KernelsOf::default()
        }
    }

    /// With what the run saves if some kernels take so much less in all.
    pub(super) fn saves_kernel_time(
        &self,
        finding: Finding,
        kernels: &[&Kernel],
        saved: LikelyAndMost,
        basis: &'static str,
    ) -> Finding {
        let all_ns = to_f64(total(kernels.iter().map(|kernel| kernel.time_ns)).max(1));
        let shorter = |saved_ns: Ns| {
            Edit::kernels(self.named(kernels.iter().copied()), (1.0 - to_f64(saved_ns) / all_ns).max(0.0))
        };
        let (expected, at_most) = (vec![shorter(saved.likely_ns)], vec![shorter(saved.most_ns)]);
        let edits = Edits { expected, at_most, basis: basis.into() };
        let (likely_ns, most_ns) =
            (self.likely_kernel_saving(saved.likely_ns), self.kernel_saving(saved.most_ns));
        finding.saves(likely_ns, most_ns, self.basis(basis)).replayed(edits)
    }
}
