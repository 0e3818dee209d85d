//! What kernels spend their time on, and how they fill a GPU.

use super::markers::{WITHOUT_MARKERS, held_by_markers};
use super::pauses::FewPauses;
use super::range::AUTOTUNING_IN_RANGE;
use super::{
    FEWEST_LAUNCHES, FEWEST_PER_ITERATION, LAUNCHES_WITH_COPIES, MOST_OF_GAPS, comes_with_copies, name_of,
    short_of, show_kernels, shows_what_limits,
};
use crate::advice::edits::Edits;
use crate::advice::finding::{Confidence, EvidenceKind, Finding, Severity};
use crate::advice::framework::Framework;
use crate::advice::kernels::Kernel;
use crate::advice::question::Question;
use crate::advice::rule::{Limits, Need, Rule, Threshold, TimeOf};
use crate::advice::savings::LikelyAndMost;
use crate::advice::scene::{Scene, part};
use crate::advice::sentence::{Figure, Sentence};
use crate::advice::tried::Launches;
use crate::base::ids::{ApiCallId, OpId};
use crate::base::ratios::{count_to_f64, percent, to_f64, whole};
use crate::base::time::{Ns, total};
use crate::capture::classified::Cause;
use crate::capture::correlate::UNASSOCIATED;
use crate::capture::names::ApiClass;
use crate::figures::kernel_kinds::KernelKind;
use crate::figures::kernel_kinds::kernel_class::{self, COMPUTES, KernelClass};
use crate::read::facts::Vendor;
use crate::replay::KernelsOf;
use std::collections::BTreeMap;

const LAYOUT: Threshold = Threshold {
    name: "layout_percent",
    default: 3.0,
    doc: "Least share of the kernel time of kernels that only change a layout.",
};

const LAYOUTS_PER_CONVOLUTION: Threshold = Threshold {
    name: "layouts_per_convolution",
    default: 1.0,
    doc: "Least number of such kernels per convolution.",
};

const SHORT: Threshold = Threshold {
    name: "short_launches_percent",
    default: 50.0,
    doc: "Least share of launches whose kernel is short (under 10 µs).",
};

const SHORT_TIME: Threshold = Threshold {
    name: "short_time_percent",
    default: 10.0,
    doc: "Least share of the kernel time that short kernels take, where the program is not launch-bound.",
};

const SHORT_GAPS: Threshold = Threshold {
    name: "cpu_in_short_gaps_percent",
    default: 10.0,
    doc: "Share of the time in which GPUs wait for launches, from which on the program is launch-bound.",
};

const HOTSPOT: Threshold = Threshold {
    name: "kernel_time_percent",
    default: 50.0,
    doc: "Least share of the kernel time of one kernel.",
};

pub(super) const LAYOUT_TRANSPOSES: Rule = Rule {
    id: "layout_transposes",
    title: "Kernels that only change the layout",
    how: "The share of the kernel time of kernels that change the layout of tensors, by name, or one such kernel and more per \
          convolution, both without algorithms that are tried (see `autotuning_in_range`). Silent while \
          kernels take under 5 % of the time. The saving is at most all of their time, and what GPUs idle for their launches and \
          after them up to the next wait of the host, without those that turn filters: libraries launch these before a convolution, whatever the layout of the tensors is.",
    severity: Severity::Warning,
    confidence: Confidence::High,
    thresholds: &[LAYOUT, LAYOUTS_PER_CONVOLUTION],
    link: "https://pytorch.org/tutorials/intermediate/memory_format_tutorial.html",
    needs: &[Need::Kernels],
    saves_from: &[TimeOf::Kernels, TimeOf::Launching, TimeOf::Between],
    check: layout_transposes,
    ..Rule::SILENT
};

