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
    /// The only shift at which the marks of a server's steps are the same.
    Marks,
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
            Self::Marks => "step marks",
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
    let shifts = digests.iter().enumerate().map(|(at, digest)| {
        let by_marks = || Some((shift_of_marks(digest, &digests[reference])?, IterationSource::Marks));
        let by_ends = || Some((shift(digest, &of_reference, most)?, IterationSource::Collectives));
        match at == reference {
            // Alone it needs no shift.
            true => (0, None),
            false => {
                let (first, source) = by_marks().or_else(by_ends).unwrap_or((0, IterationSource::Order));
                (first, Some(source))
            }
        }
    });
    let shifts: Vec<(i64, Option<IterationSource>)> = shifts.collect();
    let source =
        shifts.iter().filter_map(|(_, source)| *source).max().unwrap_or(IterationSource::Collectives);
    let numbers = shifts.iter().zip(digests);
    let numbers = numbers.map(|((first, _), digest)| (*first..).take(digest.iterations.len()).collect());
    (numbers.collect(), source)
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

/// By how many steps of a server a rank is after the reference: the only shift at which all steps that both have, three or more and half
/// of those of either, have the same mark. `None` where no shift is, or several are, as while nothing but decode steps of one size run.
fn shift_of_marks(digest: &RankDigest, reference: &RankDigest) -> Option<i64> {
    let marks = |digest: &RankDigest| -> Option<Vec<u32>> {
        digest.iterations.iter().map(|iteration| iteration.mark).collect()
    };
    let (own, others) = (marks(digest)?, marks(reference)?);
    let least = (own.len().min(others.len()) / 2).max(3);
    // By its own first steps that the reference lacks, and by those of the reference that it lacks.
    let is_same = |&(own_skipped, skipped): &(usize, usize)| {
        let pairs = own[own_skipped..].iter().zip(&others[skipped..]);
        pairs.len() >= least && pairs.clone().all(|(one, other)| one == other)
    };
    let later = (0..others.len()).map(|skipped| (0, skipped));
    let earlier = (1..own.len()).map(|skipped| (skipped, 0));
    let mut same = later.chain(earlier).filter(is_same);
    let (own_skipped, skipped) = same.next().filter(|_| same.next().is_none())?;
    Some(i64::try_from(skipped).ok()? - i64::try_from(own_skipped).ok()?)
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
