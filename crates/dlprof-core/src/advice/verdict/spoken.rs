//! The sentence: how it begins, which finding would save most, and what comes before both.

use super::super::of_recorders::{ONE_BY_ONE, ran_one_by_one};
use super::opening::{
    SET_UP, WAITING, WORTH_PERCENT, cold_pass, computing, is_cold_pass, limit, names_both, opening,
    run_or_compute, too_short, word, word_of_idle,
};
use super::other_idle::{largest_lasting, most_named};
use super::said::UNEXPLAINED;
use crate::advice::detect::rule_of;
use crate::advice::finding::{Confidence, Finding, Saving, Severity, without_kernels};
use crate::advice::judged::Judged;
use crate::advice::rule::Subject;
use crate::advice::scene::Scene;
use crate::advice::sentence::{Figure, Sentence};
use crate::advice::serving::verdict_of_server;
use crate::advice::untold::advice_for;
use crate::base::diagnostics::DiagnosticCode;
use crate::base::op_path::parts as op_path_parts;
use crate::base::ratios::{percent, to_f64};
use crate::base::time::total;
use crate::capture::correlate::Direction;
use crate::capture::names::is_cpu_collective;
use crate::figures::activity::{StepClass, StepClasses, Verdict};
use crate::figures::folded_ops::FoldedOps;
use crate::figures::profile::WholeRun;
use indexmap::IndexMap;

/// A range with so much of the host's time is named.
const LARGE_PERCENT: f64 = 20.0;

/// How many letters of what a program printed are quoted.
const QUOTED_LETTERS: usize = 200;

/// What the verdict rests on, in sentences: what limits the steps, and the finding that would save most. Where the program ended
/// badly, this comes first.
#[must_use]
pub fn verdict_detail(judged: &Judged) -> Sentence {
    let of_server = || verdict_of_server(judged).filter(|_| judged.is_about_server());
    let limits = with_slowed_host(judged, of_server().unwrap_or_else(|| limits(judged)));
    let Some(failure) = failure(judged) else { return limits };
    Sentence::new(
        "The program ended badly: “{}”. The capture may show only a part of its work. {}",
        vec![Figure::Text(failure), Figure::Clause(Box::new(limits))],
    )
}

/// With what makes the host slower than it is, where the host limits the steps.
fn with_slowed_host(judged: &Judged, limits: Sentence) -> Sentence {
    let is_host = || {
        let scene = judged.scene();
        let of_cpu = scene.told_classes().filter(|classes| scene.verdict(classes) == Verdict::Cpu);
        of_cpu.is_some_and(|classes| !scene.waits_for_sleeper(&classes))
    };
    match judged.capture.what_slows_host().filter(|_| judged.has_gpu_work() && is_host()) {
        None => limits,
        Some([what, _]) => Sentence::new(
            "{}. The profiler recorded {}, which makes the host slower than it is",
            vec![Figure::Clause(Box::new(limits)), Figure::Text(what.to_owned())],
        ),
    }
}

/// The line in which the program, or nsys, says that it ended badly; `None` where nothing does.
pub(super) fn failure(judged: &Judged) -> Option<String> {
    let failed = judged.diagnostics.iter().find(|found| found.code == DiagnosticCode::ProgramFailed)?;
    let mut lines = failed.examples.first()?.split(" / ");
    let line = lines.next()?;
    let place = lines.find_map(place_in_source).map_or_else(String::new, |place| format!(", {place}"));
    Some(match line.char_indices().nth(QUOTED_LETTERS) {
        Some((end, _)) => format!("{}…{place}", &line[..end]),
        None => format!("{line}{place}"),
    })
}

/// The place in the program that a further line of an error names, without folders: `main.c train_neural_net line:116` of
/// `file:/home/me/main.c train_neural_net line:116`.
fn place_in_source(line: &str) -> Option<&str> {
    let place = line.trim().strip_prefix("file:")?;
    let folders = place.split(' ').next()?.rfind('/').map_or(0, |folder| folder + 1);
    Some(&place[folders..]).filter(|place| place.contains("line:") && place.len() <= QUOTED_LETTERS)
}

