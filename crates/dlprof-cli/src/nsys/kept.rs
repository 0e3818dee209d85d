//! Exports of reports that are kept: a folder each, used while path, size and time of the report are the same.

use super::program::WITH_PAYLOADS;
use crate::exit::Failure;
use dlprof_core::{BegunFolder, Cache, export_tables, private_folder, write_private};
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// All kept exports take at most so many bytes, unless the newest one alone takes more.
pub(crate) const LIMIT_BYTES: u64 = 8 << 30;

/// The file of a folder that says which report was exported. Its time is that of the last use.
const REPORT: &str = "report.txt";

/// The start of the names of folders that are being written.
const UNFINISHED: &str = "writing-";

/// What must be the same for an export to be used again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReportIdentity {
    path: PathBuf,
    text: String,
}

/// A kept export.
#[derive(Debug, Clone)]
pub(crate) struct KeptReport {
    /// The report.
    pub(crate) report: PathBuf,
    /// Whether the report is still what it was.
    pub(crate) is_fresh: bool,
    /// Size of the export in bytes.
    pub(crate) bytes: u64,
    /// When it was last used.
    pub(crate) used: SystemTime,
    folder: PathBuf,
}

/// Where an export is.
#[derive(Debug)]
pub(super) enum Place {
    /// Removed at the end.
    Temporary(BegunFolder),
    /// Kept. Other runs do not remove it as long as the file is open and locked.
    Kept { folder: PathBuf, _in_use: Option<File> },
}

impl Place {
    pub(super) fn path(&self) -> &Path {
        match self {
            Self::Temporary(folder) => folder.path(),
            Self::Kept { folder, .. } => folder,
        }
    }
}

impl ReportIdentity {
    /// Of a report, which must be a regular file.
    pub(super) fn of(report: &Path) -> Result<Self, Failure> {
        dlprof_core::check_path(report)?;
        let unreadable = |source| dlprof_core::Error::Unreadable { path: report.into(), source };
        let file = report.metadata().map_err(unreadable)?;
        if file.len() == 0 {
            return Err(Failure::Input {
                message: format!("`{}` is empty", report.display()),
                cause: None,
                hint: Some("copy the report again, or capture again".into()),
            });
        }
        let path = report.canonicalize().map_err(unreadable)?;
        let since =
            |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
        let modified = file.modified().map(since).map_err(unreadable)?;
        let tables = export_tables().collect::<Vec<_>>().join(",");
        let text =
            format!("{}\n{} bytes\n{modified} ns\n{tables}\n{WITH_PAYLOADS}\n", path.display(), file.len());
        Ok(Self { path, text })
    }

    /// The name of the folder.
    fn key(&self) -> String {
        let mut hasher = DefaultHasher::new();
        self.path.hash(&mut hasher);
        format!("{:016x}", hasher.finish())
    }
}

fn folder_of(cache: &Cache) -> PathBuf {
    cache.folder().join("exports")
}

/// The kept export of a report that has not changed.
pub(super) fn find(cache: &Cache, identity: &ReportIdentity) -> Option<Place> {
    remove_unfinished(&folder_of(cache));
    let folder = folder_of(cache).join(identity.key());
    let place = hold(folder)?;
    let said = std::fs::read_to_string(place.path().join(REPORT)).ok()?;
    (said == identity.text).then_some(place)
}

/// Opens a kept folder so that no other run removes it.
fn hold(folder: PathBuf) -> Option<Place> {
    let file = File::options().append(true).open(folder.join(REPORT)).ok()?;
    // The time only decides which exports are removed first.
    drop(file.set_modified(SystemTime::now()));
    let locked = file.try_lock_shared().is_ok();
    Some(Place::Kept { folder, _in_use: locked.then_some(file) })
}

/// A folder for a new export: where exports are kept, or among temporary files.
pub(super) fn new_folder(cache: Option<&Cache>) -> io::Result<BegunFolder> {
    let Some(cache) = cache else { return BegunFolder::temporary() };
    let folder = folder_of(cache);
    private_folder(cache.folder())?;
    private_folder(&folder)?;
    BegunFolder::new(&folder, UNFINISHED)
}

