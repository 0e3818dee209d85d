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
            let expected = usize::from(run.code != 0);
            assert!([0, 3, 5].contains(&run.code), "{damage}, {command}: {run:?}");
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

#[test]
fn an_export_that_is_still_open_is_refused() {
    let folder = temporary_folder();
    for damage in ["open-wal", "killed-writer"] {
        let shown = run("check", &[&damaged(&folder, damage)]);
        assert_eq!(shown.code, 3, "{damage}: {shown:?}");
        assert!(shown.stderr.contains("is incomplete"), "{damage}: {shown:?}");
    }
}
