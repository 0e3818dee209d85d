//! Changes that are asked for: edits in words, and what findings advise, by the names of their rules.

use super::detect::{passes, rule_of};
use super::finding::Finding;
use super::judged::{Judged, RuleState};
use super::sentence::{Figure, Sentence};
use crate::base::ratios::to_f64;
use crate::base::time::Ns;
use crate::replay::{Edit, NamedEdits, NotReplayed, Replay, UnknownEdit, WhatIf};

/// A change of a program that is asked for.
#[derive(Debug, Clone, PartialEq)]
pub enum AskedChange {
    /// An edit.
    Edit(Box<Edit>),
    /// What the finding of a rule advises, by the ID of the rule.
    Advice(&'static str),
}

/// Why what a finding advises is not replayed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAdvised {
    /// The rule finds nothing.
    #[error("the rule `{rule}` finds nothing in this capture")]
    Silent {
        /// Its ID.
        rule: &'static str,
    },
    /// The settings silence the rule.
    #[error("the rule `{rule}` is switched off by the settings")]
    Off {
        /// Its ID.
        rule: &'static str,
    },
    /// The rule could not find anything.
    #[error("the rule `{rule}` finds nothing in this capture: {why}")]
    NotJudged {
        /// Its ID.
        rule: &'static str,
        /// What it lacks.
        why: String,
    },
    /// A replay says nothing of it.
    #[error("a replay says nothing of what the finding `{rule}` advises{reckoned}")]
    NotReplayed {
        /// The ID of its rule.
        rule: &'static str,
        /// What the page says that it saves.
        reckoned: String,
    },
}

impl AskedChange {
    /// Reads the ID of a rule, or an edit in one of the forms of [`EDIT_FORMS`](crate::EDIT_FORMS).
    ///
    /// # Errors
    /// If it is neither.
    pub fn parse(text: &str) -> Result<Self, UnknownEdit> {
        match rule_of(&text.trim().to_lowercase().replace('-', "_")) {
            Some(rule) => Ok(Self::Advice(rule.id)),
            None => Edit::parse(text).map(|edit| Self::Edit(Box::new(edit))),
        }
    }
}

/// The changes that stand for what a finding advises, with what the page says that they save of an iteration: what is likely, or where no
/// replay says that the most that can be had. None where neither is replayed.
fn advised(finding: &Finding, passes: u32) -> Option<NamedEdits> {
    let (edits, saving) = (finding.edits.as_ref()?, finding.saving.as_ref()?);
    let is_at_most = edits.expected.is_empty();
    let (chosen, said_ns) = match is_at_most {
        true => (&edits.at_most, saving.upper_ns?),
        false => (&edits.expected, saving.ns()),
    };
    Some(NamedEdits {
        name: finding.id.to_string(),
        edits: chosen.clone(),
        basis: Some(edits.basis.to_string()),
        is_at_most,
        said_ns: Some(said_ns / Ns::from(passes.max(1))),
    })
}

/// What the page says that a change saves of which a replay says nothing, after a comma.
fn reckoned(finding: &Finding, passes: u32) -> String {
    let time = |ns: Ns| Figure::Time(to_f64(ns) / f64::from(passes.max(1)));
    let (words, figure) = match finding.saving.as_ref().map(|saving| (saving.expected_ns, saving.upper_ns)) {
        Some((Some(ns), _)) if ns > 0 => (", which is reckoned to save {} of an iteration", time(ns)),
        Some((None, Some(ns))) => (", which is reckoned to save at most {} of an iteration", time(ns)),
        Some(_) => return ", which is likely to save nothing".to_owned(),
        None => return ", and what that saves is not known".to_owned(),
    };
    Sentence::new(words, vec![figure]).to_string()
}

impl Judged {
    /// The changes that findings advise and a replay knows, in the order of the reports.
    pub fn advised(&self) -> impl Iterator<Item = NamedEdits> {
        let passes = passes(self);
        self.findings().iter().filter_map(move |finding| advised(finding, passes))
    }

    /// The edits of a change that is asked for.
    ///
    /// # Errors
    /// If nothing is found that advises it, or a replay says nothing of it.
    pub fn edits_of(&self, asked: &AskedChange) -> Result<NamedEdits, NotAdvised> {
        let rule = match asked {
            AskedChange::Edit(edit) => return Ok(Edit::clone(edit).into()),
            AskedChange::Advice(rule) => *rule,
        };
        match self.rule_state(rule) {
            RuleState::Fires(finding) => {
                let not_replayed =
                    || NotAdvised::NotReplayed { rule, reckoned: reckoned(finding, passes(self)) };
                advised(finding, passes(self)).ok_or_else(not_replayed)
            }
            RuleState::NotJudged(why) => Err(NotAdvised::NotJudged { rule, why }),
            RuleState::Off => Err(NotAdvised::Off { rule }),
            RuleState::Silent => Err(NotAdvised::Silent { rule }),
        }
    }

    /// The iterations that findings are about with some changes, which are made in order; without any, what each finding advises alone.
    ///
    /// # Errors
    /// If they cannot be replayed.
    pub fn what_if(&self, changes: &[NamedEdits]) -> Result<WhatIf, NotReplayed> {
        let replay = Replay::of(self)?;
        let advised = if changes.is_empty() { self.advised().collect() } else { Vec::new() };
        let misleading = self.findings().iter().find(|finding| finding.misleads);
        Ok(WhatIf {
            misleads: misleading.map(|finding| finding.problem.to_string()),
            ..replay.what_if(changes, &advised)
        })
    }
}