fn layout_transposes(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let times = scene.kernels();
    let all = Launches {
        launches: times.launches_of(KernelClass::Layout),
        time_ns: times.time_of(KernelClass::Layout),
    };
    // Algorithms that are tried for convolutions bring kernels of both kinds with them, of which `autotuning_in_range` speaks.
    let tried = scene.tried().of(scene.profile, KernelClass::Layout);
    let own = all.without(tried);
    let convolutions = times.launches_of(KernelClass::Convolution);
    let own_convolutions =
        convolutions.saturating_sub(scene.tried().of(scene.profile, KernelClass::Convolution).launches);
    let each = match own_convolutions {
        0 => 0.0,
        convolutions => count_to_f64(own.launches) / count_to_f64(convolutions),
    };
    let is_much = times.share(own.time_ns) >= limits.of(&LAYOUT);
    if own.launches == 0
        || (!is_much && each < limits.of(&LAYOUTS_PER_CONVOLUTION))
        || !scene.kernels_matter()
    {
        return None;
    }
    let tried_filters = scene.tried().of(scene.profile, KernelClass::FilterLayout);
    let filters_ns = times.time_of(KernelClass::FilterLayout) - tried_filters.time_ns;
    let filters = times.launches_of(KernelClass::FilterLayout).saturating_sub(tried_filters.launches);
    let tensors = own.without(Launches { launches: filters, time_ns: filters_ns });
    let are_filters = 2 * filters_ns >= own.time_ns;
    let advice = if are_filters {
        "Most of this time turns filters into the layout that the library computes in, before each convolution. The layout of \
         tensors does not change that. It takes as long for larger batches, of which it is a smaller part"
    } else if scene.is_pytorch() {
        match scene.vendor() {
            Vendor::Amd => {
                "Keep the model and its input in channels-last layout: `.to(memory_format=torch.channels_last)` for both. Set \
                 `PYTORCH_MIOPEN_SUGGEST_NHWC=1` in the environment, without which MIOpen may compute in the other layout all the same"
            }
            _ => {
                "Keep the model and its input in channels-last layout: `.to(memory_format=torch.channels_last)` for both"
            }
        }
    } else {
        "Keep tensors, from the input on, in the layout that the convolutions compute in; the names of their kernels often say \
         it (`nhwc`, `NCHW`)"
    };
    // What is done once has no count per iteration, and what few iterations launch has none above 0.
    let is_each = tried.launches == 0
        && [own.launches, own_convolutions].iter().all(|&of| of == 0 || scene.per_iteration(of) >= 1.0);
    let counted_as =
        |launches: u64| Figure::Count(if is_each { whole(scene.per_iteration(launches)) } else { launches });
    let template = "{} kernels{} only change the layout of tensors, {} of the kernel time{}, beside {} kernel{} named after convolutions";
    let of_filters = match filters_ns {
        0 => "".into(),
        ns => Sentence::new(" ({} that of filters)", vec![Figure::Percent(times.share(ns), 1)]),
    };
    let counted = vec![
        counted_as(own.launches),
        match is_each {
            true => scene.each(),
            false if scene.iterations > 0 => Figure::Text(" in all".to_owned()),
            false => Figure::Text(String::new()),
        },
        Figure::Percent(times.share(own.time_ns), 1),
        Figure::Clause(Box::new(of_filters)),
        counted_as(own_convolutions),
        Figure::Text(
            if own_convolutions == 1 || is_each && whole(scene.per_iteration(own_convolutions)) == 1 {
                ""
            } else {
                "s"
            }
            .to_owned(),
        ),
    ];
    let problem = match tried.launches {
        0 => Sentence::new(template, counted),
        launches => {
            let of_tried = [
                Figure::Count(launches),
                Figure::Percent(times.share(tried.time_ns), 1),
                Figure::Count(convolutions - own_convolutions),
            ];
            Sentence::joined(
                &[
                    template,
                    "; {} more, {} of the kernel time, and {} more named after convolutions belong to algorithms that are tried",
                ],
                counted.into_iter().chain(of_tried).collect(),
            )
        }
    };
    // Kernels of one name are for filters and for tensors.
    let late = scene.late_launches_of(times.of(KernelClass::Layout));
    let of_tensors = count_to_f64(tensors.launches) / count_to_f64(all.launches.max(1));
    let [late_ns, pauses_ns] = [late.most_ns, late.pauses_ns].map(|ns| part(ns, of_tensors));
    let problem = Sentence::of_figures(vec![Figure::Clause(Box::new(problem)), in_last_run(scene)]);
    let finding = Finding::new(problem, advice)
        .percent(LAYOUT.name, times.share(own.time_ns))
        .percent("with_tried_percent", times.share(all.time_ns))
        .percent(LAYOUTS_PER_CONVOLUTION.name, each)
        .count("launches", all.launches)
        .count("tried_launches", tried.launches);
    // No layout that the program can choose removes the library's own.
    let finding = match are_filters || tensors.launches == 0 {
        true => finding.at_most(Severity::Note),
        false => finding.saves_at_most(
            scene.saving_without(tensors.time_ns, late_ns),
            scene.basis_without(
                "changes of layout of tensors, without filters and algorithms that are tried",
                LikelyAndMost { likely_ns: late_ns - pauses_ns, most_ns: late_ns, pauses_ns },
            ),
        ),
    };
    let kernels: Vec<&Kernel> = times.of(KernelClass::Layout).collect();
    Some(show_kernels(
        scene,
        finding,
        &kernels,
        &format!(
            "long_kernel_name ~ '(?i){}' and not long_kernel_name ~ '(?i){COMPUTES}'",
            kernel_class::LAYOUT
        ),
    ))
}

