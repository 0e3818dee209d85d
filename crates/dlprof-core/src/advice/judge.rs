//! Judges a profile by the built-in rules and by those of users.

use super::judged::Judged;
use super::order::{bound_saving, in_order};
use super::own::OwnRule;
use super::own_result::{OwnOutcome, OwnResult, OwnResults};
use super::rule_setting::Level;
use super::settings::RuleSettings;
use super::verdict::said_by_verdict;
use crate::base::time::Span;
use crate::figures::profile::Profile;
use crate::steps::iterate::FigureRules;

/// Judges a profile. The built-in rules are applied when their findings are asked for first, those of users at once. Users' rules
/// that read the table `findings` see those of the built-in rules. DLProf's figures know no users' rules. A rule that fails finds
/// nothing; [`Judged::own_failures`] says why.
#[must_use]
pub fn judge(profile: &Profile, settings: &RuleSettings) -> Judged {
    let built_in = Judged::new(profile.clone(), settings.changes.clone(), settings.wording);
    if settings.own.is_empty() || profile.iterations.windows.rules == FigureRules::Dlprof {
        return built_in;
    }
    let length = profile.windows().into_iter().map(Span::length).sum();
    let apply = |rule: &OwnRule| {
        let mut outcome = match settings.level_of(rule) {
            Level::Off => OwnOutcome::Off,
            Level::At(severity) => {
                let applied = rule.apply(&built_in, severity, &settings.query_time);
                applied.unwrap_or_else(|error| OwnOutcome::Failed(Box::new(error)))
            }
        };
        if let OwnOutcome::Fires(finding) = &mut outcome {
            bound_saving(finding, length);
        }
        OwnResult { id: rule.id().to_owned(), outcome }
    };
    let results: Vec<OwnResult> = settings.own.iter().map(apply).collect();
    let fires = |result: &OwnResult| match &result.outcome {
        OwnOutcome::Fires(finding) => Some(finding.as_ref().clone()),
        OwnOutcome::Silent | OwnOutcome::Off | OwnOutcome::NotRun(_) | OwnOutcome::Failed(_) => None,
    };
    let own = results.iter().filter_map(fires);
    let scene = built_in.scene();
    let said = said_by_verdict(&scene, built_in.findings());
    let findings = built_in.findings().iter().cloned().chain(own).collect();
    let findings = in_order(findings, said.as_deref(), scene.span.length());
    built_in.with_own(OwnResults { results, findings })
}
