//! `Capture::open`: from a file to a judged profile, with and without a cache.

use crate::kept::{content, folder, sample};
use dlprof_core::{
    Cache, Capture, Error, Judged, KeyNodeChoice, OpenOptions, Origin, RangeChoice, ReadOptions,
    RuleSettings, RuleState, SettingsText, Stage, StageEvent,
};
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// What is asked for here.
fn asked() -> OpenOptions<'static> {
    OpenOptions { range: RangeChoice::from(2..=6), ..OpenOptions::default() }
}

/// Opens a capture, and says which stages ran and where their results are from.
fn opened(file: &Path, cache: Option<&Cache>) -> (Judged, Vec<(Stage, Origin)>) {
    opened_with(file, cache, RuleSettings::default())
}

fn opened_with(file: &Path, cache: Option<&Cache>, rules: RuleSettings) -> (Judged, Vec<(Stage, Origin)>) {
    let stages = RefCell::new(Vec::new());
    let on_stage = |stage, event| {
        if let StageEvent::Ended(origin) = event {
            stages.borrow_mut().push((stage, origin));
        }
        ControlFlow::Continue(())
    };
    let options = OpenOptions { rules, on_stage: Some(&on_stage), ..asked() };
    let profile = Capture::open(file, &options, cache).expect("a profile");
    (profile, stages.into_inner())
}

#[test]
fn the_second_time_everything_is_kept() {
    let folder = folder();
    let file = sample(folder.path(), "a.sqlite", "--style markers --processes 2 --gpus 2");
    let cache = Cache::new(folder.path().join("cache"), Cache::LIMIT_BYTES).keeping_from(0);
    let step_by_step = {
        let capture = Capture::read(&file, &ReadOptions::default()).expect("a capture");
        let index = capture.index(&KeyNodeChoice::Find).expect("an index");
        content(&index.profile(&RangeChoice::from(2..=6)).expect("a profile"))
    };
    for (cache, [read, index]) in [
        (None, [Origin::Made; 2]),
        (Some(&cache), [Origin::MadeAndKept; 2]),
        (Some(&cache), [Origin::Kept; 2]),
    ] {
        let (profile, stages) = opened(&file, cache);
        assert_eq!(stages, [(Stage::Read, read), (Stage::Index, index), (Stage::Aggregate, Origin::Made)]);
        assert!(content(&profile) == step_by_step, "{stages:?}");
        if let Some(cache) = cache {
            asked().keep_figures(&profile, cache);
        }
    }
    let endings = |ending: &str| {
        let files = std::fs::read_dir(cache.folder()).expect("the cache").flatten();
        files.filter(|file| file.path().extension().is_some_and(|found| found == ending)).count()
    };
    assert_eq!(["capture", "index", "figures"].map(endings), [1; 3]);
}

#[test]
fn small_exports_are_not_kept() {
    let folder = folder();
    let file = sample(folder.path(), "a.sqlite", "--style markers");
    let cache = Cache::new(folder.path().join("cache"), Cache::LIMIT_BYTES);
    let (profile, stages) = opened(&file, Some(&cache));
    asked().keep_figures(&profile, &cache);
    assert_eq!(stages[0], (Stage::Read, Origin::Made));
    assert!(!cache.folder().exists());
}

/// Rules of a user, as a settings file has them.
fn own_rules(text: &str) -> RuleSettings {
    #[derive(serde::Deserialize)]
    struct OfFile {
        rule: Vec<dlprof_core::OwnRuleTable>,
    }
    let file: OfFile = toml::from_str(text).expect("a settings file");
    let mut rules = RuleSettings::default();
    let source = SettingsText { path: "rules.toml".as_ref(), text };
    rules.add(&Default::default(), &file.rule, &source).expect("rules");
    rules
}

#[test]
fn own_rules_are_applied_where_a_capture_is_opened() {
    let folder = folder();
    let file = sample(folder.path(), "a.sqlite", "--style markers");
    let rule = |when: &str| {
        own_rules(&format!(
            "[[rule]]\nid = 'many'\ntitle = '{{value}} iterations'\nwhen = \"{when}\"\nadvice = 'none'\n\
             table = 'iterations'\nvalue = 'count()'\n"
        ))
    };
    let (judged, stages) = opened_with(&file, None, rule("value > 0"));
    assert_eq!(stages.last(), Some(&(Stage::OwnRules, Origin::Made)));
    assert!(matches!(judged.rule_state("many"), RuleState::Fires(_)), "{:?}", judged.own_results());
    let (judged, _) = opened_with(&file, None, rule("value < 0"));
    assert_eq!((judged.rule_state("many"), judged.own_failures().count()), (RuleState::Silent, 0));
}

#[test]
fn whoever_hears_of_a_stage_can_stop_the_work() {
    let folder = folder();
    let file = sample(folder.path(), "a.sqlite", "--style markers");
    for last in [Stage::Read, Stage::Index, Stage::Aggregate] {
        let heard = RefCell::new(Vec::new());
        let on_stage = |stage, event| {
            heard.borrow_mut().push(stage);
            match (stage, event) {
                (stage, StageEvent::Begins) if stage == last => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        };
        let options = OpenOptions { on_stage: Some(&on_stage), ..asked() };
        let stopped = Capture::open(&file, &options, None);
        assert!(matches!(stopped, Err(Error::Stopped { .. })), "{stopped:?}");
        assert_eq!(heard.borrow().last(), Some(&last));
    }
}

#[test]
fn reading_ends_when_it_is_asked_to() {
    let folder = folder();
    let file = folder.path().join("a.sqlite");
    // Several tables with more rows than are counted at a time.
    dlprof_generate::write_export(&file, "--style markers --kernels 140000").expect("an export");
    let told = AtomicU64::new(0);
    let on_progress = |_, _| {
        told.fetch_add(1, Ordering::Relaxed);
        ControlFlow::Break(())
    };
    for threads in [1, 2] {
        told.store(0, Ordering::Relaxed);
        let read = ReadOptions { threads, on_progress: Some(&on_progress), ..ReadOptions::default() };
        let stopped = Capture::read(&file, &read);
        assert!(matches!(stopped, Err(Error::Stopped { .. })), "{:?}", stopped.map(drop));
        let tables = told.load(Ordering::Relaxed);
        assert!((1..=3).contains(&tables), "every table ends at its next report: {tables}");
    }
}
