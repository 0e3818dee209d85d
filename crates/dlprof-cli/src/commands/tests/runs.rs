//! Commands that compare runs: `baseline`, `compare`, `gate`, `history`.

use super::super::baseline::{self, Baseline};
use super::super::compare::{self, Compare, ReportFormat, Sides};
use super::super::gate::{self, Gate};
use super::super::history::{self, History};
use super::super::report_files::{CiFormat, Pages, ReportFiles};
use crate::console::recorded;
use crate::exit::Failure;
use crate::generated::{capture, folder, settings, settings_of};
use crate::settings::iteration_pair::IterationPair;
use crate::settings::{OptionValues, Settings};
use dlprof_core::{DefaultRange, GateVerdict, read_baseline};
use dlprof_export::{Inputs, Overwrite, Target};
use std::path::{Path, PathBuf};

/// The settings of these commands: all iterations, unless others are asked for.
fn of_all() -> Settings {
    settings_of(OptionValues::default(), DefaultRange::All)
}

/// Runs of one program that differ a little, and a run with twice as many layers.
fn runs(folder: &Path, count: u64) -> (Vec<PathBuf>, PathBuf) {
    let run = |seed: u64| {
        let shift = if seed.is_multiple_of(2) { 0.2 } else { -0.2 };
        let noise = format!("--layers 1 --iterations 24 --step-noise 1 --seed {seed} --run-shift {shift}");
        capture(folder, &format!("run{seed}.sqlite"), &noise)
    };
    let slow = capture(folder, "slow.sqlite", "--layers 1 --iterations 24 --step-noise 1 --run-shift 40");
    ((0..count).map(run).collect(), slow)
}

fn kept(folder: &Path, name: &str, runs: Vec<PathBuf>) -> PathBuf {
    let path = folder.join(name);
    let target = Target::new(&path, Overwrite::Refuse, &Inputs::default()).expect("a target");
    let (done, said) =
        recorded(|| baseline::run(&Baseline { runs, settings: of_all(), target, allow_misleading: false }));
    done.expect("a baseline");
    assert_eq!(said.out, format!("{}\n", path.display()));
    path
}

fn gate_of(new: &Path, baseline: &[&Path]) -> Gate {
    Gate {
        new: new.to_owned(),
        baseline: baseline.iter().map(|path| path.to_path_buf()).collect(),
        policy: None,
        history: None,
        settings: of_all(),
        format: CiFormat::Text,
        files: ReportFiles::check(&[], Pages::None, Overwrite::Refuse, &Inputs::default()).expect("no files"),
    }
}

#[test]
fn a_baseline_keeps_every_run_and_is_read_as_a_run() {
    let folder = folder();
    let (runs, _) = runs(folder.path(), 2);
    let two = kept(folder.path(), "two.json", runs.clone());
    assert_eq!(read_baseline(&two).expect("a baseline").runs.len(), 2);
    let three = kept(folder.path(), "three.json", vec![two, runs[0].clone()]);
    assert_eq!(read_baseline(&three).expect("a baseline").runs.len(), 3);
}

#[test]
fn a_baseline_of_one_value_says_that_no_gate_can_judge_it() {
    let folder = folder();
    let run = capture(folder.path(), "run.sqlite", "");
    let target = Target::new(&folder.path().join("base.json"), Overwrite::Refuse, &Inputs::default())
        .expect("a target");
    let none = settings_of(
        OptionValues { key_node: Some(String::new()), ..OptionValues::default() },
        DefaultRange::All,
    );
    let (done, said) = recorded(|| {
        baseline::run(&Baseline { runs: vec![run], settings: none, target, allow_misleading: false })
    });
    done.expect("a baseline");
    assert!(said.aside.contains("has no steady iterations"), "{}", said.aside);
}

#[test]
fn two_runs_are_compared_in_every_form() {
    let folder = folder();
    let (runs, slow) = runs(folder.path(), 1);
    let compared = |format| {
        let sides = Sides::Runs { base: runs[0].clone(), new: slow.clone() };
        let (done, said) =
            recorded(|| compare::run(Compare { sides, settings: of_all(), format, top: 3, page: None }));
        done.expect("a comparison");
        said.out
    };
    let text = compared(ReportFormat::Text);
    let time = text.lines().find(|line| line.trim_start().starts_with("Iteration time"));
    assert!(time.is_some_and(|line| line.ends_with("more")), "{text}");
    let json: serde_json::Value = serde_json::from_str(&compared(ReportFormat::Json)).expect("JSON");
    assert!(json.is_object());
    assert!(compared(ReportFormat::Markdown).contains("| "));
}

/// The command alone: what pages hold is tested where they are written.
#[test]
fn a_comparison_is_written_as_a_page_where_a_capture_was_read() {
    let folder = folder();
    let (runs, slow) = runs(folder.path(), 1);
    let base = kept(folder.path(), "base.json", vec![runs[0].clone()]);
    let page_of = |sides, name: &str| {
        let path = folder.path().join(name);
        let page = Some(Target::new(&path, Overwrite::Refuse, &Inputs::default()).expect("a target"));
        let format = ReportFormat::Text;
        let asked = Compare { sides, settings: settings(), format, top: 3, page };
        let (done, _) = recorded(|| compare::run(asked));
        (done, std::fs::read_to_string(path).unwrap_or_default())
    };
    let side = |name: &str| format!("id=\"{name}\"");
    let pair = Sides::Runs { base: runs[0].clone(), new: slow.clone() };
    let (done, page) = page_of(pair, "both.html");
    done.expect("a page");
    for block in ["comparison", "compared-timeline-0", "compared-timeline-1"] {
        assert!(page.contains(&side(block)), "{block}");
    }
    let (done, page) = page_of(Sides::Runs { base: base.clone(), new: slow.clone() }, "one.html");
    done.expect("a page");
    assert!(!page.contains(&side("compared-timeline-0")) && page.contains(&side("compared-timeline-1")));
    let (done, page) = page_of(Sides::Runs { base: base.clone(), new: base }, "none.html");
    assert!(matches!(done, Err(Failure::Usage { .. })) && page.is_empty());
    let ranges = Sides::Ranges { file: slow, pair: IterationPair::Ranges(2..=3, 5..=5) };
    let (done, page) = page_of(ranges, "ranges.html");
    done.expect("a page");
    assert!(page.contains(&side("iterations-compared")) && page.contains(&side("timeline-5")));
}

