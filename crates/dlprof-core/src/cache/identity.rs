//! Which export, read how: what a kept capture stands for.

use crate::correlate::ModeChoice;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::hash::{Hash, Hasher};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Raise it with every change of what is kept, of how it is made or of how it is found.
const FORMAT: u32 = 2;

/// Which export, read how.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Identity {
    format: u32,
    tool_version: String,
    mode: ModeChoice,
    /// Without symbolic links; a path that is not UTF-8 has no identity.
    path: String,
    size_bytes: u64,
    /// Nanoseconds since 1970.
    modified_ns: u128,
    /// Device, inode, and the time of the last change of either, where the system has them.
    inode: [i64; 4],
    /// The header, with SQLite's counter of changes.
    header: Vec<u8>,
}

impl Identity {
    /// The identity of an export as it is now; none if it has none that can be trusted.
    pub(crate) fn of(path: &Path, mode: ModeChoice) -> Option<Self> {
        let path = path.canonicalize().ok()?;
        let metadata = path.metadata().ok()?;
        let modified = metadata.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
        let mut header = Vec::new();
        File::open(&path).ok()?.take(100).read_to_end(&mut header).ok()?;
        Some(Self {
            format: FORMAT,
            tool_version: env!("CARGO_PKG_VERSION").into(),
            mode,
            path: path.to_str()?.to_owned(),
            size_bytes: metadata.len(),
            modified_ns: modified.as_nanos(),
            inode: inode(&metadata),
            header,
        })
    }

    /// The export.
    pub(super) fn path(&self) -> &Path {
        Path::new(&self.path)
    }

    /// Whether the export still is what it was.
    pub(super) fn is_current(&self) -> bool {
        Self::of(&PathBuf::from(&self.path), self.mode).is_some_and(|now| now == *self)
    }

    /// What its file is called: one file for each export and mode, so that a newer state replaces an older one.
    pub(super) fn key(&self) -> String {
        let mut hasher = rustc_hash::FxHasher::default();
        (&self.path, self.mode).hash(&mut hasher);
        let stem = self.path().file_stem().unwrap_or_default().to_string_lossy();
        let stem: String =
            stem.chars().take(40).map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        format!("{stem}-{:016x}", hasher.finish())
    }

    pub(super) fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

#[cfg(unix)]
fn inode(metadata: &std::fs::Metadata) -> [i64; 4] {
    use std::os::unix::fs::MetadataExt;
    [metadata.dev().cast_signed(), metadata.ino().cast_signed(), metadata.ctime(), metadata.ctime_nsec()]
}

#[cfg(not(unix))]
fn inode(_: &std::fs::Metadata) -> [i64; 4] {
    [0; 4]
}
