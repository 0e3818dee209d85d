//! Applies the built-in rules to a profile.

use super::finding::{Confidence, Evidence, EvidenceKind, Finding, OTHER_WORK, Severity};
use super::of_recorders::adapt;
use super::order::{bound_saving, in_order, lower_severities};
use super::replayed::{Replayed, replay_savings};
use super::rule::Rule;
use super::rule_setting::RuleChanges;
use super::rules::shows_what_limits;
use super::rules::{DLPROF_RULES, OUR_RULES};
use super::scene::Scene;
use super::sentence::{Figure, Sentence};
use super::shown_range::with_range;
use super::verdict::{is_cold_pass, said_by_verdict};
use crate::figures::profile::{Profile, ProfileContents};
use crate::read::facts::Vendor;
use crate::replay::Bounds;
use crate::steps::iterate::FigureRules;

/// All rules: DLProf's, then ours, then those of servers.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    DLPROF_RULES.iter().chain(OUR_RULES).chain(super::serving::RULES)
}

/// The built-in rule with an id.
pub(super) fn rule_of(id: &str) -> Option<&'static Rule> {
    rules().find(|rule| rule.id == id)
}

/// What the built-in rules find in a profile, and the bounds that its verdict rests on.
#[derive(Debug, Clone)]
pub(super) struct Detected {
    /// In the order of the reports.
    pub(super) findings: Vec<Finding>,
    /// How short an iteration can become; `None` where that is not known.
    pub(super) bounds: Option<Bounds>,
}

/// Applies the built-in rules. With DLProf's figures these are DLProf's detectors in its order, else all rules, ranked.
pub(super) fn detect<'a>(scene: Scene<'a>, profile: &Profile, changes: &'a RuleChanges) -> Detected {
    let scene = scene.changed_by(changes);
    if profile.iterations.windows.rules == FigureRules::Dlprof {
        let find = |rule: &'static Rule| rule.find(&scene, changes.get(rule.id));
        return Detected { findings: DLPROF_RULES.iter().filter_map(find).collect(), bounds: None };
    }
    let replayed = Replayed::of(&scene, profile);
    let bounds = replayed.as_ref().and_then(Replayed::bounds);
    let scene = scene.bounded_by(bounds);
    let find = |rule: &'static Rule| rule.find(&scene, changes.get(rule.id));
    let is_long_enough = scene.is_long_enough();
    let applies =
        |rule: &&Rule| (is_long_enough || is_about_capture(rule)) && rule.unanswerable(profile).is_none();
    let mut findings: Vec<Finding> = rules().filter(applies).filter_map(find).collect();
    refer_to_explanation(&mut findings, profile.capture.recorder.vendor);
    if scene.saves_no_gpu_time() {
        findings.iter_mut().filter(|finding| is_about_kernels(finding)).for_each(kernels_come_later);
    }
    if !profile.has_kernel_records() {
        findings.iter_mut().for_each(without_saving);
    }
    if findings.iter().any(|finding| finding.misleads && finding.id == OTHER_WORK) {
        findings.iter_mut().for_each(without_saving);
    }
    let is_cold = is_cold_pass(&scene);
    let is_of_later = |finding: &Finding| rule_of(&finding.id).is_some_and(|rule| rule.of_later_passes);
    if is_cold || (findings.iter().any(is_of_later) && scene.is_first_pass()) {
        let first = findings.iter_mut().filter(|finding| is_cold || is_of_later(finding));
        first.for_each(without_saving_of_first_pass);
    }
    let length = scene.span.length();
    replay_savings(replayed.as_ref(), &mut findings);
    findings.iter_mut().for_each(|finding| bound_saving(finding, length));
    with_range(&scene, &mut findings);
    adapt(&profile.capture, &mut findings);
    lower_severities(&mut findings, changes, length);
    let said = said_by_verdict(&scene, &findings);
    let mut findings = in_order(findings, said.as_deref(), length);
    if let Some(replayed) = replayed {
        replayed.together(&mut findings);
    }
    Detected { findings, bounds }
}

/// The rule that says which kernel takes most of the kernel time.
const HOTSPOT: &str = "kernel_hotspot";

