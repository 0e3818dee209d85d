//! `rules`, `--fail-on`, and what settings files say about rules.

use crate::run::{Run, command, run, sample, temporary_folder};
use std::path::Path;
use std::process::Output;

/// A rule that fires on the sample: its slowest steady iteration takes longer than the median.
const SPREAD: &str = r#"
[[rule]]
id = "spread"
title = "The slowest steps take {value:.2f} times the median, {{not}} less"
severity = "error"
table = "iterations"
where = "state = 'steady'"
value = "max(duration_ns) / median(duration_ns)"
when = "value > 1"
saving = "0.5 * sum(duration_ns)"
advice = "Look at the slowest steps."
"#;

fn with_settings(words: &str, settings: &str) -> Run {
    let folder = temporary_folder();
    let file = folder.path().join("settings.toml");
    std::fs::write(&file, settings).expect("a file");
    run(&format!("{words} --config"), &[&file, &sample()])
}

fn wrong(settings: &str, parts: &[&str]) {
    let failed = with_settings("rules", settings);
    assert_eq!((failed.code, failed.stdout.as_str()), (2, ""), "{settings}: {failed:?}");
    assert!(failed.stderr.starts_with("error: cannot use settings file `"), "{failed:?}");
    assert!(failed.stderr.contains("settings.toml`: "), "{failed:?}");
    for part in parts {
        assert!(failed.stderr.contains(part), "`{part}` in {}", failed.stderr);
    }
}

/// The lines of a rule in a list.
fn line<'a>(list: &'a str, id: &str) -> &'a str {
    let is_of_rule = |line: &&str| line.split_whitespace().nth(1) == Some(id);
    list.lines().find(is_of_rule).unwrap_or_else(|| panic!("{id}: {list}"))
}

/// The rules below a title.
fn section<'a>(list: &'a str, title: &str) -> &'a str {
    let behind = list.split_once(&format!("\n{title}\n")).unwrap_or_else(|| panic!("{title}: {list}")).1;
    behind.split("\n\n").next().unwrap_or_default()
}

#[test]
fn rules_are_listed_without_a_capture() {
    let list = run("rules", &[]);
    assert_eq!((list.code, list.stderr.as_str()), (0, ""), "{list:?}");
    assert!(line(&list.stdout, "input_bound").contains("warning"), "{list:?}");
    assert!(list.stdout.contains(" input_percent = 10\n"), "{list:?}");
    let json = run("rules --format json", &[]);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
    let rules = json["rules"].as_array().expect("a list");
    assert!(rules.iter().all(|rule| rule["title"].as_str().is_some_and(|title| !title.is_empty())), "{json}");
    let markdown = run("rules --format markdown", &[]);
    assert!(markdown.stdout.contains("| input\\_bound | warning | input\\_percent = 10 |"), "{markdown:?}");
    for words in ["rules --format junit", "rules --format sarif", "rules --fail-on note", "rules -o x.xml"] {
        let failed = run(words, &[]);
        assert!(failed.code == 2 && failed.stderr.contains("dlprof-agg rules FILE"), "{failed:?}");
    }
}

#[test]
fn fail_on_decides_the_exit_code() {
    for (words, code) in [("", 0), ("--fail-on error", 0), ("--fail-on warning", 1), ("--fail-on note", 1)] {
        let dashboard = run(words, &[&sample()]);
        assert_eq!(dashboard.code, code, "{words}: {dashboard:?}");
        assert!(dashboard.stdout.contains("What to change"), "{dashboard:?}");
        assert_eq!(run(&format!("rules {words}"), &[&sample()]).code, code, "{words}");
    }
    let raised = "[rules.sync_in_step]\nseverity = \"error\"\n";
    assert_eq!(with_settings("--fail-on error", raised).code, 1);
    let old = run("--fail-on error --reports summary", &[&sample()]);
    assert_eq!(old.code, 2, "DLProf's reports have no severities: {old:?}");
}

