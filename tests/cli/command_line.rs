//! The command line: options before and after commands, help, colours, closed pipes, and outputs that cannot be written.

use crate::run::{command, run, sample, temporary_folder};
use std::path::Path;
use std::process::{Command, Stdio};

const COMMANDS: [&str; 26] = [
    "",
    "profile",
    "show",
    "stats",
    "ncu",
    "check",
    "export",
    "query",
    "ask",
    "mcp",
    "agent",
    "rules",
    "what-if",
    "explain",
    "compare",
    "baseline",
    "ranks",
    "lake",
    "gate",
    "history",
    "reports",
    "view",
    "cache",
    "demo",
    "completions",
    "man",
];

#[test]
fn options_of_all_commands_come_before_or_after_the_command() {
    let sample = sample();
    let expected = run("show ops --format csv --iter-start 15 --iter-stop 58 -q", &[&sample]);
    assert_eq!(expected.code, 0, "{expected:?}");
    for words in [
        "--iter-start 15 --iter-stop 58 -q show ops --format csv",
        "--iter_start 15 show --iter_stop 58 -q ops --format csv",
        "show -q --iter-start=15 ops --no-progress --iter_stop=58 --format csv",
        "--no-progress --iter-stop 58 show ops --quiet --format csv --iter-start 15",
    ] {
        assert_eq!(run(words, &[&sample]).stdout, expected.stdout, "{words}");
    }
    let dashboard = run("--iter-start 15 --iter-stop 58", &[&sample]);
    assert!(dashboard.code == 0 && dashboard.stdout.contains("15 to 58"), "{dashboard:?}");
    for (words, error) in [
        ("-q check -v", "contradict each other"),
        ("--details check", "`--details` is before the command `check`"),
        ("--fail-on error rules", "`--fail-on` is before the command `rules`"),
    ] {
        let wrong = run(words, &[&sample]);
        assert!(wrong.code == 2 && wrong.stderr.contains(error), "{words}: {wrong:?}");
    }
    let file_first = run(&format!("{} check", sample.display()), &[]);
    assert!(file_first.code == 2 && file_first.stderr.contains("put it after the command"), "{file_first:?}");
}

/// `-h` has a line per option, which fits 100 columns; the options of a command come before those of all commands.
#[test]
fn short_help_has_a_line_per_option() {
    for name in COMMANDS.into_iter().filter(|name| *name != "show") {
        let help = run(&format!("{name} -h"), &[]);
        assert_eq!(help.code, 0, "{name}: {help:?}");
        for line in help.stdout.lines() {
            let is_continued = line.starts_with("                ") && !line.trim_start().starts_with('-');
            assert!(line.chars().count() <= 100 && !is_continued, "{name}: {line}");
        }
        let own = help.stdout.find("\nOptions:").expect("options");
        assert!(
            help.stdout.find("\nGeneral:").is_some_and(|general| own < general),
            "{name}: {}",
            help.stdout
        );
    }
    let top = run("-h", &[]).stdout;
    assert!(!top.contains("(not in this build)"), "{top}");
    let long = run("--help", &[]).stdout;
    assert!(long.contains("Exit codes:") && !top.contains("Exit codes:"), "{top}");
}

/// Every example of `--help` runs.
#[cfg(unix)]
#[test]
fn examples_of_the_help_run() {
    let folder = temporary_folder();
    for name in ["run.sqlite", "base.sqlite"] {
        std::fs::copy(sample(), folder.path().join(name)).expect("a copy");
    }
    // A copy of a capture is no second rank.
    let longer = "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = end + 1";
    let other = rusqlite::Connection::open(folder.path().join("base.sqlite"));
    other.and_then(|other| other.execute_batch(longer)).expect("another capture");
    std::fs::write(folder.path().join("run.ncu.csv"), crate::ncu::LOG).expect("a log");
    let mut count = 0;
    // `view` runs until it is told to end; `profile` has no program, but tests of its own.
    let is_run = |name: &&str| !["view", "profile"].contains(name);
    for name in COMMANDS.into_iter().filter(is_run) {
        let help = run(&format!("{name} --help"), &[]).stdout;
        let Some((_, examples)) = help.split_once("\nExamples:\n") else { continue };
        for line in examples.lines().take_while(|line| !line.is_empty()) {
            let line = line.trim().split("   ").next().unwrap_or_default();
            let line = line.replacen("dlprof-agg", env!("CARGO_BIN_EXE_dlprof-agg"), 1);
            let mut shell = Command::new("sh");
            shell.args(["-c", &line]).current_dir(folder.path());
            shell.env("XDG_CACHE_HOME", folder.path().join("cache")).env("XDG_CONFIG_HOME", folder.path());
            let output = shell.output().expect("a shell");
            // The gate judges one sample as inconclusive; files of earlier examples are not overwritten.
            let is_done = output.status.success() || (name == "gate" && output.status.code() == Some(6));
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(is_done || errors.contains("exists"), "{line}: {errors}");
            count += 1;
        }
    }
    assert!(count > 25, "{count} examples");
}

