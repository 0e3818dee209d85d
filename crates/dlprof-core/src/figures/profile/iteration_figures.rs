//! Figures of every iteration that say where its time went. Those of a range are a part or a sum of them.
//!
//! They depend on thresholds and on the clock of the windows. A profile works them out from the whole capture at the first
//! question, unless it is given them; then they are a value ([`KnownFigures`]) for the next profile of the index, and for the
//! cache.
//!
//! ```text
//! capture, windows of all iterations, thresholds ──► IterationFigures ──► of a range: rows of GPUs and calls, long gaps
//! ```

use crate::base::time::{Ns, Span};
use crate::capture::classified::Classified;
use crate::capture::names::ActivitySettings;
use crate::columns::FactColumn;
use crate::figures::activity::{
    GpuFigures, LaunchCount, WindowCalls, blocking_launches, calls_by_window, gpu_figures,
};
use crate::steps::index::IndexContents;
use std::sync::Arc;

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
    /// What each GPU did, and why it idled.
    pub(crate) gpus: GpuFigures,
    /// The API calls that start in it.
    pub(crate) calls: FactColumn<(), WindowCalls>,
    /// Of the whole capture: kernels that end before their call returns.
    pub(crate) blocking: LaunchCount,
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
        let by_calls = || {
            let calls = calls_by_window(facts, &FigureChoice::windows(choice.call_boundaries));
            (calls, blocking_launches(facts))
        };
        let by_items = || gpu_figures(facts, &windows);
        let (gpus, (calls, blocking)) = capture.pool.install(|| rayon::join(by_items, by_calls));
        let calls = calls.into_column();
        Self { key: choice.key(), gpus, calls, blocking }
    }
}

/// The figures of iterations that are known of an index: one for each clock and choice of thresholds, the last ones found at the
/// end. A profile that is given them does not work them out.
#[derive(Debug, Clone, Default)]
pub struct KnownFigures {
    known: Vec<Arc<IterationFigures>>,
}

impl From<IterationFigures> for KnownFigures {
    fn from(figures: IterationFigures) -> Self {
        Self { known: vec![Arc::new(figures)] }
    }
}

impl KnownFigures {
    /// The last figures found.
    pub(crate) fn last(&self) -> Option<&Arc<IterationFigures>> {
        self.known.last()
    }

    /// The figures of a choice, if they are known.
    pub(super) fn of(&self, choice: &FigureChoice<'_>) -> Option<Arc<IterationFigures>> {
        let key = choice.key();
        self.known.iter().find(|figures| figures.key == key).cloned()
    }

    /// The same with further figures.
    pub(super) fn with(&self, figures: &Arc<IterationFigures>) -> Self {
        let others = self.known.iter().filter(|known| known.key != figures.key);
        Self { known: others.chain([figures]).cloned().collect() }
    }
}
