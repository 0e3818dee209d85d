//! A full disk, and limits of the shell: one clear sentence, exit code 2 or 4, and nothing half-written.

use crate::run::{command, sample, temporary_folder};
use dlprof_export::FORMATS;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs words with limits of the shell, in a folder.
fn limited(folder: &Path, limits: &str, words: &str, file: &Path) -> (Option<i32>, String) {
    let own = command(folder, words, &[file]);
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{limits} && exec \"$@\""), "sh"]);
    shell.arg(own.get_program()).args(own.get_args()).current_dir(folder).env("XDG_CACHE_HOME", folder);
    let output = shell.env("XDG_CONFIG_HOME", folder).output().expect("the program starts");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn names(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).expect("a folder").flatten();
    let names = files.map(|file| file.file_name().to_string_lossy().into_owned());
    names.filter(|name| name != "dlprof-agg" && !name.starts_with("long.")).collect()
}

/// One error with its cause and what to do; no panic and no signal.
fn assert_said(found: &(Option<i32>, String), what: &str) {
    let (code, error) = found;
    assert!(matches!(code, Some(2 | 4)), "{what}: {found:?}");
    // What a library of the system says when it is refused memory, before it aborts, stands before the error.
    let is_ours =
        |line: &&str| !line.starts_with("Fatal glibc error") && !line.starts_with("fatal runtime error");
    let error = error.lines().filter(is_ours).collect::<Vec<_>>().join("\n");
    assert!(error.starts_with("error: ") && error.matches("error: ").count() == 1, "{what}: {error}");
    assert!(!error.contains("panicked") && !error.contains("drop failed"), "{what}: {error}");
    let causes: Vec<&str> = error.lines().filter_map(|line| line.strip_prefix("cause: ")).collect();
    let is_said_twice = causes.windows(2).any(|pair| pair[0].ends_with(pair[1]));
    assert!(!is_said_twice, "{what}: {error}");
}

#[test]
fn files_longer_than_allowed_are_an_error() {
    let folder = temporary_folder();
    // One block of 512 bytes: everything is longer, but what is printed goes to a pipe.
    for format in FORMATS {
        let tables = if format.table.is_some() { " --tables kernels" } else { "" };
        let name = if format.ending == "tfevents" { "run.tfevents" } else { "output" };
        let words = format!("export --no-cache{tables} --format {} -o {name}", format.ending);
        let found = limited(folder.path(), "ulimit -f 1", &words, &sample());
        assert_eq!(found.0, Some(4), "{words}: {found:?}");
        assert_said(&found, &words);
        assert!(found.1.contains("cannot write"), "{words}: {found:?}");
        assert_eq!(names(folder.path()), [""; 0], "{words}");
    }
    let others = [
        "reports --output-path out",
        "baseline -o a.json",
        "rules -o a.json",
        "export -o out/",
        "stats -o out -f csv",
    ];
    for words in others {
        let found = limited(folder.path(), "ulimit -f 1", words, &sample());
        assert_eq!(found.0, Some(4), "{words}: {found:?}");
        assert_said(&found, words);
        assert_eq!(names(folder.path()), [""; 0], "{words}");
    }
}

/// Long sheets are in temporary files of the library that writes workbooks, which panics there.
#[test]
fn a_full_disk_is_an_error_of_workbooks_too() {
    let folder = temporary_folder();
    let file = folder.path().join("long.sqlite");
    dlprof_generate::write_export(&file, "--style markers --kernels 30000").expect("an export");
    let words = "export --no-cache --tables kernels -o long.xlsx";
    for blocks in [1, 64, 1024, 2048] {
        let found = limited(folder.path(), &format!("ulimit -f {blocks}"), words, &file);
        assert_eq!(found.0, Some(4), "{blocks}: {found:?}");
        assert_said(&found, words);
        assert!(found.1.contains("File too large") && found.1.contains("ulimit -f"), "{blocks}: {found:?}");
        assert_eq!(names(folder.path()), [""; 0], "{blocks}");
        assert!(!folder.path().join("long.xlsx").exists(), "{blocks}");
    }
}

#[test]
fn a_limited_address_space_is_an_error() {
    let folder = temporary_folder();
    let file = folder.path().join("long.sqlite");
    dlprof_generate::write_export(&file, "--style markers --kernels 30000").expect("an export");
    let commands =
        ["show ops -q", "baseline -o a.json", "export -q -f -o a.xlsx", "export -q -f -o out/", "stats -q"];
    for kilobytes in [131_072, 200_000] {
        for words in commands {
            let limits = format!("ulimit -v {kilobytes}");
            let found = limited(folder.path(), &limits, &format!("{words} --no-cache"), &file);
            if found.0 != Some(0) {
                assert_said(&found, &format!("{words}, {kilobytes} KB"));
            }
            let left = names(folder.path()).into_iter().find(|name| name.starts_with(".dlprof-agg-"));
            assert_eq!(left, None, "{words}, {kilobytes} KB");
        }
    }
}

