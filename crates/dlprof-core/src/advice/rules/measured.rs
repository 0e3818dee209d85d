//! Kernels and ops as Nsight Compute measured them.

use super::stall_words::stall_in_words;
use crate::advice::finding::{Confidence, EvidenceKind, Finding, Severity};
use crate::advice::question::Question;
use crate::advice::rule::{Limits, Need, Rule, Threshold, TimeOf};
use crate::advice::scene::Scene;
use crate::advice::sentence::{Figure, Sentence};
use crate::base::ratios::{percent, to_f64, whole};
use crate::base::time::Ns;
use crate::capture::counters::NcuLevel;
use crate::figures::measured::{MeasuredFigures, MeasuredKernel, MeasuredOp, measured_kernels, measured_ops};
use crate::read::ncu::NcuBound;

pub(super) const KERNEL: Threshold =
    Threshold { name: "kernel_percent", default: 5.0, doc: "Least share of the kernel time of the kernel." };

pub(super) const SPREAD: Threshold = Threshold {
    name: "spread_percent",
    default: 20.0,
    doc: "Counters of launches that were not measured one by one are used up to this spread.",
};

const PIPE: Threshold = Threshold {
    name: "tensor_active_percent",
    default: 20.0,
    doc: "The use of the pipe of Tensor Cores is below this.",
};

const DRAM: Threshold = Threshold {
    name: "dram_percent",
    default: 80.0,
    doc: "Least use of DRAM of a kernel that is at its roof.",
};

const OCCUPANCY: Threshold = Threshold {
    name: "occupancy_points",
    default: 10.0,
    doc: "Theoretical less achieved occupancy is more than so many points.",
};

const STALL: Threshold = Threshold {
    name: "top_stall_percent",
    default: 30.0,
    doc: "Share of the largest stall in the time between two instructions, above which it is named.",
};

const ISSUE: Threshold = Threshold {
    name: "issue_active_percent",
    default: 80.0,
    doc: "Schedulers issue in less than this share of the cycles.",
};

const FLOP_RATIO: Threshold = Threshold {
    name: "flop_ratio",
    default: 1.5,
    doc: "Counted over expected operations, above which an op does more than its shapes ask for.",
};

const BYTES_RATIO: Threshold = Threshold {
    name: "bytes_ratio",
    default: 3.0,
    doc: "Moved over expected bytes, above which an op moves more than its shapes ask for.",
};

/// At this use of a side nothing more is to be had of it.
const FULL_PERCENT: f64 = 80.0;
/// Below this use of both sides a kernel waits.
const WAITING_PERCENT: f64 = 60.0;

/// A kernel that matters and was measured well enough.
pub(super) struct Subject {
    pub(super) kernel: MeasuredKernel,
    /// Its time in the capture.
    pub(super) time_ns: Ns,
    pub(super) share: f64,
}

impl Subject {
    pub(super) fn figures(&self) -> &MeasuredFigures {
        &self.kernel.figures
    }

    pub(super) fn name(&self) -> Figure {
        const MOST: usize = 60;
        let name: String = self.kernel.long_name.chars().take(MOST).collect();
        let cut = if self.kernel.long_name.chars().nth(MOST).is_some() { "…" } else { "" };
        Figure::Text(format!("`{name}{cut}`"))
    }

    /// The larger use of SMs and memory.
    fn most_used(&self) -> Option<f64> {
        Some(self.figures().sm_percent?.max(self.figures().memory_percent?))
    }

    /// What is lost of its time where only some of a side is used that could be used to a limit.
    fn unused_ns(&self, limit: f64) -> Ns {
        let used = self.most_used().map_or(1.0, |percent| (percent / limit).clamp(0.0, 1.0));
        part_of(self.time_ns, 1.0 - used)
    }
}

pub(super) fn part_of(ns: Ns, part: f64) -> Ns {
    Ns::try_from(whole((to_f64(ns) * part).max(0.0))).unwrap_or(Ns::MAX)
}

