//! Where the time of an iteration goes, and why GPUs idle in it.

use super::Basis;
use super::tiles::counted;
use dlprof_core::activity::{Cause, GpuTime, StepClasses};
use dlprof_core::profile::Profile;
use dlprof_core::ratios::{count_to_f64, percent};
use dlprof_core::time::Ns;
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

/// A class of a step's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StepClass {
    /// Kernels ran, or the GPU changed from one queued item to the next.
    Gpu,
    /// Exchange with other GPUs or processes that nothing hid.
    Communication,
    /// Copies that nothing hid.
    Copy,
    /// The GPU waited for input.
    Input,
    /// The GPU waited for the CPU.
    Cpu,
    /// The GPU waited because the CPU had waited for it.
    Sync,
    /// The rest.
    Other,
}

impl StepClass {
    /// All classes in the order of tables and bars.
    pub const ALL: [Self; 7] =
        [Self::Gpu, Self::Communication, Self::Copy, Self::Input, Self::Cpu, Self::Sync, Self::Other];

    /// The word for people.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Gpu => "GPU",
            Self::Communication => "communication",
            Self::Copy => "copy",
            Self::Input => "input",
            Self::Cpu => "CPU",
            Self::Sync => "sync",
            Self::Other => "other",
        }
    }

    /// The word in files for other tools.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Gpu => "gpu",
            Self::Communication => "communication",
            Self::Copy => "copy",
            Self::Input => "input",
            Self::Cpu => "cpu",
            Self::Sync => "sync",
            Self::Other => "other",
        }
    }

    /// The class that a cause of idle time counts to.
    #[must_use]
    pub fn of_cause(cause: Cause) -> Self {
        match cause {
            Cause::Turnaround => Self::Gpu,
            Cause::Communication => Self::Communication,
            Cause::Copy => Self::Copy,
            Cause::DataLoading | Cause::InputWait | Cause::Io => Self::Input,
            Cause::Launch
            | Cause::SlowLaunch
            | Cause::Allocation
            | Cause::Setup
            | Cause::Api
            | Cause::HostRange
            | Cause::HostIssue => Self::Cpu,
            Cause::Sync => Self::Sync,
            Cause::Unused
            | Cause::Edge
            | Cause::NoApiCall
            | Cause::Dependency
            | Cause::Stall
            | Cause::Profiler
            | Cause::OsCall
            | Cause::Unknown => Self::Other,
        }
    }

    /// The time of the class among all classes of a step.
    pub(crate) fn time(self, classes: &StepClasses) -> Ns {
        match self {
            Self::Gpu => classes.gpu_ns,
            Self::Communication => classes.communication_ns,
            Self::Copy => classes.copy_ns,
            Self::Input => classes.input_ns,
            Self::Cpu => classes.cpu_ns,
            Self::Sync => classes.sync_ns,
            Self::Other => classes.other_ns,
        }
    }

    /// The part of the class in which the GPU works.
    fn working(self, sum: &GpuTime) -> Ns {
        match self {
            Self::Gpu => sum.compute_ns,
            Self::Communication => sum.exposed_communication_ns,
            Self::Copy => sum.exposed_copy_ns,
            Self::Input | Self::Cpu | Self::Sync | Self::Other => 0,
        }
    }
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
    /// The words for people.
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
        let step = StepClasses::of(times.of_used(window))?;
        classes.get_or_insert_default().merge(&step);
        times.of_used(window).for_each(|row| sum.merge(row));
    }
    let classes = classes.filter(|classes| classes.length_ns > 0)?;
    let gpus = times.used().iter().filter(|&&used| used).count() as u64;
    let per_gpu = |ns: Ns| basis.each(ns) / count_to_f64(gpus);
    let part = |class: StepClass| StepPart {
        class,
        ns: basis.each(class.time(&classes)),
        working_ns: per_gpu(class.working(&sum)),
        percent: percent(class.time(&classes), classes.length_ns),
    };
    Some(Step {
        length_ns: basis.each(classes.length_ns),
        busy_ns: per_gpu(sum.busy_ns),
        idle_ns: per_gpu(sum.idle_ns()),
        classes: StepClass::ALL.into_iter().map(part).collect(),
        idle: idle(&sum, per_gpu),
    })
}

pub(super) fn idle(sum: &GpuTime, per_gpu: impl Fn(Ns) -> f64) -> Vec<IdleRow> {
    let row = |(cause, ns): (Cause, Ns)| IdleRow {
        cause: cause.as_str(),
        words: words(cause),
        class: StepClass::of_cause(cause),
        ns: per_gpu(ns),
        percent: percent(ns, sum.idle_ns()),
    };
    let mut causes: Vec<(Cause, Ns)> = sum.idle.causes().collect();
    causes.sort_by_key(|&(cause, ns)| (std::cmp::Reverse(ns), cause));
    causes.into_iter().map(row).collect()
}

/// A cause of idle time for people.
pub(crate) fn words(cause: Cause) -> String {
    match cause {
        Cause::NoApiCall => "no API call".to_owned(),
        Cause::Api => "other API call".to_owned(),
        Cause::Io => "I/O".to_owned(),
        Cause::InputWait => "waiting for input".to_owned(),
        Cause::OsCall => "OS call".to_owned(),
        Cause::HostIssue => "between launches".to_owned(),
        Cause::Edge => "before or after all work".to_owned(),
        Cause::Setup => "set-up".to_owned(),
        other => other.as_str().replace('_', " "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The classes of idle time here are those by which core divides a step.
    #[test]
    fn every_cause_counts_to_the_class_that_core_puts_it_in() {
        use dlprof_core::profile::ProfileSettings;
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
