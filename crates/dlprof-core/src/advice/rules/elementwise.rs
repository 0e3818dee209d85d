//! Kernels that move more than they compute.

use super::matrix::FP32_MATRIX;
use super::ops::ops_of_optimizer;
use super::show_kernels;
use crate::advice::edits::Edits;
use crate::advice::finding::{Confidence, Finding, Severity};
use crate::advice::framework::Framework;
use crate::advice::kernels::Kernel;
use crate::advice::rule::{Limits, Need, Rule, Threshold, TimeOf};
use crate::advice::scene::Scene;
use crate::advice::sentence::{Figure, Sentence};
use crate::base::ids::{OpId, StrId};
use crate::base::ratios::percent;
use crate::base::time::{Ns, total};
use crate::capture::correlate::TensorCores;
use crate::figures::kernel_kinds::KernelKind;
use crate::figures::kernel_kinds::kernel_class::KernelClass;
use crate::replay::KernelsOf;
use rustc_hash::{FxHashMap, FxHashSet};

const MEMORY_BOUND: Threshold = Threshold {
    name: "memory_bound_percent",
    default: 40.0,
    doc: "Least share of the kernel time of kernels that compute element by element, normalise or copy.",
};

const ELEMENTWISE: Threshold = Threshold {
    name: "elementwise_percent",
    default: 25.0,
    doc: "Least share of the kernel time of kernels that compute element by element and that no compiler fused.",
};

/// Words in names of kernels that a compiler made of several operations.
const COMPILED: &str = "triton_|fusion|fused";

pub(super) const MEMORY_BOUND_OPS: Rule = Rule {
    id: "memory_bound_ops",
    title: "Kernels that move more than they compute",
    how: "The share of the kernel time of kernels that compute element by element, normalise, reduce or copy, by name, where \
          matrix kernels use Tensor Cores. Kernels that a compiler fused (`triton_`, `fusion`, `fused` in the name) are left \
          out. Silent while kernels take under 5 % of the time. Half of their time is the likely saving, all of it the \
          most, without kernels that copy or join tensors (`direct_copy`, `catarray`, `concat`), which fusing keeps.",
    severity: Severity::Note,
    confidence: Confidence::Medium,
    thresholds: &[MEMORY_BOUND],
    link: "https://docs.nvidia.com/deeplearning/performance/dl-performance-memory-limited/index.html",
    needs: &[Need::Kernels],
    saves_from: &[TimeOf::Kernels],
    is_replayed: true,
    check: memory_bound_ops,
    ..Rule::SILENT
};

fn memory_bound_ops(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let times = scene.kernels();
    let kernels = memory_bound(scene);
    let time_ns = total(kernels.iter().map(|kernel| kernel.time_ns));
    let share = times.share(time_ns);
    if share < limits.of(&MEMORY_BOUND) || !scene.kernels_matter() || !uses_tensor_cores(scene) {
        return None;
    }
    let finding = Finding::new(
        Sentence::new(
            "{} of the kernel time is spent moving data, element by element, while matrix math already uses {}",
            vec![Figure::Percent(share, 1), scene.matrix_units()],
        ),
        scene.dated(how_to_fuse(scene)),
    )
    .percent(MEMORY_BOUND.name, share);
    let finding = saves_half(scene, finding, &kernels, &OfOptimizer::default());
    Some(show_kernels(scene, finding, &kernels, "tensor_cores = no"))
}

pub(super) const ELEMENTWISE_KERNELS: Rule = Rule {
    id: "elementwise_kernels",
    title: "Elementwise kernels that could be fused",
    how: "The share of the kernel time of kernels that compute element by element, by name, without those that a compiler fused \
          (`triton_`, `fusion`, `fused` in the name); where it is too small, the share of what is left of the kernel time after the \
          likely saving of `fp32_matrix`. Silent where there is only one such kernel, where `memory_bound_ops` \
          speaks, and while kernels take under 5 % of the time. Half of their time is the likely saving, all of it the most, \
          without kernels that copy or join tensors (`direct_copy`, `catarray`, `concat`), which fusing keeps, and without \
          those of an optimizer of which `per_parameter_optimizer` speaks.",
    severity: Severity::Note,
    confidence: Confidence::Medium,
    thresholds: &[ELEMENTWISE],
    link: "https://docs.nvidia.com/deeplearning/performance/dl-performance-memory-limited/index.html",
    needs: &[Need::Kernels],
    saves_from: &[TimeOf::Kernels],
    is_replayed: true,
    check: elementwise_kernels,
    ..Rule::SILENT
};

