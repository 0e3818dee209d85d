//! The verdict: one sentence about where the time goes and what would change it.

use super::finding::{Finding, Saving, Severity};
use super::scene::Scene;
use super::sentence::{Figure, Sentence};
use crate::activity::{Cause, StepClasses, Verdict};
use crate::profile::Profile;
use crate::ratios::percent;

/// A saving below this share is not worth a place in the verdict.
const WORTH_PERCENT: f64 = 2.0;

/// One sentence: what limits the steps, and the finding that would save most.
#[must_use]
pub fn verdict(profile: &Profile) -> Sentence {
    let findings = profile.findings();
    if let Some(error) = findings.iter().find(misleads) {
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
    let is_worth = |finding: &&Finding| {
        let saving = finding.saving.as_ref().map_or(0, Saving::ns);
        finding.severity > Severity::Note && percent(saving, scene.span.length()) >= WORTH_PERCENT
    };
    let of_class = opening(&scene, classes);
    let Some(best) = findings.iter().find(is_worth) else { return of_class };
    if class_of(&best.id) == Some(classes.verdict()) {
        let word = limit(&scene, classes.verdict());
        let problem = Figure::Clause(Box::new(best.problem.clone()));
        return with_saving("{}: {}", vec![word, problem], best, &scene);
    }
    let figures = vec![Figure::Clause(Box::new(of_class)), Figure::Clause(Box::new(best.problem.clone()))];
    with_saving("{}; {}", figures, best, &scene)
}

/// Whether a finding says that figures mislead; not what a user raised to an error.
fn misleads(finding: &&Finding) -> bool {
    let rule = super::detect::rules().find(|rule| rule.id == finding.id);
    rule.is_some_and(|rule| rule.severity == Severity::Error)
}

/// What the verdict means for what is worth changing, in plain words; `None` where the verdict says all that is known.
#[must_use]
pub fn verdict_meaning(profile: &Profile) -> Option<&'static str> {
    if profile.findings().iter().any(|finding| misleads(&finding)) {
        return Some("Capture again before acting on these figures.");
    }
    if !profile.has_gpu_work() {
        return None;
    }
    let scene = Scene::new(profile);
    let classes = scene.classes().filter(|classes| classes.length_ns > 0)?;
    // Each sentence follows from the definition of its class alone, so that it holds whatever else a page says.
    Some(match classes.verdict() {
        Verdict::Gpu => {
            "No kind of waiting, copying or exchange takes a fifth of the time: mostly faster or fewer kernels shorten it, hardly a \
             faster CPU or input pipeline."
        }
        Verdict::Input => {
            "GPUs wait for the next batch: loading faster or earlier takes this time away, faster kernels do not."
        }
        Verdict::Communication => {
            "GPUs exchange data while nothing else runs: exchanging less, or during other work, takes this time away, faster \
             kernels do not."
        }
        Verdict::Copy => {
            "Data is copied while no kernel runs: copying less, or during kernels, takes this time away, faster kernels do not."
        }
        Verdict::Cpu if classes.sync_ns > classes.cpu_ns => {
            "The program waits for the GPU before it launches more: waiting less often takes this time away, faster kernels do not."
        }
        Verdict::Cpu => {
            "GPUs wait for the program: launching earlier, or fewer and larger pieces of work, takes this time away, faster \
             kernels do not."
        }
        Verdict::Unexplained => {
            "GPUs wait, but not for input, copies, communication or the CPU: look at the causes of idle time before you change \
             the program."
        }
    })
}

/// A sentence that ends in what a change would save.
fn with_saving(
    template: &'static str,
    mut figures: Vec<Figure>,
    best: &Finding,
    scene: &Scene<'_>,
) -> Sentence {
    let share = |ns| Figure::Percent(percent(ns, scene.span.length()), 0);
    let of = if scene.iterations > 0 { "a step" } else { "the time" };
    let saving = best.saving.as_ref();
    let end = match saving.map(|saving| (saving.expected_ns, saving.upper_ns)) {
        Some((Some(expected), Some(upper))) if upper > expected => {
            figures.extend([share(expected), Figure::Text(of.into()), share(upper)]);
            " (a change should save {} of {}, at most {})"
        }
        Some((Some(expected), _)) => {
            figures.extend([share(expected), Figure::Text(of.into())]);
            " (a change should save {} of {})"
        }
        Some((None, Some(upper))) => {
            figures.extend([share(upper), Figure::Text(of.into())]);
            " (a change saves at most {} of {})"
        }
        _ => "",
    };
    Sentence::joined(&[template, end], figures)
}

/// The class of step that a rule is about, where its sentence says all that the class does.
fn class_of(id: &str) -> Option<Verdict> {
    match id {
        "input_bound" => Some(Verdict::Input),
        "exposed_communication" => Some(Verdict::Communication),
        "exposed_copies" => Some(Verdict::Copy),
        "launch_bound" | "cpu_work_between" => Some(Verdict::Cpu),
        _ => None,
    }
}

/// The verdict in a word, and which iterations it is about where others are aggregated too.
fn limit(scene: &Scene<'_>, verdict: Verdict) -> Figure {
    let mut words = word(verdict).to_owned();
    if scene.places.start > 0 && !scene.places.is_empty() {
        let (first, last) = (scene.iteration(scene.places.start), scene.iteration(scene.places.end - 1));
        words.push_str(&format!(" after start-up (iterations {first} to {last})"));
    }
    Figure::Text(words)
}

/// The verdict in a word.
fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Gpu => "GPU-bound",
        Verdict::Input => "Input-bound",
        Verdict::Communication => "Communication-bound",
        Verdict::Copy => "Copy-bound",
        Verdict::Cpu => "CPU-bound",
        Verdict::Unexplained => "Unexplained",
    }
}

/// What limits the steps, with its share.
fn opening(scene: &Scene<'_>, classes: &StepClasses) -> Sentence {
    let share =
        |ns| vec![limit(scene, classes.verdict()), Figure::Percent(percent(ns, classes.length_ns), 0)];
    let start_up_ns = scene.per_gpu(scene.idle(&[Cause::Setup, Cause::SlowLaunch]));
    match classes.verdict() {
        Verdict::Gpu => Sentence::new("{}: GPUs compute {} of the time", share(classes.gpu_ns)),
        Verdict::Input => Sentence::new("{}: GPUs wait for input {} of the time", share(classes.input_ns)),
        Verdict::Communication => Sentence::new(
            "{}: {} of the time is exchange that nothing hides",
            share(classes.communication_ns),
        ),
        Verdict::Copy => {
            Sentence::new("{}: {} of the time is copies that nothing hides", share(classes.copy_ns))
        }
        Verdict::Cpu if classes.sync_ns > classes.cpu_ns => Sentence::new(
            "{}: {} of the time GPUs idle because the CPU had waited for them",
            share(classes.sync_ns),
        ),
        Verdict::Cpu if 2 * start_up_ns > classes.cpu_ns => Sentence::new(
            "{}: GPUs wait for the CPU {} of the time, mostly while the program starts up",
            share(classes.cpu_ns),
        ),
        Verdict::Cpu => Sentence::new("{}: GPUs wait for the CPU {} of the time", share(classes.cpu_ns)),
        Verdict::Unexplained => Sentence::new(
            "{}: GPUs idle {} of the time for no reason that the capture shows",
            share(classes.other_ns),
        ),
    }
}
