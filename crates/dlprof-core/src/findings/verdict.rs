//! The verdict: one sentence about where the time goes and what would change it.

use super::finding::{Finding, Saving, Severity};
use super::scene::Scene;
use super::sentence::{Figure, Sentence};
use crate::activity::{StepClasses, Verdict};
use crate::profile::Profile;
use crate::ratios::percent;

/// A saving below this share is not worth a place in the verdict.
const WORTH_PERCENT: f64 = 2.0;

/// One sentence: what limits the steps, and the finding that would save most.
#[must_use]
pub fn verdict(profile: &Profile) -> Sentence {
    let findings = profile.findings();
    if let Some(error) = findings.iter().find(|finding| finding.severity == Severity::Error) {
        return Sentence::new(
            "This capture misleads: {}",
            vec![Figure::Clause(Box::new(error.problem.clone()))],
        );
    }
    if !profile.has_gpu_work() {
        return "No GPU work was recorded, so that only the CPU's figures are known".into();
    }
    let scene = Scene::new(profile);
    let Some(classes) = scene.classes().filter(|classes| classes.length_ns > 0) else {
        return "No GPU worked in the aggregated iterations".into();
    };
    let of_class = opening(classes);
    let is_worth = |finding: &&Finding| {
        let saving = finding.saving.as_ref().map_or(0, Saving::ns);
        percent(saving, scene.span.length()) >= WORTH_PERCENT
    };
    let Some(best) = findings.iter().find(is_worth) else { return of_class };
    let mut figures =
        vec![Figure::Clause(Box::new(of_class)), Figure::Clause(Box::new(best.problem.clone()))];
    let share = |ns| Figure::Percent(percent(ns, scene.span.length()), 0);
    let saving = best.saving.as_ref();
    match saving.map(|saving| (saving.expected_ns, saving.upper_ns)) {
        Some((Some(expected), Some(upper))) if upper > expected => {
            figures.extend([share(expected), share(upper)]);
            Sentence::new("{}; {}; changing that should save {} of a step, at most {}", figures)
        }
        Some((Some(expected), _)) => {
            figures.push(share(expected));
            Sentence::new("{}; {}; changing that should save {} of a step", figures)
        }
        Some((None, Some(upper))) => {
            figures.push(share(upper));
            Sentence::new("{}; {}; changing that saves at most {} of a step", figures)
        }
        _ => Sentence::new("{}; {}", figures),
    }
}

/// What limits the steps, with its share.
fn opening(classes: &StepClasses) -> Sentence {
    let share = |ns| vec![Figure::Percent(percent(ns, classes.length_ns), 0)];
    match classes.verdict() {
        Verdict::Gpu => Sentence::new("GPU-bound: GPUs compute {} of the time", share(classes.gpu_ns)),
        Verdict::Input => {
            Sentence::new("Input-bound: GPUs wait for input {} of the time", share(classes.input_ns))
        }
        Verdict::Communication => Sentence::new(
            "Communication-bound: {} of the time is exchange that nothing hides",
            share(classes.communication_ns),
        ),
        Verdict::Copy => {
            Sentence::new("Copy-bound: {} of the time is copies that nothing hides", share(classes.copy_ns))
        }
        Verdict::Cpu if classes.sync_ns > classes.cpu_ns => Sentence::new(
            "CPU-bound: {} of the time GPUs idle because the CPU had waited for them",
            share(classes.sync_ns),
        ),
        Verdict::Cpu => {
            Sentence::new("CPU-bound: GPUs wait for the CPU {} of the time", share(classes.cpu_ns))
        }
        Verdict::Unexplained => Sentence::new(
            "Unexplained: GPUs idle {} of the time for no reason that the capture shows",
            share(classes.other_ns),
        ),
    }
}
