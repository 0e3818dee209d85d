//! How kernels fill a GPU: waves, grids, occupancy.

use super::super::finding::{Confidence, Finding, Severity};
use super::super::kernel_class::KernelClass;
use super::super::kernels::Kernel;
use super::super::rule::{Limits, Rule, Threshold};
use super::super::scene::Scene;
use super::super::sentence::{Figure, Sentence};
use super::{short_of, show_kernels};
use crate::gpu::{LossSum, Share};
use crate::ratios::percent;

const TAIL: Threshold = Threshold {
    name: "tail_loss_percent",
    default: 10.0,
    doc: "Least share of the kernel time that is lost to the last, partly empty wave of blocks.",
};

const TAIL_KERNEL: Threshold = Threshold {
    name: "kernel_percent",
    default: 5.0,
    doc: "Least share of the kernel time of a kernel with a great tail.",
};

const TAIL_OF_KERNEL: Threshold = Threshold {
    name: "tail_of_kernel_percent",
    default: 10.0,
    doc: "Least share of such a kernel's time that its tail loses.",
};

const UNDERFILL: Threshold = Threshold {
    name: "underfill_loss_percent",
    default: 10.0,
    doc: "Least share of the kernel time that is lost because grids have fewer blocks than the GPU has SMs.",
};

const LOW_KERNEL: Threshold =
    Threshold { name: "kernel_percent", default: 10.0, doc: "Least share of the kernel time of the kernel." };

const LOW_OCCUPANCY_LIMIT: Threshold =
    Threshold { name: "occupancy_percent", default: 25.0, doc: "The occupancy of the kernel is below this." };

pub(super) const TAIL_HEAVY: Rule = Rule {
    id: "tail_heavy",
    title: "Last waves of blocks leave the GPU partly empty",
    how: "The share of the kernel time that is lost in the last wave of blocks, if blocks are equally long (`tail_loss_ns` of table \
          `kernel_names`), and a kernel of 5 % of the time whose tail loses 10 % of its own. Silent while kernels take under 5 % \
          of the time. The saving is at most the whole loss.",
    severity: Severity::Note,
    confidence: Confidence::Medium,
    thresholds: &[TAIL, TAIL_KERNEL, TAIL_OF_KERNEL],
    link: "https://docs.nvidia.com/deeplearning/performance/dl-performance-gpu-background/index.html",
    check: tail_heavy,
};

fn tail_heavy(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let times = scene.kernels();
    let mut loss = LossSum::default();
    times.kernels.iter().for_each(|kernel| loss.merge(&kernel.tail));
    let loss_ns = loss.rounded();
    let share = times.share(loss_ns);
    let is_great = |kernel: &&Kernel| {
        times.share(kernel.time_ns) >= limits.of(&TAIL_KERNEL)
            && percent(kernel.tail.rounded(), kernel.time_ns) >= limits.of(&TAIL_OF_KERNEL)
    };
    if share < limits.of(&TAIL) || !scene.kernels_matter() {
        return None;
    }
    let kernels: Vec<&Kernel> = times.kernels.iter().filter(is_great).collect();
    let first = kernels.first()?;
    let grid = first.grids.iter().find(|grid| grid.fill.waves.is_some_and(|waves| waves.waves > 1.0))?;
    let waves = grid.fill.waves?.waves;
    let sms = scene.profile.device_figure(grid.device).sm_count.unwrap_or(0);
    let finding = Finding::new(
        Sentence::new(
            "Up to {} of the kernel time is lost in last waves that fill the GPU in part; {} runs {} waves of blocks on {} SMs",
            vec![
                Figure::Percent(share, 1),
                Figure::Text(format!("`{}`", short_of(scene, first))),
                Figure::Text(format!("{waves:.2}")),
                Figure::Count(sms),
            ],
        ),
        "Choose batch sizes or tiles so that the number of waves is just below a whole number, or large",
    )
    .percent(TAIL.name, share)
    .percent("waves", waves)
    .saves_at_most(scene.kernel_saving(loss_ns), "All time that the last waves lose, if blocks are equally long");
    Some(show_kernels(scene, finding, &kernels, "tail_loss_ns > 0"))
}

