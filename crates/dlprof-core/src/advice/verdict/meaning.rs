//! What the verdict, and a cause of idle time, mean in plain words.

use super::opening::{SET_UP, WORTH_PERCENT, is_cold_pass, names_both, word};
use super::other_idle::{is_mostly_before_host_memory, is_mostly_once, unnamed};
use crate::advice::finding::{OTHER_WORK, without_kernels};
use crate::advice::judged::Judged;
use crate::advice::rules::waits_for_thread;
use crate::advice::scene::Scene;
use crate::advice::serving::verdict_of_server;
use crate::advice::unexplained::Unexplained;
use crate::capture::classified::Cause;
use crate::figures::activity::{StepClass, Verdict};

/// What work that is done once means.
const NOT_REPEATED: &str = "GPUs wait for work that a longer run does not repeat: look at later steps before you change the program.";

/// What the verdict means for what is worth changing, in plain words; `None` where the verdict says all that is known.
#[must_use]
pub fn verdict_meaning(judged: &Judged) -> Option<&'static str> {
    if let Some(error) = judged.findings().iter().find(|finding| finding.misleads) {
        return Some(if error.id == OTHER_WORK {
            "The GPU seems to be shared with other work. GPU times, causes and savings of this capture are not reliable. Measure the \
             program alone."
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
    if judged.is_about_server() && verdict_of_server(judged).is_some() {
        return None;
    }
    let scene = judged.scene();
    let classes = &scene.told_classes().filter(|classes| classes.length_ns > 0)?;
    if !scene.is_long_enough() {
        return Some(
            "No step repeats and the window is under 1 ms: capture several steps before you change the program.",
        );
    }
    if is_cold_pass(&scene) {
        return Some(
            "What runs for the first time loads code and prepares its launches, which later passes do not: profile these before you \
             change the program.",
        );
    }
    if scene.whole_run().is_some_and(|run| run.verdict != scene.verdict(classes)) {
        return Some(
            "What limits the judged iterations does not limit the whole run: judge the others too, with `--iter-start` and \
             `--iter-stop`, before you change the program.",
        );
    }
    let left_out = scene.profile_left_out();
    if left_out.is_some_and(|other| {
        let other = Scene::new(&other);
        other.told_classes().is_some_and(|others| other.verdict(&others) != scene.verdict(classes))
    }) {
        return Some(
            "What limits iterations changes with their length: judge those that matter, with `--iter-start` and `--iter-stop`, \
             before you change the program.",
        );
    }
    // Each sentence follows from the definition of its class alone, so that it holds whatever else a page says.
    Some(match scene.verdict(classes) {
        Verdict::Gpu if scene.kernels().graphs_share() >= WORTH_PERCENT => {
            "GPUs run the graphs nearly all of the time, but inside them they may wait, copy or exchange data. Profile with \
             `--cuda-graph-trace=node` before you look for faster kernels."
        }
        Verdict::Gpu if scene.untold().is_some() => {
            "Whether these kernels exchange data decides what shortens it: name those that do with `[kernels] communication` in the \
             settings, and look again."
        }
        Verdict::Gpu => {
            "Faster or fewer kernels shorten it most. A faster CPU or input pipeline hardly does: no kind of waiting, copying or \
             exchange takes a fifth of the time."
        }
        Verdict::Input if names_both(&scene, classes) => {
            "GPUs compute for longer than they wait for the next batch. Faster kernels shorten it. Loading faster or earlier does so too."
        }
        Verdict::Communication if names_both(&scene, classes) => {
            "GPUs compute for longer than they exchange data alone. Faster kernels shorten it. Exchanging less, or during other work, \
             does so too."
        }
        Verdict::Copy if names_both(&scene, classes) => {
            "GPUs compute for longer than they only copy. Faster kernels shorten it. Copying less, or during kernels, does so too."
        }
        Verdict::Input if waits_for_thread(&scene).is_some() => {
            "The thread that launches waits for another thread: what that one does takes this time, faster kernels do not take it away."
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
        Verdict::Cpu if word(&scene, classes) == SET_UP => NOT_REPEATED,
        Verdict::Cpu if names_both(&scene, classes) => {
            "GPUs compute for longer than they wait for the CPU. Faster kernels shorten it. Less work of the host before launches \
             does so too."
        }
        Verdict::Cpu if classes.sync_ns > classes.cpu_ns => {
            "The program waits for the GPU before it launches more: waiting less often takes this time away, faster kernels do \
             not."
        }
        Verdict::Cpu if scene.waits_for_sleeper(classes) => {
            "GPUs wait for a thread that itself sleeps or waits. What it waits for takes this time. Neither a faster CPU nor faster \
             kernels take it away."
        }
        Verdict::Cpu => {
            "GPUs wait for the program: launching earlier, or fewer and larger pieces of work, takes this time away, faster \
             kernels do not."
        }
        Verdict::Unexplained if is_mostly_once(&scene, classes) => NOT_REPEATED,
        Verdict::Unexplained if is_mostly_before_host_memory(&scene) => {
            "GPUs idle before unified memory migrates to the host, which uses it: using it there less often takes this time \
             away, faster kernels do not."
        }
        Verdict::Unexplained if unnamed(&scene).is_some_and(|told| told.is_done_once()) => {
            "GPUs wait while the program gets ready, which a longer run does not repeat: look at later steps before you change \
             the program."
        }
        Verdict::Unexplained
            if matches!(unnamed(&scene), Some(Unexplained::Computes(..) | Unexplained::Runs(..))) =>
        {
            "GPUs wait for the program, which computes on the CPU: doing that faster, or while GPUs work, takes this time away, \
             faster kernels do not. No call or range names this work, so that charts and tables have it as `other`."
        }
        Verdict::Unexplained => {
            "For most of this time nothing recorded says what GPUs wait for. Look at the causes of idle time before you change \
             the program."
        }
    })
}

/// The words for a class of a step. Where the names of kernels with much of the time do not tell, it is not known that GPUs compute.
#[must_use]
pub fn class_in_words(judged: &Judged, class: StepClass) -> &'static str {
    match class {
        StepClass::Gpu if judged.bare_scene().untold().is_some() => "GPU kernels",
        _ => class.words(),
    }
}

/// The words for a cause of idle time, with what else tells about most of it where it matters.
#[must_use]
pub fn cause_in_words(judged: &Judged, cause: Cause) -> &'static str {
    let scene = judged.bare_scene();
    let is_much = |least: f64| scene.share(scene.idle(&[cause])) >= least;
    let told = match cause {
        Cause::Unknown if is_much(LEAST_UNKNOWN_PERCENT) => unknown_in_words(&scene),
        Cause::NoApiCall if scene.idle(&[cause]) == 0 => None,
        Cause::NoApiCall if judged.capture.api_calls.is_empty() => Some("API calls were not recorded"),
        Cause::NoApiCall if judged.capture.kineto.is_some() => {
            Some(match judged.capture.begins_with_earlier_work() {
                true => "launched earlier",
                false => "API call not in the trace",
            })
        }
        Cause::Allocation if is_much(LEAST_ALLOCATION_PERCENT) => allocation_in_words(&scene),
        _ => None,
    };
    told.unwrap_or(cause.words())
}

/// From this share of the time on what else tells about time of the cause `unknown` is looked for.
const LEAST_UNKNOWN_PERCENT: f64 = 5.0;

/// The same of the cause `allocation`, and whether it is done once.
const LEAST_ALLOCATION_PERCENT: f64 = 5.0;

/// The share of the time in which GPUs idle while the program is known to compute or run on the CPU, though no call and no range
/// says so: a part of the class `other`. `None` where nothing tells.
#[must_use]
pub fn computing_percent(judged: &Judged) -> Option<f64> {
    let scene = judged.bare_scene();
    let computing_ns = scene.computing_ns();
    (computing_ns > 0).then(|| scene.share(computing_ns))
}

/// What a new capture should record to tell about idle time of which nothing recorded says what the host does: options of nsys, or
/// ranges where CPU samples and calls of the operating system were recorded; `None` where such time is under a twentieth, or
/// something tells.
#[must_use]
pub fn what_would_tell(judged: &Judged) -> Option<String> {
    judged.bare_scene().what_would_tell()
}

/// The cause `unknown` in words, with what CPU samples, scheduling or loads of code say about most of it; `None` where they say
/// nothing.
fn unknown_in_words(scene: &Scene<'_>) -> Option<&'static str> {
    match scene.unexplained() {
        Unexplained::Computes(..) => Some("unknown (CPU samples: computing)"),
        Unexplained::Runs(..) => Some("unknown (scheduling: on the CPU)"),
        Unexplained::Creates(..) => Some("unknown (CPU samples: a library gets ready)"),
        Unexplained::LoadsCode(..) => Some("unknown (loading code)"),
        Unexplained::EarlierWork => Some("unknown (before the first work of a stream)"),
        Unexplained::Sampled(..)
        | Unexplained::Between(..)
        | Unexplained::ReadsFiles(..)
        | Unexplained::Nothing => None,
    }
}

/// The cause `allocation` in words, where at least half of it is work that is done once: the first call that needs a context makes
/// it, and a library that is made ready takes and gives back memory.
fn allocation_in_words(scene: &Scene<'_>) -> Option<&'static str> {
    let (idle_ns, once_ns) = (scene.idle(&[Cause::Allocation]), scene.once().of(Cause::Allocation));
    (once_ns > 0 && 2 * once_ns >= idle_ns).then_some("CPU: allocation (done once)")
}
