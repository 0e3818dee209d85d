//! The detectors: one function each.

use super::{Figure, Finding, Sentence};
use crate::correlate::{Label, Mode, is_16_bit};
use crate::index::Resources;
use crate::profile::Profile;
use crate::ratios::{percent, to_f64};
use crate::time::Ns;

/// All detectors, in the order of their output.
pub(super) const RULES: &[fn(&Profile) -> Option<Finding>] = &[
    no_fusion,
    amp,
    underutilized_gpu,
    dataloader,
    no_iterations,
    iteration_range,
    cudnn_benchmark,
    batch_size,
];

/// Utilisation below this share is low. DLProf reported it at 8 % and not at 93 %; one half is our choice.
const LOW_UTILIZATION_PERCENT: f64 = 50.0;

/// Waiting for data for more than this share of the wall clock is too much. DLProf reported 87 %; a tenth is our
/// choice.
const HIGH_DATALOADER_PERCENT: f64 = 10.0;

/// If iterations vary by more than this (standard deviation over mean), a steady range is recommended. Our choice.
const UNSTEADY_VARIATION: f64 = 0.1;

/// If less of the memory of a GPU is in use, a larger batch is recommended. DLProf reported 2 % to 23 %, always with a
/// batch four times as large; our choice is the largest share at which four times as much still fits.
const LOW_MEMORY_PERCENT: f64 = 25.0;

/// TensorFlow runs, but no op was compiled by XLA.
fn no_fusion(profile: &Profile) -> Option<Finding> {
    let is_xla = |label: &Label| label.op_type.to_ascii_lowercase().contains("xla");
    if profile.capture.mode != Mode::Tensorflow || profile.capture.labels.iter().any(is_xla) {
        return None;
    }
    Some(Finding {
        id: "no_fusion_detector",
        problem: "No op is fused: TensorFlow runs without XLA".into(),
        recommendation:
            "Let XLA fuse ops into fewer kernels: `tf.function(jit_compile=True)`, or the environment variable \
                         `TF_XLA_FLAGS=--tf_xla_auto_jit=2`"
                .into(),
    })
}

/// Ops could use Tensor Cores, but none has a 16-bit data type.
fn amp(profile: &Profile) -> Option<Finding> {
    let bad = profile.op_stats.iter().filter(|op| op.is_bad_data_type).count();
    let has_16_bit =
        profile.op_stats.iter().any(|op| op.tc_eligible && is_16_bit(&profile.label(op.op).data_type));
    if bad == 0 || has_16_bit {
        return None;
    }
    let ops = if bad == 1 { "1 op".to_owned() } else { format!("{bad} ops") };
    Some(Finding {
        id: "amp_detector",
        problem: Sentence::new(
            "{} could run on Tensor Cores, but no op computes in FP16 or BF16",
            vec![Figure::Text(ops)],
        ),
        recommendation: "Turn on automatic mixed precision (AMP), in PyTorch with `torch.autocast`; see \
                         https://developer.nvidia.com/automatic-mixed-precision"
            .into(),
    })
}

/// Some GPUs ran no kernel, or all GPUs run kernels for a small part of the time. If no kernel was recorded, every
/// GPU is named, as DLProf does.
fn underutilized_gpu(profile: &Profile) -> Option<Finding> {
    let id = "underutilized_gpu_detector";
    let (problem, advice) = match profile.capture.counts().kernels {
        0 => (
            "No kernel was recorded on these GPUs: {}",
            "Check that kernels are traced (`nsys profile --trace=cuda,nvtx`) and that the program uses the GPUs",
        ),
        _ => (
            "No kernel ran on these GPUs: {}",
            "Use all GPUs: check `CUDA_VISIBLE_DEVICES` and how the program is launched, for example one process per \
             GPU with `torchrun`; or profile with fewer GPUs visible",
        ),
    };
    let unused: Vec<String> = profile
        .devices
        .iter()
        .filter(|device| device.resources.kernel_ns() == 0)
        .map(|device| profile.capture.devices[device.device.index()].device_id.to_string())
        .collect();
    if !unused.is_empty() {
        return Some(Finding {
            id,
            problem: Sentence::new(problem, vec![Figure::Text(unused.join(" "))]),
            recommendation: advice.into(),
        });
    }
    // As on the dashboard: if the capture began late or was cut, only the time covered by events counts.
    let (resources, of) = match profile.summary.covered_resources() {
        Some(covered) => (covered, "time covered by events"),
        None => (profile.summary.resources_all_gpus, "profiled time"),
    };
    let utilization = percent(resources.kernel_ns(), resources.total());
    if profile.devices.is_empty() || utilization >= LOW_UTILIZATION_PERCENT {
        return None;
    }
    let (class, ns, advice) = largest_other_class(&resources);
    let share = percent(ns, resources.total());
    Some(Finding {
        id,
        problem: Sentence::new(
            "GPU kernels run for only {} of the {}",
            vec![Figure::Percent(utilization, 1), Figure::Text(of.into())],
        ),
        recommendation: Sentence::new(
            "Most of the rest is {}, with {}. {}",
            vec![Figure::Text(class.into()), Figure::Percent(share, 1), Figure::Text(advice.into())],
        ),
    })
}