#[test]
fn rules_are_silenced_raised_and_tuned() {
    let settings = "[rules.sync_in_step]\nseverity = \"error\"\n[rules.tiny_kernels]\nenabled = false\n\
                    [rules.pageable_copies]\nseverity = \"off\"\n[rules.launch_bound]\ncpu_in_short_gaps_percent = 1\n";
    let plain = run("rules", &[&sample()]).stdout;
    assert!(
        section(&plain, "Found").contains("tiny_kernels")
            && section(&plain, "Found").contains("pageable_copies")
    );
    assert!(section(&plain, "Silent").contains("launch_bound"), "{plain}");
    let list = with_settings("rules", settings).stdout;
    assert!(line(section(&list, "Found"), "sync_in_step").contains(" error "), "{list}");
    assert!(line(section(&list, "Found"), "launch_bound").contains(" warning "), "{list}");
    assert!(list.contains("cpu_in_short_gaps_percent = 1 (default 10)"), "{list}");
    let off = section(&list, "Off");
    assert!(
        off.contains("tiny_kernels") && off.contains("pageable_copies") && !off.contains("sync_in_step"),
        "{off}"
    );
    let findings = with_settings("show findings --columns finding_id,severity --format csv", settings).stdout;
    assert!(
        findings.starts_with("finding_id,severity\nsync_in_step,error\n"),
        "errors come first: {findings}"
    );
    assert!(!findings.contains("tiny_kernels"), "{findings}");
}

#[test]
fn own_rules_of_tables_are_ranked_with_the_others() {
    let list = with_settings("rules", SPREAD).stdout;
    assert!(line(section(&list, "Found"), "spread").contains("times the median, {not}"), "{list}");
    let columns = "--columns finding_id,severity,recommendation,saving_kind,evidence,command --format ndjson";
    let shown = with_settings(&format!("show findings {columns}"), SPREAD);
    let first = shown.stdout.lines().next().expect("a finding");
    let first: serde_json::Value = serde_json::from_str(first).expect("JSON");
    assert_eq!((first["finding_id"].as_str(), first["severity"].as_str()), (Some("spread"), Some("error")));
    assert_eq!(first["saving_kind"], "expected");
    assert!(first["evidence"][0]["table"] == "iterations", "{first}");
    let show = first["command"].as_str().expect("a command");
    assert!(show.starts_with("dlprof-agg show iterations --where \"state = 'steady'\""), "{show}");
    assert_eq!(with_settings("--fail-on error", SPREAD).code, 1);
    let dashboard = with_settings("", SPREAD).stdout;
    assert!(dashboard.contains("The slowest steps take 1."), "{dashboard}");
    let silent = with_settings("rules", &SPREAD.replace("value > 1", "value > 100")).stdout;
    assert!(section(&silent, "Silent").contains("spread"), "{silent}");
    let off = format!("{SPREAD}[rules.spread]\nenabled = false\n");
    assert!(section(&with_settings("rules", &off).stdout, "Off").contains("spread"));
}

/// A rule about findings sees those of the built-in rules.
#[test]
fn own_rules_may_read_findings() {
    let rule = "[[rule]]\nid = \"many\"\ntitle = \"{value} findings\"\ntable = \"findings\"\nvalue = \"count()\"\n\
                when = \"value > 2\"\nadvice = \"Begin with the first.\"\n";
    let list = with_settings("rules", rule).stdout;
    let others = section(&list, "Found").lines().filter(|line| !line.starts_with("   ")).count() - 1;
    assert!(line(&list, "many").contains(&format!("{others} findings. Begin")), "{list}");
}

