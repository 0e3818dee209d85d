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
    /// The output is an input, under this name or another one.
    #[error("cannot write `{}`: this command reads it, as `{}`", path.display(), input.display())]
    IsInput {
        /// The output.
        path: PathBuf,
        /// The input.
        input: PathBuf,
    },
    /// The output is in the folder where this program keeps files.
    #[error("cannot write `{}`: folder `{}` is for kept captures alone", path.display(), folder.display())]
    IsKept {
        /// The output.
        path: PathBuf,
        /// The folder.
        folder: PathBuf,
    },
    /// The path is neither a file nor a stream: it is a block device, a socket, or `-`.
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
    /// The file would hold the time of kernels, and there are none.
    #[error("cannot write `{}`: the aggregated part of the capture has no kernels", path.display())]
    NoKernels {
        /// The file.
        path: PathBuf,
    },
    /// The file would hold a value per iteration, and there are no iterations.
    #[error("cannot write `{}`: no repeating step was found, so there are no iterations", path.display())]
    NoIterations {
        /// The file.
        path: PathBuf,
    },
    /// The summary of a step would be longer than what GitHub shows.
    #[error("cannot append to `{}`: it would have {bytes} bytes, and GitHub shows at most {most}", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// Its length then.
        bytes: u64,
        /// What GitHub shows.
        most: u64,
    },
    /// A capture of a lake has the place of another one.
    #[error("`{}` is taken: it holds {what}", path.display())]
    InLake {
        /// The folder.
        path: PathBuf,
        /// What it holds.
        what: String,
    },
    /// The place of a capture in a lake is a folder with other files.
    #[error("`{}` holds `{other}`, which is of no capture of a lake", path.display())]
    NoCaptureOfLake {
        /// The folder.
        path: PathBuf,
        /// A file in it.
        other: String,
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
    /// Whether the capture lacks what the file would hold.
    #[must_use]
    pub fn is_about_data(&self) -> bool {
        matches!(self, Self::NoKernels { .. } | Self::NoIterations { .. })
    }

    /// Whether the command line is wrong, whatever the capture and the disk are.
    #[must_use]
    pub fn is_about_use(&self) -> bool {
        matches!(self, Self::IsInput { .. } | Self::IsKept { .. })
    }

    /// What the user can do about it; `None` if there is nothing to do.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::IsInput { .. } => Some("give the output another name; an input is never written over"),
            Self::IsKept { .. } => Some("write to another folder"),
            Self::InLake { .. } => {
                Some("`--force` replaces it; or name another run with `--run`, or another rank with `--rank`")
            }
            Self::NoCaptureOfLake { .. } => Some(
                "move the file elsewhere, or name another run with `--run`, or another rank with `--rank`",
            ),
            Self::Exists { .. } => Some("use `--force` to overwrite it"),
            Self::NoFile { .. } => {
                Some("give the name of a file, or `/dev/stdout`; `show` and `query` print to standard output")
            }
            Self::NoFolder { .. } => Some("make the folder first, or correct its name"),
            Self::Twice { .. } => Some("give each output a path of its own"),
            Self::NoKernels { .. } => Some(
                "choose other iterations with `--iter-range`, or capture with `nsys profile --trace=cuda,nvtx`",
            ),
            Self::NoIterations { .. } => Some("name what delimits iterations with `--key-node NAME`"),
            Self::TooLong { .. } => {
                Some("write the summary in a step of its own: each step has a file of its own")
            }
            Self::Write { source, .. } => match source.kind() {
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                    Some("nothing was written: free some space, or write to another disk")
                }
                ErrorKind::FileTooLarge => {
                    Some("nothing was written: raise the limit of the size of files (`ulimit -f`)")
                }
                ErrorKind::WouldBlock => Some(
                    "the system starts no more threads: allow more (`ulimit -u`), or more memory (`ulimit -v`)",
                ),
                ErrorKind::NotADirectory => Some("give the name of a folder, or of a file with an ending"),
                ErrorKind::PermissionDenied => Some("write to a folder of your own"),
                _ => None,
            },
        }
    }
}
