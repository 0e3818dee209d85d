//! States of findings.

use super::*;
use crate::advice::rules;
use crate::runs::comparison::{Comparison, compare};
use crate::runs::document::{Document, RunFindings, RunSaving, SavingKind};
use crate::runs::statistics::Assumptions;
use std::collections::BTreeMap;

const MS: f64 = 1e6;

/// A finding whose saving is `saving_ms` per iteration.
fn saves(id: &str, saving_ms: f64) -> RunFinding {
    let saving = RunSaving { ns: saving_ms * MS, kind: SavingKind::Expected };
    RunFinding { saving: Some(saving), figure: None, ..shows(id, "", 0.0) }
}

/// A finding with a main figure and no saving.
fn shows(id: &str, name: &str, value: f64) -> RunFinding {
    RunFinding {
        id: id.to_owned(),
        severity: Severity::Note,
        problem: format!("{id} was found"),
        figure: Some(MainFigure { name: name.to_owned(), value }),
        saving: None,
    }
}

/// A run of 20 iterations of 100 ms and so much more, to which the rules a to f were applied.
fn run(more_ms: f64, found: Vec<RunFinding>) -> BaselineRun {
    let metrics = BTreeMap::from([(ITERATION_TIME.to_owned(), vec![(100.0 + more_ms) * MS; 20])]);
    let rules = ["a", "b", "c", "d", "e", "f"].map(str::to_owned).into();
    BaselineRun {
        findings: Some(RunFindings { rules, found, misleads: Vec::new() }),
        ..BaselineRun::of_metrics("drawn", metrics)
    }
}

fn compared(base: Vec<BaselineRun>, new: Vec<BaselineRun>) -> Comparison {
    compare(&Document::new(base), &Document::new(new), Assumptions::default())
}

fn states(comparison: &Comparison) -> Vec<(&str, &str)> {
    let changes = comparison.findings.changes.as_ref().expect("findings of both sides");
    changes.iter().map(|change| (change.id.as_str(), change.state.as_str())).collect()
}

#[test]
fn savings_decide_and_order() {
    let base = run(0.0, vec![saves("a", 20.0), saves("b", 5.0), saves("c", 30.0), saves("d", 40.0)]);
    let new = run(-18.0, vec![saves("b", 8.0), saves("c", 10.0), saves("d", 43.0), saves("e", 2.0)]);
    let comparison = compared(vec![base], vec![new]);
    let expected = [("b", "worse"), ("e", "new"), ("a", "gone"), ("c", "better"), ("d", "same")];
    assert_eq!(states(&comparison), expected);
    let gone = &comparison.findings.changes.as_ref().expect("changes")[2];
    let outcome = "the estimate was 20.000 ms per iteration, iterations became 18.000 ms shorter";
    assert_eq!(gone.outcome.as_deref(), Some(outcome));
    assert_eq!(comparison.findings.count(FindingState::New), 1);
}

#[test]
fn small_changes_are_none() {
    // 10 % of the saving is less than 1 % of the iteration time, and the other way round.
    let base = run(0.0, vec![saves("a", 2.0), saves("b", 50.0)]);
    let within = run(0.0, vec![saves("a", 2.9), saves("b", 54.9)]);
    assert_eq!(states(&compared(vec![base.clone()], vec![within])), [("b", "same"), ("a", "same")]);
    let beyond = run(0.0, vec![saves("a", 3.1), saves("b", 44.9)]);
    assert_eq!(states(&compared(vec![base], vec![beyond])), [("a", "worse"), ("b", "better")]);
}

#[test]
fn figures_decide_without_savings() {
    let of = |values: [f64; 4], total: u32| {
        let names = ["share_percent", "occupancy_percent", "waits_per_iteration", "unused_gpus"];
        let found = ["a", "b", "c", "d"].into_iter().zip(names).zip(values);
        let mut run = run(0.0, found.map(|((id, name), value)| shows(id, name, value)).collect());
        run.iterations.total = total;
        run
    };
    let base = || vec![of([5.0, 20.0, 3.0, 1.0], 21)];
    let worse = compared(base(), vec![of([7.0, 15.0, 4.0, 3.0], 21)]);
    assert_eq!(states(&worse), [("a", "worse"), ("b", "worse"), ("c", "worse"), ("d", "worse")]);
    // Totals of runs of other lengths are not compared.
    let longer = compared(base(), vec![of([5.9, 23.0, 3.2, 3.0], 41)]);
    assert_eq!(states(&longer), [("b", "better"), ("a", "same"), ("c", "same"), ("d", "same")]);
}

