//! GPU time and kernels between marks on the time line of a process.
//!
//! ```text
//! marks            │      │          │    │
//! calls of items     x  x      x   x    x     x     an item counts where its call starts, whichever thread made it
//! buckets      0      1         2      3     4
//! ```
//!
//! Items are read once for any number of marks; sums between two marks are then differences.

use super::input::FinderInput;
use crate::base::ids::{ProcessId, StrId, ThreadId, WorkId};
use crate::base::maxima::Maxima;
use crate::base::ordered::partition_near;
use crate::base::time::{Ns, Span};
use crate::capture::names::ApiClass;
use crate::columns::PerText;
use crate::read::facts::WorkKind;

/// What calls that start in a span asked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked {
    pub(super) gpu_ns: Ns,
    pub(super) kernels: Ns,
}

/// Sums of a process, by bucket.
#[derive(Debug, Clone, Default)]
pub(super) struct GpuLoad {
    marks: Vec<Ns>,
    /// By bucket: GPU time of this one and all before it.
    time_up_to: Vec<Ns>,
    /// By bucket: kernels of this one and all before it.
    kernels_up_to: Vec<Ns>,
    /// By bucket: the latest end of its items.
    latest_end: Maxima,
}

impl GpuLoad {
    /// The sums where there are no items.
    pub(super) const NOTHING: Self = Self {
        marks: Vec::new(),
        time_up_to: Vec::new(),
        kernels_up_to: Vec::new(),
        latest_end: Maxima::EMPTY,
    };

    fn with_marks(mut marks: Vec<Ns>) -> Self {
        marks.sort_unstable();
        marks.dedup();
        let buckets = marks.len() + 1;
        Self {
            time_up_to: vec![0; buckets],
            kernels_up_to: vec![0; buckets],
            latest_end: Maxima::new(buckets),
            marks,
        }
    }

    fn sum_up(&mut self) {
        for sums in [&mut self.time_up_to, &mut self.kernels_up_to] {
            for at in 1..sums.len() {
                sums[at] += sums[at - 1];
            }
        }
    }

    /// The last bucket before a mark, looked for near another bucket.
    fn before(&self, mark: Ns, hint: usize) -> usize {
        partition_near(&self.marks, hint, |&other| other < mark)
    }

    /// What was asked for in each of some spans, which mostly ascend. Their limits are marks.
    pub(super) fn in_spans(&self, spans: &[Span]) -> Vec<Asked> {
        let mut hint = 0;
        let asked = |span: &Span| {
            let first = self.before(span.start, hint);
            let last = self.before(span.end, first);
            hint = last;
            Asked {
                gpu_ns: self.time_up_to[last] - self.time_up_to[first],
                kernels: self.kernels_up_to[last] - self.kernels_up_to[first],
            }
        };
        spans.iter().map(asked).collect()
    }

    /// The latest end of items whose call starts from one mark on, before another.
    pub(super) fn latest_end(&self, from: Ns, to: Ns) -> Option<Ns> {
        let first = self.before(from, 0);
        let last = self.before(to.max(from), first);
        let latest = self.latest_end.within(first + 1..last + 1)?;
        (latest > Ns::MIN).then_some(latest)
    }
}

/// The sums of each process, between its marks. Where the totals say that a process has no GPU work, the calls that launch
/// kernels count as kernels.
pub(super) fn between(input: &FinderInput<'_>, totals: Option<&Totals>, marks: Vec<Vec<Ns>>) -> Vec<GpuLoad> {
    let mut loads: Vec<GpuLoad> = marks.into_iter().map(GpuLoad::with_marks).collect();
    let mut hints = vec![0; loads.len()];
    for (work, span) in work_of(input) {
        let Some(call) = input.launches.api[work].some().map(|call| input.call_of(call).0) else { continue };
        let Some(process) = input.process_of_work(work).map(ProcessId::index) else { continue };
        let Some(load) = loads.get_mut(process).filter(|load| !load.marks.is_empty()) else { continue };
        let bucket = partition_near(&load.marks, hints[process], |&mark| mark <= call.start);
        hints[process] = bucket;
        load.time_up_to[bucket] += span.length();
        load.kernels_up_to[bucket] += Ns::from(input.recorded.work_kind(work) == WorkKind::Kernel);
        load.latest_end.raise(bucket, span.end);
    }
    if let Some(totals) = totals {
        add_launch_calls(input, totals, &mut loads);
    }
    loads.iter_mut().for_each(GpuLoad::sum_up);
    loads
}

