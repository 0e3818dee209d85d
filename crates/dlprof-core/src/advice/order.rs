//! In which order findings are shown, and which are shown below another one.
//!
//! ```text
//! ■ the capture misleads                                errors first
//! ○ the program computes on the CPU                     then what the verdict says
//! ▲ many small copies                      −85 ms       then by what a change saves
//!   └ the program waits for the GPU                     of the same cause: its saving is a part of the one above
//! ▲ kernels run for a small part of the time            then those without a saving, or with hardly any
//! ○ a library call                         −0.3 µs      a hundredth of the time or less is no more than a note
//! ```

use super::finding::{Finding, NO_KERNELS, OTHER_WORK, Saving, Severity};
use super::rule_setting::RuleChanges;
use super::scene::part;
use crate::base::ratios::percent;
use crate::base::time::Ns;
use std::cmp::Reverse;

/// The rule that speaks of GPUs with few kernels or none: what follows from causes that other findings name.
const UNUSED_GPUS: &str = "underutilized_gpu_detector";

/// A change that saves less than this share of the time is worth a note alone.
const LEAST_PERCENT: f64 = 1.0;

/// A change that saves less than this part of the time promises nothing.
pub(super) const LEAST_PART: f64 = 0.005;

/// No change saves more than the time that the findings are about, and a bound that is hardly anything of it is none.
pub(super) fn bound_saving(finding: &mut Finding, length: Ns) {
    let Some(saving) = &mut finding.saving else { return };
    if saving.expected_ns.is_none() && saving.upper_ns.is_some_and(|ns| ns < part(length, LEAST_PART)) {
        (saving.expected_ns, saving.upper_ns) = (Some(0), Some(0));
    }
    saving.expected_ns = saving.expected_ns.map(|ns| ns.min(length));
    saving.upper_ns = saving.upper_ns.map(|ns| ns.min(length));
}

/// Makes notes of findings that save hardly anything of a time, and of what they share the cause with. What misleads stays, and so
/// do severities that a user chose.
pub(super) fn lower_severities(findings: &mut [Finding], changes: &RuleChanges, length: Ns) {
    let is_free = |finding: &Finding| {
        !finding.misleads && changes.get(finding.id.as_ref()).is_none_or(|change| change.level.is_none())
    };
    for finding in findings.iter_mut().filter(|finding| is_free(finding) && is_small(finding, length)) {
        finding.severity = Severity::Note;
    }
    for at in 0..findings.len() {
        if let Some(cause) = cause_of(findings, at).filter(|_| is_free(&findings[at])) {
            findings[at].severity = findings[at].severity.min(findings[cause].severity);
        }
    }
}

/// Errors first, then that there are no kernels, then the finding that says what the verdict says, given by its id, then the greatest
/// saving that is worth its place, then the rest by severity, saving and id; of equal severity, that GPUs run few kernels comes after
/// the causes of it. That a shared machine has more GPUs comes last. What shares the cause of another finding follows that, and has no
/// saving of its own: it is in that of the other.
pub(super) fn in_order(mut findings: Vec<Finding>, said: Option<&str>, length: Ns) -> Vec<Finding> {
    let causes: Vec<Option<usize>> = (0..findings.len()).map(|at| cause_of(&findings, at)).collect();
    for (finding, cause) in findings.iter_mut().zip(causes) {
        match cause {
            Some(_) => finding.saving = None,
            None => finding.same_cause_as = None,
        }
    }
    let said = findings.iter().find(|finding| Some(finding.id.as_ref()) == said);
    let said = said.map(|said| said.same_cause_as.map_or_else(|| said.id.to_string(), str::to_owned));
    findings.sort_by(|a, b| rank(a, said.as_deref(), length).cmp(&rank(b, said.as_deref(), length)));
    let (first, mut below): (Vec<Finding>, Vec<Finding>) =
        findings.into_iter().partition(|finding| finding.same_cause_as.is_none());
    let mut ordered = Vec::with_capacity(first.len() + below.len());
    for finding in first {
        let id = finding.id.clone();
        ordered.push(finding);
        ordered.extend(below.extract_if(.., |other| other.same_cause_as == Some(id.as_ref())));
    }
    ordered
}

/// The place of the finding whose cause another one shares. One that shares the cause of a third, or that misleads, has nothing
/// below it, and one that misleads is below none.
fn cause_of(findings: &[Finding], at: usize) -> Option<usize> {
    let id = findings[at].same_cause_as.filter(|_| !findings[at].misleads)?;
    findings.iter().position(|other| other.id == id && other.same_cause_as.is_none() && !other.misleads)
}

/// Whether a change saves some time, but hardly any.
fn is_small(finding: &Finding, length: Ns) -> bool {
    let most = |saving: &Saving| saving.upper_ns.unwrap_or(0).max(saving.ns());
    finding.saving.as_ref().is_some_and(|saving| percent(most(saving), length) < LEAST_PERCENT)
}

