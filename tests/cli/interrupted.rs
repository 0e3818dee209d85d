//! Exports that a signal ends leave nothing, and what a killed one leaves is removed by the next.

use crate::run::{command, sample, temporary_folder};
use dlprof_generate::write_export;
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// What the folder has before and after.
const BEFORE: [&str; 3] = ["ops.csv", "pipe.csv", "tables"];

/// An export that waits: one of its outputs is a pipe that nobody reads.
fn start(folder: &Path, cache: &Path, wrapper: Option<&str>) -> Child {
    let words = "export -q -f --tables ops -o ops.csv -o new/ -o tables/ -o pipe.csv";
    let own = command(cache, words, &[&sample()]);
    let mut command = match wrapper {
        None => own,
        Some(script) => {
            let mut shell = Command::new("sh");
            shell.args(["-c", script, "sh"]).arg(own.get_program()).args(own.get_args());
            shell
        }
    };
    let child = command.current_dir(folder).env("TMPDIR", folder).stdout(Stdio::null()).spawn();
    let child = child.expect("the program starts");
    // It waits for a reader when all of its files are complete.
    let is_waiting = || {
        let begun = fs::read_dir(folder).expect("the folder").flatten();
        let start = format!(".dlprof-agg-{}-", child.id());
        let mut begun = begun.filter(|entry| entry.file_name().to_string_lossy().starts_with(&start));
        begun.any(|entry| has_pipe_part(&entry.path())) && is_blocked(&child)
    };
    while !is_waiting() {
        std::thread::yield_now();
    }
    child
}

/// Whether what goes to the pipe is there.
fn has_pipe_part(begun: &Path) -> bool {
    let names = fs::read_dir(begun).into_iter().flatten().flatten().map(|entry| entry.file_name());
    names.into_iter().any(|name| name.to_string_lossy().ends_with("-pipe.csv"))
}

/// Whether the first thread waits, in the call that opens the pipe.
fn is_blocked(child: &Child) -> bool {
    let wait = fs::read_to_string(format!("/proc/{}/wchan", child.id())).unwrap_or_default();
    let state = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap_or_default();
    !wait.contains("futex") && state.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('S'))
}

fn names(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<String> = files.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A folder with an old file, a folder and a pipe.
fn prepared() -> tempfile::TempDir {
    let folder = temporary_folder();
    fs::write(folder.path().join("ops.csv"), "old").expect("a file");
    fs::create_dir(folder.path().join("tables")).expect("a folder");
    let made = Command::new("mkfifo").arg(folder.path().join("pipe.csv")).status();
    assert!(made.expect("mkfifo").success());
    assert_eq!(names(folder.path()), BEFORE);
    folder
}

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).expect("a signal");
}

/// The signals that end the program: not those that it ignores because its caller does, as below `nohup`.
fn ending() -> Vec<Signal> {
    let status = fs::read_to_string("/proc/self/status").expect("what is ignored");
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).expect("a line").trim();
    let ignored = u64::from_str_radix(ignored, 16).expect("a mask");
    let all = [Signal::INT, Signal::TERM, Signal::HUP].into_iter();
    all.filter(|signal| ignored >> (signal.as_raw() - 1) & 1 == 0).collect()
}

#[test]
fn a_signal_removes_what_was_begun() {
    let cache = temporary_folder();
    for signal in ending() {
        let folder = prepared();
        let mut child = start(folder.path(), cache.path(), None);
        send(&child, signal);
        let status = child.wait().expect("the end");
        assert_eq!(status.signal(), Some(signal.as_raw()), "{status:?}");
        assert_eq!(names(folder.path()), BEFORE, "{signal:?}");
        assert_eq!(names(&folder.path().join("tables")), [""; 0], "{signal:?}");
        assert_eq!(fs::read_to_string(folder.path().join("ops.csv")).expect("a file"), "old");
    }
}

/// The folders that are being written where captures and exports of reports are kept.
fn unfinished(cache: &Path) -> Vec<String> {
    let folders = ["dlprof-agg", "dlprof-agg/exports"].map(|name| cache.join(name));
    let all = folders.iter().filter(|folder| folder.exists()).flat_map(|folder| names(folder));
    all.filter(|name| name.starts_with("writing-")).collect()
}

