//! The folders that this process has begun to write and not finished.
//!
//! They are made and listed while a signal waits, and forgotten after they are gone. So a signal finds all of them: the program that
//! uses this crate watches for signals, if it wants to, and calls [`remove_begun`] before it ends.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{fs, io};
use tempfile::TempDir;

static BEGUN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A folder is emptied so many times at most: another thread may still write into it.
const TRIES: usize = 10;

/// A folder that is being written. It is forgotten, not removed, when this is dropped.
#[derive(Debug)]
pub struct Begun(PathBuf);

impl Begun {
    /// Makes a folder and notes it. A signal finds both done, or neither.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn new(folder: &Path, make: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<Self> {
        let folder = std::path::absolute(folder)?;
        let mut begun = begun();
        make(&folder)?;
        begun.push(folder.clone());
        drop(begun);
        Ok(Self(folder))
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        let mut begun = begun();
        if let Some(at) = begun.iter().position(|folder| *folder == self.0) {
            begun.swap_remove(at);
        }
    }
}

/// A folder with a name that no other has. It is removed when this is dropped.
#[derive(Debug)]
pub struct BegunFolder {
    folder: TempDir,
    // Dropped after the folder.
    _begun: Begun,
}

impl BegunFolder {
    /// Makes one whose name starts with these letters.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn new(parent: &Path, start: &str) -> io::Result<Self> {
        let mut list = begun();
        let folder = tempfile::Builder::new().prefix(start).tempdir_in(std::path::absolute(parent)?)?;
        list.push(folder.path().into());
        let begun = Begun(folder.path().into());
        drop(list);
        Ok(Self { folder, _begun: begun })
    }

    /// Makes one among the temporary files of the system.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn temporary() -> io::Result<Self> {
        Self::new(&std::env::temp_dir(), "dlprof-agg-")
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Gives the folder its final name; from then on it stays.
    ///
    /// # Errors
    /// If the system refuses. Then the folder is removed.
    pub fn rename(self, place: &Path) -> io::Result<()> {
        fs::rename(self.folder.path(), place)?;
        // Nothing has the old name any more.
        drop(self.folder.keep());
        Ok(())
    }
}

/// Holds the list, so that [`remove_begun`] waits: what happens until the returned value is dropped happens as a whole or not at all.
#[must_use]
pub fn hold_signals() -> impl Drop {
    begun()
}

fn begun() -> MutexGuard<'static, Vec<PathBuf>> {
    BEGUN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes every folder that was begun. Call it just before the process ends: it keeps the list locked, so another thread that
/// begins or finishes a folder after this call waits forever.
pub fn remove_begun() {
    let begun = begun();
    begun.iter().for_each(|folder| remove(folder));
    std::mem::forget(begun);
}

/// As [`remove_begun`], for a process that has no memory left: it does nothing where it would have to wait.
pub fn try_remove_begun() {
    if let Ok(begun) = BEGUN.try_lock() {
        begun.iter().for_each(|folder| remove(folder));
        std::mem::forget(begun);
    }
}

fn remove(folder: &Path) {
    for _ in 0..TRIES {
        if fs::remove_dir_all(folder).is_ok() || !folder.exists() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_made_while_signals_wait() {
        let parent = tempfile::tempdir().expect("a folder");
        let path = parent.path().join("one");
        let make = |path: &Path| {
            assert!(BEGUN.try_lock().is_err(), "a signal could come between");
            fs::create_dir(path)
        };
        let one = Begun::new(&path, make).expect("a folder");
        assert!(begun().contains(&path));
        assert!(Begun::new(&path, make).is_err(), "it exists");
        drop(one);
        assert!(!begun().contains(&path));
    }
}
