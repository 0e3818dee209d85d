//! Findings before and after: `baseline`, `compare` and `gate` on generated captures in which a problem is solved.

use crate::run::{Run, run, temporary_folder};
use dlprof_generate::write_export;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Twenty steps; with `wait_ns` each of them first loads data for so long.
fn generate(folder: &Path, name: &str, wait_ns: Option<u32>) -> PathBuf {
    let file = folder.join(name);
    let loading = wait_ns.map_or(String::new(), |ns| format!("--plant data-loading={ns}"));
    write_export(&file, &format!("--iterations 20 --plant overlap {loading}")).expect("an export");
    file
}

fn baseline(folder: &Path, runs: &[&Path]) -> PathBuf {
    let base = folder.join("base.json");
    let made = run(&format!("baseline --force -o {}", base.to_str().expect("UTF-8")), runs);
    assert_eq!(made.code, 0, "{made:?}");
    base
}

fn json(run: &Run) -> Value {
    assert_eq!(run.code, 0, "{run:?}");
    serde_json::from_str(&run.stdout).expect("JSON")
}

/// The change of a finding in a report as JSON.
fn change<'a>(report: &'a Value, id: &str) -> &'a Value {
    let changes = report["findings"]["changes"].as_array().expect("changes");
    changes.iter().find(|change| change["id"] == id).unwrap_or_else(|| panic!("{id}: {changes:?}"))
}

#[test]
fn a_solved_problem_is_gone_and_its_estimate_is_checked() {
    let folder = temporary_folder();
    let slow = generate(folder.path(), "slow.sqlite", Some(3_000_000));
    let fast = generate(folder.path(), "fast.sqlite", None);
    let report = json(&run("compare --format json", &[&slow, &fast]));
    let gone = change(&report, "input_bound");
    assert_eq!(gone["state"], "gone", "{gone}");
    assert_eq!(gone["base"]["saving"]["kind"], "upper", "{gone}");
    let estimate_ns = gone["base"]["saving"]["ns"].as_f64().expect("a saving");
    assert!((estimate_ns - 3e6).abs() < 0.1e6, "{estimate_ns}");
    // The sentence has the change that the row of the metric has.
    let metrics = report["metrics"].as_array().expect("metrics");
    let time = metrics.iter().find(|row| row["key"] == "iteration_time_ns").expect("the iteration time");
    let shorter_ms = -time["change"].as_f64().expect("a change") / 1e6;
    let outcome = format!(
        "the estimate was at most {:.3} ms per iteration, iterations became {shorter_ms:.3} ms shorter",
        estimate_ns / 1e6
    );
    assert_eq!(gone["outcome"], outcome, "{gone}");

    let text = run("compare", &[&slow, &fast]).stdout;
    assert!(text.contains("Findings: ") && text.contains(" gone"), "{text}");
    assert!(text.contains(&format!("input_bound is gone: {outcome}\n")), "{text}");
    let markdown = run("compare --format markdown", &[&slow, &fast]).stdout;
    assert!(markdown.contains("| gone | input\\_bound | warning | ≤ 3.01"), "{markdown}");
}