/// Libraries of the system abort where they are refused memory. It cannot be said beforehand where; here a signal does it.
#[test]
fn an_abort_for_lack_of_memory_is_an_error() {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::process::Stdio;
    let aborted = |limits: &str| {
        let own = command(Path::new("."), "mcp", &[]);
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &format!("{limits} && exec \"$@\""), "sh"])
            .arg(own.get_program())
            .args(own.get_args());
        shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut server = shell.spawn().expect("the program starts");
        let mut input = server.stdin.take().expect("an input");
        writeln!(input, r#"{{"jsonrpc":"2.0","id":1,"method":"ping"}}"#).expect("written");
        let mut answer = String::new();
        let output = server.stdout.take().expect("an output");
        BufReader::new(output).read_line(&mut answer).expect("an answer");
        let kill = Command::new("sh").args(["-c", &format!("kill -s ABRT {}", server.id())]).status();
        assert!(kill.is_ok_and(|kill| kill.success()));
        let code = server.wait().expect("it ends").code();
        let mut error = String::new();
        server.stderr.take().expect("an output").read_to_string(&mut error).expect("a text");
        (code, error)
    };
    let found = aborted("ulimit -v 2000000");
    assert_said(&found, "mcp");
    assert!(found.1.contains("refused memory to one of its libraries"), "{found:?}");
    let found = aborted("true");
    assert_eq!(found, (None, String::new()), "without a limit the cause is another");
}

#[test]
fn what_cannot_be_printed_is_an_error() {
    let folder = temporary_folder();
    for (words, last) in
        [("", "--help"), ("", "--version"), ("", "man"), ("export", "--schema"), ("cache", "list")]
    {
        let found = limited(folder.path(), "exec >/dev/full", words, Path::new(last));
        assert_eq!(found.0, Some(4), "{words} {last}: {found:?}");
        assert!(found.1.starts_with("error: cannot write to standard output"), "{words} {last}: {found:?}");
    }
}

#[test]
fn few_open_files_are_enough_or_an_error() {
    let folder = temporary_folder();
    for files in [4, 6, 16] {
        for words in [
            "show ops -q",
            "export -q -f -o a.xlsx",
            "export -q -f -o out/",
            "stats -q",
            "baseline -f -o a.json",
        ] {
            let found = limited(folder.path(), &format!("ulimit -n {files}"), words, &sample());
            if found.0 != Some(0) {
                assert_said(&found, &format!("{words}, {files} files"));
            }
        }
    }
}

/// An input that is longer than all memory.
#[test]
fn the_end_of_memory_is_said() {
    let folder = temporary_folder();
    let file = folder.path().join("long.json");
    let baseline = fs::File::create(&file).expect("a file");
    std::io::Write::write_all(&mut &baseline, b"{").expect("written");
    baseline.set_len(125 << 20).expect("a length");
    let found = limited(folder.path(), "ulimit -v 150000", "history", &file);
    assert_eq!(found.0, Some(4), "{found:?}");
    assert_said(&found, "history");
    assert!(found.1.contains("out of memory") && found.1.contains("ulimit -v"), "{found:?}");
}

/// The limit of processes holds for users who are not root.
#[test]
fn few_threads_are_enough_or_an_error() {
    use std::os::unix::process::CommandExt;
    let folder = temporary_folder();
    let is_root = fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    // Nobody else has processes under this number.
    const USER: u32 = 61_717;
    let program = folder.path().join("program");
    fs::copy(env!("CARGO_BIN_EXE_dlprof-agg"), &program).expect("a copy");
    fs::copy(sample(), folder.path().join("run.sqlite")).expect("a copy");
    let open = <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode;
    fs::set_permissions(folder.path(), open(0o777)).expect("permissions");
    let limited = |threads: u32, words: &str| {
        let mut shell = Command::new("bash");
        let script = format!("ulimit -u {threads} && exec ./program {words} run.sqlite");
        shell.args(["-c", &script]).current_dir(folder.path()).env("HOME", folder.path());
        if is_root {
            shell.uid(USER);
        }
        let output = shell.output().expect("the program starts");
        let found = (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned());
        if found.0 != Some(0) && !found.1.contains("fork") {
            assert_said(&found, &format!("{words}, {threads} threads"));
        }
        (found.0 == Some(0)).then_some(output.stdout)
    };
    let table =
        |threads, workers| limited(threads, &format!("show ops --no-cache --format csv --threads {workers}"));
    let expected = table(64, 8).expect("as many threads as it wants");
    for threads in [1, 2, 3, 4, 5, 6, 8] {
        let (one, eight) = (table(threads, 1), table(threads, 8));
        assert_eq!(one.is_some(), eight.is_some(), "{threads} threads: those that there are suffice");
        assert!(one.is_some() || threads < 4, "{threads} threads: one to work, and those that watch");
        assert!(eight.is_none_or(|table| table == expected), "{threads} threads: another output");
        limited(threads, "export -q -f --threads 8 -o a.xlsx");
    }
}
