//! The policy as TOML. The message about a mistake names the key, what was found and what is expected.

use super::error::{PolicyError, Suggestion};
use super::{Inconclusive, Policy, PolicyRule, Shared};
use crate::base::small_file::{MOST_SETTINGS_BYTES, read_text};
use crate::runs::RunError;
use crate::runs::metrics::{self, METRICS, WorseWhen};
use crate::runs::subject::Subject;
use regex::Regex;
use std::path::Path;
use toml::{Table, Value};

const TOP_KEYS: [&str; 11] = [
    "confidence",
    "minimum-iterations",
    "inconclusive",
    "assumed-run-deviation-percent",
    "history-window",
    "default-metrics",
    "metrics",
    "op-types",
    "ops",
    "groups",
    "kernels",
];

const RULE_KEYS: [&str; 10] = [
    "match",
    "require",
    "worse",
    "budget-percent",
    "budget-absolute",
    "minimum-effect-percent",
    "minimum-effect-of-iteration-percent",
    "confidence",
    "minimum-iterations",
    "inconclusive",
];

impl Policy {
    /// Reads a policy from a TOML file. Metrics that it does not name keep their default rules.
    ///
    /// # Errors
    /// If it cannot be read or used; the message names the key.
    pub fn read(path: &Path) -> Result<Self, RunError> {
        let wrong = |mistake| RunError::Policy { path: path.into(), mistake };
        let text = read_text(path, MOST_SETTINGS_BYTES)
            .map_err(|source| wrong(PolicyError::Unreadable { source }))?;
        Self::parse(&text).map_err(wrong)
    }

    /// Reads a policy from TOML.
    ///
    /// # Errors
    /// If it cannot be used; the message names the key, what was found and what is expected.
    pub fn parse(text: &str) -> Result<Self, PolicyError> {
        let syntax = |source| PolicyError::Syntax { source: Box::new(source) };
        let table: Table = toml::from_str(text).map_err(syntax)?;
        check_keys(&table, "", &TOP_KEYS)?;
        let mut shared = Shared::default();
        let place = Place(String::new());
        set(&mut shared.confidence, place.confidence(&table)?);
        set(&mut shared.minimum_iterations, place.count(&table, "minimum-iterations")?);
        set(&mut shared.history_window, place.count(&table, "history-window")?);
        set(&mut shared.inconclusive, place.inconclusive(&table)?);
        let deviation = place.number(&table, "assumed-run-deviation-percent", 0.0..=100.0)?;
        set(&mut shared.assumed_run_deviation_percent, deviation);
        let keeps_defaults = match table.get("default-metrics") {
            None => true,
            Some(Value::Boolean(keeps)) => *keeps,
            Some(other) => return Err(unexpected("default-metrics", other, "true or false")),
        };
        let mut rules = metric_rules(&table, shared, keeps_defaults)?;
        for (key, kind) in [
            ("op-types", Subject::OpType),
            ("ops", Subject::Op),
            ("groups", Subject::Group),
            ("kernels", Subject::Kernel),
        ] {
            rules.extend(pattern_rules(&table, key, kind, shared)?);
        }
        if rules.is_empty() {
            return Err(PolicyError::NoRules);
        }
        Ok(shared.policy(rules))
    }
}

fn set<T>(target: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *target = value;
    }
}

fn metric_rules(table: &Table, shared: Shared, keeps_defaults: bool) -> Result<Vec<PolicyRule>, PolicyError> {
    let mut rules = if keeps_defaults { Policy::default().rules } else { Vec::new() };
    for rule in &mut rules {
        rule.confidence = shared.confidence;
        rule.minimum_iterations = shared.minimum_iterations;
        rule.inconclusive = shared.inconclusive;
    }
    let Some(metrics) = table.get("metrics") else { return Ok(rules) };
    let Value::Table(metrics) = metrics else {
        return Err(unexpected("metrics", metrics, "tables such as `[metrics.iteration-time]`"));
    };
    for (name, value) in metrics {
        let place = format!("metrics.{name}");
        let Some(metric) = metrics::find(name) else {
            let known: Vec<String> = METRICS.iter().map(|metric| metric.key.replace('_', "-")).collect();
            let suggestion = Suggestion::new(name, &known);
            return Err(PolicyError::UnknownMetric { name: name.clone(), suggestion });
        };
        // `iteration-time = false` takes a metric out.
        if *value == Value::Boolean(false) {
            rules.retain(|rule| rule.name != metric.key);
            continue;
        }
        let Value::Table(value) = value else {
            return Err(unexpected(&place, value, "a table of budgets, or `false` to leave it out"));
        };
        let at = match rules.iter().position(|rule| rule.name == metric.key) {
            Some(at) => at,
            None => {
                rules.push(shared.metric_rule(metric));
                rules.len() - 1
            }
        };
        fill(&mut rules[at], value, &place, &RULE_KEYS[2..])?;
    }
    let order = |rule: &PolicyRule| METRICS.iter().position(|metric| metric.key == rule.name);
    rules.sort_by_key(order);
    Ok(rules)
}

