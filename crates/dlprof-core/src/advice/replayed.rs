//! Savings that a replay of the iterations decides.
//!
//! ```text
//! finding ─ Edits { expected, at_most } ─ replay ─► Saving
//! ```
//!
//! A rule states what its advice changes, such as kernels that become shorter or waits that go. The replay says how much shorter the
//! iterations are then. Where they cannot be replayed, the saving stays that the rule reckons itself.

use super::edits::Edits;
use super::finding::{Finding, Saving};
use super::kernels::Kernel;
use super::order::LEAST_PART;
use super::savings::LikelyAndMost;
use super::scene::{Scene, part};
use crate::base::ids::WorkId;
use crate::base::ratios::{rounded, to_f64};
use crate::base::time::{Ns, total};
use crate::figures::profile::Profile;
use crate::replay::{Bounds, Edit, KernelsOf, Replay};
use rustc_hash::FxHashSet;

/// Where no more than this of the critical path is unexplained, it says what limits.
const SURE_PERCENT: f64 = 10.0;

/// What the basis of a saving says where it was replayed.
const REPLAYED: &str = "; as much of it as iterations are shorter by in a replay";

/// The iterations that findings are about, ready to be replayed with changes.
pub(super) struct Replayed {
    replay: Replay,
    /// How often the step runs in the iterations that findings are about, by which a saving of one replayed run is multiplied.
    times: f64,
    /// The length of all that findings are about.
    length: Ns,
    /// How much of it a change of the host alone can save: the time in which a GPU idles, copies or exchanges data and computes nothing.
    of_host_ns: Ns,
}

impl Replayed {
    /// `None` where they cannot be replayed.
    pub(super) fn of(scene: &Scene<'_>, profile: &Profile) -> Option<Self> {
        let replay = Replay::for_savings(profile)?;
        let time = scene.gpu_time();
        Some(Self {
            times: f64::from(scene.passes.max(1)),
            length: scene.span.length(),
            of_host_ns: scene.per_gpu(time.idle_ns() + time.exposed_copy_ns + time.exposed_communication_ns),
            replay,
        })
    }

    /// How short one of them can become; `None` where too much of the time is not explained to say so.
    pub(super) fn bounds(&self) -> Option<Bounds> {
        (self.replay.unexplained_percent() <= SURE_PERCENT).then(|| self.replay.bounds())
    }

    /// What edits save together in all.
    fn saved_ns(&self, edits: &[Edit]) -> Ns {
        self.in_all(edits, self.replay.saved_of(edits))
    }

    /// What edits save in all that save so much of a replayed iteration.
    fn in_all(&self, edits: &[Edit], saved_ns: Ns) -> Ns {
        let most_ns = if edits.iter().all(Edit::is_of_host) { self.of_host_ns } else { self.length };
        rounded(to_f64(saved_ns) * self.times).clamp(0, self.length).min(most_ns)
    }

    /// Whether it is too little to promise anything.
    fn is_little(&self, ns: Ns) -> bool {
        ns < part(self.length, LEAST_PART)
    }

    fn saving(&self, reckoned: &Saving, edits: &Edits) -> Saving {
        let most_ns = if edits.at_most.is_empty() { self.length } else { self.saved_ns(&edits.at_most) };
        let most_ns = match reckoned.upper_ns.filter(|_| edits.is_within_reckoned) {
            Some(reckoned_ns) => most_ns.min(reckoned_ns),
            None => most_ns,
        };
        let likely_ns = match edits.expected.is_empty() {
            true => reckoned.expected_ns,
            false => Some(self.saved_ns(&edits.expected)),
        };
        Saving {
            expected_ns: match likely_ns.map(|ns| ns.min(most_ns)) {
                Some(ns) if self.is_little(ns) => Some(0),
                None if self.is_little(most_ns) => Some(0),
                likely_ns => likely_ns,
            },
            upper_ns: Some(most_ns),
            basis: match edits.at_most.is_empty() {
                true => format!("{}{REPLAYED}. At most: {}", edits.basis, reckoned.basis),
                false => format!("{}{REPLAYED}", edits.basis),
            }
            .into(),
        }
    }

    /// Replays the changes of findings that are more than guesses one after the other, in the order of the page. What adds too little
    /// to promise anything has no part in it.
    pub(super) fn together(&self, findings: &mut [Finding]) {
        let (mut edits, mut most_ns) = (Vec::new(), 0);
        for finding in findings.iter_mut().filter(|finding| finding.is_sure() && finding.is_replayed()) {
            let saved_ns = finding.saving.as_ref().and_then(|saving| saving.expected_ns).unwrap_or(0);
            if saved_ns > 0 {
                edits.extend(finding.edits.iter().flat_map(|edits| edits.expected.iter().cloned()));
                // Fused work takes longer than its first piece, so that a change may take from what those before it save.
                let (of_iteration_ns, limits_then) = self.replay.saved_and_limiter(&edits);
                let all_ns = self.in_all(&edits, of_iteration_ns).max(saved_ns);
                if !self.is_little(all_ns.saturating_sub(most_ns)) {
                    most_ns = all_ns;
                    finding.together_ns = Some(most_ns);
                    finding.limits_then = limits_then;
                }
            }
        }
    }
}

/// Replays the changes that findings with a saving state. A finding states none any more where nothing is replayed, or nothing is recorded
/// that its change is about. Where a replay does not explain enough of the time, what is likely is not known.
pub(super) fn replay_savings(replayed: Option<&Replayed>, findings: &mut [Finding]) {
    for finding in findings {
        let knows = |edits: &Edits| {
            let has_own_bound = !edits.at_most.is_empty() && edits.at_most != edits.expected;
            replayed.filter(|replayed| has_own_bound || replayed.replay.is_about_something(&edits.expected))
        };
        match finding.edits.as_ref().and_then(|edits| Some((knows(edits)?, edits))) {
            None => finding.edits = None,
            Some((replayed, _)) if !replayed.replay.is_explained() => {
                finding.edits = None;
                finding.saving = finding.saving.as_ref().and_then(bounded_alone);
            }
            Some((replayed, edits)) => {
                finding.saving = finding.saving.as_ref().map(|reckoned| replayed.saving(reckoned, edits));
            }
        }
    }
}

/// What a rule reckons as the most, where a replay does not explain enough of the time to say what is likely. That it saves nothing is
/// not known then.
fn bounded_alone(reckoned: &Saving) -> Option<Saving> {
    let upper_ns = reckoned.upper_ns.filter(|&ns| ns > 0)?;
    let basis =
        format!("{}; what is likely is not known, because a replay explains too little", reckoned.basis);
    Some(Saving { expected_ns: None, upper_ns: Some(upper_ns), basis: basis.into() })
}

impl Scene<'_> {
    /// Some kernels by their names, without algorithms that are tried.
    pub(super) fn named<'k>(&self, kernels: impl IntoIterator<Item = &'k Kernel>) -> KernelsOf {
        KernelsOf {
            names: kernels.into_iter().map(|kernel| kernel.long_name).collect(),
            but: self.tried().kernels().map(|(kernel, _)| kernel).collect::<FxHashSet<WorkId>>(),
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
