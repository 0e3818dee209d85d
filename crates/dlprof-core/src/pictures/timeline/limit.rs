//! Keeps a timeline small enough to be drawn.

use super::lane::{Lane, Sources};
use crate::base::time::Ns;

/// Leaves out the shortest items until at most `most` are left. Each lane keeps its share of them. Returns how many are left
/// out, and their time.
pub(super) fn keep_longest(lanes: &mut [Lane], sources: &mut [Sources], most: usize) -> (u64, Ns) {
    let total: usize = lanes.iter().map(|lane| lane.start_ns.len()).sum();
    if total <= most {
        return (0, 0);
    }
    let (mut left_out, mut left_out_ns) = (0, 0);
    for (lane, sources) in lanes.iter_mut().zip(sources) {
        let items = lane.length_ns.len();
        let kept = (items * most).div_ceil(total);
        let mut longest: Vec<usize> = (0..items).collect();
        longest.sort_by_key(|&at| (std::cmp::Reverse(lane.length_ns[at]), at));
        let mut flags = vec![false; items];
        longest.iter().take(kept).for_each(|&at| flags[at] = true);
        left_out += u64::try_from(items - kept).unwrap_or(u64::MAX);
        left_out_ns += longest[kept..].iter().map(|&at| lane.length_ns[at]).sum::<Ns>();
        lane.keep(&flags);
        sources.keep(&flags);
    }
    (left_out, left_out_ns)
}
