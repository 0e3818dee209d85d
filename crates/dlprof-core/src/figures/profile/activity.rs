//! Why GPUs idled and how work was launched, over the aggregated iterations or the whole capture.
//!
//! Nothing of it is computed before a table asks for it. What several tables ask for is kept in the profile.

use super::ProfileContents;
use super::iteration_figures::{FigureChoice, IterationFigures};
use crate::base::ids::{DeviceId, StrId, ThreadId, WorkId};
use crate::base::time::Ns;
use crate::capture::classified::{
    Activity, Attribution, AttributionTotal, Attributions, Cause, Classified, attribution_totals,
    attributions, is_own, joins_none,
};
use crate::capture::names::{ApiClass, range_in_words};
use crate::columns::{Buffer, Texts};
use crate::figures::activity::{
    CallSum, CopyGroup, FunctionCalls, GpuTime, GpuTimes, IdleHost, IdleRange, LISTED_CLASSES, Launch,
    LaunchStats, LongGaps, StepClasses, ThreadLaunches, UnexplainedHost, WindowCalls, calls_by_function,
    copies, idle_host, launch_stats, launches_by_thread, os_read_time, reader_cost, start_delay,
    start_delays, unexplained_times, waiting_times, whole_range,
};
use crate::steps::index::MOST_ROWS_OF_WORK;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// Figures that several tables, or many cells, ask for.
#[derive(Debug, Default)]
pub(super) struct ActivityFigures {
    of_iterations: OnceLock<Arc<IterationFigures>>,
    gpu_times: OnceLock<GpuTimes>,
    idle_host: OnceLock<IdleHost>,
    unexplained_host: OnceLock<UnexplainedHost>,
    idle_ranges: OnceLock<Vec<IdleRange>>,
    used_gpu_time: OnceLock<GpuTime>,
    start_delays: OnceLock<Buffer<Ns>>,
    attributions: OnceLock<Attributions>,
    /// So many kernels were looked at one by one.
    single: AtomicUsize,
}

/// The first rows of a table need few kernels: as long as fewer than this part of the kernels were asked for, each is looked at
/// by itself. After that all are looked at in one pass. Both ways give the same figures.
const SINGLE_OF: usize = 1024;

/// So many pairs of GPUs and iterations are listed in any case; beyond that, so many for each piece of GPU work as figures may
/// have.
const MOST_PAIRS: u64 = 100_000;

impl ActivityFigures {
    /// Those of all iterations, once something has asked for them.
    pub(super) fn of_iterations(&self) -> Option<&Arc<IterationFigures>> {
        self.of_iterations.get()
    }

    fn is_single(&self, kernels: usize) -> bool {
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

/// Idle time of a GPU by cause: a row of table `idle_causes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdleCause {
    /// The iteration and the GPU.
    pub place: DeviceWindow,
    /// The cause.
    pub cause: Cause,
    /// The time; above 0.
    pub time_ns: Ns,
    /// Of cause `host_range`: the range with most of this time, and its part; else `None`.
    pub range: Option<RangeTime>,
}

/// A range of the host in which GPUs idled: a row of table `idle_ranges`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RangeTime {
    /// Its text.
    pub text: StrId,
    /// The idle time that is owed to it.
    pub time_ns: Ns,
}

/// Ranges of the host whose texts differ in numbers or one letter alone, and the idle time that is owed to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RangeFamily {
    /// The text in which every number is `#`, or what differs at the end is `*`; of a single text the text itself. Of a marker of
    /// DLProf the op.
    pub name: String,
    /// Number of their texts.
    pub texts: u64,
    /// The idle time of all of them.
    pub time_ns: Ns,
}

