//! What waits cost GPUs: the idle time after them that the thread would have worked away meanwhile.
//!
//! ```text
//! calls of the thread   │launch ├─ wait, 10 ms ──────┤│launch  │launch  │launch  ├ wait ┤
//! GPU                   ├─ busy ───────────────────┤   ├────┤   ├────┤   ├────┤
//! idle behind the wait                             └───┘    └───┘    └───┘
//! ```
//!
//! Without the wait the thread would make all calls up to the next wait so much earlier as the wait is long: what GPUs idle
//! there for late calls could go, but no more than the length of the wait.

use super::gaps::{Gap, GapFinder};
use super::host_spans::HostSpans;
use super::idle_attribution::IdleAttribution;
use super::idle_time::IdleTime;
use super::syncs::each_wait;
use crate::base::ids::ThreadId;
use crate::base::ordered::partition_near;
use crate::base::time::{Ns, Span};
use crate::capture::classified::Cause;
use crate::capture::classified::classified::Classified;
use rustc_hash::{FxHashMap, FxHashSet};

/// What some waits cost, summed over GPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct WaitCosts {
    /// For each wait the idle time between it and the next wait of its thread, in gaps under 1 ms that a late call ended, but no
    /// more than the wait is long.
    pub(crate) likely_ns: Ns,
    /// The same, and all of the gap in which the wait ended.
    pub(crate) most_ns: Ns,
}

/// What follows a wait, or another call that keeps its thread until GPUs are done, up to the next such call.
#[derive(Debug, Clone, Copy)]
struct Behind {
    /// From the start of the wait on.
    span: Span,
    wait: Span,
    /// Whether the wait counts.
    counts: bool,
}

/// Idle time after a wait on one GPU.
#[derive(Debug, Clone, Copy, Default)]
struct Cost {
    all_ns: Ns,
    /// In the gap in which the wait ended.
    at_once_ns: Ns,
}

/// What the waits of windows cost that no library for communication makes. `trials` says when threads try algorithms, whose waits
/// do not count; the idle time is that of `range`, by the clock of GPUs.
#[must_use]
pub(crate) fn wait_costs(
    classified: &Classified<'_>,
    call_windows: &[Span],
    trials: &[Vec<Span>],
    range: Span,
) -> WaitCosts {
    let behind = behind_waits(classified, call_windows, trials, range);
    let host = HostSpans::new(classified);
    let mut idle = IdleAttribution::new(&host, &[]);
    let mut costs: FxHashMap<(usize, ThreadId, usize), Cost> = FxHashMap::default();
    let mut hints = vec![0; behind.len()];
    let long_gap_ns = classified.settings.thresholds.long_gap_ns;
    let mut add = |gap: &Gap| {
        if gap.span.length() >= long_gap_ns {
            return;
        }
        let Some(call) = classified.call_of(gap.ended_by) else { return };
        let Some(thread) = call.thread.some() else { return };
        let (waits, hint) = (&behind[thread.index()], &mut hints[thread.index()]);
        let first = partition_near(waits, *hint, |behind| behind.span.end <= gap.span.start);
        *hint = first;
        let reached = waits[first..].iter().take_while(|behind| behind.span.start < gap.span.end);
        for (at, behind) in (first..).zip(reached).filter(|(_, behind)| behind.counts) {
            let mut sum = IdleTime::default();
            idle.add_inside(gap, &[behind.span], &mut sum);
            let ended_here = behind.wait.end >= gap.span.start && behind.wait.end <= call.span.start;
            let cost_ns = match ended_here {
                true => sum.of_all(&Cause::SYNC_COST),
                false => sum.of_all(&Cause::ISSUING),
            };
            if cost_ns > 0 {
                let cost = costs.entry((gap.device, thread, at)).or_default();
                cost.all_ns += cost_ns;
                cost.at_once_ns += if ended_here { cost_ns } else { 0 };
            }
        }
    };
    let mut gaps = GapFinder::new(classified);
    for item in classified.items_in_order() {
        gaps.add(item).iter().for_each(&mut add);
    }
    gaps.rest().iter().for_each(add);
    let mut sum = WaitCosts::default();
    for ((_, thread, at), cost) in costs {
        let likely_ns = cost.all_ns.min(behind[thread.index()][at].wait.length());
        sum.likely_ns += likely_ns;
        sum.most_ns += likely_ns.max(cost.at_once_ns);
    }
    sum
}

/// By thread: its waits in order, with what follows them inside a range.
fn behind_waits(
    classified: &Classified<'_>,
    call_windows: &[Span],
    trials: &[Vec<Span>],
    range: Span,
) -> Vec<Vec<Behind>> {
    let calls = &classified.activity().api_calls;
    let mut counted = FxHashSet::default();
    each_wait(classified, call_windows, trials, |_, call, _| _ = counted.insert(call));
    let mut waits: Vec<Vec<(Span, bool)>> = vec![Vec::new(); classified.threads()];
    for (call, span) in classified.keeping_calls() {
        if span.end > range.start && span.start < range.end {
            let Some(thread) = calls.thread[call].some() else { continue };
            waits[thread.index()].push((span, counted.contains(&call)));
        }
    }
    let with_ends = |mut of_thread: Vec<(Span, bool)>| {
        of_thread.sort_unstable_by_key(|(wait, _)| (wait.start, wait.end));
        let nexts = of_thread.iter().skip(1).map(|(next, _)| next.start).chain([range.end]);
        let behind = |(&(wait, counts), next): (&(Span, bool), Ns)| Behind {
            span: Span::new(wait.start, next).clip(range),
            wait,
            counts,
        };
        of_thread.iter().zip(nexts.collect::<Vec<_>>()).map(behind).collect()
    };
    waits.into_iter().map(with_ends).collect()
}
