//! Errors of writing.

use std::path::PathBuf;

/// Why an output could not be written. Nothing half-written is left behind.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file is there already.
    #[error("`{}` exists", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The path is something else than a file: a pipe, a device, or `-`.
    #[error("`{}` is no file", path.display())]
    NoFile {
        /// The path.
        path: PathBuf,
    },
    /// Two outputs have the same path.
    #[error("`{}` is to be written twice", path.display())]
    Twice {
        /// The file.
        path: PathBuf,
    },
    /// The operating system refuses.
    #[error("cannot write `{}`", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

impl Error {
    /// What to do about it, where there is something to do.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Exists { .. } => Some("use `--force` to overwrite it"),
            Self::NoFile { .. } => Some("name a file; `show` and `query` print to standard output"),
            Self::Twice { .. } | Self::Write { .. } => None,
        }
    }
}
