//! `ncu`: the command that measures kernels, in the forms in which it is shown.

use crate::run::{run, sample};

fn command_of(words: &str) -> String {
    let found = run(words, &[&sample()]);
    assert_eq!(found.code, 0, "{found:?}");
    found.stdout
}

#[test]
fn the_command_alone_is_on_standard_output() {
    let found = run("ncu --suggest", &[&sample()]);
    assert_eq!(found.code, 0, "{found:?}");
    let lines: Vec<&str> = found.stdout.lines().collect();
    assert_eq!(lines.len(), 1, "{found:?}");
    assert!(lines[0].starts_with("ncu --target-processes all --nvtx --kernel-name 'regex:^("), "{found:?}");
    assert!(lines[0].contains(" --log-file run.ncu.csv "), "{found:?}");
    assert!(found.stderr.contains("about 40 times"), "{found:?}");
    assert_eq!(run("ncu --suggest -q", &[&sample()]).stderr, "");
}

/// Kernels of collectives wait for those of other GPUs, and `ncu` runs one at a time.
#[test]
fn no_name_is_a_collective() {
    let collectives =
        run("show kernel-names --format csv --columns calls --where long_kernel_name~nccl", &[&sample()]);
    assert!(collectives.stdout.lines().count() > 1, "the sample has some: {collectives:?}");
    let found = run("ncu --suggest", &[&sample()]);
    assert!(!found.stdout.to_lowercase().contains("nccl"), "{found:?}");
    assert!(found.stderr.contains("Left out: kernels that exchange data between GPUs, "), "{found:?}");
    assert!(found.stderr.contains("of the other kernel time"), "{found:?}");
}

/// What comes before a cut is launched all the same when `ncu` runs the program: an iteration has one command.
#[test]
fn launches_before_a_cut_are_skipped() {
    let starts = |words: &str| -> Vec<String> {
        let shown = run(&format!("show iterations --format csv --columns start_ns {words}"), &[&sample()]);
        shown.stdout.lines().skip(1).map(ToOwned::to_owned).collect()
    };
    let (whole, cut) = (starts(""), starts("--from 8ms"));
    let number = whole.iter().position(|start| *start == cut[2]).expect("the same iteration");
    assert!(number > 10, "iteration {number}");
    let command = |words: &str, n: usize| {
        command_of(&format!("ncu --suggest {words} --iter-start {n} --iter-stop {n}"))
    };
    assert_eq!(command("--from 8ms", 2), command("", number));
}

#[test]
fn gpus_of_others_have_no_command() {
    let trace = r#"{"deviceProperties": [{"id": 0, "name": "AMD Instinct MI300X", "warpSize": 64}], "traceEvents": [
        {"ph": "X", "cat": "cuda_runtime", "name": "hipLaunchKernel", "pid": 1, "tid": 1, "ts": 1, "dur": 5, "args": {"correlation": 1}},
        {"ph": "X", "cat": "kernel", "name": "Cijk_Alik_Bljk", "pid": 0, "tid": 0, "ts": 10, "dur": 50,
         "args": {"correlation": 1, "device": 0, "stream": 0}}]}"#;
    let folder = crate::run::temporary_folder();
    let file = folder.path().join("amd.json");
    std::fs::write(&file, trace).expect("a trace");
    assert!(run("show kernels --format csv", &[&file]).stdout.contains("Cijk_Alik_Bljk"));
    let found = run("ncu --suggest", &[&file]);
    assert_eq!((found.code, found.stdout.as_str()), (3, ""), "{found:?}");
    assert!(found.stderr.contains("`ncu` measures NVIDIA GPUs"), "{found:?}");
    assert!(!run("--details", &[&file]).stdout.contains("--kernel-name"));
}

#[test]
fn a_shell_takes_the_lines_of_the_details_as_the_same_command() {
    let line = command_of("ncu --suggest");
    let details = command_of("--details");
    let start = details.find("  ncu --target-processes").expect("the command");
    let mut words = String::new();
    for line in details[start..].lines() {
        let (line, goes_on) = line.strip_suffix(" \\").map_or((line, false), |line| (line, true));
        words.push_str(line.trim_start());
        if !goes_on {
            break;
        }
        words.push(' ');
    }
    assert_eq!(words, line.trim_end());
    assert!(!command_of("").contains("ncu "), "the first screen has no command");
}

#[test]
fn explain_says_where_the_command_comes_from() {
    let found = run("explain ncu", &[]);
    assert!(found.stdout.contains("dlprof-agg ncu --suggest"), "{found:?}");
}
