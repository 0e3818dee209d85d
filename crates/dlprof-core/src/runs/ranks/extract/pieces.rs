//! The pieces of the time line of a rank, and what its GPU did in each.
//!
//! A window is from the end of a closing collective to the end of the next. Which channel has the closing collectives depends on
//! the other ranks, so each channel that may be it cuts the time line, and so do the iterations, which count where none is.

use super::super::digest::{PieceSums, RankDigest};
use super::narrowed::narrowed;
use super::source::{Source, Unit};
use crate::base::limits::GPU_ROWS;
use crate::base::time::{Ns, Span};
use crate::capture::classified::Classified;
use crate::capture::classified::order::Orders;
use crate::figures::activity::{GpuTime, GpuTimes, StepClass, gpu_times};
use std::collections::BTreeMap;

/// Where windows may begin or end.
pub(super) fn cuts(digest: &RankDigest) -> Vec<Ns> {
    let mut cuts: Vec<Ns> =
        digest.iterations.iter().flat_map(|iteration| [iteration.span.start, iteration.span.end]).collect();
    for closing in closing_by_channel(digest).into_values() {
        cuts.extend(closing.values().map(|&at| digest.collectives[at as usize].span.end));
    }
    cuts.sort_unstable();
    cuts.dedup();
    cuts
}

/// By channel that has a collective in nearly every iteration: the last collective of each.
pub(in super::super) fn closing_by_channel(digest: &RankDigest) -> BTreeMap<u32, BTreeMap<u32, u32>> {
    let mut closing: BTreeMap<u32, BTreeMap<u32, u32>> = BTreeMap::new();
    for (at, one) in (0..).zip(&digest.collectives) {
        if let Some(iteration) = one.iteration {
            closing.entry(one.channel).or_default().insert(iteration, at);
        }
    }
    // At least 80 % of the iterations, and three.
    closing.retain(|_, of| of.len() >= 3 && of.len() * 5 >= digest.iterations.len() * 4);
    closing
}

impl Source<'_> {
    /// What the GPUs did in the pieces of all ranks of the capture: the GPUs are looked at once, in pieces that are fine enough
    /// for all. A GPU of several processes is looked at once for each, and so is every GPU where such pieces of all GPUs would be
    /// too many, because the ranks are cut at different times.
    pub(super) fn add_pieces(&self, units: &[Unit], digests: &mut [RankDigest]) {
        let shares = |unit: &Unit| units.iter().filter(|other| other.device == unit.device).count() > 1;
        let cuts = cuts_of_all(digests);
        let rows = cuts.len().saturating_mul(self.capture.devices.len());
        let is_once = rows <= GPU_ROWS.most_for(self.capture.work.len()) && !units.iter().all(shares);
        let together = is_once.then(|| gpu_times(self.classified, &windows(&cuts)));
        for (unit, digest) in units.iter().zip(digests) {
            digest.pieces = match &together {
                Some(together) if !shares(unit) => merged(together, unit.device.index(), &cuts, &digest.cuts),
                _ => {
                    let own = self.times_of(unit, &windows(&digest.cuts));
                    merged(&own, unit.device.index(), &digest.cuts, &digest.cuts)
                }
            };
        }
    }

    /// What a GPU did for one of its processes.
    fn times_of(&self, unit: &Unit, windows: &[Span]) -> GpuTimes {
        let mut items = unit.items.clone();
        items.sort_unstable();
        let (recorded, launches) = narrowed(self.capture, &items);
        let orders = Orders::default();
        let activity = self.classified.activity().of_tables(&recorded, &launches, &orders);
        gpu_times(&Classified::new(activity, self.classified.settings), windows)
    }
}

/// Where the windows of any rank may begin or end.
fn cuts_of_all(digests: &[RankDigest]) -> Vec<Ns> {
    let mut cuts: Vec<Ns> = digests.iter().flat_map(|digest| digest.cuts.iter().copied()).collect();
    cuts.sort_unstable();
    cuts.dedup();
    cuts
}

/// The pieces between cuts.
fn windows(cuts: &[Ns]) -> Vec<Span> {
    cuts.windows(2).map(|pair| Span::new(pair[0], pair[1])).collect()
}

/// Fine pieces joined to coarser ones, whose cuts are among theirs.
fn merged(times: &GpuTimes, device: usize, fine: &[Ns], coarse: &[Ns]) -> Vec<PieceSums> {
    let place = |cut: Ns| fine.partition_point(|&known| known < cut);
    let sums = |pair: &[Ns]| {
        let mut sum = GpuTime::default();
        (place(pair[0])..place(pair[1])).for_each(|at| sum.merge(&times.at(device, at)));
        PieceSums::from(&sum)
    };
    coarse.windows(2).map(sums).collect()
}

impl From<&GpuTime> for PieceSums {
    fn from(time: &GpuTime) -> Self {
        let idle = |class| time.idle.of_class(class);
        Self {
            compute_ns: time.compute_ns + idle(StepClass::Gpu),
            exposed_ns: time.exposed_communication_ns,
            exchange_idle_ns: idle(StepClass::Communication),
            copy_ns: time.exposed_copy_ns + idle(StepClass::Copy),
            input_ns: idle(StepClass::Input),
            cpu_ns: idle(StepClass::Cpu),
            sync_ns: idle(StepClass::Sync),
            communication_ns: time.communication_ns,
        }
    }
}