impl RangeFamily {
    /// Puts ranges together whose texts differ in numbers alone, or, if three or more do, in the last letter of a short word
    /// alone; those with most time first.
    pub(crate) fn of(strings: &Texts, ranges: &[RangeTime]) -> Vec<Self> {
        let mut families: BTreeMap<String, Self> = BTreeMap::new();
        for range in ranges {
            let text = range_in_words(strings.get(range.text));
            let folded = without_numbers(text);
            let first = || Self { name: text.to_owned(), texts: 0, time_ns: 0 };
            let family = families.entry(folded.clone()).or_insert_with(first);
            family.texts += 1;
            family.time_ns += range.time_ns;
            if family.texts > 1 {
                family.name = folded;
            }
        }
        let mut by_stem: BTreeMap<String, Vec<Self>> = BTreeMap::new();
        for (folded, family) in families {
            let key = stem(&folded).map_or_else(|| format!("{folded}\n"), str::to_owned);
            by_stem.entry(key).or_default().push(family);
        }
        let fold = |(stem, families): (String, Vec<Self>)| match families.len() {
            FEWEST_OF_STEM.. => {
                let time_ns = families.iter().map(|family| family.time_ns).sum();
                let texts = families.iter().map(|family| family.texts).sum();
                vec![Self { name: format!("{stem}*"), texts, time_ns }]
            }
            _ => families,
        };
        let mut families: Vec<Self> = by_stem.into_iter().flat_map(fold).collect();
        families.sort_by(|a, b| b.time_ns.cmp(&a.time_ns).then_with(|| a.name.cmp(&b.name)));
        families
    }
}

/// So many texts that share a stem are one family.
const FEWEST_OF_STEM: usize = 3;

/// A text without the last letter of a last word of one or two letters, which tells its instances apart, as in `load_wq` and
/// `load_wk`; `None` of other texts.
fn stem(text: &str) -> Option<&str> {
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '#';
    let before = text.trim_end_matches(is_letter);
    let word = &text[before.len()..];
    let (last, _) = word.char_indices().next_back()?;
    (!before.is_empty() && word.chars().count() <= 2).then(|| &text[..before.len() + last])
}

/// A text with `#` for every number; digits in front of a letter are part of a word, as in `conv2d`.
pub(crate) fn without_numbers(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let (before, from) = rest.split_at(at);
        let digits = from.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(from.len());
        let (number, behind) = from.split_at(digits);
        folded.push_str(before);
        folded.push_str(if behind.starts_with(char::is_alphabetic) { number } else { "#" });
        rest = behind;
    }
    folded + rest
}

/// Idle time of a cause over all aggregated iterations and used GPUs: a row of table `idle_totals`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdleTotal {
    /// The cause.
    pub cause: Cause,
    /// The time, summed over iterations and GPUs; above 0.
    pub time_ns: Ns,
    /// The part of it that is work done once.
    pub once: OnceTime,
    /// Of cause `host_range`: the family of ranges with most of this time, and its part; else `None`.
    pub range: Option<RangeFamily>,
}

/// Idle time of work that is done once, such as loading code.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OnceTime {
    /// The time.
    pub ns: Ns,
    /// The length of the iterations in which it was looked for, summed over the used GPUs.
    pub of_ns: Ns,
}

