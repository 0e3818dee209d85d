//! How the verdict begins: what limits the steps, with its share of the time.

use super::other_idle::{SILENT, is_before_other_work, is_mostly_once, most_named};
use crate::advice::rules::waits_for_thread;
use crate::advice::scene::Scene;
use crate::advice::sentence::{Figure, Sentence};
use crate::advice::trend::in_iterations;
use crate::advice::unexplained::Unexplained;
use crate::base::ratios::{percent, to_f64};
use crate::base::time::Ns;
use crate::capture::classified::Cause;
use crate::figures::activity::{StepClass, StepClasses, Verdict};

/// Idle time that counts to no class that names it, but whose cause is known.
pub(super) const WAITING: &str = "Waiting";

/// GPUs mostly wait for work that is done once: a faster CPU is not what that asks for.
pub(super) const SET_UP: &str = "Mostly set-up";

/// The word where GPUs compute for longer than what the verdict names takes: that alone would say that faster kernels save nothing.
pub(super) fn both(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Input => "GPU- and input-bound",
        Verdict::Communication => "GPU- and communication-bound",
        Verdict::Copy => "GPU- and copy-bound",
        Verdict::Cpu => "GPU- and CPU-bound",
        Verdict::Gpu | Verdict::Unexplained => verdict.words(),
    }
}

/// Whether the verdict names two.
pub(super) fn names_both(scene: &Scene<'_>, classes: &StepClasses) -> bool {
    scene.limits_as_well(classes) && word(scene, classes) == both(scene.verdict(classes))
}

/// GPUs run kernels, and whether these compute or exchange data is not known.
pub(super) const BUSY: &str = "GPU-bound or communication-bound";

/// A saving below this share is not worth a place in the verdict.
pub(in crate::advice) const WORTH_PERCENT: f64 = 2.0;

