//! Errors of writing.

use std::io::ErrorKind;
use std::path::PathBuf;

/// Why an output could not be written. A file is written completely or not at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file exists already.
    #[error("`{}` exists", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The folder of the file does not exist.
    #[error("cannot write `{}`: there is no folder `{}`", path.display(), folder.display())]
    NoFolder {
        /// The file.
        path: PathBuf,
        /// The folder.
        folder: PathBuf,
    },
    /// The path is not a regular file: it is a pipe, a device, or `-`.
    #[error("`{}` is not a regular file", path.display())]
    NoFile {
        /// The path.
        path: PathBuf,
    },
    /// Two outputs have the same path.
    #[error("two outputs have the same path, `{}`", path.display())]
    Twice {
        /// The file.
        path: PathBuf,
    },
    /// The operating system refuses to write.
    #[error("cannot write `{}`", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The cause, from the operating system.
        source: std::io::Error,
    },
}

impl Error {
    /// What the user can do about it; `None` if there is nothing to do.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Exists { .. } => Some("use `--force` to overwrite it"),
            Self::NoFile { .. } => {
                Some("give the name of a file; `show` and `query` print to standard output")
            }
            Self::NoFolder { .. } => Some("make the folder first, or correct its name"),
            Self::Twice { .. } => Some("give each output a path of its own"),
            Self::Write { source, .. } => match source.kind() {
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                    Some("nothing was written: free some space, or write to another disk")
                }
                ErrorKind::NotADirectory => Some("give the name of a folder, or of a file with an ending"),
                ErrorKind::PermissionDenied => Some("write to a folder of your own"),
                _ => None,
            },
        }
    }
}
