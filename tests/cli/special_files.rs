//! Captures, settings, policies, baselines, logs and fonts that are not regular files, or too long: refused before they are read.

use crate::run::{command, sample, temporary_folder};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// The places of small files: words in front of the name, and the exit code.
const PLACES: [(&str, i32); 9] = [
    ("show summary SAMPLE --config", 2),
    ("rules --config", 2),
    ("gate base.json --baseline base.json --policy", 2),
    ("gate base.json --baseline", 3),
    ("compare base.json", 3),
    ("baseline base.json -f -o new.json", 3),
    ("history base.json", 3),
    ("history", 3),
    ("export SAMPLE -f -o new.pdf --font", 2),
];

/// The places of captures and logs, all with exit code 3.
const CAPTURES: [&str; 11] = [
    "",
    "check",
    "rules",
    "show summary",
    "stats",
    "view -p 0",
    "export --tables ops -f -o new.csv",
    "lake add lake",
    "compare base.json",
    "gate --baseline base.json",
    "show summary SAMPLE --ncu",
];

/// What a run says. It waits for nothing: a run that read a pipe or a device would never end, and is ended.
fn said(folder: &Path, words: &str, path: &str) -> (Option<i32>, String) {
    let sample = sample();
    let words = words.replace("SAMPLE", &sample.to_string_lossy());
    // The limits are far beyond what a right run needs.
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -t 60; ulimit -v 8000000; exec \"$@\"", "sh"]);
    let own = command(&folder.join("cache"), &words, &[]);
    shell.arg(own.get_program()).args(own.get_args()).arg(path);
    for (name, value) in own.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    let output = shell.current_dir(folder).stdin(Stdio::null()).output().expect("the program starts");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn prepared() -> tempfile::TempDir {
    let folder = temporary_folder();
    let made = command(folder.path(), "baseline -o", &[&folder.path().join("base.json"), &sample()]).output();
    assert!(made.expect("the program starts").status.success());
    folder
}

#[test]
fn pipes_devices_and_files_of_the_kernel_are_refused() {
    let folder = prepared();
    // This end of the pipe stays open and writes nothing, so a program that reads from the pipe would wait forever.
    let pipe = folder.path().join("pipe.json");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let _held = fs::File::options().read(true).write(true).open(&pipe).expect("the pipe");
    for path in ["pipe.json", "/dev/zero", "/proc/self/status", "/proc/kmsg"] {
        for (words, code) in PLACES {
            let (found, error) = said(folder.path(), words, path);
            assert_eq!(found, Some(code), "{words} {path}: {error}");
            assert!(error.starts_with("error: "), "{words} {path}: {error}");
            assert!(error.contains("a regular file is needed"), "{words} {path}: {error}");
        }
    }
    // Names of captures, traces and reports, and links to what the kernel makes.
    for (link, target) in
        [("k.json", "/proc/kmsg"), ("k.pt.trace.json", "/proc/kmsg"), ("k.sqlite", "/dev/zero")]
    {
        std::os::unix::fs::symlink(target, folder.path().join(link)).expect("a link");
        for words in CAPTURES {
            let (found, error) = said(folder.path(), words, link);
            assert_eq!(found, Some(3), "{words} {link}: {error}");
            assert!(error.contains("a regular file is needed"), "{words} {link}: {error}");
        }
    }
    let only_links = folder.path().join("links");
    fs::create_dir(&only_links).expect("a folder");
    std::os::unix::fs::symlink("/proc/kmsg", only_links.join("k.json")).expect("a link");
    for words in ["ranks", "history", "lake add lake"] {
        let (code, error) = said(folder.path(), words, "links");
        assert!(code.is_some() && !error.contains("neither an SQLite"), "{words}: {code:?} {error}");
    }
    // One among the baselines of a folder, and the settings file of the working folder.
    fs::create_dir(folder.path().join("history")).expect("a folder");
    fs::hard_link(&pipe, folder.path().join("history/1.json")).expect("a link");
    let (code, error) = said(folder.path(), "history", "history");
    assert_eq!(code, Some(3), "{error}");
    assert!(error.contains("pipe; a regular file is needed"), "{error}");
    fs::hard_link(&pipe, folder.path().join("dlprof-agg.toml")).expect("a link");
    let (code, error) = said(folder.path(), "show summary", &sample().to_string_lossy());
    assert_eq!(code, Some(2), "{error}");
    assert!(error.contains("pipe; a regular file is needed"), "{error}");
}

#[test]
fn long_files_are_refused_with_their_limit() {
    let folder = prepared();
    // Files with holes take no room.
    let (font, places) = PLACES.split_last().expect("places");
    let (settings, baselines) = places.split_at(3);
    for (name, bytes, kinds) in [
        ("long.toml", (1_u64 << 20) + 1, settings),
        ("long.json", (128 << 20) + 1, baselines),
        ("long.ttf", (256 << 20) + 1, std::slice::from_ref(font)),
    ] {
        let file = fs::File::create(folder.path().join(name)).expect("a file");
        std::io::Write::write_all(&mut &file, b"{").expect("written");
        file.set_len(bytes).expect("a length");
        for (words, code) in kinds {
            let (found, error) = said(folder.path(), words, name);
            assert_eq!(found, Some(*code), "{words} {name}: {error}");
            let part = format!("it has {bytes} bytes; files of this kind have at most {}", bytes - 1);
            assert!(error.contains(&part), "{words} {name}: {error}");
        }
    }
}