/// Rules that say what is the matter with kernels.
const EXPLAIN_KERNELS: [&str; 12] = [
    "uncoalesced",
    "latency_bound",
    "tensor_pipe_idle",
    "at_memory_roof",
    "fp32_matrix",
    "fp32_matrix_pre_ampere",
    "fp64_math",
    "older_attention",
    "underfilled",
    "low_occupancy",
    "tail_heavy",
    "memory_bound_ops",
];

/// Those of them that were measured.
const MEASURED: [&str; 4] = ["uncoalesced", "latency_bound", "tensor_pipe_idle", "at_memory_roof"];

/// Where another finding says what is the matter with the kernel that takes most of the kernel time, that comes first.
fn refer_to_explanation(findings: &mut [Finding], vendor: Vendor) {
    let is_kernel = |first: &&Evidence| {
        let place = (first.table.as_ref(), first.column.as_ref());
        [EvidenceKind::Kernel, EvidenceKind::MeasuredKernel].map(EvidenceKind::place).contains(&place)
    };
    let first_kernel =
        |finding: &Finding| finding.evidence.first().filter(is_kernel).map(|first| first.value.clone());
    let Some(at) = findings.iter().position(|finding| finding.id == HOTSPOT) else { return };
    let hot = first_kernel(&findings[at]);
    let explains =
        |finding: &&Finding| EXPLAIN_KERNELS.contains(&finding.id.as_ref()) && first_kernel(finding) == hot;
    if let Some(id) = findings.iter().find(explains).map(|finding| finding.id.to_string()) {
        findings[at].recommendation = match MEASURED.contains(&id.as_str()) {
            true => Sentence::new(
                "What limits it was measured: the finding `{}` says what to change about it",
                vec![Figure::Text(id)],
            ),
            false => Sentence::new(
                "The finding `{}` says what to change about it{}",
                vec![Figure::Text(id), shows_what_limits(vendor, "it")],
            ),
        };
    }
}

fn is_about_kernels(finding: &Finding) -> bool {
    finding.id == HOTSPOT || EXPLAIN_KERNELS.contains(&finding.id.as_ref())
}

/// Where hardly any of the time waits for GPU work, kernels that take less time leave it as long as it is.
fn kernels_come_later(finding: &mut Finding) {
    let advice = Figure::Clause(Box::new(finding.recommendation.clone()));
    let words = "Kernels do not come first: if GPU work took no time, hardly any would be saved. {}";
    finding.recommendation = Sentence::new(words, vec![advice]);
}

/// Without kernel records a GPU may work where it seems to be idle, and where other work runs inside kernels their times are not
/// those of the program: nothing can be said about savings.
fn without_saving(finding: &mut Finding) {
    if finding.saving.take().is_some() {
        finding.confidence = Some(Confidence::Low);
    }
}

/// What runs for the first time takes longer, and nothing shows by how much.
fn without_saving_of_first_pass(finding: &mut Finding) {
    if finding.saving.is_some() {
        without_saving(finding);
        finding.recommendation = Sentence::new(
            "{}. No saving is stated: no step repeats in this window, and what runs for the first time takes longer",
            vec![Figure::Clause(Box::new(finding.recommendation.clone()))],
        );
    }
}

/// Numbers of the iterations that findings and their savings are about, in order; empty if no iterations were found.
#[must_use]
pub(crate) fn iterations(profile: &ProfileContents) -> Vec<u32> {
    let scene = Scene::new(profile);
    match scene.iterations {
        0 => Vec::new(),
        _ => profile.iterations.range().skip(scene.places.start).take(scene.places.len()).collect(),
    }
}

/// How often the step runs in these iterations: savings per iteration are parts of this. 0 if no iterations were found.
#[must_use]
pub fn passes(profile: &ProfileContents) -> u32 {
    Scene::new(profile).passes
}

/// The rule that says that no range was recorded.
const NO_RANGES: &str = "no_nvtx";

/// Whether a rule makes sense however short the capture is: DLProf's, and those that say that the capture misleads or lacks
/// ranges.
pub(super) fn is_about_capture(rule: &Rule) -> bool {
    rule.severity == Severity::Error
        || rule.id == NO_RANGES
        || DLPROF_RULES.iter().any(|dlprof| dlprof.id == rule.id)
}
