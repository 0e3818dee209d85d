//! What is private stays private: nobody may read of a capture in another place who may not read the capture itself.

use crate::http::Server;
use crate::run::{command, sample, temporary_folder};
use dlprof_generate::write_export;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

fn mode(path: &Path) -> u32 {
    path.metadata().expect("it is there").permissions().mode() & 0o777
}

fn give(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("permissions");
}

/// All that is in a folder.
fn inside(folder: &Path) -> Vec<PathBuf> {
    let here = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    here.flat_map(|path| [inside(&path), vec![path]].concat()).collect()
}

/// Runs the program where others may read what is made, unless it says otherwise.
fn run(cache: &Path, words: &str, paths: &[&Path]) -> i32 {
    let line = "umask 022; exec \"$0\" \"$@\"";
    let mut shell = std::process::Command::new("/bin/sh");
    let inner = command(cache, words, paths);
    shell.args(["-c", line]).arg(inner.get_program()).args(inner.get_args());
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell.env("TMPDIR", cache).output().expect("the program starts").status.code().expect("a code")
}

/// A program in place of `nsys`, which notes who may look into the folder that it writes into.
fn nsys(folder: &Path) -> PathBuf {
    let program = folder.join("nsys");
    let script = format!(
        "#!/bin/sh\nwhile [ $# -gt 0 ]; do if [ \"$1\" = --output ]; then out=$2; fi; shift; done\n[ -n \"$out\" ] || exit 0\n\
         stat -c %a \"$(dirname \"$out\")\" >> '{}'\ncp '{}' \"$out\" && chmod 644 \"$out\"\n",
        folder.join("folders").display(),
        sample().canonicalize().expect("the sample").display(),
    );
    std::fs::write(&program, script).expect("a script");
    give(&program, 0o755);
    program
}

#[test]
fn what_is_kept_is_for_the_user_alone() {
    let folder = temporary_folder();
    let (cache, capture) = (folder.path().join("cache"), folder.path().join("run.sqlite"));
    write_export(&capture, "--style markers --kernels 13000").expect("an export");
    let report = folder.path().join("run.nsys-rep");
    std::fs::write(&report, "a report").expect("a file");
    // A folder of an earlier version, which others may look into.
    std::fs::create_dir_all(cache.join("dlprof-agg")).expect("a folder");
    give(&cache.join("dlprof-agg"), 0o755);
    for mode in [0o600, 0o644] {
        give(&capture, mode);
        assert_eq!(run(&cache, "", &[&capture]), 0);
        assert_eq!(run(&cache, &format!("--nsys {} check", nsys(folder.path()).display()), &[&report]), 0);
    }
    let server = Server::start_in(&cache, "-p 0", &[&capture]);
    assert_eq!(server.aggregate("", r#"{"start": 3, "stop": 4}"#).status, 200);
    drop(server);
    let kept = inside(&cache.join("dlprof-agg"));
    let has = |ending: &str| kept.iter().any(|path| path.to_string_lossy().ends_with(ending));
    for ending in ["work.arrow", "manifest.json", "exports", "run.sqlite", "report.txt", ".aggregations.json"]
    {
        assert!(has(ending), "{ending} in {kept:?}");
    }
    for path in kept.iter().chain([&cache.join("dlprof-agg")]) {
        let allowed = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode(path) & !allowed, 0, "{}: {:o}", path.display(), mode(path));
    }
}

#[test]
fn exports_of_reports_have_no_more_rights_than_these() {
    let folder = temporary_folder();
    let (cache, report) = (folder.path().join("cache"), folder.path().join("run.nsys-rep"));
    std::fs::create_dir(&cache).expect("a folder");
    std::fs::write(&report, "a report").expect("a file");
    let nsys = nsys(folder.path());
    for (of_report, of_export) in [(0o600, 0o600), (0o640, 0o640), (0o644, 0o644)] {
        give(&report, of_report);
        let export = folder.path().join(format!("{of_report:o}.sqlite"));
        let words = format!("stats --nsys {} --sqlite {}", nsys.display(), export.display());
        assert_eq!(run(&cache, &format!("{words} -r nvtx_sum"), &[&report]), 0);
        assert_eq!(mode(&export), of_export);
    }
    assert_eq!(run(&cache, &format!("--no-cache --nsys {} check", nsys.display()), &[&report]), 0);
    let folders = std::fs::read_to_string(folder.path().join("folders")).expect("notes");
    assert_eq!(folders.lines().collect::<Vec<_>>(), ["700"; 4], "where they were written");
}

#[test]
fn lakes_show_others_no_more_than_captures_do() {
    let folder = temporary_folder();
    let (cache, capture) = (folder.path().join("cache"), folder.path().join("run.sqlite"));
    std::fs::create_dir(&cache).expect("a folder");
    std::fs::copy(sample(), &capture).expect("a copy");
    for (rank, (of_capture, of_file, of_folder)) in
        [(0o600, 0o600, 0o700), (0o640, 0o640, 0o750), (0o644, 0o644, 0o755)].into_iter().enumerate()
    {
        give(&capture, of_capture);
        let lake = folder.path().join("lake");
        assert_eq!(
            run(&cache, &format!("lake add --run 1 --rank {rank} {}", lake.display()), &[&capture]),
            0
        );
        let made = lake.join(format!("run=1/rank={rank}"));
        assert_eq!((mode(&made), inside(&made).len()), (of_folder, 6));
        for path in inside(&made) {
            assert_eq!(mode(&path), of_file, "{}", path.display());
        }
    }
}