#[test]
fn a_signal_removes_what_is_being_kept() {
    let folder = temporary_folder();
    let (file, cache) = (folder.path().join("run.sqlite"), folder.path().join("cache"));
    write_export(&file, "--kernels 60000").expect("an export");
    let mut signals = ending().into_iter().cycle().take(6).peekable();
    while let Some(signal) = signals.peek() {
        let mut child =
            command(&cache, "-q", &[&file]).stdout(Stdio::null()).spawn().expect("the program starts");
        while unfinished(&cache).is_empty() && child.try_wait().expect("a status").is_none() {
            std::thread::yield_now();
        }
        // Nothing happens to the folder while this looks whether it still is there.
        send(&child, Signal::STOP);
        while is_running(&child) {
            std::thread::yield_now();
        }
        let was_writing = !unfinished(&cache).is_empty();
        send(&child, *signal);
        send(&child, Signal::CONT);
        child.wait().expect("the end");
        assert_eq!(unfinished(&cache), [""; 0], "{signal:?}");
        if was_writing {
            signals.next();
        }
        drop(fs::remove_dir_all(&cache));
    }
}

/// Whether a process has neither stopped nor ended.
fn is_running(child: &Child) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['T', 'Z']))
}

#[test]
fn a_signal_removes_the_export_of_a_report() {
    let folder = temporary_folder();
    let [report, nsys, cache] = ["run.nsys-rep", "nsys", "cache"].map(|name| folder.path().join(name));
    fs::write(&report, "a report").expect("a file");
    fs::write(&nsys, "#!/bin/sh\nexec sleep 3\n").expect("a program");
    fs::set_permissions(&nsys, PermissionsExt::from_mode(0o755)).expect("rights");
    let words = format!("-q --nsys {}", nsys.display());
    let mut child =
        command(&cache, &words, &[&report]).stdout(Stdio::null()).spawn().expect("the program starts");
    while unfinished(&cache).is_empty() {
        std::thread::yield_now();
    }
    send(&child, Signal::TERM);
    assert_eq!(child.wait().expect("the end").signal(), Some(Signal::TERM.as_raw()));
    assert_eq!(unfinished(&cache), [""; 0]);
}

#[test]
fn an_ignored_signal_stays_ignored() {
    let (cache, folder) = (temporary_folder(), prepared());
    let mut child = start(folder.path(), cache.path(), Some("trap '' HUP; exec \"$@\""));
    send(&child, Signal::HUP);
    let text = fs::read_to_string(folder.path().join("pipe.csv")).expect("what is written");
    assert!(text.starts_with("op_id,"), "{text}");
    assert!(child.wait().expect("the end").success());
    assert_eq!(names(folder.path()), ["new", "ops.csv", "pipe.csv", "tables"]);
}

#[test]
fn what_a_killed_export_left_is_removed_by_the_next_one() {
    let (cache, folder) = (temporary_folder(), prepared());
    let mut killed = start(folder.path(), cache.path(), None);
    killed.kill().expect("a signal");
    killed.wait().expect("the end");
    let left = |folder: &Path| names(folder).iter().filter(|name| name.starts_with(".dlprof-agg-")).count();
    assert!(left(folder.path()) > 0 && left(&folder.path().join("tables")) > 0);
    let foreign = [".dlprof-agg-notes.tmp", ".dlprof-agg-1-2-3.txt"];
    foreign.iter().for_each(|name| fs::create_dir(folder.path().join(name)).expect("a folder"));
    let alive = start(folder.path(), cache.path(), None);
    let of_others = left(folder.path()) - left_by(folder.path(), alive.id());
    assert_eq!(of_others, foreign.len(), "only what is alive, and what is not ours");
    // Another run leaves those of a run that is alive alone.
    let words = "export -q -f --tables ops -o ops.csv";
    let mut other = command(cache.path(), words, &[&sample()]);
    let other = other.current_dir(folder.path()).stdout(Stdio::null()).status();
    assert!(other.expect("the program starts").success());
    assert!(left_by(folder.path(), alive.id()) > 0);
    let mut alive = alive;
    send(&alive, Signal::TERM);
    alive.wait().expect("the end");
    assert!(foreign.iter().all(|name| folder.path().join(name).is_dir()));
    assert_eq!(left(folder.path()), foreign.len());
    assert!(names(&folder.path().join("tables")).is_empty());
}

/// The unfinished folders of a process.
fn left_by(folder: &Path, process: u32) -> usize {
    names(folder).iter().filter(|name| name.starts_with(&format!(".dlprof-agg-{process}-"))).count()
}
