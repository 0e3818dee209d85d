//! Opening what users name. It is a regular file, or it is not read.
//!
//! A pipe may never end, a device has no end, and a file of `/proc` may wait: none of them is read, so that no command waits for
//! what does not come or fills the memory.

use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io;
use std::path::Path;

/// Opens a regular file for reading.
///
/// # Errors
/// If there is none, it is something else, or it cannot be opened. The error says what it is.
pub fn open(path: &Path) -> io::Result<File> {
    check(path, &path.metadata()?)?;
    let mut options = OpenOptions::new();
    options.read(true);
    // In the meantime a pipe may have taken the place of the file: opening it must not wait.
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed());
    }
    let file = options.open(path)?;
    check(path, &file.metadata()?)?;
    Ok(file)
}

/// What a path is that is no regular file; none if it is one.
#[must_use]
pub(crate) fn other_kind(path: &Path, metadata: &Metadata) -> Option<&'static str> {
    if !metadata.is_file() {
        return Some(kind_of(metadata.file_type()));
    }
    is_of_kernel(path).then_some("file that the kernel makes while it is read")
}

fn kind_of(kind: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "pipe";
        }
        if kind.is_socket() {
            return "socket";
        }
    }
    if kind.is_dir() { "directory" } else { "device" }
}

fn check(path: &Path, metadata: &Metadata) -> io::Result<()> {
    match other_kind(path, metadata) {
        Some(found) => Err(io::Error::other(format!("it is a {found}; a regular file is needed"))),
        None => Ok(()),
    }
}

/// Whether a file is in `/proc` or the like, where files say little of what they hold, and reading may wait.
#[cfg(target_os = "linux")]
fn is_of_kernel(path: &Path) -> bool {
    path.canonicalize().is_ok_and(|path| ["/proc", "/sys"].iter().any(|root| path.starts_with(root)))
}

#[cfg(not(target_os = "linux"))]
fn is_of_kernel(_: &Path) -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn special_files_are_refused() {
        let cases = [("/dev/zero", "device"), ("/proc/self/status", "kernel"), ("/proc", "directory")];
        for (path, part) in cases {
            let error = open(Path::new(path)).expect_err(path).to_string();
            assert!(error.contains(part) && error.contains("a regular file is needed"), "{path}: {error}");
        }
    }
}