/// How many of the kernels that change the layout the second run of a range launches that runs twice: what a pass has, without what
/// the first does once.
fn in_last_run(scene: &Scene<'_>) -> Figure {
    let Some(twice) = scene.profile.run_twice() else { return Figure::Text(String::new()) };
    let capture = &scene.profile.capture;
    let (mut all, mut layouts) = (0, Launches::default());
    scene.profile.for_each_kernel(scene.places.clone(), |_, kernel| {
        let call = capture.launches.api[kernel].some();
        let is_in = |call: ApiCallId| {
            (twice.second.start..twice.second.end).contains(&capture.api_calls.span[call].start)
        };
        if call.is_some_and(is_in) {
            let ns = capture.work.span[kernel].length();
            all += ns;
            if scene.profile.judge_kernel(kernel).classes.has(KernelClass::Layout) {
                layouts = Launches { launches: layouts.launches + 1, time_ns: layouts.time_ns + ns };
            }
        }
    });
    Figure::Clause(Box::new(Sentence::new(
        "; the second run of `{}` launches {} such kernels, {} of its {} of kernels",
        vec![
            Figure::Text(twice.name),
            Figure::Count(layouts.launches),
            Figure::Time(to_f64(layouts.time_ns)),
            Figure::Time(to_f64(all)),
        ],
    )))
}

pub(super) const TINY_KERNELS: Rule = Rule {
    id: "tiny_kernels",
    title: "Most kernels are short",
    how: "The share of launches whose kernel takes less than `short_kernel_ns` of `[thresholds]` (10 µs); those of algorithms \
          that are tried (see `autotuning_in_range`) are among them, and `tried_launches` says how many. Silent under 50 \
          launches or 5 per iteration, and where the likely saving is under 0.1 % of the time. The rule fires where the program is launch-bound, or where short kernels take a tenth of \
          the kernel time. The likely saving is the number of launches that fusing removes, taken as half of the short ones, × \
          the median start delay; where the program is launch-bound, × the time per launch, up to four fifths of the idle time \
          in gaps under 1 ms in which GPUs wait for launches. The most is that idle time, that between queued kernels, and the \
          time of short kernels.",
    severity: Severity::Note,
    confidence: Confidence::High,
    thresholds: &[SHORT, SHORT_TIME, SHORT_GAPS],
    needs: &[Need::Kernels],
    of_later_passes: true,
    saves_from: &[TimeOf::Kernels, TimeOf::Launching],
    is_replayed: true,
    check: tiny_kernels,
    ..Rule::SILENT
};

