use super::choices::{Clock, IterRange, Mode};
use super::{Given, OptionValues, Settings, UsualFiles};
use crate::console::{Verbosity, recorded};
use crate::exit::Failure;
use crate::generated::{folder, settings, settings_of};
use dlprof_core::{
    ClockChoice, DefaultRange, FigureRules, KeyNodeChoice, LooseWork, MOST_THREADS, ModeChoice, RowReader,
};
use std::path::Path;

fn given(config: &Path, values: OptionValues, verbosity: Verbosity) -> Given {
    Given {
        values,
        config: Some(config.to_owned()),
        usual_files: UsualFiles::Read,
        reader: RowReader::Sqlite,
        verbosity,
        shows_progress: true,
    }
}

#[test]
fn iterations_without_numbers_are_the_usual_ones() {
    let range = |iter_range, usual| {
        settings_of(OptionValues { iter_range, ..OptionValues::default() }, usual).asked.range
    };
    for usual in [DefaultRange::Auto, DefaultRange::All] {
        assert_eq!((range(None, usual).otherwise, range(None, usual).iter_start), (usual, None));
        assert_eq!(range(Some(IterRange::Steady), usual).otherwise, DefaultRange::Steady);
        assert_eq!(range(Some(IterRange::Auto), usual).otherwise, DefaultRange::Auto);
        let all = range(Some(IterRange::All), usual);
        assert_eq!((all.otherwise, all.iter_start), (DefaultRange::All, Some(0)));
    }
    let until =
        OptionValues { iter_range: Some(IterRange::All), iter_stop: Some(3), ..OptionValues::default() };
    assert_eq!(settings_of(until, DefaultRange::Auto).asked.range.iter_start, None);
}

#[test]
fn an_empty_name_is_no_key_node() {
    let key_node = |name: Option<&str>| {
        let key_node = name.map(str::to_owned);
        settings_of(OptionValues { key_node, ..OptionValues::default() }, DefaultRange::Auto).asked.key_node
    };
    assert_eq!(key_node(None), KeyNodeChoice::Find);
    assert_eq!(key_node(Some("")), KeyNodeChoice::None);
    assert_eq!(key_node(Some("step")), KeyNodeChoice::Named("step".into()));
}

#[test]
fn words_become_choices() {
    let values = OptionValues { mode: Some(Mode::Jax), clock: Some(Clock::Gpu), ..OptionValues::default() };
    let asked = settings_of(values, DefaultRange::Auto).asked;
    assert_eq!((asked.read.mode, asked.range.clock), (ModeChoice::Jax, ClockChoice::Gpu));
    let asked = settings().asked;
    assert_eq!((asked.read.mode, asked.range.clock), (ModeChoice::Auto, ClockChoice::Auto));
}

#[test]
fn ranges_and_times_that_end_before_they_begin_are_refused() {
    let of = |values| Settings::of(values, Default::default(), DefaultRange::Auto).err();
    let range = OptionValues { iter_start: Some(3), iter_stop: Some(2), ..OptionValues::default() };
    assert!(matches!(of(range), Some(Failure::Analysis(dlprof_core::Error::ReversedRange { .. }))));
    let text = |text: &str| Some(text.to_owned());
    let cut = OptionValues { from: text("2s"), to: text("1s"), ..OptionValues::default() };
    assert!(matches!(of(cut), Some(Failure::Analysis(dlprof_core::Error::ReversedCut { .. }))));
}

#[test]
fn rules_of_dlprof_leave_what_was_asked_for() {
    let asked = |values| settings_of(values, DefaultRange::Auto).by_rules_of_dlprof().asked;
    let usual = asked(OptionValues::default());
    assert_eq!((&usual.key_node, usual.range.otherwise), (&KeyNodeChoice::Dlprof, DefaultRange::All));
    assert_eq!((usual.range.rules, usual.read.loose_work), (FigureRules::Dlprof, LooseWork::Unassociated));
    let chosen = asked(OptionValues {
        key_node: Some("step".into()),
        iter_range: Some(IterRange::Steady),
        ..OptionValues::default()
    });
    assert_eq!(chosen.key_node, KeyNodeChoice::Named("step".into()));
    assert_eq!(chosen.range.otherwise, DefaultRange::Steady);
}

#[test]
fn files_are_named_and_too_many_threads_are_cut() {
    let folder = folder();
    let config = folder.path().join("own.toml");
    std::fs::write(&config, "threads = 100000\nno-cache = true\nprofile-name = 'mine'\n").expect("a file");
    let new = |verbosity| {
        let given = given(&config, OptionValues::default(), verbosity);
        let (settings, said) = recorded(|| Settings::new(given, DefaultRange::Auto));
        (settings.expect("settings"), said.aside)
    };
    let (settings, aside) = new(Verbosity::Notes);
    assert_eq!(settings.asked.read.threads, MOST_THREADS);
    assert!(aside.starts_with(&format!("settings files read: `{}`", config.display())), "{aside}");
    assert!(aside.contains("--threads asks for 100000"), "{aside}");
    assert_eq!(settings.asked.read.sqlite.reader, RowReader::Sqlite);
    assert!(settings.cache.is_none() && settings.shows_progress);
    assert_eq!(settings.profile_name.as_deref(), Some("mine"));
    let (settings, aside) = new(Verbosity::Quiet);
    assert!(aside.is_empty() && !settings.shows_progress, "{aside}");
}

#[test]
fn a_settings_file_that_cannot_be_used_is_a_failure() {
    let folder = folder();
    let config = folder.path().join("own.toml");
    let failed = || {
        let given = given(&config, OptionValues::default(), Verbosity::Normal);
        match Settings::new(given, DefaultRange::Auto).err() {
            Some(Failure::Settings { path, message, hint }) => (path, message, hint.unwrap_or_default()),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(failed().0, config, "it does not exist");
    std::fs::write(&config, "\niter-strat = 1\n").expect("a file");
    let (_, message, hint) = failed();
    assert_eq!(message, "line 2, column 1: there is no key `iter-strat`");
    assert_eq!(hint, "did you mean `iter-start`?");
}
