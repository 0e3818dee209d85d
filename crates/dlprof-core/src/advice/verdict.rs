//! The verdict: one sentence about where the time goes and what would change it.

use super::detect::rule_of;
use super::finding::{Confidence, Finding, NO_KERNELS, OTHER_WORK, Saving, Severity};
use super::judged::Judged;
use super::rule::Subject;
use super::scene::Scene;
use super::sentence::{Figure, Sentence};
use super::unexplained::Unexplained;
use crate::base::diagnostics::DiagnosticCode;
use crate::base::ratios::{percent, to_f64};
use crate::base::time::Ns;
use crate::capture::classified::Cause;
use crate::figures::activity::{StepClass, StepClasses, Verdict};

/// Idle time that counts to no class that names it, but whose cause is known.
const WAITING: &str = "Waiting";

/// A saving below this share is not worth a place in the verdict.
const WORTH_PERCENT: f64 = 2.0;

/// So many letters of what a program printed are quoted.
const QUOTED_LETTERS: usize = 200;

/// One sentence: what limits the steps, and the finding that would save most. Where the program ended badly, this comes first.
#[must_use]
pub fn verdict(judged: &Judged) -> Sentence {
    let limits = limits(judged);
    let Some(failure) = failure(judged) else { return limits };
    Sentence::new(
        "The program ended badly ({}): the capture may show only a part of its work; {}",
        vec![Figure::Text(failure), Figure::Clause(Box::new(limits))],
    )
}

/// The line in which the program, or nsys, says that it ended badly; `None` where nothing does.
fn failure(judged: &Judged) -> Option<String> {
    let failed = judged.diagnostics.iter().find(|found| found.code == DiagnosticCode::ProgramFailed)?;
    let line = failed.examples.first()?.split(" / ").next()?;
    Some(match line.char_indices().nth(QUOTED_LETTERS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    })
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
        return "No GPU work was recorded, so that only the CPU's figures are known".into();
    }
    if let Some(found) = without_kernels(findings) {
        return found.problem.clone();
    }
    let scene = Scene::new(judged);
    let Some(classes) = scene.classes().filter(|classes| classes.length_ns > 0) else {
        return "No GPU worked in the aggregated iterations".into();
    };
    if !scene.is_long_enough() {
        return too_short(&scene);
    }
    let is_worth = |finding: &&Finding| {
        let saving = finding.saving.as_ref().map_or(0, Saving::ns);
        let is_sure = finding.severity > Severity::Note || finding.confidence > Confidence::Low;
        is_sure && percent(saving, scene.span.length()) >= WORTH_PERCENT
    };
    let verdict = classes.verdict();
    let best = best_of(findings.iter().filter(is_worth));
    let explains = |best: &&Finding| match subject_of(best) {
        Subject::All(about) => about == verdict,
        Subject::Cause(cause) => verdict == Verdict::Unexplained && most_named(&scene) == Some(cause),
        Subject::Part(_) | Subject::Other => false,
    };
    if let Some(best) = best.filter(explains) {
        let problem = Figure::Clause(Box::new(best.problem.clone()));
        // The finding explains it.
        let word = if verdict == Verdict::Unexplained { WAITING } else { verdict.words() };
        return with_saving("{}: {}", vec![limit(&scene, word), problem], best, &scene);
    }
    // A note that heads the list with a greater saving leaves no room for a smaller one.
    let ns = |finding: &Finding| finding.saving.as_ref().map_or(0, Saving::ns);
    let note = findings.first().filter(|first| first.severity == Severity::Note);
    let best = best.filter(|best| note.is_none_or(|note| ns(note) <= ns(best)));
    // Without a finding of its class the verdict itself says what to do.
    let has_advice = findings.iter().any(|finding| subject_of(finding).is_about(verdict));
    let advice =
        (!has_advice && (verdict != Verdict::Gpu || best.is_none())).then(|| advice(&scene, classes));
    let opening = Figure::Clause(Box::new(opening(&scene, classes)));
    match (advice, best) {
        (None, None) => Sentence::new("{}", vec![opening]),
        (Some(advice), None) => Sentence::new("{}. {}", vec![opening, advice]),
        (None, Some(best)) => {
            let figures = vec![opening, Figure::Clause(Box::new(best.problem.clone()))];
            with_saving("{}; {}", figures, best, &scene)
        }
        (Some(advice), Some(best)) => {
            let figures = vec![opening, advice, Figure::Clause(Box::new(best.problem.clone()))];
            with_saving("{}. {}; besides, {}", figures, best, &scene)
        }
    }
}

