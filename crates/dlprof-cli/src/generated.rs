//! Generated captures, and settings that no file of the user and no cache changes, for tests.

use crate::opening::CaptureFile;
use crate::settings::{OptionValues, Settings};
use dlprof_core::{DefaultRange, RuleSettings};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Settings of a user who gave none.
pub(crate) fn settings() -> Settings {
    settings_of(OptionValues::default(), DefaultRange::Auto)
}

/// Settings of values; nothing is kept.
pub(crate) fn settings_of(values: OptionValues, usual: DefaultRange) -> Settings {
    let settings = Settings::of(values, RuleSettings::default(), usual).expect("settings");
    Settings { cache: None, ..settings }
}

/// A folder for files of a test.
pub(crate) fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

/// Arguments of the generator for a small capture.
const SMALL: &str = "--iterations 8 --layers 1 --jitter 0";

/// Writes a capture of a training loop by arguments of the generator, a small one without any, and returns its path.
pub(crate) fn capture(folder: &Path, name: &str, arguments: &str) -> PathBuf {
    let path = folder.join(name);
    let arguments = if arguments.is_empty() { SMALL } else { arguments };
    dlprof_generate::write_export(&path, arguments).expect("an export");
    path
}

/// Such a capture with the settings of a user who gave none.
pub(crate) fn capture_file(folder: &Path) -> CaptureFile {
    CaptureFile::new(capture(folder, "run.sqlite", ""), settings())
}
