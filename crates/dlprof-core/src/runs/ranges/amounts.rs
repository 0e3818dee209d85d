//! What a range of iterations holds, by subject and name, as sums over the range.

use super::RangeSubject;
use crate::base::time::Ns;
use crate::capture::CaptureContents;
use crate::capture::names::ApiClass;
use crate::figures::activity::{GpuTime, LONG_GAP_NS, LongGap, StepClasses, calls_by_function, whole_range};
use crate::figures::profile::Clock;
use crate::figures::profile::Profile;
use crate::replay::{PathPart, Replay};
use std::collections::BTreeMap;

/// A sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Amount {
    /// Number of calls, launches or gaps; `None` where nothing is counted.
    pub(super) calls: Option<u64>,
    /// Their time.
    pub(super) ns: Ns,
}

/// Sums by name.
pub(super) type ByName = BTreeMap<String, Amount>;

/// The sums of a range.
pub(super) struct Amounts {
    by_subject: [ByName; RangeSubject::ALL.len()],
}

impl Amounts {
    pub(super) fn of_profile(profile: &Profile) -> Self {
        // What the host does while an iteration runs on the GPU launches others, too.
        let is_of_gpu = profile.summary.clock == Clock::Gpu;
        let sums = |subject| match subject {
            RangeSubject::ApiCalls | RangeSubject::OsCalls if is_of_gpu => ByName::new(),
            RangeSubject::Classes => classes(profile),
            RangeSubject::CriticalPath => critical_path(profile),
            RangeSubject::IdleCauses => idle_causes(profile),
            RangeSubject::Ops => ops(profile),
            RangeSubject::Kernels => kernels(profile),
            RangeSubject::ApiCalls => api_calls(profile),
            RangeSubject::OsCalls => os_calls(profile),
            RangeSubject::Gaps => gaps(profile),
        };
        Self { by_subject: RangeSubject::ALL.map(sums) }
    }

    pub(super) fn of(&self, subject: RangeSubject) -> &ByName {
        &self.by_subject[subject as usize]
    }
}

fn add(sums: &mut ByName, name: &str, ns: Ns) {
    if let Some(sum) = sums.get_mut(name) {
        sum.calls = sum.calls.map(|calls| calls + 1);
        sum.ns = sum.ns.saturating_add(ns);
    } else {
        sums.insert(name.to_owned(), Amount { calls: Some(1), ns });
    }
}

/// The classes of the windows; none without a used GPU.
fn classes(profile: &Profile) -> ByName {
    let times = profile.gpu_times();
    let mut sum: Option<StepClasses> = None;
    for window in 0..profile.iterations.range().len() {
        if let Some(step) = times.classes(window) {
            sum.get_or_insert_default().merge(&step);
        }
    }
    let Some(sum) = sum else { return ByName::new() };
    let classes = [
        ("gpu", sum.gpu_ns),
        ("communication", sum.communication_ns),
        ("copy", sum.copy_ns),
        ("input", sum.input_ns),
        ("cpu", sum.cpu_ns),
        ("sync", sum.sync_ns),
        ("other", sum.other_ns),
    ];
    classes.into_iter().map(|(class, ns)| (class.to_owned(), Amount { calls: None, ns })).collect()
}

fn idle_causes(profile: &Profile) -> ByName {
    let times = profile.gpu_times();
    let mut sum = GpuTime::default();
    (0..times.windows()).for_each(|window| sum.merge(&times.of_used(window)));
    let gpus = Ns::try_from(times.used_gpus().max(1)).unwrap_or(Ns::MAX);
    let causes = sum.idle.causes();
    causes.map(|(cause, ns)| (cause.as_str().to_owned(), Amount { calls: None, ns: ns / gpus })).collect()
}

/// Ops by name and ID, because several ops may have one name.
fn ops(profile: &Profile) -> ByName {
    let amount = |op: &crate::figures::profile::OpStats| {
        let name = format!("{} [{}]", profile.op_name(op.op), profile.op_id(op.op));
        (name, Amount { calls: Some(op.times.gpu.count), ns: op.times.gpu.sum })
    };
    profile.op_stats.iter().map(amount).collect()
}

fn kernels(profile: &Profile) -> ByName {
    let text = |name| profile.capture.strings.get(name).to_owned();
    let kernels = profile.kernel_names().iter();
    kernels
        .map(|kernel| (text(kernel.name), Amount { calls: Some(kernel.calls), ns: kernel.gpu_time_ns }))
        .collect()
}

/// What held the iterations up, in a replay of them; none where too little of it is explained.
fn critical_path(profile: &Profile) -> ByName {
    let iterations = Ns::from(profile.iterations.aggregated());
    let parts = Replay::for_savings(profile).filter(Replay::is_explained).map_or_else(Vec::new, |replay| {
        let (path, iteration_ns) = (replay.critical_path(), replay.step_ns());
        let amount = |part: &PathPart| {
            let class = part.class.words();
            let name = match part.name.as_str() {
                "" => class,
                name => format!("{class}: {name}"),
            };
            (name, Amount { calls: None, ns: path.time_in(part, iteration_ns).saturating_mul(iterations) })
        };
        path.parts.iter().map(amount).collect()
    });
    parts.into_iter().collect()
}

fn api_calls(profile: &Profile) -> ByName {
    let range = whole_range(&profile.call_windows());
    let rows = profile.look(|facts| calls_by_function(facts, range, &ApiClass::ALL));
    let text = |name| profile.capture.strings.get(name).to_owned();
    rows.iter()
        .map(|row| (text(row.function), Amount { calls: Some(row.sum.calls), ns: row.sum.time_ns }))
        .collect()
}

fn os_calls(profile: &Profile) -> ByName {
    let mut sums = ByName::new();
    let Some(calls) = &profile.capture.host.os_calls else { return sums };
    let range = whole_range(&profile.call_windows());
    for (at, span) in calls.span.iter().enumerate() {
        let is_outermost = calls.nesting.get(at).is_none_or(|&nesting| nesting == 0);
        if is_outermost && (range.start..range.end).contains(&span.start) {
            add(&mut sums, profile.capture.strings.get(calls.name[at]), span.length());
        }
    }
    sums
}

fn gaps(profile: &Profile) -> ByName {
    let mut sums = ByName::new();
    for gap in profile.long_gaps().inside(profile.window(), LONG_GAP_NS) {
        add(&mut sums, &gap_name(&profile.capture, &gap), gap.span.length());
    }
    sums
}

/// The cause of a gap, and the work that ended it.
fn gap_name(capture: &CaptureContents, gap: &LongGap) -> String {
    let ended_by = capture.work_name(gap.ended_by);
    format!("{} before {ended_by}", gap.cause.as_str())
}
