//! Common numbers of iterations: which iteration of a rank is the same as which of another.

use super::arithmetic::{deviation, median};
use super::digest::{RankDigest, RankIteration};
use crate::base::time::Ns;
use std::collections::BTreeMap;

/// What common numbers of iterations are from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum IterationSource {
    /// The numbers in the texts of their ranges.
    Labels,
    /// The shift at which the ends of their last collectives keep their distance.
    Collectives,
    /// Their order.
    Order,
}

impl IterationSource {
    /// The words for people and tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Labels => "labels",
            Self::Collectives => "collectives",
            Self::Order => "order (assumed)",
        }
    }
}

/// By rank and iteration: its common number; and what the numbers are from.
pub(super) fn number(digests: &[RankDigest]) -> (Vec<Vec<i64>>, IterationSource) {
    let labels: Option<Vec<Vec<i64>>> = digests.iter().map(labels_of).collect();
    if let Some(labels) = labels {
        return (labels, IterationSource::Labels);
    }
    // The rank with most iterations; of equals the first.
    let most = digests.iter().map(|digest| digest.iterations.len()).max().unwrap_or(0);
    let reference = digests.iter().position(|digest| digest.iterations.len() == most).unwrap_or(0);
    let of_reference = last_ends(&digests[reference]);
    let mut source = IterationSource::Collectives;
    let mut numbers = Vec::with_capacity(digests.len());
    for (at, digest) in digests.iter().enumerate() {
        let shift = if at == reference { Some(0) } else { shift(digest, &of_reference, most) };
        if shift.is_none() {
            source = IterationSource::Order;
        }
        let first = shift.unwrap_or(0);
        numbers.push((first..).take(digest.iterations.len()).collect());
    }
    (numbers, source)
}

/// Whether a rank has no repeating step: its only iteration is all that was captured.
pub(super) fn is_whole(digest: &RankDigest) -> bool {
    let all = digest.who.span;
    let is_all =
        |one: &RankIteration| one.label.is_none() && one.span.start <= all.start && one.span.end >= all.end;
    matches!(digest.iterations.as_slice(), [only] if is_all(only))
}

/// The labels of a rank, if they ascend and are three or more.
fn labels_of(digest: &RankDigest) -> Option<Vec<i64>> {
    let labels: Option<Vec<i64>> = digest.iterations.iter().map(|iteration| iteration.label).collect();
    labels.filter(|labels| labels.len() >= 3 && labels.is_sorted_by(|a, b| a < b))
}

/// By iteration: the end of the last collective that was called in it, in UTC.
fn last_ends(digest: &RankDigest) -> BTreeMap<i64, Ns> {
    let utc = digest.who.captured_ns.unwrap_or(0);
    let ends = digest.collectives.iter();
    ends.filter_map(|one| Some((i64::from(one.iteration?), one.span.end + utc))).collect()
}

/// By how many iterations a rank is after the reference; `None` if no shift is clearly better than the others.
fn shift(digest: &RankDigest, of_reference: &BTreeMap<i64, Ns>, most: usize) -> Option<i64> {
    let own = last_ends(digest);
    let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let shifts = 3 - count(digest.iterations.len())..count(most) - 2;
    let spread = |shift: i64| {
        let pairs = own.iter().filter_map(|(at, end)| Some(of_reference.get(&(at + shift))? - end));
        let differences: Vec<Ns> = pairs.collect();
        let spread = deviation(&differences).filter(|_| differences.len() >= 3)?;
        Some((spread, shift, median(differences)?.abs()))
    };
    let mut found: Vec<(Ns, i64, Ns)> = shifts.filter_map(spread).collect();
    found.sort_unstable();
    let &(best, shift, _) = found.first()?;
    let is_clear = found.get(1).is_none_or(|&(second, ..)| second > 0 && best.saturating_mul(2) <= second);
    if is_clear { Some(shift) } else { digest.who.captured_ns.and_then(|_| nearest(&found, best)) }
}

/// Where steps are so regular that several shifts fit, clocks tell which one it is, if they agree within a fraction of a step.
fn nearest(found: &[(Ns, i64, Ns)], best: Ns) -> Option<i64> {
    /// This many times nearer than the next one.
    const CLEARLY: Ns = 3;
    let fits = found.iter().filter(|(spread, ..)| *spread < best.max(1).saturating_mul(2));
    let mut apart: Vec<(Ns, i64)> = fits.map(|&(_, shift, apart)| (apart, shift)).collect();
    apart.sort_unstable();
    match apart[..] {
        [(own, shift), (next, _), ..] => (own.saturating_mul(CLEARLY) <= next).then_some(shift),
        _ => None,
    }
}
