//! The folders that this process has begun to write and not finished.
//!
//! They are made and listed while a signal waits, and forgotten after they are gone. So a signal finds all of them: the program
//! that uses this crate watches for signals, if it wants to, and calls [`remove_begun`] before it ends.

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

/// A folder with a name that no other has, for this user alone. It is removed when this is dropped.
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
        let mut named = tempfile::Builder::new();
        named.prefix(start);
        #[cfg(unix)]
        named.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let folder = named.tempdir_in(std::path::absolute(parent)?)?;
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

/// Holds the list, so that [`remove_begun`] waits: what happens until the returned value is dropped happens as a whole or not at
/// all.
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

/// Removes every folder that was begun, as [`remove_begun`] does, but other threads go on: for processes whose end is not this
/// program's.
pub fn clear_begun() {
    begun().iter().for_each(|folder| remove(folder));
}

/// As [`remove_begun`], for a process that has no memory left: it does nothing where it would have to wait.
pub fn try_remove_begun() {
    if let Ok(begun) = BEGUN.try_lock() {
        begun.iter().for_each(|folder| remove_without_memory(folder));
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

/// Folders in a begun folder are no deeper.
#[cfg(target_os = "linux")]
const DEEPEST: usize = 4;

/// As [`remove`]. What the standard library lists folders with asks for memory.
#[cfg(target_os = "linux")]
fn remove_without_memory(folder: &Path) {
    use rustix::fs::{CWD, Mode, rmdir};
    for _ in 0..TRIES {
        let Ok(opened) = rustix::fs::openat(CWD, folder, FOLDER, Mode::empty()) else { return };
        empty(&opened, DEEPEST);
        if rmdir(folder).is_ok() {
            return;
        }
    }
}

#[cfg(target_os = "linux")]
const FOLDER: rustix::fs::OFlags = {
    use rustix::fs::OFlags;
    OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC)
};

/// Removes what is in a folder.
#[cfg(target_os = "linux")]
fn empty(folder: &rustix::fd::OwnedFd, deepest: usize) {
    use rustix::fs::{AtFlags, Mode, RawDir, openat, unlinkat};
    let mut names = [std::mem::MaybeUninit::uninit(); 4096];
    let mut entries = RawDir::new(folder, &mut names);
    while let Some(Ok(entry)) = entries.next() {
        let name = entry.file_name();
        if [c".", c".."].contains(&name) || unlinkat(folder, name, AtFlags::empty()).is_ok() {
            continue;
        }
        if deepest > 0
            && let Ok(inner) = openat(folder, name, FOLDER, Mode::empty())
        {
            empty(&inner, deepest - 1);
        }
        // If it cannot be removed, there is nobody left to tell.
        let _ = unlinkat(folder, name, AtFlags::REMOVEDIR);
    }
}

#[cfg(not(target_os = "linux"))]
fn remove_without_memory(folder: &Path) {
    remove(folder);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_removed_without_memory() {
        let parent = tempfile::tempdir().expect("a folder");
        let path = parent.path().join("begun");
        fs::create_dir_all(path.join("tables/inner")).expect("folders");
        for number in 0..300 {
            fs::write(path.join(format!("tables/a table with a long name {number}")), "half")
                .expect("a file");
        }
        fs::create_dir(parent.path().join("far")).expect("a folder");
        fs::write(parent.path().join("far/kept.csv"), "kept").expect("a file");
        #[cfg(unix)]
        std::os::unix::fs::symlink(parent.path().join("far"), path.join("link")).expect("a link");
        remove_without_memory(&path);
        assert!(!path.exists() && parent.path().join("far/kept.csv").exists());
    }

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