fn pattern_rules(
    table: &Table,
    key: &str,
    kind: Subject,
    shared: Shared,
) -> Result<Vec<PolicyRule>, PolicyError> {
    let Some(value) = table.get(key) else { return Ok(Vec::new()) };
    let expected = format!("a list: `[[{key}]]`");
    let Value::Array(items) = value else { return Err(unexpected(key, value, &expected)) };
    let mut rules = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let place = format!("{key}[{}]", at + 1);
        let Value::Table(item) = item else { return Err(unexpected(&place, item, &expected)) };
        let name = match item.get("match") {
            Some(Value::String(name)) if !name.is_empty() => name,
            Some(other) => return Err(unexpected(&format!("{place}.match"), other, "a name")),
            None => {
                // Unknown keys are checked first, because a misspelt `match` would otherwise be reported as a
                // missing one.
                check_keys(item, &place, &RULE_KEYS)?;
                return Err(PolicyError::NoMatch { place });
            }
        };
        let mut rule = shared.rule(kind, name);
        let pattern = pattern(name).map_err(|error| PolicyError::BadPattern {
            place: format!("{place}.match"),
            source: error.into(),
        })?;
        rule.pattern = Some(pattern);
        fill(&mut rule, item, &place, &RULE_KEYS)?;
        rules.push(rule);
    }
    Ok(rules)
}

/// `re:` and a regular expression, or a whole name in which `*` means any text.
fn pattern(name: &str) -> Result<Regex, regex::Error> {
    match name.strip_prefix("re:") {
        Some(expression) => Regex::new(expression),
        None => {
            let parts: Vec<String> = name.split('*').map(regex::escape).collect();
            Regex::new(&format!("^(?s:{})$", parts.join(".*")))
        }
    }
}

/// Sets the values of a rule from its table.
fn fill(rule: &mut PolicyRule, table: &Table, place: &str, keys: &[&str]) -> Result<(), PolicyError> {
    check_keys(table, place, keys)?;
    let place = Place(format!("{place}."));
    let any = 0.0..=f64::MAX;
    let percent = place.number(table, "budget-percent", any.clone())?;
    let absolute = place.number(table, "budget-absolute", any.clone())?;
    if percent.is_some() || absolute.is_some() {
        (rule.budget_percent, rule.budget_absolute) = (percent, absolute);
    }
    set(&mut rule.minimum_effect_percent, place.number(table, "minimum-effect-percent", any.clone())?);
    let of_iteration = place.number(table, "minimum-effect-of-iteration-percent", any)?;
    set(&mut rule.minimum_effect_of_iteration_percent, of_iteration);
    set(&mut rule.confidence, place.confidence(table)?);
    set(&mut rule.minimum_iterations, place.count(table, "minimum-iterations")?);
    set(&mut rule.inconclusive, place.inconclusive(table)?);
    set(&mut rule.is_required, place.flag(table, "require")?);
    match table.get("worse").map(Value::as_str) {
        None => {}
        Some(Some("more")) => rule.worse = WorseWhen::More,
        Some(Some("less")) => rule.worse = WorseWhen::Less,
        Some(_) => return Err(unexpected(&place.of("worse"), &table["worse"], "\"more\" or \"less\"")),
    }
    if rule.budget_percent.is_none() && rule.budget_absolute.is_none() {
        return Err(PolicyError::NoBudget { place: place.0.trim_end_matches('.').to_owned() });
    }
    Ok(())
}

/// Where values are, for messages.
struct Place(String);

impl Place {
    fn of(&self, key: &str) -> String {
        format!("{}{key}", self.0)
    }

    fn number(
        &self,
        table: &Table,
        key: &str,
        allowed: std::ops::RangeInclusive<f64>,
    ) -> Result<Option<f64>, PolicyError> {
        let Some(value) = table.get(key) else { return Ok(None) };
        let number = match value {
            Value::Float(number) => Some(*number),
            Value::Integer(number) => Some(crate::base::ratios::to_f64(*number)),
            _ => None,
        };
        match number.filter(|number| allowed.contains(number)) {
            Some(number) => Ok(Some(number)),
            None if *allowed.end() < f64::MAX => {
                let range = format!("a number from {} to {}", allowed.start(), allowed.end());
                Err(unexpected(&self.of(key), value, &range))
            }
            None => Err(unexpected(&self.of(key), value, "a number, 0 or more")),
        }
    }

    fn confidence(&self, table: &Table) -> Result<Option<f64>, PolicyError> {
        self.number(table, "confidence", 0.5..=0.999_999)
    }

