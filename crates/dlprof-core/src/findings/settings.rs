//! What a user changed about the rules.

use super::rule::RuleSetting;
use std::collections::BTreeMap;

/// What a user changed about the rules, by id.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RuleSettings {
    /// By id of the rule.
    pub by_id: BTreeMap<String, RuleSetting>,
}

impl RuleSettings {
    pub(super) fn of(&self, id: &str) -> Option<&RuleSetting> {
        self.by_id.get(id)
    }
}
