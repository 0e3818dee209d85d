//! What settings files say about the rules.

use super::detect::rules;
use super::finding::Severity;
use super::own::{OwnRule, OwnRuleTable, Place, QueryEngine, QueryTime, RuleError};
use super::question::Wording;
use super::rule::Rule;
use super::rule_setting::{Level, RuleChanges, RuleSetting};
use crate::base::limits;
use crate::tables::near::nearest;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;
use toml::Spanned;

/// Most rules of users: each looks through a table or asks a query.
const MOST_OWN_RULES: usize = limits::OWN_RULES.most;

/// What settings files say about the rules.
#[derive(Debug, Clone, Default)]
pub struct RuleSettings {
    /// What is changed.
    pub changes: RuleChanges,
    /// Users' rules, in the order of the file.
    pub own: Vec<OwnRule>,
    /// What answers the queries of users' rules; `None` where the program has no SQL.
    pub engine: Option<QueryEngine>,
    /// How the program asks for the evidence of a finding; `None` where it has no words for it.
    pub wording: Option<Wording>,
    /// The time that is left to the queries of users' rules. Clones of these settings share it.
    pub(super) query_time: QueryTime,
    /// Ids of users' rules of all files, also of those that a later file replaced.
    pub(super) known_ids: BTreeSet<String>,
}

/// The tables `[rules.ID]` of a settings file as they are written.
pub type ChangedRules = BTreeMap<Spanned<String>, BTreeMap<Spanned<String>, Spanned<toml::Value>>>;

/// A settings file.
#[derive(Debug, Clone, Copy)]
pub struct SettingsText<'a> {
    /// Its path.
    pub path: &'a Path,
    /// Its text.
    pub text: &'a str,
}

impl SettingsText<'_> {
    /// An error about a span of bytes.
    #[must_use]
    pub fn error(&self, span: &Range<usize>, message: String) -> RuleError {
        self.place(span).error(message, None)
    }

    /// Line and column of a span of bytes.
    pub(super) fn place(&self, span: &Range<usize>) -> Place {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        Place {
            path: self.path.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before.get(line_start..).map_or(0, |line| line.chars().count()) + 1,
        }
    }
}

impl RuleSettings {
    /// Settings that change nothing and have no users' rules. `engine` answers the queries of users' rules that are added
    /// later.
    #[must_use]
    pub fn with_engine(engine: Option<QueryEngine>) -> Self {
        Self { engine, ..Self::default() }
    }

    /// The same settings with all the time for queries of users' rules, as for another run.
    #[must_use]
    pub fn anew(&self) -> Self {
        Self { query_time: QueryTime::default(), ..self.clone() }
    }

    /// Adds what a settings file says. The file has precedence over those added before. A value replaces the earlier value of
    /// the same key. If the file has users' rules, they replace all earlier users' rules.
    ///
    /// # Errors
    /// If a rule or a threshold is unknown, a value has the wrong type, an id is used twice, or a rule of a user cannot be used.
    pub fn add(
        &mut self,
        changed: &ChangedRules,
        own: &[OwnRuleTable],
        file: &SettingsText<'_>,
    ) -> Result<(), RuleError> {
        if !own.is_empty() {
            self.own = self.read_own(own, file)?;
        }
        for (id, entries) in changed {
            let rule = rules().find(|rule| rule.id == id.get_ref());
            if rule.is_none() && !self.known_ids.contains(id.get_ref()) {
                return Err(self.unknown_rule(id, file));
            }
            let setting = self.changes.entry(id.get_ref().clone()).or_default();
            for (key, value) in entries {
                change(setting, id.get_ref(), rule, (key, value), file)?;
            }
        }
        Ok(())
    }

    fn read_own(&mut self, own: &[OwnRuleTable], file: &SettingsText<'_>) -> Result<Vec<OwnRule>, RuleError> {
        let mut read: Vec<OwnRule> = Vec::new();
        if let Some(table) = own.get(MOST_OWN_RULES) {
            let message = format!("there are {} rules; at most {MOST_OWN_RULES} are read", own.len());
            return Err(file.place(&table.id().span()).error(message, None));
        }
        for table in own {
            let rule = table.read(file, self.engine)?;
            let place = || file.place(&table.id().span());
            if rules().any(|known| known.id == rule.id()) {
                let message = format!("`{}` is the id of a built-in rule", rule.id());
                let hint = format!("choose another id; `[rules.{}]` changes the built-in rule", rule.id());
                return Err(place().error(message, Some(hint)));
            }
            if read.iter().any(|other| other.id() == rule.id()) {
                let message = format!("two rules have the id `{}`", rule.id());
                return Err(place().error(message, Some("choose another id for one of them".into())));
            }
            self.known_ids.insert(rule.id().to_owned());
            read.push(rule);
        }
        Ok(read)
    }

