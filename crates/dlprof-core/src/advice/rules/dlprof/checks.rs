//! The functions of DLProf's detectors.

use super::super::capture::launches_without_kernels;
use super::{HIGH_DATALOADER, LOW_MEMORY, LOW_UTILIZATION, UNSTEADY};
use crate::advice::finding::{Confidence, EvidenceKind, Finding, Severity};
use crate::advice::question::Question;
use crate::advice::rule::Limits;
use crate::advice::scene::Scene;
use crate::advice::sentence::{Figure, Sentence};
use crate::advice::unexplained::Unexplained;
use crate::base::ratios::{percent, to_f64};
use crate::capture::classified::Cause;
use crate::capture::correlate::{Label, Mode, is_16_bit};
use crate::figures::activity::{StepClasses, Verdict};
use crate::figures::profile::{DeviceStats, OpStats};
use crate::steps::index::Resources;
use crate::steps::iterate::FigureRules;
use std::cmp::Reverse;

/// Whether our own rules speak as well, which is everywhere but in DLProf's reports.
fn is_with_ours(scene: &Scene<'_>) -> bool {
    scene.profile.iterations.windows.rules == FigureRules::Ours
}

/// TensorFlow runs, but no op was compiled by XLA.
pub(super) fn no_fusion(scene: &Scene<'_>, _: &Limits<'_>) -> Option<Finding> {
    let capture = &scene.profile.capture;
    let is_xla = |label: &Label| label.op_type.to_ascii_lowercase().contains("xla");
    if capture.description.mode != Mode::Tensorflow || capture.description.labels.iter().any(is_xla) {
        return None;
    }
    let finding = Finding::new(
        "No op is fused: TensorFlow runs without XLA",
        "Let XLA fuse ops into fewer kernels: `tf.function(jit_compile=True)`, or the environment variable \
         `TF_XLA_FLAGS=--tf_xla_auto_jit=2`",
    );
    Some(finding.show(Question::of("op_types").sorted_by(["-gpu_time_ns"])))
}

/// Ops could use Tensor Cores, but none has a 16-bit data type.
pub(super) fn amp(scene: &Scene<'_>, _: &Limits<'_>) -> Option<Finding> {
    let profile = scene.profile;
    let mut bad: Vec<&OpStats> = profile.op_stats.iter().filter(|op| op.is_bad_data_type).collect();
    let has_16_bit =
        profile.op_stats.iter().any(|op| op.tc_eligible && is_16_bit(&profile.label(op.op).data_type));
    // DLProf looks at the compute capability alone.
    let is_in_vain = is_with_ours(scene) && !scene.has_tensor_cores();
    if bad.is_empty() || has_16_bit || is_in_vain {
        return None;
    }
    let ops = if bad.len() == 1 { "1 op".to_owned() } else { format!("{} ops", bad.len()) };
    let finding = Finding::new(
        Sentence::new(
            "{} could run on Tensor Cores, but no op computes in FP16 or BF16",
            vec![Figure::Text(ops)],
        ),
        match profile.capture.description.mode.is_pytorch() {
            true => {
                "Turn on automatic mixed precision (AMP), in PyTorch with `torch.autocast`; see \
                 https://developer.nvidia.com/automatic-mixed-precision"
            }
            false => {
                "Turn on automatic mixed precision (AMP); see https://developer.nvidia.com/automatic-mixed-precision"
            }
        },
    )
    .count("bad_data_type_ops", bad.len() as u64);
    bad.sort_by_key(|op| (Reverse(op.times.gpu.sum), op.op));
    let ids = bad.iter().take(5).map(|op| profile.op_id(op.op));
    Some(finding.about(EvidenceKind::Op, ids).show(
        Question::of("ops").rows_where("tc_eligible = yes and using_tc = no").sorted_by(["-gpu_time_ns"]),
    ))
}

