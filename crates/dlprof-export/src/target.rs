//! Files to write to: checked before the long work, written under a temporary name, then renamed.

use crate::error::Error;
use std::ffi::OsString;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// What to do about files that are there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Overwrite {
    /// Leave them and fail.
    #[default]
    Refuse,
    /// Replace them.
    Replace,
}

/// Checks that a file can be written, making its folder, before the long work begins.
///
/// # Errors
/// If the file exists and must not be replaced, or the folder cannot be made or written to.
pub fn check_target(path: &Path, overwrite: Overwrite) -> Result<(), Error> {
    check_is_file(path)?;
    if overwrite == Overwrite::Refuse && path.exists() {
        return Err(Error::Exists { path: path.into() });
    }
    if path.is_dir() {
        let source = std::io::Error::from(std::io::ErrorKind::IsADirectory);
        return Err(Error::Write { path: path.into(), source });
    }
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(|source| Error::Write { path: folder.into(), source })?;
    }
    let probe = temporary_name(path);
    let written = fs::write(&probe, b"").and_then(|()| fs::remove_file(&probe));
    written.map_err(|source| Error::Write { path: path.into(), source })
}

/// Refuses devices, pipes, and the `-` that stands for standard output elsewhere.
pub(crate) fn check_is_file(path: &Path) -> Result<(), Error> {
    let is_special = path.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir());
    if is_special || path == Path::new("-") { Err(Error::NoFile { path: path.into() }) } else { Ok(()) }
}

/// Writes a whole file: under a temporary name beside it, which then takes its place.
///
/// # Errors
/// If the system refuses; the temporary file is removed.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    write_with(path, |out| out.write_all(bytes))
}

/// As [`write_file`], for what is written piece by piece.
pub(crate) fn write_with(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<fs::File>) -> io::Result<()>,
) -> Result<(), Error> {
    let temporary = temporary_name(path);
    let whole = || -> io::Result<()> {
        let mut file = BufWriter::with_capacity(1 << 16, fs::File::create(&temporary)?);
        write(&mut file)?;
        file.into_inner().map_err(io::IntoInnerError::into_error)?;
        fs::rename(&temporary, path)
    };
    let written = whole();
    written.map_err(|source| {
        // The write has failed already; a leftover that cannot be removed changes nothing.
        let _ = fs::remove_file(&temporary);
        Error::Write { path: path.into(), source }
    })
}

fn temporary_name(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.tmp", std::process::id()));
    path.with_file_name(name)
}
