//! Whether a file is still the one that was read.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A file, and what tells one state of it from another.
#[derive(Debug)]
pub(crate) struct Stamp {
    path: PathBuf,
    /// Length and time of the last change; `None` if there was no file.
    state: Option<(u64, Option<SystemTime>)>,
}

impl Stamp {
    /// The state of a file now.
    pub(crate) fn of(path: &Path) -> Self {
        Self { path: path.to_owned(), state: state(path) }
    }

    /// Whether the file is another one now, or gone.
    pub(super) fn has_changed(&self) -> bool {
        state(&self.path) != self.state
    }
}

fn state(path: &Path) -> Option<(u64, Option<SystemTime>)> {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.len(), metadata.modified().ok()))
}