#[test]
fn a_table_without_rows_is_no_error() {
    let rule = "[[rule]]\nid = \"counters\"\ntitle = \"none\"\ntable = \"gpu_metrics\"\nvalue = \"count()\"\n\
                when = \"value = 0\"\nadvice = \"a\"\n";
    let reason = "table `gpu_metrics` has no rows in this capture";
    let list = with_settings("rules -v --fail-on error", rule);
    assert_eq!(list.code, 0, "{list:?}");
    assert!(list.stderr.contains(&format!("rule `counters` was not judged: {reason}")), "{list:?}");
    assert!(section(&list.stdout, "Not judged").contains(reason), "{list:?}");
    assert!(!with_settings("rules", rule).stderr.contains("did not run"));
}

#[test]
fn mistakes_are_met_with_line_column_and_advice() {
    let rule = |from: &str, to: &str| SPREAD.replace(from, to);
    wrong(
        "[rules.sync_in_stp]\nenabled = true\n",
        &["line 1, column 8", "no rule `sync_in_stp`", "`sync_in_step`"],
    );
    wrong(
        "[rules.clocks]\ndrift = 3\n",
        &["line 2, column 1", "rule `clocks` has no `drift`", "expected `enabled`"],
    );
    wrong(
        "[rules.clocks]\nenabled = \"no\"\n",
        &["line 2, column 11", "the text \"no\"", "expected true or false"],
    );
    wrong("[rules.clocks]\nseverity = \"eror\"\n", &["line 2, column 12", "did you mean `error`?"]);
    wrong("[rules]\nclocks = 3\n", &["line 2, column 10", "expected a table"]);
    wrong(&rule("advice", "advise"), &["line 11, column 1", "there is no key `advise`"]);
    wrong(
        &rule("when = \"value > 1\"", "when = \"value > 1 and vale < 3\""),
        &[
            "line 9, column 8: `when` of rule `spread`, character 15: there is no `vale`",
            "\n    value > 1 and vale < 3\n                  ^\n",
            "hint: did you mean `value`?",
        ],
    );
    wrong(
        &rule("max(duration_ns)", "max(duratoin_ns)"),
        &["line 8, column 9: `value`", "character 5", "duration_ns"],
    );
    wrong(
        &rule("state = 'steady'", "state ="),
        &["line 7, column 9: `where` of rule `spread`", "at the end"],
    );
    wrong(
        &rule("{value:.2f}", "{value:2}"),
        &["line 4, column 9: `title`", "`:2` is not a form of a number"],
    );
    wrong(&rule("\"spread\"", "\"clocks\""), &["line 3, column 6", "id of a built-in rule"]);
    wrong(&format!("{SPREAD}{SPREAD}"), &["line 14, column 6", "two rules have the id `spread`"]);
}

/// Runs the program in a folder, with a folder for the user's configuration.
fn run_in(folder: &Path, words: &str) -> Run {
    let mut command = command(&folder.join("cache"), words, &[&sample()]);
    let Output { status, stdout, stderr } = command
        .current_dir(folder)
        .env("XDG_CONFIG_HOME", folder.join("user"))
        .output()
        .expect("the program starts");
    Run {
        code: status.code().expect("the program ends by itself"),
        stdout: String::from_utf8(stdout).expect("UTF-8"),
        stderr: String::from_utf8(stderr).expect("UTF-8"),
    }
}

