//! The dashboard, the demo, help, completions.

use crate::run::{database, run, run_with_cache, sample, temporary_folder};
use std::path::Path;

const RANGE: &str = "--key-node /module/train_step --iter-start 15 --iter-stop 58";

#[test]
fn dashboard_of_the_sample() {
    let run = run(RANGE, &[&sample()]);
    assert_eq!(run.code, 0, "{run:?}");
    for part in [
        "Iterations 15 to 58 of 0 to 64 (0 is what comes before the first; all: --iter-range all)",
        "Key node /module/train_step (process 4100",
        "Performance summary",
        "Resource usage",
        "Kernel GPU time, launches",
        "Top 10 GPU Ops",
        "CONV2D_1",
        "Profiled: shortest",
        "NVIDIA H100 80GB HBM3",
        "Findings",
    ] {
        assert!(run.stdout.contains(part), "`{part}` in {}", run.stdout);
    }
    assert!(!run.stdout.contains('\u{1b}'), "no colours in a pipe");
    for line in run.stdout.lines() {
        assert!(line.chars().count() <= 100, "at most 100 columns: {line}");
    }
}

/// The command that must always work.
#[test]
fn iterations_are_found_without_a_key_node() {
    let run = run("--iter-start 15 --iter-stop 58", &[&sample()]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(
        run.stdout.contains("Iterations 15 to 58 of 0 to 64") && run.stdout.contains("a period of 7 kernels"),
        "{run:?}"
    );
    assert!(run.stdout.contains("medium confidence"), "{run:?}");
}

#[test]
fn check_says_what_the_capture_holds() {
    let run = run("check", &[&sample()]);
    assert_eq!(run.code, 0, "{run:?}");
    for part in ["kernels                 642", "GPU time claimed", "65, by sm80_xmma", "DLProf markers"] {
        assert!(run.stdout.contains(part), "`{part}` in {}", run.stdout);
    }
}

#[test]
fn key_nodes_are_listed() {
    let run = run("show key-nodes --top 3", &[&sample()]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(run.stdout.lines().count(), 2, "{run:?}");
    assert!(run.stdout.lines().nth(1).is_some_and(|line| line.contains("sm80_xmma")), "{run:?}");
}

#[test]
fn key_node_by_name_and_by_op_id_are_the_same() {
    let by_name = run(RANGE, &[&sample()]);
    let by_id = run("--key-node ZERO_GRAD_1 --iter-start 15 --iter-stop 58", &[&sample()]);
    assert_eq!(by_name.stdout, by_id.stdout);
}

#[test]
fn old_command_lines_work() {
    let expected = run(RANGE, &[&sample()]);
    for words in [
        "--key_node=/module/train_step --iter_start=15 --iter_stop=58",
        "--key_op /module/train_step --iter_start 15 --iter_stop 58 --mode pytorch",
        "--key-op /module/train_step --iter-start 15 --iter-stop 58 -m auto",
    ] {
        let old = run(words, &[&sample()]);
        assert_eq!(old.code, 0, "{words}: {old:?}");
        // The second line tells how the mode was chosen.
        let without_mode = |text: &str| text.lines().filter(|line| !line.starts_with("Mode:")).count();
        assert_eq!(without_mode(&old.stdout), without_mode(&expected.stdout), "{words}");
        assert!(old.stdout.contains("Iterations 15 to 58 of 0 to 64"), "{words}: {old:?}");
    }
    let database = run(&format!("{RANGE} --database"), &[&sample()]);
    assert_eq!(database.stdout, expected.stdout);
}

#[test]
fn threads_do_not_change_the_output() {
    let one = run(&format!("{RANGE} --threads 1"), &[&sample()]);
    let three = run(&format!("{RANGE} --threads 3"), &[&sample()]);
    assert_eq!(one.stdout, three.stdout);
}

#[test]
fn readme_shows_what_its_first_command_prints() {
    let readme = include_str!("../../README.md");
    let shown = readme.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block");
    let run = run("--iter-start 15 --iter-stop 58", &[&sample()]);
    assert_eq!(run.stdout.trim_end(), shown.trim_end());
}

/// What does not fit the memory lives in files; every byte of the output stays.
#[test]
#[cfg(target_os = "linux")]
fn memory_does_not_change_the_output() {
    let folder = temporary_folder();
    let file = database(folder.path(), "many-launches.sql");
    let folder_of_temporary_files = |path: &Path| std::fs::read_dir(path).expect("a folder").count();
    let before = folder_of_temporary_files(folder.path());
    for command in ["", "show kernels --format csv"] {
        let enough = run(&format!("{command} -vv --memory 4G"), &[&file]);
        assert!(!enough.stderr.contains("scratch files"), "{enough:?}");
        let default = run(&format!("{command} -v"), &[&file]);
        assert!(default.stdout == enough.stdout, "{command} with the default");
        for memory in ["1M", "3M --threads 1", "1K --reader sqlite"] {
            let little = run(&format!("{command} -vv --memory {memory}"), &[&file]);
            assert!(little.stderr.contains("scratch files"), "{little:?}");
            assert!(little.stdout == enough.stdout, "{command} with {memory}");
        }
    }
    assert_eq!(folder_of_temporary_files(folder.path()), before);
    for wrong in ["0", "-1M", "much", "12Q", "1.5G", "99999999999T"] {
        let run = run(&format!("--memory={wrong}"), &[&file]);
        assert_eq!(run.code, 2, "{wrong}: {run:?}");
        assert!(run.stderr.contains("--memory"), "{run:?}");
    }
}

#[test]
fn captures_are_kept_listed_and_removed() {
    let folder = temporary_folder();
    let file = database(folder.path(), "many-launches.sql");
    let cache = folder.path().join("cache");
    let run = |words: &str, paths: &[&Path]| {
        let run = run_with_cache(&cache, words, paths);
        assert_eq!(run.code, 0, "{words}: {run:?}");
        run
    };
    let first = run("-vv --no-cache", &[&file]);
    assert!(!cache.exists());
    let second = run("-vv", &[&file]);
    let third = run("-vv --threads 1", &[&file]);
    assert!(second.stderr.contains("read and correlate"), "{second:?}");
    assert!(third.stderr.contains("read the index from the cache"), "{third:?}");
    assert_eq!((&first.stdout, &first.stdout), (&second.stdout, &third.stdout));
    let range = "--key-node re:train --iter-start 5 --iter-stop 9 -v";
    let kept = run(range, &[&file]);
    assert!(kept.stderr.contains("read the capture from the cache"), "{kept:?}");
    assert_eq!(kept.stdout, run(&format!("{range} --no-cache"), &[&file]).stdout);
    let list = run("cache list", &[]).stdout;
    assert!(list.starts_with("1 captures in") && list.contains("many-launches.sqlite"), "{list}");
    std::fs::remove_file(&file).expect("removed");
    assert!(run("cache list", &[]).stdout.contains("changed or moved"));
    assert!(run("cache clear", &[]).stdout.starts_with("Removed 1 captures"));
    assert!(run("cache list", &[]).stdout.starts_with("0 captures in"));
}

#[test]
fn time_units() {
    for (unit, part) in [("ns", " ns"), ("us", " µs"), ("ms", " ms"), ("s", " s")] {
        let of_range = run(&format!("{RANGE} --time-unit {unit}"), &[&sample()]);
        let wall =
            of_range.stdout.lines().find(|line| line.contains("Wall clock time")).expect("a wall clock");
        assert!(wall[..46].trim_end().ends_with(part), "{wall}");
        let whole = run(&format!("--iter-range all --time-unit {unit}"), &[&sample()]).stdout;
        let advice =
            whole.lines().find(|line| line.contains("in the middle")).expect("a finding with a time");
        assert!(advice.contains(&format!("{part} in the middle")), "{advice}");
    }
}

#[test]
fn demo_works_with_nothing_at_hand() {
    let shown = run("demo", &[]);
    assert_eq!(shown.code, 0, "{shown:?}");
    assert!(shown.stdout.contains("Top 10 GPU Ops"), "{shown:?}");
    let folder = temporary_folder();
    let file = folder.path().join("sample.sqlite");
    assert_eq!(run("demo -o", &[&file]).code, 0);
    assert_eq!(std::fs::read(&file).expect("the sample"), std::fs::read(sample()).expect("the sample"));
    let again = run("demo -o", &[&file]);
    assert_eq!(again.code, 4, "{again:?}");
    assert!(again.stderr.contains("exists") && again.stderr.contains("--force"), "{again:?}");
}

#[test]
fn help_completions_and_manual() {
    let help = run("--help", &[]);
    assert_eq!(help.code, 0);
    for part in ["--iter-start", "--key-node", "Exit codes:", "reports", "demo"] {
        assert!(help.stdout.contains(part), "`{part}` in {}", help.stdout);
    }
    assert!(run("completions bash", &[]).stdout.contains("dlprof-agg"));
    assert!(run("man", &[]).stdout.contains(".TH dlprof-agg"));
    assert!(run("--version", &[]).stdout.starts_with("dlprof-agg "));
}

/// A reader that goes away is no failure.
#[cfg(unix)]
#[test]
fn closed_pipes_end_quietly() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_dlprof-agg"))
        .arg(sample())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}
