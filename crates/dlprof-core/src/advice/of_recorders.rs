//! Findings of captures that neither nsys nor torch.profiler recorded: in the words of who did; and
//! which rules cannot be judged there.

use super::finding::Finding;
use crate::base::diagnostics::DiagnosticCode;
use crate::capture::CaptureContents;

/// Rules about time in which GPUs wait, and about overlap.
const ABOUT_WAITING: [&str; 10] = [
    "underutilized_gpu_detector",
    "unexplained_idle",
    "between_iterations",
    "input_bound",
    "launch_bound",
    "cpu_work_between",
    "sync_in_step",
    "launch_blocking",
    "serialised_launches",
    "waits_without_work",
];

/// What is said of a capture whose kernels ran one after another because their counters were read.
pub(super) const ONE_BY_ONE: &str = "Counters of kernels were recorded, for which kernels run one after another: times of single kernels count, and idle time and \
     overlap cannot be judged";

/// Whether kernels ran one after another, because their counters were read.
pub(super) fn ran_one_by_one(capture: &CaptureContents) -> bool {
    capture.diagnostics.counted(DiagnosticCode::CountersRecorded) > 0
}

/// Why a rule is not judged where kernels ran one after another; `None` if it is.
pub(super) fn not_judged(capture: &CaptureContents, rule: &str) -> Option<&'static str> {
    (ran_one_by_one(capture) && ABOUT_WAITING.contains(&rule))
        .then_some("counters of kernels were recorded, for which kernels ran one after another")
}

/// Says findings in the words of the recorder.
pub(super) fn adapt(capture: &CaptureContents, findings: &mut [Finding]) {
    let recorder = capture.recorder;
    if !recorder.has_own_words() {
        return;
    }
    let words = |text: &str| recorder.in_its_words(text).into_owned();
    for finding in findings {
        finding.problem = finding.problem.in_words(&words);
        finding.recommendation = finding.recommendation.in_words(&words);
        if let Some(saving) = &mut finding.saving {
            saving.basis = words(&saving.basis).into();
        }
    }
}
