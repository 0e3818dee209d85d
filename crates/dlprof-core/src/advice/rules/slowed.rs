//! What slows a program down while it is looked at: launches that wait, checks, the profiler.

use super::FEWEST_LAUNCHES;
use crate::advice::finding::{Confidence, EvidenceKind, Finding, Severity};
use crate::advice::question::Question;
use crate::advice::rule::{Limits, Need, Rule, Subject, Threshold};
use crate::advice::scene::Scene;
use crate::advice::sentence::{Figure, Sentence};
use crate::base::ids;
use crate::base::intervals::{union, union_length};
use crate::base::ratios::percent;
use crate::base::time::Ns;
use crate::capture::classified::Cause;
use crate::figures::activity::Verdict;
use crate::figures::kernel_kinds::kernel_class::{KernelClass, NAN_CHECK};
use crate::read::facts::{OverheadKind, Vendor};
use regex::Regex;
use std::sync::LazyLock;

const BLOCKING: Threshold = Threshold {
    name: "blocking_percent",
    default: 80.0,
    doc: "Least share of kernels that end before their launch call returns.",
};

const OVERHEAD: Threshold = Threshold {
    name: "profiler_percent",
    default: 5.0,
    doc: "Least share of the time in which GPUs idle for the profiler, or in which it holds up a thread that launches.",
};

pub(super) const LAUNCH_BLOCKING: Rule = Rule {
    id: "launch_blocking",
    title: "Every launch waits for its kernel",
    how: "The share of kernels with an API call that end before their launch call returns. Silent under 50 such kernels. The \
          saving is at most the time of the classes `cpu` and `sync`.",
    severity: Severity::Error,
    confidence: Confidence::High,
    thresholds: &[BLOCKING],
    link: "https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#cuda-environment-variables",
    needs: &[Need::GpuTime],
    subject: Subject::Part(Verdict::Cpu),
    check: launch_blocking,
    ..Rule::SILENT
};

fn launch_blocking(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let count = scene.figures().blocking;
    if count.of < FEWEST_LAUNCHES || count.percent() < limits.of(&BLOCKING) {
        return None;
    }
    let saving = scene.classes().map_or(0, |classes| classes.cpu_ns + classes.sync_ns);
    let finding = Finding::new(
        Sentence::new(
            "{} of the kernels end before their launch call returns: every launch waits",
            vec![Figure::Percent(count.percent(), 1)],
        ),
        match scene.vendor() {
            Vendor::Nvidia => {
                "Unset `CUDA_LAUNCH_BLOCKING` and switch other debugging aids off, then measure again; all other figures are those \
                 of a program that waits"
            }
            Vendor::Amd => {
                "Unset `AMD_SERIALIZE_KERNEL` and `HIP_LAUNCH_BLOCKING` and switch other debugging aids off, then measure again; all \
                 other figures are those of a program that waits"
            }
            _ => {
                "Switch debugging aids off that let launches wait, then measure again; all other figures are those of a program that \
                 waits"
            }
        },
    )
    .percent(BLOCKING.name, count.percent())
    .count("kernels", count.of)
    .about(EvidenceKind::Launches, [count.of.to_string()])
    .show(Question::of("launch_stats"))
    .saves_at_most(saving, "All time of the step classes cpu and sync");
    Some(finding)
}

pub(super) const ANOMALY_MODE: Rule = Rule {
    id: "anomaly_mode",
    title: "Anomaly detection is on",
    how: "Ranges that name `detect_anomaly` or `anomaly_mode`, or about as many kernels that ask for NaN as there are backward \
          ops.",
    severity: Severity::Warning,
    confidence: Confidence::Low,
    link: "https://pytorch.org/docs/stable/autograd.html#anomaly-detection",
    needs: &[Need::Ranges],
    check: anomaly_mode,
    ..Rule::SILENT
};

static ANOMALY: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("(?i)detect_?anomaly|anomaly_mode").expect("a constant"));

