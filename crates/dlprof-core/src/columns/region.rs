//! Memory in a scratch file of its own.
//!
//! The file has no name, so no other program can cut it, and it is never left behind. Its blocks are reserved
//! before it is mapped, so a full disk is an error at that point and not a signal later.

#![expect(unsafe_code, reason = "mapped memory; every block is explained")]

use memmap2::{MmapMut, MmapOptions};
use std::fs::File;
use std::path::Path;

/// The address of a shared mapping of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mapping {
    start: *const u8,
    /// Its length.
    pub(super) bytes: usize,
}

// SAFETY: the address is only handed to `madvise`, which any thread may call.
unsafe impl Send for Mapping {}

impl Mapping {
    /// The mapping of these bytes.
    pub(super) fn of(bytes: &[u8]) -> Self {
        Self { start: bytes.as_ptr(), bytes: bytes.len() }
    }

    /// Drops the pages of the mapping from memory; the file keeps them. The caller must make sure that the mapping
    /// still exists.
    pub(super) fn drop_pages(&self) {
        // SAFETY: the range is a shared mapping of a file, and the system keeps what was written to it. Dropping
        // its pages changes no byte that a program can read. If it fails, the pages stay in memory.
        #[cfg(target_os = "linux")]
        let _ = unsafe {
            let start = self.start.cast_mut().cast();
            rustix::mm::madvise(start, self.bytes, rustix::mm::Advice::LinuxDontNeed)
        };
    }
}

/// A mapped scratch file.
#[derive(Debug)]
pub(super) struct Region {
    map: MmapMut,
    file: File,
}

impl Region {
    /// A region of at least one byte; `None` if no file can be created or the disk is full.
    pub(super) fn new(folder: &Path, bytes: usize) -> Option<Self> {
        let file = tempfile::tempfile_in(folder).ok()?;
        reserve(&file, bytes)?;
        // SAFETY: the file has no name and is not handed out, so nobody else can change or cut it.
        let map = unsafe { MmapOptions::new().len(bytes).map_mut(&file) }.ok()?;
        Some(Self { map, file })
    }

    /// Makes the region longer; its bytes do not change, but its address may. `None` if the disk is full; then the
    /// region is unchanged.
    pub(super) fn grow(&mut self, bytes: usize) -> Option<()> {
        reserve(&self.file, bytes)?;
        // SAFETY: as above; the old mapping ends before the new one is used, because `self` is borrowed mutably.
        self.map = unsafe { MmapOptions::new().len(bytes).map_mut(&self.file) }.ok()?;
        Some(())
    }

    /// Its address.
    pub(super) fn mapping(&self) -> Mapping {
        Mapping::of(&self.map)
    }

    /// Its length.
    pub(super) fn bytes(&self) -> usize {
        self.map.len()
    }

    /// A pointer to the first value.
    pub(super) fn start<T>(&self) -> *const T {
        self.map.as_ptr().cast()
    }

    /// A pointer to the first value, for writing.
    pub(super) fn start_mut<T>(&mut self) -> *mut T {
        self.map.as_mut_ptr().cast()
    }
}

/// Reserves the blocks of a file, so that no page can fail to be written.
#[cfg(target_os = "linux")]
fn reserve(file: &File, bytes: usize) -> Option<()> {
    let bytes = u64::try_from(bytes).ok()?;
    rustix::fs::fallocate(file, rustix::fs::FallocateFlags::empty(), 0, bytes).ok()
}

#[cfg(not(target_os = "linux"))]
fn reserve(_: &File, _: usize) -> Option<()> {
    None
}
