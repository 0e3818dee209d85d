//! Why captures are not a job of many ranks.

use super::digest::CaptureKind;
use crate::base::{Error, ErrorKind};
use std::path::PathBuf;

/// Why captures are not a job of many ranks.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RanksError {
    /// There is nothing to compare.
    #[error(
        "fewer than two ranks: {ranks} in {files} {}{}{}",
        if *files == 1 { "capture" } else { "captures" },
        match is_request {
            true => of_them(*unreadable, "lacks what was asked for", "lack what was asked for"),
            false => of_them(*unreadable, "cannot be read", "cannot be read"),
        },
        of_them(*copies, "is a copy of another", "are copies of others")
    )]
    FewerThanTwo {
        /// Ranks that were found.
        ranks: usize,
        /// Captures that were named.
        files: usize,
        /// How many of them cannot be read.
        unreadable: usize,
        /// How many of them are copies of others.
        copies: usize,
        /// Whether those that cannot be read are sound, and only lack what was asked for, such as a key node.
        is_request: bool,
    },
    /// The ranks have none of the iterations that were asked for.
    #[error("the ranks have no common iteration {}: {}", asked_in_words(*first, *last), there_in_words(*there))]
    NoIterations {
        /// The first one that was asked for.
        first: Option<i64>,
        /// The last one that was asked for.
        last: Option<i64>,
        /// The first and the last one that they have in common.
        there: (i64, i64),
    },
    /// The captures were made more than a minute apart and have no communicator in common.
    #[error("captures of different runs: {}", parts_in_words(parts))]
    DifferentRuns {
        /// By part: how many ranks it has, and one of its captures.
        parts: Vec<(usize, PathBuf)>,
    },
    /// There is no session of the number that was asked for.
    #[error("there is no session {number}: the captures are of {of} {}", if *of == 1 { "session" } else { "sessions" })]
    NoSession {
        /// The number.
        number: usize,
        /// How many there are.
        of: usize,
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
    /// The system gives no more.
    #[error(transparent)]
    System(#[from] Error),
}

impl RanksError {
    /// What must be changed to avoid it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::FewerThanTwo { unreadable: 1.., is_request: false, .. } => ErrorKind::Input,
            Self::FewerThanTwo { .. }
            | Self::NoIterations { .. }
            | Self::NoSession { .. }
            | Self::DifferentRuns { .. }
            | Self::Mixed { .. } => ErrorKind::Request,
            Self::RankFrom { .. } => ErrorKind::Usage,
            Self::System(error) => error.kind(),
        }
    }
}

fn of_them(number: usize, one: &str, many: &str) -> String {
    match number {
        0 => String::new(),
        1 => format!("; 1 of them {one}"),
        number => format!("; {number} of them {many}"),
    }
}

fn asked_in_words(first: Option<i64>, last: Option<i64>) -> String {
    match (first, last) {
        (Some(first), Some(last)) if first == last => format!("{first}"),
        (Some(first), Some(last)) => format!("from {first} to {last}"),
        (Some(first), None) => format!("from {first} on"),
        (None, Some(last)) => format!("up to {last}"),
        (None, None) => String::new(),
    }
}

fn there_in_words((first, last): (i64, i64)) -> String {
    if first == last { format!("they have only {first}") } else { format!("they have {first} to {last}") }
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
