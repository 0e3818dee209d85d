//! What GPUs and the host did in the aggregated iterations.
//!
//! Nothing of it is computed before a table asks for it. What several tables ask for is kept in the profile.

use super::ProfileContents;
use super::iteration_figures::{FigureChoice, IterationFigures};
use crate::base::ids::{self, DeviceId, RangeTextId, StrId};
use crate::base::limits::GPU_PAIRS;
use crate::base::time::Ns;
use crate::capture::classified::{Activity, Attributions, Cause, Classified};
use crate::capture::names::ApiClass;
use crate::columns::Buffer;
use crate::figures::activity::{
    CallSum, CopyGroup, FunctionCalls, GpuTime, GpuTimes, IdleHost, IdleRange, LISTED_CLASSES, LongGaps,
    StepClasses, Transfer, UnexplainedHost, WindowCalls, calls_by_function, copies, cpu_communication,
    os_read_time, reader_cost, transfers, whole_range,
};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// Figures that several tables, or many cells, ask for.
#[derive(Debug, Default)]
pub(super) struct ActivityFigures {
    of_iterations: OnceLock<Arc<IterationFigures>>,
    gpu_times: OnceLock<GpuTimes>,
    pub(super) idle_host: OnceLock<IdleHost>,
    pub(super) unexplained_host: OnceLock<UnexplainedHost>,
    pub(super) idle_ranges: OnceLock<Vec<IdleRange>>,
    pub(super) markers: OnceLock<BTreeSet<StrId>>,
    used_gpu_time: OnceLock<GpuTime>,
    pub(super) start_delays: OnceLock<Buffer<Ns>>,
    pub(super) attributions: OnceLock<Attributions>,
    /// How many kernels were looked at one by one.
    single: AtomicUsize,
}

/// The first rows of a table need few kernels: as long as fewer than this part of the kernels were asked for, each is looked at
/// by itself. After that all are looked at in one pass. Both ways give the same figures.
const SINGLE_OF: usize = 1024;

impl ActivityFigures {
    /// Those of all iterations, once something has asked for them.
    pub(super) fn of_iterations(&self) -> Option<&Arc<IterationFigures>> {
        self.of_iterations.get()
    }

    /// Counts a kernel that is asked for, and says whether it is looked at by itself.
    pub(super) fn is_single(&self, kernels: usize) -> bool {
        self.single.fetch_add(1, Ordering::Relaxed) < kernels / SINGLE_OF
    }
}

/// What a GPU did in an aggregated iteration: a row of table `gpu_time`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceWindow {
    /// The place of the iteration among the aggregated ones.
    pub window: usize,
    /// The GPU.
    pub device: DeviceId,
}

/// What the time of an aggregated iteration went to: a row of table `steps`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The place of the iteration among the aggregated ones.
    pub window: usize,
    /// Length of the iteration.
    pub length_ns: Ns,
    /// Its time by class; `None` if no GPU was used, or records are missing.
    pub classes: Option<StepClasses>,
    /// The API calls that start in it.
    pub calls: WindowCalls,
    /// Time in ranges that load data; `None` if there are none in the aggregated iterations.
    pub reader_cost_ns: Option<Ns>,
    /// Time in calls that read; `None` if the capture has no table of such calls.
    pub os_io_ns: Option<Ns>,
    /// Time that collectives on the CPU cover; `None` if the capture has none.
    pub cpu_communication_ns: Option<Ns>,
}

impl Step {
    /// Its calls of a class.
    #[must_use]
    pub fn calls_of(&self, class: ApiClass) -> CallSum {
        self.calls.of(class)
    }
}

impl ProfileContents {
    /// Lends the facts of the capture, with the class of every name, to one of the functions of [`crate::figures::activity`].
    pub(crate) fn look<T>(&self, look: impl FnOnce(&Classified<'_>) -> T) -> T {
        look(&Classified::new(Activity::of(&self.capture), &self.settings.activity))
    }

    /// What the figures of iterations depend on.
    fn figure_choice(&self) -> FigureChoice<'_> {
        let windows = &self.iterations.windows;
        FigureChoice {
            boundaries: windows.boundaries(),
            call_boundaries: windows.cpu_boundaries(),
            settings: &self.settings.activity,
        }
    }

