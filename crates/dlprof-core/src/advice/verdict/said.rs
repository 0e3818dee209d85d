//! Which finding says what the verdict says: it heads the list, whatever others save.

use super::opening::is_start_up;
use super::other_idle::{is_mostly_once, most_named, unnamed};
use crate::advice::detect::rule_of;
use crate::advice::finding::{Finding, Saving, without_kernels};
use crate::advice::rule::Subject;
use crate::advice::scene::Scene;
use crate::figures::activity::Verdict;

/// The rules that speak of work that is done once, of idle time that no cause names, and of waits.
const ONCE: &str = "warm_up_in_range";
pub(super) const UNEXPLAINED: &str = "unexplained_idle";
const WAITS: [&str; 2] = ["serialised_launches", "sync_in_step"];

/// The rule that says what delays tokens of a server, whatever the mean of its steps is.
const PREFILL: &str = "engine_prefill";

/// Whether something tells what the host does in idle time that no call and no range explains.
fn is_told(scene: &Scene<'_>) -> bool {
    unnamed(scene).is_some_and(|told| told.title().is_some())
}

/// The id of the finding that says what limits the steps as the verdict does; `None` where GPUs compute, which any finding may be
/// about, or where the verdict has no finding.
pub(in crate::advice) fn said_by_verdict(scene: &Scene<'_>, findings: &[Finding]) -> Option<String> {
    let classes = &scene.told_classes().filter(|classes| classes.length_ns > 0 && scene.is_long_enough())?;
    if without_kernels(findings).is_some() || scene.whole_run().is_some() {
        return None;
    }
    if scene.profile.serving().main().is_some_and(|lane| lane.figures.is_mostly_prefill())
        && let Some(prefill) = findings.iter().find(|finding| finding.id == PREFILL)
    {
        return Some(prefill.id.to_string());
    }
    let verdict = scene.verdict(classes);
    let says = |finding: &&Finding| {
        let subject = rule_of(&finding.id).map_or(Subject::Other, |rule| rule.subject);
        let id = finding.id.as_ref();
        match verdict {
            Verdict::Gpu => false,
            Verdict::Cpu if classes.sync_ns > classes.cpu_ns => WAITS.contains(&id),
            Verdict::Cpu if is_start_up(scene, classes) => id == ONCE,
            Verdict::Unexplained if is_mostly_once(scene, classes) => id == ONCE,
            Verdict::Unexplained => match most_named(scene) {
                Some(cause) => subject == Subject::Cause(cause),
                // That nothing is known is no reason to come first.
                None => id == UNEXPLAINED && is_told(scene),
            },
            verdict => subject == Subject::All(verdict),
        }
    };
    // A change that is likely to save nothing is no answer to what limits.
    let may_save = |finding: &&Finding| finding.saving.as_ref().is_none_or(|saving| saving.ns() > 0);
    // Of two that say it, the one that saves more.
    let saving = |finding: &&Finding| finding.saving.as_ref().map_or(0, Saving::ns);
    let said = findings.iter().rev().filter(says).filter(may_save).max_by_key(saving)?;
    Some(said.id.to_string())
}