/// What is said of a window in which too little ran to say what limits the program.
fn too_short(scene: &Scene<'_>) -> Sentence {
    let time = scene.gpu_time();
    Sentence::new(
        "Too short to judge: kernels ran {} times in {}, {} of that time",
        vec![
            Figure::Count(scene.kernels().launches),
            Figure::Time(to_f64(scene.span.length())),
            Figure::Percent(percent(time.compute_ns + time.communication_ns, time.length_ns), 0),
        ],
    )
}

/// What says that nothing launched a kernel.
fn without_kernels(findings: &[Finding]) -> Option<&Finding> {
    findings.iter().find(|finding| finding.id == NO_KERNELS)
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

/// What the verdict means for what is worth changing, in plain words; `None` where the verdict says all that is known.
#[must_use]
pub fn verdict_meaning(judged: &Judged) -> Option<&'static str> {
    if let Some(error) = judged.findings().iter().find(|finding| finding.misleads) {
        return Some(if error.id == OTHER_WORK {
            "The GPU is shared with other work: GPU times, causes and savings of this capture are not reliable until the \
             program is measured alone."
        } else {
            "Capture again before acting on these figures."
        });
    }
    if !judged.has_gpu_work() {
        return None;
    }
    if without_kernels(judged.findings()).is_some() {
        return Some(
            "Only copies, memsets and the CPU's figures are known: capture the part that launches kernels.",
        );
    }
    let scene = Scene::new(judged);
    let classes = scene.classes().filter(|classes| classes.length_ns > 0)?;
    if !scene.is_long_enough() {
        return Some(
            "No step repeats and the window is under 1 ms: capture several steps before you change the program.",
        );
    }
    // Each sentence follows from the definition of its class alone, so that it holds whatever else a page says.
    Some(match classes.verdict() {
        Verdict::Gpu if scene.kernels().graphs_share() >= WORTH_PERCENT => {
            "GPUs run the graphs nearly all of the time, but inside them they may wait, copy or exchange data: profile with \
             `--cuda-graph-trace=node` before you look for faster kernels."
        }
        Verdict::Gpu => {
            "No kind of waiting, copying or exchange takes a fifth of the time: mostly faster or fewer kernels shorten it, \
             hardly a faster CPU or input pipeline."
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
            "The program waits for the GPU before it launches more: waiting less often takes this time away, faster kernels do \
             not."
        }
        Verdict::Cpu => {
            "GPUs wait for the program: launching earlier, or fewer and larger pieces of work, takes this time away, faster \
             kernels do not."
        }
        Verdict::Unexplained if is_mostly_once(&scene, classes) => {
            "GPUs wait for work that a longer run does not repeat: look at later steps before you change the program."
        }
        Verdict::Unexplained if is_mostly_before_host_memory(&scene) => {
            "GPUs idle before unified memory migrates to the host, which uses it: using it there less often takes this time \
             away, faster kernels do not."
        }
        Verdict::Unexplained if unnamed(&scene).is_some_and(|told| told.is_done_once()) => {
            "GPUs wait while the program gets ready, which a longer run does not repeat: look at later steps before you change \
             the program."
        }
        Verdict::Unexplained if matches!(unnamed(&scene), Some(Unexplained::Computes(..))) => {
            "GPUs wait for the program, which computes on the CPU: doing that faster, or while GPUs work, takes this time away, \
             faster kernels do not."
        }
        Verdict::Unexplained => {
            "For most of this time nothing recorded says that GPUs wait for input, copies, communication or the CPU: look at \
             the causes of idle time before you change the program."
        }
    })
}

