//! What is not known, and what would make it known.

use super::{Kernels, Step, StepClass};
use dlprof_core::{
    Because, DiagnosticCode, Judged, KernelKind, Mode, Vendor, no_ranges, what_would_name_ops,
    what_would_tell,
};
use serde::Serialize;
use std::borrow::Cow;

/// A figure that is not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Missing {
    /// The figure: `gpu`, `iterations`, `items_per_s`, `input`, `idle_causes`, `ops`, `occupancy`, `kernel_kinds`,
    /// `kernel_times`, `tensor_cores`, `graphs`.
    pub figure: &'static str,
    /// The reason, of the list [`BECAUSE`](dlprof_core::BECAUSE); `None` where none of them fits.
    pub because: Option<&'static str>,
    /// The reason in words.
    pub reason: Cow<'static, str>,
    /// The option that would make it known, of this program or of nsys.
    pub option: Cow<'static, str>,
}

/// A figure that is not known, with the words for it and the option.
struct Lack {
    figure: &'static str,
    reason: &'static str,
    option: Cow<'static, str>,
}

/// Kernels of kinds that names do not tell are worth a line from this share of the kernel time on.
const LEAST_UNTOLD_PERCENT: f64 = 10.0;

pub(super) fn missing(profile: &Judged, kernels: Option<&Kernels>, step: Option<&Step>) -> Vec<Missing> {
    let has_iterations = profile.iterations.key_node.is_some();
    let tells_of_idle_time = what_would_tell(profile);
    let rows = || kernels.map_or(&[][..], |kernels| kernels.rows.as_slice());
    let is_true = [
        (
            profile.launches_nothing(),
            Lack {
                figure: if profile.knows_gpu_work() { "kernels" } else { "gpu" },
                reason: match profile.capture.recorder.vendor {
                    Vendor::Nvidia => "none of the recorded CUDA API calls launches a kernel",
                    _ => "none of the recorded API calls launches a kernel",
                },
                option: "a capture of the part that launches kernels".into(),
            },
        ),
        (
            !profile.has_kernel_records() && !profile.launches_nothing() && !profile.lacks_records(),
            Lack {
                figure: "gpu",
                reason: "the capture has no kernel records",
                option: profile.capture.nsys_command(false).into(),
            },
        ),
        (
            profile.lacks_records(),
            Lack {
                figure: "gpu",
                reason: profile.what_hides_gpu_time().unwrap_or("records of GPU work are missing"),
                option: "a capture as the first finding says".into(),
            },
        ),
        (
            !has_iterations,
            Lack {
                figure: "iterations",
                reason: "no repeating step was found",
                option: match profile.iterations.candidates.is_empty() {
                    true => "a capture of several steps, each marked with an NVTX range",
                    false => "--key-node NAME",
                }
                .into(),
            },
        ),
        (
            has_iterations && profile.summary.items_per_s.is_none() && !profile.serving().workload.serves(),
            Lack {
                figure: "items_per_s",
                reason: "the batch size is not known",
                option: "--batch-size N".into(),
            },
        ),
        (
            step.is_some_and(|step| !waits_for_input(step))
                && profile.capture.host.os_calls.is_none()
                // In a trace of torch.profiler ranges are all that there is to mark.
                && !(profile.capture.recorder.is_torch_profiler() && profile.has_loading_ranges()),
            Lack {
                figure: "input",
                reason: "calls of the operating system were not recorded, in which threads wait for input or read files",
                option: profile.capture.nsys_command(true).into(),
            },
        ),
        (
            tells_of_idle_time.is_some(),
            Lack {
                figure: "idle_causes",
                reason: "for some of the idle time nothing that was recorded says what the host does",
                option: tells_of_idle_time.unwrap_or_default().into(),
            },
        ),
        (
            profile.capture.description.mode == Mode::Simple,
            Lack {
                figure: "ops",
                reason: no_ranges(&profile.capture),
                option: what_would_name_ops(profile).into(),
            },
        ),
        (
            !rows().is_empty() && rows().iter().all(|row| row.grid_occupancy_percent.is_none()),
            occupancy(profile),
        ),
        (
            untold_percent(kernels) >= LEAST_UNTOLD_PERCENT,
            Lack {
                figure: "kernel_kinds",
                reason: "names of kernels do not tell what those called `unknown` compute",
                option: "NVTX ranges around what launches them".into(),
            },
        ),
        (
            profile.holds_other_work(),
            Lack {
                figure: "kernel_times",
                reason: "other work runs inside kernels, so that all times of kernels and of the GPU hold time of that work",
                option: "a capture of a GPU that nothing else uses".into(),
            },
        ),
        (
            profile.has_whole_graphs(),
            Lack {
                figure: "graphs",
                reason: "CUDA graphs were recorded as a whole, so that kernels, copies and pauses inside them are not known",
                option: "nsys profile --cuda-graph-trace=node".into(),
            },
        ),
        (
            kernels.is_some_and(|kernels| kernels.unknown_tc_percent >= 100.0 && kernels.total_ns > 0.0),
            Lack {
                figure: "tensor_cores",
                reason: "no kernel name tells",
                option: match profile.has_whole_graphs() {
                    true => "nsys profile --cuda-graph-trace=node",
                    false => "counters of Nsight Compute, joined with --ncu LOG",
                }
                .into(),
            },
        ),
    ];
    let lacks = is_true.into_iter().filter(|(is_missing, _)| *is_missing).map(|(_, lack)| lack);
    let in_words = |lack| match profile.capture.recorder.is_torch_profiler() {
        true => of_trace(lack, profile),
        false => lack,
    };
    let recorder = profile.capture.recorder;
    let with_reason = |Lack { figure, reason, option }| Missing {
        figure,
        because: because(figure, profile),
        reason: recorder.in_its_words(reason),
        option: recorder.in_its_words(&option).into_owned().into(),
    };
    lacks.map(in_words).map(with_reason).collect()
}

