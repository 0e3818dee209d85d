//! Memory within a budget: what goes beyond it lives in scratch files.
//!
//! ```text
//! allocation   small ────────────────► the system's allocator
//!              large, budget left ───► the system's allocator
//!              large, budget gone ───► pages of a scratch file ◄── dropped while the process holds too much
//! ```
//!
//! The columns of a capture are large, and are read and written from front to back. So a capture that does not
//! fit needs no other algorithm: its columns are put into files, and the process lets their pages go whenever it
//! holds more than the budget. What was written stays in the file and comes back when it is touched. The same
//! code runs in every case, which is why the output cannot depend on the budget.
//!
//! A scratch file has no name, so nobody can cut it or leave it behind, and its blocks are reserved before it is
//! mapped, so a full disk is noticed there. Where that fails, memory is taken as usual.

#![expect(unsafe_code, reason = "an allocator hands out raw memory")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::{CString, c_void};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::Thread;
use std::time::Duration;

/// Smaller allocations never go to a file.
const LARGE: usize = 512 << 10;

/// Most allocations that live in files at a time.
const MOST_REGIONS: usize = 512;

/// What mappings start at.
const PAGE: usize = 4096;

/// How often the memory held is looked at. In this time a thread can touch some 5 MB.
const INTERVAL: Duration = Duration::from_millis(1);

/// The allocator of this program.
pub(crate) struct Scratch;

/// Bytes that large allocations may take from the system's allocator; everything until a budget is set.
static SHARE: AtomicUsize = AtomicUsize::new(usize::MAX);
/// Bytes that they do take.
static TAKEN: AtomicUsize = AtomicUsize::new(0);
/// The folder of the scratch files, once a budget is set.
static FOLDER: OnceLock<CString> = OnceLock::new();
/// Who lets pages go; it sleeps as long as nothing is in files.
static WATCHER: OnceLock<Thread> = OnceLock::new();
/// The allocations in files, in no order.
static REGIONS: Mutex<Regions> =
    Mutex::new(Regions { list: [const { None }; MOST_REGIONS], bytes: 0, most_bytes: 0 });

/// Keeps the memory of this process within a budget, in bytes, from now on.
pub(crate) fn keep_within(budget: usize) {
    SHARE.store(budget / 2, Ordering::Relaxed);
    if FOLDER.set(folder()).is_ok() {
        let limit = budget / 16 * 11;
        let watch = move || loop {
            let in_files = regions().bytes;
            if in_files == 0 {
                std::thread::park();
            } else {
                std::thread::sleep(INTERVAL);
                if held() > limit {
                    regions().drop_pages();
                }
            }
        };
        // Without the watcher everything works, only in more memory.
        if let Ok(watcher) = std::thread::Builder::new().name("scratch".into()).spawn(watch) {
            drop(WATCHER.set(watcher.thread().clone()));
        }
    }
}

/// The most bytes that were in scratch files at a time.
pub(crate) fn most_bytes() -> usize {
    regions().most_bytes
}

/// `$TMPDIR`, else the folder for large temporary files: `/tmp` is memory on many machines.
fn folder() -> CString {
    let folder = std::env::var_os("TMPDIR").map_or_else(|| PathBuf::from("/var/tmp"), PathBuf::from);
    let folder = if folder.is_dir() { folder } else { std::env::temp_dir() };
    CString::new(folder.into_os_string().into_vec()).unwrap_or_default()
}

/// Bytes of memory that the process holds.
fn held() -> usize {
    let Ok(text) = std::fs::read_to_string("/proc/self/statm") else { return 0 };
    text.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).unwrap_or(0).saturating_mul(PAGE)
}

fn regions() -> MutexGuard<'static, Regions> {
    REGIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether the system's allocator may give more.
fn is_left(bytes: usize) -> bool {
    TAKEN.load(Ordering::Relaxed).saturating_add(bytes) <= SHARE.load(Ordering::Relaxed)
}

