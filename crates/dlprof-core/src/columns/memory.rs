//! How much memory columns may take. Columns that do not fit are put into scratch files.
//!
//! ```text
//! buffer   small ────────────────► the heap
//!          large, budget left ───► the heap
//!          large, no budget ─────► pages of a scratch file ◄── dropped while the process holds too much
//! ```
//!
//! Columns are long, and are mostly read and written from front to back. So a capture that does not fit needs no other
//! algorithm: its columns are put into files, and their pages are dropped from memory whenever the process holds more than
//! the budget. What was written stays in the file and comes back when it is touched. The output cannot depend on the
//! budget, because the same code runs in every case.

use super::available::available_bytes;
use super::region::Mapping;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Smaller buffers never go to a file.
const LARGE_BYTES: usize = 512 << 10;

/// How often the memory of the process is compared with the budget while scratch files exist. In this time a thread
/// can use about 5 MB.
const INTERVAL: Duration = Duration::from_millis(1);

/// A budget for the columns of one or several captures. Clones share it.
#[derive(Debug, Clone)]
pub struct Memory {
    budget: Arc<Budget>,
}

#[derive(Debug)]
struct Budget {
    /// Bytes that large buffers may take from the heap.
    share: usize,
    /// Bytes that the process may hold before pages of scratch files are dropped.
    limit: usize,
    /// Bytes that large buffers take from the heap.
    taken: AtomicUsize,
    folder: PathBuf,
    regions: Mutex<Regions>,
}

#[derive(Debug, Default)]
struct Regions {
    list: Vec<Mapping>,
    is_watched: bool,
    scratch_bytes: usize,
    most_scratch_bytes: usize,
}

/// The budgets of the process, by their bytes.
static OF_PROCESS: Mutex<BTreeMap<usize, Memory>> = Mutex::new(BTreeMap::new());

impl Default for Memory {
    /// Half of the memory that was available to this process when it was asked for first. All captures of the process share it.
    fn default() -> Self {
        static HALF: LazyLock<usize> = LazyLock::new(|| available_bytes(Path::new("/")) / 2);
        Self::of_process(*HALF)
    }
}

impl Memory {
    /// A budget in bytes. The process takes about this much memory and a little more for everything that is not a
    /// column: some 20 MB, and texts. The budget should be at least a tenth of the columns of a capture. With less,
    /// pages are read again and again.
    #[must_use]
    pub fn within(bytes: usize) -> Self {
        Self::in_folder(bytes, scratch_folder())
    }

    /// The budget of the process in bytes: all that ask for the same number share it, so many captures take no more than one.
    #[must_use]
    pub fn of_process(bytes: usize) -> Self {
        let mut budgets = OF_PROCESS.lock().unwrap_or_else(PoisonError::into_inner);
        budgets.entry(bytes).or_insert_with(|| Self::within(bytes)).clone()
    }

    /// A budget in bytes, with scratch files in a folder.
    #[must_use]
    pub fn in_folder(bytes: usize, folder: PathBuf) -> Self {
        let budget = Budget {
            share: bytes / 2,
            limit: bytes / 16 * 11,
            taken: AtomicUsize::new(0),
            folder,
            regions: Mutex::default(),
        };
        Self { budget: Arc::new(budget) }
    }

