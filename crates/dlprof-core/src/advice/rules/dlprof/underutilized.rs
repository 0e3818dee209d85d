//! DLProf's detector of GPUs without kernels, or with few: which class of the time its advice is about.

use super::super::capture::launches_without_kernels;
use super::LOW_UTILIZATION;
use super::checks::is_with_ours;
use crate::advice::finding::{EvidenceKind, Finding, Severity};
use crate::advice::question::Question;
use crate::advice::rule::Limits;
use crate::advice::scene::Scene;
use crate::advice::sentence::{Figure, Sentence};
use crate::advice::unexplained::Unexplained;
use crate::base::ratios::percent;
use crate::capture::classified::Cause;
use crate::figures::activity::{StepClasses, Verdict};
use crate::figures::profile::DeviceStats;
use crate::steps::index::Resources;

/// Some GPUs ran no kernel, or those that are used run kernels for a small part of the time. If no kernel was recorded, every
/// GPU is named, as DLProf does. Beside our own rules both are said.
pub(super) fn underutilized_gpu(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    // Our rule `no_gpu_trace` says it better, and of a trace without kernels it is not known what GPUs did.
    let is_trace = scene.profile.capture.recorder.is_torch_profiler() && !scene.profile.has_kernel_records();
    if is_with_ours(scene) && (is_trace || launches_without_kernels(scene).is_some()) {
        return None;
    }
    // Other rules say which records are missing.
    if is_with_ours(scene) && scene.profile.what_hides_gpu_time().is_some() {
        return None;
    }
    let unused = unused_gpus(scene);
    if unused.is_some() && (!is_with_ours(scene) || !scene.profile.has_kernel_records()) {
        return unused;
    }
    match (little_used_gpus(scene, limits), unused) {
        (Some(little), Some(unused)) => Some(with_unused(little, unused)),
        (little, unused) => little.or(unused),
    }
}

/// A finding on GPUs that are used, and what is found of the others.
fn with_unused(mut finding: Finding, unused: Finding) -> Finding {
    let clause = |sentence: &Sentence| Figure::Clause(Box::new(sentence.clone()));
    finding.problem = Sentence::new("{}; {}", vec![clause(&finding.problem), clause(&unused.problem)]);
    finding.recommendation = Sentence::new(
        "{}. Of the other GPUs: {}",
        vec![clause(&finding.recommendation), clause(&unused.recommendation)],
    );
    finding.figures.extend(unused.figures);
    finding.evidence.extend(unused.evidence);
    finding
}

/// GPUs on which no kernel ran.
fn unused_gpus(scene: &Scene<'_>) -> Option<Finding> {
    let profile = scene.profile;
    if profile.capture.recorder.is_torch_profiler() {
        // A trace holds one process, and lists the GPUs of all.
        return None;
    }
    if is_with_ours(scene)
        && (!profile.ledger().processes_without_records().is_empty() || profile.is_one_rank_of_many())
    {
        // They may be the GPUs of these processes, or of other ranks.
        return None;
    }
    let (problem, advice) = match profile.capture.counts().kernels {
        0 => (
            "No kernel was recorded on {}",
            "Check that kernels are traced (`nsys profile --trace=cuda,nvtx`) and that the program uses the GPUs",
        ),
        _ if !scene.is_pytorch() && is_with_ours(scene) => (
            "No kernel ran on {}",
            "Use all GPUs: check `CUDA_VISIBLE_DEVICES` and how the program is launched, such as one process per GPU; or profile \
             with fewer GPUs visible",
        ),
        _ => (
            "No kernel ran on {}",
            "Use all GPUs: check `CUDA_VISIBLE_DEVICES` and how the program is launched, for example one process per \
             GPU with `torchrun`; or profile with fewer GPUs visible",
        ),
    };
    let is_unused = |device: &&DeviceStats| device.resources.kernel_ns() == 0;
    let unused: Vec<String> = profile
        .devices
        .iter()
        .filter(is_unused)
        .map(|device| profile.capture.devices[device.device.index()].device_id.to_string())
        .collect();
    if unused.is_empty() {
        return None;
    }
    // A copy or memset needs a context as well.
    let works = |device: &DeviceStats| {
        profile.capture.devices[device.device.index()].has_context || device.resources.memory_ns > 0
    };
    let is_meant = profile.devices.iter().filter(is_unused).any(works);
    let is_known = profile.capture.devices.iter().any(|device| device.has_context);
    // A number by itself looks like a count.
    let numbers = format!("{} {}", if unused.len() == 1 { "GPU" } else { "GPUs" }, unused.join(", "));
    let (problem, advice, severity) = if !is_with_ours(scene) || !profile.has_kernel_records() || is_meant {
        (problem, advice, Severity::Warning)
    } else {
        let advice = "If the program is meant to use them, check `CUDA_VISIBLE_DEVICES` and how it is launched; else leave them \
            to others";
        let problem = match is_known {
            true => "The machine has more GPUs, on which the program made no context: {}",
            false => "The machine has more GPUs, and nothing shows that the program used them: {}",
        };
        (problem, advice, Severity::Note)
    };
    Some(
        Finding::new(Sentence::new(problem, vec![Figure::Text(numbers)]), advice)
            .at_most(severity)
            .count("unused_gpus", unused.len() as u64)
            .about(EvidenceKind::Gpu, unused)
            .show(Question::of("gpus").columns(["device_id", "gpu_name", "gpu_utilization_percent"])),
    )
}

