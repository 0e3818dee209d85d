//! Files that are read as a whole: settings, policies, baselines, fonts. They are regular files of a limited length.

use super::regular_file::open;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Settings files and policies have at most so many bytes.
pub const MOST_SETTINGS_BYTES: u64 = 1 << 20;

/// Baselines have at most so many bytes.
pub(crate) const MOST_BASELINE_BYTES: u64 = 128 << 20;

/// Reads a regular file of at most so many bytes.
///
/// # Errors
/// As those of opening a regular file, or if the file is longer or cannot be read.
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
}
