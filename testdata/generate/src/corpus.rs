//! Real exports, which are in a folder beside the project and are not part of it.

use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The folder of the real exports, `../shared/corpus` beside the project. If it does not exist, this prints
/// `SKIPPED` to standard error directly, because the test harness hides what passing tests print.
#[must_use]
pub fn folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    if folder.is_dir() {
        return Some(folder);
    }
    // If standard error is closed, nobody can read the message.
    let _ = writeln!(std::io::stderr(), "SKIPPED: no corpus at {}", folder.display());
    None
}

/// The folder of the program that specifies jobs of many ranks, and makes some, beside the project. If it does not exist, this
/// prints `SKIPPED` as [`folder`] does.
#[must_use]
pub fn ranks_programs() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bin/ranks");
    if folder.is_dir() {
        return Some(folder);
    }
    let _ = writeln!(std::io::stderr(), "SKIPPED: no programs for jobs at {}", folder.display());
    None
}

/// The exports of the corpus in order of their names. If there is no corpus, prints `SKIPPED` and returns none.
///
/// # Panics
/// If the folder exists but is not complete.
#[must_use]
pub fn corpus() -> Vec<PathBuf> {
    let Some(Ok(entries)) = folder().map(std::fs::read_dir) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "sqlite"))
        .collect();
    files.sort();
    assert!(files.len() > 30, "the corpus is complete");
    files
}