    /// The figures of all iterations. Unless they are known, `look` lends the facts of the capture to what works them out.
    pub(crate) fn iteration_figures_by(
        &self,
        look: impl FnOnce(&dyn Fn(&Classified<'_>) -> IterationFigures) -> IterationFigures,
    ) -> &IterationFigures {
        let choice = self.figure_choice();
        let compute = |facts: &Classified<'_>| IterationFigures::new(&self.index, &choice, facts);
        let get = || self.given_figures.of(&choice).unwrap_or_else(|| Arc::new(look(&compute)));
        self.figures.of_iterations.get_or_init(get)
    }

    pub(super) fn iteration_figures(&self) -> &IterationFigures {
        self.iteration_figures_by(|compute| self.look(compute))
    }

    /// The aggregated iterations as places among all.
    pub(super) fn places(&self) -> Range<usize> {
        let range = self.iterations.range();
        range.start as usize..range.end as usize
    }

    /// What each GPU did in each aggregated iteration, and why it idled.
    #[must_use]
    pub fn gpu_times(&self) -> &GpuTimes {
        let times = || self.iteration_figures().gpus.times.of_windows(self.places());
        self.figures.gpu_times.get_or_init(times)
    }

    /// The API calls that start in each aggregated iteration.
    #[must_use]
    pub fn window_calls(&self) -> &[WindowCalls] {
        &self.iteration_figures().calls[..][self.places()]
    }

    /// Long gaps of GPUs in all iterations.
    #[must_use]
    pub fn long_gaps(&self) -> &LongGaps {
        &self.iteration_figures().gpus.gaps
    }

    /// Aggregated iterations and GPUs, in order of both. Where there are far more of them than pieces of GPU work, those that a
    /// GPU's work does not reach are left out.
    #[must_use]
    pub fn device_windows(&self) -> Vec<DeviceWindow> {
        let (devices, windows) = (self.capture.devices.len(), self.windows().len());
        let place = |device, window| DeviceWindow { window, device: DeviceId::new(device) };
        if devices.saturating_mul(windows) <= GPU_PAIRS.most_for(self.capture.work.span.len()) {
            return (0..windows).flat_map(|window| (0..devices).map(move |at| place(at, window))).collect();
        }
        let with_work = self.gpu_times().with_work();
        let mut places: Vec<DeviceWindow> = with_work.map(|(device, window)| place(device, window)).collect();
        places.sort_unstable_by_key(|place| (place.window, place.device));
        places
    }

    /// What the used GPUs did in the aggregated iterations, summed up.
    #[must_use]
    pub fn used_gpu_time(&self) -> &GpuTime {
        self.figures.used_gpu_time.get_or_init(|| {
            let times = self.gpu_times();
            let mut sum = GpuTime::default();
            (0..times.windows()).for_each(|window| sum.merge(&times.of_used(window)));
            sum
        })
    }

    /// What the time of each aggregated iteration went to.
    #[must_use]
    pub fn steps(&self) -> Vec<Step> {
        let windows = self.windows();
        let times = self.gpu_times();
        let (reader, os_io, on_cpu) = self.look(|facts| {
            let on_cpu = cpu_communication(facts, &windows);
            (reader_cost(facts, &windows), os_read_time(facts, &windows), on_cpu)
        });
        let step = |(window, &calls): (usize, &WindowCalls)| Step {
            window,
            length_ns: windows[window].length(),
            classes: times
                .classes(window)
                .filter(|_| self.knows_gpu_work_in(self.iteration_of_window(window))),
            calls,
            reader_cost_ns: reader.as_ref().map(|reader| reader.by_window[window]),
            os_io_ns: os_io.as_ref().map(|times| times[window]),
            cpu_communication_ns: on_cpu.as_ref().map(|times| times[window]),
        };
        self.window_calls().iter().enumerate().map(step).collect()
    }

    /// Whether the capture has ranges that load data, in the aggregated iterations or elsewhere.
    #[must_use]
    pub fn has_loading_ranges(&self) -> bool {
        self.look(|facts| {
            let texts = ids::all::<RangeTextId>(facts.activity().ranges.texts.len());
            texts.into_iter().any(|text| facts.range_class(text).opens == Some(Cause::DataLoading))
        })
    }

    /// Copies and memsets that start in the aggregated iterations, by kind, memory and mode.
    #[must_use]
    pub fn copies(&self) -> Vec<CopyGroup> {
        self.look(|facts| copies(facts, self.window(), |_| true))
    }

    /// Copies and memsets that start in the aggregated iterations, one by one in order of their start on the GPU.
    #[must_use]
    pub(crate) fn transfers(&self) -> Vec<Transfer> {
        let mut found: Vec<Transfer> = self.look(|facts| transfers(facts, self.window(), |_| true).collect());
        let work = &self.capture.work;
        found.sort_by_key(|transfer| {
            let Transfer { work: item, kind, .. } = *transfer;
            (work.span[item], work.device[item], work.stream[item], kind, work.correlation[item], item)
        });
        found
    }

    /// Calls that start in the aggregated iterations, of the classes that a step should rarely make, by class and function.
    #[must_use]
    pub fn host_calls(&self) -> Vec<FunctionCalls> {
        self.look(|facts| calls_by_function(facts, whole_range(&self.call_windows()), &LISTED_CLASSES))
    }
}
