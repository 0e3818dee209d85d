//! Formulas and users' rules without a profile.

use super::super::settings::{ChangedRules, RuleSettings, SettingsText};
use super::OwnRuleTable;
use super::formula::{Formula, FormulaError, Kind, Scope};
use super::parser::{Vocabulary, parse};
use crate::tables::{Columns, Value, definition};
use serde::Deserialize;
use std::path::Path;

const NAMES: [&str; 4] = ["value", "none", "name", "flag"];

fn formula(text: &str, kind: Kind) -> Result<Formula, FormulaError> {
    let names = NAMES.map(str::to_owned);
    parse(text, Vocabulary::Names(&names), kind)
}

fn named(name: &str) -> Value<'static> {
    match name {
        "value" => Value::Int(12),
        "name" => Value::from("conv".to_owned()),
        "flag" => Value::Flag(true),
        _ => Value::Null,
    }
}

const SCOPE: Scope<'_> = Scope { name: &named, call: &|_| Value::Null };

fn value(text: &str, kind: Kind) -> Result<Value<'static>, FormulaError> {
    formula(text, kind)?.value(&SCOPE)
}

fn holds(text: &str) -> bool {
    match value(text, Kind::Condition) {
        Ok(Value::Flag(holds)) => holds,
        other => panic!("{text}: {other:?}"),
    }
}

fn fails(text: &str, at: usize, message: &str) {
    let read = formula(text, Kind::Condition);
    let error = read.and_then(|formula| formula.holds(&SCOPE)).expect_err(text);
    assert_eq!(error.at, at, "{text}: {error:?}");
    assert!(error.message.contains(message), "{text}: {error:?}");
}

#[test]
fn numbers_are_computed_in_the_usual_order() {
    for (text, expected) in [
        ("1 + 2 * 3", 7.0),
        ("(1 + 2) * 3", 9.0),
        ("8 - 2 - 1", 5.0),
        ("16 / 4 / 2", 2.0),
        ("-value + 1_000", 988.0),
        ("- - 2", 2.0),
        ("1.5e3 - .5", 1499.5),
        ("1e-1*10", 1.0),
    ] {
        assert_eq!(value(text, Kind::Number), Ok(Value::Float(expected)), "{text}");
    }
    assert_eq!(value("value / 0", Kind::Number), Ok(Value::Null));
    assert_eq!(value("value + none", Kind::Number), Ok(Value::Null));
}

#[test]
fn conditions_hold_or_do_not() {
    for text in [
        "value > 5",
        "value >= 12 and value <= 12",
        "value = 12 or none = 1",
        "not value < 12",
        "value <> 3",
        "name = 'conv'",
        "name != \"relu\" and flag",
        "none is null and value is not null",
        "not (none > 1 or value < 1)",
        "value / 2 > 5 and value * 2 = 24",
    ] {
        assert!(holds(text), "{text}");
    }
    for text in ["none = none", "none < 1 or none >= 1", "value / 0 > 1", "value is null", "none != 3"] {
        assert!(!holds(text), "{text}: an empty cell makes every comparison false");
    }
    assert_eq!(value("none", Kind::Condition), Ok(Value::Null));
}

#[test]
fn mistakes_have_a_place() {
    fails("vale > 5", 1, "there is no `vale`");
    fails("value > 5 and valeu < 1", 15, "there is no `valeu`");
    fails("value", 1, "a condition expected, the number 12 found");
    fails("value >", 8, "expected at the end");
    fails("value > 5 5", 11, "`5` found");
    fails("(value > 5", 11, "`)` expected");
    fails("value + 1", 1, "a condition expected, a number found");
    fails("1 and 2", 1, "a condition expected, a number found");
    fails("not 'a'", 5, "a condition expected, a text found");
    fails("value > 'a", 9, "without an end");
    fails("value > 1x", 9, "`1x` is no number");
    fails("1 < 'a'", 1, "a number is compared with a text");
    fails("name > 5", 1, "the text 'conv' is compared with the number 5");
    fails("name * 2 > 5", 1, "a number expected, the text 'conv' found");
    fails("value is 5", 10, "`null` or `not null` expected");
    fails("max(value) > 1", 1, "no functions here");
    fails("value > and", 9, "`and` found");
    fails("ä > 1", 1, "there is no `ä`");
    fails("", 1, "expected at the end");
    fails(&"(".repeat(1000), 65, "nested deeper");
    fails(&format!("{}value > 1", "-".repeat(1000)), 65, "nested deeper");
    fails(&format!("1{} > 1", " + 1".repeat(1000)), 1027, "in a row");
    let near = value("valeu > 1", Kind::Condition).expect_err("a misspelt name");
    assert_eq!(near.hint.as_deref(), Some("did you mean `value`?"));
}