/// How sentences of captures without GPU work begin.
const NOTHING: &str = "No GPU work was recorded, so that only the CPU's figures are known";

/// That processes exchange data on the CPU, where that takes a large part of the aggregated iterations; on threads side by side it
/// counts once.
fn of_cpu_communication(judged: &Judged) -> Option<Sentence> {
    let steps = judged.steps();
    let exchanged_ns = total(steps.iter().filter_map(|step| step.cpu_communication_ns));
    let length_ns = total(steps.iter().map(|step| step.length_ns));
    let share = percent(exchanged_ns, length_ns);
    let ops = judged.folded_ops();
    let name = |ops: &FoldedOps| op_path_parts(&ops.name).last().unwrap_or_default().to_owned();
    let collectives = ops.iter().filter(|ops| is_cpu_collective(&name(ops)));
    let longest = collectives.rev().max_by_key(|ops| ops.cpu_time_ns).filter(|_| share >= LARGE_PERCENT)?;
    Some(Sentence::new(
        "{}; communication on the CPU (`{}`) takes {} of {}, {}",
        vec![
            Figure::Text(NOTHING.to_owned()),
            Figure::Text(name(longest)),
            Figure::Time(to_f64(exchanged_ns)),
            Figure::Time(to_f64(length_ns)),
            Figure::Percent(share, 1),
        ],
    ))
}

/// What is known without any GPU work: which ranges hold most of the host's time.
fn of_host_alone(judged: &Judged) -> Sentence {
    if let Some(said) = of_cpu_communication(judged) {
        return said;
    }
    let ops = judged.folded_ops();
    let all_ns = total(ops.iter().map(|ops| ops.cpu_time_ns));
    // Forward and backward pass of one name are one; of equal ones the first.
    let mut by_name: IndexMap<&str, Vec<&FoldedOps>> = IndexMap::new();
    ops.iter().for_each(|ops| by_name.entry(&ops.name).or_default().push(ops));
    let time = |alike: &[&FoldedOps]| total(alike.iter().map(|ops| ops.cpu_time_ns));
    let longest = by_name.iter().rev().max_by_key(|(_, alike)| time(alike));
    match longest.map(|(name, alike)| (name, alike, percent(time(alike), all_ns))) {
        Some((name, alike, share)) if share >= LARGE_PERCENT => Sentence::new(
            "{}; `{}` takes {} of the time in ranges{}, whatever it waits for included",
            vec![
                Figure::Text(NOTHING.to_owned()),
                Figure::Text(name.trim_start_matches('/').to_owned()),
                Figure::Percent(share, 1),
                Figure::Text(
                    if has_both_passes(alike) { ", forward and backward together" } else { "" }.to_owned(),
                ),
            ],
        ),
        _ => NOTHING.into(),
    }
}

/// Whether ops are of the forward and of the backward pass.
fn has_both_passes(ops: &[&FoldedOps]) -> bool {
    let has = |direction| ops.iter().any(|ops| ops.direction == direction);
    has(Direction::Forward) && has(Direction::Backward)
}