#[test]
fn colours_are_chosen() {
    let colour = "\u{1b}[";
    let sample = sample();
    let is_coloured = |words: &str| {
        let shown = run(words, &[&sample]);
        assert_eq!(shown.code, 0, "{words}: {shown:?}");
        shown.stdout.contains(colour)
    };
    assert!(!is_coloured("") && !is_coloured("--color auto") && !is_coloured("--color never"));
    assert!(is_coloured("--color always") && is_coloured("--color=always --help"));
    let wrong = run("--color sometimes", &[&sample]);
    assert!(wrong.code == 2 && wrong.stderr.contains("--color"), "{wrong:?}");
}

#[test]
fn stage_times_need_two_v() {
    let sample = sample();
    assert!(!run("-v --no-cache", &[&sample]).stderr.contains(" ms"));
    for words in ["-vv --no-cache", "-v -v --no-cache", "--verbose --verbose --no-cache"] {
        assert!(run(words, &[&sample]).stderr.contains("read and correlate: "), "{words}");
    }
}

/// Every command is under a task, and what all commands share is described once.
#[test]
fn help_is_by_task() {
    let short = run("-h", &[]).stdout;
    for task in ["See where the time goes:", "Compare runs:", "Jobs of many ranks:", "Set-up:"] {
        assert!(short.contains(task), "{short}");
    }
    assert!(!short.contains("Commands:") && !short.contains("--output-path"), "{short}");
    let of_show = run("show --help", &[]).stdout;
    assert!(
        !of_show.contains("--key-node") && of_show.contains("`dlprof-agg show -h` lists them"),
        "{of_show}"
    );
    assert!(run("--help", &[]).stdout.contains("--key-node"), "all of them");
    assert!(run("show -h", &[]).stdout.contains("--key-node"), "in short");
}

#[test]
fn what_was_meant_is_named() {
    let table = run("ops", &[&sample()]);
    assert_eq!(table.code, 2);
    assert!(
        table.stderr.contains("`ops` is a table") && table.stderr.contains("dlprof-agg show ops "),
        "{table:?}"
    );
    let turned = run("query select(1)", &[&sample()]);
    assert_eq!(turned.code, 2);
    assert!(turned.stderr.contains("the SQL comes last"), "{turned:?}");
}

/// `head -1` closes the pipe after one line.
#[test]
fn a_closed_pipe_is_no_failure() {
    let (sample, cache) = (sample(), temporary_folder());
    let file = sample.display().to_string();
    let mut lines: Vec<String> = [
        "",
        "check",
        "rules",
        "export --schema",
        "--help",
        "show --list",
        "explain",
        "man",
        "demo",
        "completions bash",
        "-h",
        "--version",
        "cache list",
        "rules --format json",
        "rules --format sarif",
    ]
    .map(str::to_owned)
    .to_vec();
    for format in ["table", "csv", "tsv", "json", "ndjson", "md"] {
        lines.push(format!("show kernels --format {format}"));
    }
    for format in ["text", "json", "markdown"] {
        lines.push(format!("compare --format {format} {file}"));
        lines.push(format!("history --format {format}"));
    }
    lines.push(format!("query {file} select(1)"));
    for line in lines {
        let needs_no_file = [
            "export",
            "--help",
            "show --list",
            "explain",
            "man",
            "demo",
            "completions",
            "-h",
            "--version",
            "cache",
            "query",
        ];
        let paths: &[&Path] =
            if needs_no_file.iter().any(|start| line.starts_with(start)) { &[] } else { &[&sample] };
        let mut child = command(cache.path(), &line, paths)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("the end");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{line}: {errors}");
        assert!(!errors.contains("error") && !errors.contains("panicked"), "{line}: {errors}");
    }
}

#[cfg(unix)]
#[test]
fn pipes_are_no_input() {
    let mut child = command(temporary_folder().path(), "/dev/stdin", &[]);
    let child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let output = child.and_then(std::process::Child::wait_with_output).expect("the end");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{errors}");
    assert!(
        errors.contains("`/dev/stdin` is a pipe; a regular file is needed") && errors.contains("hint: "),
        "{errors}"
    );
    let folder = temporary_folder();
    let socket = folder.path().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
    let run = run("", &[&socket]);
    assert!(run.code == 3 && run.stderr.contains("is a socket"), "{run:?}");
}