/// Kernels run for a small part of the time.
fn little_used_gpus(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let profile = scene.profile;
    // As on the dashboard: if the capture began late or was cut, only the time covered by events counts.
    let (resources, of) = match profile.summary.covered_resources() {
        Some(covered) => (covered, "time covered by events"),
        None => (profile.summary.resources_all_gpus, "profiled time"),
    };
    let (utilization, of) = match is_with_ours(scene) {
        true => {
            let time = scene.gpu_time();
            (scene.share(time.compute_ns + time.exposed_communication_ns), "time")
        }
        false => (percent(resources.kernel_ns(), resources.total()), of),
    };
    if profile.devices.is_empty() || utilization >= limits.of(&LOW_UTILIZATION) {
        return None;
    }
    let advice = match scene.told_classes().filter(|_| is_with_ours(scene)) {
        Some(classes) => largest_step_class(scene, &classes)?,
        None => {
            let (class, share, advice) = largest_other_class(&resources);
            let figures =
                vec![Figure::Text(class.into()), Figure::Percent(share, 1), Figure::Text(advice.into())];
            Sentence::new("Most of the rest is {}, with {}. {}", figures)
        }
    };
    let finding = Finding::new(
        Sentence::new(
            "GPU kernels run for only {} of the {}",
            vec![Figure::Percent(utilization, 1), Figure::Text(of.into())],
        ),
        advice,
    )
    .percent(LOW_UTILIZATION.name, utilization);
    Some(finding.show(Question::of("gpus").columns(["device_id", "gpu_name", "gpu_utilization_percent"])))
}

/// The step class that limits the steps, its share, and where to see it, in a sentence; none if the GPU limits them.
fn largest_step_class(scene: &Scene<'_>, classes: &StepClasses) -> Option<Sentence> {
    let see = match (scene.iterations, scene.verdict(classes)) {
        (1.., _) => "`dlprof-agg show steps` has it by iteration",
        (0, Verdict::Copy) => "`dlprof-agg show copies` lists them",
        // GPUs are busy with most of it.
        (0, Verdict::Communication) => "`dlprof-agg show gpu-time` has what is exposed of it by GPU",
        (0, _) => "`dlprof-agg show idle-causes` says why GPUs idle",
    };
    let (words, ns) = match scene.verdict(classes) {
        Verdict::Gpu => return None,
        Verdict::Input => ("waiting for input", classes.input_ns),
        Verdict::Communication => ("communication that nothing hides", classes.communication_ns),
        Verdict::Copy => ("copies that nothing hides", classes.copy_ns),
        Verdict::Cpu if classes.sync_ns > classes.cpu_ns => {
            ("waiting until the CPU launches again", classes.sync_ns)
        }
        Verdict::Cpu if scene.waits_for_sleeper(classes) => {
            ("waiting for a launching thread that mostly sleeps", classes.cpu_ns)
        }
        // The page has what it computes among the rest.
        Verdict::Cpu if scene.classes().is_some_and(|own| own.cpu_ns < classes.cpu_ns) => {
            ("waiting for the CPU, or for what it computes", classes.cpu_ns)
        }
        Verdict::Cpu => ("waiting for the CPU", classes.cpu_ns),
        Verdict::Unexplained => return Some(largest_other_cause(scene, classes, see)),
    };
    Some(Sentence::new(
        "The largest part of the rest is {}, {} of the time. {}",
        vec![
            Figure::Text(words.into()),
            Figure::Percent(percent(ns, classes.length_ns), 1),
            Figure::Text(see.into()),
        ],
    ))
}

