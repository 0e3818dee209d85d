//! Keeps captures and indexes in files, so that another range or key node does not read the export again.
//!
//! ```text
//! export ──► Capture ──────────► Index ──────────► Profile
//!              │▲                  │▲
//!   NAME.capture/*.arrow    NAME.index/*.arrow           used while the export is the same
//!                           NAME.figures/*.arrow         kept by `keep_figures`, when a profile has found them
//!   NAME.digests/*.json     of the ranks of the export, for jobs of many ranks
//!   NAME.counters/*.json    what was read of the logs of Nsight Compute that were named beside it
//! ```
//!
//! A folder belongs to one export (path, size, times, inode, header) read in one mode by one version of this tool; an
//! index belongs to one capture and one choice of the key node, figures of iterations to one index, clock and choice of
//! thresholds. A folder holds a table per Arrow IPC file, a description as JSON, and a manifest with the checksums of all of
//! these. Loading maps the files and copies nothing. Stale or damaged folders are not used and are replaced. What the numbers
//! mean is not known here.

mod aggregations;
mod folder;
mod identity;
mod kept_capture;
mod kept_figures;
mod kept_index;
mod kept_logs;
mod kept_rank_digests;
mod manifest;

pub use aggregations::KeptAggregation;
pub use kept_rank_digests::DigestChoice;

use crate::base::Error;
use crate::base::private::private_folder;
use crate::base::threads::worker_threads;
use crate::capture::correlate::ModeChoice;
use crate::capture::{Capture, CaptureContents, ReadOptions};
use crate::read::check_input;
use crate::steps::index::Index;
use crate::steps::iterate::KeyNodeChoice;
use folder::{FolderWriter, KeptFolder, Writing};
use identity::ExportIdentity;
use manifest::Manifest;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// The ending of the folders that hold captures.
const CAPTURE: &str = ".capture";

/// The ending of the folders that hold indexes.
const INDEX: &str = ".index";

/// The ending of the folders that hold the figures of iterations.
const FIGURES: &str = ".figures";

/// The ending of the folders that hold the digests of ranks.
const DIGESTS: &str = ".digests";

/// The ending of the folders that hold what was read of logs of Nsight Compute.
const COUNTERS: &str = ".counters";

/// All endings.
const ENDINGS: [&str; 5] = [CAPTURE, COUNTERS, INDEX, FIGURES, DIGESTS];

/// Smaller folders are checked every time, because that takes less than ten milliseconds.
const LARGE_BYTES: u64 = 64 << 20;

/// Smaller exports are read as quickly as what is kept of them.
const KEPT_BYTES: u64 = 4 << 20;

/// A folder of kept captures.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
    limit_bytes: u64,
    trusted_from: u64,
    kept_from: u64,
}

/// A kept capture, with its index and the figures of its iterations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptEntry {
    /// The export that it was made from; `None` if the manifest cannot be read.
    pub export: Option<PathBuf>,
    /// Whether the export is still what it was.
    pub is_fresh: bool,
    /// Size in bytes.
    pub bytes: u64,
    /// When it was last used.
    pub used: SystemTime,
    folders: Vec<PathBuf>,
}

/// An export and its kept capture and index.
#[derive(Debug, Clone)]
pub struct KeptExport {
    cache: Cache,
    path: PathBuf,
    /// `None` if the export cannot be identified reliably; then nothing is kept.
    identity: Option<ExportIdentity>,
}

impl Cache {
    /// The default limit for the size of all kept captures, in bytes.
    pub const LIMIT_BYTES: u64 = 8 << 30;

    /// The cache in a folder, which is created when the first capture is kept. If a new capture needs room, those
    /// that were not used for the longest time are removed. A capture that is larger than the limit is not kept.
    #[must_use]
    pub fn new(folder: PathBuf, limit_bytes: u64) -> Self {
        Self { folder, limit_bytes, trusted_from: LARGE_BYTES, kept_from: KEPT_BYTES }
    }

