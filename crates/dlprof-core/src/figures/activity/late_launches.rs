//! What GPUs idle because some launches come late.
//!
//! ```text
//! calls of the process   ├ a ┤      ├ b ┤     ├ c ┤  ├ wait ───────┤     ├ d ┤
//! GPU                      ├──┤       ├──────────────────┤                 ├──┤
//! idle                        └───────┘                  └─────────────────┘
//! ```
//!
//! Without `b` the calls after it come earlier by what the host takes up to its end, up to the next call that waits for the GPU:
//! from there on only what GPUs do decides. So it can save the idle time that its own work ended, and what is left of the time of
//! the host where later calls up to that wait end idle time.

use super::gaps::{each_gap, is_small_part};
use crate::base::ids::{ApiCallId, Maybe, ProcessId};
use crate::base::time::{Ns, Span};
use crate::capture::classified::classified::Classified;
use crate::capture::names::ApiClass;
use rustc_hash::FxHashMap;

/// Idle time that would go without some launches, summed over GPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct LateLaunches {
    /// What their own work ended.
    pub(crate) own_ns: Ns,
    /// The same, and what later calls up to the next wait ended: no more in all than the host takes up to these launches.
    pub(crate) up_to_waits_ns: Ns,
    /// The pauses in front of those that were queued in time, each as long as one between two kernels may be.
    pub(crate) turnaround_ns: Ns,
}

/// What happens in a process at a time, in this order where it is the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A wait for the GPU ends.
    Waited,
    /// A launch would not be made, which takes the host so long.
    Removed(Ns),
    /// A call ends idle time of a GPU: this GPU, the time, and of it what goes without this call itself.
    Idle(usize, Ns, Ns),
}

/// What GPUs idle in a range because some launches are made. `host_ns` says what the host takes up to each of them; `range` is by
/// the clock of GPUs.
#[must_use]
pub(crate) fn late_launches(
    classified: &Classified<'_>,
    host_ns: &FxHashMap<ApiCallId, Ns>,
    range: Span,
) -> LateLaunches {
    let first = host_ns.keys().map(|&call| classified.activity().api_calls.span[call].start).min();
    let Some(first) = first else { return LateLaunches::default() };
    let calls = &classified.activity().api_calls;
    let process = |call: ApiCallId| Maybe::from(classified.process(calls.thread[call]));
    let mut events: Vec<(Maybe<ProcessId>, Ns, Event)> = Vec::new();
    for (&call, &ns) in host_ns {
        events.push((process(call), calls.span[call].start, Event::Removed(ns)));
    }
    for (row, span) in classified.activity().counted_calls() {
        let function = classified.function(row);
        let waits = match function.class {
            ApiClass::Sync => true,
            ApiClass::Copy => !function.is_async,
            _ => false,
        };
        if waits && span.end >= first {
            events.push((process(row), span.end, Event::Waited));
        }
    }
    let thresholds = &classified.settings.thresholds;
    let (submit_ns, pause_ns) = (thresholds.submit_ns, thresholds.turnaround_ns);
    let mut turnaround_ns = 0;
    each_gap(classified, range, is_small_part(classified, range), |gap| {
        let Some(row) = classified.call_row(gap.ended_by) else { return };
        let call = calls.span[row];
        if call.end <= gap.span.start {
            if host_ns.contains_key(&row) {
                turnaround_ns += gap.span.clip(range).length().min(pause_ns);
            }
            return;
        }
        let late = Span::new(gap.span.start, gap.span.end.min(call.end.saturating_add(submit_ns)));
        let late_ns = late.clip(range).length();
        if late_ns > 0 {
            let own_ns = host_ns.get(&row).map_or(0, |&ns| ns.min(late_ns));
            events.push((process(row), call.start, Event::Idle(gap.device, late_ns, own_ns)));
        }
    });
    events.sort_unstable();
    LateLaunches { turnaround_ns, ..sum_up(&events, classified.activity().devices.len()) }
}