/// The verdict in a word: a thread that sleeps is no CPU that is too slow, nor is work that is done once, and a thread that waits for
/// another one no input.
pub(super) fn word(scene: &Scene<'_>, classes: &StepClasses) -> &'static str {
    match scene.verdict(classes) {
        Verdict::Cpu if classes.sync_ns <= classes.cpu_ns && is_start_up(scene, classes) => SET_UP,
        Verdict::Cpu if scene.waits_for_sleeper(classes) => WAITING,
        Verdict::Input if waits_for_thread(scene).is_some() => WAITING,
        verdict if scene.limits_as_well(classes) => both(verdict),
        verdict => verdict.words(),
    }
}

/// The share of the time in which GPUs compute: the class of a step, with the pauses between two queued kernels.
pub(super) fn computing(scene: &Scene<'_>) -> Figure {
    let share = |classes: StepClasses| percent(classes.gpu_ns, classes.length_ns);
    Figure::Percent(scene.told_classes().map_or(0.0, share), 1)
}

/// The part of that in which the GPU changes from one queued kernel to the next; nothing where it is small.
fn pauses(scene: &Scene<'_>) -> Figure {
    let share = scene.share(scene.idle(&[Cause::Turnaround]));
    Figure::Clause(Box::new(match share >= WORTH_PERCENT {
        true => Sentence::new(
            " with pauses between queued kernels, which take {}",
            vec![Figure::Percent(share, 1)],
        ),
        false => "".into(),
    }))
}

/// What is said where GPUs run kernels all of the time, and names do not tell what these do.
fn busy(scene: &Scene<'_>, untold: [Figure; 2]) -> Sentence {
    let figures = [limit(scene, BUSY), computing(scene)];
    Sentence::new(
        "{}: GPUs run kernels {} of the time. The names of those that take {} of the kernel time, most of it `{}`, do not \
         tell whether they compute or exchange data",
        figures.into_iter().chain(untold).collect(),
    )
}

/// The share of the time in which kernels run, in words: whether all of them compute is not always known.
pub(super) fn run_or_compute(scene: &Scene<'_>) -> Figure {
    let words = if scene.untold().is_some() { "run kernels" } else { "compute" };
    Figure::Text(words.to_owned())
}

/// What limits the steps, with its share.
pub(super) fn opening(scene: &Scene<'_>, classes: &StepClasses) -> Sentence {
    let verdict = scene.verdict(classes);
    let share =
        |ns| vec![limit(scene, word(scene, classes)), Figure::Percent(percent(ns, classes.length_ns), 1)];
    if scene.is_paced(classes) {
        let idle = Figure::Percent(scene.share(scene.gpu_time().idle_ns()), 1);
        let figures = vec![limit(scene, word(scene, classes)), idle];
        let template = match verdict {
            Verdict::Input => "{}: input paces GPUs, which idle {} of the time",
            _ => "{}: the host paces GPUs, which idle {} of the time",
        };
        return Sentence::new(template, figures);
    }
    if names_both(scene, classes) {
        return opening_of_both(scene, classes);
    }
    match verdict {
        Verdict::Gpu => {
            let figures = vec![limit(scene, verdict.words()), computing(scene)];
            match scene.kernels().graphs_share() {
                graphs if graphs >= WORTH_PERCENT => Sentence::new(
                    "{}: GPUs run kernels or whole CUDA graphs {} of the time. What happens inside the graphs, which take {} of \
                     the kernel time, is not known",
                    figures.into_iter().chain([Figure::Percent(graphs, 0)]).collect(),
                ),
                _ => match scene.untold() {
                    Some(untold) => busy(scene, untold),
                    None => {
                        let figures = figures.into_iter().chain([pauses(scene)]).collect();
                        Sentence::new("{}: GPU compute takes {} of the time{}", figures)
                    }
                },
            }
        }
        Verdict::Input if let Some(function) = waits_for_thread(scene) => Sentence::new(
            "{}: GPUs idle {} of the time while the thread that launches waits, mostly in `{}` for another thread of the program",
            vec![
                limit(scene, word(scene, classes)),
                Figure::Percent(percent(classes.input_ns, classes.length_ns), 1),
                Figure::Text(function),
            ],
        ),
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
        Verdict::Cpu if is_start_up(scene, classes) => {
            keeps_idle(scene, word(scene, classes), scene.once().of_cpu_ns())
        }
        Verdict::Cpu if scene.waits_for_sleeper(classes) => Sentence::new(
            "{}: GPUs idle {} of the time for the thread that launches, which sleeps most of it",
            share(classes.cpu_ns),
        ),
        Verdict::Cpu => Sentence::new("{}: GPUs wait for the CPU {} of the time", share(classes.cpu_ns)),
        Verdict::Unexplained => unexplained(scene, classes),
    }
}

/// How long GPUs idle for work that is done once, as the finding about it says, with the ranges or calls that have most of a part of it.
fn keeps_idle(scene: &Scene<'_>, word: &'static str, part_ns: Ns) -> Sentence {
    let figures = vec![
        limit(scene, word),
        Figure::Percent(scene.share(scene.once().total_ns()), 1),
        named_once(scene, scene.per_gpu(part_ns)),
    ];
    Sentence::new("{}: work that is done once keeps GPUs idle {} of the time{}", figures)
}

/// The same where GPUs compute for longer than that takes.
fn opening_of_both(scene: &Scene<'_>, classes: &StepClasses) -> Sentence {
    let (template, ns) = match scene.verdict(classes) {
        Verdict::Input => ("{}: GPUs {} {} of the time and wait for input {}", classes.input_ns),
        Verdict::Communication => {
            ("{}: GPUs {} {} of the time; exchange that nothing hides takes {}", classes.communication_ns)
        }
        Verdict::Copy => ("{}: GPUs {} {} of the time; copies that nothing hides take {}", classes.copy_ns),
        _ if classes.sync_ns > classes.cpu_ns => {
            ("{}: GPUs {} {} of the time and wait after a sync {}", classes.sync_ns)
        }
        _ => ("{}: GPUs {} {} of the time and wait for the CPU {}", classes.cpu_ns),
    };
    Sentence::new(
        template,
        vec![
            limit(scene, word(scene, classes)),
            run_or_compute(scene),
            computing(scene),
            Figure::Percent(percent(ns, classes.length_ns), 1),
        ],
    )
}

/// Whether the work runs once and GPUs mostly wait for launches that the host prepares for the first time.
pub(in crate::advice) fn is_cold_pass(scene: &Scene<'_>) -> bool {
    let Some(classes) = scene.told_classes().filter(|classes| classes.length_ns > 0) else { return false };
    scene.verdict(&classes) == Verdict::Cpu
        && classes.sync_ns <= classes.cpu_ns
        && !scene.limits_as_well(&classes)
        && scene.is_first_pass()
        && !is_start_up(scene, &classes)
        && !scene.waits_for_sleeper(&classes)
}

/// That the work runs once, with what GPUs did meanwhile: how long steps take once everything ran before is not known.
pub(super) fn cold_pass(scene: &Scene<'_>, classes: &StepClasses) -> Sentence {
    Sentence::new(
        "One cold pass: nothing repeats. GPUs compute {} of the time and wait for the CPU {}{}. To judge steps, run several \
         passes and profile later ones",
        vec![
            computing(scene),
            Figure::Percent(percent(classes.cpu_ns, classes.length_ns), 1),
            in_markers(scene, classes),
        ],
    )
}

/// The share of the time that DLProf's markers hold the program up, where that is a quarter or more of what GPUs wait for the CPU.
fn in_markers(scene: &Scene<'_>, classes: &StepClasses) -> Figure {
    let ns = scene.per_gpu(scene.markers_idle_ns());
    let share = percent(ns, classes.length_ns);
    Figure::Clause(Box::new(match 4 * ns >= classes.cpu_ns {
        true => Sentence::new(", at least {} in DLProf's markers", vec![Figure::Percent(share, 1)]),
        false => "".into(),
    }))
}

/// The range or calls that have half or more of the work that is done once, after words about it.
fn named_once(scene: &Scene<'_>, once_ns: Ns) -> Figure {
    let named = scene.most_done_once(once_ns);
    let template = match named.len() {
        0 => "",
        1 => ": {} in `{}`",
        _ => ": {} in `{}` and {} in `{}`",
    };
    let figures = named.into_iter().flat_map(|(name, ns)| [Figure::Time(to_f64(ns)), Figure::Text(name)]);
    Figure::Clause(Box::new(Sentence::new(template, figures.collect())))
}

/// Whether the host mostly does work that is done once while GPUs wait for it.
pub(super) fn is_start_up(scene: &Scene<'_>, classes: &StepClasses) -> bool {
    2 * scene.per_gpu(scene.once().of_cpu_ns()) > classes.cpu_ns
}

/// The verdict in a word, and which iterations it is about where others are aggregated too, or where they are the smaller part of
/// the run.
pub(super) fn limit(scene: &Scene<'_>, word: &'static str) -> Figure {
    let mut words = word.to_owned();
    let iterations = &scene.profile.iterations;
    let Some(judged) = scene.judged_iterations() else { return Figure::Text(words) };
    if let Some(run) = scene.whole_run() {
        words += &in_iterations(&judged);
        let figures = vec![Figure::Text(words), Figure::Percent(run.window_percent, 0)];
        return Figure::Clause(Box::new(Sentence::new("{} ({} of it)", figures)));
    }
    if scene.is_left_out {
        words += &in_iterations(&judged);
        words += match judged.start() == judged.end() {
            true => ", which is left out because it is far from the others",
            false => ", which are left out because they are far from the others",
        };
    // The last one alone is cut, as in most captures.
    } else if scene.left_out_of_trend().is_some()
        || scene.places.start > 0 && judged.end() + 1 < iterations.stop
    {
        words += &in_iterations(&judged);
    } else if scene.places.start > 0 {
        words += &format!(" after start-up (iterations {} to {})", judged.start(), judged.end());
    }
    Figure::Text(words)
}

/// The judged iterations in words, where others are aggregated too: ` in iterations 2 to 4`.
pub(super) fn in_judged_part(scene: &Scene<'_>) -> Option<String> {
    let is_part = scene.is_left_out || scene.places.start > 0 || scene.left_out_of_trend().is_some();
    scene.judged_iterations().filter(|_| is_part).map(|judged| in_iterations(&judged))
}

/// What is said of idle time that counts to no class that names it: the cause with most of it, if there is one; else what CPU
/// samples say; that nothing tells why only where this is so.
fn unexplained(scene: &Scene<'_>, classes: &StepClasses) -> Sentence {
    let share = |ns: Ns| Figure::Percent(percent(ns, classes.length_ns), 1);
    let other = share(classes.other_ns);
    if is_mostly_once(scene, classes) {
        let once_ns = StepClass::Other.causes().map(|cause| scene.once().of(cause)).sum();
        return keeps_idle(scene, SET_UP, once_ns);
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
        let idle_ns = scene.per_gpu(scene.gpu_time().idle_ns());
        // Nearly all of it needs no second figure.
        if 20 * ns >= 19 * idle_ns {
            let figures = vec![limit(scene, WAITING), share(idle_ns), mostly];
            return Sentence::new("{}: GPUs idle {} of the time {}", figures);
        }
        let figures = vec![limit(scene, WAITING), share(idle_ns), share(ns), mostly];
        return Sentence::new("{}: GPUs idle {} of the time. {} of the time they idle {}", figures);
    }
    let word = word_of_idle(scene, classes);
    if is_before_other_work(scene) {
        let capture = &scene.profile.capture;
        let is_trace = capture.recorder.is_torch_profiler();
        let template = match (scene.waits_for_host_memory(), is_trace) {
            (true, _) => {
                "{}: GPUs idle {} of the time, most of it before unified memory migrates to the host, which uses it"
            }
            (false, _) if capture.api_calls.is_empty() => {
                "{}: GPUs idle {} of the time; API calls were not recorded, so that nothing says why"
            }
            (false, true) if capture.begins_with_earlier_work() => {
                "{}: GPUs idle {} of the time, most of it before work that was launched before the recording began"
            }
            (false, true) => {
                "{}: GPUs idle {} of the time, most of it before work whose call was not recorded, so that nothing says why"
            }
            (false, false) => {
                "{}: GPUs idle {} of the time, most of it before work whose API call was not recorded"
            }
        };
        return Sentence::new(template, vec![limit(scene, word), other]);
    }
    let told = scene.unexplained();
    let unknown_ns = scene.lasting_idle(Cause::Unknown);
    let once_ns = scene.once().total_ns() + unknown_ns;
    match told.said(scene, share(scene.per_gpu(unknown_ns))) {
        // Start-up is more than what no call explains of it.
        Some(said) if told.is_done_once() && 10 * once_ns >= 11 * unknown_ns => Sentence::new(
            "{}: work that is done once keeps GPUs idle {} of the time. {}",
            vec![limit(scene, word), share(scene.per_gpu(once_ns)), Figure::Clause(Box::new(said))],
        ),
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

/// The verdict in a word, of idle time that counts to no class that names it.
pub(super) fn word_of_idle(scene: &Scene<'_>, classes: &StepClasses) -> &'static str {
    if is_mostly_once(scene, classes) {
        return SET_UP;
    }
    if most_named(scene).is_some() {
        return WAITING;
    }
    if is_before_other_work(scene) {
        return if scene.waits_for_host_memory() { WAITING } else { Verdict::Unexplained.words() };
    }
    match scene.unexplained() {
        Unexplained::Computes(..) | Unexplained::Runs(..) => Verdict::Cpu.words(),
        Unexplained::Creates(..) | Unexplained::LoadsCode(..) => SET_UP,
        Unexplained::Between(..) => WAITING,
        Unexplained::ReadsFiles(..)
        | Unexplained::Sampled(..)
        | Unexplained::EarlierWork
        | Unexplained::Nothing => Verdict::Unexplained.words(),
    }
}

/// What is said of a window in which too little ran to say what limits the program.
pub(super) fn too_short(scene: &Scene<'_>) -> Sentence {
    let time = scene.gpu_time();
    Sentence::new(
        "Too short to judge: kernels ran {} in {}, {} of that time",
        vec![
            match scene.kernels().launches {
                1 => Figure::Text("once".to_owned()),
                times => Figure::Clause(Box::new(Sentence::new("{} times", vec![Figure::Count(times)]))),
            },
            Figure::Time(to_f64(scene.span.length())),
            Figure::Percent(percent(time.compute_ns + time.communication_ns, time.length_ns), 0),
        ],
    )
}