/// Where launches are hidden, fewer of them save nothing.
const LEAST_SAVING_PERCENT: f64 = 0.1;

fn tiny_kernels(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let times = scene.kernels();
    let short = times.short_launches();
    let share = 100.0 * count_to_f64(short) / count_to_f64(times.launches.max(1));
    let time_share = times.share(times.short_ns());
    let gaps_ns = scene.gpu_time().idle.cpu_in_short_gaps_ns;
    let is_launch_bound = scene.share(gaps_ns) >= limits.of(&SHORT_GAPS)
        && FewPauses::of(scene, gaps_ns, scene.calls().of(ApiClass::Launch).calls).is_none();
    let takes_time = time_share >= limits.of(&SHORT_TIME) && scene.kernels_matter();
    let is_few =
        times.launches < FEWEST_LAUNCHES || scene.per_iteration(times.launches) < FEWEST_PER_ITERATION;
    if is_few || share < limits.of(&SHORT) || !(is_launch_bound || takes_time) {
        return None;
    }
    let copied = comes_with_copies(scene, times.launches);
    // Algorithms that are tried would be short without markers as well.
    let short_ns = scene.profile.settings().activity.thresholds.short_kernel_ns;
    let tried = scene.tried().kernels().filter(|&(_, ns)| ns < short_ns).count() as u64;
    let tries = (2 * tried >= short && tried > 0).then_some(AUTOTUNING_IN_RANGE.id);
    let held = held_by_markers(scene).filter(|_| is_launch_bound && tries.is_none());
    let calls = scene.calls();
    let in_graphs = 2 * calls.graph_launches >= calls.of(ApiClass::Launch).calls && calls.graph_launches > 0;
    let is_nvidia = scene.vendor() == Vendor::Nvidia;
    let advice = match scene.framework() {
        _ if copied.is_some() => LAUNCHES_WITH_COPIES,
        _ if held.is_some() => WITHOUT_MARKERS,
        _ if tries.is_some() => {
            "Profile after the algorithms are chosen: most short kernels here are algorithms that are tried"
        }
        Framework::PyTorch if !is_nvidia && scene.trains() => {
            "Fuse them: `torch.compile`, fused ops and optimizers"
        }
        Framework::PyTorch if !is_nvidia => "Fuse them: `torch.compile`, fused ops",
        Framework::Other if !is_nvidia => "Fuse them into larger kernels",
        Framework::PyTorch if in_graphs => {
            "Fuse them: `torch.compile`, fused ops; CUDA graphs launch them already"
        }
        Framework::Other if in_graphs => "Fuse them into larger kernels; CUDA graphs launch them already",
        Framework::PyTorch if scene.trains() => {
            "Fuse them: `torch.compile`, fused ops and optimizers. CUDA graphs take the cost of their launches away"
        }
        Framework::PyTorch => {
            "Fuse them: `torch.compile`, fused ops. CUDA graphs take the cost of their launches away"
        }
        Framework::Other => "Fuse them into larger kernels. CUDA graphs take the cost of their launches away",
        other => other.fewer_launches(scene.vendor()),
    };
    let advice = scene.dated(advice);
    let removed = count_to_f64(short) / 2.0;
    let host_ns = part(scene.span.length(), removed / count_to_f64(times.launches));
    let most_ns = scene.per_gpu(part(gaps_ns, MOST_OF_GAPS));
    let (removed_ns, basis) = if !is_launch_bound {
        let delay_ns = scene.per_gpu(part(scene.median_start_delay_ns(), removed));
        (
            delay_ns,
            "Half of the short launches × the median start delay; at most all short kernels and the idle time around launches",
        )
    } else if host_ns < most_ns {
        (
            host_ns,
            "Half of the short launches × the time from launch to launch; at most all short kernels and the idle time around \
             launches",
        )
    } else {
        (
            most_ns,
            "Four fifths of the idle time in which GPUs wait for launches; at most all of it, the idle time between queued \
             kernels, and short kernels",
        )
    };
    let basis = scene.basis_with_kernels(basis);
    // A DLProf database does not say when launches were called.
    let has_calls = scene.profile.capture.description.dlprof.is_none();
    if has_calls && percent(removed_ns, scene.span.length()) < LEAST_SAVING_PERCENT {
        return None;
    }
    let upper_ns =
        scene.per_gpu(gaps_ns + scene.idle(&[Cause::Turnaround])) + scene.kernel_saving(times.short_ns());
    let finding = Finding::new(
        Sentence::new(
            "{} of the kernels take less than {}, together {} of the kernel time",
            vec![
                Figure::Percent(share, 1),
                Figure::Time(to_f64(scene.profile.settings().activity.thresholds.short_kernel_ns)),
                Figure::Percent(time_share, 1),
            ],
        ),
        advice,
    )
    .percent(SHORT.name, share)
    .percent(SHORT_TIME.name, time_share)
    .count("short_launches", short)
    .saves(removed_ns, upper_ns, basis)
    .replayed(Edits::fused(
        KernelsOf { shorter_than: Some(short_ns), ..scene.named([]) },
        1.0,
        "Each two of these kernels that follow one another on a stream as one, in the time of both; at most each row of them as its \
         first one",
    ))
    .same_cause_as(copied.or(held).or(tries));
    let mut kernels: Vec<&Kernel> = times.kernels.iter().filter(|kernel| kernel.short_launches > 0).collect();
    kernels.sort_by_key(|kernel| std::cmp::Reverse(kernel.short_launches));
    let names: Vec<String> = kernels.iter().take(5).map(|kernel| name_of(scene, kernel)).collect();
    let condition =
        format!("min_gpu_time_ns < {}", scene.profile.settings().activity.thresholds.short_kernel_ns);
    Some(
        scene
            .beside_tried(finding)
            .about(EvidenceKind::Kernel, names)
            .show(Question::of("kernel_names").rows_where(condition).sorted_by(["-calls"])),
    )
}

