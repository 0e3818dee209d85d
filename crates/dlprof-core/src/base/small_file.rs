//! Files that are read as a whole: settings, policies, baselines, fonts. They are regular files of a limited length.
//!
//! A pipe may never end, a device has no end, and a file of `/proc` may wait: none of them is read, so that no command waits for
//! what does not come or fills the memory.

use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Settings files and policies have at most so many bytes.
pub const MOST_SETTINGS_BYTES: u64 = 1 << 20;

/// Baselines have at most so many bytes.
pub(crate) const MOST_BASELINE_BYTES: u64 = 128 << 20;

/// Opens a regular file.
///
/// # Errors
/// If there is none, it is something else, or it cannot be opened. The error says what it is.
pub(crate) fn open(path: &Path) -> io::Result<File> {
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

/// Reads a regular file of at most so many bytes.
///
/// # Errors
/// As those of `open`, or if the file is longer or cannot be read.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let said = file.metadata()?.len();
    let mut bytes = Vec::new();
    if said <= most {
        file.take(most + 1).read_to_end(&mut bytes)?;
    }
    let found = said.max(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
    if found > most {
        let text = format!("it has {found} bytes; files of this kind have at most {most}");
        return Err(io::Error::new(ErrorKind::FileTooLarge, text));
    }
    Ok(bytes)
}

/// As [`read`], as text.
///
/// # Errors
/// As those of [`read`], or if it is not UTF-8.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read(path, most)?)
        .map_err(|_| io::Error::new(ErrorKind::InvalidData, "stream did not contain valid UTF-8"))
}

/// What a path is that is neither a file nor a folder.
#[must_use]
pub(crate) fn kind_of(kind: FileType) -> &'static str {
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
    if !metadata.is_file() {
        let found = kind_of(metadata.file_type());
        return Err(io::Error::other(format!("it is a {found}; a regular file is needed")));
    }
    if metadata.len() == 0 && is_of_kernel(path) {
        return Err(io::Error::other("the kernel makes it while it is read; a regular file is needed"));
    }
    Ok(())
}

/// Whether a file is in `/proc` or the like: such files say that they are empty, and reading may wait.
#[cfg(target_os = "linux")]
fn is_of_kernel(path: &Path) -> bool {
    path.canonicalize().is_ok_and(|path| ["/proc", "/sys"].iter().any(|root| path.starts_with(root)))
}

#[cfg(not(target_os = "linux"))]
fn is_of_kernel(_: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_files_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("settings.toml");
        std::fs::write(&path, "12345").expect("a file");
        assert_eq!(read_text(&path, 5).expect("a text"), "12345");
        let error = read(&path, 4).expect_err("too long");
        assert_eq!(error.to_string(), "it has 5 bytes; files of this kind have at most 4");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn special_files_are_refused() {
        let cases = [("/dev/zero", "device"), ("/proc/self/status", "kernel"), ("/proc", "directory")];
        for (path, part) in cases {
            let error = read(Path::new(path), 1000).expect_err(path).to_string();
            assert!(error.contains(part), "{path}: {error}");
        }
    }
}
