//! Two iterations, or two ranges of iterations, that are compared with each other.

use dlprof_core::{Error, Profile, RangeComparison, compare_ranges, usual_pair};
use std::fmt;
use std::ops::RangeInclusive;

/// Two ranges of iterations of one capture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum IterationPair {
    /// The iteration of median duration and the slowest one.
    Slowest,
    /// These two.
    Ranges(RangeInclusive<u32>, RangeInclusive<u32>),
}

/// `3,7`, `1-5,6-10`, or `slowest`.
pub(crate) fn parse_iterations(text: &str) -> Result<IterationPair, String> {
    if text == "slowest" {
        return Ok(IterationPair::Slowest);
    }
    let range = |text: &str| {
        let (start, stop) = text.split_once('-').unwrap_or((text, text));
        let (start, stop) = (start.trim().parse().ok()?, stop.trim().parse().ok()?);
        (start <= stop).then_some(start..=stop)
    };
    let pair = text.split_once(',').and_then(|(base, new)| Some((range(base)?, range(new)?)));
    let (base, new) =
        pair.ok_or("expected two iterations or ranges such as `3,7` or `1-5,6-10`, or `slowest`")?;
    Ok(IterationPair::Ranges(base, new))
}

/// As [`parse_iterations`] reads it.
impl fmt::Display for IterationPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let range = |range: &RangeInclusive<u32>| match (range.start(), range.end()) {
            (start, end) if start == end => start.to_string(),
            (start, end) => format!("{start}-{end}"),
        };
        match self {
            Self::Slowest => f.write_str("slowest"),
            Self::Ranges(base, new) => write!(f, "{},{}", range(base), range(new)),
        }
    }
}

impl IterationPair {
    /// The two ranges side by side.
    pub(crate) fn compare(&self, profile: &Profile) -> Result<RangeComparison, Error> {
        let (base, new) = match self {
            Self::Ranges(base, new) => (base.clone(), new.clone()),
            Self::Slowest => usual_pair(profile)
                .ok_or_else(|| Error::TooFewIterations { found: profile.iterations.aggregated() })?,
        };
        compare_ranges(profile, base, new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_iterations() {
        assert_eq!(parse_iterations("3,7"), Ok(IterationPair::Ranges(3..=3, 7..=7)));
        assert_eq!(parse_iterations("1-5, 6-10"), Ok(IterationPair::Ranges(1..=5, 6..=10)));
        assert_eq!(parse_iterations("slowest"), Ok(IterationPair::Slowest));
        for text in ["3,7", "1-5,6-10", "slowest"] {
            assert_eq!(parse_iterations(text).map(|pair| pair.to_string()).as_deref(), Ok(text));
        }
        for wrong in ["", "3", "3,", "5-1,2", "a,b", "1,2,3", "-1,2"] {
            assert!(parse_iterations(wrong).is_err(), "{wrong}");
        }
    }
}