/// What limits the steps, and the finding that would save most.
fn limits(judged: &Judged) -> Sentence {
    let findings = judged.findings();
    if let Some(error) = findings.iter().find(|finding| finding.misleads) {
        return Sentence::new(
            "This capture misleads: {}",
            vec![Figure::Clause(Box::new(error.problem.clone()))],
        );
    }
    if !judged.has_gpu_work() {
        if judged.capture.diagnostics.counted(DiagnosticCode::CutTrace) > 0 {
            return "The trace ends early, before any GPU work: wait until the program has written all of it"
                .into();
        }
        if judged.capture.diagnostics.counted(DiagnosticCode::OtherDevice) > 0 {
            return "Work of MTIA is not read, so that only the host's times of ops are known".into();
        }
        return of_host_alone(judged);
    }
    if let Some(found) = without_kernels(findings) {
        return found.problem.clone();
    }
    if ran_one_by_one(&judged.capture) {
        return ONE_BY_ONE.into();
    }
    let scene = judged.scene();
    let Some(classes) = &scene.told_classes().filter(|classes| classes.length_ns > 0) else {
        return "No GPU worked in the aggregated iterations".into();
    };
    if !scene.is_long_enough() {
        return too_short(&scene);
    }
    if is_cold_pass(&scene) {
        return cold_pass(&scene, classes);
    }
    let said = limits_and_best(judged, &scene, classes);
    if let Some(run) = scene.whole_run() {
        return of_whole_run(&scene, &run, said);
    }
    let left_out = scene.profile_left_out();
    let left_out = left_out.as_ref().map(|profile| Scene::new(profile).left_out());
    match left_out.as_ref().and_then(|other| other.told_classes().map(|classes| (other, classes))) {
        Some((other, of_others)) if of_others.length_ns > 0 => Sentence::new(
            if other.verdict(&of_others) == scene.verdict(classes) { "{}. {}" } else { "{}. But {}" },
            vec![Figure::Clause(Box::new(said)), Figure::Clause(Box::new(opening(other, &of_others)))],
        ),
        _ => said,
    }
}

/// GPUs compute for longer than they idle for a cause of no class.
pub(super) const BOTH_WAIT: &str = "GPU-bound and waiting";