/// What the time of an aggregated iteration went to: a row of table `steps`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The place of the iteration among the aggregated ones.
    pub window: usize,
    /// Length of the iteration.
    pub length_ns: Ns,
    /// Its time by class; `None` if no GPU was used.
    pub classes: Option<StepClasses>,
    /// The API calls that start in it.
    pub calls: WindowCalls,
    /// Time in ranges that load data; `None` if there are none in the aggregated iterations.
    pub reader_cost_ns: Option<Ns>,
    /// Time in calls that read; `None` if the capture has no table of such calls.
    pub os_io_ns: Option<Ns>,
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

    fn iteration_figures(&self) -> &IterationFigures {
        self.iteration_figures_by(|compute| self.look(compute))
    }

    /// The aggregated iterations as places among all.
    fn places(&self) -> Range<usize> {
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
        let pairs = (devices as u64).saturating_mul(windows as u64);
        let work = self.capture.work.span.len() as u64;
        if pairs <= MOST_PAIRS.max(work.saturating_mul(MOST_ROWS_OF_WORK)) {
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

    /// Idle time by aggregated iteration, GPU and cause, in this order.
    #[must_use]
    pub fn idle_causes(&self) -> Vec<IdleCause> {
        let times = self.gpu_times();
        let range_of = |place: DeviceWindow| {
            let ranges = self.idle_ranges();
            let first =
                ranges.partition_point(|range| (range.window, range.device) < (place.window, place.device));
            let range = ranges.get(first)?;
            let is_here = (range.window, range.device) == (place.window, place.device);
            is_here.then_some(RangeTime { text: range.text, time_ns: range.time_ns })
        };
        let of_place = |place: DeviceWindow| {
            let idle = times.at(place.device.index(), place.window).idle;
            let row = |(cause, time_ns)| {
                let range = (cause == Cause::HostRange).then(|| range_of(place)).flatten();
                IdleCause { place, cause, time_ns, range }
            };
            idle.causes().map(row).collect::<Vec<_>>()
        };
        self.device_windows().into_iter().flat_map(of_place).collect()
    }

    /// Idle time of the cause `host_range` by range of the host, in order of window and GPU, those with most time first.
    #[must_use]
    pub fn idle_ranges(&self) -> &[IdleRange] {
        let ranges = || self.iteration_figures().gpus.ranges.of_windows(self.places());
        self.figures.idle_ranges.get_or_init(ranges)
    }

    /// In which ranges of the host GPUs idled, over those windows and GPUs that are wanted; ranges with most time first.
    #[must_use]
    pub(crate) fn idle_ranges_where(&self, is_wanted: impl Fn(&IdleRange) -> bool) -> Vec<RangeTime> {
        self.range_times(self.idle_ranges().iter().filter(|range| is_wanted(range)))
    }

    /// By range, most time first.
    fn range_times<'a>(&self, idle: impl Iterator<Item = &'a IdleRange>) -> Vec<RangeTime> {
        let mut sums: BTreeMap<StrId, Ns> = BTreeMap::new();
        for range in idle {
            *sums.entry(range.text).or_default() += range.time_ns;
        }
        let mut ranges: Vec<RangeTime> =
            sums.into_iter().map(|(text, time_ns)| RangeTime { text, time_ns }).collect();
        let strings = &self.capture.strings;
        ranges.sort_by(|a, b| {
            b.time_ns.cmp(&a.time_ns).then_with(|| strings.get(a.text).cmp(strings.get(b.text)))
        });
        ranges
    }

    /// The ranges of some of [`Self::idle_ranges`], those together whose texts differ in numbers alone; most time first.
    #[must_use]
    pub fn families_of<'a>(&self, idle: impl Iterator<Item = &'a IdleRange>) -> Vec<RangeFamily> {
        RangeFamily::of(&self.capture.strings, &self.range_times(idle))
    }

    /// Idle time of the used GPUs over the aggregated iterations by cause, most first; `once` says how much of a cause is work
    /// done once.
    #[must_use]
    pub fn idle_totals(&self, once: impl Fn(Cause) -> OnceTime) -> Vec<IdleTotal> {
        let row = |(cause, time_ns)| {
            let range =
                (cause == Cause::HostRange).then(|| self.idle_range_totals().into_iter().next()).flatten();
            IdleTotal { cause, time_ns, once: once(cause), range }
        };
        let mut rows: Vec<IdleTotal> = self.used_gpu_time().idle.causes().map(row).collect();
        // Equal times keep the order of causes.
        rows.sort_by_key(|row| std::cmp::Reverse(row.time_ns));
        rows
    }

    /// Idle time of the cause `host_range` over the aggregated iterations and the used GPUs by family of ranges, most first.
    #[must_use]
    pub fn idle_range_totals(&self) -> Vec<RangeFamily> {
        self.families_of(self.idle_ranges().iter())
    }

    /// What the time of each aggregated iteration went to.
    #[must_use]
    pub fn steps(&self) -> Vec<Step> {
        let windows = self.windows();
        let times = self.gpu_times();
        let (reader, os_io) =
            self.look(|facts| (reader_cost(facts, &windows), os_read_time(facts, &windows)));
        let step = |(window, &calls): (usize, &WindowCalls)| Step {
            window,
            length_ns: windows[window].length(),
            classes: times.classes(window),
            calls,
            reader_cost_ns: reader.as_ref().map(|reader| reader.by_window[window]),
            os_io_ns: os_io.as_ref().map(|times| times[window]),
        };
        self.window_calls().iter().enumerate().map(step).collect()
    }

    /// Copies and memsets that start in the aggregated iterations, by kind, memory and mode.
    #[must_use]
    pub fn copies(&self) -> Vec<CopyGroup> {
        self.look(|facts| copies(facts, self.window(), |_| true))
    }

    /// Calls that start in the aggregated iterations, of the classes that a step should rarely make, by class and function.
    #[must_use]
    pub fn host_calls(&self) -> Vec<FunctionCalls> {
        self.look(|facts| calls_by_function(facts, whole_range(&self.call_windows()), &LISTED_CLASSES))
    }

    /// Launch calls of the whole capture by thread, without threads that launch nothing.
    #[must_use]
    pub fn thread_launches(&self) -> Vec<(ThreadId, ThreadLaunches)> {
        let threads = self.look(launches_by_thread).into_iter().enumerate();
        let launching = threads.filter(|(_, launches)| launches.sum.calls > 0);
        launching.map(|(thread, launches)| (ThreadId::new(thread), launches)).collect()
    }

    /// Whether calls of CUDA are recorded, and none of them launches a kernel: GPUs ran none, and no record is missing.
    #[must_use]
    pub fn launches_nothing(&self) -> bool {
        !self.capture.api_calls.is_empty() && !self.has_kernel_records() && self.thread_launches().is_empty()
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

    /// What the threads did for which GPUs idled in the aggregated iterations while neither a call nor a range says what they do:
    /// [`Self::idle_host`] of this time alone, and what was recorded around it.
    #[must_use]
    pub(crate) fn unexplained_host(&self) -> &UnexplainedHost {
        let windows = self.windows();
        let host = &self.capture.host;
        let compute =
            || self.look(|facts| UnexplainedHost::of(facts, &unexplained_times(facts, &windows), host));
        self.figures.unexplained_host.get_or_init(compute)
    }

    /// What the host did while GPUs waited for it in the aggregated iterations.
    #[must_use]
    pub fn idle_host(&self) -> &IdleHost {
        let windows = self.windows();
        let host = &self.capture.host;
        let compute = || self.look(|facts| idle_host(facts, &waiting_times(facts, &windows), host));
        self.figures.idle_host.get_or_init(compute)
    }
}

