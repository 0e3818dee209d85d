//! The tables of a capture with some of its GPU work: where several processes use one GPU, each is a rank of its own.

use crate::capture::classified::order::row;
use crate::capture::{Capture, Launches};
use crate::read::facts::RecordedTables;

/// The tables with these rows of the GPU work, which ascend, and the calls that launched them.
pub(super) fn narrowed(capture: &Capture, items: &[usize]) -> (RecordedTables, Launches) {
    let (memory, all) = (&capture.memory, &capture.recorded);
    let (kernels, copies) = (all.kernels.len(), all.copies.len());
    let before = |row: usize| items.partition_point(|&at| at < row);
    let of = |first: usize, end: usize| -> Vec<u32> {
        items[before(first)..before(end)].iter().map(|&at| row(at - first)).collect()
    };
    let work = of(0, all.work.len());
    let mut recorded = RecordedTables {
        work: all.work.rows(memory, &work),
        kernels: all.kernels.rows(memory, &of(0, kernels)),
        copies: all.copies.rows(memory, &of(kernels, kernels + copies)),
        transfers: all.transfers.rows(memory, &of(kernels, all.work.len())),
        ..all.clone()
    };
    recorded.about.whole_graphs = before(kernels) - before(kernels - all.whole_graphs);
    (recorded, capture.launches.rows(memory, &work))
}
