//! Where the time of an iteration goes, and why GPUs idle in it.

use super::Basis;
use super::tiles::counted;
use crate::text::shorten;
use dlprof_core::base::ratios::{count_to_f64, percent};
use dlprof_core::base::time::Ns;
use dlprof_core::capture::classified::Cause;
pub use dlprof_core::figures::activity::StepClass;
use dlprof_core::figures::activity::{GpuTime, IdleRange, StepClasses};
use dlprof_core::figures::profile::{Profile, RangeFamily};
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
    /// Why GPUs idled, most time first, without causes that took no time.
    pub idle: Vec<IdleRow>,
}

/// A class with its time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct StepPart {
    /// The class.
    pub class: StepClass,
    /// Its time in nanoseconds.
    pub ns: f64,
    /// Of it, time in which the GPU works; in the rest it waits.
    pub working_ns: f64,
    /// Share of the iteration.
    pub percent: f64,
}

/// A cause of idle time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IdleRow {
    /// The word of table `idle_causes`.
    pub cause: &'static str,
    /// The words for people; of `host_range` with the range that has most of the time, if it has a tenth of it or more.
    pub words: String,
    /// The class of the step that it counts to.
    pub class: StepClass,
    /// Its time in nanoseconds.
    pub ns: f64,
    /// Share of the idle time.
    pub percent: f64,
}

/// Where the time goes; `None` without kernel records or a used GPU, or where the window is empty.
pub(super) fn step(profile: &Profile, basis: Basis) -> Option<Step> {
    if !profile.has_kernel_records() {
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
        ns: basis.each(classes.of_class(class)),
        working_ns: per_gpu(working(class, &sum)),
        percent: percent(classes.of_class(class), classes.length_ns),
    };
    Some(Step {
        length_ns: basis.each(classes.length_ns),
        busy_ns: per_gpu(sum.busy_ns),
        idle_ns: per_gpu(sum.idle_ns()),
        classes: StepClass::ALL.into_iter().map(part).collect(),
        idle: idle(&sum, || profile.families_of(idle_ranges(profile)), per_gpu),
    })
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
        words: label(cause, &ranges, ns),
        class: cause.class(),
        ns: per_gpu(ns),
        percent: percent(ns, sum.idle_ns()),
    };
    let mut causes: Vec<(Cause, Ns)> = sum.idle.causes().collect();
    causes.sort_by_key(|&(cause, ns)| (std::cmp::Reverse(ns), cause));
    causes.into_iter().map(row).collect()
}

/// Words of a cause of idle time, and of `host_range` the range that has most of it, if it has a tenth or more; ranges whose
/// texts differ in numbers alone are one. The time beside the words is that of the cause: they say whether most of it is in the
/// range.
fn label(cause: Cause, ranges: &[RangeFamily], ns: Ns) -> String {
    let most = ranges.first().filter(|range| cause == Cause::HostRange && 10 * range.time_ns >= ns);
    match most {
        Some(range) => {
            let part = if 2 * range.time_ns >= ns { "most in" } else { "longest in" };
            format!("{}, {part} `{}`", cause.words(), shorten(&range.name, MOST_LETTERS))
        }
        None => cause.words().to_owned(),
    }
}

/// Names of ranges are cut to this.
const MOST_LETTERS: usize = 28;

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
    #[test]
    fn every_cause_counts_to_the_class_that_core_puts_it_in() {
        use dlprof_core::figures::profile::ProfileSettings;
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/sample.sqlite");
        let capture = dlprof_core::Capture::read(path.as_ref(), &dlprof_core::ReadOptions::default());
        let index = capture.expect("the sample").index(&dlprof_core::KeyNodeChoice::Find).expect("an index");
        let range = dlprof_core::RangeChoice::default();
        let profile = index.profile_with(&range, &ProfileSettings::default()).expect("a profile");
        let step = step(&profile, Basis::of(&profile)).expect("GPU work");
        let near = |a: f64, b: f64| (a - b).abs() < 10.0;
        for part in &step.classes {
            let waiting: f64 = step.idle.iter().filter(|row| row.class == part.class).map(|row| row.ns).sum();
            assert!(near(part.ns, part.working_ns + waiting), "{part:?}: {waiting} ns of waiting");
        }
        assert!(near(step.classes.iter().map(|part| part.ns).sum(), step.length_ns));
        assert!(near(step.idle.iter().map(|row| row.ns).sum(), step.idle_ns));
        assert!(near(step.busy_ns + step.idle_ns, step.length_ns));
    }
}