fn rank<'a>(finding: &'a Finding, said: Option<&str>, length: Ns) -> impl Ord + use<'a> {
    let is_error = finding.severity == Severity::Error;
    let saving = finding.saving.as_ref().map_or(0, Saving::ns);
    let worth = if is_small(finding, length) { 0 } else { saving };
    let is_aside = finding.id == UNUSED_GPUS && finding.severity == Severity::Note;
    (
        is_aside,
        Reverse(is_error),
        finding.id != NO_KERNELS,
        // What is missing may be what seems to be other work.
        is_error && finding.id == OTHER_WORK,
        said != Some(finding.id.as_ref()),
        Reverse(worth),
        Reverse(finding.severity),
        finding.id == UNUSED_GPUS,
        Reverse(saving),
        finding.id.as_ref(),
    )
}

#[cfg(test)]
mod tests {
    use super::{in_order, lower_severities};
    use crate::advice::finding::{Finding, Severity};
    use crate::advice::{Level, RuleChanges, RuleSetting};
    use crate::base::time::Ns;

    fn warning(id: &'static str, saving_ns: Ns) -> Finding {
        let finding = Finding { id: id.into(), ..Finding::new("A problem", "A change") };
        let finding = finding.at_most(Severity::Warning);
        if saving_ns > 0 { finding.saves_at_most(saving_ns, "all") } else { finding }
    }

    fn ids(findings: &[Finding]) -> Vec<&str> {
        findings.iter().map(|finding| finding.id.as_ref()).collect()
    }

    #[test]
    fn a_change_that_saves_hardly_anything_is_a_note_behind_the_others() {
        let mut findings = vec![warning("hardly", 9), warning("much", 400), warning("unknown", 0)];
        lower_severities(&mut findings, &RuleChanges::new(), 1000);
        let findings = in_order(findings, None, 1000);
        assert_eq!(ids(&findings), ["much", "unknown", "hardly"]);
        assert_eq!(findings[2].severity, Severity::Note);
        assert!(findings[..2].iter().all(|finding| finding.severity == Severity::Warning));
    }

    #[test]
    fn what_gpus_wait_for_comes_before_that_they_wait() {
        let findings = in_order(
            vec![warning("underutilized_gpu_detector", 0), warning("warm_up_in_range", 0)],
            None,
            1000,
        );
        assert_eq!(ids(&findings), ["warm_up_in_range", "underutilized_gpu_detector"]);
    }

    #[test]
    fn what_the_verdict_says_comes_before_what_saves_most() {
        let findings =
            || vec![warning("much", 400), warning("said", 0), warning("below", 300).same_cause_as("much")];
        assert_eq!(ids(&in_order(findings(), Some("said"), 1000)), ["said", "much", "below"]);
        assert_eq!(ids(&in_order(findings(), Some("silent"), 1000)), ["much", "below", "said"]);
        let below =
            vec![warning("other", 400), warning("much", 100), warning("below", 50).same_cause_as("much")];
        assert_eq!(ids(&in_order(below, Some("below"), 1000)), ["much", "below", "other"]);
    }

    #[test]
    fn without_kernels_that_comes_first() {
        let findings = in_order(vec![warning("an_input", 0), warning("no_gpu_trace", 0)], None, 1000);
        assert_eq!(ids(&findings), ["no_gpu_trace", "an_input"]);
    }

    #[test]
    fn what_is_missing_comes_before_what_seems_to_be_other_work() {
        let error = |id: &'static str| Finding { id: id.into(), ..Finding::new("A problem", "A change") };
        let error = |id| Finding { severity: Severity::Error, ..error(id) };
        let findings =
            in_order(vec![error("device_stall"), error("dropped_records")], Some("device_stall"), 1000);
        assert_eq!(ids(&findings), ["dropped_records", "device_stall"]);
    }

    #[test]
    fn a_severity_that_a_user_chose_stays() {
        let mut findings = vec![warning("hardly", 9)];
        let level = RuleSetting { level: Some(Level::At(Severity::Warning)), ..RuleSetting::default() };
        lower_severities(&mut findings, &[("hardly".to_owned(), level)].into(), 1000);
        assert_eq!(findings[0].severity, Severity::Warning);
    }

    #[test]
    fn what_shares_a_cause_stands_below_it_without_a_saving_of_its_own() {
        let below = warning("below", 500).same_cause_as("cause");
        let alone = warning("alone", 100).same_cause_as("silent");
        let findings = in_order(vec![below, alone, warning("other", 600), warning("cause", 700)], None, 1000);
        assert_eq!(ids(&findings), ["cause", "below", "other", "alone"]);
        assert_eq!(findings[1].saving, None);
        assert_eq!((findings[3].same_cause_as, findings[3].saving.is_some()), (None, true));
    }

    #[test]
    fn findings_that_name_each_other_are_all_shown() {
        let (one, two) = (warning("one", 1).same_cause_as("two"), warning("two", 2).same_cause_as("one"));
        assert_eq!(in_order(vec![one, two], None, 10).len(), 2);
    }
}
