//! A lake: a folder per capture, with the tables that people query as Parquet, and what a job is made of.
//!
//! ```text
//! LAKE/run=77/rank=3/ops.parquet …      a capture; the folder appears as a whole
//! LAKE/.adding-x1y2z3/                  one that is being written, or was when its writer was killed
//! ```
//!
//! Many machines may add captures at once, on a file system that they share: nothing is locked. Each writes under a name of its
//! own and renames the folder, which works for one of those that want the same name.

use crate::error::Error;
use crate::formats::{ExportSource, Format, write_table_file};
use crate::target::{Overwrite, create_with};
use dlprof_core::{
    BegunFolder, DIGEST_FILE, Judged, RankDigest, SameCapture, definition, exchange_folders, hold_signals,
    no_more_rights_than, read_digests, same_capture, write_digests,
};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The tables of a capture, by the names of their files.
pub const LAKE_TABLES: [&str; 5] = ["iterations", "ops", "kernel_names", "findings", "summary"];

/// What names of folders begin with in which a capture is being written.
const ADDING: &str = ".adding-";

/// Nobody adds a capture for so long: what is older was left by a run that was killed.
const LONGEST_ADDING: Duration = Duration::from_hours(24);

/// Where a capture stands in a lake.
#[derive(Debug, Clone, Copy)]
pub struct LakePlace<'a> {
    /// The lake.
    pub lake: &'a Path,
    /// The run.
    pub run: &'a str,
    /// The rank; of a capture of several ranks the lowest.
    pub rank: i64,
}

impl LakePlace<'_> {
    /// The folder of the capture.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.lake.join(format!("run={}", self.run)).join(format!("rank={}", self.rank))
    }
}

/// What adding a capture has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LakeChange {
    /// It is new.
    Added,
    /// It took the place of another one.
    Replaced,
    /// It was there already.
    None,
}

/// Puts a capture into a lake: as a whole or not at all. Others may read of it there only if they may read the file that the
/// capture was read from.
///
/// # Errors
/// If another capture has its place and is not to be replaced, or the system refuses to write.
pub fn add_to_lake(
    place: LakePlace<'_>,
    file: &Path,
    judged: &Judged,
    digests: &[RankDigest],
    overwrite: Overwrite,
) -> Result<LakeChange, Error> {
    let folder = place.folder();
    if let Some(other) = foreign_file(&folder) {
        return Err(Error::NoCaptureOfLake { path: folder, other });
    }
    let failed = |source| Error::Write { path: folder.clone(), source };
    if overwrite == Overwrite::Refuse && folder.exists() {
        return already(&folder, judged, digests);
    }
    let run = folder.parent().unwrap_or(place.lake);
    let _made = MadeFolders::of(run);
    fs::create_dir_all(run).map_err(failed)?;
    remove_left(place.lake);
    // Folders with names of their own may be looked into by their maker only, so the capture is a folder in it.
    let begun = BegunFolder::new(place.lake, ADDING).map_err(failed)?;
    let written = begun.path().join("capture");
    fs::create_dir(&written).map_err(failed)?;
    write(&written, judged, digests).map_err(|error| match error {
        Error::Write { source, .. } => failed(source),
        other => other,
    })?;
    limit_rights(file, &written).map_err(failed)?;
    sync(&written).map_err(failed)?;
    // A signal finds the capture whole, or not there.
    let held = hold_signals();
    if overwrite == Overwrite::Replace && exchange_folders(&written, &folder).is_ok() {
        drop(held);
        drop(sync_folder(run));
        return Ok(LakeChange::Replaced);
    }
    let replaced = begun.path().join("replaced");
    let is_replaced = overwrite == Overwrite::Replace && fs::rename(&folder, &replaced).is_ok();
    let renamed = fs::rename(&written, &folder);
    if renamed.is_err() && is_replaced {
        // If this fails too, there is nothing left to try.
        drop(fs::rename(&replaced, &folder));
    }
    drop(held);
    match renamed {
        Ok(()) => {
            // Where folders cannot be flushed, they need not be.
            drop(sync_folder(run));
            Ok(if is_replaced { LakeChange::Replaced } else { LakeChange::Added })
        }
        // Somebody was faster; or the answer to our own renaming was lost on the way from the server.
        Err(_) if folder.exists() => already(&folder, judged, digests),
        Err(error) => Err(failed(error)),
    }
}