#[test]
fn similar_files_are_suggested() {
    let folder = temporary_folder();
    std::fs::copy(sample(), folder.path().join("train.sqlite")).expect("a copy");
    for name in ["trian.sqlite", "train", "train.sqlit"] {
        let run = run("show ops", &[&folder.path().join(name)]);
        assert!(run.code == 3 && run.stderr.contains("does not exist"), "{run:?}");
        assert!(run.stderr.contains("did you mean `") && run.stderr.contains("train.sqlite`?"), "{run:?}");
    }
    let nowhere = run("show ops", &[&folder.path().join("no/train.sqlite")]);
    assert!(nowhere.stderr.contains("there is no folder"), "{nowhere:?}");
}

/// The names in a folder.
fn names(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<String> = files.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn outputs_are_named_clearly_and_no_folder_is_made_from_a_typo() {
    let folder = temporary_folder();
    let at = |name: &str| folder.path().join(name).display().to_string();
    for (words, code, parts) in [
        (format!("export -o {}", at("report")), 2, ["has no ending", "xlsx, pdf"]),
        (format!("export -o {}", at("report.docx")), 2, ["names no format", "xlsx, pdf"]),
        (format!("export -o {}", at("typo/report.pdf")), 4, ["there is no folder", "correct its name"]),
        (format!("export -o {}", at("typo/tables/")), 4, ["there is no folder", "correct its name"]),
        (
            format!("reports --output-path {}", at("typo/reports")),
            4,
            ["there is no folder", "correct its name"],
        ),
        (format!("baseline -o {}", at("typo/base.json")), 4, ["there is no folder", "correct its name"]),
        (
            format!("export -o {0} -o {0}", at("run.json")),
            4,
            ["two outputs have the same path", "of its own"],
        ),
        (format!("rules -o {0} -o {0}", at("run.json")), 4, ["two outputs have the same path", "of its own"]),
    ] {
        let run = run(&words, &[&sample()]);
        assert_eq!(run.code, code, "{words}: {run:?}");
        assert!(parts.iter().all(|part| run.stderr.contains(part)), "{words}: {run:?}");
        assert_eq!(run.stderr.matches("error: ").count(), 1, "{words}: {run:?}");
        assert_eq!(names(folder.path()), [""; 0], "{words}");
    }
    let good =
        run(&format!("export --tables ops,gpus -o {} -o {}", at("new/"), at("run.json")), &[&sample()]);
    assert_eq!(good.code, 0, "{good:?}");
    assert_eq!(names(folder.path()), ["new", "run.json"]);
    let several = format!("export --tables ops,gpus --format csv -o {}", at("several"));
    assert_eq!(run(&several, &[&sample()]).code, 0);
    assert_eq!(names(&folder.path().join("several")), ["export.json", "gpus.csv", "ops.csv"]);
    let copy = folder.path().join("copy.sqlite");
    std::fs::copy(sample(), &copy).expect("a copy");
    let same = run(&format!("baseline --force -o {}", copy.display()), &[&copy]);
    assert!(same.code == 2 && same.stderr.contains("this command reads it"), "{same:?}");
}

/// A limit for the size of files is like a full disk: the first files fit, and a later one does not.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_no_file() {
    let folder = temporary_folder();
    std::fs::write(folder.path().join("old.csv"), "old").expect("a file");
    let sample = sample().canonicalize().expect("the sample");
    let program = env!("CARGO_BIN_EXE_dlprof-agg");
    for outputs in [
        "-o gpus.csv/ --format csv",
        "-o old.csv -o ops.tsv --tables kernels --force",
        "-o run.json -o run.xlsx",
        "-o dlprof_dldb.sqlite",
    ] {
        let line = format!(
            "trap '' XFSZ; ulimit -f 4; exec {program} --no-cache export {outputs} {}",
            sample.display()
        );
        let mut shell = Command::new("bash");
        shell.args(["-c", &line]).current_dir(folder.path()).env("XDG_CONFIG_HOME", folder.path());
        let output = shell.output().expect("bash");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{outputs}: {errors}");
        assert_eq!(errors.matches("error: cannot write").count(), 1, "{outputs}: {errors}");
        assert!(!errors.contains(".tmp"), "{outputs}: {errors}");
        assert_eq!(names(folder.path()), ["old.csv"], "{outputs}: {errors}");
        assert_eq!(std::fs::read_to_string(folder.path().join("old.csv")).expect("a file"), "old");
    }
}
