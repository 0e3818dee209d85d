//! Kernels of algorithms that a framework tries, to choose the fastest.
//!
//! ```text
//! │ try A │check│ try B │ try B │check│ try C │check│ conv │ conv │      B and C are known to be tried
//! ```
//!
//! What runs between two kernels that check an algorithm is tried, and so is what [`timed_trials`] finds. Where the program itself
//! goes on in between, from one convolution to the next, or before the first check, only the first algorithm of the next one is:
//!
//! ```text
//! │check│ conv │ bias │ norm │ layout │ try D │check│      the last kernel that is no part of a convolution, and the change of
//!                                      └──────┘            layout behind it, belong to the program
//! ```
//!
//! These kernels are gone as soon as all algorithms are chosen, so rules that speak of the program's own kernels leave them out.

use super::timed_trials::{OF_CONVOLUTIONS, timed_trials};
use super::trial_spans::trial_spans;
use crate::base::ids::{DeviceId, Maybe, ThreadId, WorkId};
use crate::base::intervals::holds;
use crate::base::time::{Ns, Span, total};
use crate::capture::classified::Classified;
use crate::figures::kernel_kinds::kernel_class::KernelClass;
use crate::figures::profile::ProfileContents;
use std::collections::BTreeSet;
use std::ops::Range;

/// Kernels of algorithms that are tried, without those that check them.
#[derive(Debug, Default)]
pub(super) struct Tried {
    kernels: Vec<(WorkId, Ns)>,
    /// From the first kernel that checks an algorithm to the last.
    pub(super) checked: Option<Span>,
    /// By thread: when it tries algorithms, in order and apart.
    pub(super) spans: Vec<Vec<Span>>,
}

/// Some launches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Launches {
    /// Their number.
    pub(super) launches: u64,
    /// Plain sum of their durations.
    pub(super) time_ns: Ns,
}

impl Launches {
    /// These launches without some of them.
    pub(super) fn without(self, some: Self) -> Self {
        Self {
            launches: self.launches.saturating_sub(some.launches),
            time_ns: self.time_ns.saturating_sub(some.time_ns),
        }
    }

    fn sum(of: impl Iterator<Item = Ns>) -> Self {
        of.fold(Self::default(), |sum, ns| Self {
            launches: sum.launches + 1,
            time_ns: sum.time_ns.saturating_add(ns),
        })
    }
}

impl Tried {
    /// All of them.
    pub(super) fn all(&self) -> Launches {
        Launches::sum(self.kernels.iter().map(|&(_, ns)| ns))
    }

    /// Each of them with its duration.
    pub(super) fn kernels(&self) -> impl ExactSizeIterator<Item = (WorkId, Ns)> + '_ {
        self.kernels.iter().copied()
    }

    /// Those of a class.
    pub(super) fn of(&self, profile: &ProfileContents, class: KernelClass) -> Launches {
        let has_class = |&&(kernel, _): &&(WorkId, Ns)| profile.judge_kernel(kernel).classes.has(class);
        Launches::sum(self.kernels.iter().filter(has_class).map(|&(_, ns)| ns))
    }

    /// How long the thread tries algorithms that does so longest inside a span.
    pub(super) fn longest_ns(&self, inside: Span) -> Ns {
        let of_thread = |spans: &Vec<Span>| total(spans.iter().map(|span| span.clip(inside).length()));
        self.spans.iter().map(of_thread).max().unwrap_or(0)
    }

    /// Whether a thread tries algorithms at a time.
    pub(super) fn is_open(&self, thread: Maybe<ThreadId>, time: Ns) -> bool {
        let spans =
            thread.some().and_then(|thread| self.spans.get(thread.index())).map_or(&[][..], Vec::as_slice);
        holds(spans, time)
    }
}

/// A kernel: its GPU, when it ran, which one it is, and whether it checks an algorithm.
type Placed = (DeviceId, Span, WorkId, bool);

/// Of the kernels that some iterations launch: those of algorithms that are tried.
pub(super) fn tried(profile: &ProfileContents, facts: &Classified<'_>, places: &Range<usize>) -> Tried {
    let capture = &profile.capture;
    let mut kernels: Vec<Placed> = Vec::new();
    profile.for_each_kernel(places.clone(), |_, kernel| {
        let checks = profile.judge_kernel(kernel).classes.has(KernelClass::Autotuning);
        kernels.push((capture.work.device[kernel], capture.work.span[kernel], kernel, checks));
    });
    kernels.sort_unstable();
    let mut found: BTreeSet<WorkId> =
        timed_trials(profile, facts, kernels.iter().map(|&(_, _, kernel, _)| kernel)).into_iter().collect();
    for of_gpu in kernels.chunk_by(|a, b| a.0 == b.0) {
        let parts = of_gpu.split(|(.., checks)| *checks);
        // What comes after the last check is not tried.
        let last = of_gpu.iter().filter(|(.., checks)| *checks).count();
        for (at, part) in parts.take(last).enumerate() {
            let of_algorithm = match tried_last(profile, part) {
                Some(tried) => tried,
                None if at > 0 => part,
                // Whether all before the first check is its algorithm, nothing tells.
                None => &[],
            };
            found.extend(of_algorithm.iter().map(|&(_, _, kernel, _)| kernel));
        }
    }
    let with_time = |kernel: WorkId| (kernel, capture.work.span[kernel].length());
    let checks = || kernels.iter().filter(|(.., checks)| *checks);
    let checked = checks().map(|&(_, span, ..)| span);
    let of_trials = found.iter().copied().chain(checks().map(|&(_, _, kernel, _)| kernel));
    Tried {
        spans: trial_spans(facts, of_trials),
        kernels: found.into_iter().map(with_time).collect(),
        checked: checked.reduce(|all, one| Span::new(all.start.min(one.start), all.end.max(one.end))),
    }
}

/// Of the kernels before one that checks an algorithm: those of the algorithm, after the last that is no part of a convolution;
/// `None` where all could be.
fn tried_last<'a>(profile: &ProfileContents, between: &'a [Placed]) -> Option<&'a [Placed]> {
    let is = |class: KernelClass| {
        move |(_, _, kernel, _): &Placed| profile.judge_kernel(*kernel).classes.has(class)
    };
    let is_other = |placed: &Placed| !OF_CONVOLUTIONS.iter().any(|&class| is(class)(placed));
    let other = between.iter().rposition(is_other)?;
    let behind = &between[other + 1..];
    let layouts = behind.iter().take_while(|placed| is(KernelClass::Layout)(placed)).count();
    Some(&behind[layouts..])
}