pub(super) const UNDERFILLED: Rule = Rule {
    id: "underfilled",
    title: "Grids smaller than the GPU",
    how: "The share of the kernel time that is lost because grids have fewer blocks than the GPU has SMs (`underfill_loss_ns` of \
          table `kernel_names`). Silent while kernels take under 5 % of the time. No saving is stated: the same work on more \
          SMs is another kernel.",
    severity: Severity::Note,
    confidence: Confidence::Medium,
    thresholds: &[UNDERFILL],
    link: "",
    check: underfilled,
};

fn underfilled(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let times = scene.kernels();
    let mut loss = LossSum::default();
    times.kernels.iter().for_each(|kernel| loss.merge(&kernel.underfill));
    let share = times.share(loss.rounded());
    if share < limits.of(&UNDERFILL) || !scene.kernels_matter() {
        return None;
    }
    let mut kernels: Vec<&Kernel> =
        times.kernels.iter().filter(|kernel| kernel.underfill.rounded() > 0).collect();
    kernels.sort_by_key(|kernel| std::cmp::Reverse(kernel.underfill.rounded()));
    let first = kernels.first()?;
    let grid = first
        .grids
        .iter()
        .find(|grid| grid.fill.waves.is_some_and(|waves| waves.underfill != Share::NONE))?;
    let blocks = grid.config.grid.iter().product::<i64>().unsigned_abs();
    let sms = scene.profile.device_figure(grid.device).sm_count.unwrap_or(0);
    let finding = Finding::new(
        Sentence::new(
            "While kernels run, {} of the SMs have no block on average, because grids are smaller than the GPU; {} has a grid of {} on {} SMs",
            vec![
                Figure::Percent(share, 1),
                Figure::Text(format!("`{}`", short_of(scene, first))),
                Figure::Count(blocks),
                Figure::Count(sms),
            ],
        ),
        "Give each launch more work: a larger batch, products split along K; or run small kernels side by side on several streams",
    )
    .percent(UNDERFILL.name, share)
    .count("blocks", blocks)
    .count("sm_count", sms);
    kernels.truncate(5);
    Some(show_kernels(scene, finding, &kernels, "underfill_loss_ns > 0"))
}

pub(super) const LOW_OCCUPANCY: Rule = Rule {
    id: "low_occupancy",
    title: "A kernel leaves most warps of an SM empty",
    how: "A kernel with a tenth of the kernel time whose blocks fill less than a quarter of an SM's warps, by registers, shared \
          memory and block size. Kernels of matrix math are left out, because they are meant to run so. Silent while kernels \
          take under 5 % of the time. No saving is stated.",
    severity: Severity::Note,
    confidence: Confidence::Medium,
    thresholds: &[LOW_KERNEL, LOW_OCCUPANCY_LIMIT],
    link: "",
    check: low_occupancy,
};

fn low_occupancy(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    if !scene.kernels_matter() {
        return None;
    }
    let times = scene.kernels();
    let found = times.kernels.iter().find_map(|kernel| {
        let occupancy = kernel.grids.first()?.fill.runnable()?;
        let percent = occupancy.percent();
        let is_low = times.share(kernel.time_ns) >= limits.of(&LOW_KERNEL)
            && percent < limits.of(&LOW_OCCUPANCY_LIMIT)
            && !kernel.classes.has(KernelClass::Matrix);
        is_low.then_some((kernel, occupancy, percent))
    });
    let (kernel, occupancy, percent) = found?;
    let finding = Finding::new(
        Sentence::new(
            "`{}` takes {} of the kernel time at an occupancy of {}, limited by {}",
            vec![
                Figure::Text(short_of(scene, kernel)),
                Figure::Percent(times.share(kernel.time_ns), 1),
                Figure::Percent(percent, 1),
                Figure::Text(occupancy.limited_by.words()),
            ],
        ),
        "Use fewer registers or less shared memory per block, or another block size; Nsight Compute shows whether it waits for memory",
    )
    .percent(LOW_OCCUPANCY_LIMIT.name, percent)
    .percent(LOW_KERNEL.name, times.share(kernel.time_ns));
    let condition = format!("occupancy_percent < {}", limits.of(&LOW_OCCUPANCY_LIMIT));
    Some(show_kernels(scene, finding, &[kernel], &condition))
}