    /// The same cache with another size in bytes from which on a kept folder is checked once and then trusted, as long as
    /// the system says that nobody has written to it: same inodes, same times of the last change, same boot. The default
    /// is 64 MiB. The files of smaller folders are checked whenever they are used.
    #[must_use]
    pub fn trusting_from(self, bytes: u64) -> Self {
        Self { trusted_from: bytes, ..self }
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The limit for the size of all kept captures, in bytes.
    #[must_use]
    pub fn limit_bytes(&self) -> u64 {
        self.limit_bytes
    }

    /// The same cache with another smallest size of exports in bytes, from which on it is worth keeping what is made of them. The
    /// default is 4 MiB.
    #[must_use]
    pub fn keeping_from(self, bytes: u64) -> Self {
        Self { kept_from: bytes, ..self }
    }

    /// Whether loading what is kept of an export is quicker than reading the export.
    #[must_use]
    pub(crate) fn is_worth_it(&self, path: &Path) -> bool {
        std::fs::metadata(path).is_ok_and(|file| file.len() >= self.kept_from)
    }

    /// What is kept of an export that is read in a mode, with the other options as usual.
    #[must_use]
    pub fn export(&self, path: &Path, mode: ModeChoice) -> KeptExport {
        self.export_with(path, &ReadOptions { mode, ..ReadOptions::default() })
    }

    /// What is kept of an export that is read in a way.
    #[must_use]
    pub fn export_with(&self, path: &Path, options: &ReadOptions<'_>) -> KeptExport {
        let patterns = options.tensor_cores.iter().map(|pattern| pattern.as_str().to_owned()).collect();
        let (mode, loose_work, cut) = (options.mode, options.loose_work, options.cut.clone());
        let identity = ExportIdentity::of(path, mode, loose_work, patterns, cut, &options.ncu);
        let identity = identity.and_then(|identity| match identity.lacks_logs() {
            true => self.with_kept_logs(&identity),
            false => Some(identity),
        });
        KeptExport { cache: self.clone(), path: path.into(), identity }
    }

    /// The kept captures, the most recently used first.
    ///
    /// # Errors
    /// If the folder exists but cannot be read.
    pub fn entries(&self) -> io::Result<Vec<KeptEntry>> {
        let files = match std::fs::read_dir(&self.folder) {
            Ok(files) => files,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        // In the order of names, captures come before figures and indexes.
        let mut by_name: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
        for file in files {
            let path = file?.path();
            let name = path.to_string_lossy();
            if let Some(name) = ENDINGS.into_iter().find_map(|ending| name.strip_suffix(ending)) {
                by_name.entry(name.to_owned()).or_default().push(path);
            }
        }
        let mut entries: Vec<KeptEntry> = by_name.into_values().filter_map(KeptEntry::of).collect();
        entries.sort_by(|a, b| b.used.cmp(&a.used).then_with(|| a.folders.cmp(&b.folders)));
        Ok(entries)
    }

    /// Removes all kept captures; returns their number and their size in bytes.
    ///
    /// # Errors
    /// If one cannot be removed.
    pub fn clear(&self) -> io::Result<(usize, u64)> {
        let entries = self.entries()?;
        for folder in entries.iter().flat_map(|entry| &entry.folders) {
            std::fs::remove_dir_all(folder)?;
        }
        folder::remove_unfinished(&self.folder);
        aggregations::remove_all(&self.folder)?;
        Ok((entries.len(), entries.iter().map(|entry| entry.bytes).sum()))
    }

    /// The folder of an export with an ending.
    fn place(&self, identity: &ExportIdentity, ending: &str) -> PathBuf {
        let key = if ending == CAPTURE { identity.without_counters().key() } else { identity.key() };
        self.folder.join(format!("{key}{ending}"))
    }

    /// Writes a folder under a temporary name and renames it, if there is room.
    fn write(
        &self,
        identity: &ExportIdentity,
        ending: &str,
        label: String,
        content: impl FnOnce(&mut FolderWriter) -> io::Result<()>,
    ) -> io::Result<()> {
        let place = self.place(identity, ending);
        self.write_if(&place, label, content, |bytes| self.make_room(bytes, identity, &place))
    }

    /// The same, whether there is room or not.
    fn write_without_room(
        &self,
        identity: &ExportIdentity,
        ending: &str,
        label: String,
        content: impl FnOnce(&mut FolderWriter) -> io::Result<()>,
    ) -> io::Result<()> {
        let place = self.place(identity, ending);
        self.write_if(&place, label, content, |bytes| Ok(bytes <= self.limit_bytes))
    }

    fn write_if(
        &self,
        place: &Path,
        label: String,
        content: impl FnOnce(&mut FolderWriter) -> io::Result<()>,
        has_room: impl FnOnce(u64) -> io::Result<bool>,
    ) -> io::Result<()> {
        private_folder(&self.folder)?;
        let _writing = Writing::begin(&self.folder);
        let mut writer = FolderWriter::new(&self.folder)?;
        content(&mut writer)?;
        let finished = writer.finish(label, self.trusted_from)?;
        if has_room(finished.bytes())? { finished.put(place) } else { Ok(()) }
    }

    /// Removes the folders that were not used for the longest time until this number of bytes fits; returns whether
    /// it fits. The other folders of the same export are not removed.
    fn make_room(&self, bytes: u64, identity: &ExportIdentity, replaced: &Path) -> io::Result<bool> {
        let mine = ENDINGS.map(|ending| self.place(identity, ending));
        let others = mine.iter().filter(|folder| *folder != replaced);
        let needed = bytes + others.map(|other| folder::bytes_in(other)).sum::<u64>();
        if needed > self.limit_bytes {
            return Ok(false);
        }
        let mut entries = self.entries()?;
        entries.retain(|entry| !entry.folders.iter().any(|folder| mine.contains(folder)));
        let taken: u64 = entries.iter().map(|entry| entry.bytes).sum();
        remove_oldest(&mut entries, taken + needed, self.limit_bytes);
        Ok(true)
    }
}

/// Removes the last entries until no more than a limit is taken.
fn remove_oldest(entries: &mut Vec<KeptEntry>, mut taken: u64, limit_bytes: u64) {
    while taken > limit_bytes
        && let Some(oldest) = entries.pop()
    {
        for folder in &oldest.folders {
            // Another process may have removed it first.
            drop(std::fs::remove_dir_all(folder));
        }
        taken -= oldest.bytes;
    }
}

impl KeptEntry {
    /// The capture and the index of an export; `None` if they were removed in the meantime.
    fn of(mut folders: Vec<PathBuf>) -> Option<Self> {
        folders.sort();
        folders.retain(|folder| folder.is_dir());
        let manifest = Manifest::read(folders.first()?);
        let identity = manifest.as_ref().and_then(|manifest| kept_rank_digests::export_of(&manifest.label));
        let used = folders.iter().filter_map(|folder| Manifest::last_use(folder)).max();
        Some(Self {
            is_fresh: identity.as_ref().is_some_and(ExportIdentity::is_current),
            export: identity.map(|identity| identity.path().to_owned()),
            bytes: folders.iter().map(|folder| folder::bytes_in(folder)).sum(),
            used: used.unwrap_or(SystemTime::UNIX_EPOCH),
            folders,
        })
    }
}

impl KeptExport {
    /// The capture of the export. If none is kept, the export is read, and the new capture is kept. If it cannot be
    /// kept, for example because the disk is full, the export is read again next time.
    ///
    /// # Errors
    /// If the file is not a readable nsys export.
    pub fn capture(&self, options: &ReadOptions<'_>) -> Result<Capture, Error> {
        match self.kept_capture(options)? {
            Some(capture) => Ok(capture),
            None => self.read(options),
        }
    }

    /// Reads the export and keeps the new capture.
    ///
    /// # Errors
    /// If the file is not a readable nsys export.
    pub fn read(&self, options: &ReadOptions<'_>) -> Result<Capture, Error> {
        let mut contents = CaptureContents::read(&self.path, options)?;
        // The export may have changed while it was read.
        if let Some(identity) = &self.identity
            && identity.without_counters().is_current()
        {
            let content = |folder: &mut FolderWriter| kept_capture::write(&contents, folder);
            drop(self.cache.write(identity, CAPTURE, identity.without_counters().to_json(), content));
        }
        self.add_counters(&mut contents, &options.ncu)?;
        contents.add_graph_captures(&self.path, options.capture_trace.as_deref())?;
        Ok(contents.into())
    }

    /// The kept capture; none if nothing is kept of the export as it is now, or what is kept is damaged. Before that, what
    /// killed runs left is removed.
    ///
    /// # Errors
    /// If the export is being written or is incomplete, so that what is kept of it may be old, or if no worker threads can be
    /// had.
    pub fn kept_capture(&self, options: &ReadOptions<'_>) -> Result<Option<Capture>, Error> {
        folder::remove_unfinished(&self.cache.folder);
        let Some(identity) = &self.identity else { return Ok(None) };
        let place = self.cache.place(identity, CAPTURE);
        if !place.exists() {
            return Ok(None);
        }
        check_input(&self.path)?;
        let pool = worker_threads(options.threads)?;
        let label = identity.without_counters().to_json();
        let read = || {
            let folder = KeptFolder::open(&place, &label, self.cache.trusted_from, &options.memory)?;
            let capture = kept_capture::read(&folder, &self.path, options.memory.clone(), Arc::clone(&pool))?;
            folder.is_still_there().then_some(capture)
        };
        let Some(mut contents) = pool.install(read) else { return Ok(None) };
        self.add_counters(&mut contents, &options.ncu)?;
        contents.add_graph_captures(&self.path, options.capture_trace.as_deref())?;
        Ok(Some(contents.into()))
    }

    /// The index of the capture for a key node. If none is kept, a new index is made and kept; it replaces the kept
    /// index of another key node.
    ///
    /// # Errors
    /// If the key node never ran.
    pub fn index(&self, capture: &Capture, key_node: &KeyNodeChoice) -> Result<Index, Error> {
        match self.kept_index(capture, key_node) {
            Some(index) => Ok(index),
            None => self.make_index(capture, key_node),
        }
    }

    /// Makes a new index and keeps it.
    ///
    /// # Errors
    /// If the key node never ran.
    pub(crate) fn make_index(&self, capture: &Capture, key_node: &KeyNodeChoice) -> Result<Index, Error> {
        let index = capture.index(key_node)?;
        if index.is_worth_keeping()
            && let Some((identity, label)) = self.index_label(key_node)
        {
            drop(self.cache.write(identity, INDEX, label, |folder| kept_index::write(&index, folder)));
        }
        Ok(index)
    }

    /// The kept index of a key node; none if none is kept of the kept capture, or what is kept is damaged.
    #[must_use]
    pub fn kept_index(&self, capture: &Capture, key_node: &KeyNodeChoice) -> Option<Index> {
        let (identity, label) = self.index_label(key_node)?;
        let place = self.cache.place(identity, INDEX);
        capture.pool.install(|| {
            let folder = KeptFolder::open(&place, &label, self.cache.trusted_from, &capture.memory)?;
            let index = kept_index::read(&folder, capture)?;
            folder.is_still_there().then(|| Index::from(index))
        })
    }

    /// What the index of a key node belongs to: an export, a key node, and the bytes of the kept capture. Both readers give the
    /// same bytes. None if no capture is kept.
    fn index_label(&self, key_node: &KeyNodeChoice) -> Option<(&ExportIdentity, String)> {
        let identity = self.identity.as_ref()?;
        let capture = Manifest::read(&self.cache.place(identity, CAPTURE))?;
        let label = (identity, key_node, capture.checksum());
        (capture.label == identity.without_counters().to_json())
            .then(|| (identity, serde_json::to_string(&label).unwrap_or_default()))
    }
}
