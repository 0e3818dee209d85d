//! What is known of the work of GPUs: the ledger of the capture, asked for iterations, GPUs and processes.

use super::{DeviceStats, ProfileContents};
use crate::base::ids::{self, ApiCallId, DeviceId, Maybe, ProcessId, StrId, ThreadId};
use crate::base::time::Span;
use crate::capture::ledger::{LaunchFate, Ledger};
use crate::steps::iterate::FigureRules;
use rustc_hash::FxHashSet;

/// A share of the launches of a window below this is no loss that figures show.
const LEAST_PERCENT: u64 = 1;

impl ProfileContents {
    /// What is recorded of what the capture launched.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.capture.description.ledger
    }

    /// Whether it is known what GPUs did in an iteration: no records were lost there.
    #[must_use]
    pub fn knows_gpu_work_in(&self, iteration: u32) -> bool {
        self.iterations.is_traced(iteration)
    }

    /// Whether it is known what a GPU did: it runs kernels there, or no process lost all its records.
    #[must_use]
    pub fn knows_work_of(&self, device: DeviceId) -> bool {
        let is_whole = self.ledger().processes_without_records().is_empty();
        let is_dlprof = self.iterations.windows.rules == FigureRules::Dlprof;
        let works = |stats: &DeviceStats| stats.device == device && stats.resources.kernel_ns() > 0;
        is_dlprof || is_whole || self.devices.iter().any(works)
    }

    /// Whether a process has records, or launched nothing.
    #[must_use]
    pub fn has_records_of(&self, process: ProcessId) -> bool {
        !self.ledger().processes_without_records().contains(&process.into())
    }

    /// Whether the profiler lost so much that nothing can be said of GPUs in the aggregated iterations, though it recorded some of
    /// what they did, or says that it lost it.
    #[must_use]
    pub fn lacks_records(&self) -> bool {
        self.ledger().said.shortfall().is_some()
            || self.capture.counts().kernels > 0 && !self.has_kernel_records()
    }

    /// Why it is not known when GPUs worked in the aggregated iterations; `None` if it is.
    #[must_use]
    pub fn what_hides_gpu_time(&self) -> Option<&'static str> {
        const LOST: &str = "launches that ran have no records, so that GPUs may work where they seem to idle";
        const LEFT_OUT: &str = "most of what was recorded was left out of the trace";
        let of_capture =
            self.ledger().hides_gpu_time().or_else(|| self.capture.is_thinned().then_some(LEFT_OUT));
        of_capture.or_else(|| (self.ledger().has_loss() && self.loses_launches()).then_some(LOST))
    }

    /// Whether launches in the aggregated iterations lost their records. A process without any says nothing of the GPUs of others.
    fn loses_launches(&self) -> bool {
        let (capture, ledger) = (&self.capture, self.ledger());
        let without = ledger.processes_without_records();
        let others = ledger.launches.iter().filter(|row| !without.contains(&row.process));
        let losing: FxHashSet<(Maybe<ThreadId>, StrId)> =
            others.filter(|row| row.lost > 0).map(|row| (row.thread, row.function)).collect();
        let windows = self.call_windows();
        let window = Span::new(
            windows.first().map_or(0, |window| window.start),
            windows.last().map_or(0, |window| window.end),
        );
        let calls = &capture.api_calls;
        let (mut launches, mut lost) = (0_u64, 0_u64);
        for call in ids::all::<ApiCallId>(calls.len()) {
            let start = calls.span[call].start;
            if !(window.start..window.end).contains(&start) {
                continue;
            }
            let fate = capture.call_roles.fate[call];
            let is_lost =
                fate == LaunchFate::Lost && losing.contains(&(calls.thread[call], calls.name[call]));
            launches += u64::from(matches!(fate, LaunchFate::Recorded | LaunchFate::Lost));
            lost += u64::from(is_lost);
        }
        lost > 0 && 100 * lost >= LEAST_PERCENT * launches
    }
}
