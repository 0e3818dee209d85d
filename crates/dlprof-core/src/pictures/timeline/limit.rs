//! Keeps a timeline small enough to be drawn.

use super::lane::{Draft, LaneKind};
use crate::base::limits;
use crate::base::time::Ns;
use std::cmp::Reverse;

/// Most lanes of a timeline.
const MOST_LANES: usize = limits::TIMELINE_LANES.most;

/// Most lanes of idle time.
const MOST_IDLE_LANES: usize = limits::IDLE_LANES.most;

/// Keeps the lanes with most items if there are too many, then leaves out the shortest items until about `most_items` are left.
/// Each lane keeps its share of them. Returns how many items are left out, and their time.
pub(super) fn keep_longest(lanes: &mut Vec<Draft>, most_items: usize) -> (u64, Ns) {
    let count = |lanes: &[Draft]| lanes.iter().map(|lane| lane.spans.len()).sum::<usize>();
    let time =
        |lanes: &[Draft]| lanes.iter().flat_map(|lane| &lane.spans).map(|span| span.length()).sum::<Ns>();
    let (all, all_ns) = (count(lanes), time(lanes));
    keep_lanes(lanes, MOST_IDLE_LANES, |lane| lane.kind == LaneKind::Idle);
    keep_lanes(lanes, MOST_LANES, |_| true);
    keep_items(lanes, most_items);
    (u64::try_from(all - count(lanes)).unwrap_or(u64::MAX), all_ns - time(lanes))
}

/// Of some lanes, keeps so many, those with most items.
fn keep_lanes(lanes: &mut Vec<Draft>, most: usize, is_meant: impl Fn(&Draft) -> bool) {
    let mut order: Vec<usize> = (0..lanes.len()).filter(|&at| is_meant(&lanes[at])).collect();
    order.sort_by_key(|&at| (Reverse(lanes[at].spans.len()), at));
    let mut is_kept = vec![true; lanes.len()];
    order.iter().skip(most).for_each(|&at| is_kept[at] = false);
    let mut is_kept = is_kept.into_iter();
    lanes.retain(|_| is_kept.next().unwrap_or_default());
}

fn keep_items(lanes: &mut [Draft], most: usize) {
    let total: usize = lanes.iter().map(|lane| lane.spans.len()).sum();
    if total <= most {
        return;
    }
    for lane in lanes {
        let items = lane.spans.len();
        let kept = items.saturating_mul(most).div_ceil(total);
        let mut longest: Vec<usize> = (0..items).collect();
        longest.sort_by_key(|&at| (Reverse(lane.spans[at].length()), at));
        let mut flags = vec![false; items];
        longest.iter().take(kept).for_each(|&at| flags[at] = true);
        lane.keep(&flags);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::time::Span;
    use crate::pictures::timeline::LaneOwner;

    /// A lane of items of equal length.
    fn draft(kind: LaneKind, items: usize) -> Draft {
        let owner = LaneOwner::Gpu { device_id: 0 };
        Draft {
            kind,
            owner,
            of: 0,
            rows: Vec::new(),
            spans: vec![Span::new(0, 10); items],
            depths: Vec::new(),
        }
    }

    #[test]
    fn the_lanes_with_most_items_are_kept() {
        let idle = (1..=MOST_IDLE_LANES + 5).map(|items| draft(LaneKind::Idle, items));
        let streams = (0..MOST_LANES).map(|at| draft(LaneKind::Stream, 1 + at % 2));
        let mut lanes: Vec<Draft> = idle.chain(streams).collect();
        let (left_out, left_out_ns) = keep_longest(&mut lanes, usize::MAX);
        let of_kind = |kind| lanes.iter().filter(move |lane| lane.kind == kind).map(|lane| lane.spans.len());
        assert_eq!(of_kind(LaneKind::Idle).min(), Some(6));
        assert_eq!((lanes.len(), of_kind(LaneKind::Idle).count()), (MOST_LANES, MOST_IDLE_LANES));
        assert_eq!(of_kind(LaneKind::Stream).filter(|&items| items == 2).count(), MOST_LANES / 2);
        // Five lanes of idle time with 1 to 5 items, and as many streams with an item as there are lanes of idle time.
        assert_eq!((left_out, left_out_ns), (15 + 64, 10 * (15 + 64)));
    }
}
