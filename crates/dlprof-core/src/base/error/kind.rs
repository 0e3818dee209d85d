//! What must be changed to avoid an error: the exit code follows from it.

use super::Error;
use crate::base::limits::Beyond;

/// What must be changed to avoid an [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The options: they are wrong, whatever the input is.
    Usage,
    /// The input: it cannot be read or is not an nsys export.
    Input,
    /// The options: they do not fit this input.
    Request,
    /// What the system lets the process have: memory, open files.
    Limit,
}

/// What the system does not let the process have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shortage {
    /// More memory.
    Memory,
    /// More open files.
    OpenFiles,
    /// A file that it could open a moment ago: too many are open, or the file is gone.
    OpeningAgain,
}

impl Error {
    /// What must be changed to avoid it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            _ if self.shortage().is_some() => ErrorKind::Limit,
            Self::ReversedRange { .. }
            | Self::BadTime { .. }
            | Self::ReversedCut { .. }
            | Self::Threads { .. }
            | Self::BadPattern { .. } => ErrorKind::Usage,
            Self::UnknownKeyNode { .. }
            | Self::RangeOutOfBounds { .. }
            | Self::OutsideCapture { .. }
            | Self::UnknownCutRange { .. }
            | Self::CutOfDatabase { .. }
            | Self::TooFewIterations { .. }
            | Self::Stopped { .. } => ErrorKind::Request,
            Self::TooMuch { too_much, .. } => match too_much.limit.beyond {
                Beyond::Usage => ErrorKind::Usage,
                Beyond::Input => ErrorKind::Input,
                Beyond::Request(_) | Beyond::Report | Beyond::Instead(_) => ErrorKind::Request,
            },
            _ => ErrorKind::Input,
        }
    }

    /// What the system does not let the process have, if that is why.
    #[must_use]
    pub fn shortage(&self) -> Option<Shortage> {
        match self {
            Self::Unreadable { source, .. } if is_limit(source) => Some(Shortage::OpenFiles),
            Self::Damaged { source, .. } if is_out_of_memory(source) => Some(Shortage::Memory),
            Self::Damaged { source, .. } if cannot_open(source) => Some(Shortage::OpeningAgain),
            _ => None,
        }
    }
}

/// Whether the process or the system has too many files open.
fn is_limit(error: &std::io::Error) -> bool {
    /// `ENFILE` and `EMFILE`, which have these numbers on all systems of this kind.
    const TOO_MANY_FILES: [i32; 2] = [23, 24];
    cfg!(unix) && error.raw_os_error().is_some_and(|code| TOO_MANY_FILES.contains(&code))
}

/// Whether SQLite could not open the file, which was opened for its header just before.
fn cannot_open(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(rusqlite::ErrorCode::CannotOpen)
}

fn is_out_of_memory(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(rusqlite::ErrorCode::OutOfMemory)
}
