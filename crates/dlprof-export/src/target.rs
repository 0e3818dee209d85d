//! Files to write to: checked before the long work, written under a temporary name, then renamed.

use crate::error::Error;
use std::ffi::OsString;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What to do about files that exist already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Overwrite {
    /// Leave them and fail.
    #[default]
    Refuse,
    /// Replace them.
    Replace,
}

/// Checks before the long work that a file can be written. Creates its folder if it is missing.
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

/// Refuses devices, pipes, and `-`, which means standard output in other programs.
pub(crate) fn check_is_file(path: &Path) -> Result<(), Error> {
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
    remove_abandoned(path);
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

fn temporary_name(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!("{MARK}{}{ENDING}", std::process::id()));
    path.with_file_name(name)
}

/// The texts between the name of a file and the id of the process that writes it, and after both.
const MARK: &str = ".dlprof-agg-";
const ENDING: &str = ".tmp";

/// An unlocked temporary file of this age was left by a process that was killed.
const UNLOCKED: Duration = Duration::from_mins(1);

/// If nothing was written to a temporary file for this time, its process is gone, even if the file seems locked.
const SILENT: Duration = Duration::from_hours(1);

/// Removes temporary files of exports that were killed, from the folder of a file about to be written.
fn remove_abandoned(path: &Path) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    for file in files.filter(|file| is_temporary(&file.file_name().to_string_lossy())) {
        if is_abandoned(&file.path()).unwrap_or(false) {
            // Another process may have removed it first.
            drop(fs::remove_file(file.path()));
        }
    }
}

fn is_temporary(name: &str) -> bool {
    let process = name.strip_suffix(ENDING).and_then(|name| name.rsplit_once(MARK));
    name.starts_with('.') && process.is_some_and(|(_, id)| id.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_abandoned(path: &Path) -> io::Result<bool> {
    let file = fs::File::open(path)?;
    let age = file.metadata()?.modified()?.elapsed().unwrap_or_default();
    Ok(age >= SILENT || (age >= UNLOCKED && file.try_lock().is_ok()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    #[test]
    fn files_of_killed_exports_are_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let aged = |name: &str, age: Duration| {
            let path = folder.path().join(name);
            let file = fs::File::create(&path).expect("a file");
            file.set_modified(SystemTime::now() - age).expect("an age");
            (path, file)
        };
        let minutes = Duration::from_mins;
        let (abandoned, file) = aged(".ops.csv.dlprof-agg-12.tmp", minutes(2));
        drop(file);
        let (silent, file) = aged(".ops.csv.dlprof-agg-13.tmp", minutes(90));
        file.lock().expect("a lock");
        let (written, writer) = aged(".ops.csv.dlprof-agg-14.tmp", minutes(2));
        writer.lock().expect("a lock");
        let (begun, _) = aged(".ops.csv.dlprof-agg-15.tmp", minutes(0));
        let (foreign, _) = aged(".ops.csv.99.tmp", minutes(600));
        write_file(&folder.path().join("gpus.csv"), b"x").expect("a file");
        assert!(!abandoned.exists() && !silent.exists());
        assert!(written.exists() && begun.exists() && foreign.exists());
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 4);
    }
}
