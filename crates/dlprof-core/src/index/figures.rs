//! Figures of every iteration that say where its time went. Those of a range are a part or a sum of them.
//!
//! They depend on thresholds and on the clock of the windows. They are worked out from the whole capture at the first question, and
//! the index holds them. A [`FigureKeeper`] stores them for later runs.
//!
//! ```text
//! capture, windows of all iterations, thresholds ──► IterationFigures ──► of a range: rows of GPUs and calls, long gaps,
//!                                                    │▲
//!                                               FigureKeeper
//! ```

use super::IndexContents;
use crate::activity::{
    ActivitySettings, Classified, GpuTimes, LaunchCount, LongGaps, WindowCalls, blocking_launches,
    calls_by_window, gpu_times_and_gaps, launches_without_work,
};
use crate::columns::Column;
use crate::correlate::ApiKind;
use crate::time::{Ns, Span};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// What figures depend on besides the index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FigureChoice<'a> {
    /// Boundaries of all iterations on the clock in force.
    pub(crate) boundaries: &'a [Ns],
    /// Boundaries of all iterations on the clock of the CPU.
    pub(crate) call_boundaries: &'a [Ns],
    /// Thresholds and names.
    pub(crate) settings: &'a ActivitySettings,
}

/// Figures of every iteration.
#[derive(Debug)]
pub(crate) struct IterationFigures {
    /// What they depend on, in words.
    pub(crate) key: String,
    /// What each GPU did.
    pub(crate) gpu_times: GpuTimes,
    /// The API calls that start in it.
    pub(crate) calls: Column<(), WindowCalls>,
    /// Long gaps of GPUs.
    pub(crate) gaps: LongGaps,
    /// Of the whole capture: kernels that end before their call returns.
    pub(crate) blocking: LaunchCount,
    /// Of the whole capture: launches whose work is missing.
    pub(crate) without_work: LaunchCount,
}

impl FigureChoice<'_> {
    /// The choice in words.
    pub(crate) fn key(&self) -> String {
        let checksum = |boundaries: &[Ns]| crc32fast::hash(bytemuck::cast_slice(boundaries));
        let (windows, calls) = (checksum(self.boundaries), checksum(self.call_boundaries));
        format!("{} windows {windows:08x} calls {calls:08x}", self.settings.in_words())
    }

    fn windows(boundaries: &[Ns]) -> Vec<Span> {
        boundaries.windows(2).map(|window| Span::new(window[0], window[1])).collect()
    }
}

impl IterationFigures {
    /// Works them out, on two threads.
    pub(crate) fn new(index: &IndexContents, choice: &FigureChoice<'_>, facts: &Classified<'_>) -> Self {
        let capture = &index.capture;
        let windows = FigureChoice::windows(choice.boundaries);
        let kinds = &capture.api_calls.kind[..];
        let by_calls = || {
            let calls = calls_by_window(facts, &FigureChoice::windows(choice.call_boundaries));
            let has_work = |call: crate::ids::ApiCallId| kinds[call.index()] != ApiKind::Plain;
            (calls, launches_without_work(facts, has_work), blocking_launches(facts))
        };
        let by_items = || gpu_times_and_gaps(facts, &windows);
        let ((gpu_times, gaps), (calls, without_work, blocking)) =
            capture.pool.install(|| rayon::join(by_items, by_calls));
        let calls = calls.into_column();
        Self { key: choice.key(), gpu_times, calls, gaps, blocking, without_work }
    }
}

/// Keeps figures of an index between runs.
pub(crate) trait FigureKeeper: std::fmt::Debug + Send + Sync {
    /// The kept figures of a choice; none if none are kept of the index, or what is kept is damaged.
    fn read(&self, key: &str, index: &IndexContents) -> Option<IterationFigures>;

    /// Keeps figures. If they cannot be kept, they are worked out again next time.
    fn write(&self, figures: &IterationFigures);
}

/// The figures of an index that are known, and who keeps them. There are several where ranges have several clocks.
#[derive(Debug, Default)]
pub(crate) struct FigureStore {
    known: Mutex<Vec<Arc<IterationFigures>>>,
    keeper: OnceLock<Box<dyn FigureKeeper>>,
}

impl FigureStore {
    /// Lets figures be kept from now on.
    pub(crate) fn keep_with(&self, keeper: impl FigureKeeper + 'static) {
        // One that is set already is the same one.
        drop(self.keeper.set(Box::new(keeper)));
    }

    /// The figures of a choice: known ones, else kept ones, else new ones, which are kept.
    pub(crate) fn get(
        &self,
        index: &IndexContents,
        choice: &FigureChoice<'_>,
        compute: impl FnOnce() -> IterationFigures,
    ) -> Arc<IterationFigures> {
        let key = choice.key();
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(figures) = known().iter().find(|figures| figures.key == key) {
            return Arc::clone(figures);
        }
        let kept = self.keeper.get().and_then(|keeper| keeper.read(&key, index));
        let figures = Arc::new(kept.unwrap_or_else(|| {
            let figures = compute();
            if let Some(keeper) = self.keeper.get() {
                keeper.write(&figures);
            }
            figures
        }));
        known().push(Arc::clone(&figures));
        figures
    }
}