/// The cause `unknown` in words, with what CPU samples or loads of code say about most of it; `None` where they say nothing.
#[must_use]
pub fn unknown_in_words(judged: &Judged) -> Option<&'static str> {
    match Scene::new(judged).unexplained() {
        Unexplained::Computes(..) => Some("unknown (CPU samples: computing)"),
        Unexplained::Creates(..) => Some("unknown (CPU samples: a library gets ready)"),
        Unexplained::LoadsCode(..) => Some("unknown (loading code)"),
        Unexplained::Sampled(..)
        | Unexplained::Between(..)
        | Unexplained::ReadsFiles(..)
        | Unexplained::Nothing => None,
    }
}

/// A sentence that ends in what a change would save. Where the sentence names two matters, it says that the second is meant.
fn with_saving(
    template: &'static str,
    mut figures: Vec<Figure>,
    best: &Finding,
    scene: &Scene<'_>,
) -> Sentence {
    let share = |ns| Figure::Percent(percent(ns, scene.span.length()), 0);
    let of = || Figure::Text(if scene.iterations > 0 { "a step" } else { "the window" }.into());
    let saving = best.saving.as_ref();
    let end = match saving.map(|saving| (saving.expected_ns, saving.upper_ns)) {
        Some((Some(expected), Some(upper))) if upper > expected => {
            figures.extend([share(expected), of(), share(upper)]);
            " should save {} of {}, at most {})"
        }
        Some((Some(expected), _)) => {
            figures.extend([share(expected), of()]);
            " should save {} of {})"
        }
        Some((None, Some(upper))) => {
            figures.extend([share(upper), of()]);
            " saves at most {} of {})"
        }
        _ => return Sentence::new(template, figures),
    };
    let is_second = scene.classes().is_some_and(|classes| !subject_of(best).is_about(classes.verdict()));
    let change = if is_second { " (changing the latter" } else { " (a change" };
    Sentence::joined(&[template, change, end], figures)
}

/// What the rule of a finding says about the verdict; nothing if a user wrote the rule.
fn subject_of(finding: &Finding) -> Subject {
    rule_of(&finding.id).map_or(Subject::Other, |rule| rule.subject)
}

/// What to do about the class that limits the steps: what is declared for it, or for the cause that takes most of it.
fn advice(scene: &Scene<'_>, classes: &StepClasses) -> Figure {
    let words = match classes.verdict() {
        Verdict::Gpu => "Make the kernels with most time faster: `dlprof-agg show kernel-names` lists them",
        Verdict::Unexplained => largest_lasting(scene).map_or("", |cause| cause.definition().advice),
        Verdict::Input => StepClass::Input.definition().advice,
        Verdict::Communication => StepClass::Communication.definition().advice,
        Verdict::Copy => StepClass::Copy.definition().advice,
        Verdict::Cpu if classes.sync_ns > classes.cpu_ns => StepClass::Sync.definition().advice,
        Verdict::Cpu => StepClass::Cpu.definition().advice,
    };
    Figure::Text(words.trim_end_matches('.').to_owned())
}

/// Causes that say that nothing is known.
const SILENT: [Cause; 2] = [Cause::Unknown, Cause::NoApiCall];

/// The cause of the class `other` with most time, if that is no less than what nothing tells about.
fn most_named(scene: &Scene<'_>) -> Option<Cause> {
    let named = StepClass::Other.causes().filter(|cause| !SILENT.contains(cause));
    let largest = named.rev().max_by_key(|&cause| scene.lasting_idle(cause))?;
    let silent_ns: Ns = SILENT.iter().map(|&cause| scene.lasting_idle(cause)).sum();
    (scene.lasting_idle(largest) >= silent_ns).then_some(largest)
}

/// The cause of the class `other` with most time, whether or not it says why.
fn largest_lasting(scene: &Scene<'_>) -> Option<Cause> {
    StepClass::Other.causes().rev().max_by_key(|&cause| scene.lasting_idle(cause))
}