#[test]
fn two_ranges_of_one_run_are_compared() {
    let folder = folder();
    let run = capture(folder.path(), "run.sqlite", "");
    let compared = |pair| {
        let sides = Sides::Ranges { file: run.clone(), pair };
        let format = ReportFormat::Json;
        recorded(|| compare::run(Compare { sides, settings: settings(), format, top: 3, page: None }))
    };
    let (done, said) = compared(IterationPair::Ranges(2..=3, 5..=6));
    done.expect("a comparison");
    assert!(serde_json::from_str::<serde_json::Value>(&said.out).is_ok(), "{}", said.out);
    compared(IterationPair::Slowest).0.expect("the slowest one");
    let (failed, _) = compared(IterationPair::Ranges(2..=3, 5..=99));
    assert!(matches!(failed, Err(Failure::Analysis(_) | Failure::Runs(_))), "{failed:?}");
}

#[test]
fn the_gate_passes_equal_runs_and_fails_a_slower_one() {
    let folder = folder();
    let (runs, slow) = runs(folder.path(), 6);
    let base = kept(folder.path(), "base.json", runs[..5].to_vec());
    let verdict = |new: &Path| {
        let (verdict, said) = recorded(|| gate::run(&gate_of(new, &[&base])));
        (verdict.expect("a verdict"), said.out)
    };
    let (equal, text) = verdict(&runs[5]);
    assert_eq!(equal, GateVerdict::Pass, "{text}");
    let (slower, text) = verdict(&slow);
    assert_eq!(slower, GateVerdict::Fail, "{text}");
}

#[test]
fn the_gate_writes_reports_and_takes_baselines_of_a_history() {
    let folder = folder();
    let (runs, _) = runs(folder.path(), 2);
    let history = folder.path().join("history");
    std::fs::create_dir(&history).expect("a folder");
    kept(&history, "1.json", vec![runs[0].clone()]);
    kept(&history, "2.json", vec![runs[1].clone()]);
    let report = folder.path().join("report.xml");
    let files =
        ReportFiles::check(std::slice::from_ref(&report), Pages::None, Overwrite::Refuse, &Inputs::default())
            .expect("a file");
    let asked = Gate { history: Some(history), files, ..gate_of(&runs[0], &[]) };
    let (verdict, said) = recorded(|| gate::run(&asked));
    verdict.expect("a verdict");
    assert!(!said.out.is_empty());
    assert!(std::fs::read_to_string(&report).expect("a report").contains("<testsuite"));
    let twice = [report.clone(), report];
    let error = ReportFiles::check(&twice, Pages::None, Overwrite::Replace, &Inputs::default()).err();
    assert!(matches!(error, Some(Failure::Export(dlprof_export::Error::Twice { .. }))), "{error:?}");
    let odd = [folder.path().join("report.odd")];
    let error = ReportFiles::check(&odd, Pages::None, Overwrite::Refuse, &Inputs::default()).err();
    assert!(matches!(error, Some(Failure::Usage { .. })), "{error:?}");
}

#[test]
fn a_policy_that_cannot_be_read_is_found_before_a_capture_is_opened() {
    let folder = folder();
    let policy = folder.path().join("gate.toml");
    std::fs::write(&policy, "no_such_key = 1\n").expect("a policy");
    let missing = folder.path().join("missing.sqlite");
    let asked = Gate { policy: Some(policy), ..gate_of(&missing, &[&missing]) };
    assert!(matches!(gate::run(&asked), Err(Failure::Runs(_))));
}

#[test]
fn a_history_is_in_the_order_given_and_needs_baselines() {
    let folder = folder();
    let (runs, _) = runs(folder.path(), 2);
    let baselines = folder.path().join("baselines");
    std::fs::create_dir(&baselines).expect("a folder");
    kept(&baselines, "b.json", vec![runs[1].clone()]);
    kept(&baselines, "a.json", vec![runs[0].clone()]);
    let shown = |paths: Vec<PathBuf>, format| {
        recorded(|| history::run(&History { paths, settings: of_all(), format }))
    };
    let (done, said) = shown(vec![baselines.clone(), runs[0].clone()], ReportFormat::Json);
    done.expect("a history");
    let places = ["\"a\"", "\"b\"", "\"run0\""].map(|name| said.out.find(name));
    assert!(places.is_sorted() && places[0].is_some(), "{}", said.out);
    let (done, said) = shown(vec![runs[0].clone()], ReportFormat::Text);
    done.expect("a history of one");
    assert!(said.aside.contains("one baseline has no history"), "{}", said.aside);

    assert!(matches!(shown(Vec::new(), ReportFormat::Text).0, Err(Failure::Usage { .. })));
    let empty = folder.path().join("empty");
    std::fs::create_dir(&empty).expect("a folder");
    assert!(matches!(shown(vec![empty], ReportFormat::Text).0, Err(Failure::Runs(_))));
}