/// The class with most time besides kernels, its time, and a recommendation. Of equal classes, the first.
fn largest_other_class(resources: &Resources) -> (&'static str, Ns, &'static str) {
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
    classes.into_iter().rev().max_by_key(|(_, ns, _)| *ns).unwrap_or(("CPU", 0, pipeline))
}

/// PyTorch waits for data, or loads data without DALI.
fn dataloader(profile: &Profile) -> Option<Finding> {
    if !profile.capture.mode.is_pytorch() {
        return None;
    }
    let id = "dataloader_detector";
    let resources = &profile.summary.resources_all_gpus;
    let share = percent(resources.dataloader_ns, resources.total());
    if share > HIGH_DATALOADER_PERCENT {
        return Some(Finding {
            id,
            problem: Sentence::new(
                "{} of the profiled time the GPU is idle while the data loader works",
                vec![Figure::Percent(share, 1)],
            ),
            recommendation:
                "Give the data loader more workers and pinned memory, do less per sample, or load on \
                             the GPU with NVIDIA DALI: https://developer.nvidia.com/DALI"
                    .into(),
        });
    }
    let is_dali = |name: &str| name.to_ascii_lowercase().contains("dali");
    let uses_dali = profile
        .op_stats
        .iter()
        .any(|op| is_dali(profile.op_name(op.op)) || is_dali(&profile.label(op.op).op_type));
    (resources.dataloader_ns == 0 && !uses_dali).then(|| Finding {
        id,
        problem: "Data is not loaded with DALI".into(),
        recommendation:
            "If loading data takes long, consider NVIDIA DALI, which loads and augments on the GPU: \
                         https://developer.nvidia.com/DALI"
                .into(),
    })
}

/// There is no key node.
fn no_iterations(profile: &Profile) -> Option<Finding> {
    if profile.iterations.key_node.is_some() || profile.capture.mode == Mode::Simple {
        return None;
    }
    Some(Finding {
        id: "no_iterations_detector",
        problem: "The whole capture is one iteration, because no key node was found or given".into(),
        recommendation:
            "Choose an op or range that runs once per iteration with `--key-node`; `dlprof-agg show \
                         key-nodes FILE` lists the candidates"
                .into(),
    })
}

/// The times of the aggregated iterations vary widely, and there is a sequence of steady iterations.
fn iteration_range(profile: &Profile) -> Option<Finding> {
    let summary = &profile.summary;
    if summary.iteration_deviation_ns <= UNSTEADY_VARIATION * summary.average_iteration_ns {
        return None;
    }
    let iterations = &profile.iterations;
    let (start, stop) = (iterations.start, iterations.stop);
    let (from, to) = iterations.steady_range().filter(|&range| range != (start, stop))?;
    let windows = &iterations.windows;
    let steady_ns = windows.span(to).end - windows.span(from).start;
    let deviation = 100.0 * summary.iteration_deviation_ns / summary.average_iteration_ns;
    Some(Finding {
        id: "iteration_range_detector",
        problem: Sentence::new(
            "The times of iterations {} to {} vary widely: the standard deviation is {} of the mean",
            vec![Figure::Count(start.into()), Figure::Count(stop.into()), Figure::Percent(deviation, 0)],
        ),
        recommendation: Sentence::new(
            "Aggregate steady iterations, which take {} on average: `--iter-start {} --iter-stop {}`, or \
             `--iter-range steady`",
            vec![
                Figure::Time(to_f64(steady_ns) / f64::from(to - from + 1)),
                Figure::Count(from.into()),
                Figure::Count(to.into()),
            ],
        ),
    })
}

/// Convolutions ran without cuDNN choosing the fastest algorithm.
fn cudnn_benchmark(profile: &Profile) -> Option<Finding> {
    let has_convolution = profile.op_stats.iter().any(|op| profile.label(op.op).op_type.starts_with("conv"));
    if !has_convolution || !profile.capture.model_config.cudnn_benchmark_disabled {
        return None;
    }
    Some(Finding {
        id: "cudnn_benchmark_detector",
        problem: "Convolutions run without cuDNN's benchmark mode".into(),
        recommendation:
            "If input shapes seldom change, set `torch.backends.cudnn.benchmark = True`, so that cuDNN \
                         picks the fastest algorithm"
                .into(),
    })
}

/// The capture recorded allocations, and little of the memory of the fullest GPU was in use. A running sum below 0 says
/// that most was allocated before the capture, so nothing is known.
fn batch_size(profile: &Profile) -> Option<Finding> {
    let rows = profile.gpu_memory();
    if rows.iter().any(|row| row.end_bytes < 0) {
        return None;
    }
    let shares: Option<Vec<f64>> = rows.iter().map(|row| profile.memory_peak_percent(row)).collect();
    let most = shares?.into_iter().max_by(f64::total_cmp)?;
    if most <= 0.0 || most >= LOW_MEMORY_PERCENT {
        return None;
    }
    let share = if most < 1.0 { "less than 1%".to_owned() } else { format!("{:.0}%", most.trunc()) };
    Some(Finding {
        id: "batch_size_detector",
        problem: Sentence::new(
            "At their peak, the recorded allocations fill {} of the memory of a GPU",
            vec![Figure::Text(share)],
        ),
        recommendation:
            "Try a batch up to 4 times as large, if the program allocated no memory before the capture began"
                .into(),
    })
}