/// Kernels with enough of the kernel time whose counters are of their own size, the longest first.
pub(super) fn subjects(scene: &Scene<'_>, limits: &Limits<'_>) -> Vec<Subject> {
    let kernels = measured_kernels(scene.profile);
    let all: Ns = kernels.iter().filter_map(|kernel| kernel.gpu_time_ns).sum();
    let subject = |kernel: MeasuredKernel| {
        let time_ns = kernel.gpu_time_ns?;
        let share = percent(time_ns, all);
        let is_sure = match kernel.figures.level? {
            NcuLevel::Launch | NcuLevel::Summary => true,
            NcuLevel::Signature => {
                kernel.figures.spread_percent.is_none_or(|spread| spread <= limits.of(&SPREAD))
            }
            NcuLevel::Base | NcuLevel::Name | NcuLevel::None => false,
        };
        (is_sure && share >= limits.of(&KERNEL)).then_some(Subject { kernel, time_ns, share })
    };
    kernels.into_iter().filter_map(subject).collect()
}

/// The finding about the first of some kernels, with all of them as evidence.
pub(super) fn about(finding: Finding, found: &[Subject]) -> Finding {
    const MOST: usize = 5;
    let names = found.iter().take(MOST).map(|one| one.kernel.long_name.to_string());
    let listed = Question::of("ncu_kernels").sorted_by(["-gpu_time_ns"]).top(found.len().max(MOST));
    finding.about(EvidenceKind::MeasuredKernel, names).show(listed)
}

/// Says how many others there are.
pub(super) fn others(found: &[Subject]) -> Figure {
    Figure::Text(match found.len() {
        0 | 1 => String::new(),
        2 => ", and one other".into(),
        several => format!(", and {} others", several - 1),
    })
}

pub(super) fn saving(found: &[Subject], lost: impl Fn(&Subject) -> Ns) -> Ns {
    found.iter().map(lost).sum()
}

pub(super) const TENSOR_PIPE_IDLE: Rule = Rule {
    id: "tensor_pipe_idle",
    title: "Tensor Cores wait",
    how: "Of kernels with 5 % of the kernel time that run on Tensor Cores as measured: the use of their pipe while SMs are active \
          is below 20 %, and neither memory nor a small grid limits them. The saving is at most the time that is left if SMs or \
          memory were used to 80 %.",
    severity: Severity::Note,
    confidence: Confidence::Medium,
    thresholds: &[KERNEL, SPREAD, PIPE],
    link: "https://docs.nvidia.com/nsight-compute/ProfilingGuide/index.html",
    needs: &[Need::Counters],
    saves_from: &[TimeOf::Kernels],
    check: tensor_pipe_idle,
    ..Rule::SILENT
};

fn tensor_pipe_idle(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let mut found = subjects(scene, limits);
    found.retain(|one| {
        one.figures().tensor_cores == Some(true)
            && one.figures().tensor_active_percent.is_some_and(|percent| percent < limits.of(&PIPE))
            && one
                .figures()
                .bound
                .is_some_and(|bound| !matches!(bound, NcuBound::Memory | NcuBound::SmallGrid))
    });
    let first = found.first()?;
    let active = first.figures().tensor_active_percent?;
    let problem = Sentence::new(
        "{}, {} of the kernel time, runs on Tensor Cores, but their pipe works in {} of its cycles{}",
        vec![first.name(), Figure::Percent(first.share, 1), Figure::Percent(active, 1), others(&found)],
    );
    let finding = Finding::new(
        problem,
        "Look at tile sizes, at dimensions that are no multiples of 8 or 16, and at loads that are not overlapped; another \
         library or a tuned kernel may do better",
    )
    .percent(KERNEL.name, first.share)
    .percent(PIPE.name, active)
    .saves_at_most(
        scene.kernel_saving(saving(&found, |one| one.unused_ns(FULL_PERCENT))),
        scene.basis_of_most("Their time, if SMs or memory were used to 80 %"),
    );
    Some(about(finding, &found))
}