/// What limits the whole run, in a word.
pub(super) fn word_of_run(scene: &Scene<'_>, run: &WholeRun) -> &'static str {
    match run.verdict {
        Verdict::Unexplained if run.compute_percent > run.idle_percent => BOTH_WAIT,
        Verdict::Unexplained => WAITING,
        Verdict::Cpu if scene.is_asleep_in(run.span) => WAITING,
        verdict => verdict.words(),
    }
}

/// What GPUs do over the whole run, before what limits the smaller part of it that is judged.
fn of_whole_run(scene: &Scene<'_>, run: &WholeRun, said: Sentence) -> Sentence {
    let word = word_of_run(scene, run);
    let computes = if scene.untold().is_some() { " run kernels {}" } else { " compute {}" };
    let busy = [
        (computes, run.compute_percent),
        (", exchange data {}", run.communication_percent),
        (", copy {}", run.copy_percent),
    ];
    let busy = busy.into_iter().filter(|&(_, share)| share >= 0.5);
    let (words, shares): (Vec<&'static str>, Vec<f64>) = busy.unzip();
    let mut figures = vec![Figure::Text(word.to_owned()), Figure::Count(run.first.into())];
    figures.extend(shares.into_iter().chain([run.idle_percent]).map(|share| Figure::Percent(share, 0)));
    figures.push(Figure::Clause(Box::new(said)));
    let and = if words.is_empty() { "" } else { " and" };
    // Findings are about the judged iterations.
    let why = if run.verdict == Verdict::Gpu { "" } else { " (`--iter-range all` says where)" };
    let template = [
        &["{}: over the whole run from iteration {} on GPUs"],
        words.as_slice(),
        &[and, " idle {} of the time", why, ". {}"],
    ]
    .concat();
    Sentence::joined(&template, figures)
}

/// What limits the iterations that are judged, and the finding that would save most.
fn limits_and_best(judged: &Judged, scene: &Scene<'_>, classes: &StepClasses) -> Sentence {
    let findings = judged.findings();
    // A step that is a small part of the run is no headline for it.
    let of_run = scene.whole_run().map_or(1.0, |run| run.window_percent / 100.0);
    let is_worth = |finding: &&Finding| {
        let saving = finding.saving.as_ref().map_or(0, Saving::ns);
        let is_sure = finding.severity > Severity::Note || finding.confidence() > Confidence::Low;
        is_sure && percent(saving, scene.span.length()) * of_run >= WORTH_PERCENT
    };
    let verdict = scene.verdict(classes);
    let best = best_of(findings.iter().filter(is_worth));
    let explains = |best: &&Finding| match subject_of(best) {
        Subject::All(about) => about == verdict,
        Subject::Cause(cause) => verdict == Verdict::Unexplained && most_named(scene) == Some(cause),
        Subject::Part(_) | Subject::Other => false,
    };
    if let Some(best) = best.filter(explains) {
        let problem = Figure::Clause(Box::new(best.problem.clone()));
        // The finding explains it.
        let word = match verdict {
            Verdict::Unexplained if word_of_idle(scene, classes) == SET_UP => SET_UP,
            Verdict::Unexplained => WAITING,
            _ => word(scene, classes),
        };
        if names_both(scene, classes) {
            let figures = vec![limit(scene, word), run_or_compute(scene), computing(scene), problem];
            return with_saving("{}: GPUs {} {} of the time. {}", figures, best, scene);
        }
        return with_saving("{}: {}", vec![limit(scene, word), problem], best, scene);
    }
    if let Some(best) = best.filter(|best| verdict == Verdict::Unexplained && best.id == UNEXPLAINED) {
        let opening = Figure::Clause(Box::new(opening(scene, classes)));
        return with_saving("{}", vec![opening], best, scene);
    }
    // A note that heads the list with a greater saving leaves no room for a smaller one.
    let ns = |finding: &Finding| finding.saving.as_ref().map_or(0, Saving::ns);
    let note = findings.iter().find(|finding| ns(finding) > 0);
    let note = note.filter(|first| first.severity == Severity::Note);
    let best = best.filter(|best| note.is_none_or(|note| ns(note) <= ns(best)));
    // Without a finding of its class the verdict itself says what to do.
    let has_advice = findings.iter().any(|finding| subject_of(finding).is_about(verdict));
    let needs_advice = !has_advice && (verdict != Verdict::Gpu || best.is_none());
    let advice = needs_advice.then(|| advice(scene, classes)).flatten();
    // What the sentence names first has its saving, too.
    let is_own = |finding: &&Finding| {
        subject_of(finding).is_about(verdict) && best.is_some_and(|best| !subject_of(best).is_about(verdict))
    };
    let own = best_of(findings.iter().filter(is_worth).filter(is_own));
    let opening = opening(scene, classes);
    let opening = match own {
        // Two savings follow, and each says whose it is.
        Some(own) => {
            with_saving_of("{}", vec![Figure::Clause(Box::new(opening))], own, scene, Changed::Named)
        }
        None => opening,
    };
    let opening = Figure::Clause(Box::new(opening));
    match (advice, best) {
        (None, None) => Sentence::new("{}", vec![opening]),
        (Some(advice), None) => Sentence::new("{}. {}", vec![opening, advice]),
        (None, Some(best)) => {
            let figures = vec![opening, Figure::Clause(Box::new(best.problem.clone()))];
            with_saving("{}. {}", figures, best, scene)
        }
        (Some(advice), Some(best)) => {
            let figures = vec![opening, advice, Figure::Clause(Box::new(best.problem.clone()))];
            with_saving("{}. {}. Besides, {}", figures, best, scene)
        }
    }
}

/// Of findings in their order, the one that would save most. One whose bound alone is known gives way to one with a greater
/// bound: a bound says more than a likely saving only where it is the greatest.
fn best_of<'a>(mut findings: impl Iterator<Item = &'a Finding>) -> Option<&'a Finding> {
    let first = findings.next()?;
    let upper = |finding: &Finding| finding.saving.as_ref().and_then(|saving| saving.upper_ns).unwrap_or(0);
    let has_likely =
        |finding: &Finding| finding.saving.as_ref().is_some_and(|saving| saving.expected_ns.is_some());
    if has_likely(first) {
        return Some(first);
    }
    Some(findings.fold(first, |best, other| if upper(other) > upper(best) { other } else { best }))
}