/// The reason for a figure that is missing.
fn because(figure: &str, judged: &Judged) -> Option<&'static str> {
    Some(match figure {
        "gpu" | "kernels" if judged.launches_nothing() || judged.ledger().only_captures() => "no_launches",
        "gpu" if judged.lacks_records() => "lost_records",
        "gpu" | "kernels" => "no_kernels",
        "iterations" => "no_step",
        "input" => "no_os_calls",
        "ops" => "no_nvtx",
        "occupancy" => "peaks_unknown",
        "kernel_kinds" => "kinds_unknown",
        "graphs" => "graphs_recorded_whole",
        "tensor_cores" => "name_does_not_tell",
        "idle_causes" if judged.capture.host.samples.thread.is_empty() => "no_cpu_samples",
        _ => return None,
    })
}

/// Why occupancy is not known. Of what it takes, kernels say what blocks need, and a table of GPUs what these have.
fn occupancy(profile: &Judged) -> Lack {
    let says_needs = profile.capture.launch_configs.iter().any(|config| config.registers.is_some());
    let (reason, option) = match says_needs {
        true => (
            "the export does not say what the GPU has, as where nsys sees no GPU of its own in a container",
            "nsys profile where `nvidia-smi` lists the GPU",
        ),
        false => (
            "the export does not say what blocks of kernels need",
            "another export with all columns of kernels",
        ),
    };
    Lack { figure: "occupancy", reason, option: option.into() }
}

/// The same for traces of torch.profiler, which others record in another way.
fn of_trace(lack: Lack, profile: &Judged) -> Lack {
    let vendor = profile.capture.recorder.vendor;
    let counts = |code| profile.capture.diagnostics.counted(code) > 0;
    let (reason, option) = match lack.figure {
        "gpu" if profile.lacks_records() => return lack,
        "gpu" if counts(DiagnosticCode::OtherDevice) => ("events of MTIA are not read as GPU work", ""),
        "gpu" if counts(DiagnosticCode::CutTrace) => (
            "the trace ends early, and what is left of it has no kernels",
            "the run again, until the whole trace is written",
        ),
        "gpu" => {
            let option =
                format!("profile({}), where {} may trace the GPU", vendor.activities(), vendor.tracer());
            return Lack { figure: lack.figure, reason: "the trace has no kernels", option: option.into() };
        }
        "iterations" => {
            (lack.reason, Because::named("no_step").map_or("", |because| because.record_in_torch))
        }
        "input" => (
            "torch.profiler does not record calls of the operating system, in which threads wait for input or read files",
            "torch.profiler.record_function around what loads data",
        ),
        "occupancy" if vendor == Vendor::Amd => {
            ("traces of AMD's GPUs do not say what a block needs", "rocprofiler-compute, which measures it")
        }
        "occupancy" if matches!(vendor, Vendor::Nvidia | Vendor::Unknown) => {
            ("the trace does not say what blocks need or what the GPU has", "a newer PyTorch")
        }
        "occupancy" => ("what fits these devices at a time is not known here", ""),
        "tensor_cores" if vendor == Vendor::Amd => (
            "names of AMD's kernels do not tell whether they use matrix units",
            "rocprofiler-compute, which counts their instructions",
        ),
        "kernel_kinds" | "tensor_cores" => {
            (lack.reason, "torch.profiler.record_function around what launches them")
        }
        _ => return lack,
    };
    Lack { figure: lack.figure, reason, option: option.into() }
}

/// Share of the kernel time of kernels of which the name does not tell what they compute.
fn untold_percent(kernels: Option<&Kernels>) -> f64 {
    let untold = KernelKind::Unknown.words();
    let kinds = kernels.map_or(&[][..], |kernels| kernels.kinds.as_slice());
    kinds.iter().filter(|row| row.kind == untold).map(|row| row.percent).sum()
}

fn waits_for_input(step: &Step) -> bool {
    step.classes.iter().any(|part| part.class == StepClass::Input && part.ns > 0.0)
}
