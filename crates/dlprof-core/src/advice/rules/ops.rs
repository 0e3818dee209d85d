//! What ops do: shapes that Tensor Cores cannot use, an optimizer that updates one parameter at a time.

use crate::advice::edits::Edits;
use crate::advice::finding::{Confidence, EvidenceKind, Finding, Severity};
use crate::advice::question::Question;
use crate::advice::rule::{Limits, Need, Rule, Threshold, TimeOf};
use crate::advice::scene::{Scene, part};
use crate::advice::sentence::{Figure, Sentence};
use crate::base::ids::{OpId, StrId, WorkId};
use crate::base::ratios::count_to_f64;
use crate::base::time::total;
use crate::capture::classified::Cause;
use crate::capture::correlate::is_16_bit;
use crate::capture::names::is_of_optimizer;
use crate::figures::kernel_kinds::kernel_class::KernelClass;
use crate::figures::op_work::shapes_from_text;
use crate::figures::profile::OpStats;
use crate::replay::{Edit, KernelsOf};
use crate::steps::index::LaunchGroup;
use regex::Regex;
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::sync::LazyLock;

const MULTIPLE: Threshold = Threshold {
    name: "multiple",
    default: 8.0,
    doc: "Sizes that are a multiple of this suit Tensor Cores at 16 bits.",
};

const OP_TIME: Threshold = Threshold {
    name: "gpu_time_percent",
    default: 1.0,
    doc: "Least share of the time of all ops that the ops with such shapes take.",
};

const UPDATES: Threshold = Threshold {
    name: "launches_per_iteration",
    default: 100.0,
    doc: "Least number of kernels per iteration that the optimizer launches.",
};

pub(super) const TC_SHAPES: Rule = Rule {
    id: "tc_shapes",
    title: "Shapes that suit Tensor Cores badly",
    how: "Ops that could use Tensor Cores, compute in 16 bits, have known shapes and launched no Tensor Core kernel, and of \
        which a dimension of a matrix or the channels of a convolution is no multiple of 8. Silent where shapes are unknown, and \
        where the names of kernels that take 10 % of the kernel time do not tell whether they use Tensor Cores. \
        Half of their GPU time is the likely saving, because Tensor Cores are at least twice as fast; all of it is the most.",
    severity: Severity::Warning,
    confidence: Confidence::High,
    thresholds: &[MULTIPLE, OP_TIME],
    link: "https://docs.nvidia.com/deeplearning/performance/dl-performance-matrix-multiplication/index.html",
    needs: &[Need::OpTypes, Need::KernelTensorCores, Need::Kernels],
    saves_from: &[TimeOf::Kernels],
    is_replayed: true,
    check: tc_shapes,
    ..Rule::SILENT
};

fn tc_shapes(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let profile = scene.profile;
    let multiple = crate::base::ratios::whole(limits.of(&MULTIPLE)).max(1);
    let odd_size = |op: &OpStats| {
        let label = profile.label(op.op);
        let is_candidate = op.tc_eligible && !op.uses_tc && is_16_bit(&label.data_type);
        let is_convolution = label.op_type.starts_with("conv");
        is_candidate.then(|| odd_size(&shapes_from_text(&label.shapes.inputs), is_convolution, multiple))?
    };
    let mut ops: Vec<(&OpStats, u64)> =
        profile.op_stats.iter().filter_map(|op| Some((op, odd_size(op)?))).collect();
    ops.sort_by_key(|(op, _)| (Reverse(op.times.gpu.sum), op.op));
    let time_ns = total(ops.iter().map(|(op, _)| op.times.gpu.sum));
    let all_ns = total(profile.op_stats.iter().map(|op| op.times.gpu.sum));
    let share = crate::base::ratios::percent(time_ns, all_ns);
    let is_untold = || scene.known_share().untold_tensor_cores().is_some();
    if ops.is_empty() || share < limits.of(&OP_TIME) || !scene.kernels_matter() || is_untold() {
        return None;
    }
    let &(first, size) = ops.first()?;
    let nearest = size.next_multiple_of(multiple);
    let finding = Finding::new(
        Sentence::new(
            "{} ops in 16 bits miss {}, {} of the op time; `{}` has a dimension of {}",
            vec![
                Figure::Count(ops.len() as u64),
                scene.matrix_units(),
                Figure::Percent(share, 1),
                Figure::Text(profile.op_id(first.op).to_owned()),
                Figure::Count(size),
            ],
        ),
        Sentence::new(
            "Pad the dimension to a multiple of {}, here to {}: vocabulary, channels, features or batch",
            vec![Figure::Count(multiple), Figure::Count(nearest)],
        ),
    )
    .percent(OP_TIME.name, share)
    .count("size", size)
    .count("nearest_multiple", nearest);
    let of = KernelsOf { ops: ops.iter().map(|(op, _)| op.op).collect(), ..scene.named([]) };
    let basis = "Half, at most all, of the GPU time of these ops";
    ops.truncate(5);
    let time_ns = scene.of_all_iterations(time_ns);
    let finding = of_ops(scene, finding, ops.iter().map(|(op, _)| *op)).saves(
        scene.likely_kernel_saving(part(time_ns, 0.5)),
        scene.kernel_saving(time_ns).min(scene.span.length()),
        scene.basis(basis),
    );
    Some(finding.replayed(Edits {
        expected: vec![Edit::kernels(of.clone(), 0.5)],
        at_most: vec![Edit::kernels(of, 0.0)],
        is_within_reckoned: false,
        basis: basis.into(),
    }))
}

