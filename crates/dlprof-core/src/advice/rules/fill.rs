//! How kernels fill a GPU: waves, grids, occupancy.

use super::{short_of, show_kernels};
use crate::advice::finding::{Confidence, Finding, Severity};
use crate::advice::kernels::{Kernel, KernelGrid};
use crate::advice::rule::{Limits, Need, Rule, Threshold, TimeOf};
use crate::advice::scene::Scene;
use crate::advice::sentence::{Figure, Sentence};
use crate::base::ratios::{count_to_f64, percent, to_f64};
use crate::base::time::{Ns, total};
use crate::figures::gpu::{LossShare, LossSum};
use crate::figures::kernel_kinds::KernelKind;
use crate::figures::kernel_kinds::kernel_class::KernelClass;
use std::cmp::Reverse;

const TAIL: Threshold = Threshold {
    name: "tail_loss_percent",
    default: 10.0,
    doc: "Least share of the kernel time that is lost because some SMs run a block more than others.",
};

const TAIL_KERNEL: Threshold = Threshold {
    name: "kernel_percent",
    default: 5.0,
    doc: "Least share of the kernel time of a kernel that loses much.",
};

const TAIL_OF_KERNEL: Threshold = Threshold {
    name: "tail_of_kernel_percent",
    default: 10.0,
    doc: "Least share of such a kernel's time that it loses.",
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
    title: "Blocks divide unevenly among the SMs",
    how: "The share of the kernel time without algorithms that are tried (see `autotuning_in_range`) that is lost because some SMs run a block more than others, if blocks are equally long: \
        of grids of more than one wave, 1 − b ÷ ⌈b⌉ with b = blocks ÷ SMs; and a kernel of 5 % of the time that loses 10 % of \
        its own. `uneven_loss_ns` of table `kernel_names` has it by kernel. Where one block fits an SM this is the tail (`tail_loss_ns`). \
        Where several do, they share the SM's units, and the tail overstates: it takes each place of the last wave that is empty for \
        lost. Silent \
        while kernels take under 5 % of the time. The saving is at most the whole loss.",
    severity: Severity::Note,
    confidence: Confidence::Medium,
    thresholds: &[TAIL, TAIL_KERNEL, TAIL_OF_KERNEL],
    link: "https://docs.nvidia.com/deeplearning/performance/dl-performance-gpu-background/index.html",
    needs: &[Need::KernelResources, Need::Kernels],
    saves_from: &[TimeOf::Kernels],
    check: tail_heavy,
    ..Rule::SILENT
};

fn tail_heavy(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let times = scene.own_kernels();
    let mut loss = LossSum::default();
    times.kernels.iter().for_each(|kernel| loss.merge(&kernel.uneven));
    let loss_ns = loss.rounded();
    let share = times.share(loss_ns);
    let is_great = |kernel: &&Kernel| {
        times.share(kernel.time_ns) >= limits.of(&TAIL_KERNEL)
            && percent(kernel.uneven.rounded(), kernel.time_ns) >= limits.of(&TAIL_OF_KERNEL)
    };
    if share < limits.of(&TAIL) || !scene.kernels_matter() {
        return None;
    }
    let kernels: Vec<&Kernel> = times.kernels.iter().filter(is_great).collect();
    let first = kernels.first()?;
    let is_uneven = |grid: &&KernelGrid| grid.fill.waves.is_some_and(|waves| waves.uneven != LossShare::NONE);
    let grid = first.grids.iter().find(is_uneven)?;
    let blocks = grid.blocks();
    let sms = scene.profile.sm_count_of(&grid.config, grid.device).unwrap_or(0);
    let per_sm = count_to_f64(blocks) / count_to_f64(sms.max(1));
    let finding = Finding::new(
        Sentence::new(
            "Up to {} of the {} is lost because some SMs run a block more than others; {} has {} blocks for {} SMs, {} \
             each",
            vec![
                Figure::Percent(share, 1),
                scene.own_kernel_time(),
                Figure::Text(format!("`{}`", short_of(scene, first))),
                Figure::Count(blocks),
                Figure::Count(sms),
                Figure::Text(format!("{per_sm:.2}")),
            ],
        ),
        "Choose batch sizes or tiles so that blocks are a multiple of the number of SMs or just below, or many",
    )
    .percent(TAIL.name, share)
    .percent("blocks_per_sm", per_sm)
    .saves_at_most(
        scene.kernel_saving(loss_ns),
        scene.basis_of_most("All time that SMs wait for those with a block more, if blocks are equally long"),
    );
    Some(show_kernels(scene, scene.beside_tried(finding), &kernels, "uneven_loss_ns > 0"))
}

