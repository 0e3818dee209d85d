//! Files to write to: checked before the long work, written under a temporary name, then renamed.

use crate::error::Error;
use crate::temporary::{folder_of, remove_abandoned, temporary_name};
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// What to do about files that exist already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Overwrite {
    /// Leave them and fail.
    #[default]
    Refuse,
    /// Replace them.
    Replace,
}

/// Checks before the long work that a file can be written.
///
/// # Errors
/// If the file exists and must not be replaced, or its folder does not exist or cannot be written to.
pub fn check_target(path: &Path, overwrite: Overwrite) -> Result<(), Error> {
    check_is_file(path)?;
    if overwrite == Overwrite::Refuse && path.exists() {
        return Err(Error::Exists { path: path.into() });
    }
    if path.is_dir() {
        let source = std::io::Error::from(std::io::ErrorKind::IsADirectory);
        return Err(Error::Write { path: path.into(), source });
    }
    let folder = folder_of(path);
    if !folder.is_dir() {
        return Err(Error::NoFolder { path: path.into(), folder: folder.into() });
    }
    let probe = temporary_name(path);
    let written = fs::write(&probe, b"").and_then(|()| fs::remove_file(&probe));
    written.map_err(|source| Error::Write { path: path.into(), source })
}

/// Checks before the long work that files can be written to a folder. The folder itself may be missing.
///
/// # Errors
/// If the path is something else, if one of the files exists and must not be replaced, or if the folder, or the folder in
/// which it would be made, cannot be written to.
pub(crate) fn check_folder(folder: &Path, files: &[PathBuf], overwrite: Overwrite) -> Result<(), Error> {
    if folder.is_dir() {
        return files.iter().try_for_each(|file| check_target(file, overwrite));
    }
    if folder.exists() {
        let source = std::io::Error::from(std::io::ErrorKind::NotADirectory);
        return Err(Error::Write { path: folder.into(), source });
    }
    check_target(folder, overwrite)
}

/// Refuses devices, pipes, and `-`, which means standard output in other programs.
///
/// # Errors
/// If the path is one of these.
pub fn check_is_file(path: &Path) -> Result<(), Error> {
    let is_special = path.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir());
    if is_special || path == Path::new("-") { Err(Error::NoFile { path: path.into() }) } else { Ok(()) }
}

/// Writes a whole file under a temporary name in the same folder, then renames it.
///
/// # Errors
/// If the system refuses to write. The temporary file is removed then.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    write_with(path, |out| out.write_all(bytes))
}

/// As [`write_file`], for contents that are written piece by piece.
pub(crate) fn write_with(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<fs::File>) -> io::Result<()>,
) -> Result<(), Error> {
    remove_abandoned(folder_of(path));
    let temporary = temporary_name(path);
    let whole = || -> io::Result<()> {
        let file = fs::File::create(&temporary)?;
        // The lock is held until the file is closed and shows that it is being written. On systems without locks
        // its age does.
        let _ = file.try_lock();
        let mut file = BufWriter::with_capacity(1 << 16, file);
        write(&mut file)?;
        file.into_inner().map_err(io::IntoInnerError::into_error)?;
        fs::rename(&temporary, path)
    };
    let written = whole();
    written.map_err(|source| {
        // Writing has failed already, so it does not matter if the temporary file cannot be removed.
        let _ = fs::remove_file(&temporary);
        Error::Write { path: path.into(), source }
    })
}