/// Whether most of the class `other` is time before work without an API call.
fn is_before_other_work(scene: &Scene<'_>) -> bool {
    most_named(scene).is_none() && scene.lasting_idle(Cause::NoApiCall) > scene.lasting_idle(Cause::Unknown)
}

/// Whether it is time before unified memory migrates to the host.
fn is_mostly_before_host_memory(scene: &Scene<'_>) -> bool {
    is_before_other_work(scene) && scene.waits_for_host_memory()
}

/// The verdict in a word, and which iterations it is about where others are aggregated too.
fn limit(scene: &Scene<'_>, word: &'static str) -> Figure {
    let mut words = word.to_owned();
    if scene.places.start > 0 && !scene.places.is_empty() {
        let (first, last) = (scene.iteration(scene.places.start), scene.iteration(scene.places.end - 1));
        // The last one alone is cut, as in most captures.
        let goes_on = last + 1 < scene.profile.iterations.stop;
        words.push_str(&match goes_on {
            true => format!(" in iterations {first} to {last}"),
            false => format!(" after start-up (iterations {first} to {last})"),
        });
    }
    Figure::Text(words)
}

/// What limits the steps, with its share.
fn opening(scene: &Scene<'_>, classes: &StepClasses) -> Sentence {
    let verdict = classes.verdict();
    let share = |ns| vec![limit(scene, verdict.words()), Figure::Percent(percent(ns, classes.length_ns), 0)];
    let start_up_ns = || scene.per_gpu(scene.once().of_cpu_ns());
    match verdict {
        Verdict::Gpu => {
            // Without the pauses between two kernels, which are idle time.
            let time = scene.gpu_time();
            let computing = Figure::Percent(percent(time.compute_ns, time.length_ns), 0);
            let figures = vec![limit(scene, verdict.words()), computing];
            match scene.kernels().graphs_share() {
                graphs if graphs >= WORTH_PERCENT => Sentence::new(
                    "{}: GPUs run kernels or whole CUDA graphs {} of the time; what happens inside the graphs, which take {} of \
                     the kernel time, is not known",
                    figures.into_iter().chain([Figure::Percent(graphs, 0)]).collect(),
                ),
                _ => Sentence::new("{}: GPUs compute {} of the time", figures),
            }
        }
        Verdict::Input => Sentence::new("{}: GPUs wait for input {} of the time", share(classes.input_ns)),
        Verdict::Communication => {
            let host_ns = scene.idle(&[Cause::Communication]);
            match scene.exchanging_calls() {
                Some(exchange) if host_ns > scene.gpu_time().exposed_communication_ns => Sentence::new(
                    "{}: {} of the time is exchange that nothing hides, most of it calls of {} on the host",
                    share(classes.communication_ns)
                        .into_iter()
                        .chain([Figure::Text(exchange.library)])
                        .collect(),
                ),
                _ => Sentence::new(
                    "{}: {} of the time is exchange that nothing hides",
                    share(classes.communication_ns),
                ),
            }
        }
        Verdict::Copy => {
            Sentence::new("{}: {} of the time is copies that nothing hides", share(classes.copy_ns))
        }
        Verdict::Cpu if classes.sync_ns > classes.cpu_ns => Sentence::new(
            "{}: {} of the time GPUs idle because the CPU had waited for them",
            share(classes.sync_ns),
        ),
        Verdict::Cpu if 2 * start_up_ns() > classes.cpu_ns => Sentence::new(
            "{}: GPUs wait for the CPU {} of the time, mostly for work that is done once",
            share(classes.cpu_ns),
        ),
        Verdict::Cpu if scene.is_first_pass() => Sentence::new(
            "{}: GPUs wait for the CPU {} of the time in what looks like a first pass: no step repeats, so profile later ones",
            share(classes.cpu_ns),
        ),
        Verdict::Cpu => Sentence::new("{}: GPUs wait for the CPU {} of the time", share(classes.cpu_ns)),
        Verdict::Unexplained => unexplained(scene, classes),
    }
}

