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
