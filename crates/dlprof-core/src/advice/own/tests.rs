//! Users' rules without a profile.

use super::super::settings::{ChangedRules, RuleSettings, SettingsText};
use super::OwnRuleTable;
use serde::Deserialize;
use std::path::Path;

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
            "line 2, column 12: `eror` is not a severity",
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
            "line 8, column 9: `where` of rule `mine`, character 1: table `ops` has no column `op`",
            "",
        ),
        (
            rule("table = \"ops\"\nvalue = \"max(gpu_time_ns)\"\nwhen = \"value > 5 GB\"\n"),
            "line 7, column 8: `when` of rule `mine`, character 9: `5 GB` does not fit `value`: it takes ns",
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
        (
            rule(&format!("{table}when = \"value > 1\"\n")).repeat(1001),
            "line 7002, column 6: there are 1001 rules; at most 1000 are read",
            "",
        ),
    ] {
        let error = settings(&[&text]).expect_err(&text);
        assert!(error.starts_with(start) && error.contains(hint), "{text}: {error}");
    }
}