// SAFETY: memory comes from the system's allocator or from mappings that live until they are released, and that
// are as long as asked for. Which of the two it was is looked up by address, for every allocation that is large.
unsafe impl GlobalAlloc for Scratch {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.size() >= LARGE {
            if let Some(start) = in_file(layout) {
                return start;
            }
            TAKEN.fetch_add(layout.size(), Ordering::Relaxed);
        }
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.size() >= LARGE {
            // The pages of a new file are zero.
            if let Some(start) = in_file(layout) {
                return start;
            }
            TAKEN.fetch_add(layout.size(), Ordering::Relaxed);
        }
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        if layout.size() >= LARGE {
            // Closing a large file takes long; nobody waits for it.
            let released = regions().release(start);
            if released.is_some() {
                return;
            }
            TAKEN.fetch_sub(layout.size(), Ordering::Relaxed);
        }
        unsafe { System.dealloc(start, layout) }
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let old = layout.size();
        let file = if old >= LARGE { regions().file_of(start) } else { None };
        if let Some(file) = file
            && size >= LARGE
        {
            // Reserving takes long, so nobody waits for it, above all not who watches the memory. The file stays open,
            // because only who asks for this could give it back.
            if (size <= old || reserve(file, size).is_some())
                && let Some(moved) = regions().resize(start, size)
            {
                return moved;
            }
        } else if file.is_none() && (size < LARGE || is_left(size.saturating_sub(old))) {
            let count = |size: usize| if size >= LARGE { size } else { 0 };
            TAKEN.fetch_add(count(size), Ordering::Relaxed);
            TAKEN.fetch_sub(count(old), Ordering::Relaxed);
            return unsafe { System.realloc(start, layout, size) };
        }
        // From one kind of memory to the other.
        let Ok(wanted) = Layout::from_size_align(size, layout.align()) else { return std::ptr::null_mut() };
        let moved = unsafe { self.alloc(wanted) };
        if !moved.is_null() {
            unsafe {
                std::ptr::copy_nonoverlapping(start, moved, old.min(size));
                self.dealloc(start, layout);
            }
        }
        moved
    }
}

/// Memory in a new scratch file, if the budget is used up and a file can be had.
fn in_file(layout: Layout) -> Option<*mut u8> {
    if is_left(layout.size()) || layout.align() > PAGE {
        return None;
    }
    let folder = FOLDER.get()?;
    let region = Region::new(folder, layout.size())?;
    let start = region.start;
    let mut regions = regions();
    let free = regions.list.iter().position(Option::is_none)?;
    let is_first = regions.bytes == 0;
    regions.count(0, region.size);
    regions.list[free] = Some(region);
    drop(regions);
    if is_first && let Some(watcher) = WATCHER.get() {
        watcher.unpark();
    }
    Some(start.0.cast())
}

struct Regions {
    list: [Option<Region>; MOST_REGIONS],
    bytes: usize,
    most_bytes: usize,
}

impl Regions {
    fn find(&self, start: *mut u8) -> Option<usize> {
        let is_at = |region: &Region| region.start.0 == start.cast();
        self.list.iter().position(|region| region.as_ref().is_some_and(is_at))
    }

    /// Gives an allocation back, to be dropped; none if it is none of these.
    fn release(&mut self, start: *mut u8) -> Option<Region> {
        let released = self.find(start).and_then(|at| self.list[at].take());
        self.count(released.as_ref().map_or(0, |region| region.size), 0);
        released
    }

    fn file_of(&self, start: *mut u8) -> Option<RawFd> {
        self.list[self.find(start)?].as_ref().map(|region| region.file.as_raw_fd())
    }

    /// Maps more or less of a file, whose blocks are reserved.
    fn resize(&mut self, start: *mut u8, size: usize) -> Option<*mut u8> {
        let at = self.find(start)?;
        let region = self.list[at].as_mut()?;
        let old = region.size;
        region.resize(size)?;
        let moved = region.start;
        self.count(old, size);
        Some(moved.0.cast())
    }

    fn count(&mut self, less: usize, more: usize) {
        self.bytes = self.bytes - less + more;
        self.most_bytes = self.most_bytes.max(self.bytes);
    }

