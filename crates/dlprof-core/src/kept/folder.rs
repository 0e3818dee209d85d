//! A kept folder. It is written under a temporary name, then renamed, and it is checked before it is used.
//!
//! A file that is cut while it is mapped ends the process. So files are mapped only if there is much to gain and nobody cuts
//! them: those of a large folder, which nobody may write to, on a local file system. All others are read, and the bytes that
//! were checked are the bytes that are used.

use super::manifest::{KeptFile, Manifest};
use crate::base::begun::BegunFolder;
use crate::base::private::write_private;
use crate::columns::{FactTable, FileBytes, Memory, checksum, is_local, read_tables, write_tables};
use rayon::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fs::{DirEntry, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The start of the names of folders in which something is being written or removed.
pub(super) const UNFINISHED: &str = "writing-";

/// Nobody writes a folder for so long without touching it.
const LONGEST_WRITING: Duration = Duration::from_hours(1);

/// What there is little of, as JSON.
const DESCRIPTION: &str = "description.json";

/// Writes the tables of a folder.
pub(super) struct FolderWriter {
    folder: BegunFolder,
    manifest: Manifest,
}

impl FolderWriter {
    pub(super) fn new(parent: &Path) -> io::Result<Self> {
        let folder = BegunFolder::new(parent, UNFINISHED)?;
        Ok(Self { folder, manifest: Manifest::default() })
    }

    /// Adds a table that has one part.
    pub(super) fn table<T: FactTable>(&mut self, table: &T) -> io::Result<()> {
        self.tables(T::DECLARATION.name, [table])
    }

    /// Adds the parts of a table as one file with this name.
    pub(super) fn tables<'a, T: FactTable + 'a>(
        &mut self,
        name: &str,
        parts: impl IntoIterator<Item = &'a T>,
    ) -> io::Result<()> {
        let name = format!("{name}.arrow");
        let path = self.folder.path().join(&name);
        let crc32 = write_tables(&path, parts)?;
        self.add(name, &path, crc32)
    }

    /// Adds the small data.
    pub(super) fn description(&mut self, description: &impl Serialize) -> io::Result<()> {
        let path = self.folder.path().join(DESCRIPTION);
        write_private(&path, &serde_json::to_vec(description)?)?;
        self.add(DESCRIPTION.into(), &path, checksum(&path)?)
    }

    fn add(&mut self, name: String, path: &Path, crc32: u32) -> io::Result<()> {
        self.manifest.files.insert(name, KeptFile { bytes: path.metadata()?.len(), crc32 });
        Ok(())
    }

    /// Ends the folder with a manifest. A folder of `trusted_from` bytes is trusted from now on.
    pub(super) fn finish(mut self, label: String, trusted_from: u64) -> io::Result<FinishedFolder> {
        self.manifest.label = label;
        self.manifest.write(self.folder.path())?;
        if self.manifest.bytes() >= trusted_from {
            self.manifest.seal(self.folder.path())?;
            self.manifest.trust(self.folder.path());
        }
        Ok(FinishedFolder { folder: self.folder, bytes: self.manifest.bytes() })
    }
}

/// A folder that is complete but still has its temporary name.
pub(super) struct FinishedFolder {
    folder: BegunFolder,
    bytes: u64,
}

impl FinishedFolder {
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Gives the folder its final name. It replaces a folder that has this name already.
    pub(super) fn put(self, place: &Path) -> io::Result<()> {
        let old = remove(place);
        self.folder.rename(place)?;
        drop(old);
        Ok(())
    }
}

/// Renames a folder, which is removed when the returned value is dropped. `None` if there is no such folder.
pub(super) fn remove(place: &Path) -> Option<BegunFolder> {
    let parent = place.parent()?;
    let old = BegunFolder::new(parent, UNFINISHED).ok()?;
    std::fs::rename(place, old.path().join("old")).ok()?;
    Some(old)
}

/// Says to other runs that this one is writing, until it is dropped.
pub(super) struct Writing {
    /// The folder of all kept folders, locked together with other writers; none where folders cannot be locked.
    _lock: Option<File>,
}

impl Writing {
    pub(super) fn begin(parent: &Path) -> Self {
        let lock = File::open(parent).ok();
        Self { _lock: lock.filter(|lock| lock.lock_shared().is_ok()) }
    }
}

/// Removes folders of runs that were killed while they wrote or removed them. Where another run is writing, or where that
/// cannot be known, only those that nobody has touched for long.
pub(super) fn remove_unfinished(parent: &Path) {
    let files = std::fs::read_dir(parent).into_iter().flatten().flatten();
    let is_unfinished = |file: &DirEntry| file.file_name().to_string_lossy().starts_with(UNFINISHED);
    let unfinished: Vec<DirEntry> = files.filter(is_unfinished).collect();
    if unfinished.is_empty() {
        return;
    }
    let lock = File::open(parent).ok().filter(|lock| lock.try_lock().is_ok());
    for file in unfinished {
        let touched = file.metadata().and_then(|metadata| metadata.modified());
        let is_old = touched.is_ok_and(|time| time.elapsed().is_ok_and(|age| age >= LONGEST_WRITING));
        if lock.is_some() || is_old {
            // Another process may have been faster.
            drop(remove_file_or_folder(&file.path()));
        }
    }
}

fn remove_file_or_folder(path: &Path) -> io::Result<()> {
    if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) }
}