    fn unknown_rule(&self, id: &Spanned<String>, file: &SettingsText<'_>) -> RuleError {
        let known = rules().map(|rule| rule.id).chain(self.known_ids.iter().map(String::as_str));
        let hint = match nearest(id.get_ref(), known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`dlprof-agg rules` lists all rules".to_owned(),
        };
        file.place(&id.span()).error(format!("there is no rule `{}`", id.get_ref()), Some(hint))
    }

    pub(super) fn of(&self, id: &str) -> Option<&RuleSetting> {
        self.changes.get(id)
    }

    /// Whether a rule of a user is silenced, or how much its findings matter.
    pub(super) fn level_of(&self, own: &OwnRule) -> Level {
        match self.of(own.id()) {
            Some(setting) if setting.is_off() => Level::Off,
            Some(RuleSetting { level: Some(level), .. }) => *level,
            _ => own.level(),
        }
    }
}

/// Takes over a key of `[rules.ID]`.
fn change(
    setting: &mut RuleSetting,
    id: &str,
    rule: Option<&Rule>,
    (key, value): (&Spanned<String>, &Spanned<toml::Value>),
    file: &SettingsText<'_>,
) -> Result<(), RuleError> {
    let wrong = |expected: &str| {
        let message =
            format!("`{}` of rule `{id}` is {}; expected {expected}", key.get_ref(), shown(value.get_ref()));
        file.place(&value.span()).error(message, None)
    };
    match (key.get_ref().as_str(), value.get_ref()) {
        ("enabled", toml::Value::Boolean(enabled)) => setting.enabled = Some(*enabled),
        ("enabled", _) => return Err(wrong("true or false")),
        ("severity", toml::Value::String(word)) => {
            setting.level = Some(Level::read(&Spanned::new(value.span(), word.clone()), file)?);
        }
        ("severity", _) => return Err(wrong("\"note\", \"warning\", \"error\" or \"off\"")),
        (name, value) => {
            let thresholds = rule.map_or(&[][..], |rule| rule.thresholds);
            if !thresholds.iter().any(|threshold| threshold.name == name) {
                let names: Vec<&str> = thresholds.iter().map(|threshold| threshold.name).collect();
                return Err(unknown_key(id, key, &names, file));
            }
            let number = match value {
                toml::Value::Integer(number) => crate::base::ratios::to_f64(*number),
                toml::Value::Float(number) if number.is_finite() => *number,
                _ => return Err(wrong("a number")),
            };
            setting.thresholds.insert(name.to_owned(), number);
        }
    }
    Ok(())
}

fn unknown_key(id: &str, key: &Spanned<String>, thresholds: &[&str], file: &SettingsText<'_>) -> RuleError {
    let known: Vec<&str> = ["enabled", "severity"].iter().chain(thresholds).copied().collect();
    let message = format!("rule `{id}` has no `{}`; expected `{}`", key.get_ref(), known.join("`, `"));
    let hint = nearest(key.get_ref(), known).map(|near| format!("did you mean `{near}`?"));
    file.place(&key.span()).error(message, hint)
}

/// A value in an error.
fn shown(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => format!("the text \"{text}\""),
        toml::Value::Array(_) => "a list".into(),
        toml::Value::Table(_) => "a table".into(),
        other => format!("`{other}`"),
    }
}

impl Level {
    /// Reads a severity of a settings file.
    pub(super) fn read(word: &Spanned<String>, file: &SettingsText<'_>) -> Result<Self, RuleError> {
        const WORDS: [(&str, Level); 4] = [
            ("note", Level::At(Severity::Note)),
            ("warning", Level::At(Severity::Warning)),
            ("error", Level::At(Severity::Error)),
            ("off", Level::Off),
        ];
        let found = WORDS.iter().find(|(known, _)| *known == word.get_ref());
        found.map(|&(_, level)| level).ok_or_else(|| {
            let message = format!(
                "`{}` is not a severity; expected `note`, `warning`, `error` or `off`",
                word.get_ref()
            );
            let near = nearest(word.get_ref(), WORDS.iter().map(|(word, _)| *word));
            file.place(&word.span()).error(message, near.map(|near| format!("did you mean `{near}`?")))
        })
    }
}
