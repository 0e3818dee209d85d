//! Checks of a file before SQLite opens it, and after it was read.

use crate::base::regular_file::open;
use crate::base::{Error, ErrorKind, OtherWriter};
use crate::read::file_kind::FileKind;
use crate::read::file_state::{FileState, check_path};
use crate::read::unread::Sample;
use std::fs::File;
use std::path::{Path, PathBuf};

/// All checks that are possible before SQLite opens the file. Returns its state.
pub(crate) fn check_file(path: &Path) -> Result<FileState, Error> {
    check_path(path)?;
    let unreadable = |source| Error::Unreadable { path: path.into(), source };
    let mut file = open(path).map_err(unreadable)?;
    let state = FileState::of_open(&mut file).map_err(unreadable)?;
    let sample = Sample::read(path).map_err(unreadable)?;
    match FileKind::of(&sample)? {
        FileKind::Sqlite => {}
        FileKind::Trace => return Err(Error::TraceInsteadOfExport { path: path.into() }),
        FileKind::Profile => return Err(profile_instead(path)),
    }
    check_header(path, &state.start, state.size_bytes)?;
    if let Some(writer) = writer(&file) {
        return Err(Error::BeingWritten { path: path.into(), writer });
    }
    check_journals(path)?;
    Ok(state)
}

/// That a file is a profile of XLA where an export is needed.
pub(in crate::read) fn profile_instead(path: &Path) -> Error {
    Error::NotAnExport { path: path.into(), missing: "it is an XPlane profile, which has no tables of nsys" }
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

/// How long the database is, as the 100-byte header says that <https://www.sqlite.org/fileformat.html#the_database_header> describes;
/// 0 if it does not say.
fn said_bytes(header: &[u8]) -> u64 {
    let word = |at: usize| header.get(at..at + 4).map_or(0, |b| u32::from_be_bytes([b[0], b[1], b[2], b[3]]));
    let page_size = match header.get(16..18).map(|b| u16::from_be_bytes([b[0], b[1]])) {
        Some(1) => 65536,
        Some(size) => u64::from(size),
        None => 0,
    };
    let page_count_is_valid = word(24) == word(92);
    if page_count_is_valid { page_size * u64::from(word(28)) } else { 0 }
}

/// Bytes after the end of a database: another file was appended.
pub(super) fn bytes_behind(state: &FileState) -> u64 {
    match said_bytes(&state.start) {
        0 => 0,
        said => state.size_bytes.saturating_sub(said),
    }
}

fn check_header(path: &Path, header: &[u8], found_bytes: u64) -> Result<(), Error> {
    let expected_bytes = said_bytes(header);
    if header.len() < 100 || found_bytes < expected_bytes {
        let expected_bytes = expected_bytes.max(100);
        return Err(Error::Truncated { path: path.into(), expected_bytes, found_bytes });
    }
    Ok(())
}

/// Who has locked a database for writing. SQLite does so from the first change of a transaction to its end, also where it
/// writes no journal.
#[cfg(unix)]
fn writer(file: &File) -> Option<OtherWriter> {
    use rustix::process::{Flock, FlockOffsetType, FlockType, fcntl_getlk};
    /// Where SQLite's locks are: one byte for who waits to write, one for who will write, and 510 for readers.
    const LOCKS_AT: u64 = 0x4000_0000;
    const LOCKS: u64 = 512;
    // Only locks for writing are in the way of a lock for reading. None is taken.
    let reading = Flock {
        start: LOCKS_AT,
        length: LOCKS,
        pid: None,
        typ: FlockType::ReadLock,
        offset_type: FlockOffsetType::Set,
    };
    let lock = fcntl_getlk(file, &reading).ok().flatten()?;
    let process = lock.pid.map(|pid| pid.as_raw_nonzero().get());
    Some(OtherWriter { process: process.filter(|process| *process > 0) })
}

#[cfg(not(unix))]
fn writer(_: &File) -> Option<OtherWriter> {
    None
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