    /// Lets all pages of the process go. They stay in the files.
    fn drop_pages(&self) {
        for region in self.list.iter().flatten() {
            unsafe { libc::madvise(region.start.0, region.size, libc::MADV_DONTNEED) };
        }
    }
}

/// An allocation in a file of its own.
struct Region {
    start: Address,
    size: usize,
    file: OwnedFd,
}

#[derive(Clone, Copy)]
struct Address(*mut c_void);

// SAFETY: an address may be known to any thread; what is there belongs to the owner of the allocation.
unsafe impl Send for Address {}

impl Region {
    fn new(folder: &CString, size: usize) -> Option<Self> {
        let file = nameless_file(folder)?;
        reserve(file.as_raw_fd(), size)?;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let start =
            unsafe { libc::mmap(std::ptr::null_mut(), size, access, libc::MAP_SHARED, file.as_raw_fd(), 0) };
        (start != libc::MAP_FAILED).then_some(Self { start: Address(start), size, file })
    }

    fn resize(&mut self, size: usize) -> Option<()> {
        let moved = unsafe { libc::mremap(self.start.0, self.size, size, libc::MREMAP_MAYMOVE) };
        if moved == libc::MAP_FAILED {
            return None;
        }
        (self.start, self.size) = (Address(moved), size);
        Some(())
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        unsafe { libc::munmap(self.start.0, self.size) };
    }
}

/// A file that goes when it is closed.
fn nameless_file(folder: &CString) -> Option<OwnedFd> {
    let flags = libc::O_TMPFILE | libc::O_RDWR | libc::O_CLOEXEC;
    let file = unsafe { libc::open(folder.as_ptr(), flags, 0o600) };
    if file >= 0 {
        return Some(unsafe { OwnedFd::from_raw_fd(file) });
    }
    // Some file systems, those of containers among them, give only named files.
    const NAME: &[u8] = b"/dlprof-agg-XXXXXX\0";
    let mut path = [0; 4096];
    let folder = folder.as_bytes();
    path.get_mut(..folder.len())?.copy_from_slice(folder);
    path.get_mut(folder.len()..)?.get_mut(..NAME.len())?.copy_from_slice(NAME);
    let file = unsafe { libc::mkostemp(path.as_mut_ptr().cast(), libc::O_CLOEXEC) };
    if file < 0 {
        return None;
    }
    unsafe { libc::unlink(path.as_ptr().cast()) };
    Some(unsafe { OwnedFd::from_raw_fd(file) })
}

/// Reserves the blocks of a file, so that no page can fail to be written.
fn reserve(file: RawFd, size: usize) -> Option<()> {
    let size = libc::off_t::try_from(size).ok()?;
    (unsafe { libc::fallocate(file, 0, 0, size) } == 0).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vectors that grow, shrink, are zeroed and dropped keep their contents, in files and across the two kinds of memory.
    #[test]
    fn contents_survive() {
        keep_within(8 << 20);
        let value = |vector: usize, at: usize| vector.wrapping_mul(0x9E37_79B9) ^ at;
        let mut vectors: Vec<Vec<usize>> = Vec::new();
        for round in 0..40 {
            let vector = vectors.len();
            let length = [100, 70_000, 300_000, 1_000_000][round % 4];
            let mut grown = Vec::new();
            grown.extend((0..length).map(|at| value(vector, at)));
            vectors.push(grown);
            let some = (round * 7) % vectors.len();
            let shorter = vectors[some].len() / 3;
            vectors[some].truncate(shorter);
            vectors[some].shrink_to_fit();
            regions().drop_pages();
        }
        assert!(most_bytes() > 0, "nothing went to a file");
        for (at, vector) in vectors.iter().enumerate() {
            assert!(
                vector.iter().enumerate().all(|(place, &found)| found == value(at, place)),
                "vector {at}"
            );
        }
        assert!(vec![0_u64; 2_000_000].iter().all(|&zero| zero == 0));
        let before = regions().bytes;
        drop(vectors);
        assert!(regions().bytes < before, "files are given back");
    }
}
