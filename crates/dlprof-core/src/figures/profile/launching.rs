//! How work was launched, over the whole capture: calls by thread, what a launch cost, and which range a kernel belongs to.

use super::ProfileContents;
use crate::base::ids::{DeviceId, ProcessId, ThreadId, WorkId};
use crate::base::time::Ns;
use crate::capture::classified::{
    Activity, Attribution, AttributionTotal, Attributions, attribution_totals, attributions, is_own,
    joins_none,
};
use crate::figures::activity::{
    Launch, LaunchStats, ThreadLaunches, launch_stats, launches_by_thread, start_delay, start_delays,
};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

impl ProfileContents {
    /// Launch calls of the whole capture by thread, without threads that launch nothing.
    #[must_use]
    pub fn thread_launches(&self) -> Vec<(ThreadId, ThreadLaunches)> {
        let threads = self.look(launches_by_thread).into_iter().enumerate();
        let launching = threads.filter(|(_, launches)| launches.sum.calls > 0);
        launching.map(|(thread, launches)| (ThreadId::new(thread), launches)).collect()
    }

    /// Whether calls of CUDA are recorded, and none of them launches a kernel: GPUs ran none, and no record is missing, as far as the
    /// profiler says.
    #[must_use]
    pub fn launches_nothing(&self) -> bool {
        !self.capture.api_calls.is_empty()
            && self.capture.counts().kernels == 0
            && self.ledger().said.shortfall().is_none()
            && self.thread_launches().is_empty()
    }

    /// Of how many processes each GPU runs kernels in the whole capture, as far as the capture says, by GPU.
    #[must_use]
    pub fn processes_by_gpu(&self) -> Vec<(DeviceId, usize)> {
        let capture = &self.capture;
        let mut pairs: FxHashSet<(DeviceId, ProcessId)> = FxHashSet::default();
        for kernel in crate::base::ids::all::<WorkId>(capture.counts().kernels) {
            let call = capture.launches.api[kernel].some();
            let process = call.and_then(|call| capture.process_of_call(call));
            pairs.extend(process.map(|process| (capture.work.device[kernel], process)));
        }
        let mut processes: BTreeMap<DeviceId, usize> = BTreeMap::new();
        pairs.into_iter().for_each(|(gpu, _)| *processes.entry(gpu).or_default() += 1);
        processes.into_iter().collect()
    }

    /// How the kernels of the whole capture were launched.
    #[must_use]
    pub fn launch_stats(&self) -> LaunchStats {
        self.look(launch_stats)
    }

    /// How a kernel was launched by its API call, without what its stream did before; `None` without a call.
    #[must_use]
    pub fn launch_of(&self, kernel: WorkId) -> Option<Launch> {
        let capture = &self.capture;
        let call = capture.repeated_calls.counted(capture.launches.api[kernel].some()?);
        Some(Launch::of(capture.work.span[kernel], capture.api_calls.span[call], None))
    }

    /// What launching a kernel cost; `None` without an API call.
    #[must_use]
    pub fn start_delay_ns(&self, kernel: WorkId) -> Option<Ns> {
        let known = self.figures.start_delays.get();
        if known.is_none() && self.figures.is_single(self.capture.kernels.short_name.len()) {
            return start_delay(&Activity::of(&self.capture), kernel.index());
        }
        let delays = self.figures.start_delays.get_or_init(|| self.look(start_delays));
        self.capture.launches.api[kernel].some().map(|_| delays[kernel.index()])
    }

    /// How a kernel finds its range.
    #[must_use]
    pub fn attribution(&self, kernel: WorkId) -> Attribution {
        if self.figures.attributions.get().is_none()
            && self.figures.is_single(self.capture.kernels.short_name.len())
        {
            let activity = Activity::of(&self.capture);
            let Some(call) = activity.launches.api[kernel].some() else { return Attribution::NoCall };
            let (ranges, call) = (self.capture.range_zones(), activity.repeated_calls.counted(call));
            if is_own(&activity, ranges, call) {
                return Attribution::Own;
            }
            if joins_none(&activity, ranges, call) {
                return Attribution::None;
            }
        }
        self.attributions().get(kernel.index())
    }

    /// How each piece of GPU work of the capture finds its range.
    #[must_use]
    pub fn attributions(&self) -> &Attributions {
        self.figures.attributions.get_or_init(|| self.look(attributions))
    }

    /// GPU work of the whole capture by the way it finds its range, and by text of the range.
    #[must_use]
    pub fn attribution_totals(&self) -> Vec<AttributionTotal> {
        let attributions = self.attributions();
        self.look(|facts| attribution_totals(facts, attributions))
    }
}