/// Goes through the events of all processes, one process after the other.
fn sum_up(events: &[(Maybe<ProcessId>, Ns, Event)], devices: usize) -> LateLaunches {
    let mut sum = LateLaunches::default();
    // Since the last wait: how much earlier the process is, and how much of that each GPU has had already.
    let (mut earlier_ns, mut had_ns) = (0, vec![0; devices]);
    let mut last = None;
    for &(process, _, event) in events {
        if last.replace(process) != Some(process) || event == Event::Waited {
            earlier_ns = 0;
            had_ns.fill(0);
        }
        match event {
            Event::Waited => {}
            Event::Removed(ns) => earlier_ns += ns,
            Event::Idle(device, ns, own_ns) => {
                let gone_ns = ns.min(earlier_ns - had_ns[device]);
                had_ns[device] += gone_ns;
                sum.own_ns += own_ns.min(gone_ns);
                sum.up_to_waits_ns += gone_ns;
            }
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ActivitySettings;
    use crate::capture::classified::Activity;
    use crate::figures::activity::host_before_launches;
    use crate::tests::drawn::Drawn;

    /// What goes without the launches of the kernels `removed`.
    fn without_removed(drawn: Drawn) -> LateLaunches {
        let capture = drawn.capture();
        let settings = ActivitySettings::default();
        let classified = Classified::new(Activity::of(&capture), &settings);
        let range = Span::new(0, 10_000);
        let mut host_ns = host_before_launches(&classified, range);
        let removed = (0..capture.counts().kernels).filter(|&kernel| {
            let name = capture.kernels.long_name[crate::base::ids::WorkId::new(kernel)];
            capture.strings.get(name) == "removed"
        });
        let calls: Vec<ApiCallId> = removed.filter_map(|kernel| classified.call_row(kernel)).collect();
        host_ns.retain(|call, _| calls.contains(call));
        late_launches(&classified, &host_ns, range)
    }

    #[test]
    fn a_launch_that_gpus_do_not_wait_for_costs_them_nothing() {
        let mut drawn = Drawn::new();
        drawn.launch(100..110, "first", 120..1000).launch(300..310, "removed", 1002..1010);
        drawn.launch(320..330, "queued", 1012..1020);
        let gone = LateLaunches { turnaround_ns: 2, ..LateLaunches::default() };
        assert_eq!(without_removed(drawn), gone, "of queued kernels only the pause in front of it");
    }

    #[test]
    fn idle_time_that_its_work_ends_goes_and_no_more_than_the_host_takes() {
        let two = || {
            let mut drawn = Drawn::new();
            drawn.launch(100..110, "first", 120..150).launch(300..310, "removed", 320..330);
            drawn
        };
        // The host takes 110 to 310, the GPU idles 150 to 320.
        let gone = LateLaunches { own_ns: 170, up_to_waits_ns: 170, turnaround_ns: 0 };
        assert_eq!(without_removed(two()), gone);
        // Of the 200, 30 are left for what follows.
        let mut three = two();
        three.launch(400..410, "behind", 420..430);
        assert_eq!(without_removed(three), LateLaunches { up_to_waits_ns: 200, ..gone });
    }

    #[test]
    fn behind_the_next_wait_nothing_is_earlier() {
        let mut drawn = Drawn::new();
        drawn.launch(100..110, "first", 120..1000).launch(300..310, "removed", 1002..1010);
        drawn.api_call("cudaDeviceSynchronize", 320..1020, 7);
        drawn.launch(1100..1110, "behind", 1120..1130);
        let gone = LateLaunches { turnaround_ns: 2, ..LateLaunches::default() };
        assert_eq!(without_removed(drawn), gone);
    }

    #[test]
    fn idle_time_behind_it_goes_where_the_host_does_not_wait_between() {
        let mut drawn = Drawn::new();
        drawn.launch(100..110, "first", 120..400).launch(300..310, "removed", 402..410);
        drawn.launch(700..710, "behind", 720..730);
        assert_eq!(without_removed(drawn), LateLaunches { own_ns: 0, up_to_waits_ns: 200, turnaround_ns: 2 });
    }
}