pub(super) const UNDERFILLED: Rule = Rule {
    id: "underfilled",
    title: "Grids smaller than the GPU",
    how: "The share of the kernel time without algorithms that are tried (see `autotuning_in_range`) that is lost because grids have \
          fewer blocks than the GPU has SMs (`underfill_loss_ns` of table `kernel_names`), without kernels that exchange data, which are \
          meant to leave SMs to others, and those that the runtime of a compiler launches by itself. Silent while kernels take under 5 % of the time, and where the names of kernels that take 10 % of the kernel time do not tell whether they exchange data. A saving is stated of grids that leave seven \
          eighths of the SMs without a block, in launches of 10 µs and more: at most what these launches lose, if the same work \
          ran on all SMs. None is stated of launches of a grid while unified memory migrates, because for how long they wait for it is \
          not recorded; nor of other grids, because the same work on more SMs is another kernel.",
    severity: Severity::Note,
    confidence: Confidence::Medium,
    thresholds: &[UNDERFILL],
    needs: &[Need::KernelNames, Need::KernelResources, Need::Kernels],
    saves_from: &[TimeOf::Kernels],
    check: underfilled,
    ..Rule::SILENT
};

fn underfilled(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let times = scene.own_kernels();
    let exchanges = |kernel: &&Kernel| kernel.kind == KernelKind::Communication;
    let exchange_ns = total(times.kernels.iter().filter(exchanges).map(|kernel| kernel.time_ns));
    let is_own = |kernel: &&Kernel| !kernel.classes.has(KernelClass::Runtime) && !exchanges(kernel);
    let own = || times.kernels.iter().filter(is_own);
    let mut loss = LossSum::default();
    own().for_each(|kernel| loss.merge(&kernel.underfill));
    let share = percent(loss.rounded(), times.time_ns - exchange_ns);
    // Kernels that exchange data are meant to have few blocks.
    if share < limits.of(&UNDERFILL) || !scene.kernels_matter() || scene.untold().is_some() {
        return None;
    }
    let mut kernels: Vec<&Kernel> = own().filter(|kernel| kernel.underfill.rounded() > 0).collect();
    kernels.sort_by_key(|kernel| Reverse(kernel.underfill.rounded()));
    let first = kernels.first()?;
    let grid = first
        .grids
        .iter()
        .find(|grid| grid.fill.waves.is_some_and(|waves| waves.underfill != LossShare::NONE))?;
    let blocks = grid.blocks();
    let sms = scene.profile.sm_count_of(&grid.config, grid.device).unwrap_or(0);
    let finding = Finding::new(
        Sentence::new(
            "While {}{} run, {} of the SMs have no block on average, because grids are smaller than the GPU; {} has a \
             grid of {} on {} SMs",
            vec![
                scene.own_kernels_in_words(),
                Figure::Text(if exchange_ns > 0 { " that exchange no data" } else { "" }.to_owned()),
                Figure::Percent(share, 1),
                Figure::Text(format!("`{}`", short_of(scene, first))),
                Figure::Count(blocks),
                Figure::Count(sms),
            ],
        ),
        more_blocks(scene, first),
    )
    .percent(UNDERFILL.name, share)
    .count("blocks", blocks)
    .count("sm_count", sms);
    let grids = own().flat_map(|kernel| &kernel.grids);
    let nearly_empty_ns = total(grids.filter_map(|grid| nearly_empty(scene, grid)));
    let finding = if nearly_empty_ns > 0 {
        finding.saves_at_most(
            scene.kernel_saving(nearly_empty_ns),
            scene.basis_of_most(
                "What grids lose that leave seven eighths of the SMs without a block, if the same work ran on all SMs",
            ),
        )
    } else {
        finding
    };
    kernels.truncate(5);
    Some(show_kernels(scene, scene.beside_tried(finding), &kernels, "underfill_loss_ns > 0"))
}

/// How to fill the GPU. Where the capture has passes of the same kernels on several streams, it says what these bring.
fn more_blocks(scene: &Scene<'_>, kernel: &Kernel) -> Sentence {
    let words = match (scene.framework().trains_models(), kernel.classes.has(KernelClass::Matrix)) {
        (true, true) => "Give each launch more work: a larger batch, products split along K",
        (true, false) => "Give each launch more work, such as a larger batch",
        (false, true) => "Give each launch more work: larger products, or products split along K",
        (false, false) => "Launch the same work with more blocks, each of which does less",
    };
    let Some(tried) = several_streams(scene) else {
        return Sentence::joined(
            &[words, "; or run small kernels side by side on several streams"],
            Vec::new(),
        );
    };
    Sentence::new("{}; {}", vec![Figure::Text(words.to_owned()), Figure::Clause(Box::new(tried))])
}