fn anomaly_mode(scene: &Scene<'_>, _: &Limits<'_>) -> Option<Finding> {
    let profile = scene.profile;
    let named: Vec<&str> = profile
        .op_stats
        .iter()
        .filter(|op| ANOMALY.is_match(profile.op_name(op.op)))
        .map(|op| profile.op_id(op.op))
        .collect();
    let backward: u64 = profile
        .op_stats
        .iter()
        .filter(|op| profile.label(op.op).direction == crate::capture::correlate::Direction::Backward)
        .map(|op| op.times.cpu.count)
        .sum();
    let checks = scene.kernels().launches_of(KernelClass::NanCheck);
    let has_checks = backward >= FEWEST_LAUNCHES && checks >= backward;
    if named.is_empty() && !has_checks {
        return None;
    }
    let finding = Finding::new(
        Sentence::new(
            "Anomaly detection seems to be on: {} kernels ask for NaN",
            vec![Figure::Count(checks)],
        ),
        "Switch it off for measuring: `torch.autograd.set_detect_anomaly(False)`",
    )
    .count("nan_checks", checks);
    Some(match named.is_empty() {
        true => finding
            .show(Question::of("kernel_names").rows_where(format!("long_kernel_name ~ '(?i){NAN_CHECK}'"))),
        false => finding
            .about(EvidenceKind::Op, named)
            .show(Question::of("ops").rows_where("op_name ~ '(?i)anomaly'")),
    })
}

pub(super) const PROFILER_OVERHEAD: Rule = Rule {
    id: "profiler_overhead",
    title: "The profiler slows the program down",
    how: "The share of the time, averaged over the used GPUs, in which a GPU idles while the profiler holds up the thread that \
          feeds it (cause `profiler`), or the share of the time for which overhead is recorded on threads that launch. Records \
          of a full command buffer are left out, because they cost nothing. No saving is stated: without the profiler this \
          time is not there.",
    severity: Severity::Warning,
    confidence: Confidence::High,
    thresholds: &[OVERHEAD],
    needs: &[Need::ProfilerRecords],
    subject: Subject::Part(Verdict::Unexplained),
    check: profiler_overhead,
    ..Rule::SILENT
};

fn profiler_overhead(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let share = scene.share(scene.idle(&[Cause::Profiler]));
    let recorded = percent(overhead_ns(scene), scene.span.length());
    if share < limits.of(&OVERHEAD) && recorded < limits.of(&OVERHEAD) {
        return None;
    }
    let finding = Finding::new(
        Sentence::new(
            "The profiler holds the program up: GPUs idle for it {} of the time, and threads that launch wait {}",
            vec![Figure::Percent(share, 1), Figure::Percent(recorded, 1)],
        ),
        scene.profile.capture.recorder.words(
            "Measure again with fewer options: no backtraces, no `--cuda-memory-usage`, only the traces that are needed",
            "Measure again without `with_stack`, `profile_memory` and `record_shapes`, and with a warm-up: \
             `schedule(wait=1, warmup=1, active=3)`",
        ),
    )
    .percent(OVERHEAD.name, share)
    .percent("recorded_percent", recorded);
    Some(
        finding
            .about(EvidenceKind::CauseByIteration, (share > 0.0).then_some("profiler"))
            .show(Question::of("idle_causes").rows_where("cause = profiler").sorted_by(["-time_ns"])),
    )
}

/// Overhead of the profiler on the thread that launches and has most of it.
fn overhead_ns(scene: &Scene<'_>) -> Ns {
    let capture = &scene.profile.capture;
    let overheads = &capture.host.overheads;
    if overheads.span.is_empty() {
        return 0;
    }
    let launching = scene.profile.thread_launches();
    let of_thread = |thread: ids::ThreadId| {
        let rows = (0..overheads.span.len()).filter(|&row| {
            overheads.thread[..][row] == thread && overheads.kind[..][row] == OverheadKind::Profiler
        });
        union_length(union(rows.map(|row| overheads.span[..][row].clip(scene.span)).collect()))
    };
    launching.iter().map(|(thread, _)| of_thread(*thread)).max().unwrap_or(0)
}
