//! Where launches without a record are among those with one.

use crate::base::time::{Ns, Span};
use serde::{Deserialize, Serialize};

/// Where launches of a thread or function have no record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// Before all that have one.
    Start,
    /// Between launches that have one.
    Middle,
    /// Behind all that have one.
    End,
    /// None has one.
    All,
    /// Here and there, from the first to the last.
    Throughout,
}

impl Place {
    /// The word for tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
            Self::All => "all",
            Self::Throughout => "throughout",
        }
    }

    /// The place, given from the first to the last launch that is missing and that is recorded.
    pub(super) fn of(missing: Option<Span>, recorded: Option<Span>) -> Option<Self> {
        let missing = missing?;
        let Some(recorded) = recorded else { return Some(Self::All) };
        let (length, all) =
            (missing.length(), missing.end.max(recorded.end) - missing.start.min(recorded.start));
        Some(match () {
            () if missing.end < recorded.start => Self::Start,
            () if missing.start > recorded.end => Self::End,
            () if 10 * i128::from(length) >= 9 * i128::from(all) => Self::Throughout,
            () => Self::Middle,
        })
    }
}

/// From the first to the last of some times, with a further one.
pub(super) fn with(span: Option<Span>, time: Ns) -> Option<Span> {
    let span = span.unwrap_or(Span::new(time, time));
    Some(Span::new(span.start.min(time), span.end.max(time)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_follow_from_where_records_are() {
        let of = |missing: (Ns, Ns), recorded: Option<(Ns, Ns)>| {
            let span = |(start, end)| Span::new(start, end);
            Place::of(Some(span(missing)), recorded.map(span))
        };
        assert_eq!(of((0, 10), None), Some(Place::All));
        assert_eq!(of((0, 10), Some((11, 100))), Some(Place::Start));
        assert_eq!(of((50, 60), Some((0, 100))), Some(Place::Middle));
        assert_eq!(of((91, 100), Some((0, 90))), Some(Place::End));
        assert_eq!(of((2, 99), Some((0, 100))), Some(Place::Throughout));
        assert_eq!(Place::of(None, None), None);
    }
}