#[test]
fn problems_that_appear_or_grow_come_first_and_do_not_change_the_verdict() {
    let folder = temporary_folder();
    let fast = generate(folder.path(), "fast.sqlite", None);
    let slow = generate(folder.path(), "slow.sqlite", Some(3_000_000));
    let slower = generate(folder.path(), "slower.sqlite", Some(4_500_000));
    let report = json(&run("compare --format json", &[&fast, &slow]));
    assert_eq!(report["findings"]["changes"][0]["id"], "input_bound", "{report}");
    assert_eq!(change(&report, "input_bound")["state"], "new");
    let report = json(&run("compare --format json", &[&slow, &slower]));
    assert_eq!(change(&report, "input_bound")["state"], "worse");
    let back = json(&run("compare --format json", &[&slower, &slow]));
    assert_eq!(change(&back, "input_bound")["state"], "better");

    // Only kernels are watched, and these are not slower: the gate passes and names the new finding.
    let policy = folder.path().join("gate.toml");
    let unwatched = "iteration-time = false\ncopy-time = false\ngpu-idle = false\nkernel-launches = false\n";
    std::fs::write(&policy, format!("[metrics]\n{unwatched}")).expect("a policy");
    let base = baseline(folder.path(), &[&fast]);
    let paths = format!("--baseline {} --policy {}", base.display(), policy.display());
    let judged = run(&format!("gate {paths}"), &[&slow]);
    assert!(judged.code == 0 && judged.stdout.starts_with("PASS"), "{judged:?}");
    assert!(judged.stdout.contains("\n  new    input_bound"), "{judged:?}");
    let markdown = run(&format!("gate --format markdown {paths}"), &[&slow]).stdout;
    assert!(markdown.contains("| new | input\\_bound |"), "{markdown}");
}

#[test]
fn equal_runs_have_the_same_findings() {
    let folder = temporary_folder();
    let slow = generate(folder.path(), "slow.sqlite", Some(3_000_000));
    let base = baseline(folder.path(), &[&slow, &slow, &slow]);
    let report = json(&run("compare --format json", &[&base, &slow]));
    let changes = report["findings"]["changes"].as_array().expect("changes");
    assert!(!changes.is_empty() && changes.iter().all(|change| change["state"] == "same"), "{report}");
    assert_eq!(change(&report, "input_bound")["base"]["runs"], 3);
    let judged = run(&format!("gate --baseline {}", base.display()), &[&slow]);
    assert!(judged.stdout.contains(&format!("\nFindings: {} same\n", changes.len())), "{judged:?}");
}

/// A file written before findings were kept is read, and nothing is called new.
#[test]
fn baselines_without_findings_are_read() {
    let folder = temporary_folder();
    let slow = generate(folder.path(), "slow.sqlite", Some(3_000_000));
    let base = baseline(folder.path(), &[&slow]);
    let mut document: Value =
        serde_json::from_str(&std::fs::read_to_string(&base).expect("a file")).expect("JSON");
    let run_of_file = document["runs"][0].as_object_mut().expect("a run");
    assert!(run_of_file.remove("findings").is_some(), "it holds findings");
    std::fs::write(&base, document.to_string()).expect("a file");
    for words in ["compare", "compare --format markdown"] {
        let compared = run(words, &[&base, &slow]);
        assert_eq!(compared.code, 0, "{compared:?}");
        assert!(compared.stdout.contains("those of the baseline are not known"), "{compared:?}");
        assert!(!compared.stdout.contains("input"), "{compared:?}");
    }
    let report = json(&run("compare --format json", &[&base, &slow]));
    assert_eq!(report["findings"]["changes"], Value::Null);
    let judged = run(&format!("gate --baseline {}", base.display()), &[&slow]);
    assert!(judged.code == 0 && judged.stdout.contains("findings are not compared"), "{judged:?}");
}

/// Rules that are off on one side found nothing there, and that is said.
#[test]
fn rules_that_one_side_did_not_apply_are_not_compared() {
    let folder = temporary_folder();
    let slow = generate(folder.path(), "slow.sqlite", Some(3_000_000));
    let base = baseline(folder.path(), &[&slow]);
    let text = std::fs::read_to_string(&base).expect("a file");
    let mut document: Value = serde_json::from_str(&text).expect("JSON");
    let findings = &mut document["runs"][0]["findings"];
    let is_other = |value: &Value| *value != "input_bound" && value["id"] != "input_bound";
    for list in ["rules", "found"] {
        findings[list].as_array_mut().expect("a list").retain(is_other);
    }
    std::fs::write(&base, document.to_string()).expect("a file");
    let compared = run("compare", &[&base, &slow]);
    assert!(compared.stdout.contains("with another version or other settings): input_bound"));
}
