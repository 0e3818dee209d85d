//! What folders hold.

use crate::exit::Failure;
use std::path::{Path, PathBuf};

/// What is in a folder, of any kind.
pub(super) fn entries(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let unreadable = |source| dlprof_core::Error::Unreadable { path: folder.into(), source };
    let entries = std::fs::read_dir(folder).map_err(unreadable)?;
    entries.map(|entry| Ok(entry.map_err(unreadable)?.path())).collect()
}

/// The files of a folder, not of folders in it.
pub(super) fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    Ok(entries(folder)?.into_iter().filter(|path| path.is_file()).collect())
}