/// A size that matrix math depends on and that is not a multiple of a number.
fn odd_size(inputs: &[Vec<u64>], is_convolution: bool, multiple: u64) -> Option<u64> {
    let is_odd = |size: &&u64| !size.is_multiple_of(multiple) && **size > 0;
    let sizes: Vec<&u64> = if is_convolution {
        // Weights: output channels, input channels, then the window.
        inputs.get(1)?.iter().take(2).collect()
    } else {
        inputs.iter().take(2).flat_map(|shape| shape.iter().rev().take(2)).collect()
    };
    sizes.into_iter().find(is_odd).copied()
}

pub(super) const PER_PARAMETER_OPTIMIZER: Rule = Rule {
    id: "per_parameter_optimizer",
    title: "The optimizer updates one parameter at a time",
    how: "Ops whose name has the word `opt`, `optim` or `optimizer`, and that launch over 100 kernels per iteration, less than \
        half of them kernels that update many parameters (`multi_tensor_apply`, fused optimizers). These kernels move data: an \
          Adam in single operations moves about 140 bytes per parameter and a fused one 28, momentum in single operations 32 and \
          a fused one 20. The likely saving is that part of the GPU time of these ops, and the time in which the GPU idles \
          between their kernels because it waits for launches; the most is all of both.",
    severity: Severity::Warning,
    confidence: Confidence::Medium,
    thresholds: &[UPDATES],
    link: "https://pytorch.org/docs/stable/optim.html",
    needs: &[Need::Kernels],
    is_replayed: true,
    check: per_parameter_optimizer,
    ..Rule::SILENT
};

/// The part of the GPU time that a fused update saves, and where that comes from: reckoned, and replayed.
const OF_ADAM: (f64, &str, &str) = (
    1.0 - 28.0 / 140.0,
    "Four fifths of the GPU time of these ops, because a fused Adam moves 28 bytes per parameter instead of 140, and the idle \
     time for launches between their kernels; at most all of both",
    "Each row of kernels of these ops as one, in a fifth of their time, because a fused Adam moves 28 bytes per parameter instead of \
     140; at most without these kernels",
);
const OF_MOMENTUM: (f64, &str, &str) = (
    1.0 - 20.0 / 32.0,
    "Three eighths of the GPU time of these ops, because a fused update moves 20 bytes per parameter instead of 32, and the idle \
     time for launches between their kernels; at most all of both",
    "Each row of kernels of these ops as one, in five eighths of their time, because a fused update moves 20 bytes per parameter \
     instead of 32; at most without these kernels",
);

/// Kernels of an Adam in single operations: its root and its quotient.
static ADAM: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)\bsqrt|addcdiv|addcmul|adam").expect("a constant"));

/// The class of an optimizer, as PyTorch names its updates.
static CLASS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"Optimizer\.step#([A-Za-z0-9_]+)\.step").expect("a constant"));