/// What of two matters that a sentence names is changed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Changed {
    /// There is one.
    One,
    /// What was said last.
    Last,
    /// What the name of the finding says.
    Named,
}

/// A sentence that ends in the problem of a finding, and what a change of it would save.
fn with_saving(template: &'static str, figures: Vec<Figure>, best: &Finding, scene: &Scene<'_>) -> Sentence {
    let is_second =
        scene.told_classes().is_some_and(|classes| !subject_of(best).is_about(scene.verdict(&classes)));
    let changed = if is_second { Changed::Last } else { Changed::One };
    with_saving_of(template, figures, best, scene, changed)
}

/// A sentence, and what a change would save.
fn with_saving_of(
    template: &'static str,
    mut figures: Vec<Figure>,
    best: &Finding,
    scene: &Scene<'_>,
    changed: Changed,
) -> Sentence {
    let share = |ns| Figure::Percent(percent(ns, scene.span.length()), 0);
    let of = || Figure::Text(if scene.iterations > 0 { "a step" } else { "the window" }.into());
    // A part of the little that ran before the program failed says nothing about what it will take.
    let saving = best.saving.as_ref().filter(|_| !scene.has_failed());
    let (change, named) = match changed {
        Changed::One => (". A change", None),
        Changed::Last => (". Changing that", None),
        Changed::Named => (". The change for `{}`", Some(Figure::Text(best.id.to_string()))),
    };
    let without = figures.clone();
    figures.extend(named);
    let end = match saving.map(|saving| (saving.expected_ns, saving.upper_ns)) {
        Some((Some(expected), Some(upper))) if upper > expected => {
            figures.extend([share(expected), of(), share(upper)]);
            " should save {} of {}, at most {}"
        }
        Some((Some(expected), _)) => {
            figures.extend([share(expected), of()]);
            " should save {} of {}"
        }
        Some((None, Some(upper))) => {
            figures.extend([share(upper), of()]);
            " saves at most {} of {}"
        }
        _ => return Sentence::new(template, without),
    };
    Sentence::joined(&[template, change, end], figures)
}

/// What the rule of a finding says about the verdict; nothing if a user wrote the rule.
fn subject_of(finding: &Finding) -> Subject {
    rule_of(&finding.id).map_or(Subject::Other, |rule| rule.subject)
}

/// What to do about the class that limits the steps: what is declared for it, or for the cause that takes most of it. Of work that is
/// done once nothing is declared.
fn advice(scene: &Scene<'_>, classes: &StepClasses) -> Option<Figure> {
    let words = match scene.verdict(classes) {
        verdict if scene.is_paced(classes) && verdict != Verdict::Input => {
            "See what the host does between its launches: `dlprof-agg show critical-path` has its ranges and calls"
        }
        Verdict::Gpu => "Make the kernels with most time faster: `dlprof-agg show kernel-names` lists them",
        Verdict::Unexplained => advice_for(scene, largest_lasting(scene)?),
        Verdict::Input => StepClass::Input.definition().advice,
        Verdict::Communication => StepClass::Communication.definition().advice,
        Verdict::Copy => StepClass::Copy.definition().advice,
        Verdict::Cpu if classes.sync_ns > classes.cpu_ns => StepClass::Sync.definition().advice,
        Verdict::Cpu if scene.waits_for_sleeper(classes) => {
            "Find out what the thread sleeps for: `dlprof-agg show longest-gaps` says where"
        }
        Verdict::Cpu if !scene.profile.capture.is_of_nvidia() => {
            "Use fused kernels or larger batches; move CPU work to another thread"
        }
        Verdict::Cpu => StepClass::Cpu.definition().advice,
    };
    Some(Figure::Text(words.trim_end_matches('.').to_owned()))
}
