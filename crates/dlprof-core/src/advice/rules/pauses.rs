//! Pauses of the host: short ones of which there are few, and waits inside the iterations.
//!
//! ```text
//! launches   │││││││││││││││││││                  │││││││││││││││││││
//! GPU         ██████████████████████               █████████████████████
//! gaps                              ├── 600 µs ──┤                          one pause, no cost of launches
//! ```

use crate::advice::finding::{EvidenceKind, Finding};
use crate::advice::scene::{Scene, part};
use crate::advice::sentence::{Figure, Sentence};
use crate::base::ids::{StrId, ThreadId};
use crate::base::intervals::{covered_ns, union};
use crate::base::ratios::{count_to_f64, median, to_f64, whole};
use crate::base::time::{Ns, Span, total};
use crate::capture::classified::Cause;
use crate::capture::names::OsCallKind;
use crate::figures::activity::{LONG_GAP_NS, LongGap};
use crate::steps::index::DATALOADER;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Causes of gaps in which the host issues work or is on its way to it.
const OF_HOST: [Cause; 4] = [Cause::Launch, Cause::Api, Cause::HostRange, Cause::HostIssue];

/// One pause for so many launches or more is none of them.
const LAUNCHES_PER_PAUSE: u64 = 20;

/// Fewer pauses are not in each iteration; one that lies across the end of the last one is not among them.
const LEAST_PER_ITERATION: f64 = 0.95;

/// Waits that come so often in an iteration are inside of it.
const MANY_WAITS: f64 = 3.0;

/// Few pauses of the host that have most of the idle time in gaps under 1 ms.
pub(super) struct FewPauses {
    count: u64,
    middle_ns: Ns,
}

impl FewPauses {
    /// The pauses of three or more iterations, if gaps of 100 µs and more have three quarters of the idle time in gaps under 1 ms,
    /// and there are few of them beside the launches.
    pub(super) fn of(scene: &Scene<'_>, short_gaps_ns: Ns, launches: u64) -> Option<Self> {
        if scene.iterations < 3 {
            return None;
        }
        let long_gap_ns = scene.profile.settings().activity.thresholds.long_gap_ns;
        let is_pause = |gap: &&LongGap| gap.span.length() < long_gap_ns && OF_HOST.contains(&gap.cause);
        let gaps = scene.figures().gpus.gaps.inside(scene.span, LONG_GAP_NS);
        let lengths: Vec<Ns> = gaps.iter().filter(is_pause).map(|gap| gap.span.length()).collect();
        let count = lengths.len() as u64;
        let have_most = total(lengths.iter().copied()) >= part(short_gaps_ns, 0.75);
        let are_few = count > 0 && count.saturating_mul(LAUNCHES_PER_PAUSE) <= launches;
        (have_most && are_few).then(|| Self { count, middle_ns: median(lengths) })
    }

    /// What is said of them. Fewer launches would not make them shorter.
    pub(super) fn finding(&self, scene: &Scene<'_>, share: f64, gaps_ns: Ns) -> Finding {
        let gaps = |count: u64| match count {
            1 => "one gap".to_owned(),
            several => format!("{several} gaps"),
        };
        let of_each_gpu = count_to_f64(self.count) / count_to_f64(scene.used_gpus().max(1) as u64);
        let (count, of_how_many) = match of_each_gpu + 1.0 < LEAST_PER_ITERATION * f64::from(scene.iterations)
        {
            true => (self.count, Figure::Text(format!(" in {} iterations", scene.iterations))),
            false => {
                let each = scene.per_iteration(self.count) / count_to_f64(scene.used_gpus().max(1) as u64);
                (whole(each).max(1), scene.each())
            }
        };
        Finding::new(
            Sentence::new(
                "GPUs wait for the host {} of the time in gaps under 1 ms, most of it in {} of {}{}",
                vec![
                    Figure::Percent(share, 1),
                    Figure::Text(gaps(count)),
                    Figure::Time(to_f64(self.middle_ns)),
                    of_how_many,
                ],
            ),
            "See what the thread that launches does there, and take it off the path to the next launch. Do it on another thread, less \
             often, or while GPUs are busy; fewer launches would not help",
        )
        .count("pauses", self.count)
        .saves_at_most(gaps_ns, "All idle time in gaps under 1 ms in which the host issued work or was on its way to it")
    }
}

/// Waits of the thread that launches, inside the iterations rather than where one begins.
pub(super) struct WaitsInside {
    /// Their number in each iteration, of each GPU.
    each: f64,
    /// The share of the time that GPUs idle for them.
    share: f64,
    /// The function with most time of those that wait there.
    function: String,
}

