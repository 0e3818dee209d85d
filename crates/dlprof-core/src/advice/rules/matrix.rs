//! Matrix math in a number type that is slower than it need be, and shapes that Tensor Cores cannot use.

use super::capture::whole_graphs;
use super::show_kernels;
use crate::advice::finding::{Confidence, Finding, Severity};
use crate::advice::kernels::Kernel;
use crate::advice::rule::{Limits, Need, Rule, Threshold, TimeOf};
use crate::advice::savings::LikelyAndMost;
use crate::advice::scene::{Scene, part};
use crate::advice::sentence::{Figure, Sentence};
use crate::base::ids::DeviceId;
use crate::base::time::{Ns, total};
use crate::figures::gpu::Peaks;
use crate::figures::kernel_kinds::kernel_class::{self, KernelClass};
use crate::read::facts::ComputeCapability;

const FP32: Threshold = Threshold {
    name: "fp32_matrix_percent",
    default: 10.0,
    doc: "Least share of the kernel time that FP32 matrix math on plain cores takes.",
};

const FP64: Threshold = Threshold {
    name: "fp64_math_percent",
    default: 5.0,
    doc: "Least share of the kernel time that FP64 math takes.",
};

/// Matrix math reaches about this part of a peak.
const USUAL_EFFICIENCY: f64 = 0.5;

/// Below this multiple of the FP32 peak, TF32 is not worth it.
const WORTH: f64 = 1.2;

pub(super) const FP32_MATRIX: Rule = Rule {
    id: "fp32_matrix",
    title: "FP32 matrix math without Tensor Cores",
    how: "The share of the kernel time without algorithms that are tried (see `autotuning_in_range`), on GPUs of compute capability 8.0 and later, of kernels that compute matrix products of \
          FP32 on plain cores, by name (`sgemm`, `_ffma`, `simt_s`, `scudnn`, `f32f32_f32f32`, and no other type in the name). \
          Silent while kernels take under 5 % of the time. The best type is TF32, or BF16 where TF32 is under 1.2 times as \
          fast as FP32; savings are those of this type, so that BF16 may save more where TF32 is the best type. The most that \
          can be saved is their time × (1 − FP32 peak ÷ best peak); the likely saving takes half of the best peak, and less \
          where GPUs wait for launches 10 % of the time and more. PyTorch's own warning about TF32 is quoted where the capture has \
          what the program printed; where whole CUDA graphs hide the kernels, it is a note by itself.",
    severity: Severity::Warning,
    confidence: Confidence::High,
    thresholds: &[FP32],
    link: "https://pytorch.org/docs/stable/notes/cuda.html#tensorfloat-32-tf32-on-ampere-and-later-devices",
    needs: &[Need::Kernels, Need::ComputeCapability],
    saves_from: &[TimeOf::Kernels],
    is_replayed: true,
    check: fp32_matrix,
    ..Rule::SILENT
};