    fn flag(&self, table: &Table, key: &str) -> Result<Option<bool>, PolicyError> {
        match table.get(key) {
            None => Ok(None),
            Some(Value::Boolean(flag)) => Ok(Some(*flag)),
            Some(other) => Err(unexpected(&self.of(key), other, "true or false")),
        }
    }

    fn count(&self, table: &Table, key: &str) -> Result<Option<usize>, PolicyError> {
        match table.get(key) {
            None => Ok(None),
            Some(Value::Integer(number @ 2..)) => Ok(usize::try_from(*number).ok()),
            Some(other) => Err(unexpected(&self.of(key), other, "a whole number, 2 or more")),
        }
    }

    fn inconclusive(&self, table: &Table) -> Result<Option<Inconclusive>, PolicyError> {
        match table.get("inconclusive").map(|value| (value, value.as_str())) {
            None => Ok(None),
            Some((_, Some("exit"))) => Ok(Some(Inconclusive::Exit)),
            Some((_, Some("pass"))) => Ok(Some(Inconclusive::Pass)),
            Some((_, Some("fail"))) => Ok(Some(Inconclusive::Fail)),
            Some((other, _)) => {
                Err(unexpected(&self.of("inconclusive"), other, "\"exit\", \"pass\" or \"fail\""))
            }
        }
    }
}

fn check_keys(table: &Table, place: &str, known: &[&str]) -> Result<(), PolicyError> {
    let Some(unknown) = table.keys().find(|key| !known.contains(&key.as_str())) else { return Ok(()) };
    let known: Vec<String> = known.iter().map(|key| (*key).to_owned()).collect();
    Err(PolicyError::UnknownKey {
        key: unknown.clone(),
        inside: (!place.is_empty()).then(|| place.to_owned()),
        suggestion: Suggestion::new(unknown, &known),
    })
}

fn unexpected(place: &str, found: &Value, expected: &str) -> PolicyError {
    PolicyError::Unexpected {
        place: place.to_owned(),
        found: found.to_string(),
        expected: expected.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_hold_and_can_be_changed() {
        let policy = Policy::parse(
            "confidence = 0.95\n[metrics.iteration-time]\nbudget-percent = 3\n[metrics]\ngpu-idle = false\n\
             [[op-types]]\nmatch = 'conv*'\nbudget-percent = 10\nbudget-absolute = 1000\nworse = 'less'",
        )
        .expect("a policy");
        let names: Vec<&str> = policy.rules.iter().map(|rule| rule.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "iteration_time_ns",
                "kernel_time_ns",
                "copy_time_ns",
                "tc_utilization_percent",
                "kernel_launches",
                "job_wait_ns",
                "job_lag_ns",
                "conv*"
            ]
        );
        assert_eq!(policy.rules[0].budget_percent, Some(3.0));
        assert!(policy.rules.iter().all(|rule| (rule.confidence - 0.95).abs() < 1e-12));
        let conv = &policy.rules[7];
        assert!(
            conv.pattern
                .as_ref()
                .is_some_and(|pattern| pattern.is_match("conv2d") && !pattern.is_match("aconv"))
        );
        assert_eq!((conv.worse, conv.budget_absolute), (WorseWhen::Less, Some(1000.0)));
    }

    #[test]
    fn mistakes_are_named() {
        for (text, message) in [
            ("confidnce = 0.9", "key `confidnce` is unknown; did you mean `confidence`?"),
            ("[metrics.iteration-tim]\nbudget-percent = 1", "did you mean `iteration-time-ns`?"),
            (
                "[metrics.copy-time]\nbudget_percent = 1",
                "in `metrics.copy-time` is unknown; did you mean `budget-percent`?",
            ),
            ("[[ops]]\nmach = 'x'", "key `mach` in `ops[1]` is unknown; did you mean `match`?"),
            ("[[ops]]\nmatch = 're:('\nbudget-percent = 1", "`ops[1].match` is not a valid pattern"),
            ("[[ops]]\nmatch = 'x'", "`ops[1]` has no budget"),
            ("[ops]\nmatch = 'x'", "expected a list: `[[ops]]`"),
            ("confidence = 2", "`confidence` is 2; expected a number from 0.5"),
            ("confidence = nan", "`confidence` is nan; expected a number"),
            ("minimum-iterations = 1", "expected a whole number, 2 or more"),
            ("inconclusive = 'maybe'", "expected \"exit\", \"pass\" or \"fail\""),
            ("default-metrics = false", "it has no rules"),
            ("[metrics]\ncopy-time = true", "expected a table of budgets"),
            ("[metrics.copy-time]\nbudget-percent = -1", "expected a number, 0 or more"),
            ("x = ", "TOML parse error"),
        ] {
            let error = Policy::parse(text).expect_err(text).to_string();
            assert!(error.contains(message), "{text}: {error}");
        }
    }
}
