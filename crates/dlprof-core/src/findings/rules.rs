//! The detectors: one function each.

use super::Finding;
use crate::aggregate::{Profile, Resources};
use crate::correlate::{Label, Mode, is_16_bit};
use crate::ratios::{percent, to_f64};
use crate::time::Ns;

/// All detectors in the order of their output.
pub(super) const RULES: &[fn(&Profile<'_>) -> Option<Finding>] =
    &[no_fusion, amp, underutilized_gpu, dataloader, no_iterations, iteration_range, cudnn_benchmark];

/// Utilisation below this is low. DLProf fired at 8 % and not at 93 %; half is our choice.
const LOW_UTILIZATION_PERCENT: f64 = 50.0;

/// Waiting for data above this share of the wall clock is too much. DLProf fired at 87 %; a tenth is our choice.
const HIGH_DATALOADER_PERCENT: f64 = 10.0;

/// Iterations that vary by more than this (standard deviation over mean) deserve a steadier range. Our choice.
const UNSTEADY_VARIATION: f64 = 0.1;

/// TensorFlow runs no op that XLA made.
fn no_fusion(profile: &Profile<'_>) -> Option<Finding> {
    let is_xla = |label: &Label| label.op_type.to_ascii_lowercase().contains("xla");
    if profile.correlation.mode != Mode::Tensorflow || profile.correlation.labels.iter().any(is_xla) {
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

/// Ops could use Tensor Cores, and none has a 16-bit data type.
fn amp(profile: &Profile<'_>) -> Option<Finding> {
    let bad = profile.op_stats.iter().filter(|op| op.is_bad_data_type).count();
    let has_16_bit =
        profile.op_stats.iter().any(|op| op.tc_eligible && is_16_bit(&profile.label(op.op).data_type));
    if bad == 0 || has_16_bit {
        return None;
    }
    let ops = if bad == 1 { "1 op".to_owned() } else { format!("{bad} ops") };
    Some(Finding {
        id: "amp_detector",
        problem: format!("{ops} could run on Tensor Cores, but nothing is computed in FP16 or BF16"),
        recommendation: "Turn on automatic mixed precision (AMP), in PyTorch with `torch.autocast`; see \
                         https://developer.nvidia.com/automatic-mixed-precision"
            .into(),
    })
}

/// Some GPU ran no kernel at all, or all of them together run few. Nothing is said of captures without any kernel.
fn underutilized_gpu(profile: &Profile<'_>) -> Option<Finding> {
    let id = "underutilized_gpu_detector";
    if profile.counts.kernels == 0 {
        return None;
    }
    let unused: Vec<String> = profile
        .devices
        .iter()
        .filter(|device| device.resources.kernel_ns() == 0)
        .map(|device| profile.trace.devices[device.device.index()].device_id.to_string())
        .collect();
    if !unused.is_empty() {
        return Some(Finding {
            id,
            problem: format!("No kernel ran on these GPUs: {}", unused.join(" ")),
            recommendation:
                "Use all GPUs: check `CUDA_VISIBLE_DEVICES` and how the program is launched, for \
                             example one process per GPU with `torchrun`; or profile with fewer GPUs visible"
                    .into(),
        });
    }
    // As the dashboard: of a capture that began late or was cut, what happened counts.
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
        problem: format!("GPU kernels run for only {utilization:.1}% of the {of}"),
        recommendation: format!("Most of the rest is {class}, with {share:.1}%. {advice}"),
    })
}

/// The class with most time that is not kernels, its time, and what to do about it; the first of equals.
fn largest_other_class(resources: &Resources) -> (&'static str, Ns, &'static str) {
    let pipeline = "Look at the input pipeline and at what runs between the ops";
    let classes = [
        ("CPU", resources.cpu_ns, "Move work from the CPU to the GPU, or let the CPU run ahead of it"),
        (
            "copies and memsets",
            resources.memory_ns,
            "Copy less, or copy from pinned memory on a stream of its own while kernels run",
        ),
        ("data loading", resources.dataloader_ns, pipeline),
        ("I/O", resources.io_ns, "Look at how data is read: fewer, larger reads, or a faster disk"),
        ("other time, outside all ops", resources.other_ns, pipeline),
    ];
    classes.into_iter().rev().max_by_key(|(_, ns, _)| *ns).unwrap_or(("CPU", 0, pipeline))
}

/// PyTorch waits for data, or loads it without DALI.
fn dataloader(profile: &Profile<'_>) -> Option<Finding> {
    if !profile.correlation.mode.is_pytorch() {
        return None;
    }
    let id = "dataloader_detector";
    let resources = &profile.summary.resources_all_gpus;
    let share = percent(resources.dataloader_ns, resources.total());
    if share > HIGH_DATALOADER_PERCENT {
        return Some(Finding {
            id,
            problem: format!("{share:.1}% of the profiled time the GPU is idle and the data loader works"),
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
fn no_iterations(profile: &Profile<'_>) -> Option<Finding> {
    if profile.iterations.key_node.is_some() || profile.correlation.mode == Mode::Simple {
        return None;
    }
    Some(Finding {
        id: "no_iterations_detector",
        problem:
            "The profile is not split into iterations: no key node was given, and nothing recurs clearly"
                .into(),
        recommendation:
            "Name an op or range that runs once per iteration with `--key-node`; `dlprof-agg show \
                         key-nodes FILE` lists what recurs"
                .into(),
    })
}

/// The aggregated iterations differ much, and there is a steady run of them.
fn iteration_range(profile: &Profile<'_>) -> Option<Finding> {
    let summary = &profile.summary;
    if summary.iteration_deviation_ns <= UNSTEADY_VARIATION * summary.average_iteration_ns {
        return None;
    }
    let iterations = &profile.iterations;
    let (start, stop) = (iterations.start, iterations.stop);
    let (from, to) = iterations.steady_range().filter(|&range| range != (start, stop))?;
    let steady_ns = iterations.span(to).end - iterations.span(from).start;
    let deviation = 100.0 * summary.iteration_deviation_ns / summary.average_iteration_ns;
    Some(Finding {
        id: "iteration_range_detector",
        problem: format!(
            "The iterations {start} to {stop} differ much: their times deviate by {deviation:.0}%"
        ),
        recommendation: format!(
            "Aggregate steady ones, which take {:.3} ms on average: `--iter-start {from} --iter-stop {to}`, or \
             `--iter-range steady`",
            to_f64(steady_ns) / f64::from(to - from + 1) / 1e6
        ),
    })
}

/// Convolutions ran without cuDNN choosing the fastest algorithm.
fn cudnn_benchmark(profile: &Profile<'_>) -> Option<Finding> {
    let has_convolution = profile.op_stats.iter().any(|op| profile.label(op.op).op_type.starts_with("conv"));
    if !has_convolution || !profile.correlation.model_config.cudnn_benchmark_disabled {
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