/// Gives a finished folder its name, and makes room for it.
pub(super) fn keep(cache: &Cache, identity: &ReportIdentity, folder: BegunFolder) -> io::Result<Place> {
    write_private(&folder.path().join(REPORT), identity.text.as_bytes())?;
    let place = folder_of(cache).join(identity.key());
    if let Some(old) = set_aside(&place) {
        drop(old);
    }
    folder.rename(&place)?;
    make_room(cache, &place);
    hold(place).ok_or_else(|| io::ErrorKind::NotFound.into())
}

/// Renames a folder, which is removed when the returned value is dropped. `None` if there is no such folder.
fn set_aside(place: &Path) -> Option<BegunFolder> {
    let old = BegunFolder::new(place.parent()?, UNFINISHED).ok()?;
    std::fs::rename(place, old.path().join("old")).ok()?;
    Some(old)
}

/// Removes the exports that were not used for the longest time until all fit the limit. Exports in use stay.
fn make_room(cache: &Cache, newest: &Path) {
    let mut kept = list(cache).unwrap_or_default();
    let mut taken: u64 = kept.iter().map(|one| one.bytes).sum();
    kept.retain(|one| one.folder != newest);
    while taken > LIMIT_BYTES
        && let Some(oldest) = kept.pop()
    {
        let file = File::open(oldest.folder.join(REPORT));
        if file.is_ok_and(|file| file.try_lock().is_ok()) {
            drop(set_aside(&oldest.folder));
            taken -= oldest.bytes;
        }
    }
}

/// The kept exports, the most recently used first.
///
/// # Errors
/// If the folder exists but cannot be read.
pub(crate) fn list(cache: &Cache) -> io::Result<Vec<KeptReport>> {
    let folders = match std::fs::read_dir(folder_of(cache)) {
        Ok(folders) => folders,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let is_finished =
        |folder: &PathBuf| !folder.file_name().unwrap_or_default().to_string_lossy().starts_with(UNFINISHED);
    let folders = folders.flatten().map(|folder| folder.path()).filter(is_finished);
    let mut kept: Vec<KeptReport> = folders.map(KeptReport::of).collect();
    kept.sort_by(|a, b| b.used.cmp(&a.used).then_with(|| a.folder.cmp(&b.folder)));
    Ok(kept)
}

/// Removes all kept exports; returns their number and their size in bytes.
///
/// # Errors
/// If one cannot be removed.
pub(crate) fn clear(cache: &Cache) -> io::Result<(usize, u64)> {
    let kept = list(cache)?;
    for one in &kept {
        std::fs::remove_dir_all(&one.folder)?;
    }
    remove_unfinished(&folder_of(cache));
    Ok((kept.len(), kept.iter().map(|one| one.bytes).sum()))
}

impl KeptReport {
    fn of(folder: PathBuf) -> Self {
        let said = std::fs::read_to_string(folder.join(REPORT)).unwrap_or_default();
        let report = PathBuf::from(said.lines().next().unwrap_or_default());
        let files = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let used = folder.join(REPORT).metadata().and_then(|file| file.modified());
        Self {
            is_fresh: ReportIdentity::of(&report).is_ok_and(|now| now.text == said),
            report,
            bytes: files.filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum(),
            used: used.unwrap_or(SystemTime::UNIX_EPOCH),
            folder,
        }
    }
}

/// Removes folders of runs that were killed. A folder that is written now has a file that is younger than an hour.
fn remove_unfinished(folder: &Path) {
    const LONGEST_SILENCE: std::time::Duration = std::time::Duration::from_hours(1);
    let age = |path: &Path| path.metadata().and_then(|one| one.modified()).ok()?.elapsed().ok();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if !entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            continue;
        }
        let files = std::fs::read_dir(entry.path()).into_iter().flatten().flatten().map(|file| file.path());
        let is_silent = |path: PathBuf| age(&path).is_some_and(|age| age >= LONGEST_SILENCE);
        if files.chain([entry.path()]).all(is_silent) {
            // Another process may have removed it first.
            drop(std::fs::remove_dir_all(entry.path()));
        }
    }
}
