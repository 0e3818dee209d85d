//! Ranges of the program by what they say: how often each ran, and how long from start to end.

use crate::base::ids::StrId;
use crate::base::ratios::to_f64;
use crate::base::time::{Ns, Span, total};
use crate::read::facts::RangeFacts;
use std::collections::BTreeMap;

/// All ranges with one text in one domain: a row of table `ranges`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RangeSums {
    /// The text.
    pub text: StrId,
    /// Name of the NVTX domain; none for the default domain.
    pub domain: StrId,
    /// How many start in the window.
    pub runs: u64,
    /// Sum of their whole lengths: what runs inside them is not taken out.
    pub time_ns: Ns,
    /// The length in the middle; of an even number the mean of the two in the middle.
    pub median_ns: f64,
    /// The shortest.
    pub min_ns: Ns,
    /// The longest.
    pub max_ns: Ns,
}

/// Sums the ranges that start in a window. Rows with most time come first, then by text and domain.
#[must_use]
pub(crate) fn range_sums<'a>(
    ranges: &RangeFacts,
    window: Span,
    text_of: impl Fn(StrId) -> &'a str,
) -> Vec<RangeSums> {
    let mut lengths: BTreeMap<(StrId, StrId), Vec<Ns>> = BTreeMap::new();
    for list in ranges.lists() {
        for (span, text) in list.span.iter().zip(&list.text) {
            if window.start <= span.start && span.start <= window.end {
                let says = &ranges.texts[text.index()];
                lengths.entry((says.text, says.domain)).or_default().push(span.length());
            }
        }
    }
    let mut rows: Vec<RangeSums> = lengths.into_iter().filter_map(row).collect();
    let domain = |row: &RangeSums| row.domain.some().map(&text_of);
    rows.sort_by(|a, b| {
        let texts = || text_of(a.text).cmp(text_of(b.text)).then_with(|| domain(a).cmp(&domain(b)));
        b.time_ns.cmp(&a.time_ns).then_with(texts)
    });
    rows
}

fn row(((text, domain), mut lengths): ((StrId, StrId), Vec<Ns>)) -> Option<RangeSums> {
    lengths.sort_unstable();
    let runs = lengths.len();
    let middle = [lengths[(runs - 1) / 2], lengths[runs / 2]];
    Some(RangeSums {
        text,
        domain,
        runs: runs as u64,
        time_ns: total(lengths.iter().copied()),
        median_ns: middle.map(to_f64).iter().sum::<f64>() / 2.0,
        min_ns: *lengths.first()?,
        max_ns: *lengths.last()?,
    })
}