pub(super) const AT_MEMORY_ROOF: Rule = Rule {
    id: "at_memory_roof",
    title: "Kernels at the roof of DRAM",
    how: "Of kernels with 5 % of the kernel time: DRAM is used to 80 % or more. No saving is stated: only fewer bytes help.",
    severity: Severity::Note,
    confidence: Confidence::High,
    thresholds: &[KERNEL, SPREAD, DRAM],
    needs: &[Need::Counters],
    check: at_memory_roof,
    ..Rule::SILENT
};

fn at_memory_roof(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let mut found = subjects(scene, limits);
    found.retain(|one| one.figures().dram_percent.is_some_and(|percent| percent >= limits.of(&DRAM)));
    let first = found.first()?;
    let dram = first.figures().dram_percent?;
    let problem = Sentence::new(
        "{}, {} of the kernel time, uses {} of what DRAM can do{}",
        vec![first.name(), Figure::Percent(first.share, 1), Figure::Percent(dram, 1), others(&found)],
    );
    let finding = Finding::new(
        problem,
        "Leave the kernel as it is; only fewer bytes help: fuse it with its neighbours, or use types of 16 bits",
    )
    .percent(KERNEL.name, first.share)
    .percent(DRAM.name, dram);
    Some(about(finding, &found))
}

pub(super) const OCCUPANCY_NOT_REACHED: Rule = Rule {
    id: "occupancy_not_reached",
    title: "Fewer warps than fit",
    how: "Of kernels with 5 % of the kernel time that latency limits: theoretical less achieved occupancy is more than 10 points. \
          Silent about kernels that `tail_heavy` names, for their grids are uneven. No saving is stated.",
    severity: Severity::Note,
    confidence: Confidence::Medium,
    thresholds: &[KERNEL, SPREAD, OCCUPANCY],
    needs: &[Need::Counters],
    check: occupancy_not_reached,
    ..Rule::SILENT
};

fn occupancy_not_reached(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let missing = |figures: &MeasuredFigures| {
        Some(figures.theoretical_occupancy_percent? - figures.achieved_occupancy_percent?)
    };
    let tail = super::fill::TAIL_HEAVY;
    let uneven = tail.limits_in(scene).and_then(|limits| (tail.check)(scene, &limits));
    let is_uneven = |name: &str| {
        uneven.as_ref().is_some_and(|uneven| uneven.evidence.iter().any(|kernel| kernel.value == name))
    };
    let mut found = subjects(scene, limits);
    found.retain(|one| {
        one.figures().bound == Some(NcuBound::Latency)
            && !is_uneven(&one.kernel.long_name)
            && missing(one.figures()).is_some_and(|points| points > limits.of(&OCCUPANCY))
    });
    let first = found.first()?;
    let points = missing(first.figures())?;
    let problem = Sentence::new(
        "{}, {} of the kernel time, has {} of the warps that fit, though {} could be there{}",
        vec![
            first.name(),
            Figure::Percent(first.share, 1),
            Figure::Percent(first.figures().achieved_occupancy_percent?, 1),
            Figure::Percent(first.figures().theoretical_occupancy_percent?, 1),
            others(&found),
        ],
    );
    let finding = Finding::new(
        problem,
        "Even out the work of blocks and warps, and look at the end of the grid: some end long before others",
    )
    .percent(KERNEL.name, first.share)
    .percent(OCCUPANCY.name, points);
    Some(about(finding, &found))
}

pub(super) const LATENCY_BOUND: Rule = Rule {
    id: "latency_bound",
    title: "Kernels that wait",
    how: "Of kernels with 5 % of the kernel time that latency limits: schedulers issue in less than 80 % of the cycles, and the \
          largest stall takes more than 30 % of the time between two instructions of a warp. The saving is at most the time that \
          is left if SMs or memory were used to 60 %.",
    severity: Severity::Note,
    confidence: Confidence::Medium,
    thresholds: &[KERNEL, SPREAD, ISSUE, STALL],
    link: "https://docs.nvidia.com/nsight-compute/ProfilingGuide/index.html#statistical-sampler",
    needs: &[Need::Counters],
    saves_from: &[TimeOf::Kernels],
    check: latency_bound,
    ..Rule::SILENT
};

