//! Runs the program.

use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What a run gave.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs `dlprof-agg` with words, then paths as they are.
pub(crate) fn run(words: &str, paths: &[&Path]) -> Run {
    run_with_cache(temporary_folder().path(), words, paths)
}

/// The same, with a folder for kept captures.
pub(crate) fn run_with_cache(cache: &Path, words: &str, paths: &[&Path]) -> Run {
    let output = command(cache, words, paths).output().expect("the program starts");
    let Output { status, stdout, stderr } = output;
    Run {
        code: status.code().expect("the program ends by itself"),
        stdout: String::from_utf8(stdout).expect("UTF-8"),
        stderr: String::from_utf8(stderr).expect("UTF-8"),
    }
}

/// The command of such a run.
pub(crate) fn command(cache: &Path, words: &str, paths: &[&Path]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dlprof-agg"));
    // Nothing is kept where the user keeps things, and neither the user's configuration nor the terminal matters.
    command
        .env("LC_ALL", "C.UTF-8")
        .env_remove("COLUMNS")
        .env("XDG_CACHE_HOME", cache)
        .env("XDG_CONFIG_HOME", cache)
        .args(words.split_whitespace())
        .args(paths);
    command
}

/// A file under `testdata`.
pub(crate) fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name)
}

/// The sample capture.
pub(crate) fn sample() -> PathBuf {
    testdata("sample.sqlite")
}

/// Makes a database of an SQL file under `testdata`.
pub(crate) fn database(folder: &Path, sql: &str) -> PathBuf {
    let file = folder.join(sql).with_extension("sqlite");
    let text = std::fs::read_to_string(testdata(sql)).expect("the SQL file");
    Connection::open(&file).and_then(|connection| connection.execute_batch(&text)).expect("a database");
    file
}

pub(crate) fn temporary_folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder for temporary files")
}