/// The same of idle time that counts to no class that names it: which cause has most of it, with its own share.
fn largest_other_cause(scene: &Scene<'_>, classes: &StepClasses, mut see: &'static str) -> Sentence {
    let all = Figure::Percent(percent(classes.other_ns, classes.length_ns), 1);
    let Some(cause) = scene.largest_other() else {
        return Sentence::new(
            "The largest part of the rest is other idle time, {} of the time. {}",
            vec![all, Figure::Text(see.into())],
        );
    };
    let words = match cause {
        Cause::Unknown => match scene.unexplained() {
            Unexplained::Computes(..) => {
                see = "`dlprof-agg show idle-functions` lists the functions that were sampled";
                "while the program computes on the CPU".to_owned()
            }
            Unexplained::Runs(..) => {
                see = "`dlprof-agg show idle-threads` says when the threads run";
                "while the program runs on the CPU".to_owned()
            }
            Unexplained::Creates(..) => "while a library gets ready".to_owned(),
            Unexplained::LoadsCode(..) => "while the program loads code".to_owned(),
            Unexplained::Between([before, behind]) => {
                format!("of which nearly all lies between the calls `{before}` and `{behind}`")
            }
            Unexplained::EarlierWork => {
                "before the first recorded work of a stream, which may wait for what was started before the recording".to_owned()
            }
            Unexplained::ReadsFiles(..) | Unexplained::Sampled(..) | Unexplained::Nothing => {
                "without a range or call that says why".to_owned()
            }
        },
        Cause::NoApiCall if scene.profile.capture.recorder.is_torch_profiler() => {
            "before work that was launched before the recording".to_owned()
        }
        Cause::NoApiCall if scene.waits_for_host_memory() => {
            "before unified memory migrates to the host".to_owned()
        }
        Cause::NoApiCall => "before work that no API call started".to_owned(),
        cause => format!("of the cause `{}`", cause.as_str()),
    };
    // Work done once is the matter of another rule.
    let ns = scene.per_gpu(scene.idle(&[cause]) - scene.once().of(cause));
    let share = Figure::Percent(percent(ns, classes.length_ns), 1);
    let [words, see] = [words, see.to_owned()].map(Figure::Text);
    match 20 * ns >= 19 * classes.other_ns {
        true => Sentence::new(
            "The largest part of the rest is idle time {}, {} of the time. {}",
            vec![words, share, see],
        ),
        false => Sentence::new(
            "The largest part of the rest is idle time that no other class names, {} of the time; the largest part of it is \
             idle time {}, {} of the time. {}",
            vec![all, words, share, see],
        ),
    }
}

/// The class with most time besides kernels, its share, and a recommendation. Of equal classes, the first.
fn largest_other_class(resources: &Resources) -> (&'static str, f64, &'static str) {
    let pipeline = "Check the input pipeline and the code that runs between the ops";
    let classes = [
        ("CPU", resources.cpu_ns, "Move work from the CPU to the GPU, or let the CPU run ahead of it"),
        (
            "copies and memsets",
            resources.memory_ns,
            "Copy less, or copy from pinned memory on a stream of its own while kernels run",
        ),
        ("data loading", resources.dataloader_ns, pipeline),
        ("I/O", resources.io_ns, "Read data in fewer, larger parts, or use a faster disk"),
        ("other time, outside all ops", resources.other_ns, pipeline),
    ];
    let largest = classes.into_iter().rev().max_by_key(|(_, ns, _)| *ns);
    largest
        .map_or(("CPU", 0.0, pipeline), |(class, ns, advice)| (class, percent(ns, resources.total()), advice))
}
