//! The functions of DLProf's detectors.

use super::super::capture::own_domain;
use super::super::matrix::fp32_rule;
use super::{HIGH_DATALOADER, LOW_MEMORY, UNSTEADY};
use crate::advice::finding::{Confidence, EvidenceKind, Finding};
use crate::advice::of_torch;
use crate::advice::question::Question;
use crate::advice::rule::Limits;
use crate::advice::scene::Scene;
use crate::advice::sentence::{Figure, Sentence};
use crate::base::ids::{OpId, WorkId};
use crate::base::ratios::{percent, to_f64};
use crate::base::time::{Ns, total};
use crate::capture::classified::Cause;
use crate::capture::correlate::{Label, Mode, is_16_bit};
use crate::figures::gpu_memory::knows_totals;
use crate::figures::profile::OpStats;
use crate::steps::iterate::FigureRules;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Whether our own rules speak as well, which is everywhere but in DLProf's reports.
pub(super) fn is_with_ours(scene: &Scene<'_>) -> bool {
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
    let is_untold = || scene.known_share().untold_tensor_cores().is_some();
    let is_in_vain = is_with_ours(scene) && (!scene.has_tensor_cores() || is_untold());
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
    let finding = match is_with_ours(scene) {
        true => finding
            .saves_at_most(
                scene.kernel_saving(own_kernels_ns(scene, &bad)),
                scene.basis_of_most("All kernel time of these ops, without algorithms that are tried"),
            )
            .same_cause_as(fp32_rule(scene).id),
        false => finding,
    };
    let ids = bad.iter().take(5).map(|op| profile.op_id(op.op));
    Some(finding.about(EvidenceKind::Op, ids).show(
        Question::of("ops").rows_where("tc_eligible = yes and using_tc = no").sorted_by(["-gpu_time_ns"]),
    ))
}

/// Kernel time of some ops in the iterations that findings are about, without algorithms that are tried.
fn own_kernels_ns(scene: &Scene<'_>, ops: &[&OpStats]) -> Ns {
    let profile = scene.profile;
    let ids: BTreeSet<OpId> = ops.iter().map(|op| op.op).collect();
    let groups = profile.launch_groups_of(scene.places.clone());
    let all = total(groups.iter().filter(|group| ids.contains(&group.key.op)).map(|group| group.gpu.sum));
    let is_theirs = |kernel: WorkId| {
        let api = profile.capture.launches.api[kernel].some();
        let call = api.and_then(|api| profile.capture.call_roles.op_call[api].some());
        call.is_some_and(|call| ids.contains(&profile.index.calls.op[call]))
    };
    let tried = scene.tried().kernels().filter(|&(kernel, _)| is_theirs(kernel)).map(|(_, ns)| ns);
    (all - total(tried)).max(0)
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
            match profile.capture.is_of_nvidia() {
                true => {
                    "Give the data loader more workers and pinned memory, do less per sample, or load on the GPU with NVIDIA DALI: \
                     https://developer.nvidia.com/DALI"
                }
                false => "Give the data loader more workers and pinned memory, or do less per sample",
            },
        );
        return Some(finding.percent(HIGH_DATALOADER.name, share).sure(Confidence::High).show(show));
    }
    let is_dali = |name: &str| name.to_ascii_lowercase().contains("dali");
    let uses_dali = profile
        .op_stats
        .iter()
        .any(|op| is_dali(profile.op_name(op.op)) || is_dali(&profile.label(op.op).op_type));
    let input = || scene.share(scene.idle(&[Cause::DataLoading, Cause::InputWait, Cause::Io]));
    if !profile.capture.is_of_nvidia()
        || resources.dataloader_ns != 0
        || uses_dali
        || (is_with_ours(scene) && input() < LITTLE_INPUT_PERCENT)
    {
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
        if profile.capture.recorder.is_torch_profiler() {
            let finding =
                Finding::new(problem, of_torch::steps(&profile.capture)).about_recording(&profile.capture);
            return Some(finding.show(Question::of("key_nodes")));
        }
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
        // What runs once or twice leaves nothing to compare.
        let capture = &profile.capture;
        let advice = match own_domain(scene).is_some() {
            _ if capture.recorder.is_torch_profiler() => of_torch::steps(capture),
            true => {
                "Split the capture by the range that the finding `no_nvtx` names. Or profile several steps, each marked with an NVTX \
                 range of the default domain"
            }
            false => {
                "Profile several steps, and mark each with an NVTX range. Nothing in this capture recurs three times as a step \
                 would, so that `--key-node` can hardly help"
            }
        };
        let finding = Finding::new(problem, advice).about_recording(capture);
        return Some(finding.show(Question::of("iterations")));
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
    let deviation =
        100.0 * summary.iteration_deviation_ns.unwrap_or(0.0) / summary.average_iteration_ns.max(1.0);
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
/// that most was allocated before the capture, so nothing is known; nor is it in traces before PyTorch 1.12, where PyTorch's
/// allocator does not say how much it had handed out.
pub(super) fn batch_size(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let profile = scene.profile;
    if let Some(most) = sampled_percent(scene) {
        let finding = Finding::new(
            Sentence::new(
                "At most {} of the memory of a GPU was in use while DLProf profiled",
                vec![Figure::Percent(most.trunc(), 0)],
            ),
            "Try a batch up to 4 times as large",
        );
        let finding = finding.percent(LOW_MEMORY.name, most).show(Question::of("gpus"));
        return (most > 0.0 && most < limits.of(&LOW_MEMORY)).then_some(finding);
    }
    let rows = profile.gpu_memory();
    let is_unknown =
        profile.capture.recorder.is_torch_profiler() && !knows_totals(&profile.capture.allocator);
    if is_unknown || rows.iter().any(|row| row.end_bytes < 0) {
        return None;
    }
    let shares: Option<Vec<f64>> = rows.iter().map(|row| profile.memory_peak_percent(row)).collect();
    let most = shares?.into_iter().max_by(f64::total_cmp)?;
    let held = profile.reserved_percent();
    if most <= 0.0 || most.max(held.unwrap_or(0.0)) >= limits.of(&LOW_MEMORY) {
        return None;
    }
    let share = match most < 1.0 {
        true => Sentence::new("less than {}", vec![Figure::Percent(1.0, 0)]),
        false => Sentence::new("{}", vec![Figure::Percent(most.trunc(), 0)]),
    };
    let advice = match (profile.capture.recorder.is_torch_profiler(), held) {
        // PyTorch's allocator says what it handed out before, and what it took from the GPU.
        (true, Some(held)) => Sentence::new(
            "Try a batch up to 4 times as large: PyTorch's allocator handed out no more than this, and held {} at most",
            vec![Figure::Percent(held, 0)],
        ),
        (true, None) => {
            "Try a batch up to 4 times as large: PyTorch's allocator handed out no more than this".into()
        }
        (false, _) => {
            "Try a batch up to 4 times as large, if the program allocated no memory before the capture began"
                .into()
        }
    };
    let advice = match is_with_ours(scene) {
        true => Sentence::new(
            "{}. GPUs are busy {} of the time: the more that is, the less a larger batch saves of each item",
            vec![Figure::Clause(Box::new(advice)), Figure::Percent(scene.share(scene.gpu_time().busy_ns), 0)],
        ),
        false => advice,
    };
    let finding = Finding::new(
        Sentence::new(
            "At their peak, the recorded allocations fill {} of the memory of a GPU",
            vec![Figure::Clause(Box::new(share))],
        ),
        advice,
    );
    Some(finding.percent(LOW_MEMORY.name, most).show(Question::of("gpu_memory")))
}
