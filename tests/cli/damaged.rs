//! Exports that the generator damaged: every command ends with a documented code, with one error or with diagnostics, and soon.

use crate::run::{Run, run, temporary_folder};
use dlprof_generate::{damages, write_export};
use std::path::PathBuf;

const COMMANDS: [&str; 5] =
    ["-q", "check", "show ops --format csv", "show kernels --format csv --no-cache", "rules"];

fn damaged(folder: &tempfile::TempDir, damage: &str) -> PathBuf {
    let file = folder.path().join(format!("{damage}.sqlite"));
    write_export(&file, &format!("--style ranges --iterations 20 --layers 1 --damage {damage}"))
        .expect("an export");
    file
}

fn errors(run: &Run) -> usize {
    run.stderr.lines().filter(|line| line.starts_with("error: ")).count()
}

#[test]
fn every_damage_ends_with_a_documented_code() {
    let folder = temporary_folder();
    for damage in damages() {
        let file = damaged(&folder, damage);
        let before = std::fs::read(&file).expect("the export");
        for command in COMMANDS {
            let run = run(command, &[&file]);
            // `check` fails where figures mislead, and says so in its text.
            let misleads = command == "check" && run.code == 1;
            let expected = usize::from(run.code != 0 && !misleads);
            assert!(misleads || [0, 3, 5].contains(&run.code), "{damage}, {command}: {run:?}");
            assert_eq!(misleads, command == "check" && run.stdout.contains("\nerror["), "{damage}: {run:?}");
            assert_eq!(errors(&run), expected, "{damage}, {command}: {run:?}");
            assert!(!run.stderr.contains("panicked"), "{damage}, {command}: {run:?}");
        }
        assert!(std::fs::read(&file).expect("the export") == before, "{damage}: the export was changed");
    }
}

#[test]
fn what_is_lost_is_said() {
    let folder = temporary_folder();
    for (damage, code) in [
        ("lost-calls", "unlaunched-work"),
        ("no-strings", "unknown-name"),
        ("no-table", "no-api-calls"),
        ("no-column", "missing-column"),
        ("nulls", "row-without-time"),
        ("wrong-types", "bad-value"),
        ("far-times", "bad-interval"),
        ("one-id", "duplicate-correlation"),
    ] {
        let shown = run("show summary -v", &[&damaged(&folder, damage)]);
        assert_eq!(shown.code, 0, "{damage}: {shown:?}");
        assert!(shown.stderr.contains(&format!("[{code}]")), "{damage}: {shown:?}");
    }
    let shown = run("show summary --key-node step", &[&damaged(&folder, "lost-records")]);
    assert!(shown.stderr.contains("error[lost-records]"), "{shown:?}");
}

/// Records of GPU work are missing at the end or in the middle: the first line says so, and so do `check` and exit codes; nothing is
/// said of the GPU in iterations without records; and a baseline of such a capture is not made without a word.
#[test]
fn lost_work_is_told_everywhere() {
    let folder = temporary_folder();
    let whole = folder.path().join("whole.sqlite");
    write_export(&whole, "--style ranges --iterations 20 --layers 1").expect("an export");
    for (damage, place) in [("lost-tail", "end"), ("lost-middle", "middle")] {
        let file = damaged(&folder, damage);
        let shown = run("--fail-on error --key-node step", &[&file]);
        assert_eq!(shown.code, 1, "{damage}: {shown:?}");
        assert!(shown.stdout.starts_with("This capture misleads: "), "{damage}: {shown:?}");
        assert!(shown.stdout.contains("untraced"), "{damage}: {shown:?}");
        let checked = run("check --key-node step", &[&file]);
        let first = checked.stdout.lines().find(|line| line.contains("]: ")).unwrap_or_default();
        assert!(checked.code == 1 && first.starts_with("error[dropped_records]: "), "{damage}: {checked:?}");
        let records = run("show records --format csv", &[&file]);
        assert!(records.stdout.contains(&format!(",{place},")), "{damage}: {records:?}");
        let known = "show iterations --key-node step --iter-range all --format csv --columns state,gpu_utilization_percent,kernel_calls";
        let rows = run(known, &[&file]);
        let untraced: Vec<&str> = rows.stdout.lines().filter(|line| line.starts_with("untraced")).collect();
        assert!(
            !untraced.is_empty() && untraced.iter().all(|line| *line == "untraced,,"),
            "{damage}: {rows:?}"
        );
        let compared = run("compare --key-node step", &[&whole, &file]);
        let words = compared.stdout.clone() + &compared.stderr;
        assert!(words.contains("of the new run misleads: "), "{damage}: {compared:?}");
        let base = folder.path().join(format!("{damage}.json"));
        let gated = run("gate --key-node step --baseline", &[&whole, &file]);
        let first = gated.stdout.lines().next().unwrap_or_default();
        let says =
            first.starts_with("INCONCLUSIVE: the capture") && first.contains("of the new run misleads: ");
        assert!(gated.code == 6 && says, "{damage}: {gated:?}");
        let gated = run("gate --key-node step --format json --baseline", &[&whole, &file]);
        let result: serde_json::Value = serde_json::from_str(&gated.stdout).expect("JSON");
        assert_eq!(result["misleads"].as_array().map(Vec::len), Some(1), "{damage}: {result}");
        let keep = format!("baseline --key-node step -o {}", base.display());
        let refused = run(&keep, &[&file]);
        assert!(refused.code == 5 && refused.stderr.contains("--allow-misleading"), "{damage}: {refused:?}");
        assert!(!base.exists(), "{damage}: nothing was written");
        let kept = run(&format!("{keep} --allow-misleading"), &[&file]);
        assert!(kept.code == 0 && kept.stderr.contains("misleads: "), "{damage}: {kept:?}");
    }
    let checked = run("check", &[&whole]);
    assert_eq!(checked.code, 0, "{checked:?}");
}

#[test]
fn an_export_that_is_still_open_is_refused() {
    let folder = temporary_folder();
    for damage in ["open-wal", "killed-writer"] {
        let shown = run("check", &[&damaged(&folder, damage)]);
        assert_eq!(shown.code, 3, "{damage}: {shown:?}");
        assert!(shown.stderr.contains("is incomplete"), "{damage}: {shown:?}");
    }
}