/// What passes of the same kernels on several streams take, where they are no faster than one by one.
fn several_streams(scene: &Scene<'_>) -> Option<Sentence> {
    let iterations = &scene.profile.iterations;
    let numbers = scene.places.clone().map(|place| scene.iteration(place));
    let further: Vec<(u32, u32)> = iterations.further_passes_of(numbers).collect();
    let &(number, most) = further.iter().max_by_key(|(number, further)| (*further, Reverse(*number)))?;
    let passes = most + u32::from(most > 0);
    let alone = further.iter().filter(|(_, further)| *further == 0);
    let mut alone: Vec<Ns> = alone.map(|&(number, _)| iterations.windows.span(number).length()).collect();
    alone.sort_unstable();
    let (each_ns, alone_ns) =
        (iterations.windows.span(number).length() / Ns::from(passes.max(1)), *alone.get(alone.len() / 2)?);
    if !overlaps(scene, number) {
        return None;
    }
    // A twentieth less is no experiment that went well.
    (passes > 0 && 20 * each_ns >= 19 * alone_ns).then(|| {
        Sentence::new(
            "Passes side by side on several streams are no faster here: in iteration {} each of {} takes {}, alone {}",
            vec![
                Figure::Count(number.into()),
                Figure::Count(passes.into()),
                Figure::Time(to_f64(each_ns)),
                Figure::Time(to_f64(alone_ns)),
            ],
        )
    })
}

/// Whether kernels of an iteration run side by side for a tenth of its kernel time or more. Passes on several streams can also run
/// one after the other.
fn overlaps(scene: &Scene<'_>, number: u32) -> bool {
    let place = scene.places.clone().find(|&place| scene.iteration(place) == number);
    let row = scene.profile.iteration_stats.get(number as usize);
    let (Some(place), Some(row)) = (place, row) else { return false };
    let time = scene.sum_over(place..place + 1);
    let any_ns = time.compute_ns + time.exposed_communication_ns;
    10 * (row.kernels.gpu_ns - any_ns) >= any_ns
}

/// What the launches of a grid lose that leaves seven eighths of the SMs without a block. Short launches take their time wherever
/// they run, and what launches lose that wait for unified memory is not known.
fn nearly_empty(scene: &Scene<'_>, grid: &KernelGrid) -> Option<Ns> {
    let sms = scene.profile.sm_count_of(&grid.config, grid.device)?;
    let short_ns = scene.profile.settings().activity.thresholds.short_kernel_ns;
    let is_long = grid.time_ns >= short_ns.saturating_mul(Ns::try_from(grid.launches).ok()?);
    let lost_ns = grid.fill.waves?.underfill.of_duration(grid.time_ns);
    (is_long && grid.migrating_ns == 0 && grid.blocks().saturating_mul(8) <= sms).then_some(lost_ns)
}

pub(super) const LOW_OCCUPANCY: Rule = Rule {
    id: "low_occupancy",
    title: "A kernel leaves most warps of an SM empty",
    how: "A kernel with a tenth of the kernel time without algorithms that are tried whose blocks fill less than a quarter of an SM's warps, by registers, shared \
          memory and block size. Kernels of matrix math and those that exchange data are left out, because they are meant to run so. Silent while kernels \
          take under 5 % of the time. No saving is stated.",
    severity: Severity::Note,
    confidence: Confidence::Medium,
    thresholds: &[LOW_KERNEL, LOW_OCCUPANCY_LIMIT],
    needs: &[Need::KernelResources, Need::Kernels],
    check: low_occupancy,
    ..Rule::SILENT
};

fn low_occupancy(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    if !scene.kernels_matter() {
        return None;
    }
    let times = scene.own_kernels();
    let found = times.kernels.iter().find_map(|kernel| {
        let occupancy = kernel.grids.first()?.fill.runnable()?;
        let percent = occupancy.percent();
        let is_low = times.share(kernel.time_ns) >= limits.of(&LOW_KERNEL)
            && percent < limits.of(&LOW_OCCUPANCY_LIMIT)
            && !kernel.classes.has(KernelClass::Matrix)
            && kernel.kind != KernelKind::Communication;
        is_low.then_some((kernel, occupancy, percent))
    });
    let (kernel, occupancy, percent) = found?;
    let finding = Finding::new(
        Sentence::new(
            "`{}` takes {} of the {} at an occupancy of {}, limited by {}",
            vec![
                Figure::Text(short_of(scene, kernel)),
                Figure::Percent(times.share(kernel.time_ns), 1),
                scene.own_kernel_time(),
                Figure::Percent(percent, 1),
                Figure::Text(occupancy.limited_by.words_on(scene.vendor())),
            ],
        ),
        match scene.vendor().kernel_profiler() {
            Some(program) => Sentence::new(
                "Use fewer registers or less shared memory per block, or another block size; {} shows whether it waits for memory",
                vec![Figure::Text(program.into())],
            ),
            None => "Use fewer registers or less shared memory per block, or another block size".into(),
        },
    )
    .percent(LOW_OCCUPANCY_LIMIT.name, percent)
    .percent(LOW_KERNEL.name, times.share(kernel.time_ns));
    let condition = format!("occupancy_percent < {}", limits.of(&LOW_OCCUPANCY_LIMIT));
    Some(show_kernels(scene, scene.beside_tried(finding), &[kernel], &condition))
}