#[test]
fn of_several_runs_the_median_and_the_majority_count() {
    let base = [10.0, 11.0, 90.0].map(|ms| run(0.0, vec![saves("a", ms)])).to_vec();
    let mut new = vec![run(0.0, vec![saves("a", 11.5), saves("b", 9.0)]); 2];
    new.extend(vec![run(0.0, vec![saves("a", 1.0), saves("c", 9.0)]); 1]);
    let comparison = compared(base, new);
    assert_eq!(states(&comparison), [("b", "new"), ("a", "same")]);
    let changes = comparison.findings.changes.expect("changes");
    assert_eq!((changes[0].new.runs, changes[0].new.of_runs, changes[0].base.runs), (2, 3, 0));
    assert_eq!(changes[1].base.saving.map(|saving| saving.ns), Some(11.0 * MS));
}

#[test]
fn what_equal_runs_differ_by_is_no_change() {
    let base = || [10.0, 14.0, 18.0].map(|ms| run(0.0, vec![saves("a", ms)])).to_vec();
    assert_eq!(states(&compared(base(), vec![run(0.0, vec![saves("a", 21.0)])])), [("a", "same")]);
    assert_eq!(states(&compared(base(), vec![run(0.0, vec![saves("a", 23.0)])])), [("a", "worse")]);
    assert_eq!(states(&compared(base(), vec![run(0.0, vec![saves("a", 5.0)])])), [("a", "better")]);
}

#[test]
fn what_is_not_known_is_neither_new_nor_gone() {
    let known = run(0.0, vec![saves("a", 10.0), saves("b", 10.0)]);
    let unknown = BaselineRun { findings: None, ..known.clone() };
    let comparison = compared(vec![unknown.clone()], vec![known.clone()]);
    assert_eq!(comparison.findings.changes, None);
    assert!(comparison.findings.notes[0].contains("those of the baseline are not known"));
    let partly = compared(vec![unknown, known.clone()], vec![known.clone()]);
    assert_eq!(states(&partly), [("a", "same"), ("b", "same")]);
    assert!(
        partly.findings.notes[0].starts_with("the findings of 1 of 2 runs of the baseline are not known")
    );
    // A rule that one side does not have.
    let mut without = known.clone();
    let findings = without.findings.as_mut().expect("findings");
    findings.rules.remove("b");
    findings.found.pop();
    let comparison = compared(vec![without], vec![known]);
    assert_eq!(states(&comparison), [("a", "same")]);
    assert!(comparison.findings.notes[0].ends_with(": b"), "{:?}", comparison.findings.notes);
}

/// 18 % of 100 ms are more than 45 % of 30 ms, and less than 45 % of 90 ms.
#[test]
fn shares_are_worse_if_they_are_more_time() {
    let states_at = |more_ms: f64, before: f64, now: f64| {
        let found = |share| vec![shows("a", "share_percent", share), shows("b", "occupancy_percent", share)];
        let comparison = compared(vec![run(0.0, found(before))], vec![run(more_ms, found(now))]);
        ["a", "b"].map(|id| {
            let changes = comparison.findings.changes.as_ref().expect("changes");
            changes.iter().find(|change| change.id == id).expect("a finding").state.as_str()
        })
    };
    assert_eq!(states_at(-70.0, 18.0, 45.0), ["same", "better"]);
    assert_eq!(states_at(-10.0, 18.0, 45.0), ["worse", "better"]);
    assert_eq!(states_at(-70.0, 45.0, 18.0), ["better", "worse"]);
    assert_eq!(states_at(300.0, 45.0, 18.0), ["same", "worse"]);
}

#[test]
fn several_gone_findings_share_the_change() {
    let base = run(0.0, vec![saves("a", 10.0), shows("b", "share_percent", 5.0), saves("c", 20.0)]);
    let comparison = compared(vec![base], vec![run(0.0, Vec::new())]);
    let changes = comparison.findings.changes.as_ref().expect("changes");
    let of =
        |id: &str| changes.iter().find(|change| change.id == id).and_then(|change| change.outcome.clone());
    assert_eq!(
        of("a").as_deref(),
        Some("the estimate was 10.000 ms per iteration, iterations did not change")
    );
    // Without an estimate there is nothing to hold the change against.
    assert_eq!(of("b"), None);
    assert!(of("c").is_some());
    assert!(comparison.findings.notes[0].starts_with("2 findings with an estimate are gone"));
}

#[test]
fn figures_that_are_worse_if_smaller_exist() {
    for name in LESS_IS_WORSE {
        assert!(rules().any(|rule| rule.thresholds.iter().any(|threshold| threshold.name == name)), "{name}");
    }
}
