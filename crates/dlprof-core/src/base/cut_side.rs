//! The options that set the limits, and times as people read them.

use crate::base::time::Ns;
use std::fmt;

/// An option that sets a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutSide {
    /// `--from`
    From,
    /// `--to`
    To,
}

impl fmt::Display for CutSide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::From => "--from",
            Self::To => "--to",
        })
    }
}

/// A time of the capture for people: seconds, as precise as it is.
#[must_use]
pub(crate) fn in_seconds(ns: Ns) -> String {
    let text = format!("{}.{:09}", ns / 1_000_000_000, ns.rem_euclid(1_000_000_000));
    format!("{} s", text.trim_end_matches('0').trim_end_matches('.'))
}