impl WaitsInside {
    /// The waits, if they have more than half of the idle time for input, and GPUs idle for three or more of them in each
    /// iteration.
    pub(super) fn of(scene: &Scene<'_>, input_ns: Ns) -> Option<Self> {
        let waits_ns = scene.idle(&[Cause::InputWait]);
        if scene.iterations < 3 || 2 * waits_ns <= input_ns {
            return None;
        }
        let mut gaps = scene.figures().gpus.gaps.inside(scene.span, LONG_GAP_NS);
        gaps.retain(|gap| gap.cause == Cause::InputWait);
        let each = scene.per_iteration(gaps.len() as u64) / count_to_f64(scene.used_gpus().max(1) as u64);
        if each < MANY_WAITS {
            return None;
        }
        Some(Self { each, share: scene.share(waits_ns), function: awaited_in(scene, &gaps)? })
    }

    /// What is said of them.
    pub(super) fn finding(&self) -> Finding {
        Finding::new(
            Sentence::new(
                "GPUs idle {} of the time while the thread that launches waits, {} times per iteration, mostly in `{}`",
                vec![
                    Figure::Percent(self.share, 1),
                    Figure::Count(whole(self.each)),
                    Figure::Text(self.function.clone()),
                ],
            ),
            "Find out whom the thread waits for: a lock, a worker, another thread (`dlprof-agg show idle-functions` says who works \
             meanwhile); if it waits for input, load ahead",
        )
        .about(EvidenceKind::OsCall, [self.function.clone()])
    }
}

/// Functions in which a thread waits for another one of its program.
const OF_THREADS: [&str; 6] = [
    "pthread_mutex_",
    "pthread_cond_",
    "pthread_rwlock_",
    "pthread_spin_",
    "pthread_barrier_",
    "pthread_join",
];

/// The function in which the thread that launches mostly waits for another thread while GPUs idle, where that and no input is what
/// the class of input is about: no range loads data, files take less than a half, and the capture has no data loader.
pub(in crate::advice) fn waits_for_thread(scene: &Scene<'_>) -> Option<String> {
    let waits_ns = scene.idle(&[Cause::InputWait]);
    let input_ns = scene.idle(&[Cause::DataLoading, Cause::InputWait, Cause::Io]);
    let capture = &scene.profile.capture;
    let loads = capture.description.labels.iter().any(|label| label.op_type == DATALOADER);
    if waits_ns == 0 || 2 * waits_ns < input_ns || scene.idle(&[Cause::DataLoading]) > 0 || loads {
        return None;
    }
    // What it waits in while GPUs idle for something else tells nothing.
    let mut gaps = scene.figures().gpus.gaps.inside(scene.span, LONG_GAP_NS);
    gaps.retain(|gap| gap.cause == Cause::InputWait);
    awaited_in(scene, &gaps).filter(|longest| OF_THREADS.iter().any(|start| longest.starts_with(start)))
}

/// What is said of a share of the time in which it waits so.
pub(super) fn thread_awaited(share: f64, function: &str) -> Finding {
    Finding::new(
        Sentence::new(
            "GPUs idle {} of the time while the thread that launches waits or reads files, mostly in `{}`, in which it waits for \
             another thread of the program",
            vec![Figure::Percent(share, 1), Figure::Text(function.to_owned())],
        ),
        "Find out which thread holds it up: one that holds a lock, makes its work, or loads data (`dlprof-agg show idle-functions` says \
         who works meanwhile); if that loads data, load ahead",
    )
    .titled("The thread that launches waits for another thread")
    .about(EvidenceKind::OsCall, [function.to_owned()])
}

/// The function that waits longest on the threads that end some gaps, while these last.
fn awaited_in(scene: &Scene<'_>, gaps: &[LongGap]) -> Option<String> {
    let facts = scene.facts();
    let mut of_thread: BTreeMap<ThreadId, Vec<Span>> = BTreeMap::new();
    for gap in gaps {
        let thread = facts.call_of(gap.ended_by.index())?.thread.some()?;
        of_thread.entry(thread).or_default().push(gap.span);
    }
    // Several GPUs may wait for one thread at once.
    of_thread.values_mut().for_each(|spans| *spans = union(std::mem::take(spans)));
    let calls = facts.activity().host.os_calls.as_ref()?;
    let name = |function: StrId| scene.profile.capture.strings.get(function);
    let mut functions: FxHashMap<StrId, Ns> = FxHashMap::default();
    for ((&span, thread), &function) in calls.span.iter().zip(&calls.thread).zip(&calls.name) {
        let Some(waited) = thread.some().and_then(|thread| of_thread.get(&thread)) else { continue };
        let inside_ns = covered_ns(waited, span);
        if inside_ns > 0 && OsCallKind::of(name(function)) == OsCallKind::Wait {
            *functions.entry(function).or_default() += inside_ns;
        }
    }
    let most = functions.into_iter().max_by_key(|&(function, ns)| (ns, Reverse(name(function))));
    most.map(|(function, _)| name(function).to_owned())
}
