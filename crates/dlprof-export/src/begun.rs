//! The folders that this process has begun to write and not finished.
//!
//! They are named before they exist, and forgotten after they are gone. So a signal finds all of them: the program that uses this
//! crate watches for signals, if it wants to, and calls [`remove_begun`] before it ends.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

static BEGUN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A folder is emptied so many times at most: another thread may still write into it.
const TRIES: usize = 10;

/// A folder that is being written. It is forgotten, not removed, when this is dropped.
#[derive(Debug)]
pub struct Begun(PathBuf);

impl Begun {
    /// Notes a folder that will be made now.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.into());
        begun().push(folder.clone());
        Self(folder)
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

/// Holds the list, so that [`remove_begun`] waits: what follows happens as a whole or not at all.
pub(crate) fn begun() -> MutexGuard<'static, Vec<PathBuf>> {
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