fn fp32_matrix(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let Some(share) = fp32_share(scene, limits, |capability| capability >= (8, 0)) else {
        return warned_of_tf32(scene);
    };
    let device = scene.device_of(KernelClass::Fp32Matrix)?;
    let peaks = scene.profile.device_figure(device).peaks;
    let tf32_pays = peaks.tf32.zip(peaks.fp32).is_none_or(|(tf32, fp32)| tf32 >= WORTH * fp32);
    let is_pytorch = scene.is_pytorch();
    let convolves = scene
        .own_kernels()
        .of(KernelClass::Fp32Matrix)
        .any(|kernel| kernel.classes.has(KernelClass::Convolution));
    let advice = match (tf32_pays, is_pytorch) {
        (true, true) if !convolves => {
            "Allow TF32 with `torch.set_float32_matmul_precision(\"high\")`; BF16 with `torch.autocast` may save more"
        }
        (true, true) => {
            "Allow TF32 with `torch.set_float32_matmul_precision(\"high\")`, and for convolutions \
             `torch.backends.cudnn.allow_tf32 = True`; BF16 with `torch.autocast` may save more"
        }
        (true, false) => "Allow TF32 for matrix products; BF16 may save more",
        (false, true) => {
            "Compute in BF16 with `torch.autocast(\"cuda\", dtype=torch.bfloat16)`; TF32 is hardly faster on this GPU"
        }
        (false, false) => "Compute in BF16; TF32 is hardly faster on this GPU",
    };
    let finding = Finding::new(
        Sentence::new(
            if tf32_pays {
                "{} of the {} is FP32 matrix math with TF32 off{}"
            } else {
                "{} of the {} is FP32 matrix math{}"
            },
            vec![
                Figure::Percent(share, 1),
                scene.own_kernel_time(),
                Figure::Text(
                    scene.profile.capture.notes.tf32_warning.as_ref().map_or_else(String::new, |warning| {
                        format!("; the program printed: \u{201c}{warning}\u{201d}")
                    }),
                ),
            ],
        ),
        advice,
    )
    .percent(FP32.name, share);
    let best = |peaks: &Peaks| match tf32_pays {
        true => peaks.tf32,
        false => peaks.bf16.or(peaks.fp16),
    };
    let kernels: Vec<&Kernel> = scene.own_kernels().of(KernelClass::Fp32Matrix).collect();
    let basis = match tf32_pays {
        true => {
            "Time of these kernels × (1 − FP32 peak ÷ half of the TF32 peak); at most with the whole TF32 peak"
        }
        false => {
            "Time of these kernels × (1 − FP32 peak ÷ half of the BF16 peak); at most with the whole BF16 peak"
        }
    };
    let finding = with_type_saving(scene, finding, &kernels, |peaks| peaks.fp32.zip(best(peaks)), basis);
    Some(show_kernels(scene, scene.beside_tried(finding), &kernels, &fp32_condition()))
}

/// What PyTorch itself printed about TF32, where most kernels run unseen inside graphs.
fn warned_of_tf32(scene: &Scene<'_>) -> Option<Finding> {
    let warning = scene.profile.capture.notes.tf32_warning.as_ref()?;
    let is_unseen = Need::Kernels.unseen(scene).is_some() && scene.profile.has_kernel_records();
    if !is_unseen || !has_tf32(scene) {
        return None;
    }
    let finding = Finding::new(
        Sentence::new(
            "PyTorch warned that TF32 is not enabled; what FP32 matrix math takes is not known, because whole CUDA graphs hold {} of \
             the kernel time; the program printed: \u{201c}{}\u{201d}",
            vec![Figure::Percent(scene.kernels().graphs_share(), 1), Figure::Text(warning.clone())],
        ),
        "Allow TF32 with `torch.set_float32_matmul_precision(\"high\")`; BF16 with `torch.autocast` may save more. \
         `--cuda-graph-trace=node` records what runs inside the graphs",
    );
    let finding = finding.titled("PyTorch warned that TF32 is not enabled");
    Some(finding.at_most(Severity::Note).show(whole_graphs()))
}

