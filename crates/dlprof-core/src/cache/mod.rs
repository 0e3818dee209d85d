//! Correlated captures, kept in files: another range or key node needs no second reading. Beside a capture are the sums of
//! a key node: another range of it needs little more than these.
//!
//! ```text
//! export ──► ingest ──► correlate ──┬──► iterate ──► aggregate ──┬──► finish
//!                       capture ◄───┘▲                 sums ◄────┘▲
//!                          │ └───────┘                  └─────────┤   as long as the export is the same
//!                          └─ edges of the range ─────────────────┘
//! ```
//!
//! A file belongs to one export (path, size, times, inode, header) read by one version of this tool in one mode; sums
//! belong to one capture and one choice of the key node. Files are Arrow IPC files with checksums; one that is stale or
//! damaged is not used, and replaced.

mod capture;
mod columns;
mod edges;
mod identity;
mod parts;
mod range;
mod reader;
mod stored;
mod sums;

pub(crate) use identity::Identity;

pub(crate) use range::KeptRange;

use crate::aggregate::{Blocks, RangeSums, Timeline};
use crate::correlate::Correlation;
use crate::error::Error;
use crate::iterate::{IterationOptions, KeyNodeChoice};
use crate::trace::Trace;
use arrow::error::ArrowError;
use columns::Writer;
use reader::Reader;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The ending of the files that hold captures.
const CAPTURE: &str = ".capture.arrow";

/// The ending of the files that hold sums.
const SUMS: &str = ".sums.arrow";

/// A folder of kept captures.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
    limit_bytes: u64,
}

/// A kept capture, with its sums.
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
    files: Vec<PathBuf>,
}

/// What sums stand for.
#[derive(Serialize)]
struct SumsLabel<'a> {
    identity: &'a Identity,
    key_node: &'a KeyNodeChoice,
    /// The kept capture whose op calls they sum up.
    capture_crc32: u32,
}

/// The start of the names of files that are being written.
const UNFINISHED: &str = "writing-";

