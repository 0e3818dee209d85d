//! Files of a job that are of kinds that are known and not read: what most of them are, and how many.

use super::folder::files;
use crate::exit::Failure;
use dlprof_core::{Error, UnreadFile, most_frequent_unread, unread_file};
use std::path::{Path, PathBuf};

/// Refuses folders without a capture in them, if it is known what else they hold.
pub(super) fn check_folders(paths: &[&PathBuf]) -> Result<(), Failure> {
    for folder in paths.iter().filter(|path| path.is_dir()) {
        if let Some(found) = unread_file(folder) {
            return Err(Error::Unread { path: folder.to_path_buf(), found }.into());
        }
        let inside = files(folder)?;
        if let Some((said, hint)) = in_words(&inside) {
            let message = format!("`{}` holds no capture: {said}", folder.display());
            return Err(Failure::Input { message, cause: None, hint });
        }
    }
    Ok(())
}

/// What most of some files are, and what to do; none if none of them is of such a kind.
pub(super) fn in_words(files: &[PathBuf]) -> Option<(String, Option<String>)> {
    let (count, file, found) = most_frequent_unread(files.iter().map(PathBuf::as_path))?;
    Some((sentence(count, file, &found), found.hint))
}

fn sentence(count: usize, file: &Path, found: &UnreadFile) -> String {
    match count {
        1 => format!("`{}` is {found}", file.display()),
        count => format!("{count} files are {}", found.several),
    }
}