/// Some GPUs ran no kernel, or those that are used run kernels for a small part of the time. If no kernel was recorded, every
/// GPU is named, as DLProf does. Beside our own rules both are said.
pub(super) fn underutilized_gpu(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    // Our rule `no_gpu_trace` says it better.
    if is_with_ours(scene) && launches_without_kernels(scene).is_some() {
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
    let (problem, advice) = match profile.capture.counts().kernels {
        0 => (
            "No kernel was recorded on these GPUs: {}",
            "Check that kernels are traced (`nsys profile --trace=cuda,nvtx`) and that the program uses the GPUs",
        ),
        _ if !scene.is_pytorch() && is_with_ours(scene) => (
            "No kernel ran on these GPUs: {}",
            "Use all GPUs: check `CUDA_VISIBLE_DEVICES` and how the program is launched, such as one process per GPU; or profile \
             with fewer GPUs visible",
        ),
        _ => (
            "No kernel ran on these GPUs: {}",
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
        Finding::new(Sentence::new(problem, vec![Figure::Text(unused.join(" "))]), advice)
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
    let advice = match scene.classes().filter(|_| is_with_ours(scene)) {
        Some(classes) => largest_step_class(scene, classes)?,
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
    let see = match (scene.iterations, classes.verdict()) {
        (1.., _) => "`dlprof-agg show steps` has it by iteration",
        (0, Verdict::Copy) => "`dlprof-agg show copies` lists them",
        // GPUs are busy with most of it.
        (0, Verdict::Communication) => "`dlprof-agg show gpu-time` has what is exposed of it by GPU",
        (0, _) => "`dlprof-agg show idle-causes` says why GPUs idle",
    };
    let (words, ns) = match classes.verdict() {
        Verdict::Gpu => return None,
        Verdict::Input => ("waiting for input", classes.input_ns),
        Verdict::Communication => ("communication that nothing hides", classes.communication_ns),
        Verdict::Copy => ("copies that nothing hides", classes.copy_ns),
        Verdict::Cpu if classes.sync_ns > classes.cpu_ns => {
            ("waiting until the CPU launches again", classes.sync_ns)
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
fn largest_other_cause(scene: &Scene<'_>, classes: &StepClasses, see: &'static str) -> Sentence {
    let all = Figure::Percent(percent(classes.other_ns, classes.length_ns), 1);
    let see = Figure::Text(see.into());
    let Some(cause) = scene.largest_other() else {
        return Sentence::new(
            "The largest part of the rest is other idle time, {} of the time. {}",
            vec![all, see],
        );
    };
    let words = match cause {
        Cause::Unknown => match scene.unexplained() {
            Unexplained::Computes(..) => "while the program computes on the CPU".to_owned(),
            Unexplained::Creates(..) => "while a library gets ready".to_owned(),
            Unexplained::LoadsCode(..) => "while the program loads code".to_owned(),
            Unexplained::Between([before, behind]) => {
                format!("of which nearly all lies between the calls `{before}` and `{behind}`")
            }
            Unexplained::ReadsFiles(..) | Unexplained::Sampled(..) | Unexplained::Nothing => {
                "without a range or call that says why".to_owned()
            }
        },
        Cause::NoApiCall if scene.waits_for_host_memory() => {
            "before unified memory migrates to the host".to_owned()
        }
        Cause::NoApiCall => "before work that no API call started".to_owned(),
        cause => format!("of the cause `{}`", cause.as_str()),
    };
    // Work done once is the matter of another rule.
    let ns = scene.per_gpu(scene.idle(&[cause]) - scene.once().of(cause));
    let share = Figure::Percent(percent(ns, classes.length_ns), 1);
    let words = Figure::Text(words);
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

/// GPUs that wait for input less than this need no better loader.
const LITTLE_INPUT_PERCENT: f64 = 1.0;

/// PyTorch waits for data, or loads data without DALI.
pub(super) fn dataloader(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let profile = scene.profile;
    if !profile.capture.description.mode.is_pytorch() {
        return None;
    }
    let resources = &profile.summary.resources_all_gpus;
    let share = percent(resources.dataloader_ns, resources.total());
    let show = Question::of("steps")
        .columns(["iteration", "length_ns", "input_ns", "reader_cost_ns", "os_io_ns"])
        .sorted_by(["-input_ns"]);
    if share > limits.of(&HIGH_DATALOADER) {
        let finding = Finding::new(
            Sentence::new(
                "{} of the profiled time the GPU is idle while the data loader works",
                vec![Figure::Percent(share, 1)],
            ),
            "Give the data loader more workers and pinned memory, do less per sample, or load on the GPU with NVIDIA DALI: \
             https://developer.nvidia.com/DALI",
        );
        return Some(finding.percent(HIGH_DATALOADER.name, share).sure(Confidence::High).show(show));
    }
    let is_dali = |name: &str| name.to_ascii_lowercase().contains("dali");
    let uses_dali = profile
        .op_stats
        .iter()
        .any(|op| is_dali(profile.op_name(op.op)) || is_dali(&profile.label(op.op).op_type));
    let input = || scene.share(scene.idle(&[Cause::DataLoading, Cause::InputWait, Cause::Io]));
    if resources.dataloader_ns != 0 || uses_dali || (is_with_ours(scene) && input() < LITTLE_INPUT_PERCENT) {
        return None;
    }
    let finding = Finding::new(
        "Data is not loaded with DALI",
        "If loading data takes long, consider NVIDIA DALI, which loads and augments on the GPU: \
         https://developer.nvidia.com/DALI",
    );
    Some(finding.show(show))
}

/// There is no key node.
pub(super) fn no_iterations(scene: &Scene<'_>, _: &Limits<'_>) -> Option<Finding> {
    let profile = scene.profile;
    if profile.iterations.key_node.is_some() || profile.capture.description.mode == Mode::Simple {
        return None;
    }
    let problem = match (is_with_ours(scene), profile.has_gpu_work()) {
        (false, _) => "The whole capture is one iteration, because no key node was found or given",
        (true, true) => {
            "No key node was found or given, so that all figures are of one window of the GPU span"
        }
        (true, false) => "No key node was found or given, so that all figures are of one window",
    };
    if let Some(one) = profile.iterations.candidates.first()
        && is_with_ours(scene)
    {
        let advice = Sentence::new(
            "Name an op or range that runs once per iteration with `--key-node`, or mark each step with an NVTX range and \
             profile several steps; `dlprof-agg show key-nodes FILE` lists {}",
            vec![Figure::Text(match profile.iterations.candidates.len() {
                1 => format!(
                    "the only candidate that was found, `{}`, which is not sure enough (score {:.2})",
                    one.key_node, one.score
                ),
                several => format!("{several} candidates, of which none is sure enough"),
            })],
        );
        return Some(Finding::new(problem, advice).show(Question::of("key_nodes")));
    }
    if is_with_ours(scene) {
        let advice = "Name an op or range that runs once per iteration with `--key-node`, or mark each step with an NVTX range \
            and profile several steps";
        return Some(Finding::new(problem, advice).show(Question::of("iterations")));
    }
    let advice = "Choose an op or range that runs once per iteration with `--key-node`; `dlprof-agg show key-nodes FILE` lists \
        the candidates";
    Some(Finding::new(problem, advice).show(Question::of("key_nodes")))
}

/// The times of the aggregated iterations vary widely, and there is a sequence of steady iterations.
pub(super) fn iteration_range(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let profile = scene.profile;
    let summary = &profile.summary;
    let iterations = &profile.iterations;
    let deviation = 100.0 * summary.iteration_deviation_ns / summary.average_iteration_ns.max(1.0);
    if deviation <= limits.of(&UNSTEADY) || (is_with_ours(scene) && iterations.durations().len() >= 5) {
        return None;
    }
    let (start, stop) = (iterations.start, iterations.stop);
    let (from, to) = iterations.steady_range().filter(|&range| range != (start, stop))?;
    let windows = &iterations.windows;
    let steady_ns = windows.span(to).end - windows.span(from).start;
    let finding = Finding::new(
        Sentence::new(
            "The times of iterations {} to {} vary widely: the standard deviation is {} of the mean",
            vec![Figure::Count(start.into()), Figure::Count(stop.into()), Figure::Percent(deviation, 0)],
        ),
        Sentence::new(
            "Aggregate steady iterations, which take {} on average: `--iter-start {} --iter-stop {}`, or \
             `--iter-range steady`",
            vec![
                Figure::Time(to_f64(steady_ns) / f64::from(to - from + 1)),
                Figure::Count(from.into()),
                Figure::Count(to.into()),
            ],
        ),
    );
    let finding = finding
        .percent(UNSTEADY.name, deviation)
        .count("steady_from", from.into())
        .count("steady_to", to.into());
    Some(finding.show(Question::of("iterations").sorted_by(["-duration_ns"])))
}

/// Convolutions ran without cuDNN choosing the fastest algorithm.
pub(super) fn cudnn_benchmark(scene: &Scene<'_>, _: &Limits<'_>) -> Option<Finding> {
    let profile = scene.profile;
    let is_convolution = |op: &&OpStats| profile.label(op.op).op_type.starts_with("conv");
    let mut convolutions: Vec<&OpStats> = profile.op_stats.iter().filter(is_convolution).collect();
    if convolutions.is_empty() || !profile.capture.description.model_config.cudnn_benchmark_disabled {
        return None;
    }
    convolutions.sort_by_key(|op| (Reverse(op.times.gpu.sum), op.op));
    let finding = Finding::new(
        "Convolutions run without cuDNN's benchmark mode",
        "If input shapes seldom change, set `torch.backends.cudnn.benchmark = True`, so that cuDNN picks the fastest \
         algorithm",
    )
    .about(EvidenceKind::Op, convolutions.iter().take(5).map(|op| profile.op_id(op.op)));
    Some(finding.show(Question::of("ops").rows_where("op_type ~ ^conv").sorted_by(["-gpu_time_ns"])))
}

/// The largest share of the memory of a GPU that DLProf sampled; none if it sampled nothing.
fn sampled_percent(scene: &Scene<'_>) -> Option<f64> {
    let sampled = scene.profile.capture.description.dlprof.as_ref()?.gpu_memories.iter();
    sampled.filter(|[total, _]| *total > 0).map(|&[total, used]| percent(used, total)).max_by(f64::total_cmp)
}

/// The capture recorded allocations, and little of the memory of the fullest GPU was in use. A running sum below 0 says
/// that most was allocated before the capture, so nothing is known.
pub(super) fn batch_size(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let profile = scene.profile;
    if let Some(most) = sampled_percent(scene) {
        let finding = Finding::new(
            Sentence::new(
                "At most {} of the memory of a GPU was in use while DLProf profiled",
                vec![Figure::Text(format!("{:.0}%", most.trunc()))],
            ),
            "Try a batch up to 4 times as large",
        );
        let finding = finding.percent(LOW_MEMORY.name, most).show(Question::of("gpus"));
        return (most > 0.0 && most < limits.of(&LOW_MEMORY)).then_some(finding);
    }
    let rows = profile.gpu_memory();
    if rows.iter().any(|row| row.end_bytes < 0) {
        return None;
    }
    let shares: Option<Vec<f64>> = rows.iter().map(|row| profile.memory_peak_percent(row)).collect();
    let most = shares?.into_iter().max_by(f64::total_cmp)?;
    if most <= 0.0 || most >= limits.of(&LOW_MEMORY) {
        return None;
    }
    let share = if most < 1.0 { "less than 1%".to_owned() } else { format!("{:.0}%", most.trunc()) };
    let finding = Finding::new(
        Sentence::new(
            "At their peak, the recorded allocations fill {} of the memory of a GPU",
            vec![Figure::Text(share)],
        ),
        "Try a batch up to 4 times as large, if the program allocated no memory before the capture began",
    );
    Some(finding.percent(LOW_MEMORY.name, most).show(Question::of("gpu_memory")))
}