#[test]
fn functions_are_checked_against_the_columns() {
    let columns = Columns::from(definition("iterations").expect("a table"));
    let read = |text: &str| parse(text, Vocabulary::Functions(&columns), Kind::Number);
    for text in [
        "count()",
        "count(state) / count()",
        "percentile(duration_ns, 90) / median(duration_ns)",
        "100 * share(state = 'steady' and (duration_ns > 5 or duration_ns < 2))",
        "share(state = ')')",
    ] {
        assert!(read(text).is_ok(), "{text}: {:?}", read(text));
    }
    for (text, at, message) in [
        ("sum(duration_s)", 5, "has no column `duration_s`"),
        ("sum(state)", 5, "needs a column of numbers, `state` has texts"),
        ("1 + duration_ns", 5, "`duration_ns` is not a function"),
        ("avg(duration_ns)", 1, "there is no function `avg`"),
        ("percentile(duration_ns)", 12, "needs a column and a number"),
        ("percentile(duration_ns, 101)", 12, "`101` is no percentile"),
        ("share(state)", 7, "an operator expected at the end"),
        ("sum(duration_ns", 5, "`)` expected"),
        ("count() > 1", 1, "a number expected, a condition found"),
        ("sum()", 5, "`sum` needs a column"),
    ] {
        let error = read(text).expect_err(text);
        assert!(error.at == at && error.message.contains(message), "{text}: {error:?}");
    }
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    rules: ChangedRules,
    #[serde(default)]
    rule: Vec<OwnRuleTable>,
}

fn settings(texts: &[&str]) -> Result<RuleSettings, String> {
    let mut settings = RuleSettings::default();
    for text in texts {
        let file: File = toml::from_str(text).expect("a file");
        let source = SettingsText { path: Path::new("x.toml"), text };
        settings.add(&file.rules, &file.rule, &source).map_err(|error| match &error.hint {
            Some(hint) => format!("{error} ({hint})"),
            None => error.to_string(),
        })?;
    }
    Ok(settings)
}

#[test]
fn later_files_have_precedence_key_by_key() {
    let lower =
        "[rules.input_bound]\nenabled = false\ninput_percent = 30\n[rules.clocks]\nseverity = \"off\"\n";
    let higher = "[rules.input_bound]\nenabled = true\n[rules.clocks]\nseverity = \"error\"\n";
    let settings = settings(&[lower, higher]).expect("settings");
    let listed: Vec<_> = super::super::listed_rules(&settings).collect();
    let rule = |id: &str| listed.iter().find(|rule| rule.id == id).expect("a rule");
    assert!(!rule("input_bound").is_off && !rule("clocks").is_off);
    assert!((rule("input_bound").thresholds[0].value - 30.0).abs() < 1e-9);
    assert_eq!(rule("clocks").severity.as_str(), "error");
}

#[test]
fn mistakes_in_files_have_line_and_column() {
    let rule = |lines: &str| format!("[[rule]]\nid = \"mine\"\ntitle = \"t\"\nadvice = \"a\"\n{lines}");
    let table = "table = \"ops\"\nvalue = \"count()\"\n";
    for (text, start, hint) in [
        (
            "[rules.input_bund]\nenabled = true".to_owned(),
            "line 1, column 8: there is no rule `input_bund`",
            "`input_bound`",
        ),
        (
            "[rules.input_bound]\ninput_pct = 3".to_owned(),
            "line 2, column 1: rule `input_bound` has no `input_pct`",
            "`input_percent`",
        ),
        (
            "[rules.input_bound]\ninput_percent = \"3\"".to_owned(),
            "line 2, column 17: `input_percent` of rule `input_bound` is the text",
            "",
        ),
        (
            "[rules.input_bound]\nenabled = 1".to_owned(),
            "line 2, column 11: `enabled` of rule",
            "true or false",
        ),
        (
            "[rules.input_bound]\nseverity = \"eror\"".to_owned(),
            "line 2, column 12: `eror` is no severity",
            "`error`",
        ),
        (rule("when = \"value > 1\"\n"), "line 2, column 6: rule `mine` has neither `query` nor `table`", ""),
        (
            rule("when = \"value > 1\"\ntable = \"ops\"\n"),
            "line 6, column 9: rule `mine` has `table`, but no `value`",
            "",
        ),
        (
            rule("when = \"value > 1\"\ntable = \"opps\"\n"),
            "line 6, column 9: rule `mine`: there is no table `opps`",
            "`ops`",
        ),
        (
            rule(&format!("{table}when = \"vale > 1\"\n")),
            "line 7, column 8: `when` of rule `mine`, character 1: there is no `vale`",
            "`value`",
        ),
        (
            rule(&format!("{table}when = \"value > 1\"\nwhere = \"op > 1\"\n")),
            "line 8, column 9: `where` of rule `mine`: table `ops` has no column `op`",
            "",
        ),
        (
            rule(&format!("{table}when = \"value > 1\"\nquery = \"select 1\"\n")),
            "line 5, column 9: rule `mine` has both",
            "",
        ),
        (
            rule("when = \"value > 1\"\nquery = \"select 1\"\n"),
            "line 6, column 9: rule `mine` has a `query`, but",
            "`table` and `value`",
        ),
        (
            rule(&format!("{table}when = \"value > 1\"\nevidence = \"op_nam\"\n")),
            "line 8, column 12: `evidence`",
            "",
        ),
        (
            rule(&format!("{table}when = \"value > 1\"\n")).replace("mine", "clocks"),
            "line 2, column 6: `clocks` is the id of a built-in rule",
            "[rules.clocks]",
        ),
        (
            rule(&format!("{table}when = \"value > 1\"\n")).replace("mine", "a b"),
            "line 2, column 6: `a b` cannot be the id",
            "",
        ),
        (
            rule(&format!("{table}when = \"value > 1\"\n")).repeat(2),
            "line 9, column 6: two rules have the id `mine`",
            "",
        ),
    ] {
        let error = settings(&[&text]).expect_err(&text);
        assert!(error.starts_with(start) && error.contains(hint), "{text}: {error}");
    }
}
