//! Where the time of an iteration goes, and why GPUs idle in it.

use super::tiles::counted;
use super::{Basis, Missing};
use crate::display::percentage;
pub(crate) use dlprof_core::StepClass;
use dlprof_core::{
    Cause, GpuTime, IdleRange, Judged, Ns, Profile, RangeFamily, StepClasses, count_to_f64, percent,
};
use serde::Serialize;

/// Where the time of an iteration goes, averaged over the used GPUs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Step {
    /// Average length in nanoseconds. The classes add up to it.
    pub length_ns: f64,
    /// Of it, time with any GPU work running.
    pub busy_ns: f64,
    /// The rest. The causes add up to it.
    pub idle_ns: f64,
    /// The seven classes, always in the same order.
    pub classes: Vec<StepPart>,
    /// Of the class `other`, time in which the program is known to compute on the CPU by samples or scheduling.
    pub computing_ns: f64,
    /// Why GPUs idled, most time first, without causes that took no time.
    pub idle: Vec<IdleRow>,
}

/// A class with its time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct StepPart {
    /// The class.
    pub class: StepClass,
    /// The words for people.
    pub words: &'static str,
    /// Its time in nanoseconds.
    pub ns: f64,
    /// Of it, time in which the GPU works; in the rest it waits.
    pub working_ns: f64,
    /// Share of the iteration.
    pub percent: f64,
    /// Whether records would show such time, so that none is known to be none.
    pub is_seen: bool,
}

impl Step {
    /// Marks the classes that nothing recorded would show.
    pub(super) fn mark_unseen(&mut self, judged: &Judged, missing: &[Missing]) {
        let lacks = |figure: &str| missing.iter().any(|one| one.figure == figure);
        let calls_are_missing = judged.capture.api_calls.is_empty();
        for part in &mut self.classes {
            part.is_seen = !match part.class {
                StepClass::Gpu => lacks("gpu"),
                StepClass::Communication => lacks("graphs") || lacks("kernel_kinds"),
                StepClass::Copy | StepClass::Cpu | StepClass::Sync => lacks("graphs") || calls_are_missing,
                StepClass::Input => lacks("input") || calls_are_missing,
                StepClass::Other => lacks("graphs"),
            };
        }
    }

    /// The classes that are known to take no time.
    pub(crate) fn absent(&self) -> impl Iterator<Item = &'static str> {
        self.classes.iter().filter(|part| part.ns <= 0.0 && part.is_seen).map(|part| part.words)
    }
}

impl StepPart {
    /// Of its time, that in which the GPU idles.
    pub(crate) fn waits_ns(&self) -> f64 {
        (self.ns - self.working_ns).max(0.0)
    }
}

/// A cause of idle time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IdleRow {
    /// The word of table `idle_causes`.
    pub cause: &'static str,
    /// The words for people.
    pub words: &'static str,
    /// Of `host_range` the ranges with most of the time, up to three that have a tenth of it or more each; most first.
    pub ranges: Vec<RangeRow>,
    /// The class of the step that it counts to.
    pub class: StepClass,
    /// Its time in nanoseconds.
    pub ns: f64,
    /// Share of the idle time.
    pub percent: f64,
}

/// A part of the idle time that is owed to a range of the host.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RangeRow {
    /// Its text; ranges whose texts differ in numbers alone are one.
    pub name: String,
    /// Its time in nanoseconds.
    pub ns: f64,
    /// Share of the idle time, as that of its cause.
    pub percent: f64,
}

impl IdleRow {
    /// The words, and what part of the idle time is owed to the range with most of it.
    pub(crate) fn with_range(&self) -> String {
        match self.ranges.first() {
            Some(range) => format!("{}, {} in `{}`", self.words, percentage(range.percent), range.name),
            None => self.words.to_owned(),
        }
    }
}

/// Where the time goes; `None` where it is not known when GPUs worked, without a used GPU, or where the window is empty.
pub(super) fn step(judged: &Judged, basis: Basis) -> Option<Step> {
    let profile = judged.profile();
    if !profile.knows_gpu_work() {
        return None;
    }
    let times = profile.gpu_times();
    let mut classes: Option<StepClasses> = None;
    let mut sum = GpuTime::default();
    for window in counted(&profile.iterations) {
        let step = times.classes(window)?;
        classes.get_or_insert_default().merge(&step);
        sum.merge(&times.of_used(window));
    }
    let classes = classes.filter(|classes| classes.length_ns > 0)?;
    let gpus = times.used_gpus() as u64;
    let per_gpu = |ns: Ns| basis.each(ns) / count_to_f64(gpus);
    let part = |class: StepClass| StepPart {
        class,
        words: dlprof_core::class_in_words(judged, class),
        ns: basis.each(classes.of_class(class)),
        working_ns: per_gpu(working(class, &sum)),
        percent: percent(classes.of_class(class), classes.length_ns),
        is_seen: true,
    };
    let mut causes = idle(&sum, || profile.families_of(idle_ranges(profile)), per_gpu);
    for cause in [Cause::Unknown, Cause::NoApiCall, Cause::Allocation] {
        rename(&mut causes, cause, dlprof_core::cause_in_words(judged, cause));
    }
    let length_ns = basis.each(classes.length_ns);
    Some(Step {
        length_ns,
        computing_ns: dlprof_core::computing_percent(judged)
            .map_or(0.0, |share| share / 100.0 * length_ns)
            .min(basis.each(classes.of_class(StepClass::Other))),
        busy_ns: per_gpu(sum.busy_ns),
        idle_ns: per_gpu(sum.idle_ns()),
        classes: StepClass::ALL.into_iter().map(part).collect(),
        idle: causes,
    })
}