/// Optimizers of PyTorch that update with one kernel if asked.
const FUSED: &[&str] = &["Adam", "AdamW", "SGD", "Adagrad"];

/// Whether an op updates parameters, by its name. Setting gradients to zero is no update.
fn updates_parameters(name: &str) -> bool {
    is_of_optimizer(name) && !name.contains("zero_grad")
}

/// The ops of an optimizer that updates one parameter at a time, where the rule speaks of them.
pub(super) fn ops_of_optimizer(scene: &Scene<'_>) -> Option<FxHashSet<OpId>> {
    let limits = PER_PARAMETER_OPTIMIZER.limits_in(scene)?;
    Some(one_by_one(scene, &limits)?.into_iter().map(|op| op.op).collect())
}

/// The ops that update parameters, if they do so one at a time.
fn one_by_one<'a>(scene: &Scene<'a>, limits: &Limits<'_>) -> Option<Vec<&'a OpStats>> {
    let profile = scene.profile;
    let iterations = f64::from(profile.iterations.passes().max(1));
    if scene.iterations == 0 {
        return None;
    }
    let is_optimizer = |op: &&OpStats| op.kernels.launches > 0 && updates_parameters(profile.op_name(op.op));
    let ops: Vec<&OpStats> = profile.op_stats.iter().filter(is_optimizer).collect();
    let launches: u64 = ops.iter().map(|op| op.kernels.launches).sum();
    let per_iteration = count_to_f64(launches) / iterations;
    if ops.is_empty() || per_iteration <= limits.of(&UPDATES) {
        return None;
    }
    let updates_many = |group: &&LaunchGroup| {
        ops.iter().any(|op| op.op == group.key.op)
            && profile.judge_kernel(group.example).classes.has(KernelClass::MultiTensor)
    };
    let at_once: u64 = profile.launch_groups().iter().filter(updates_many).map(|group| group.gpu.count).sum();
    (2 * at_once < launches).then_some(ops)
}

fn per_parameter_optimizer(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let mut ops = one_by_one(scene, limits)?;
    let profile = scene.profile;
    let iterations = f64::from(profile.iterations.passes().max(1));
    let launches: u64 = ops.iter().map(|op| op.kernels.launches).sum();
    let per_iteration = count_to_f64(launches) / iterations;
    let strings = &profile.capture.strings;
    let is_adam = kernel_names(scene, &ops).into_iter().any(|name| ADAM.is_match(strings.get(name)));
    let class = ops.iter().find_map(|op| CLASS.captures(profile.op_name(op.op))?.get(1));
    let advice: Sentence = match class.map(|class| class.as_str()) {
        _ if !profile.capture.description.mode.is_pytorch() => {
            "Update many parameters with one kernel: a fused optimizer".into()
        }
        Some(class) if FUSED.contains(&class) => Sentence::new(
            "Use `torch.optim.{}(..., fused=True)`, or `foreach=True`",
            vec![Figure::Text(class.to_owned())],
        ),
        None if is_adam => {
            "Use a fused optimizer, such as `torch.optim.AdamW(..., fused=True)`, or `foreach=True`".into()
        }
        _ => "Give the optimizer `foreach=True`, or `fused=True` where it has that".into(),
    };
    let advice = match profile.capture.description.mode.is_pytorch() && !scene.is_recent() {
        true => Sentence::new(
            "{}; where PyTorch has no such arguments yet, in a newer one",
            vec![Figure::Clause(Box::new(advice))],
        ),
        false => advice,
    };
    let (factor, basis, replayed) = if is_adam { OF_ADAM } else { OF_MOMENTUM };
    let of = KernelsOf { ops: ops.iter().map(|op| op.op).collect(), ..scene.named([]) };
    let gpu_ns = total(ops.iter().map(|op| op.times.gpu.sum));
    // Of what the GPU idles between these kernels, a fused update saves what launching takes.
    let idle = &scene.gpu_time().idle;
    let launching_ns = idle.cpu_in_short_gaps_ns + idle.of_all(&[Cause::Turnaround]);
    let between_ns = scene.per_gpu(
        scene.of_all_iterations(total(ops.iter().map(|op| op.times.gpu_idle.sum))).min(launching_ns),
    );
    let own_ns = scene.of_all_iterations(gpu_ns);
    let most_ns = scene.span.length();
    let finding = Finding::new(
        Sentence::new(
            "The optimizer updates one parameter at a time: it launches {} kernels per iteration; the GPU time of its ops is {}{}",
            vec![
                Figure::Count(crate::base::ratios::whole(per_iteration)),
                Figure::Time(crate::base::ratios::to_f64(gpu_ns) / iterations),
                Figure::Text(match scene.slices() {
                    Some(_) => ", with that of other work inside kernels".to_owned(),
                    None => String::new(),
                }),
            ],
        ),
        advice,
    )
    .percent(UPDATES.name, per_iteration)
    .time("gpu_time_ns", gpu_ns)
    .saves(
        (scene.gpu_saving(scene.per_gpu(part(own_ns, factor))) + between_ns).min(most_ns),
        (scene.gpu_saving(scene.per_gpu(own_ns)) + between_ns).min(most_ns),
        scene.basis_of_most(basis),
    )
    .replayed(Edits {
        expected: vec![Edit::fused_kernels(of.clone(), usize::MAX, 1.0 - factor)],
        at_most: vec![Edit::without_kernels(of)],
        is_within_reckoned: false,
        basis: replayed.into(),
    });
    ops.sort_by_key(|op| (Reverse(op.kernels.launches), op.op));
    ops.truncate(5);
    Some(of_ops(scene, finding, ops.into_iter()))
}

