//! What a range of time holds, whichever iterations it touches.
//!
//! ```text
//! range            ├──────────────┤
//! GPU       ▒▒▒▒▒▒▒▒▒▒▒  ▒▒▒▒  ▒▒▒▒▒▒▒▒▒          everything counts by its own time, with the part that lies in the range
//! calls        ├──┤ ├─┤     ├──────┤
//! ```
//!
//! This is what a capture cut at the two times holds (`--from`, `--to`), except that work still knows the call that launched it
//! before the range, and idle time at the edges still knows its cause.

use super::Profile;
use crate::base::ids::{ApiCallId, DeviceId, Maybe, OpId, StrId, ThreadId, WorkId};
use crate::base::time::{Ns, Span};
use crate::capture::WorkZones;
use crate::figures::activity::{GpuFigures, GpuTime, StepClasses, gpu_figures, gpu_figures_near};
use crate::read::facts::WorkKind;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::hash::Hash;

/// What is said of everything of a name in a range of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RangeSum<N> {
    /// The name.
    pub name: N,
    /// How many are in the range, wholly or in part.
    pub count: u64,
    /// Their time in it, summed.
    pub time_ns: Ns,
}

/// What a range of time holds; lists have those with most time first.
#[derive(Debug, Clone)]
pub struct TimeRange {
    /// The range.
    pub span: Span,
    /// What each used GPU did.
    pub gpus: Vec<(DeviceId, GpuTime)>,
    /// The same of all used GPUs together.
    pub used: GpuTime,
    /// How its time divides into classes, averaged over the used GPUs; none without a used GPU.
    pub classes: Option<StepClasses>,
    /// Kernels by short name, copies by direction, memsets.
    pub work: Vec<RangeSum<String>>,
    /// GPU work by the op that launched it; none where no op did.
    pub ops: Vec<RangeSum<Option<OpId>>>,
    /// API calls by function.
    pub api_calls: Vec<RangeSum<String>>,
    /// API calls by thread.
    pub threads: Vec<RangeSum<Maybe<ThreadId>>>,
}

/// Sums by key.
#[derive(Debug)]
struct Sums<K>(FxHashMap<K, (u64, Ns)>);

impl<K: Hash + Eq> Sums<K> {
    fn new() -> Self {
        Self(FxHashMap::default())
    }

    fn add(&mut self, key: K, time_ns: Ns) {
        let sum = self.0.entry(key).or_default();
        sum.0 += 1;
        sum.1 += time_ns;
    }

    /// The sums with names in the place of keys, those with most time first.
    fn named<N: Ord + Clone>(self, name: impl Fn(K) -> N) -> Vec<RangeSum<N>> {
        let sum = |(key, (count, time_ns))| RangeSum { name: name(key), count, time_ns };
        let mut sums: Vec<RangeSum<N>> = self.0.into_iter().map(sum).collect();
        sums.sort_by_cached_key(|sum| (Reverse(sum.time_ns), Reverse(sum.count), sum.name.clone()));
        sums
    }
}

/// Rows that lie in a window, wholly or in part, each with the time that does.
fn inside<'a>(
    spans: &'a [Span],
    zones: &'a WorkZones,
    window: Span,
) -> impl Iterator<Item = (usize, Ns)> + 'a {
    let near = zones.near_open(0..spans.len(), window.end, window.start.saturating_sub(1)).flatten();
    near.filter_map(move |row| {
        let span = spans[row];
        let touches = span.start < window.end
            && (span.end > window.start || span.is_empty() && span.start >= window.start);
        touches.then(|| (row, span.clip(window).length()))
    })
}

impl Profile {
    /// What a range of time holds.
    #[must_use]
    pub fn time_range(&self, span: Span) -> TimeRange {
        self.capture.pool.install(|| {
            let times = self.gpu_figures_of(span).times;
            let (mut gpus, mut used) = (Vec::new(), GpuTime::default());
            for &device in &self.iterations.windows.used {
                let time = times.at(device.index(), 0);
                used.merge(&time);
                gpus.push((device, time));
            }
            let classes = StepClasses::of(&used, gpus.len());
            let (work, ops) = self.work_in(span);
            let (api_calls, threads) = self.api_calls_in(span);
            TimeRange { span, gpus, used, classes, work, ops, api_calls, threads }
        })
    }

    /// What GPUs did in a window. Of a short one only what is near it is looked at.
    fn gpu_figures_of(&self, window: Span) -> GpuFigures {
        const FEW: usize = 4;
        let capture = &self.capture;
        let near = capture.work_zones.near_open(0..capture.work.len(), window.end, window.start);
        let rows: usize = near.map(|rows| rows.len()).sum();
        self.look(|facts| match rows < capture.work.len() / FEW {
            true => gpu_figures_near(facts, capture.host_zones(), &self.iterations.windows.used, &[window]),
            false => gpu_figures(facts, &[window]),
        })
    }