/// Gives the row of a cause other words.
fn rename(causes: &mut [IdleRow], cause: Cause, words: &'static str) {
    causes.iter_mut().filter(|row| row.cause == cause.as_str()).for_each(|row| row.words = words);
}

/// Idle time by range of the host in the counted iterations.
pub(super) fn idle_ranges(profile: &Profile) -> impl Iterator<Item = &IdleRange> {
    let mut is_counted = vec![false; profile.iterations.range().len()];
    counted(&profile.iterations).for_each(|window| is_counted[window] = true);
    profile.idle_ranges().iter().filter(move |range| is_counted[range.window])
}

/// Why GPUs idled: a GPU, or all used ones. `ranges` says in which ranges of the host that was.
pub(super) fn idle(
    sum: &GpuTime,
    ranges: impl FnOnce() -> Vec<RangeFamily>,
    per_gpu: impl Fn(Ns) -> f64,
) -> Vec<IdleRow> {
    let has_ranges = percent(sum.idle.of(Cause::HostRange), sum.length_ns) >= LEAST_RANGE_PERCENT;
    let ranges = if has_ranges { ranges() } else { Vec::new() };
    let row = |(cause, ns): (Cause, Ns)| IdleRow {
        cause: cause.as_str(),
        words: cause.words(),
        ranges: if cause == Cause::HostRange { named(&ranges, ns, sum, &per_gpu) } else { Vec::new() },
        class: cause.class(),
        ns: per_gpu(ns),
        percent: percent(ns, sum.idle_ns()),
    };
    let mut causes: Vec<(Cause, Ns)> = sum.idle.causes().collect();
    causes.sort_by_key(|&(cause, ns)| (std::cmp::Reverse(ns), cause));
    causes.into_iter().map(row).collect()
}

/// The ranges that have most of the time of the cause `host_range`, with their own time.
fn named(
    ranges: &[RangeFamily],
    of_cause_ns: Ns,
    sum: &GpuTime,
    per_gpu: impl Fn(Ns) -> f64,
) -> Vec<RangeRow> {
    let large = ranges.iter().take(MOST_RANGES).filter(|range| 10 * range.time_ns >= of_cause_ns);
    let row = |range: &RangeFamily| RangeRow {
        name: range.name.clone(),
        ns: per_gpu(range.time_ns),
        percent: percent(range.time_ns, sum.idle_ns()),
    };
    large.map(row).collect()
}

/// How many ranges are named.
const MOST_RANGES: usize = 3;

/// Ranges of the host are named from this share of the time on.
const LEAST_RANGE_PERCENT: f64 = 0.5;

/// The part of the class in which the GPU works.
fn working(class: StepClass, sum: &GpuTime) -> Ns {
    match class {
        StepClass::Gpu => sum.compute_ns,
        StepClass::Communication => sum.exposed_communication_ns,
        StepClass::Copy => sum.exposed_copy_ns,
        StepClass::Input | StepClass::Cpu | StepClass::Sync | StepClass::Other => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The classes of idle time here are those by which core divides a step.
    /// Half of the time of a cause is in one family of ranges: it stands with its own time, and so does the next.
    #[test]
    fn ranges_stand_with_their_own_time() {
        let sum = GpuTime { length_ns: 1_000, ..GpuTime::default() };
        let family = |name: &str, time_ns| RangeFamily { name: name.to_owned(), texts: 3, time_ns };
        let families = [family("load_w*", 500), family("read #", 400), family("log", 90)];
        let ranges = named(&families, 1_000, &sum, |ns| count_to_f64(ns.unsigned_abs()));
        let shown: Vec<(&str, f64, f64)> =
            ranges.iter().map(|range| (&*range.name, range.ns, range.percent)).collect();
        assert_eq!(shown, [("load_w*", 500.0, 50.0), ("read #", 400.0, 40.0)]);
    }

    #[test]
    fn every_cause_counts_to_the_class_that_core_puts_it_in() {
        use dlprof_core::ProfileSettings;
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/sample.sqlite");
        let capture = dlprof_core::Capture::read(path.as_ref(), &dlprof_core::ReadOptions::default());
        let index = capture.expect("the sample").index(&dlprof_core::KeyNodeChoice::Find).expect("an index");
        let range = dlprof_core::RangeChoice::default();
        let profile = index.profile_with(&range, &ProfileSettings::default()).expect("a profile");
        let step = step(&profile.clone().into(), Basis::of(&profile)).expect("GPU work");
        let near = |a: f64, b: f64| (a - b).abs() < 10.0;
        for part in &step.classes {
            let waiting: f64 = step.idle.iter().filter(|row| row.class == part.class).map(|row| row.ns).sum();
            assert!(near(part.ns, part.working_ns + waiting), "{part:?}: {waiting} ns of waiting");
        }
        // The first range is the one that table `idle_ranges` lists first.
        let in_ranges = step.idle.iter().find(|row| row.cause == "host_range").expect("idle in ranges");
        assert_eq!(in_ranges.ranges[0].name, profile.idle_range_totals()[0].name);
        assert!(near(step.classes.iter().map(|part| part.ns).sum(), step.length_ns));
        assert!(near(step.idle.iter().map(|row| row.ns).sum(), step.idle_ns));
        assert!(near(step.busy_ns + step.idle_ns, step.length_ns));
    }
}
