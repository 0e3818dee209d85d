//! Idle time of a GPU, with its causes.

use super::lane::{Item, ItemClass};
use super::text_places::Names;
use crate::base::ids::{DeviceId, StrId, WorkId};
use crate::base::time::{Ns, Span};
use crate::capture::classified::Cause;
use crate::figures::activity::{GpuTime, GpuTimes, IdleRange, gpu_times_near, idle_ranges_near};
use crate::figures::profile::Profile;
use std::ops::Range;

/// The gaps of some GPUs in a window, with their causes.
#[derive(Debug)]
pub(super) struct Gaps {
    by_device: Vec<(DeviceId, Vec<Span>)>,
    /// What lies between any two neighbouring ends of gaps.
    pieces: Vec<Span>,
    times: GpuTimes,
    /// Idle time in ranges of the host, by piece and GPU.
    ranges: Vec<IdleRange>,
}

impl Gaps {
    /// What no work of each of these GPUs covers. The rows of work are in order of start. Gaps of
    /// different GPUs overlap, so the window is cut where any of them begins or ends.
    pub(super) fn new(profile: &Profile, devices: &[DeviceId], work: &[usize], window: Span) -> Self {
        let of_device = |&device: &DeviceId| (device, uncovered(profile, device, work, window));
        let by_device: Vec<(DeviceId, Vec<Span>)> = devices.iter().map(of_device).collect();
        let ends = by_device.iter().flat_map(|(_, gaps)| gaps).flat_map(|gap| [gap.start, gap.end]);
        let mut cuts: Vec<Ns> = ends.collect();
        cuts.sort_unstable();
        cuts.dedup();
        let pieces: Vec<Span> = cuts.windows(2).map(|ends| Span::new(ends[0], ends[1])).collect();
        let zones = profile.capture.host_zones();
        let times = profile.look(|facts| gpu_times_near(facts, zones, devices, &pieces));
        let in_ranges = |device: &DeviceId| times.total(device.index()).idle.of(Cause::HostRange) > 0;
        let ranges = match devices.iter().any(in_ranges) {
            true => profile.look(|facts| idle_ranges_near(facts, zones, devices, &pieces)),
            false => Vec::new(),
        };
        Self { by_device, pieces, times, ranges }
    }

    /// The gaps of a GPU. Each has the class of the cause of most of it, and a name that says all causes of a tenth of it and
    /// more, and the range of the host with most of it.
    pub(super) fn items(&self, profile: &Profile, device: DeviceId, names: &mut Names) -> Vec<Item> {
        let gaps = self.by_device.iter().filter(|(of, _)| *of == device).flat_map(|(_, gaps)| gaps);
        let item = |&gap: &Span| {
            let pieces = self.pieces_of(gap);
            let range = self.range_of(device, &pieces).map(|text| profile.capture.strings.get(text));
            item(gap, &self.time_of(device, pieces), range, names)
        };
        gaps.map(item).collect()
    }

    /// The pieces that a gap consists of.
    fn pieces_of(&self, gap: Span) -> Range<usize> {
        let first = self.pieces.partition_point(|piece| piece.start < gap.start);
        first..self.pieces.partition_point(|piece| piece.start < gap.end)
    }

    fn time_of(&self, device: DeviceId, pieces: Range<usize>) -> GpuTime {
        let mut sum = GpuTime::default();
        pieces.for_each(|piece| sum.merge(&self.times.at(device.index(), piece)));
        sum
    }

    /// The range of the host with most idle time of some pieces.
    fn range_of(&self, device: DeviceId, pieces: &Range<usize>) -> Option<StrId> {
        let first = self.ranges.partition_point(|range| range.window < pieces.start);
        let rows = self.ranges[first..].iter().take_while(|range| range.window < pieces.end);
        rows.filter(|range| range.device == device).max_by_key(|range| range.time_ns)?.text.some()
    }
}

fn item(span: Span, time: &GpuTime, range: Option<&str>, names: &mut Names) -> Item {
    let mut causes: Vec<(Cause, Ns)> = time.idle.causes().collect();
    causes.sort_by_key(|&(cause, ns)| (std::cmp::Reverse(ns), cause));
    let cause = causes.first().map_or(Cause::Unknown, |&(cause, _)| cause);
    let large = causes.iter().filter(|(_, ns)| ns.saturating_mul(10) >= span.length());
    let words = |cause: Cause| match range.filter(|_| cause == Cause::HostRange) {
        Some(range) => format!("{} `{range}`", cause.words()),
        None => cause.words().to_owned(),
    };
    let words: Vec<String> = large.map(|&(cause, _)| words(cause)).collect();
    Item { span, name: names.place(&words.join(", ")), class: ItemClass::Idle(cause), depth: 0, op: None }
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
