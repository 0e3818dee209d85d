//! When the rows of the GPU work are, block of rows by block of rows, so that a range reads only what it needs.
//!
//! ```text
//! rows     0 … 4095        4096 … 8191     8192 … 12287
//! time    ├───────────┤   ├──────────────┤
//!              ├───────────────────────────┤             from the first start to the last end of each block
//! range                      ├──────┤                    is found in the last two
//! ```

use crate::base::time::{Ns, Span};
use crate::columns::table;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

table! {
    /// A row per block of GPU work: when its pieces start and end.
    "work_zones" WorkZones built by WorkZonesBuilder, by () {
        /// The first start.
        first_start: Ns, "ns";
        /// The last start.
        last_start: Ns, "ns";
        /// The last end.
        last_end: Ns, "ns";
    }
}

/// Rows of a block.
const ROWS: usize = 4096;

impl WorkZones {
    /// The zones of some rows.
    pub(crate) fn new(spans: &[Span]) -> Self {
        let zone = |block: &[Span]| {
            let none = (Ns::MAX, Ns::MIN, Ns::MIN);
            block.iter().fold(none, |(first, last, end), span| {
                (first.min(span.start), last.max(span.start), end.max(span.end))
            })
        };
        let zones: Vec<(Ns, Ns, Ns)> = spans.par_chunks(ROWS).map(zone).collect();
        Self {
            first_start: zones.iter().map(|zone| zone.0).collect(),
            last_start: zones.iter().map(|zone| zone.1).collect(),
            last_end: zones.iter().map(|zone| zone.2).collect(),
        }
    }

    /// Whether these can be the zones of so many rows.
    pub(crate) fn fits(&self, rows: usize) -> bool {
        self.first_start.len() == rows.div_ceil(ROWS)
    }

    /// Of some rows: those of the blocks in which one may start in a span.
    pub(crate) fn near_starts(&self, rows: Range<usize>, span: Span) -> impl Iterator<Item = Range<usize>> {
        let (first, last) = (&self.first_start[..], &self.last_start[..]);
        self.blocks(rows, move |block| first[block] < span.end && last[block] >= span.start)
    }

    /// Of some rows: those of the blocks in which one may start before a time and end after another.
    pub(crate) fn near_open(
        &self,
        rows: Range<usize>,
        before: Ns,
        behind: Ns,
    ) -> impl Iterator<Item = Range<usize>> {
        let (first, end) = (&self.first_start[..], &self.last_end[..]);
        self.blocks(rows, move |block| first[block] < before && end[block] > behind)
    }

    fn blocks(
        &self,
        rows: Range<usize>,
        is_wanted: impl Fn(usize) -> bool,
    ) -> impl Iterator<Item = Range<usize>> {
        let blocks = rows.start / ROWS..rows.end.div_ceil(ROWS).min(self.first_start.len());
        let of_block = move |block: usize| (block * ROWS).max(rows.start)..((block + 1) * ROWS).min(rows.end);
        blocks.filter(move |&block| is_wanted(block)).map(of_block)
    }
}

/// When the rows of what the CPU did are, table by table.
#[derive(Debug)]
pub(crate) struct HostZones {
    pub(crate) api_calls: WorkZones,
    pub(crate) op_calls: WorkZones,
    /// By thread.
    pub(crate) ranges: Arc<Vec<WorkZones>>,
    pub(crate) mpi: WorkZones,
    pub(crate) os_calls: WorkZones,
    pub(crate) overheads: WorkZones,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_row_of_a_span_is_missed(
            times in prop::collection::vec((0i64..400, 0i64..90), 1..40),
            (from, to) in (0usize..12_000, 0usize..12_000),
            (start, length) in (0i64..500, 1i64..90),
        ) {
            let spans: Vec<Span> = (0..10_000).map(|row| {
                let (start, length) = times[row / 300 % times.len()];
                Span::new(start, start + length)
            }).collect();
            let zones = WorkZones::new(&spans);
            prop_assert!(zones.fits(spans.len()));
            let rows = from.min(to).min(spans.len())..from.max(to).min(spans.len());
            let wanted = Span::new(start, start + length);
            let near: Vec<usize> = zones.near_starts(rows.clone(), wanted).flatten().collect();
            let starts = |row: &usize| (wanted.start..wanted.end).contains(&spans[*row].start);
            prop_assert_eq!(
                near.into_iter().filter(starts).collect::<Vec<_>>(),
                rows.clone().filter(starts).collect::<Vec<_>>()
            );
            let near: Vec<usize> = zones.near_open(rows.clone(), wanted.end, wanted.start).flatten().collect();
            let is_open = |row: &usize| spans[*row].start < wanted.end && spans[*row].end > wanted.start;
            prop_assert_eq!(
                near.into_iter().filter(is_open).collect::<Vec<_>>(),
                rows.filter(is_open).collect::<Vec<_>>()
            );
        }
    }
}
