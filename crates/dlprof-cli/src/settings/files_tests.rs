use super::super::mistakes::names;
use super::super::values::OptionValues;
use super::{LocalSettings, Origin, SettingsFile, SettingsFiles};
use dlprof_core::{RankThresholds, Thresholds};
use std::collections::BTreeSet;

pub(in super::super) const PAGE: &str = include_str!("../../../../docs/settings.md");

fn file(origin: Origin, path: &str, text: &str) -> SettingsFile {
    SettingsFile { origin, path: path.into(), text: text.to_owned() }
}

fn read(higher: &str, lower: &str) -> SettingsFiles {
    let files = vec![file(Origin::Given, "high.toml", higher), file(Origin::User, "low.toml", lower)];
    SettingsFiles::of_files(files).expect("settings")
}

#[test]
fn what_the_file_of_the_working_folder_does_is_told() {
    let rule = |id: &str| {
        format!(
            "[[rule]]\nid = '{id}'\ntitle = 't'\nadvice = 'a'\nwhen = 'value > 1'\ntable = 'ops'\nvalue = 'count()'\n"
        )
    };
    let read = |local: &str, user: &str| {
        let files = vec![file(Origin::WorkingFolder, "l.toml", local), file(Origin::User, "u.toml", user)];
        SettingsFiles::of_files(files)
    };
    let local = |text: &str| read(text, &rule("of_user")).expect("settings").local;
    assert_eq!(local("# nothing\n"), None);
    let told = |keys: &[&str], replaced: &[&str]| {
        let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let keys = own(keys).into_iter().collect();
        Some(LocalSettings { path: "l.toml".into(), keys, replaced: own(replaced) })
    };
    assert_eq!(local("iter-start = 3\n"), told(&["iter-start"], &[]));
    let own = rule("of_folder");
    let keys = ["rule.advice", "rule.id", "rule.table", "rule.title", "rule.value", "rule.when"];
    assert_eq!(local(&own), told(&keys, &["of_user"]));
    for wrong in ["nsys = 'nsys'", "[rules.of_user]\nenabled = false", "ncu = ['a.csv']"] {
        assert!(read(wrong, &rule("of_user")).is_err(), "{wrong}");
        assert!(read("", &format!("{wrong}\n{}", rule("of_user"))).is_ok(), "{wrong}");
    }
    assert!(read("", "nsys = 'tools/nsys'").is_err(), "it depends on the working folder");
}

#[test]
fn keys_are_merged_and_lists_are_replaced() {
    let lower = "threads = 3\nmemory = '1G'\n[thresholds]\nlong_gap_ns = 7\nsubmit_ns = 8\n[kernels]\n\
                 communication = ['a', 'b']\ndata_loading = ['c']\n";
    let higher = "threads = 4\n[thresholds]\nlong_gap_ns = 9\n[kernels]\ncommunication = ['d']\n";
    let options = read(higher, lower).values;
    assert_eq!((options.threads, options.memory.map(|memory| memory.0)), (Some(4), Some(1 << 30)));
    assert_eq!((options.thresholds.long_gap_ns, options.thresholds.submit_ns), (9, 8));
    assert_eq!((options.kernels.communication.len(), options.kernels.data_loading.len()), (1, 1));
}

/// The keys of a section, from the parser itself: it lists them if one is unknown.
pub(in super::super) fn keys(section: &str) -> BTreeSet<String> {
    let text = format!("{section}\nno_such_key = 1\n");
    let error = toml::from_str::<OptionValues>(&text).expect_err("an unknown key");
    let list = error.message().split_once("expected").expect("a list of keys").1;
    names(list).into_iter().map(str::to_owned).collect()
}

/// The part of the page about a section.
pub(in super::super) fn part(heading: &str) -> &'static str {
    let start = PAGE.find(heading).unwrap_or_else(|| panic!("no heading {heading}"));
    let rest = &PAGE[start + heading.len()..];
    &rest[..rest.find("\n## ").unwrap_or(rest.len())]
}

/// The cells of the rows of the table of a part, without backticks.
pub(in super::super) fn rows(heading: &str) -> Vec<Vec<String>> {
    let rows = part(heading).lines().filter(|line| line.starts_with("| `"));
    let cells = |row: &str| {
        row.trim_matches('|').split(" | ").map(|cell| cell.trim().trim_matches('`').to_owned()).collect()
    };
    rows.map(cells).collect()
}

#[test]
fn every_key_is_in_the_docs() {
    let tables = ["gpus", "thresholds", "kernels", "ranks", "rules", "rule"];
    for (section, heading) in [
        ("", "## Options"),
        ("[thresholds]", "## `[thresholds]`"),
        ("[kernels]", "## `[kernels]`"),
        ("[ranks]", "## `[ranks]`"),
        ("[gpus.X]", "## `[gpus.NAME]`"),
        ("[[rule]]", "## `[[rule]]`"),
    ] {
        let mut known = keys(section);
        if section.is_empty() {
            assert!(tables.iter().all(|table| known.remove(*table)), "{known:?}");
        }
        let described: BTreeSet<String> = rows(heading).into_iter().map(|row| row[0].clone()).collect();
        assert_eq!(described, known, "docs/settings.md, {heading}");
        for row in rows(heading) {
            assert!(row.len() == 5 && row.iter().all(|cell| !cell.is_empty()), "{row:?}");
        }
    }
}

#[test]
fn the_examples_of_the_docs_can_be_used_and_have_every_key() {
    for (heading, has_all) in [
        ("## Options", true),
        ("## `[thresholds]`", true),
        ("## `[kernels]`", true),
        ("## `[ranks]`", true),
        ("## `[gpus.NAME]`", true),
        ("## `[rules.ID]`", false),
    ] {
        let example = part(heading).split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
        let example = example.unwrap_or_else(|| panic!("no example below {heading}"));
        read(example, "");
        for row in rows(heading) {
            let line = format!("\n{} = {}\n", row[0], row[4]);
            assert!(!has_all || format!("\n{example}").contains(&line), "{heading}: {line}");
        }
    }
}

#[test]
fn the_defaults_of_the_docs_are_those_of_the_program() {
    let Thresholds {
        issue_gap_ns,
        turnaround_ns,
        submit_ns,
        slow_call_ns,
        long_gap_ns,
        long_wait_ns,
        waiting_ns,
        short_kernel_ns,
    } = Thresholds::default();
    let defaults = [
        ("issue_gap_ns", issue_gap_ns),
        ("turnaround_ns", turnaround_ns),
        ("submit_ns", submit_ns),
        ("slow_call_ns", slow_call_ns),
        ("long_gap_ns", long_gap_ns),
        ("long_wait_ns", long_wait_ns),
        ("waiting_ns", waiting_ns),
        ("short_kernel_ns", short_kernel_ns),
    ];
    let described: Vec<(String, i64)> = rows("## `[thresholds]`")
        .into_iter()
        .map(|row| (row[0].clone(), row[3].replace('_', "").parse().expect("a number")))
        .collect();
    assert_eq!(described, defaults.map(|(key, value)| (key.to_owned(), value)));
}

#[test]
fn the_defaults_of_jobs_are_those_of_the_docs() {
    let lines: Vec<String> =
        rows("## `[ranks]`").iter().map(|row| format!("{} = {}\n", row[0], row[3])).collect();
    let described: RankThresholds = toml::from_str(&lines.concat()).expect("thresholds");
    assert_eq!(described, RankThresholds::default());
    for wrong in ["z = -1", "z = nan", "match_ns = -5", "queued_ns = 5"] {
        assert!(toml::from_str::<RankThresholds>(wrong).is_err(), "{wrong}");
    }
}
