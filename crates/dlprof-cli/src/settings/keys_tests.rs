use super::super::files::tests::{PAGE, keys, part, rows};
use super::{ANY, DECLARED, Power, check_local, power};
use std::collections::BTreeSet;

/// Sections and how a key stands in them; what is known there is asked of the parser.
const SECTIONS: [(&str, &str); 6] = [
    ("", ""),
    ("thresholds", "[thresholds]"),
    ("kernels", "[kernels]"),
    ("ranks", "[ranks]"),
    ("gpus", "[gpus.X]"),
    ("rule", "[[rule]]"),
];

const TABLES: [&str; 6] = ["gpus", "thresholds", "kernels", "ranks", "rules", "rule"];

/// All keys that the program reads, by section. Those of `[rules.ID]` besides thresholds are in the docs alone.
fn known() -> BTreeSet<(String, String)> {
    let mut known = BTreeSet::new();
    for (section, heading) in SECTIONS {
        let keys =
            keys(heading).into_iter().filter(|key| !section.is_empty() || !TABLES.contains(&key.as_str()));
        known.extend(keys.map(|key| (section.to_owned(), key)));
    }
    let of_rules = rows("## `[rules.ID]`").into_iter().map(|row| row[0].clone());
    known.extend(of_rules.chain([ANY.to_owned()]).map(|key| ("rules".to_owned(), key)));
    known
}

fn declared() -> impl Iterator<Item = (&'static str, Power, &'static str)> {
    DECLARED.iter().flat_map(|&(section, power, keys)| keys.iter().map(move |&key| (section, power, key)))
}

#[test]
fn every_key_is_declared_once() {
    let once: BTreeSet<(String, String)> =
        declared().map(|(section, _, key)| (section.to_owned(), key.to_owned())).collect();
    assert_eq!(once.len(), declared().count(), "a key is declared twice");
    assert_eq!(once, known());
}

#[test]
fn only_what_changes_figures_and_looks_may_stand_in_a_working_folder() {
    for (section, power, key) in declared() {
        let key = if key == ANY { "share" } else { key };
        let text = match section {
            "" => format!("{key} = 1\n"),
            "rule" => format!("[[rule]]\n{key} = 1\n"),
            "gpus" | "rules" => format!("[{section}.x]\n{key} = 1\n"),
            _ => format!("[{section}]\n{key} = 1\n"),
        };
        let checked = check_local(&text, "ELSEWHERE");
        if matches!(power, Power::ChangesFigures | Power::ChangesLooks) {
            assert_eq!(checked.map(|names| names.len()), Ok(1), "{text}");
            continue;
        }
        let mistake = checked.expect_err(&text);
        assert!(mistake.message.contains(key) && mistake.message.contains(power.words()), "{mistake:?}");
        assert!(mistake.message.starts_with("line "), "{mistake:?}");
        assert!(mistake.hint.is_some_and(|hint| hint.contains("ELSEWHERE")), "{text}");
    }
}

#[test]
fn other_ways_to_write_a_key_are_the_same_key() {
    for text in [
        "rules.clocks.enabled = false",
        "rules = { clocks = { severity = 'off' } }",
        "rule = [{ id = 'x', query = 'select 1' }]",
        "'nsys' = './evil.sh'",
        "\"ns\\u0079s\" = './evil.sh'",
        "ncu = []",
        "iter-start = 1\n[kernels]\ncommunication = ['a']\n[rules.clocks]\nenabled = true",
        "[kernels]\nlater = 'what'",
        "later = 'what'",
    ] {
        assert!(check_local(text, "").is_err(), "{text}");
    }
    let names = check_local("rules.clocks.drift_percent = 3\n[[rule]]\nid = 'x'\n[[rule]]\nid = 'y'\n", "");
    assert_eq!(names, Ok(["rule.id", "rules.clocks.drift_percent"].map(str::to_owned).into()));
    assert_eq!(power("kernels", "later"), None);
}

#[test]
fn the_docs_say_what_each_key_can_do() {
    let heading = "## What a key can do";
    assert!(PAGE.contains(heading));
    let told: BTreeSet<(String, String)> = part(heading)
        .lines()
        .filter(|line| line.starts_with("| ") && line.contains('`'))
        .flat_map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
            let [section, does, place, keys] = cells.as_slice() else { panic!("{line}") };
            let may_stay = *place == "yes";
            let section = section.trim_matches('`').to_owned();
            let does = does.to_string();
            assert_eq!(
                may_stay,
                does == Power::ChangesFigures.words() || does == Power::ChangesLooks.words(),
                "{line}"
            );
            let keys: Vec<(String, String)> = keys
                .split(", ")
                .map(|key| (format!("{section}: {}", key.trim_matches('`')), does.clone()))
                .collect();
            keys
        })
        .collect();
    let wanted: BTreeSet<(String, String)> = declared()
        .map(|(section, power, key)| {
            let section = match section {
                "" => "options".to_owned(),
                "rule" => "[[rule]]".to_owned(),
                "gpus" => "[gpus.NAME]".to_owned(),
                "rules" => "[rules.ID]".to_owned(),
                other => format!("[{other}]"),
            };
            let key = if key == ANY { "every threshold" } else { key };
            (format!("{section}: {key}"), power.words().to_owned())
        })
        .collect();
    assert_eq!(told, wanted);
}
