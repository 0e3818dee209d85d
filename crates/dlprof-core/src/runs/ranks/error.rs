//! Why captures are not a job of many ranks.

use super::digest::CaptureKind;
use crate::base::ErrorKind;
use std::path::PathBuf;

/// Why captures are not a job of many ranks.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RanksError {
    /// There is nothing to compare.
    #[error("fewer than two ranks: {ranks} in {files} captures{}", unreadable_in_words(*unreadable))]
    FewerThanTwo {
        /// Ranks that were found.
        ranks: usize,
        /// Captures that were named.
        files: usize,
        /// How many of them cannot be read.
        unreadable: usize,
    },
    /// The captures were made more than a minute apart and have no communicator in common.
    #[error("captures of different runs: {}", parts_in_words(parts))]
    DifferentRuns {
        /// By part: how many ranks it has, and one of its captures.
        parts: Vec<(usize, PathBuf)>,
    },
    /// Captures are of several kinds, whose times and names do not compare.
    #[error("a job is of captures of one kind: {}", kinds_in_words(kinds))]
    Mixed {
        /// By kind: how many ranks there are, and one of their captures.
        kinds: Vec<(CaptureKind, usize, PathBuf)>,
    },
    /// The pattern of the user gives no numbers, or the same number twice.
    #[error("`--rank-from` must give each rank a number of its own: {found}")]
    RankFrom {
        /// What was found instead.
        found: String,
    },
}

impl RanksError {
    /// What must be changed to avoid it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::FewerThanTwo { unreadable: 1.., .. } => ErrorKind::Input,
            Self::FewerThanTwo { .. } | Self::DifferentRuns { .. } | Self::Mixed { .. } => ErrorKind::Request,
            Self::RankFrom { .. } => ErrorKind::Usage,
        }
    }
}

fn unreadable_in_words(unreadable: usize) -> String {
    match unreadable {
        0 => String::new(),
        1 => "; 1 of them cannot be read".into(),
        many => format!("; {many} of them cannot be read"),
    }
}

fn kinds_in_words(kinds: &[(CaptureKind, usize, PathBuf)]) -> String {
    let kind = |(kind, ranks, file): &(CaptureKind, usize, PathBuf)| {
        format!("{ranks} ranks are from {}, such as `{}`", kind.several(), file.display())
    };
    kinds.iter().map(kind).collect::<Vec<_>>().join("; ")
}

fn parts_in_words(parts: &[(usize, PathBuf)]) -> String {
    let part = |(ranks, file): &(usize, PathBuf)| format!("{ranks} from `{}`", file.display());
    parts.iter().map(part).collect::<Vec<_>>().join("; ")
}
