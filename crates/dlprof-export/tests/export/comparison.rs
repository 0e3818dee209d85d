//! Reports of comparisons: text, JSON, Markdown, JUnit, SARIF, annotations.

use dlprof_core::{
    BaselineRun, Document, GPU_IDLE, GateReport, GateVerdict, ITERATION_TIME, KERNEL_TIME, Policy, judge_gate,
};
use dlprof_export::{gate_json, gate_markdown, gate_text, github_annotations, junit_report, sarif_report};
use dlprof_generate::runs::{Machine, Noise, PLAIN};
use std::collections::BTreeMap;

const QUIET: Noise = Noise { between_percent: 0.3, ..PLAIN };

fn judged(base: &Document, new: &Document, policy: &str) -> GateReport {
    judge_gate(base, new, &Policy::parse(policy).expect("a policy"), &[])
}

fn pair() -> (Document, Document) {
    let mut machine = Machine::new(QUIET, 5);
    let mut runs = |count| {
        Document::new((0..count).map(|_| BaselineRun::of_metrics("simulated", machine.run(1.0))).collect())
    };
    (runs(5), runs(1))
}

fn scale(document: &mut Document, key: &str, factor: f64) {
    for run in &mut document.runs {
        run.metrics.get_mut(key).expect("the metric").iter_mut().for_each(|value| *value *= factor);
    }
}

#[test]
fn reports_hold_the_verdict_in_every_form() {
    let (base, mut new) = pair();
    scale(&mut new, KERNEL_TIME, 1.2);
    let report = judged(&base, &new, "[[ops]]\nmatch = 'a|b<c>'\nbudget-percent = 5\nrequire = true");
    let json: serde_json::Value = serde_json::from_str(&gate_json(&report)).expect("JSON");
    assert_eq!((json["kind"].as_str(), json["verdict"].as_str()), (Some("gate"), Some("fail")));
    assert_eq!(json["checks"].as_array().map(Vec::len), Some(7));
    let sarif: serde_json::Value = serde_json::from_str(&sarif_report(&report)).expect("JSON");
    assert_eq!(sarif["runs"][0]["results"][0]["level"], "error");
    let junit = junit_report(&report);
    assert!(
        junit.contains("tests=\"7\"") && junit.contains("failures=\"1\"") && junit.contains("errors=\"1\""),
        "{junit}"
    );
    assert!(junit.contains("op a|b&lt;c&gt;"), "{junit}");
    let markdown = gate_markdown(&report);
    assert!(
        markdown.starts_with("### ❌ dlprof-agg gate: FAIL: Kernel time (sum) worse than allowed"),
        "{markdown}"
    );
    assert!(markdown.contains("a\\|b\\<c\\>"), "{markdown}");
    let github = github_annotations(&report);
    assert!(github.contains("::error title=dlprof-agg regression::Kernel time (sum): +20"), "{github}");
    assert!(github.contains("20.0 %25") || github.contains(" %25"), "{github}");
}

#[test]
fn odd_numbers_do_no_harm() {
    let of = |values: [f64; 12]| {
        let metric = |key: &str| (key.to_owned(), values.to_vec());
        Document::new(vec![BaselineRun::of_metrics(
            "odd",
            BTreeMap::from([metric(ITERATION_TIME), metric(GPU_IDLE)]),
        )])
    };
    let huge = of([9e15; 12]);
    let zero = of([0.0; 12]);
    let mixed = of([0.0, 9e15, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 1.0, 2.0, 3.0]);
    for base in [&huge, &zero, &mixed] {
        for new in [&huge, &zero, &mixed] {
            let report = judged(base, new, "");
            let text = gate_text(&report);
            assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
            let json: Result<serde_json::Value, _> = serde_json::from_str(&gate_json(&report));
            assert!(json.is_ok());
        }
    }
}

#[test]
fn a_drift_is_told() {
    let mut machine = Machine::new(QUIET, 8);
    let mut step =
        |at: i32| Document::new(vec![BaselineRun::of_metrics("simulated", machine.run(1.006f64.powi(at)))]);
    let history: Vec<Document> = (0..10).map(&mut step).collect();
    let new = step(10);
    let report = judge_gate(&history[9], &new, &Policy::default(), &history);
    assert_eq!(report.verdict, GateVerdict::Fail);
    assert!(gate_text(&report).contains("drift: Iteration time went from"));
}