/// The latest end of GPU work of a process whose calls are not recorded, and that starts from one time on, before another.
pub(super) fn latest_end_without_calls(
    input: &FinderInput<'_>,
    process: ProcessId,
    from: Ns,
    to: Ns,
) -> Option<Ns> {
    let is_meant = |(work, span): &(WorkId, Span)| {
        (from..to).contains(&span.start)
            && input.launches.api[*work].some().is_none()
            && input.process_of_work(*work) == Some(process)
    };
    work_of(input).filter(is_meant).map(|(_, span)| span.end).max()
}

/// All GPU work, and when it ran.
fn work_of<'a>(input: &FinderInput<'a>) -> impl Iterator<Item = (WorkId, Span)> + use<'a> {
    let recorded = input.recorded;
    recorded.work_ids().zip(recorded.work.span.iter().copied())
}

fn add_launch_calls(input: &FinderInput<'_>, totals: &Totals, loads: &mut [GpuLoad]) {
    let counts = |process: usize| totals.launch_calls[process] > 0;
    if !(0..loads.len()).any(|process| counts(process) && !loads[process].marks.is_empty()) {
        return;
    }
    let mut hint = 0;
    for (span, _, process) in launch_calls(input) {
        let Some(load) = loads.get_mut(process).filter(|load| counts(process) && !load.marks.is_empty())
        else {
            continue;
        };
        hint = partition_near(&load.marks, hint, |&mark| mark <= span.start);
        load.kernels_up_to[hint] += 1;
    }
}

/// Calls that launch kernels or graphs, with their process.
fn launch_calls<'a>(input: &'a FinderInput<'_>) -> impl Iterator<Item = (Span, ThreadId, usize)> + 'a {
    let mut launches: PerText<Option<bool>> = PerText::new(input.strings.len(), None);
    let mut is_launch = move |name: StrId| {
        *launches[name].get_or_insert_with(|| ApiClass::of(input.strings.get(name)) == ApiClass::Launch)
    };
    let all = &input.recorded.api_calls;
    let calls = all.name.iter().enumerate().filter(move |(_, name)| is_launch(**name));
    calls.filter_map(|(row, _)| {
        let thread = all.thread[row].some()?;
        Some((all.span[row], thread, input.recorded.process_of(thread).index()))
    })
}

/// What the GPU did for each process and thread over the whole capture.
pub(super) struct Totals {
    /// By process: GPU time of its items, without migrations of unified memory, which no call asks for.
    pub(super) gpu_ns: Vec<Ns>,
    /// By process: its items.
    pub(super) items: Vec<u64>,
    /// By process: items whose call is known.
    pub(super) asked: Vec<u64>,
    /// By process without items: calls that launch kernels or graphs.
    pub(super) launch_calls: Vec<u64>,
    /// By thread: items that it launched; in a process without items, calls that launch.
    pub(super) launched: Vec<u64>,
}

impl Totals {
    /// Adds up all items.
    pub(super) fn of(input: &FinderInput<'_>) -> Self {
        let processes = input.processes();
        let mut totals = Self {
            gpu_ns: vec![0; processes],
            items: vec![0; processes],
            asked: vec![0; processes],
            launch_calls: vec![0; processes],
            launched: vec![0; input.recorded.threads.len()],
        };
        totals.add_work(input);
        if totals.items.contains(&0) {
            for (_, thread, process) in
                launch_calls(input).filter(|&(.., process)| totals.items[process] == 0)
            {
                totals.launch_calls[process] += 1;
                totals.launched[thread.index()] += 1;
            }
        }
        totals
    }

    fn add_work(&mut self, input: &FinderInput<'_>) {
        for (work, span) in work_of(input) {
            let thread = input.launches.api[work].some().and_then(|call| input.call_of(call).1.some());
            if let Some(process) = input.process_of_work(work) {
                if !input.recorded.is_migration(work) {
                    self.gpu_ns[process.index()] += span.length();
                }
                self.items[process.index()] += 1;
                self.asked[process.index()] += u64::from(thread.is_some());
            }
            if let Some(launched) = thread.and_then(|thread| self.launched.get_mut(thread.index())) {
                *launched += 1;
            }
        }
    }

    /// Whether a thread launches, as far as items with a call tell.
    pub(super) fn launches_on(&self, thread: ThreadId) -> bool {
        self.launched.get(thread.index()).is_some_and(|&launched| launched > 0)
    }

    /// What decides between threads: GPU time of the process, then items launched.
    pub(super) fn rank(&self, process: ProcessId, thread: ThreadId) -> (Ns, u64) {
        let gpu_ns = self.gpu_ns.get(process.index()).copied().unwrap_or(0);
        (gpu_ns, self.launched.get(thread.index()).copied().unwrap_or(0))
    }
}