pub(super) const KERNEL_HOTSPOT: Rule = Rule {
    id: "kernel_hotspot",
    title: "Half of the kernel time or more in one kernel",
    how: "The share of the kernel time without algorithms that are tried (see `autotuning_in_range`) of one kernel, by its \
        demangled name; kernels whose time is equal to a thousandth are \
        named together. Silent while kernels take under 5 % of the time, with one launch in all, and for kernels that exchange \
        data and whole graphs, of which `exposed_communication` and `graph_granularity` speak. The advice names the finding \
        that says what is the matter with the kernel, where there is one.",
    severity: Severity::Note,
    confidence: Confidence::High,
    thresholds: &[HOTSPOT],
    needs: &[Need::Kernels],
    check: kernel_hotspot,
    ..Rule::SILENT
};

fn kernel_hotspot(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let times = scene.own_kernels();
    let kernel = times.kernels.first()?;
    let share = times.share(kernel.time_ns);
    if share < limits.of(&HOTSPOT) || times.launches < 2 || !scene.kernels_matter() {
        return None;
    }
    if kernel.is_graph || kernel.kind == KernelKind::Communication {
        return None;
    }
    // Those with the same time are as hot.
    let is_equal = |other: &&Kernel| 1000 * (kernel.time_ns - other.time_ns) <= kernel.time_ns;
    let equal: Vec<&Kernel> = times.kernels.iter().take_while(is_equal).collect();
    let names = equal.iter().map(|kernel| format!("`{}`", short_of(scene, kernel))).collect::<Vec<_>>();
    // Per iteration as in the lists of kernels, where all iterations may launch it equally often.
    let is_each =
        equal.iter().all(|kernel| kernel.launches.is_multiple_of(u64::from(scene.iterations.max(1))));
    let (each, per) =
        if is_each { (scene.each(), scene.iterations.max(1)) } else { (Figure::Text(String::new()), 1) };
    let launches = equal.iter().map(|kernel| (kernel.launches / u64::from(per)).to_string());
    let finding = Finding::new(
        Sentence::new(
            "{} {} {} of the {}{} (launches{}: {})",
            vec![
                Figure::Text(names.join(" and ")),
                Figure::Text(if equal.len() > 1 { "take" } else { "takes" }.into()),
                Figure::Percent(share, 1),
                scene.own_kernel_time(),
                Figure::Text(if equal.len() > 1 { " each" } else { "" }.into()),
                each,
                Figure::Text(launches.collect::<Vec<_>>().join(" and ")),
            ],
        ),
        hotspot_advice(scene, kernel, equal.len() > 1),
    )
    .percent(HOTSPOT.name, times.share(total(equal.iter().map(|kernel| kernel.time_ns))))
    .count("launches", equal.iter().map(|kernel| kernel.launches).sum())
    .about(EvidenceKind::Kernel, equal.iter().map(|kernel| name_of(scene, kernel)))
    .show(Question::of("kernel_names").sorted_by(["-gpu_time_ns"]).top(3));
    Some(scene.beside_tried(finding))
}

