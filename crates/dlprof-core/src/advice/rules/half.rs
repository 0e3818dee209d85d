//! Products and convolutions in 16 bits that do not use Tensor Cores.

use super::{short_of, show_kernels};
use crate::advice::finding::{Confidence, Finding, Severity};
use crate::advice::kernels::{Kernel, KernelGrid};
use crate::advice::rule::{Limits, Need, Rule, Threshold, TimeOf};
use crate::advice::scene::{Scene, part};
use crate::advice::sentence::{Figure, Sentence};
use crate::base::ratios::percent;
use crate::base::time::{Ns, total};
use crate::capture::correlate::TensorCores;
use crate::figures::kernel_kinds::kernel_class::{self, KernelClass};
use std::collections::BTreeMap;

const HALF: Threshold = Threshold {
    name: "half_matrix_percent",
    default: 10.0,
    doc: "Least share of the kernel time that matrix math in 16 bits on plain cores takes.",
};

pub(super) const HALF_MATRIX: Rule = Rule {
    id: "half_without_tensor_cores",
    title: "Matrix math in FP16 or BF16 without Tensor Cores",
    how: "The share of the kernel time without algorithms that are tried (see `autotuning_in_range`) of kernels that compute products of matrices or convolutions in FP16 or BF16 on plain \
          cores, by name, on GPUs whose Tensor Cores are more than twice as fast as FP32. Products with a vector (`gemv`), which \
          memory limits, fused attention, and transforms around convolutions do not count. Silent while kernels take under 5 % of the time. At most their time × (1 − FP32 peak ÷ \
          FP16 peak) can be saved.",
    severity: Severity::Note,
    confidence: Confidence::Medium,
    thresholds: &[HALF],
    link: "https://docs.nvidia.com/deeplearning/performance/dl-performance-convolutional/index.html",
    needs: &[Need::Kernels],
    saves_from: &[TimeOf::Kernels],
    check: half_matrix,
    ..Rule::SILENT
};

fn half_matrix(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let times = scene.own_kernels();
    let is_meant = |kernel: &&Kernel| {
        let computes = [KernelClass::Matrix, KernelClass::Convolution];
        kernel.tensor_cores == TensorCores::NotUsed
            && kernel.classes.has(KernelClass::Half)
            && computes.iter().any(|&class| kernel.classes.has(class))
            && ![KernelClass::FusedAttention, KernelClass::Transform]
                .iter()
                .any(|&class| kernel.classes.has(class))
            && !scene.profile.capture.strings.get(kernel.short_name).contains("gemv")
    };
    let kernels: Vec<&Kernel> = times.kernels.iter().filter(is_meant).collect();
    let saved = |grid: &KernelGrid| {
        let peaks = &scene.profile.device_figure(grid.device).peaks;
        let (plain, tensor) = peaks.fp32.zip(peaks.fp16)?;
        (tensor > 2.0 * plain).then(|| (grid.time_ns, part(grid.computing_ns(), 1.0 - plain / tensor)))
    };
    let grids: Vec<(Ns, Ns)> = kernels.iter().flat_map(|kernel| &kernel.grids).filter_map(saved).collect();
    let time_ns = total(grids.iter().map(|(ns, _)| *ns));
    let share = times.share(time_ns);
    if time_ns == 0 || share < limits.of(&HALF) || !scene.kernels_matter() {
        return None;
    }
    let of_convolutions = kernels.iter().filter(|kernel| kernel.classes.has(KernelClass::Convolution));
    let convolutions_ns = total(of_convolutions.map(|kernel| kernel.time_ns));
    let convolves = 2 * convolutions_ns >= total(kernels.iter().map(|kernel| kernel.time_ns));
    let advice = match (convolves, scene.is_pytorch()) {
        (true, true) if scene.has_tuned() => {
            "Tensor Cores take convolutions whose numbers of channels, in each group, are multiples of 8, best with \
             `.to(memory_format=torch.channels_last)`; algorithms were tried already, as the capture shows, so that convolutions \
             of few channels or with many groups stay on plain cores"
        }
        (true, true) => {
            "Tensor Cores take convolutions whose numbers of channels, in each group, are multiples of 8, best with \
             `.to(memory_format=torch.channels_last)` and `torch.backends.cudnn.benchmark = True`; convolutions of few channels \
             or with many groups stay on plain cores"
        }
        (true, false) => {
            "Tensor Cores take convolutions whose numbers of channels, in each group, are multiples of 8, best in a layout with \
             channels last (NHWC); convolutions of few channels or with many groups stay on plain cores"
        }
        (false, _) => "Tensor Cores take products whose dimensions and strides are multiples of 8: pad them",
    };
    let mut by_name: BTreeMap<String, Ns> = BTreeMap::new();
    for kernel in &kernels {
        *by_name.entry(short_of(scene, kernel)).or_default() += kernel.time_ns;
    }
    let (name, name_ns) = by_name.into_iter().max_by_key(|(_, ns)| *ns)?;
    let problem = Sentence::new(
        "{} of the {} is {} in 16 bits without Tensor Cores, {} in `{}` alone",
        vec![
            Figure::Percent(share, 1),
            scene.own_kernel_time(),
            Figure::Text(if convolves { "convolutions and products" } else { "matrix math" }.to_owned()),
            Figure::Percent(times.share(name_ns), 1),
            Figure::Text(name),
        ],
    );
    let saved_ns = total(grids.iter().map(|(_, ns)| *ns));
    let finding = Finding::new(problem, advice)
        .percent(HALF.name, share)
        .percent("of_convolutions_percent", percent(convolutions_ns, times.time_ns))
        .saves_at_most(
            scene.kernel_saving(saved_ns),
            scene.basis_of_most(
                "Time of these kernels × (1 − FP32 peak ÷ FP16 peak), if all can use Tensor Cores",
            ),
        );
    Some(show_kernels(scene, scene.beside_tried(finding), &kernels, &condition()))
}

/// These kernels as a condition of `show`.
fn condition() -> String {
    const COMPUTES: &str = "gemm|convolve|scudnn|[0-9]cudnn|dgrad|wgrad|fprop|conv[123]d|cutlass";
    let half = kernel_class::HALF;
    format!(
        "tensor_cores = false and long_kernel_name ~ '(?i){half}' and long_kernel_name ~ '(?i){COMPUTES}'"
    )
}
