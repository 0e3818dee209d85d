//! Checks of a file before SQLite opens it, and after it was read.

use super::file_state::{FileState, writer};
use crate::base::small_file::kind_of;
use crate::base::{Error, ErrorKind};
use std::fs::File;
use std::path::{Path, PathBuf};

/// Checks that a path names a regular file.
///
/// # Errors
/// If there is nothing with this name, or a directory, a pipe, a socket or a device.
pub fn check_path(path: &Path) -> Result<(), Error> {
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(Error::NotFound { path: path.into() });
        }
        Err(source) => return Err(Error::Unreadable { path: path.into(), source }),
    };
    if metadata.is_dir() {
        return Err(Error::IsDirectory { path: path.into() });
    }
    if !metadata.is_file() {
        return Err(Error::NotRegular { path: path.into(), found: kind_of(metadata.file_type()) });
    }
    Ok(())
}

/// All checks that are possible before SQLite opens the file. Returns its state.
pub(crate) fn check_file(path: &Path) -> Result<FileState, Error> {
    check_path(path)?;
    let unreadable = |source| Error::Unreadable { path: path.into(), source };
    let mut file = File::open(path).map_err(unreadable)?;
    let state = FileState::of_open(&mut file).map_err(unreadable)?;
    check_header(path, &state.header, state.size_bytes)?;
    if let Some(writer) = writer(&file) {
        return Err(Error::BeingWritten { path: path.into(), writer });
    }
    check_journals(path)?;
    Ok(state)
}

/// Checks that a file that was read is still as it was when reading began, and that nobody began to write to it.
pub(crate) fn check_unchanged(path: &Path, before: &FileState) -> Result<(), Error> {
    match check_file(path) {
        Ok(now) if now == *before => Ok(()),
        Err(error @ (Error::BeingWritten { .. } | Error::HotJournal { .. })) => Err(error),
        // Too many open files say nothing about this one.
        Err(error) if error.kind() == ErrorKind::Limit => Err(error),
        Ok(_) | Err(_) => Err(Error::ChangedWhileRead { path: path.into() }),
    }
}

/// Checks the 100-byte header described in <https://www.sqlite.org/fileformat.html#the_database_header>.
fn check_header(path: &Path, header: &[u8], found_bytes: u64) -> Result<(), Error> {
    if !header.starts_with(b"SQLite format 3\0") {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("");
        return Err(if ["nsys-rep", "qdrep", "qdstrm"].contains(&extension) {
            Error::NsysReport { path: path.into() }
        } else {
            Error::NotSqlite { path: path.into(), found: describe_start(header) }
        });
    }
    let word = |at: usize| header.get(at..at + 4).map_or(0, |b| u32::from_be_bytes([b[0], b[1], b[2], b[3]]));
    let page_size = match header.get(16..18).map(|b| u16::from_be_bytes([b[0], b[1]])) {
        Some(1) => 65536,
        Some(size) => u64::from(size),
        None => 0,
    };
    let page_count_is_valid = word(24) == word(92);
    let expected_bytes = if page_count_is_valid { page_size * u64::from(word(28)) } else { 0 };
    if header.len() < 100 || found_bytes < expected_bytes {
        let expected_bytes = expected_bytes.max(100);
        return Err(Error::Truncated { path: path.into(), expected_bytes, found_bytes });
    }
    Ok(())
}

fn describe_start(header: &[u8]) -> String {
    if header.is_empty() {
        return "the file is empty".into();
    }
    let start: String = String::from_utf8_lossy(&header[..header.len().min(16)])
        .chars()
        .map(|c| if c.is_control() || c == '\u{FFFD}' { '.' } else { c })
        .collect();
    format!("it starts with `{start}`")
}

/// A `-wal` or `-journal` that is not empty may hold rows that the database file lacks.
fn check_journals(path: &Path) -> Result<(), Error> {
    for suffix in ["-wal", "-journal"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        let journal = PathBuf::from(name);
        if std::fs::metadata(&journal).is_ok_and(|metadata| metadata.len() > 0) {
            return Err(Error::HotJournal { path: path.into(), journal });
        }
    }
    Ok(())
}
