//! Users' rules without a profile.

use super::super::judge;
use super::super::settings::{ChangedRules, RuleSettings, SettingsText};
use super::{OwnRuleTable, QueryAnswer, QueryColumns, QueryEngine, QueryTime};
use crate::base::limits::OWN_RULE_SECONDS;
use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
use crate::tables::Value;
use crate::tests::drawn::Drawn;
use serde::Deserialize;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    rules: ChangedRules,
    #[serde(default)]
    rule: Vec<OwnRuleTable>,
}

fn settings(texts: &[&str]) -> Result<RuleSettings, String> {
    settings_with(None, texts)
}

fn settings_with(engine: Option<QueryEngine>, texts: &[&str]) -> Result<RuleSettings, String> {
    let mut settings = RuleSettings::with_engine(engine);
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

/// The queries of all rules of a run share one time, and none is asked when it is over.
#[test]
fn queries_of_a_run_share_their_time() {
    static GIVEN: Mutex<Vec<Duration>> = Mutex::new(Vec::new());
    let engine = QueryEngine {
        check: |_| Ok(QueryColumns { columns: vec!["n".into()], tables: vec!["ops"] }),
        answer: |_, _, time| {
            GIVEN.lock().expect("times").push(time);
            std::thread::sleep(Duration::from_millis(1));
            Ok(QueryAnswer { rows: vec![vec![Value::Int(1)]], empty_tables: Vec::new() })
        },
    };
    let rule = |id: &str| {
        format!("[[rule]]\nid = \"{id}\"\ntitle = \"t\"\nadvice = \"a\"\nquery = \"q\"\nwhen = \"n = 0\"\n")
    };
    let text = ["one", "two", "three"].map(rule).concat();
    let settings = settings_with(Some(engine), &[&text]).expect("settings");
    let mut drawn = Drawn::new();
    drawn.launch(10..20, "k", 30..40);
    let index = drawn.capture().index(&KeyNodeChoice::None).expect("an index");
    let profile = index.profile(&RangeChoice::default()).expect("a profile");

    for _capture in 0..2 {
        assert_eq!(judge(&profile, &settings.clone()).own_failures().count(), 0);
    }
    assert_eq!(judge(&profile, &settings.anew()).own_failures().count(), 0);
    let given = std::mem::take(&mut *GIVEN.lock().expect("times"));
    let all = Duration::from_secs(OWN_RULE_SECONDS.most as u64);
    assert_eq!([given[0], given[6]], [all, all], "{given:?}");
    assert!(given[..6].is_sorted_by(|a, b| a > b) && given[6..].is_sorted_by(|a, b| a > b), "{given:?}");

    let over = RuleSettings { query_time: QueryTime::of(Duration::from_micros(500)), ..settings };
    let judged = judge(&profile, &over);
    let failures: Vec<String> = judged.own_failures().map(|(_, error)| error.to_string()).collect();
    assert_eq!((failures.len(), GIVEN.lock().expect("times").len()), (2, 1), "{failures:?}");
    assert!(failures[0].contains("more than the 10 s that they have together"), "{failures:?}");
}