/// What to do about a kernel that takes most of the kernel time; it comes first only where it takes most of all time.
fn hotspot_advice(scene: &Scene<'_>, kernel: &Kernel, are_several: bool) -> Sentence {
    if kernel.classes.has(KernelClass::Runtime) {
        return "The runtime of the compiler launches it by itself, where it moves or fills data: fewer, larger pieces of data \
                launch it less often"
            .into();
    }
    let busy = scene.share(scene.gpu_time().compute_ns);
    if busy < 50.0 {
        let which = if are_several { "these kernels" } else { "this kernel" };
        return Sentence::new(
            "Kernels run only {} of the time, so that other findings come first{}",
            vec![Figure::Percent(busy, 1), shows_what_limits(scene.vendor(), which)],
        );
    }
    let program = scene.vendor().kernel_profiler();
    let with = Figure::Text(program.map_or_else(String::new, |program| format!(", with {program}")));
    match (kernel.classes.has(KernelClass::Matrix), only_op_of(scene, kernel)) {
        _ if are_several => Sentence::new("Look at these kernels first{}", vec![with]),
        (false, _) => Sentence::new("Look at this kernel first{}", vec![with]),
        (true, None) => Sentence::new(
            "Look at the ops that launch it first: their shapes and number types decide which kernel a library takes{}",
            vec![shows_what_limits(scene.vendor(), "it")],
        ),
        (true, Some(op)) => Sentence::new(
            "Its shapes and number types decide which kernel a library takes. Ranges around the parts of {} tell which products \
             these are{}",
            vec![Figure::Text(op), shows_what_limits(scene.vendor(), "it")],
        ),
    }
}

/// The op that has nine tenths of the time of a kernel or more, in words; `None` where several ops have it.
fn only_op_of(scene: &Scene<'_>, kernel: &Kernel) -> Option<String> {
    let mut by_op: BTreeMap<OpId, Ns> = BTreeMap::new();
    for group in scene.profile.launch_groups_of(scene.places.clone()).iter() {
        if group.key.long_name == kernel.long_name {
            let sum = by_op.entry(group.key.op).or_default();
            *sum = sum.saturating_add(group.gpu.sum);
        }
    }
    let (&op, &most_ns) = by_op.iter().rev().max_by_key(|(_, ns)| **ns)?;
    let name = scene.profile.op_name(op);
    let words = if name.starts_with(UNASSOCIATED) { "a step".to_owned() } else { format!("`{name}`") };
    (most_ns >= part(total(by_op.values().copied()), 0.9)).then_some(words)
}
