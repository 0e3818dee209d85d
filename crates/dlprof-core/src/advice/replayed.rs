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
use std::ops::Range;

/// The changes of a program that stand for the advice of a finding.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Edits {
    /// What is likely; none where that is what the rule reckons, as far as it is no more than the most.
    pub(super) expected: Vec<Edit>,
    /// The most that can be had.
    pub(super) at_most: Vec<Edit>,
    /// Whether what the rule reckons as the most is measured and cannot be exceeded either.
    pub(super) is_within_reckoned: bool,
    /// What they are, as the start of a sentence.
    pub(super) basis: Cow<'static, str>,
}

/// The time that findings are about.
#[derive(Debug, Clone)]
pub(super) struct Judged {
    /// The numbers of its iterations.
    numbers: Range<u32>,
    /// Its length.
    length: Ns,
    /// How often the step runs in it; 0 where there are no iterations.
    passes: u32,
    /// How long a GPU idles in it, on average.
    idle_ns: Ns,
}

impl Judged {
    pub(super) fn of(scene: &Scene<'_>) -> Self {
        let first = scene
            .profile
            .iterations
            .start
            .saturating_add(u32::try_from(scene.places.start).unwrap_or(u32::MAX));
        Self {
            numbers: first..first.saturating_add(scene.iterations),
            length: scene.span.length(),
            passes: scene.passes,
            idle_ns: scene.per_gpu(scene.gpu_time().idle_ns()),
        }
    }

    /// What edits save. Launches that the host makes earlier take away idle time and nothing else.
    fn saved_ns(&self, replay: &Replay, edits: &[Edit]) -> Ns {
        let most_ns = if edits.iter().all(Edit::is_of_launches) { self.idle_ns } else { self.length };
        replay.saved_of(self.length, self.passes, edits).min(most_ns)
    }

    /// Whether it is too little to promise anything.
    fn is_little(&self, ns: Ns) -> bool {
        ns < part(self.length, LEAST_PART)
    }
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
            is_within_reckoned: false,
            basis: basis.into(),
        }
    }

    /// The host does not wait for the GPU inside of iterations.
    pub(super) fn without_waits() -> Self {
        Self {
            expected: vec![Edit::without_waits_inside()],
            at_most: vec![Edit::without_waits()],
            is_within_reckoned: false,
            basis: "Waits for the GPU return at once, but the last one of each iteration; at most that one as well".into(),
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

impl Finding {
    /// With a saving that a replay decides, where there is one.
    pub(super) fn replayed(self, edits: Edits) -> Self {
        Self { edits: Some(edits), ..self }
    }

    /// Whether what it is likely to save was replayed.
    pub(super) fn is_replayed(&self) -> bool {
        self.edits.as_ref().is_some_and(|edits| !edits.expected.is_empty())
    }
}

/// Replays the changes that findings with a saving state. Gives the replay, if there is one; without one no finding states a change.
pub(super) fn replay_savings(profile: &Profile, findings: &mut [Finding], judged: &Judged) -> Option<Replay> {
    let is_replayed = |finding: &Finding| finding.saving.is_some() && finding.edits.is_some();
    let replay = findings
        .iter()
        .any(is_replayed)
        .then(|| Replay::for_savings(profile, judged.numbers.clone()))
        .flatten();
    let Some(replay) = replay else {
        findings.iter_mut().for_each(|finding| finding.edits = None);
        return None;
    };
    for finding in findings.iter_mut().filter(|finding| is_replayed(finding)) {
        let stated = finding.saving.as_ref().zip(finding.edits.as_ref());
        finding.saving = stated.map(|(reckoned, edits)| saving(&replay, reckoned, edits, judged));
    }
    Some(replay)
}

/// Replays the changes of findings that are more than guesses one after the other, in the order of the page. What adds too little to
/// promise anything has no part in it.
pub(super) fn replay_together(replay: &Replay, findings: &mut [Finding], judged: &Judged) {
    let (mut edits, mut most_ns) = (Vec::new(), 0);
    for finding in findings.iter_mut().filter(|finding| finding.is_sure()) {
        let saved_ns = finding.saving.as_ref().and_then(|saving| saving.expected_ns).unwrap_or(0);
        let own = finding.edits.as_ref().map_or(&[][..], |edits| &edits.expected);
        if saved_ns > 0 && !own.is_empty() {
            edits.extend(own.iter().cloned());
            // Fused work takes longer than its first piece, so that a change may take from what those before it save.
            let all_ns = judged.saved_ns(replay, &edits).max(saved_ns);
            if !judged.is_little(all_ns.saturating_sub(most_ns)) {
                most_ns = all_ns;
                finding.together_ns = Some(most_ns);
            }
        }
    }
}

fn saving(replay: &Replay, reckoned: &Saving, edits: &Edits, judged: &Judged) -> Saving {
    let most_ns = judged.saved_ns(replay, &edits.at_most);
    let most_ns = match reckoned.upper_ns.filter(|_| edits.is_within_reckoned) {
        Some(reckoned_ns) => most_ns.min(reckoned_ns),
        None => most_ns,
    };
    let likely_ns = match edits.expected.is_empty() {
        true => reckoned.expected_ns,
        false => Some(judged.saved_ns(replay, &edits.expected)),
    };
    Saving {
        expected_ns: match likely_ns.map(|ns| ns.min(most_ns)) {
            Some(ns) if judged.is_little(ns) => Some(0),
            None if judged.is_little(most_ns) => Some(0),
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
        let edits = Edits { expected, at_most, is_within_reckoned: false, basis: basis.into() };
        let (likely_ns, most_ns) =
            (self.likely_kernel_saving(saved.likely_ns), self.kernel_saving(saved.most_ns));
        finding.saves(likely_ns, most_ns, self.basis(basis)).replayed(edits)
    }
}
