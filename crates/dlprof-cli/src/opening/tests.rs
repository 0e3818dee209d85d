use super::CaptureFile;
use crate::console::{Verbosity, recorded};
use crate::exit::Failure;
use crate::generated::{capture, capture_file, folder, settings};
use crate::settings::{Given, OptionValues, Settings, UsualFiles};
use dlprof_core::{Cache, DefaultRange, RowReader};
use dlprof_export::Inputs;
use std::path::Path;

/// Settings of a file with rules of a user.
fn with_rules(folder: &Path, text: &str) -> Settings {
    let config = folder.join("rules.toml");
    std::fs::write(&config, text).expect("a settings file");
    let given = Given {
        values: OptionValues { no_cache: Some(true), ..OptionValues::default() },
        config: Some(config),
        usual_files: UsualFiles::Ignored,
        reader: RowReader::Auto,
        verbosity: Verbosity::Stages,
        shows_progress: false,
    };
    Settings::new(given, DefaultRange::Auto).expect("settings")
}

#[test]
fn rules_of_a_user_are_applied_and_those_that_cannot_run_are_named() {
    let folder = folder();
    let rule = |id: &str, table: &str| {
        format!(
            "[[rule]]\nid = '{id}'\ntitle = 't'\nwhen = 'value > 0'\nadvice = 'a'\ntable = '{table}'\nvalue = 'count()'\n"
        )
    };
    let settings =
        with_rules(folder.path(), &format!("{}{}", rule("fires", "ops"), rule("idle", "gpu_metrics")));
    let file = CaptureFile::new(capture(folder.path(), "run.sqlite", ""), settings);
    let (judged, said) = recorded(|| file.open());
    let judged = judged.expect("a profile");
    assert!(judged.findings().iter().any(|finding| finding.id == "fires"));
    for line in
        ["read and correlate: ", "index: ", "profile: ", "own rules: ", "rule `idle` was not judged: "]
    {
        assert!(said.aside.lines().any(|said| said.starts_with(line)), "{line}: {}", said.aside);
    }
}

#[test]
fn a_rule_that_fails_ends_the_work_with_its_place() {
    let folder = folder();
    let text = "[[rule]]\nid = 'many'\ntitle = 't'\nwhen = 'n > 0'\nadvice = 'a'\nquery = 'select calls as n from ops'\n";
    let file = CaptureFile::new(capture(folder.path(), "run.sqlite", ""), with_rules(folder.path(), text));
    match recorded(|| file.open()).0 {
        Err(Failure::Settings { message, .. }) => {
            assert!(message.contains("line 6") && message.contains("one row is needed"), "{message}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn stages_say_where_their_results_are_from() {
    let folder = folder();
    let mut file = capture_file(folder.path());
    file.settings.verbosity = Verbosity::Stages;
    file.settings.cache = Some(Cache::new(folder.path().join("kept"), Cache::LIMIT_BYTES).keeping_from(0));
    let stages = || {
        let (judged, said) = recorded(|| file.open());
        judged.expect("a profile");
        said.aside
            .lines()
            .filter_map(|line| line.split_once(": "))
            .map(|(stage, _)| stage.to_owned())
            .collect()
    };
    let first: Vec<String> = stages();
    let second: Vec<String> = stages();
    assert_eq!(first, ["read and correlate, and keep the capture", "index, and keep it", "profile"]);
    assert_eq!(second, ["read the capture from the cache", "read the index from the cache", "profile"]);
}

#[test]
fn records_are_read_without_ops() {
    let folder = folder();
    let file = capture_file(folder.path());
    let capture = file.records().expect("a capture");
    assert!(capture.counts().kernels > 0);
    assert_eq!(file.stem().as_deref(), Some("run"));
}

#[test]
fn a_report_needs_a_program_that_exports_it() {
    let folder = folder();
    let report = folder.path().join("run.nsys-rep");
    std::fs::write(&report, "a report").expect("a report");
    let no_program = Settings { nsys: Some(folder.path().join("no-nsys")), ..settings() };
    let file = CaptureFile::new(report, no_program);
    match file.open() {
        Err(Failure::Usage { message, .. }) => assert!(message.contains("which `--nsys` names"), "{message}"),
        other => panic!("{other:?}"),
    }
    let export = capture(folder.path(), "mine.sqlite", "");
    file.use_export(&export, false, &Inputs::default()).expect("an export that exists needs no program");
    file.open().expect("the export is read");
    let export = capture_file(folder.path());
    assert!(matches!(export.use_export(&export.path, false, &Inputs::default()), Err(Failure::Usage { .. })));
}