/// What else tells of idle time that is mostly time that no call or range explains; `None` of other time.
fn unnamed(scene: &Scene<'_>) -> Option<Unexplained> {
    (most_named(scene).is_none() && !is_before_other_work(scene)).then(|| scene.unexplained())
}

/// Whether most of the class `other` is known to be for work that is done once.
fn is_mostly_once(scene: &Scene<'_>, classes: &StepClasses) -> bool {
    let once_ns: Ns = StepClass::Other.causes().map(|cause| scene.once().of(cause)).sum();
    2 * scene.per_gpu(once_ns) > classes.other_ns
}

/// What is said of idle time that counts to no class that names it: the cause with most of it, if there is one; else what CPU
/// samples say; that nothing tells why only where this is so.
fn unexplained(scene: &Scene<'_>, classes: &StepClasses) -> Sentence {
    let share = |ns: Ns| Figure::Percent(percent(ns, classes.length_ns), 0);
    let other = share(classes.other_ns);
    if is_mostly_once(scene, classes) {
        let figures = vec![limit(scene, WAITING), other];
        return Sentence::new("{}: GPUs idle {} of the time, mostly for work that is done once", figures);
    }
    if let Some(cause) = most_named(scene) {
        let ns = scene.per_gpu(scene.lasting_idle(cause));
        let mostly = match cause {
            Cause::OsCall => {
                let function = scene.awaited_os_call();
                let function = function.map_or_else(String::new, |name| format!(", mostly `{name}`"));
                format!("while the thread that launches is in calls of the operating system{function}")
            }
            Cause::Edge => "before the first or after the last work of the capture".to_owned(),
            Cause::Dependency => {
                "while submitted work waits for another stream, the host, or its place in a graph".to_owned()
            }
            Cause::Stall => "with work queued that nothing recorded holds back".to_owned(),
            Cause::Profiler => "while the profiler holds up the thread that launches".to_owned(),
            cause => format!("for the cause `{}`", cause.as_str()),
        };
        let mostly = Figure::Text(mostly);
        // Nearly all of it needs no second figure.
        if 20 * ns >= 19 * classes.other_ns {
            let figures = vec![limit(scene, WAITING), other, mostly];
            return Sentence::new("{}: GPUs idle {} of the time {}", figures);
        }
        let figures = vec![limit(scene, WAITING), other, share(ns), mostly];
        return Sentence::new("{}: GPUs idle {} of the time; {} of the time they idle {}", figures);
    }
    let head = [limit(scene, Verdict::Unexplained.words()), other];
    if is_before_other_work(scene) {
        if scene.waits_for_host_memory() {
            return Sentence::new(
                "{}: GPUs idle {} of the time, most of it before unified memory migrates to the host, which uses it",
                vec![limit(scene, WAITING), share(classes.other_ns)],
            );
        }
        return Sentence::new(
            "{}: GPUs idle {} of the time, most of it before work without an API call, such as migrations of unified memory",
            head.into(),
        );
    }
    let told = scene.unexplained();
    let word = match told {
        Unexplained::Computes(..) | Unexplained::Creates(..) | Unexplained::LoadsCode(..) => {
            Verdict::Cpu.words()
        }
        Unexplained::Between(..) => WAITING,
        Unexplained::ReadsFiles(..) | Unexplained::Sampled(..) | Unexplained::Nothing => {
            Verdict::Unexplained.words()
        }
    };
    let unknown = share(scene.per_gpu(scene.lasting_idle(Cause::Unknown)));
    match told.said(scene, unknown) {
        Some(said) => Sentence::new("{}: {}", vec![limit(scene, word), Figure::Clause(Box::new(said))]),
        None => Sentence::new(
            "{}: GPUs idle {} of the time for no reason that the capture shows",
            vec![
                limit(scene, word),
                share(scene.per_gpu(SILENT.iter().map(|&cause| scene.lasting_idle(cause)).sum())),
            ],
        ),
    }
}
