//! Idle time of a GPU, with its causes.

use super::lane::{Item, ItemClass};
use super::names::Names;
use crate::activity::{Cause, gpu_times};
use crate::ids::{DeviceId, WorkId};
use crate::profile::Profile;
use crate::time::Span;

/// The gaps of a GPU in a window. Each has the class of the cause of most of it, and a name that says all causes of a tenth of it
/// and more.
pub(super) fn gaps(
    profile: &Profile,
    device: DeviceId,
    work: &[usize],
    window: Span,
    names: &mut Names,
) -> Vec<Item> {
    let gaps = uncovered(profile, device, work, window);
    let times = profile.look(|facts| gpu_times(facts, &gaps));
    let item = |(&span, time): (&Span, &crate::activity::GpuTime)| {
        let mut causes: Vec<(Cause, i64)> = time.idle.causes().collect();
        causes.sort_by_key(|&(cause, ns)| (std::cmp::Reverse(ns), cause));
        let cause = causes.first().map_or(Cause::Unknown, |&(cause, _)| cause);
        let large = causes.iter().filter(|(_, ns)| ns.saturating_mul(10) >= span.length());
        let words: Vec<&str> = large.map(|(cause, _)| cause.as_str()).collect();
        Item { span, name: names.place(&words.join(", ")), class: ItemClass::Idle(cause), depth: 0, op: None }
    };
    gaps.iter().zip(times.of_device(device.index())).map(item).collect()
}

/// What no work of a GPU covers. The rows are in order of start.
fn uncovered(profile: &Profile, device: DeviceId, work: &[usize], window: Span) -> Vec<Span> {
    let facts = &profile.capture.work;
    let mut gaps = Vec::new();
    let mut covered_to = window.start;
    for work in work.iter().map(|&row| WorkId::new(row)).filter(|&work| facts.device[work] == device) {
        let span = facts.span[work].clip(window);
        if span.start > covered_to {
            gaps.push(Span::new(covered_to, span.start));
        }
        covered_to = covered_to.max(span.end);
    }
    if window.end > covered_to {
        gaps.push(Span::new(covered_to, window.end));
    }
    gaps
}
