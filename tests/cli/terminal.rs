//! What differs on a terminal: the width of tables, and the pager. The terminal is a pseudo terminal.

use crate::run::{command, sample, temporary_folder};
use crate::small_mistakes::{hostile, obeyed};
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::Stdio;

/// What a run on a terminal gave.
struct OnTerminal {
    code: Option<i32>,
    lines: Vec<String>,
    stderr: String,
}

/// Runs the program on a terminal of a size, with variables of the environment.
fn on_terminal(columns: u16, rows: u16, words: &str, variables: &[(&str, &str)]) -> OnTerminal {
    file_on_terminal(columns, rows, words, variables, &sample())
}

fn file_on_terminal(
    columns: u16,
    rows: u16,
    words: &str,
    variables: &[(&str, &str)],
    file: &Path,
) -> OnTerminal {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo terminal");
    grantpt(&master).expect("access to it");
    unlockpt(&master).expect("its other end");
    let name = ptsname(&master, Vec::new()).expect("its name");
    let slave = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("its other end");
    let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&slave, size).expect("its size");
    let folder = temporary_folder();
    let mut command = command(folder.path(), words, &[file]);
    for name in ["COLUMNS", "PAGER", "DLPROF_AGG_PAGER", "LESS"] {
        command.env_remove(name);
    }
    let child = command
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .stdout(Stdio::from(slave))
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // The command holds the other end of the terminal, which would never be closed.
    drop(command);
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // When the last writer is gone, Linux reports an error instead of an end.
        let _ = File::from(master).read_to_end(&mut bytes);
        String::from_utf8(bytes).expect("UTF-8")
    });
    let output = child.wait_with_output().expect("the program ends");
    let text = reader.join().expect("the text");
    OnTerminal {
        code: output.status.code(),
        lines: text.lines().map(|line| line.trim_end_matches('\r').to_owned()).collect(),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

fn width(line: &str) -> usize {
    dlprof_export::text_width(line)
}

#[test]
fn tables_fit_the_terminal_and_name_what_is_left_out() {
    for columns in [60, 80, 100, 160, 250] {
        for table in
            ["ops", "kernels", "kernel_names", "op_types", "iterations", "findings", "copies", "summary"]
        {
            let run = on_terminal(columns, 5000, &format!("show {table} -q"), &[]);
            assert_eq!(run.code, Some(0), "{}", run.stderr);
            let widest = run.lines.iter().map(|line| width(line)).max().unwrap_or(0);
            assert!(widest <= usize::from(columns), "{table} at {columns}: {widest}");
        }
    }
    let run = on_terminal(80, 5000, "show ops -q", &[]);
    assert!(run.lines.iter().any(|line| line.contains(" more columns: --columns all (")), "{:?}", run.lines);
    let header = run.lines[..2].join(" ");
    assert!(run.lines[1].starts_with("Op Name") && header.contains("(ms)"), "{header}");
}

#[test]
fn wide_and_all_columns_hide_nothing() {
    for words in ["show ops --wide -q --top 3", "show ops --columns all -q --top 3"] {
        let run = on_terminal(80, 50, words, &[]);
        assert!(!run.lines.iter().any(|line| line.contains("more column")), "{words}: {:?}", run.lines);
        assert!(run.lines.iter().any(|line| width(line) > 300), "{words}");
    }
}

#[test]
fn columns_of_the_environment_win() {
    let run = on_terminal(200, 5000, "show ops -q", &[("COLUMNS", "60")]);
    assert!(run.lines.iter().all(|line| width(line) <= 60), "{:?}", run.lines);
}

#[test]
fn long_texts_go_to_the_pager() {
    let marked = |pager: &str, words: &str, rows: u16| {
        let run = on_terminal(80, rows, words, &[("PAGER", pager)]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        run.lines.iter().any(|line| line == "paged")
    };
    assert!(marked("echo paged; cat", "show ops -q", 10));
    assert!(!marked("echo paged; cat", "show ops -q", 5000), "a text that fits needs no pager");
    assert!(!marked("echo paged; cat", "show ops -q --no-pager", 10));
    assert!(marked("echo paged", "show --list", 10));
    assert!(!marked("echo paged", "show ops -q --format csv", 10), "data is never paged");
}

#[test]
fn the_pager_of_the_program_comes_before_that_of_the_system() {
    let variables = [("PAGER", "echo other"), ("DLPROF_AGG_PAGER", "echo ours")];
    let run = on_terminal(80, 10, "show ops -q", &variables);
    assert_eq!((run.code, run.lines.as_slice()), (Some(0), &["ours".to_owned()][..]), "{}", run.stderr);
}

#[test]
fn a_pager_that_closes_early_or_is_missing_is_no_failure() {
    let early = on_terminal(80, 10, "show kernels -q", &[("PAGER", "head -n 1")]);
    assert_eq!((early.code, early.lines.len()), (Some(0), 1), "{}", early.stderr);
    let missing = on_terminal(80, 10, "show ops -q", &[("PAGER", "no-such-pager")]);
    assert_eq!(missing.code, Some(0), "{}", missing.stderr);
    assert!(missing.stderr.contains("the pager `no-such-pager` cannot be started"), "{}", missing.stderr);
    assert!(missing.lines.len() > 10, "the text is printed without it");
}

/// Data go to files as they are, but a terminal would obey what stands in names.
#[test]
fn names_in_data_do_not_change_a_terminal() {
    let folder = temporary_folder();
    let file = hostile(folder.path());
    for words in
        ["show kernels --format csv", "stats -r cuda_gpu_kern_sum --format csv", "rules --format json"]
    {
        let run = file_on_terminal(200, 5000, words, &[], &file);
        assert_eq!(run.code, Some(0), "{words}: {}", run.stderr);
        assert_eq!(obeyed(&run.lines.join("\n")), [], "{words}");
        assert!(run.lines.iter().any(|line| line.contains("[31m")), "{words}: the names are there");
    }
}

/// A file that is a terminal is one, too.
#[test]
fn names_in_files_do_not_change_a_terminal() {
    let folder = temporary_folder();
    let file = hostile(folder.path());
    for words in [
        "export --tables kernel_names --format csv -q -o /dev/stdout",
        "export --format folded -q -o /dev/stdout",
        "export --tables kernels --format ndjson -q -o /dev/stdout",
    ] {
        let run = file_on_terminal(200, 5000, words, &[], &file);
        assert_eq!(run.code, Some(0), "{words}: {}", run.stderr);
        assert_eq!(obeyed(&run.lines.join("\n")), [], "{words}");
        assert!(run.lines.iter().any(|line| line.contains("[31m")), "{words}: the names are there");
    }
}
