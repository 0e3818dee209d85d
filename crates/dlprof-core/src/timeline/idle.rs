//! Idle time of a GPU, with its causes.

use super::lane::{Item, ItemClass};
use super::names::Names;
use crate::activity::{Cause, GpuTime, GpuTimes, gpu_times_near};
use crate::ids::{DeviceId, WorkId};
use crate::profile::Profile;
use crate::time::{Ns, Span};

/// The gaps of some GPUs in a window, with their causes.
#[derive(Debug)]
pub(super) struct Gaps {
    by_device: Vec<(DeviceId, Vec<Span>)>,
    /// What lies between any two neighbouring ends of gaps.
    pieces: Vec<Span>,
    times: GpuTimes,
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
        Self { by_device, pieces, times }
    }

    /// The gaps of a GPU. Each has the class of the cause of most of it, and a name that says all causes of a tenth of it and more.
    pub(super) fn items(&self, device: DeviceId, names: &mut Names) -> Vec<Item> {
        let gaps = self.by_device.iter().filter(|(of, _)| *of == device).flat_map(|(_, gaps)| gaps);
        gaps.map(|&gap| item(gap, &self.time_of(device, gap), names)).collect()
    }

    fn time_of(&self, device: DeviceId, gap: Span) -> GpuTime {
        let first = self.pieces.partition_point(|piece| piece.start < gap.start);
        let end = self.pieces.partition_point(|piece| piece.start < gap.end);
        let mut sum = GpuTime::default();
        self.times.of_device(device.index())[first..end].iter().for_each(|time| sum.merge(time));
        sum
    }
}

fn item(span: Span, time: &GpuTime, names: &mut Names) -> Item {
    let mut causes: Vec<(Cause, Ns)> = time.idle.causes().collect();
    causes.sort_by_key(|&(cause, ns)| (std::cmp::Reverse(ns), cause));
    let cause = causes.first().map_or(Cause::Unknown, |&(cause, _)| cause);
    let large = causes.iter().filter(|(_, ns)| ns.saturating_mul(10) >= span.length());
    let words: Vec<&str> = large.map(|(cause, _)| cause.as_str()).collect();
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
