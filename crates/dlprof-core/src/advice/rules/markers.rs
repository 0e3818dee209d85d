//! Markers of DLProf that hold the program up.

use crate::advice::finding::{Confidence, Finding, Severity};
use crate::advice::question::Question;
use crate::advice::rule::{Limits, Need, Rule, Subject, Threshold};
use crate::advice::scene::Scene;
use crate::advice::sentence::{Figure, Sentence};
use crate::figures::activity::Verdict;

const MARKERS: Threshold = Threshold {
    name: "markers_percent",
    default: 5.0,
    doc: "Least share of the time that GPUs idle while DLProf's markers hold up the thread that launches.",
};

pub(super) const MARKER_OVERHEAD: Rule = Rule {
    id: "marker_overhead",
    title: "DLProf's markers slow the program down",
    how: "With markers of DLProf, the share of the time, averaged over the used GPUs, in which a GPU idles while the thread that \
          launches is inside a marker that holds other ranges, but inside none of these: the wrapper around the function works \
          there, which puts together the text of the call stack and of all arguments. What it takes before a marker begins is \
          not among it. `launch_bound` and `tiny_kernels` stand below this finding. No saving is stated: without markers this time is not there.",
    severity: Severity::Warning,
    confidence: Confidence::Medium,
    thresholds: &[MARKERS],
    needs: &[Need::GpuTime],
    subject: Subject::Part(Verdict::Cpu),
    check: marker_overhead,
    ..Rule::SILENT
};

fn marker_overhead(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let idle_ns = scene.markers_idle_ns();
    let share = scene.share(idle_ns);
    if idle_ns == 0 || share < limits.of(&MARKERS) {
        return None;
    }
    let finding = Finding::new(
        Sentence::new(
            "DLProf's markers hold the program up. At least {} of the time GPUs idle while the thread that launches is in a \
             marker, but in no range inside it",
            vec![Figure::Percent(share, 1)],
        ),
        "Measure without them, with one NVTX range around each step: what the CPU costs here is mostly not there without markers",
    )
    .percent(MARKERS.name, share)
    .time("markers_idle_ns", scene.per_gpu(idle_ns))
    .show(Question::of("idle_ranges").rows_where("marker"));
    Some(finding)
}

/// What to do about launches of which [`held_by_markers`] speaks.
pub(super) const WITHOUT_MARKERS: &str =
    "Measure without DLProf's markers first, which hold up the thread that launches";

/// The finding whose cause launches share that come late, where markers hold up the thread that makes them.
pub(super) fn held_by_markers(scene: &Scene<'_>) -> Option<&'static str> {
    let limits = MARKER_OVERHEAD.limits_in(scene)?;
    let is_found = scene.share(scene.markers_idle_ns()) >= limits.of(&MARKERS).max(f64::MIN_POSITIVE);
    is_found.then_some(MARKER_OVERHEAD.id)
}
