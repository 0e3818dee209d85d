//! Correlated captures, kept in files: another range or key node needs no second reading.
//!
//! ```text
//! export ──► ingest ──► correlate ──┬──► iterate ──► aggregate
//!                          file ◄───┘▲
//!                            └───────┘  as long as the export is the same
//! ```
//!
//! A file belongs to one export (path, size, times, inode, header) read by one version of this tool in one mode. It
//! is an Arrow IPC file with checksums; one that is stale or damaged is not used, and replaced.

mod capture;
mod columns;
mod identity;

pub(crate) use identity::Identity;

use crate::correlate::Correlation;
use crate::trace::Trace;
use columns::{Reader, Writer};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The ending of the files.
const ENDING: &str = "capture.arrow";

/// A folder of kept captures.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
    limit_bytes: u64,
}

/// A kept capture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The export that it was made from; none if the file cannot be read.
    pub export: Option<PathBuf>,
    /// Whether the export is still what it was.
    pub is_fresh: bool,
    /// Size in bytes.
    pub bytes: u64,
    /// When it was last used.
    pub used: SystemTime,
    file: PathBuf,
}

impl Cache {
    /// Bytes that kept captures may take together, unless said otherwise.
    pub const LIMIT_BYTES: u64 = 8 << 30;

    /// The cache in a folder, which is made when the first capture is kept. The captures used longest ago make room for
    /// a new one; one that alone is larger than the limit is not kept.
    #[must_use]
    pub fn new(folder: PathBuf, limit_bytes: u64) -> Self {
        Self { folder, limit_bytes }
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Bytes that kept captures may take together.
    #[must_use]
    pub fn limit_bytes(&self) -> u64 {
        self.limit_bytes
    }

    /// The kept captures, those used last first.
    ///
    /// # Errors
    /// If the folder is there and cannot be read.
    pub fn entries(&self) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        let files = match std::fs::read_dir(&self.folder) {
            Ok(files) => files,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(entries),
            Err(error) => return Err(error),
        };
        for file in files {
            let file = file?.path();
            // Another process may have removed it.
            let Ok(metadata) = file.metadata() else { continue };
            if !file.to_string_lossy().ends_with(ENDING) || !metadata.is_file() {
                continue;
            }
            let label = Reader::open(&file).map(|reader| reader.label().to_owned()).unwrap_or_default();
            let identity = serde_json::from_str::<Identity>(&label).ok();
            entries.push(Entry {
                is_fresh: identity.as_ref().is_some_and(Identity::is_current),
                export: identity.map(|identity| identity.path().to_owned()),
                bytes: metadata.len(),
                used: metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH),
                file,
            });
        }
        entries.sort_by(|a, b| b.used.cmp(&a.used).then_with(|| a.file.cmp(&b.file)));
        Ok(entries)
    }

    /// Removes all kept captures; returns how many, and their bytes.
    ///
    /// # Errors
    /// If one cannot be removed.
    pub fn clear(&self) -> io::Result<(usize, u64)> {
        let entries = self.entries()?;
        for entry in &entries {
            std::fs::remove_file(&entry.file)?;
        }
        Ok((entries.len(), entries.iter().map(|entry| entry.bytes).sum()))
    }

    /// The capture of an export, if it is kept, whole and of this very export.
    pub(crate) fn load(&self, identity: &Identity) -> Option<(Trace, Correlation)> {
        let path = self.file(identity);
        let reader = Reader::open(&path).ok()?;
        // Marks it as used; a cache that can only be read still serves.
        drop(File::options().append(true).open(&path).and_then(|file| file.set_modified(SystemTime::now())));
        if reader.label() != identity.to_json() {
            return None;
        }
        capture::read(&reader).ok()
    }

    /// Keeps the capture of an export.
    ///
    /// # Errors
    /// If it cannot be written. Nothing half-written is left.
    pub(crate) fn store(
        &self,
        identity: &Identity,
        trace: &Trace,
        correlation: &Correlation,
    ) -> io::Result<()> {
        std::fs::create_dir_all(&self.folder)?;
        let mut file = tempfile::Builder::new().prefix("writing-").tempfile_in(&self.folder)?;
        let mut writer = Writer::new(io::BufWriter::new(file.as_file_mut())).map_err(io::Error::other)?;
        capture::write(trace, correlation, &mut writer).map_err(io::Error::other)?;
        writer.finish(&identity.to_json()).map_err(io::Error::other)?;
        let bytes = file.as_file().metadata()?.len();
        if bytes > self.limit_bytes {
            return Ok(());
        }
        let target = self.file(identity);
        self.make_room(bytes, &target)?;
        file.persist(target)?;
        Ok(())
    }

    fn make_room(&self, bytes: u64, target: &Path) -> io::Result<()> {
        let mut entries = self.entries()?;
        entries.retain(|entry| entry.file != target);
        let mut taken: u64 = entries.iter().map(|entry| entry.bytes).sum();
        while taken + bytes > self.limit_bytes
            && let Some(oldest) = entries.pop()
        {
            // Another process may have been faster.
            drop(std::fs::remove_file(&oldest.file));
            taken -= oldest.bytes;
        }
        Ok(())
    }

    fn file(&self, identity: &Identity) -> PathBuf {
        self.folder.join(format!("{}.{ENDING}", identity.key()))
    }
}