/// Folders that are made for a capture. Those that hold nothing at the end go, so that a full disk leaves none.
struct MadeFolders<'a>(Vec<&'a Path>);

impl<'a> MadeFolders<'a> {
    /// Of a folder and those in which it is: the ones that do not exist yet, the innermost first.
    fn of(folder: &'a Path) -> Self {
        let named = folder.ancestors().filter(|folder| !folder.as_os_str().is_empty());
        Self(named.take_while(|folder| !folder.exists()).collect())
    }
}

impl Drop for MadeFolders<'_> {
    fn drop(&mut self) {
        for folder in &self.0 {
            // Only empty ones can be removed this way.
            drop(fs::remove_dir(folder));
        }
    }
}

/// The first name in a folder, if there is one, that no capture of a lake has: nothing of others is ever replaced.
fn foreign_file(folder: &Path) -> Option<String> {
    let is_known = |name: &str| {
        name == DIGEST_FILE || name.strip_suffix(".parquet").is_some_and(|key| LAKE_TABLES.contains(&key))
    };
    let names = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = names.map(|file| file.file_name().to_string_lossy().into_owned());
    names.filter(|name| !is_known(name)).min()
}

/// What to say where a capture has the place already.
fn already(folder: &Path, judged: &Judged, digests: &[RankDigest]) -> Result<LakeChange, Error> {
    let holds = |what: String| Error::InLake { path: folder.into(), what };
    match read_digests(folder, &judged.capture.memory) {
        Err(error) => Err(holds(format!("a capture that cannot be used: {error}"))),
        Ok(known) => match same_capture(&known, digests) {
            SameCapture::Whole => Ok(LakeChange::None),
            SameCapture::Capture => Err(holds("this capture, read with other options".into())),
            SameCapture::No => {
                let name = known.first().map(|digest| digest.who.file.display().to_string());
                Err(holds(format!("another capture: `{}`", name.unwrap_or_default())))
            }
        },
    }
}

fn write(folder: &Path, judged: &Judged, digests: &[RankDigest]) -> Result<(), Error> {
    let source = ExportSource::of(judged);
    for key in LAKE_TABLES {
        let Some(table) = definition(key) else { continue };
        let path = folder.join(format!("{key}.parquet"));
        write_table_file((table.build)(judged).as_ref(), Format::Parquet, Some(&source), &path)?;
    }
    create_with(&folder.join(DIGEST_FILE), |out| write_digests(digests, out))
}

/// The made file can be read only by those who can read the capture.
fn limit_rights(file: &Path, written: &Path) -> io::Result<()> {
    for made in fs::read_dir(written)? {
        no_more_rights_than(file, &made?.path())?;
    }
    no_more_rights_than(file, written)
}

/// What is renamed is on the disk before, or a machine that fails leaves a folder of empty files.
fn sync(folder: &Path) -> io::Result<()> {
    for file in fs::read_dir(folder)? {
        File::open(file?.path())?.sync_all()?;
    }
    // As above.
    drop(sync_folder(folder));
    Ok(())
}

fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Removes what runs left that were killed long ago.
fn remove_left(lake: &Path) {
    for file in fs::read_dir(lake).into_iter().flatten().flatten() {
        let is_adding = file.file_name().to_string_lossy().starts_with(ADDING);
        let touched = || file.metadata().ok().filter(|known| known.is_dir())?.modified().ok()?.elapsed().ok();
        if is_adding && touched().is_some_and(|age| age >= LONGEST_ADDING) {
            // Another machine may have been faster.
            drop(fs::remove_dir_all(file.path()));
        }
    }
}