/// The rule that speaks of FP32 matrix math on the used GPUs.
pub(super) fn fp32_rule(scene: &Scene<'_>) -> &'static Rule {
    if has_tf32(scene) { &FP32_MATRIX } else { &FP32_MATRIX_PRE_AMPERE }
}

/// Whether a used GPU has Tensor Cores that compute in TF32.
fn has_tf32(scene: &Scene<'_>) -> bool {
    let capability = |device| scene.profile.device_facts(device).compute_capability;
    scene.used_devices().filter_map(capability).any(|capability| capability >= (8, 0))
}

pub(super) const FP32_MATRIX_PRE_AMPERE: Rule = Rule {
    id: "fp32_matrix_pre_ampere",
    title: "FP32 matrix math without Tensor Cores, before TF32",
    how: "As `fp32_matrix`, on GPUs of compute capability 7.x, whose Tensor Cores compute in FP16. Silent on older ones, and on \
        boards such as the GTX 16 series, which have none.",
    severity: Severity::Note,
    confidence: Confidence::High,
    thresholds: &[FP32],
    link: "https://developer.nvidia.com/automatic-mixed-precision",
    needs: &[Need::Kernels, Need::ComputeCapability],
    saves_from: &[TimeOf::Kernels],
    is_replayed: true,
    check: fp32_matrix_pre_ampere,
    ..Rule::SILENT
};

fn fp32_matrix_pre_ampere(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let share = fp32_share(scene, limits, |(major, _)| major == 7)?;
    let device = scene.device_of(KernelClass::Fp32Matrix)?;
    if !scene.has_tensor_cores() {
        return None;
    }
    // Where FP16 is at most twice as fast, Tensor Cores do not compute in it.
    let peaks = scene.profile.device_figure(device).peaks;
    if peaks.fp16.zip(peaks.fp32).is_some_and(|(fp16, fp32)| fp16 <= 2.0 * fp32) {
        return None;
    }
    let advice = if scene.is_pytorch() {
        "Compute in FP16 with automatic mixed precision: `torch.autocast(\"cuda\")` and `torch.amp.GradScaler`"
    } else {
        "Compute in FP16 with automatic mixed precision (AMP) and loss scaling"
    };
    let finding = Finding::new(
        Sentence::new(
            "{} of the {} is FP32 matrix math without Tensor Cores",
            vec![Figure::Percent(share, 1), scene.own_kernel_time()],
        ),
        advice,
    )
    .percent(FP32.name, share);
    let kernels: Vec<&Kernel> = scene.own_kernels().of(KernelClass::Fp32Matrix).collect();
    let basis =
        "Time of these kernels × (1 − FP32 peak ÷ half of the FP16 peak); at most with the whole FP16 peak";
    let finding = with_type_saving(scene, finding, &kernels, |peaks| peaks.fp32.zip(peaks.fp16), basis);
    Some(show_kernels(scene, scene.beside_tried(finding), &kernels, &fp32_condition()))
}

/// The share of FP32 matrix math, if it is great enough and a used GPU fits.
fn fp32_share(
    scene: &Scene<'_>,
    limits: &Limits<'_>,
    fits: impl Fn(ComputeCapability) -> bool,
) -> Option<f64> {
    let is_new = |capability: ComputeCapability| capability >= (8, 0);
    let capabilities: Vec<ComputeCapability> = scene
        .used_devices()
        .filter_map(|device| scene.profile.device_facts(device).compute_capability)
        .collect();
    // Where GPUs differ, the newest decides.
    let any_new = capabilities.iter().copied().any(is_new);
    let any_fits = capabilities.iter().any(|&capability| fits(capability) && is_new(capability) == any_new);
    let share = scene.own_kernels().share(scene.own_kernels().time_of(KernelClass::Fp32Matrix));
    (any_fits && share >= limits.of(&FP32) && scene.kernels_matter()).then_some(share)
}

pub(super) const FP64_MATH: Rule = Rule {
    id: "fp64_math",
    title: "FP64 math on a GPU that is slow at it",
    how: "The share of the kernel time without algorithms that are tried (see `autotuning_in_range`) of kernels that compute in FP64, by name, on GPUs whose FP64 rate is 1/32 of the FP32 \
        rate or less. Silent while kernels take under 5 % of the time. The likely saving is their time × (1 − 2 × rate), at \
        most × (1 − rate). Memory limits products with a vector (`gemv`): numbers of half the length save half of their time, \
        at most two thirds, where they are also read half again as fast.",
    severity: Severity::Warning,
    confidence: Confidence::High,
    thresholds: &[FP64],
    needs: &[Need::Kernels],
    saves_from: &[TimeOf::Kernels],
    is_replayed: true,
    check: fp64_math,
    ..Rule::SILENT
};

/// Compute capabilities with 1/32 or less of the FP32 rate in FP64, and that part.
const SLOW_FP64: [(ComputeCapability, f64); 12] = [
    ((5, 0), 1.0 / 32.0),
    ((5, 2), 1.0 / 32.0),
    ((5, 3), 1.0 / 32.0),
    ((6, 1), 1.0 / 32.0),
    ((6, 2), 1.0 / 32.0),
    ((7, 5), 1.0 / 32.0),
    ((8, 6), 1.0 / 64.0),
    ((8, 7), 1.0 / 64.0),
    ((8, 9), 1.0 / 64.0),
    ((10, 3), 1.0 / 64.0),
    ((12, 0), 1.0 / 64.0),
    ((12, 1), 1.0 / 64.0),
];

/// What products with a vector save with numbers of half the length: likely, and at most.
const OF_VECTORS: [f64; 2] = [1.0 / 2.0, 2.0 / 3.0];

/// Whether a kernel multiplies with a vector: memory limits it, not the rate of FP64.
fn reads_each_number_once(scene: &Scene<'_>, kernel: &Kernel) -> bool {
    scene.profile.capture.strings.get(kernel.short_name).contains("gemv")
}

fn fp64_math(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let rate_of = |device: DeviceId| {
        let capability = scene.profile.device_facts(device).compute_capability?;
        SLOW_FP64.iter().find(|(slow, _)| *slow == capability).map(|&(_, rate)| rate)
    };
    let kernels: Vec<&Kernel> = scene.own_kernels().of(KernelClass::Fp64).collect();
    let slow = kernels.iter().flat_map(|kernel| {
        let is_of_vector = reads_each_number_once(scene, kernel);
        let saved = move |rate: f64| if is_of_vector { OF_VECTORS } else { [1.0 - 2.0 * rate, 1.0 - rate] };
        kernel.grids.iter().filter_map(move |grid| Some((grid.time_ns, saved(rate_of(grid.device)?))))
    });
    let sum = |(time, likely, most): (Ns, Ns, Ns), (ns, [expected, upper]): (Ns, [f64; 2])| {
        (
            time.saturating_add(ns),
            likely.saturating_add(part(ns, expected)),
            most.saturating_add(part(ns, upper)),
        )
    };
    let (time_ns, likely_ns, most_ns) = slow.fold((0, 0, 0), sum);
    let share = scene.own_kernels().share(time_ns);
    if time_ns == 0 || share < limits.of(&FP64) || !scene.kernels_matter() {
        return None;
    }
    let advice = if scene.is_pytorch() {
        "Compute in `float32` where its accuracy is enough; a Python float or a NumPy array often made the tensor `float64`"
    } else {
        "Compute in `float32` where its accuracy is enough; NumPy's default type, `float64`, often is the cause"
    };
    let of_memory = kernels.iter().filter(|kernel| reads_each_number_once(scene, kernel));
    let is_of_memory = 2 * total(of_memory.map(|kernel| kernel.time_ns)) > time_ns;
    let problem = match is_of_memory {
        true => {
            "{} of the {} is FP64 matrix-vector products, which memory limits: they read 8 bytes per number, in FP32 half"
        }
        false => "{} of the {} is FP64 math, which this GPU computes at a small part of its FP32 rate",
    };
    let finding = Finding::new(
        Sentence::new(problem, vec![Figure::Percent(share, 1), scene.own_kernel_time()]),
        advice,
    )
    .percent(FP64.name, share);
    let saved = LikelyAndMost { likely_ns, most_ns, pauses_ns: 0 };
    let basis = "Time of these kernels × (1 − 2 × FP64 rate ÷ FP32 rate), at most × (1 − this rate); half, at most two thirds, of \
                 products with a vector (`gemv`), which memory limits";
    let finding = scene.saves_kernel_time(finding, &kernels, saved, basis);
    Some(show_kernels(
        scene,
        scene.beside_tried(finding),
        &kernels,
        &format!("long_kernel_name ~ '(?i){}'", kernel_class::FP64),
    ))
}

/// FP32 matrix math as a condition of `show`.
fn fp32_condition() -> String {
    let [plain, others] = [kernel_class::FP32_PLAIN, kernel_class::OTHER_THAN_FP32];
    format!("long_kernel_name ~ '(?i){plain}' and not long_kernel_name ~ '(?i){others}'")
}

/// With the saving of computing in a type with a greater peak: the peaks of the type in use and of the better one.
fn with_type_saving(
    scene: &Scene<'_>,
    finding: Finding,
    kernels: &[&Kernel],
    peaks_of: impl Fn(&Peaks) -> Option<(f64, f64)>,
    basis: &'static str,
) -> Finding {
    let grids = kernels.iter().flat_map(|kernel| &kernel.grids);
    let mut expected_ns: Ns = 0;
    let mut upper_ns: Ns = 0;
    for grid in grids {
        let Some((used, best)) = peaks_of(&scene.profile.device_figure(grid.device).peaks) else { continue };
        let saved = |efficiency: f64| part(grid.computing_ns(), (1.0 - used / (best * efficiency)).max(0.0));
        expected_ns = expected_ns.saturating_add(saved(USUAL_EFFICIENCY));
        upper_ns = upper_ns.saturating_add(saved(1.0));
    }
    if upper_ns == 0 {
        return finding;
    }
    let saved = LikelyAndMost { likely_ns: expected_ns, most_ns: upper_ns, pauses_ns: 0 };
    scene.saves_kernel_time(finding, kernels, saved, basis)
}
