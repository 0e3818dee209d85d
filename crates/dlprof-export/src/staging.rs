//! Several files that appear together or not at all.
//!
//! ```text
//! place(path) ──► .dlprof-agg-PID.tmp/N-name, beside the path      all are written there
//! commit()    ──► path                                             all are renamed; otherwise all are removed
//! ```

use crate::error::Error;
use crate::formats::step_summary::MOST_BYTES;
use crate::target::write_file;
use crate::temporary::{folder_of, remove_abandoned, temporary_folder_name};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Files and folders that are written but do not have their final names yet. If it is dropped, they are removed.
#[derive(Default)]
pub(crate) struct Staging {
    folders: Vec<StagingFolder>,
    entries: Vec<Entry>,
}

struct StagingFolder {
    /// Where its content goes.
    parent: PathBuf,
    path: PathBuf,
    /// Held until the end: shows other runs that the folder is in use. None where folders cannot be locked.
    _lock: Option<File>,
}

struct Entry {
    staged: PathBuf,
    path: PathBuf,
    /// Whether it is added to what the file has, as a step adds to the summary of a job.
    is_addition: bool,
}

impl Staging {
    /// Where to write what will have this path. The folder of the path must exist.
    ///
    /// # Errors
    /// If there cannot be a folder beside the path.
    pub(crate) fn place(&mut self, path: &Path) -> Result<PathBuf, Error> {
        let parent = folder_of(path);
        let failed = |source| Error::Write { path: path.into(), source };
        let at = match self.folders.iter().position(|folder| folder.parent == parent) {
            Some(at) => at,
            None => {
                self.folders.push(StagingFolder::new(parent).map_err(failed)?);
                self.folders.len() - 1
            }
        };
        let mut name = std::ffi::OsString::from(format!("{}-", self.entries.len()));
        name.push(path.file_name().unwrap_or_default());
        let staged = self.folders[at].path.join(name);
        self.entries.push(Entry { staged: staged.clone(), path: path.into(), is_addition: false });
        Ok(staged)
    }

    /// As [`Staging::place`], for what will be added at the end of the file.
    ///
    /// # Errors
    /// As those of [`Staging::place`].
    pub(crate) fn place_addition(&mut self, path: &Path) -> Result<PathBuf, Error> {
        let staged = self.place(path)?;
        if let Some(entry) = self.entries.last_mut() {
            entry.is_addition = true;
        }
        Ok(staged)
    }

    /// As [`Staging::place`], for a folder. Only files will be in it.
    ///
    /// # Errors
    /// If there cannot be such a folder.
    pub(crate) fn place_folder(&mut self, path: &Path) -> Result<PathBuf, Error> {
        let staged = self.place(path)?;
        fs::create_dir(&staged).map_err(|source| Error::Write { path: path.into(), source })?;
        Ok(staged)
    }

    /// The error with the path that the user knows.
    pub(crate) fn explain(&self, error: Error) -> Error {
        let Error::Write { path, source } = error else { return error };
        let known = self.entries.iter().find_map(|entry| {
            let rest = path.strip_prefix(&entry.staged).ok()?;
            Some(if rest.as_os_str().is_empty() { entry.path.clone() } else { entry.path.join(rest) })
        });
        Error::Write { path: known.unwrap_or(path), source }
    }

    /// Gives everything its final name.
    ///
    /// # Errors
    /// If the system refuses to rename, or a summary would be longer than what is shown.
    pub(crate) fn commit(self) -> Result<(), Error> {
        let additions = || self.entries.iter().filter(|entry| entry.is_addition);
        additions().try_for_each(Entry::check_length)?;
        for Entry { staged, path, is_addition } in &self.entries {
            let put = if *is_addition { append } else { put };
            put(staged, path).map_err(|source| Error::Write { path: path.clone(), source })?;
        }
        Ok(())
    }
}

/// Writes several whole files: all of them, or none.
///
/// # Errors
/// If the system refuses to write.
pub fn write_files<'a>(files: impl IntoIterator<Item = (&'a Path, &'a [u8])>) -> Result<(), Error> {
    let mut staging = Staging::default();
    for (path, bytes) in files {
        let staged = staging.place(path)?;
        write_file(&staged, bytes).map_err(|error| staging.explain(error))?;
    }
    staging.commit()
}

impl Entry {
    /// Checks that the file, with what is added, is not longer than the summary of a step may be.
    fn check_length(&self) -> Result<(), Error> {
        let length = |path: &Path| path.metadata().map_or(0, |metadata| metadata.len());
        let bytes = length(&self.path) + length(&self.staged);
        let most = MOST_BYTES;
        if bytes > most { Err(Error::TooLong { path: self.path.clone(), bytes, most }) } else { Ok(()) }
    }
}

/// Adds a file at the end of another one, in one piece, as `>>` of a shell does: other steps may have the file open.
fn append(staged: &Path, path: &Path) -> io::Result<()> {
    let bytes = fs::read(staged)?;
    File::options().append(true).create(true).open(path)?.write_all(&bytes)
}

/// Moves a file or a folder to its place. Files of a folder that exists already are put into it.
fn put(staged: &Path, path: &Path) -> io::Result<()> {
    if !staged.is_dir() || !path.exists() {
        return fs::rename(staged, path);
    }
    for file in fs::read_dir(staged)? {
        let file = file?;
        fs::rename(file.path(), path.join(file.file_name()))?;
    }
    Ok(())
}

impl StagingFolder {
    fn new(parent: &Path) -> io::Result<Self> {
        remove_abandoned(parent);
        let path = parent.join(temporary_folder_name());
        fs::create_dir(&path)?;
        let lock = File::open(&path).ok().filter(|folder| folder.try_lock().is_ok());
        Ok(Self { parent: parent.into(), path, _lock: lock })
    }
}

impl Drop for StagingFolder {
    fn drop(&mut self) {
        // The work is done or has failed already; a later run removes what cannot be removed now.
        drop(fs::remove_dir_all(&self.path));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let files = fs::read_dir(folder).expect("a folder").flatten();
        let mut names: Vec<String> =
            files.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn all_appear_or_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("old.csv"), "old").expect("a file");
        let stage = || {
            let mut staging = Staging::default();
            for name in ["a.csv", "old.csv"] {
                fs::write(staging.place(&at(name)).expect("a place"), "new").expect("a file");
            }
            let tables = staging.place_folder(&at("tables")).expect("a place");
            fs::write(tables.join("ops.csv"), "new").expect("a file");
            staging
        };
        drop(stage());
        assert_eq!(names(folder.path()), ["old.csv"]);
        assert_eq!(fs::read_to_string(at("old.csv")).expect("a file"), "old");
        stage().commit().expect("all");
        assert_eq!(names(folder.path()), ["a.csv", "old.csv", "tables"]);
        assert_eq!(fs::read_to_string(at("old.csv")).expect("a file"), "new");
        fs::write(at("tables/gpus.csv"), "kept").expect("a file");
        stage().commit().expect("all, again");
        assert_eq!(names(&at("tables")), ["gpus.csv", "ops.csv"]);
    }

    #[test]
    fn errors_name_the_final_path() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut staging = Staging::default();
        let staged = staging.place_folder(&folder.path().join("tables")).expect("a place");
        let error = Error::Write { path: staged.join("ops.csv"), source: io::ErrorKind::StorageFull.into() };
        let shown = staging.explain(error).to_string();
        assert_eq!(shown, format!("cannot write `{}`", folder.path().join("tables/ops.csv").display()));
    }
}