/// Bytes of the files of a folder.
pub(super) fn bytes_in(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|file| file.metadata().ok()).map(|metadata| metadata.len()).sum()
}

/// A kept folder whose bytes were checked.
pub(super) struct KeptFolder {
    folder: PathBuf,
    memory: Memory,
    manifest: Manifest,
    /// The bytes of the files by name; none if they are mapped when they are asked for.
    read: Option<BTreeMap<String, FileBytes>>,
}

impl KeptFolder {
    /// Opens a folder with a label; none if it has another one or is damaged. A folder of `trusted_from` bytes on a local file
    /// system is mapped, and is not checked again while the system says that nobody has written to it. The folder counts as
    /// used from now on. Its files count towards a memory budget.
    pub(super) fn open(folder: &Path, label: &str, trusted_from: u64, memory: &Memory) -> Option<Self> {
        let manifest = Manifest::read(folder).filter(|manifest| manifest.label == label)?;
        let is_mapped = manifest.bytes() >= trusted_from && is_local(folder) && manifest.is_sealed(folder);
        let read = if is_mapped {
            check(&manifest, folder)?;
            None
        } else {
            let read = |(name, file): (&String, &KeptFile)| {
                let bytes = FileBytes::read(&folder.join(name), file.bytes, memory).ok()?;
                (crc32fast::hash(&bytes) == file.crc32).then(|| (name.clone(), bytes))
            };
            Some(manifest.files.par_iter().map(read).collect::<Option<_>>()?)
        };
        Manifest::touch(folder);
        Some(Self { folder: folder.into(), memory: memory.clone(), manifest, read })
    }

    /// Whether the folder still is the one that was opened: another process may put a new one in its place while its
    /// tables are read.
    pub(super) fn is_still_there(&self) -> bool {
        Manifest::read(&self.folder).is_some_and(|now| now.checksum() == self.manifest.checksum())
    }

    /// A table that has one part.
    pub(super) fn table<T: FactTable>(&self) -> Option<T> {
        let mut parts = self.tables(T::DECLARATION.name)?;
        (parts.len() == 1).then(|| parts.remove(0))
    }

    /// The parts of the table in the file with this name.
    pub(super) fn tables<T: FactTable>(&self, name: &str) -> Option<Vec<T>> {
        read_tables(&self.bytes(&format!("{name}.arrow"))?).ok()
    }

    /// The small data.
    pub(super) fn description<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_slice(&self.bytes(DESCRIPTION)?).ok()
    }

    fn bytes(&self, name: &str) -> Option<FileBytes> {
        match &self.read {
            Some(read) => read.get(name).cloned(),
            None => FileBytes::map(&self.folder.join(name), &self.memory).ok(),
        }
    }
}

/// Checks the files of a folder, unless they were found to be right and have not changed since.
fn check(manifest: &Manifest, folder: &Path) -> Option<()> {
    if manifest.is_trusted(folder) {
        return Some(());
    }
    let is_right = |(name, file): (&String, &KeptFile)| {
        let path = folder.join(name);
        let has_length = path.metadata().is_ok_and(|metadata| metadata.len() == file.bytes);
        has_length && checksum(&path).is_ok_and(|crc32| crc32 == file.crc32)
    };
    if !manifest.files.par_iter().all(is_right) {
        return None;
    }
    manifest.trust(folder);
    Some(())
}
