//! DLProf's detectors: one function each. Their ids, conditions and figures are DLProf's, as far as they are known; the texts are
//! ours.
//!
//! Beside our own rules three of them say less, because ours say more.

mod checks;
mod underutilized;

use crate::advice::finding::{Confidence, Severity};
use crate::advice::rule::{Need, Rule, Threshold};

/// All detectors, in the order of their output.
pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "no_fusion_detector",
        title: "TensorFlow without XLA",
        how: "DLProf's detector: TensorFlow runs, and no op was compiled by XLA.",
        severity: Severity::Note,
        confidence: Confidence::Medium,
        link: "https://www.tensorflow.org/xla",
        check: checks::no_fusion,
        ..Rule::SILENT
    },
    Rule {
        id: "amp_detector",
        title: "No op computes in 16 bits",
        how: "DLProf's detector: ops that could use Tensor Cores compute in another type than FP16 or BF16, and none computes in \
              one of these.",
        severity: Severity::Warning,
        confidence: Confidence::High,
        link: "https://developer.nvidia.com/automatic-mixed-precision",
        needs: &[Need::OpTypes],
        check: checks::amp,
        ..Rule::SILENT
    },
    Rule {
        id: "underutilized_gpu_detector",
        title: "GPUs without kernels, or with few",
        how: "DLProf's detector: some GPUs ran no kernel, or kernels run for a small part of the time. DLProf reported the \
            latter at 8 % and not at 93 %.",
        severity: Severity::Warning,
        confidence: Confidence::High,
        thresholds: &[LOW_UTILIZATION],
        check: underutilized::underutilized_gpu,
        ..Rule::SILENT
    },
    Rule {
        id: "dataloader_detector",
        title: "Data loading",
        how: "DLProf's detector: the GPU is idle while PyTorch's data loader works, or data is not loaded with DALI. Beside our \
            own rules the hint at DALI is given only where GPUs wait for input at least 1 % of the time.",
        severity: Severity::Note,
        confidence: Confidence::Low,
        thresholds: &[HIGH_DATALOADER],
        link: "https://developer.nvidia.com/DALI",
        check: checks::dataloader,
        ..Rule::SILENT
    },
    Rule {
        id: "no_iterations_detector",
        title: "No key node",
        how: "DLProf's detector: there is no key node, so that the whole capture is one iteration.",
        severity: Severity::Note,
        confidence: Confidence::High,
        check: checks::no_iterations,
        ..Rule::SILENT
    },
    Rule {
        id: "iteration_range_detector",
        title: "A steadier range of iterations",
        how: "DLProf's detector: the standard deviation of the iteration times is a large part of their mean, and there is a \
              sequence of steady iterations. From five iterations on our rule `unsteady_iterations` says it.",
        severity: Severity::Note,
        confidence: Confidence::High,
        thresholds: &[UNSTEADY],
        needs: &[Need::Iterations(2)],
        check: checks::iteration_range,
        ..Rule::SILENT
    },
    Rule {
        id: "cudnn_benchmark_detector",
        title: "cuDNN's benchmark mode is off",
        how: "DLProf's detector: there is a convolution, and DLProf's marker says that `cudnn.benchmark` is off.",
        severity: Severity::Warning,
        confidence: Confidence::High,
        link: "https://pytorch.org/docs/stable/backends.html#torch.backends.cudnn.torch.backends.cudnn.benchmark",
        needs: &[Need::DlprofMarkers],
        check: checks::cudnn_benchmark,
        ..Rule::SILENT
    },
    Rule {
        id: "batch_size_detector",
        title: "Much memory is free",
        how: "DLProf's detector: allocations were recorded, and at their peak little of the memory of the fullest GPU was in \
            use. DLProf reported 2 % to 23 %, always with a batch four times as large; the threshold is the largest share at \
            which four times as much still fits.",
        severity: Severity::Note,
        confidence: Confidence::Medium,
        thresholds: &[LOW_MEMORY],
        needs: &[Need::Allocations],
        check: checks::batch_size,
        ..Rule::SILENT
    },
];

const LOW_UTILIZATION: Threshold = Threshold {
    name: "gpu_utilization_percent",
    default: 50.0,
    doc: "Kernels run for less than this share of the time.",
};

const HIGH_DATALOADER: Threshold = Threshold {
    name: "dataloader_percent",
    default: 10.0,
    doc: "The GPU is idle while the data loader works for more than this share of the time; DLProf reported 87 %.",
};

const UNSTEADY: Threshold = Threshold {
    name: "variation_percent",
    default: 10.0,
    doc: "The standard deviation of the iteration times is above this share of their mean.",
};

const LOW_MEMORY: Threshold = Threshold {
    name: "memory_percent",
    default: 25.0,
    doc: "Less than this share of the memory of a GPU is in use.",
};
