//! A window in time: the part of a capture that an analysis is about. What is outside does not exist for any figure.
//!
//! ```text
//! ranges    ├─ a ──────┤  ├─ b ─┤  ├─ c ──────────┤
//! calls      x x     x     x   x    x    x     x           a call or range that is open at a limit ends or begins there
//! GPU          ▒▒▒ ▒▒▒▒▒▒▒▒ ▒▒▒  ▒▒▒▒ ▒▒▒▒▒▒ ▒▒▒▒▒         so does GPU work, whichever call launched it
//!                 │←── from            to ──→│
//! kept            ▒▒▒▒▒▒▒▒▒ ▒▒▒  ▒▒▒▒ ▒▒▒▒▒▒
//! ```
//!
//! Everything counts by its own time. GPU work whose call is before the window has no call any more, so no op claims it; GPU work
//! after the window is gone although its call is there.

mod facts;
mod resolve;

pub(crate) use crate::base::cut_side::CutSide;
pub(crate) use crate::base::cut_side::in_seconds;

use crate::base::Error;
use crate::base::ids::{Maybe, ProcessId, StrId};
use crate::base::time::{Ns, Span};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Where a capture is cut before anything is looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TimeCut {
    /// Where the window begins; none for the begin of the capture.
    pub from: Option<TimeLimit>,
    /// Where the window ends; none for the end of the capture.
    pub to: Option<TimeLimit>,
}

/// A limit of the window.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TimeLimit {
    /// A time of the capture.
    At(Ns),
    /// Where the ranges of a text start or end.
    Range {
        /// The text.
        text: String,
        /// Which of their limits counts.
        edge: CutEdge,
    },
}

/// A limit of ranges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CutEdge {
    /// The start of the first one.
    Start,
    /// The end of the last one.
    End,
}

/// The window that a capture was cut to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CutWindow {
    /// The window, in times of the capture.
    pub span: Span,
    /// Start of the first record of the whole capture, and its end: of the last record, or of the trace as nsys says.
    pub whole: Span,
    /// What was asked for.
    pub asked: TimeCut,
    /// Kernels that were over when it began: what `ncu` counts, because it runs the whole program.
    pub launched_before: Vec<LaunchedBefore>,
}

/// Launches of kernels of one name by one process, of which the window has nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchedBefore {
    /// The process; none if the capture does not say.
    pub process: Maybe<ProcessId>,
    /// Short name of the kernels.
    pub short_name: StrId,
    /// How many.
    pub launches: u64,
}

/// Units of times, with their nanoseconds.
const UNITS: [(&str, f64); 6] =
    [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9), ("min", 60e9)];

impl TimeCut {
    /// Reads the values of `--from` and `--to`.
    ///
    /// # Errors
    /// If a value is neither a time nor a text, or the window ends before it starts.
    pub fn parse(from: Option<&str>, to: Option<&str>) -> Result<Self, Error> {
        let limit = |side, text: Option<&str>| text.map(|text| TimeLimit::parse(side, text)).transpose();
        let cut = Self { from: limit(CutSide::From, from)?, to: limit(CutSide::To, to)? };
        match (&cut.from, &cut.to) {
            (Some(TimeLimit::At(from)), Some(TimeLimit::At(to))) if from >= to => {
                Err(Error::ReversedCut { from: *from, to: *to })
            }
            _ => Ok(cut),
        }
    }

    /// Whether it leaves the capture whole.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.from.is_none() && self.to.is_none()
    }
}

impl TimeLimit {
    /// The text that [`TimeCut::parse`] reads as this limit, whichever of the two it is.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::At(ns) => format!("{ns}ns"),
            Self::Range { text, edge: CutEdge::Start } => format!("start:{text}"),
            Self::Range { text, edge: CutEdge::End } => format!("end:{text}"),
        }
    }

    /// Reads a value: a number with a unit is a time; all else is the text of a range, whose end counts for `--from` and whose
    /// start counts for `--to`, unless `start:` or `end:` before it says otherwise.
    fn parse(side: CutSide, text: &str) -> Result<Self, Error> {
        let range = |text: &str, edge| Self::Range { text: text.to_owned(), edge };
        for (prefix, edge) in [("start:", CutEdge::Start), ("end:", CutEdge::End)] {
            if let Some(rest) = text.strip_prefix(prefix).filter(|rest| !rest.is_empty()) {
                return Ok(range(rest, edge));
            }
        }
        let unreadable = || Error::BadTime { side, text: text.to_owned() };
        if text.is_empty() {
            return Err(unreadable());
        }
        let Some((number, unit)) = as_time(text) else {
            let edge = if side == CutSide::From { CutEdge::End } else { CutEdge::Start };
            return Ok(range(text, edge));
        };
        let unit = UNITS.into_iter().find(|(name, _)| *name == unit);
        let ns = number.parse::<f64>().ok().zip(unit).map(|(number, (_, factor))| number * factor);
        ns.and_then(whole_ns).map(Self::At).ok_or_else(unreadable)
    }
}

/// The number and the unit of what looks like a time, readable or not: it begins with a digit, and has few letters after digits
/// and signs. `3D_backbone` does not.
fn as_time(text: &str) -> Option<(&str, &str)> {
    const LONGEST_UNIT: usize = 3;
    let is_of_number = |c: char| c.is_ascii_digit() || ".,:+-eE".contains(c);
    let unsigned = text.trim_start_matches(['-', '+', '.']);
    let number = text.trim_end_matches(char::is_alphabetic).trim_end();
    let unit = text[number.len()..].trim_start();
    let is_time = unsigned.starts_with(|c: char| c.is_ascii_digit())
        && number.chars().all(is_of_number)
        && unit.chars().count() <= LONGEST_UNIT;
    is_time.then_some((number, unit))
}

/// The nearest whole number of nanoseconds, up to a hundred days.
fn whole_ns(ns: f64) -> Option<Ns> {
    const LONGEST: f64 = 100.0 * 24.0 * 3600e9;
    #[expect(clippy::cast_possible_truncation, reason = "it is below the largest number that is exact")]
    (0.0..=LONGEST).contains(&ns).then(|| ns.round() as Ns)
}

impl fmt::Display for TimeCut {
    /// `from 9.7 s to the start of `eval``
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limit = |limit: &TimeLimit| match limit {
            TimeLimit::At(ns) => in_seconds(*ns),
            TimeLimit::Range { text, edge: CutEdge::Start } => format!("the start of `{text}`"),
            TimeLimit::Range { text, edge: CutEdge::End } => format!("the end of `{text}`"),
        };
        let from = self.from.iter().map(|from| format!("from {}", limit(from)));
        let to = self.to.iter().map(|to| format!("to {}", limit(to)));
        f.write_str(&from.chain(to).collect::<Vec<_>>().join(" "))
    }
}

impl fmt::Display for CutWindow {
    /// `from 9.701 s to 12 s of 60.411 s captured`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limit = |ns: Ns, limit: &Option<TimeLimit>| match limit {
            Some(TimeLimit::At(_)) => in_seconds(ns),
            Some(TimeLimit::Range { .. }) | None => rounded(ns),
        };
        let (from, to) = (limit(self.span.start, &self.asked.from), limit(self.span.end, &self.asked.to));
        write!(f, "from {from} to {to} of {} captured", rounded(self.whole.end))
    }
}

/// A time in seconds to the millisecond; a short one as precise as it is.
fn rounded(ns: Ns) -> String {
    if ns < 10_000_000 { in_seconds(ns) } else { in_seconds((ns + 500_000) / 1_000_000 * 1_000_000) }
}

#[cfg(test)]
mod tests;
