//! Idle time of a GPU, with its causes.

use super::lane::{Draft, Item, LaneItemClass, LaneKind};
use super::text_places::Names;
use crate::base::ids::{DeviceId, StrId};
use crate::base::time::{Ns, Span};
use crate::capture::classified::Cause;
use crate::figures::activity::{GpuTime, GpuTimes, IdleRange, gpu_figures_near};
use crate::figures::profile::Profile;
use std::ops::Range;

/// Causes of idle time of several GPUs are worked out together for at most so many pieces, counted for each GPU. Beyond that
/// they are worked out GPU by GPU, because there is a row for each GPU in each piece.
const MOST_TOGETHER: usize = 200_000;

/// Idle time of GPUs, with its causes.
#[derive(Debug)]
pub(in crate::pictures) struct Gaps {
    parts: Vec<Part>,
}

/// Idle time of some GPUs, with its causes.
#[derive(Debug)]
struct Part {
    /// Places of the GPUs, in order.
    devices: Vec<DeviceId>,
    /// What lies between any two neighbouring ends of gaps.
    pieces: Vec<Span>,
    times: GpuTimes,
    /// Idle time in ranges of the host, by piece and GPU.
    ranges: Vec<IdleRange>,
}

impl Gaps {
    /// The causes of the idle time that is in drafts.
    pub(in crate::pictures) fn new(profile: &Profile, drafts: &[Draft]) -> Self {
        let idle: Vec<&Draft> = drafts.iter().filter(|draft| draft.kind == LaneKind::Idle).collect();
        let gaps: usize = idle.iter().map(|draft| draft.spans.len()).sum();
        let together = match gaps.saturating_mul(2 * idle.len()) <= MOST_TOGETHER {
            true => idle.len().max(1),
            false => 1,
        };
        Self { parts: idle.chunks(together).map(|idle| Part::new(profile, idle)).collect() }
    }

    /// What is said of the gaps of a GPU. Each has the class of the cause of most of it, and a name that says all causes of a
    /// tenth of it and more, and the range of the host with most of it.
    pub(in crate::pictures) fn items(
        &self,
        profile: &Profile,
        draft: &Draft,
        names: &mut Names,
    ) -> impl Iterator<Item = Item> {
        let device = DeviceId::new(draft.of);
        let part = self.parts.iter().find(|part| part.devices.contains(&device));
        let item = move |(part, gap): (&Part, Span)| {
            let pieces = part.pieces_of(gap);
            let range = part.range_of(device, &pieces).map(|text| profile.capture.strings.get(text));
            item(gap, &part.time_of(device, pieces), range, names)
        };
        part.into_iter().flat_map(|part| draft.spans.iter().map(move |&gap| (part, gap))).map(item)
    }
}

impl Part {
    /// Gaps of different GPUs overlap, so the time is cut where any of them begins or ends.
    fn new(profile: &Profile, idle: &[&Draft]) -> Self {
        let devices: Vec<DeviceId> = idle.iter().map(|draft| DeviceId::new(draft.of)).collect();
        let ends = idle.iter().flat_map(|draft| &draft.spans).flat_map(|gap| [gap.start, gap.end]);
        let mut cuts: Vec<Ns> = ends.collect();
        cuts.sort_unstable();
        cuts.dedup();
        let pieces: Vec<Span> = cuts.windows(2).map(|ends| Span::new(ends[0], ends[1])).collect();
        let zones = profile.capture.host_zones();
        let figures = profile.look(|facts| gpu_figures_near(facts, zones, &devices, &pieces));
        let ranges = figures.ranges.of_windows(0..pieces.len());
        Self { devices, pieces, times: figures.times, ranges }
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
    Item { name: names.place(&words.join(", ")), class: LaneItemClass::Idle(cause), op: None }
}
