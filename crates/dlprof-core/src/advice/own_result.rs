//! What users' rules came to on a profile.

use super::finding::Finding;
use super::own::error::RuleError;

/// What a rule of a user came to.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnResult {
    /// Id of the rule.
    pub id: String,
    /// What came of it.
    pub outcome: OwnOutcome,
}

/// What came of a rule of a user.
#[derive(Debug, Clone, PartialEq)]
pub enum OwnOutcome {
    /// Its condition holds.
    Fires(Box<Finding>),
    /// Its condition does not hold.
    Silent,
    /// It is silenced.
    Off,
    /// It cannot run on this capture; why.
    NotRun(String),
    /// It does not fit the values that it saw: a query that does not give one row, a text compared with a number.
    Failed(Box<RuleError>),
}

/// What users' rules came to on a profile, and the findings of all rules.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OwnResults {
    /// In the order of the settings file.
    pub(super) results: Vec<OwnResult>,
    /// The findings of the built-in rules and of these, ranked.
    pub(super) findings: Vec<Finding>,
}