/// Demangled names of the kernels of some ops, of those that start in the time of the scene.
fn kernel_names(scene: &Scene<'_>, ops: &[&OpStats]) -> FxHashSet<StrId> {
    let (capture, calls) = (&scene.profile.capture, &scene.profile.index.calls);
    let own: FxHashSet<OpId> = ops.iter().map(|op| op.op).collect();
    let activity = scene.facts().activity();
    let kernels = activity.starting_in(0..activity.kernels.len(), scene.span).map(WorkId::new);
    let of_ops = kernels.filter(|&kernel| {
        let api = capture.launches.api[kernel].some();
        let call = api.and_then(|api| capture.call_roles.op_call[api].some());
        call.is_some_and(|call| own.contains(&calls.op[call]))
    });
    of_ops.map(|kernel| capture.kernels.long_name[kernel]).collect()
}

fn of_ops<'a>(
    scene: &Scene<'_>,
    finding: Finding,
    ops: impl Iterator<Item = &'a OpStats> + Clone,
) -> Finding {
    let ids = ops.map(|op| scene.profile.op_id(op.op));
    let condition = ids
        .clone()
        .map(|id| format!("op_id = '{}'", id.replace('\'', "''")))
        .collect::<Vec<_>>()
        .join(" or ");
    finding
        .about(EvidenceKind::Op, ids)
        .show(Question::of("ops").rows_where(condition).sorted_by(["-gpu_time_ns"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_matter() {
        assert_eq!(odd_size(&[vec![32, 50], vec![50, 64]], false, 8), Some(50));
        assert_eq!(odd_size(&[vec![7, 32, 48], vec![48, 64]], false, 8), None);
        assert_eq!(odd_size(&[vec![32, 3, 224, 224], vec![64, 3, 7, 7]], true, 8), Some(3));
        assert_eq!(odd_size(&[vec![32, 8, 30, 30], vec![64, 8, 3, 3]], true, 8), None);
        assert_eq!(odd_size(&[], true, 8), None);
    }

    #[test]
    fn names_of_optimizers() {
        assert!(is_of_optimizer("/optimizer") && is_of_optimizer("/train/Optimizer.step#AdamW.step"));
        assert!(!updates_parameters("/Optimizer.zero_grad#SGD.zero_grad/aten::zero_"));
        assert!(updates_parameters("/Optimizer.step#SGD.step/aten::add_"));
        assert_eq!(&CLASS.captures("/Optimizer.step#SGD.step/aten::add_").expect("a class")[1], "SGD");
        assert!(is_of_optimizer("opt") && !is_of_optimizer("/options") && !is_of_optimizer("adopt"));
    }
}
