//! Names of files and folders that are not complete yet, and what killed runs left of them.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The texts between the name of a file and the id of the process that writes it, and after both.
const MARK: &str = ".dlprof-agg-";
const ENDING: &str = ".tmp";

/// An unlocked temporary file of this age was left by a process that was killed.
const UNLOCKED: Duration = Duration::from_mins(1);

/// If nothing was written to a temporary file for this time, its process is gone, even if the file seems locked.
const SILENT: Duration = Duration::from_hours(1);

/// The folder in which a path is.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The name of a file that is not complete yet.
pub(crate) fn temporary_name(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!("{MARK}{}{ENDING}", std::process::id()));
    path.with_file_name(name)
}

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
    use crate::target::write_file;
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