fn elementwise_kernels(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let times = scene.kernels();
    let is_elementwise =
        |kernel: &&Kernel| kernel.kind == KernelKind::Elementwise && !is_compiled(scene, kernel);
    let kernels: Vec<&Kernel> = times.kernels.iter().filter(is_elementwise).collect();
    let time_ns = total(kernels.iter().map(|kernel| kernel.time_ns));
    let share = times.share(time_ns);
    let least = limits.of(&ELEMENTWISE);
    // What matters once matrix products are faster is worth doing as well.
    let left = if share < least { share_behind_tf32(scene, time_ns) } else { None };
    if left.unwrap_or(share) < least || kernels.len() < 2 || !scene.kernels_matter() {
        return None;
    }
    let memory_bound_ns = total(memory_bound(scene).iter().map(|kernel| kernel.time_ns));
    let is_said = |limits: Limits<'_>| times.share(memory_bound_ns) >= limits.of(&MEMORY_BOUND);
    if MEMORY_BOUND_OPS.limits_in(scene).is_some_and(is_said) && uses_tensor_cores(scene) {
        return None;
    }
    let launches: u64 = kernels.iter().map(|kernel| kernel.launches).sum();
    let of_optimizer = of_optimizer(scene, &kernels);
    let besides = match of_optimizer.all_ns {
        0 => "".into(),
        ns => Sentence::new(
            "; of it {} in the optimizer, which updates one parameter at a time",
            vec![Figure::Percent(times.share(ns), 1)],
        ),
    };
    let finding = Finding::new(
        Sentence::new(
            "Elementwise kernels that are not fused take {} of the kernel time{}, in {} launches{}{}",
            vec![
                Figure::Percent(share, 1),
                Figure::Clause(Box::new(left.map_or_else(
                    || "".into(),
                    |left| {
                        Sentence::new(
                            " ({} once matrix math uses Tensor Cores)",
                            vec![Figure::Percent(left, 1)],
                        )
                    },
                ))),
                Figure::Count(crate::base::ratios::whole(scene.per_iteration(launches))),
                scene.each(),
                Figure::Clause(Box::new(besides)),
            ],
        ),
        scene.dated(how_to_fuse(scene)),
    )
    .percent(ELEMENTWISE.name, left.unwrap_or(share))
    .percent("optimizer_percent", times.share(of_optimizer.all_ns))
    .count("launches", launches);
    let finding = saves_half(scene, finding, &kernels, &of_optimizer);
    let condition = format!(
        "kernel_kind = '{}' and not long_kernel_name ~ '(?i){COMPILED}'",
        KernelKind::Elementwise.words()
    );
    Some(show_kernels(scene, finding, &kernels, &condition))
}

/// The share of the kernel time that some of it would have after what `fp32_matrix` is likely to save; `None` where that says
/// nothing.
fn share_behind_tf32(scene: &Scene<'_>, time_ns: Ns) -> Option<f64> {
    let limits = FP32_MATRIX.limits_in(scene)?;
    let saved_ns = (FP32_MATRIX.check)(scene, &limits)?.saving?.expected_ns?;
    let left_ns = scene.per_gpu(scene.kernels().time_ns) - saved_ns;
    (left_ns > 0).then(|| percent(scene.per_gpu(time_ns), left_ns))
}

/// Kernels that move more than they compute, and that no compiler made of several operations.
fn memory_bound<'a>(scene: &'a Scene<'_>) -> Vec<&'a Kernel> {
    scene.kernels().of(KernelClass::MemoryBound).filter(|kernel| !is_compiled(scene, kernel)).collect()
}

/// Whether a compiler made the kernel of several operations.
fn is_compiled(scene: &Scene<'_>, kernel: &Kernel) -> bool {
    let name = scene.profile.capture.strings.get(kernel.long_name).to_ascii_lowercase();
    COMPILED.split('|').any(|word| name.contains(word))
}

fn uses_tensor_cores(scene: &Scene<'_>) -> bool {
    scene.kernels().kernels.iter().any(|kernel| kernel.tensor_cores == TensorCores::Used)
}

