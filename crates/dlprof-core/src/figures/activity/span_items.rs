//! The GPU items that decide what GPUs did in a span: when they were busy, which gaps lie there, what ended and came before them.
//!
//! ```text
//! span                       ├──────────────┤
//! GPU 0    ├ a ┤ ├ b ┤   ├ c ──┤  ├ d ┤         ├ e ┤   ├ f ┤
//! ```
//!
//! `c` to `e` are there, because a gap ends with `e`. Of what is before, `b` is needed: a gap may begin with its end.

use crate::base::ids::DeviceId;
use crate::base::time::{Ns, Span};
use crate::capture::classified::Activity;

/// The items that decide what some GPUs did in a span.
#[derive(Debug)]
pub(super) struct SpanItems {
    /// Rows, ascending.
    pub(super) rows: Vec<usize>,
    /// Of them those that may end a gap.
    pub(super) ending: Vec<usize>,
    /// No gap that reaches into the span begins before.
    pub(super) gaps_from: Ns,
}

/// How far from a span items are looked for: first nearby, at last everywhere.
const STEPS_NS: [Ns; 6] = [1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000, Ns::MAX];

impl SpanItems {
    pub(super) fn new(activity: &Activity<'_>, devices: &[DeviceId], span: Span) -> Self {
        let open = activity.open_in(0..activity.work.len(), span.end, span.start.saturating_sub(1));
        let from = open.map(|row| activity.work.span[row].start).fold(span.start, Ns::min);
        let end = end_of_last_gap(activity, devices, span.end);
        let ending: Vec<usize> = activity.starting_in(0..activity.work.len(), Span::new(from, end)).collect();
        let last = last_of_devices(activity, devices, from);
        let begin = activity.idle_from.filter(|_| last.len() < devices.len()).unwrap_or(span.start);
        let ends = last.iter().map(|&row| activity.work.span[row].end);
        let gaps_from = ends.fold(span.start.min(begin), Ns::min);
        let mut rows = [&ending[..], &last, &last_of_streams(activity, &ending, from)].concat();
        // A GPU whose items have no length is used all the same.
        let is_missing = |device: &&DeviceId| !rows.iter().any(|&row| activity.work.device[row] == **device);
        let missing: Vec<&DeviceId> = devices.iter().filter(is_missing).collect();
        rows.extend(
            missing.iter().filter_map(|&device| activity.work.device.iter().position(|of| of == device)),
        );
        rows.sort_unstable();
        rows.dedup();
        Self { rows, ending, gaps_from }
    }
}

/// Behind the first start, from a time on, of the items of each GPU that last.
fn end_of_last_gap(activity: &Activity<'_>, devices: &[DeviceId], time: Ns) -> Ns {
    let mut wanted = devices.to_vec();
    let (mut end, mut from) = (time, time);
    for step in STEPS_NS {
        let part = Span::new(from, time.saturating_add(step));
        let mut first: Vec<Option<Ns>> = vec![None; wanted.len()];
        for row in activity
            .starting_in(0..activity.work.len(), part)
            .filter(|&row| !activity.work.span[row].is_empty())
        {
            if let Some(at) = wanted.iter().position(|&device| device == activity.work.device[row]) {
                let start = activity.work.span[row].start;
                first[at] = Some(first[at].map_or(start, |first| first.min(start)));
            }
        }
        end = first.iter().flatten().map(|start| start.saturating_add(1)).fold(end, Ns::max);
        let mut found = first.iter().map(Option::is_some);
        wanted.retain(|_| !found.next().unwrap_or(false));
        if wanted.is_empty() {
            break;
        }
        from = part.end;
    }
    end
}

/// Of each GPU: of the items that last and start before a time, the one that ends last.
fn last_of_devices(activity: &Activity<'_>, devices: &[DeviceId], time: Ns) -> Vec<usize> {
    let mut last: Vec<Option<usize>> = vec![None; devices.len()];
    for step in STEPS_NS {
        let from = if step == Ns::MAX { Ns::MIN } else { time.saturating_sub(step) };
        let open = activity.open_in(0..activity.work.len(), time, from);
        for row in open.filter(|&row| !activity.work.span[row].is_empty()) {
            if let Some(at) = devices.iter().position(|&device| device == activity.work.device[row]) {
                let is_later = |known: usize| activity.work.span[known].end < activity.work.span[row].end;
                if last[at].is_none_or(is_later) {
                    last[at] = Some(row);
                }
            }
        }
        if last.iter().all(Option::is_some) {
            break;
        }
    }
    last.into_iter().flatten().collect()
}

/// Of each stream of some items: the last item that starts before a time.
fn last_of_streams(activity: &Activity<'_>, of: &[usize], time: Ns) -> Vec<usize> {
    let mut is_wanted = vec![false; activity.streams.len()];
    of.iter().for_each(|&row| is_wanted[activity.work.stream[row].index()] = true);
    let mut last: Vec<Option<usize>> = vec![None; activity.streams.len()];
    for step in STEPS_NS {
        let from = if step == Ns::MAX { Ns::MIN } else { time.saturating_sub(step) };
        for row in activity.starting_in(0..activity.work.len(), Span::new(from, time)) {
            let stream = activity.work.stream[row].index();
            let is_later = |known: usize| (activity.work.span[known], known) < (activity.work.span[row], row);
            if is_wanted[stream] && last[stream].is_none_or(is_later) {
                last[stream] = Some(row);
            }
        }
        if is_wanted.iter().zip(&last).all(|(is_wanted, last)| !is_wanted || last.is_some()) {
            break;
        }
    }
    last.into_iter().flatten().collect()
}
