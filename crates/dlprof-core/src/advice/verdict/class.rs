//! The class of the verdict, for programs: what its sentence says first, as one word.

use super::opening::{WAITING, is_cold_pass, is_start_up, word};
use super::other_idle::is_mostly_once;
use crate::advice::finding::without_kernels;
use crate::advice::judged::Judged;
use crate::advice::rules::waits_for_thread;
use crate::advice::scene::Scene;
use crate::figures::activity::{StepClasses, Verdict};

/// The class of the verdict: `gpu_bound`, `cpu_bound`, `copy_bound`, `communication_bound`, `input_bound`, `waiting`, `unexplained`,
/// `set_up` (work that is done once), `too_short`, `misleads`, or `no_gpu_work`.
#[must_use]
pub fn verdict_class(judged: &Judged) -> &'static str {
    if judged.findings().iter().any(|finding| finding.misleads) {
        return "misleads";
    }
    if !judged.has_gpu_work() || without_kernels(judged.findings()).is_some() {
        return "no_gpu_work";
    }
    let scene = Scene::new(judged);
    match scene.told_classes().filter(|classes| classes.length_ns > 0) {
        None => "no_gpu_work",
        Some(_) if !scene.is_long_enough() => "too_short",
        Some(_) if is_cold_pass(&scene) => "set_up",
        Some(classes) => of_classes(&scene, &classes),
    }
}

fn of_classes(scene: &Scene<'_>, classes: &StepClasses) -> &'static str {
    match classes.verdict() {
        Verdict::Cpu if classes.sync_ns <= classes.cpu_ns && is_start_up(scene, classes) => "set_up",
        Verdict::Unexplained if is_mostly_once(scene, classes) => "set_up",
        Verdict::Input if waits_for_thread(scene).is_some() => "waiting",
        Verdict::Cpu if word(scene, classes) == WAITING => "waiting",
        Verdict::Gpu => "gpu_bound",
        Verdict::Input => "input_bound",
        Verdict::Communication => "communication_bound",
        Verdict::Copy => "copy_bound",
        Verdict::Cpu => "cpu_bound",
        Verdict::Unexplained => "unexplained",
    }
}
