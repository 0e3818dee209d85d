//! What a user changed about rules.

use super::finding::Severity;
use std::collections::BTreeMap;

/// What a user changed about rules, by id of the rule.
pub type RuleChanges = BTreeMap<String, RuleSetting>;

/// Whether a rule is silenced, or how much its findings matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// It is silenced.
    Off,
    /// Its findings have this severity.
    At(Severity),
}

/// What a user changed about a rule.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RuleSetting {
    /// Whether the rule looks at captures; `None` if no settings file says it.
    pub enabled: Option<bool>,
    /// The severity, if not as the rule says.
    pub level: Option<Level>,
    /// Thresholds by name.
    pub thresholds: BTreeMap<String, f64>,
}

impl RuleSetting {
    /// Whether the rule is silenced.
    #[must_use]
    pub fn is_off(&self) -> bool {
        self.enabled == Some(false) || self.level == Some(Level::Off)
    }
}