#[cfg(test)]
mod tests {
    use super::{RangeFamily, RangeTime, without_numbers};
    use crate::columns::{StringPool, Texts};

    #[test]
    fn texts_that_differ_in_the_last_letter_of_a_short_word_are_one_family() {
        let mut strings = StringPool::default();
        let families = |strings: &mut StringPool, texts: &[&str]| {
            let time = |text: &&str| RangeTime { text: strings.intern(text), time_ns: 10 };
            let ranges: Vec<RangeTime> = texts.iter().map(time).collect();
            let families = RangeFamily::of(&Texts::from(&*strings), &ranges);
            families.into_iter().map(|family| (family.name, family.time_ns)).collect::<Vec<_>>()
        };
        let family = |name: &str, time_ns| (name.to_owned(), time_ns);
        let loads = ["load_wq", "load_w1", "load_w2", "load_wk", "get_wq", "get_wk", "io 1", "io 2", "log"];
        let expected = [
            family("load_w*", 40),
            family("io #", 20),
            family("get_wk", 10),
            family("get_wq", 10),
            family("log", 10),
        ];
        assert_eq!(families(&mut strings, &loads), expected);
        let numbers = ["w 1", "w 2", "w 3"];
        assert_eq!(families(&mut strings, &numbers), [family("w #", 30)]);
        let words = ["op_add", "op_adc", "op_adb"];
        assert_eq!(families(&mut strings, &words).len(), 3);
    }

    #[test]
    fn texts_that_differ_in_numbers_alone_are_one_family() {
        let pairs = [
            ("IO 190", "IO #"),
            ("h2d_w2", "h2d_w#"),
            ("Step 10 to 20", "Step # to #"),
            ("log", "log"),
            ("7", "#"),
        ];
        for (text, family) in pairs {
            assert_eq!(without_numbers(text), family);
        }
    }
}
