//! The state of a file, whatever it holds: what must be the same before and after it was read.

use super::unread;
use crate::base::Error;
use crate::base::regular_file::{open, other_kind};
use serde::{Deserialize, Serialize};
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;
use std::time::UNIX_EPOCH;

/// How many bytes at the start of a file are part of its state: in a database, its header with the counter of changes.
const START_BYTES: u64 = 100;

/// What changes if a program writes to a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct FileState {
    pub(crate) size_bytes: u64,
    /// Nanoseconds since 1970; negative before.
    modified_ns: i128,
    /// Device, inode, and the time of the last change of the inode, if the system has them.
    inode: [i64; 4],
    /// The first bytes; fewer if the file has fewer.
    pub(super) start: Vec<u8>,
}

impl FileState {
    /// The state of a file as it is now.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        Self::of_open(&mut open(path)?)
    }

    /// The state of a file that is open at its start.
    pub(super) fn of_open(file: &mut File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        let mut start = Vec::new();
        file.take(START_BYTES).read_to_end(&mut start)?;
        Ok(Self {
            size_bytes: metadata.len(),
            modified_ns: modified_ns(&metadata)?,
            inode: inode(&metadata),
            start,
        })
    }
}

fn modified_ns(metadata: &Metadata) -> io::Result<i128> {
    let whole = |duration: std::time::Duration| i128::try_from(duration.as_nanos()).unwrap_or(i128::MAX);
    Ok(match metadata.modified()?.duration_since(UNIX_EPOCH) {
        Ok(after) => whole(after),
        Err(before) => -whole(before.duration()),
    })
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> [i64; 4] {
    use std::os::unix::fs::MetadataExt;
    [metadata.dev().cast_signed(), metadata.ino().cast_signed(), metadata.ctime(), metadata.ctime_nsec()]
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> [i64; 4] {
    [0; 4]
}

/// Checks that a path names a regular file.
///
/// # Errors
/// If there is nothing with this name, or a directory, a pipe, a socket, a device, or a file that the kernel makes.
pub fn check_path(path: &Path) -> Result<(), Error> {
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(Error::NotFound { path: path.into() });
        }
        Err(source) => return Err(Error::Unreadable { path: path.into(), source }),
    };
    if metadata.is_dir() {
        return Err(match unread::of_folder(path) {
            Some(found) => Error::Unread { path: path.into(), found },
            None => Error::IsDirectory { path: path.into() },
        });
    }
    match other_kind(path, &metadata) {
        Some(found) => Err(Error::NotRegular { path: path.into(), found }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Seek, SeekFrom, Write};
    use std::time::{Duration, SystemTime};

    /// Every part of the state shows a change that the others do not show.
    #[test]
    fn a_change_of_size_time_inode_or_start_is_seen() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        std::fs::write(&path, [7; 300]).expect("a file");
        let before = FileState::of(&path).expect("a state");
        assert_eq!(before, FileState::of(&path).expect("a state"), "reading changes nothing");
        let state = |change: &dyn Fn(&mut File)| {
            let mut file = File::options().write(true).open(&path).expect("a file");
            change(&mut file);
            file.set_modified(UNIX_EPOCH + Duration::from_nanos(5)).expect("a time");
            FileState { inode: before.inode, ..FileState::of(&path).expect("a state") }
        };
        let same = state(&|_| {});
        assert_eq!(same.modified_ns, 5);
        assert_ne!(same, before);
        assert_ne!(state(&|file| file.set_len(301).expect("a length")), same);
        assert_eq!(state(&|file| file.set_len(300).expect("a length")), same);
        let count = |file: &mut File| {
            file.seek(SeekFrom::Start(27)).and_then(|_| file.write_all(&[8])).expect("a change");
        };
        assert_ne!(state(&count), same, "the counter of changes");
        let copy = folder.path().join("copy");
        std::fs::copy(&path, &copy).expect("a copy");
        let now = FileState::of(&path).expect("a state");
        std::fs::rename(&copy, &path).expect("another file of this name");
        let after = FileState::of(&path).expect("a state");
        assert!(cfg!(not(unix)) || after.inode != now.inode);
    }

    #[test]
    fn times_before_1970_are_times() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        let file = File::create(&path).expect("a file");
        file.set_modified(SystemTime::UNIX_EPOCH - Duration::from_secs(2)).expect("a time");
        assert_eq!(FileState::of(&path).expect("a state").modified_ns, -2_000_000_000);
    }
}