fn latency_bound(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let mut found = subjects(scene, limits);
    found.retain(|one| {
        let figures = one.figures();
        figures.bound == Some(NcuBound::Latency)
            && figures.issue_active_percent.is_some_and(|percent| percent < limits.of(&ISSUE))
            && figures.top_stall.is_some()
            && figures.top_stall_percent.is_some_and(|percent| percent > limits.of(&STALL))
    });
    let first = found.first()?;
    let stall = first.figures().top_stall.clone()?;
    let percent = first.figures().top_stall_percent?;
    let issues = first.figures().issue_active_percent?;
    let (waits_for, advice) = stall_in_words(&stall);
    let problem = Sentence::new(
        "{}, {} of the kernel time, waits: {} of the time between two instructions for {} (`{}`){}",
        vec![
            first.name(),
            Figure::Percent(first.share, 1),
            Figure::Percent(percent, 1),
            Figure::Text(waits_for.into()),
            Figure::Text(stall),
            others(&found),
        ],
    );
    let recommendation = Sentence::new("To shorten the wait, {}", vec![Figure::Text(advice.into())]);
    let finding = Finding::new(problem, recommendation)
        .percent(KERNEL.name, first.share)
        .percent(ISSUE.name, issues)
        .percent(STALL.name, percent)
        .saves_at_most(
            scene.kernel_saving(saving(&found, |one| one.unused_ns(WAITING_PERCENT))),
            scene.basis_of_most("Their time, if SMs or memory were used to 60 %"),
        );
    Some(about(finding, &found))
}

pub(super) const MORE_WORK_THAN_SHAPES: Rule = Rule {
    id: "more_work_than_shapes",
    title: "Ops that do more than their shapes ask for",
    how: "Of ops of which 95 % were counted, and whose work follows from their shapes without assumptions: operations that were \
          counted are more than 1.5 times, or bytes that moved more than 3 times those of the shapes. No saving is stated.",
    severity: Severity::Note,
    confidence: Confidence::Medium,
    thresholds: &[FLOP_RATIO, BYTES_RATIO],
    needs: &[Need::Counters],
    check: more_work_than_shapes,
    ..Rule::SILENT
};

fn more_work_than_shapes(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    const MOST: usize = 5;
    let is_above =
        |ratio: Option<f64>, threshold: &Threshold| ratio.is_some_and(|ratio| ratio > limits.of(threshold));
    let does_more = |op: &MeasuredOp| {
        op.by_shapes.as_ref().is_some_and(|work| !work.assumed)
            && (is_above(op.flop_ratio(), &FLOP_RATIO) || is_above(op.bytes_ratio(), &BYTES_RATIO))
    };
    let found: Vec<MeasuredOp> = measured_ops(scene.profile).into_iter().filter(does_more).collect();
    let first = found.first()?;
    let is_by_flop = is_above(first.flop_ratio(), &FLOP_RATIO);
    let ratio = if is_by_flop { first.flop_ratio()? } else { first.bytes_ratio()? };
    let words = match is_by_flop {
        true => "`{}` computes {} times what its shapes ask for",
        false => "`{}` moves {} times the bytes that its shapes ask for",
    };
    let id = |op: &MeasuredOp| scene.profile.op_id(op.op).to_owned();
    let problem = Sentence::new(words, vec![Figure::Text(id(first)), Figure::Text(format!("{ratio:.1}"))]);
    let name = if is_by_flop { FLOP_RATIO.name } else { BYTES_RATIO.name };
    let finding = Finding::new(
        problem,
        "Look for padding, for work that is done again, for passes that are not fused, and for reads that miss the caches",
    )
    .percent(name, ratio)
    .about(EvidenceKind::MeasuredOp, found.iter().take(MOST).map(id))
    .show(Question::of("ncu_ops").sorted_by(["-gpu_time_ns"]));
    Some(finding)
}