fn how_to_fuse(scene: &Scene<'_>) -> &'static str {
    match scene.framework() {
        Framework::PyTorch if scene.trains() => {
            "Fuse them with `torch.compile` or fused ops and optimizers, and keep activations in BF16"
        }
        Framework::PyTorch => "Fuse them with `torch.compile` or fused ops, and keep activations in BF16",
        Framework::TensorFlow => "Let XLA fuse them: `tf.function(jit_compile=True)`",
        Framework::Xla => "Compile a larger part of the step as one program, so that XLA can fuse them",
        Framework::CuPy => "Fuse them with `cupy.fuse`, or write one `ElementwiseKernel` for several of them",
        Framework::OpenAcc | Framework::OpenMp => {
            "Merge loops over the same arrays into one, so that each value is read and written once"
        }
        Framework::Other => "Fuse them into fewer kernels, so that each value is read and written once",
    }
}

/// Kernel time that belongs to an optimizer that updates one parameter at a time.
#[derive(Default)]
struct OfOptimizer {
    ops: FxHashSet<OpId>,
    all_ns: Ns,
    /// Without kernels that fusing keeps.
    fusible_ns: Ns,
}

/// Of some kernels, the time that another finding, about the optimizer, has.
fn of_optimizer(scene: &Scene<'_>, kernels: &[&Kernel]) -> OfOptimizer {
    let Some(ops) = ops_of_optimizer(scene) else { return OfOptimizer::default() };
    let mut sums = OfOptimizer { ops, ..OfOptimizer::default() };
    let by_name: FxHashMap<StrId, bool> =
        kernels.iter().map(|kernel| (kernel.long_name, copies_into_order(scene, kernel))).collect();
    let (capture, calls) = (&scene.profile.capture, &scene.profile.index.calls);
    scene.profile.for_each_kernel(scene.places.clone(), |_, kernel| {
        let api = capture.launches.api[kernel].some();
        let call = api.and_then(|api| capture.call_roles.op_call[api].some());
        let is_own = call.is_some_and(|call| sums.ops.contains(&calls.op[call]));
        if let Some(&is_copy) = by_name.get(&capture.kernels.long_name[kernel]).filter(|_| is_own) {
            let time_ns = capture.work.span[kernel].length();
            sums.all_ns += time_ns;
            sums.fusible_ns += if is_copy { 0 } else { time_ns };
        }
    });
    sums
}

/// Fused kernels read and write about half as much. Copies that bring tensors into another order in memory stay, and what another
/// finding says of the optimizer is left out.
fn saves_half(scene: &Scene<'_>, finding: Finding, kernels: &[&Kernel], elsewhere: &OfOptimizer) -> Finding {
    let elsewhere_ns = elsewhere.fusible_ns;
    let (copies, fusible): (Vec<&Kernel>, Vec<&Kernel>) =
        kernels.iter().copied().partition(|kernel| copies_into_order(scene, kernel));
    let time_ns = (total(fusible.iter().map(|kernel| kernel.time_ns)) - elsewhere_ns).max(0);
    let of = KernelsOf { but_of: elsewhere.ops.clone(), ..scene.named(fusible.iter().copied()) };
    let which = match (copies.is_empty(), elsewhere_ns) {
        (true, 0) => "",
        (true, _) => " outside the optimizer",
        (false, 0) => ", without those that only copy or join tensors,",
        (false, _) => " outside the optimizer, without those that only copy or join tensors,",
    };
    let replayed = format!(
        "Each two of these kernels{which} that follow one another on a stream as one, in half of their time; at most each row of them \
         as its first one"
    );
    finding.saves(
        scene.likely_kernel_saving(time_ns) / 2,
        scene.kernel_saving(time_ns),
        scene.basis(match (copies.is_empty(), elsewhere_ns) {
            (true, 0) => "Half, at most all, of the time of these kernels",
            (true, _) => "Half, at most all, of the time of these kernels outside the optimizer",
            (false, 0) => {
                "Half, at most all, of the time of these kernels, without those that only copy or join tensors: fusing keeps these"
            }
            (false, _) => {
                "Half, at most all, of the time of these kernels outside the optimizer, without those that only copy or join tensors: \
                 fusing keeps these"
            }
        }),
    )
    .replayed(Edits::fused(of, 0.5, replayed))
}

/// Whether a kernel copies tensors into another order, as `contiguous` does, or joins them.
fn copies_into_order(scene: &Scene<'_>, kernel: &Kernel) -> bool {
    kernel.classes.has(KernelClass::Layout)
        || copies_as_it_is(scene.profile.capture.strings.get(kernel.long_name))
}

/// Whether the name of a kernel says that it moves values as they are. PyTorch's casts are copies by name that load or store
/// another type, and fusing takes these away.
fn copies_as_it_is(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    has(&["direct_copy", "catarray", "concat"]) && !has(&["loadwithcast", "storewithcast"])
}

#[cfg(test)]
mod tests {
    use super::copies_as_it_is;

    #[test]
    fn casts_are_no_copies_as_they_are() {
        let direct = "elementwise_kernel<128, 4, gpu_kernel_impl_nocast<direct_copy_kernel_cuda(TensorIteratorBase&)>>";
        let cast = "unrolled_elementwise_kernel<direct_copy_kernel_cuda(TensorIteratorBase&), LoadWithCast<1>, StoreWithCast<1>>";
        let adds = "vectorized_elementwise_kernel<4, CUDAFunctor_add<float>>";
        assert_eq!(
            [direct, cast, adds, "CatArrayBatchedCopy"].map(copies_as_it_is),
            [true, false, false, true]
        );
    }
}
