//! Files to write to: checked before the long work, written under a temporary name, then renamed.

use crate::error::Error;
use crate::staging::Staging;
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

/// The folder in which a path is.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
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

/// Writes several whole files: all of them, or none.
///
/// # Errors
/// If the system refuses to write.
pub fn write_files<'a>(files: impl IntoIterator<Item = (&'a Path, &'a [u8])>) -> Result<(), Error> {
    let mut staging = Staging::default();
    for (path, bytes) in files {
        let staged = staging.place(path)?;
        write_file(&staged, bytes).map_err(|error| staging.explain(error))?;
    }
    staging.commit()
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

/// The name of a folder for files that are not complete yet.
pub(crate) fn temporary_folder_name() -> String {
    format!("{MARK}{}{ENDING}", std::process::id())
}

/// Removes temporary files and folders of exports that were killed, from a folder that is about to be written to.
pub(crate) fn remove_abandoned(folder: &Path) {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    for file in files.filter(|file| is_temporary(&file.file_name().to_string_lossy())) {
        if is_abandoned(&file.path()).unwrap_or(false) {
            // Another process may have removed it first.
            let path = file.path();
            drop(if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) });
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
        let abandoned_folder = folder.path().join(".dlprof-agg-16.tmp");
        fs::create_dir(&abandoned_folder).expect("a folder");
        fs::write(abandoned_folder.join("0-ops.csv"), "half").expect("a file");
        let time = SystemTime::now() - minutes(2);
        fs::File::open(&abandoned_folder).and_then(|opened| opened.set_modified(time)).expect("an age");
        write_file(&folder.path().join("gpus.csv"), b"x").expect("a file");
        assert!(!abandoned.exists() && !silent.exists() && !abandoned_folder.exists());
        assert!(written.exists() && begun.exists() && foreign.exists());
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 4);
    }
}