    /// The budget in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.budget.share.saturating_mul(2)
    }

    /// No limit: everything is in memory.
    #[must_use]
    pub fn unlimited() -> Self {
        Self::in_folder(usize::MAX, PathBuf::new())
    }

    /// The largest number of bytes that were in scratch files at the same time.
    #[must_use]
    pub fn most_scratch_bytes(&self) -> usize {
        self.regions().most_scratch_bytes
    }

    /// Takes heap memory out of the budget; false if there is not enough left. Small amounts are always given and not
    /// counted.
    pub(super) fn take(&self, bytes: usize) -> bool {
        if bytes < LARGE_BYTES {
            return true;
        }
        let taken = &self.budget.taken;
        let is_left = taken.load(Ordering::Relaxed).saturating_add(bytes) <= self.budget.share;
        if is_left {
            taken.fetch_add(bytes, Ordering::Relaxed);
        }
        is_left
    }

    /// Takes heap memory although the budget is used up, because no scratch file can be created.
    pub(super) fn overdraw(&self, bytes: usize) {
        if bytes >= LARGE_BYTES {
            self.budget.taken.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    /// Returns what [`Self::take`] or [`Self::overdraw`] took to the budget.
    pub(super) fn give_back(&self, bytes: usize) {
        if bytes >= LARGE_BYTES {
            self.budget.taken.fetch_sub(bytes, Ordering::Relaxed);
        }
    }

    /// The folder of the scratch files.
    pub(super) fn folder(&self) -> &Path {
        &self.budget.folder
    }

    /// Watches a new mapping of a file. While all mappings together could exceed the budget, their pages are dropped whenever
    /// the process holds too much.
    pub(super) fn add_mapping(&self, mapping: Mapping) {
        let mut regions = self.regions();
        regions.list.push(mapping);
        let bytes: usize = regions.list.iter().map(|mapping| mapping.bytes).sum();
        let held = bytes.saturating_add(self.budget.taken.load(Ordering::Relaxed));
        if held > self.budget.limit && !std::mem::replace(&mut regions.is_watched, true) {
            let budget = Arc::clone(&self.budget);
            // Without the watcher the program works too, but needs more memory.
            drop(std::thread::Builder::new().name("scratch".into()).spawn(move || budget.watch()));
        }
    }

    /// Forgets a mapping, which must be called before it ends or is moved.
    pub(super) fn remove_mapping(&self, mapping: Mapping) {
        self.regions().list.retain(|other| *other != mapping);
    }

    /// Counts bytes that were put into scratch files.
    pub(super) fn note_scratch(&self, more: usize, less: usize) {
        let mut regions = self.regions();
        regions.scratch_bytes = (regions.scratch_bytes + more).saturating_sub(less);
        regions.most_scratch_bytes = regions.most_scratch_bytes.max(regions.scratch_bytes);
    }

    fn regions(&self) -> MutexGuard<'_, Regions> {
        self.budget.regions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Drops the pages of all scratch files from memory; they stay in the files.
    #[cfg(test)]
    pub(super) fn drop_pages(&self) {
        self.budget.drop_pages();
    }
}

impl Budget {
    /// Drops pages whenever the process holds too much memory, as long as there are scratch files.
    fn watch(&self) {
        loop {
            std::thread::sleep(INTERVAL);
            if held_bytes() > self.limit {
                self.drop_pages();
            }
            let mut regions = self.regions.lock().unwrap_or_else(PoisonError::into_inner);
            if regions.list.is_empty() {
                regions.is_watched = false;
                return;
            }
        }
    }

    fn drop_pages(&self) {
        let regions = self.regions.lock().unwrap_or_else(PoisonError::into_inner);
        regions.list.iter().for_each(|mapping| mapping.drop_pages());
    }
}

/// `$TMPDIR`, or the folder for large temporary files. `/tmp` is not used, because on many machines it is in
/// memory.
fn scratch_folder() -> PathBuf {
    let folder = std::env::var_os("TMPDIR").map_or_else(|| PathBuf::from("/var/tmp"), PathBuf::from);
    if folder.is_dir() { folder } else { std::env::temp_dir() }
}

/// Memory of the process in bytes; 0 if the system does not report it.
fn held_bytes() -> usize {
    let Ok(text) = std::fs::read_to_string("/proc/self/statm") else { return 0 };
    let pages = text.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok());
    pages.unwrap_or(0).saturating_mul(page_bytes())
}

#[cfg(unix)]
fn page_bytes() -> usize {
    rustix::param::page_size()
}

#[cfg(not(unix))]
fn page_bytes() -> usize {
    4096
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_what_is_available_is_something() {
        assert!(available_bytes(Path::new("/")) > 16 << 20);
        assert!(Memory::default().budget.share > 4 << 20);
    }
}