#[test]
fn files_have_an_order_of_precedence() {
    let folder = temporary_folder();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    };
    write("user/dlprof-agg/config.toml", "[rules.clocks]\nseverity = \"error\"\ndrift_percent = 11\n");
    let json = |words: &str| {
        let run = run_in(folder.path(), &format!("rules --format json {words}"));
        let json: serde_json::Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run:?}"));
        let rules = json["rules"].as_array().expect("a list").clone();
        let clocks = rules.into_iter().find(|rule| rule["id"] == "clocks").expect("a rule");
        (clocks["severity"].as_str().map(str::to_owned), clocks["thresholds"][0]["value"].as_f64())
    };
    assert_eq!(json(""), (Some("error".into()), Some(11.0)));
    write("dlprof-agg.toml", "[rules.clocks]\ndrift_percent = 12\n");
    assert_eq!(
        json(""),
        (Some("error".into()), Some(12.0)),
        "the lower file holds where the higher is silent"
    );
    write("given.toml", "iter-stop = 20\n[rules.clocks]\nseverity = \"note\"\n");
    assert_eq!(json("--config given.toml"), (Some("note".into()), Some(12.0)));
    let verbose = run_in(folder.path(), "-v --config given.toml").stderr;
    let first = verbose.lines().next().unwrap_or_default();
    assert!(first.starts_with("settings files read: `given.toml`, `dlprof-agg.toml`, `"), "{verbose}");
    assert!(first.ends_with("config.toml`, the first has precedence"), "{verbose}");
    assert_eq!(
        run_in(folder.path(), "-v --config dlprof-agg.toml").stderr.matches("`dlprof-agg.toml`").count(),
        1
    );
    write("user/dlprof-agg/config.toml", "[rules.clocks]\nseverity = 3\n");
    let failed = run_in(folder.path(), "rules");
    assert_eq!(failed.code, 2, "{failed:?}");
    assert!(failed.stderr.contains("config.toml`: line 2, column 12"), "{failed:?}");
    assert_eq!(
        json("--no-config --config given.toml"),
        (Some("note".into()), Some(15.0)),
        "only that of the command line"
    );
}

#[test]
fn findings_are_written_in_the_formats_of_ci_systems() {
    let folder = temporary_folder();
    let path = |name: &str| folder.path().join(name);
    let words = format!(
        "rules --fail-on warning --format github -o {} -o {} -o {} -o {}",
        path("r.xml").display(),
        path("r.sarif").display(),
        path("r.md").display(),
        path("r.json").display()
    );
    let written = run(&words, &[&sample()]);
    assert_eq!(written.code, 1, "{written:?}");
    assert!(written.stdout.starts_with("dlprof-agg rules: FAIL (fails on warning): "), "{written:?}");
    assert!(written.stdout.contains("\n::warning title=dlprof-agg sync_in_step::"), "{written:?}");
    assert!(written.stdout.contains("\n::notice title=dlprof-agg tiny_kernels::"), "{written:?}");
    let read = |name: &str| std::fs::read_to_string(path(name)).expect("a file");
    assert!(read("r.xml").contains("<testcase name=\"sync_in_step\" classname=\"dlprof-agg.rules\">"));
    assert!(read("r.xml").contains("<failure message="), "{}", read("r.xml"));
    assert!(read("r.md").starts_with("### ❌ dlprof-agg rules: "));
    let sarif: serde_json::Value = serde_json::from_str(&read("r.sarif")).expect("JSON");
    let results = sarif["runs"][0]["results"].as_array().expect("a list");
    let rules = sarif["runs"][0]["tool"]["driver"]["rules"].as_array().expect("a list");
    assert!(results.iter().all(|result| rules.iter().any(|rule| rule["id"] == result["ruleId"])), "{sarif}");
    let json: serde_json::Value = serde_json::from_str(&read("r.json")).expect("JSON");
    assert_eq!((json["failed"].as_bool(), json["fail_on"].as_str()), (Some(true), Some("warning")));
    assert_eq!(json["findings"].as_array().map(Vec::len), Some(results.len()));
    let again = run(&words, &[&sample()]);
    assert!(again.code == 4 && again.stdout.is_empty(), "files are not overwritten: {again:?}");
}

#[test]
fn explain_says_how_a_rule_decides() {
    let found = run("explain launch_bound", &[]);
    assert!(found.stdout.contains("launch_bound (rule)\n"), "{found:?}");
    assert!(found.stdout.contains("  threshold   cpu_in_short_gaps_percent (default 10): "), "{found:?}");
    assert!(
        found.stdout.contains("  severity    warning\n") && found.stdout.contains("  link        https://")
    );
    let failed = run("explain lanch_bound", &[]);
    assert!(failed.code == 2 && failed.stderr.contains("did you mean `launch_bound`"), "{failed:?}");
}