    fn work_in(&self, window: Span) -> (Vec<RangeSum<String>>, Vec<RangeSum<Option<OpId>>>) {
        let capture = &self.capture;
        let (mut kernels, mut others, mut ops) = (Sums::<StrId>::new(), Sums::<&str>::new(), Sums::new());
        for (row, time_ns) in inside(&capture.work.span, &capture.work_zones, window) {
            let work = WorkId::new(row);
            match capture.work_kind(work) {
                WorkKind::Kernel => kernels.add(capture.kernels.short_name[work], time_ns),
                WorkKind::Copy => others.add(capture.copy_kind_name(work), time_ns),
                WorkKind::Memset => others.add("memset", time_ns),
            }
            let call = capture.launches.api[work].some().map(|call| capture.repeated_calls.counted(call));
            let op_call = call.and_then(|call| capture.call_roles.op_call[call].some());
            ops.add(op_call.map(|call| self.index.calls.op[call]), time_ns);
        }
        let mut names = kernels.named(|name| capture.strings.get(name).to_owned());
        names.extend(others.named(str::to_owned));
        names.sort_by(|a, b| b.time_ns.cmp(&a.time_ns).then_with(|| a.name.cmp(&b.name)));
        (names, ops.named(|op| op))
    }

    fn api_calls_in(&self, window: Span) -> (Vec<RangeSum<String>>, Vec<RangeSum<Maybe<ThreadId>>>) {
        let (capture, calls) = (&self.capture, &self.capture.api_calls);
        let (mut functions, mut threads) = (Sums::<StrId>::new(), Sums::<Maybe<ThreadId>>::new());
        for (row, time_ns) in inside(&calls.span, &capture.host_zones().api_calls, window) {
            let call = ApiCallId::new(row);
            if capture.repeated_calls.counts(call) {
                functions.add(calls.name[call], time_ns);
                threads.add(calls.thread[call], time_ns);
            }
        }
        (functions.named(|name| capture.strings.get(name).to_owned()), threads.named(|thread| thread))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::time_cut::TimeCut;
    use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
    use crate::tests::drawn::Drawn;
    use proptest::prelude::*;

    /// Steps with two kernels and a copy each; the work of a step runs into the next one.
    fn drawn() -> Drawn {
        let mut drawn = Drawn::new();
        for step in 0..12 {
            let at = |from: Ns, to: Ns| 1_000 + step * 100 + from..1_000 + step * 100 + to;
            drawn.range("step", at(0, 90)).range("layer", at(5, 60));
            drawn.launch(at(10, 14), "gemm", at(14, 30)).launch(at(50, 54), "relu", at(54, 80));
            drawn.copy(at(60, 71), 64, at(88, 112));
        }
        drawn
    }

    fn profile(capture: &crate::capture::Capture) -> Profile {
        let index = capture.index(&KeyNodeChoice::None).expect("an index");
        index.profile(&RangeChoice::default()).expect("a profile")
    }

    proptest! {
        /// A range holds what a capture cut there holds, and every nanosecond of a GPU has one class.
        #[test]
        fn a_range_holds_what_a_window_holds(from in 1_000_i64..2_200, length in 1_i64..900) {
            // The last copy ends at 2,212.
            let span = Span::new(from, (from + length).min(2_212));
            let range = profile(&drawn().capture()).time_range(span);
            let limit = |at: Ns| format!("{at}ns");
            let cut = TimeCut::parse(Some(&limit(span.start)), Some(&limit(span.end))).expect("times");
            let cut = drawn().capture_cut(&cut);
            let (work, calls) = (&cut.work, &cut.api_calls);
            let of_work: Ns = range.work.iter().map(|sum| sum.time_ns).sum();
            prop_assert_eq!(of_work, work.span.iter().map(|span| span.length()).sum::<Ns>());
            for sum in &range.work {
                let rows = work.span.iter().enumerate().filter(|(row, _)| {
                    let work = WorkId::new(*row);
                    match cut.work_kind(work) {
                        WorkKind::Kernel => cut.strings.get(cut.kernels.short_name[work]) == sum.name,
                        WorkKind::Copy => cut.copy_kind_name(work) == sum.name,
                        WorkKind::Memset => false,
                    }
                });
                let (count, time) = rows.fold((0, 0), |sum, (_, span)| (sum.0 + 1, sum.1 + span.length()));
                prop_assert_eq!((sum.count, sum.time_ns), (count, time), "{}", &sum.name);
            }
            prop_assert_eq!(range.ops.iter().map(|op| op.time_ns).sum::<Ns>(), of_work);
            let of_calls: Ns = range.api_calls.iter().map(|sum| sum.time_ns).sum();
            prop_assert_eq!(of_calls, calls.span.iter().map(|span| span.length()).sum::<Ns>());
            prop_assert_eq!(range.threads.iter().map(|sum| sum.time_ns).sum::<Ns>(), of_calls);
            let (used, classes) = (range.used, range.classes.expect("a GPU"));
            prop_assert_eq!(used.busy_ns + used.idle_ns(), span.length());
            let all = crate::figures::activity::StepClass::ALL.map(|class| classes.of_class(class));
            prop_assert_eq!(all.iter().sum::<Ns>(), span.length());
        }
    }
}