/// Nobody writes a file for so long without touching it.
const LONGEST_WRITING: Duration = Duration::from_hours(1);

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
        let files = match std::fs::read_dir(&self.folder) {
            Ok(files) => files,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        // Captures come first in the order of names, and each with its sums.
        let mut by_name: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
        for file in files {
            let file = file?.path();
            let path = file.to_string_lossy();
            if let Some(name) = path.strip_suffix(CAPTURE).or_else(|| path.strip_suffix(SUMS)) {
                by_name.entry(name.to_owned()).or_default().push(file);
            }
        }
        let mut entries: Vec<Entry> = by_name.into_values().filter_map(entry).collect();
        entries.sort_by(|a, b| b.used.cmp(&a.used).then_with(|| a.files.cmp(&b.files)));
        Ok(entries)
    }

    /// Removes all kept captures; returns how many, and their bytes.
    ///
    /// # Errors
    /// If one cannot be removed.
    pub fn clear(&self) -> io::Result<(usize, u64)> {
        let entries = self.entries()?;
        for file in entries.iter().flat_map(|entry| &entry.files) {
            std::fs::remove_file(file)?;
        }
        self.remove_unfinished(Duration::ZERO);
        Ok((entries.len(), entries.iter().map(|entry| entry.bytes).sum()))
    }

    /// The capture of an export, if it is kept, whole and of this very export.
    pub(crate) fn load(&self, identity: &Identity) -> Option<(Trace, Correlation)> {
        capture::read(&self.capture(identity)?).ok()
    }

    /// What a profile of a range is made from, if the sums of its key node are kept, and whole.
    ///
    /// # Errors
    /// If the range does not exist.
    pub(crate) fn load_range(
        &self,
        identity: &Identity,
        options: &IterationOptions,
    ) -> Option<Result<KeptRange, Error>> {
        let capture = self.capture(identity)?;
        let sums = self.sums(identity, &options.key_node, &capture)?;
        let range = range::read(&capture, &sums, options);
        if range.is_err() {
            // A damaged file would stand in the way of a new one.
            drop(std::fs::remove_file(self.file(identity, SUMS)));
        }
        range.ok()
    }

    /// Whether the sums of a key node are kept.
    pub(crate) fn has_sums(&self, identity: &Identity, key_node: &KeyNodeChoice) -> bool {
        self.capture(identity).is_some_and(|capture| self.sums(identity, key_node, &capture).is_some())
    }

    /// The file of a capture, which counts as used from now on.
    fn capture(&self, identity: &Identity) -> Option<Reader> {
        let path = self.file(identity, CAPTURE);
        let reader = Reader::open(&path).ok()?;
        // A cache that can only be read still serves.
        drop(File::options().append(true).open(&path).and_then(|file| file.set_modified(SystemTime::now())));
        (reader.label() == identity.to_json()).then_some(reader)
    }

    fn sums(&self, identity: &Identity, key_node: &KeyNodeChoice, capture: &Reader) -> Option<Reader> {
        let reader = Reader::open(&self.file(identity, SUMS)).ok()?;
        (reader.label() == sums_label(identity, key_node, capture)).then_some(reader)
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
        self.write(identity, CAPTURE, &identity.to_json(), |columns| {
            capture::write(trace, correlation, columns)
        })
    }

    /// Keeps the sums of a key node of a kept capture, in place of those of another one.
    ///
    /// # Errors
    /// If they cannot be written. Nothing half-written is left.
    pub(crate) fn store_sums(
        &self,
        identity: &Identity,
        key_node: &KeyNodeChoice,
        trace: &Trace,
        (timeline, blocks, of_blocks): (&Timeline, &Blocks, &[RangeSums]),
    ) -> io::Result<()> {
        let Some(capture) = self.capture(identity) else { return Ok(()) };
        self.write(identity, SUMS, &sums_label(identity, key_node, &capture), |columns| {
            sums::write(trace, timeline, blocks, of_blocks, columns)
        })
    }

    /// Writes a file under a temporary name and puts it in its place, if there is room.
    fn write(
        &self,
        identity: &Identity,
        ending: &str,
        label: &str,
        content: impl FnOnce(&mut Writer<BufWriter<&mut File>>) -> Result<(), ArrowError>,
    ) -> io::Result<()> {
        self.remove_unfinished(LONGEST_WRITING);
        let mut file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(&self.folder)?;
        let mut writer = Writer::new(BufWriter::new(file.as_file_mut())).map_err(io::Error::other)?;
        content(&mut writer).map_err(io::Error::other)?;
        writer.finish(label).map_err(io::Error::other)?;
        let bytes = file.as_file().metadata()?.len();
        if self.make_room(bytes, identity, ending)? {
            file.persist(self.file(identity, ending))?;
        }
        Ok(())
    }

    /// Removes files of runs that were killed while they wrote them, so long ago at least.
    fn remove_unfinished(&self, age: Duration) {
        let files = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        for file in files.filter(|file| file.file_name().to_string_lossy().starts_with(UNFINISHED)) {
            let written = file.metadata().and_then(|metadata| metadata.modified());
            if written.is_ok_and(|time| time.elapsed().is_ok_and(|elapsed| elapsed >= age)) {
                // Another process may have been faster.
                drop(std::fs::remove_file(file.path()));
            }
        }
    }

    /// Removes what was used longest ago until so many bytes more fit, and says whether they do. What else is kept of the
    /// same export stays.
    fn make_room(&self, bytes: u64, identity: &Identity, ending: &str) -> io::Result<bool> {
        let size = |file: &PathBuf| file.metadata().map_or(0, |metadata| metadata.len());
        let mine = [CAPTURE, SUMS].map(|ending| self.file(identity, ending));
        let replaced = self.file(identity, ending);
        let needed = bytes + mine.iter().filter(|file| **file != replaced).map(size).sum::<u64>();
        if needed > self.limit_bytes {
            return Ok(false);
        }
        let mut entries = self.entries()?;
        entries.retain(|entry| !entry.files.iter().any(|file| mine.contains(file)));
        let mut taken: u64 = entries.iter().map(|entry| entry.bytes).sum();
        while taken + needed > self.limit_bytes
            && let Some(oldest) = entries.pop()
        {
            for file in &oldest.files {
                // Another process may have been faster.
                drop(std::fs::remove_file(file));
            }
            taken -= oldest.bytes;
        }
        Ok(true)
    }

    fn file(&self, identity: &Identity, ending: &str) -> PathBuf {
        self.folder.join(format!("{}{ending}", identity.key()))
    }
}

fn sums_label(identity: &Identity, key_node: &KeyNodeChoice, capture: &Reader) -> String {
    let label = SumsLabel { identity, key_node, capture_crc32: capture.checksum() };
    serde_json::to_string(&label).unwrap_or_default()
}

/// The capture and the sums of an export; none if they are gone by now.
fn entry(mut files: Vec<PathBuf>) -> Option<Entry> {
    files.sort();
    // Another process may have removed one.
    files.retain(|file| file.is_file());
    let metadata: Vec<_> = files.iter().filter_map(|file| file.metadata().ok()).collect();
    let label = Reader::open(files.first()?).map(|reader| reader.label().to_owned()).unwrap_or_default();
    let identity = serde_json::from_str::<Identity>(&label).ok();
    Some(Entry {
        is_fresh: identity.as_ref().is_some_and(Identity::is_current),
        export: identity.map(|identity| identity.path().to_owned()),
        bytes: metadata.iter().map(|metadata| metadata.len()).sum(),
        used: metadata.iter().filter_map(|one| one.modified().ok()).max().unwrap_or(SystemTime::UNIX_EPOCH),
        files,
    })
}
