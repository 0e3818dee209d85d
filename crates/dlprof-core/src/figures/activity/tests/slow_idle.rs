//! Causes of idle time by the words of the definition, nanosecond by nanosecond.

use super::scene::{Item, Kind, PROCESSES, Row, Scene, THREADS};
use crate::base::time::{Ns, Span};
use crate::capture::classified::Cause;
use crate::capture::names::{ApiClass, ApiFunction, OsCallKind, Thresholds, is_data_loading, is_enclosing};
use crate::read::facts::OverheadKind;

pub(super) fn holds(span: Span, time: Ns) -> bool {
    span.start <= time && time < span.end
}

/// A scene that can be asked.
pub(super) struct Slow<'a> {
    pub(super) scene: &'a Scene,
    pub(super) thresholds: Thresholds,
}

/// A gap of a GPU with the item that ends it and the one before that on its stream.
pub(super) struct SlowGap<'a> {
    pub(super) span: Span,
    item: &'a Item,
    before: Option<&'a Item>,
}

impl Slow<'_> {
    pub(super) fn items(&self, device: usize) -> impl Iterator<Item = &Item> + Clone {
        self.scene.items.iter().filter(move |item| item.device == device)
    }

    /// From the first start to the last end of items that last.
    pub(super) fn busy(&self, device: usize) -> Option<Span> {
        let lasting = self.items(device).filter(|item| !item.span.is_empty());
        let start = lasting.clone().map(|item| item.span.start).min()?;
        Some(Span::new(start, lasting.map(|item| item.span.end).max()?))
    }

    pub(super) fn call(&self, item: &Item) -> Option<&Row> {
        item.call.map(|call| &self.scene.calls[call])
    }

    /// The gap around an idle time between the first and the last item.
    pub(super) fn gap(&self, device: usize, time: Ns) -> SlowGap<'_> {
        let lasting = self.items(device).filter(|item| !item.span.is_empty());
        let start =
            lasting.clone().map(|item| item.span.end).filter(|&end| end <= time).max().expect("a first item");
        let end = lasting
            .clone()
            .map(|item| item.span.start)
            .filter(|&start| start > time)
            .min()
            .expect("a last item");
        let order = |item: &&Item| {
            (
                item.call.is_none(),
                self.call(item).map(|call| call.span.start),
                item.span.end,
                self.place(item),
            )
        };
        let item =
            lasting.filter(|item| item.span.start == end).min_by_key(order).expect("an item ends the gap");
        let place = |item: &Item| (item.span, self.place(item));
        let earlier =
            self.scene.items.iter().filter(|other| other.stream == item.stream && place(other) < place(item));
        SlowGap { span: Span::new(start, end), item, before: earlier.max_by_key(|other| place(other)) }
    }

    fn place(&self, item: &Item) -> usize {
        self.scene.items.iter().position(|other| std::ptr::eq(other, item)).expect("an item of the scene")
    }

    fn is_ordered(&self, since: Ns, call: &Row) -> bool {
        let orders = self
            .scene
            .calls
            .iter()
            .filter(|row| row.thread == call.thread && ApiFunction::of(row.name).is_ordering);
        orders.map(|row| row.span.start).any(|start| since < start && start < call.span.start)
    }

    /// Whether the call that ended a gap had not returned when it began; then the call.
    pub(super) fn late_call<'g>(&'g self, gap: &SlowGap<'g>) -> Option<&'g Row> {
        self.call(gap.item).filter(|call| call.span.end > gap.span.start)
    }

    /// The cause of a nanosecond in a gap.
    pub(super) fn cause(&self, gap: &SlowGap<'_>, time: Ns) -> Cause {
        let Some(call) = self.call(gap.item) else { return Cause::NoApiCall };
        let before = gap.before.and_then(|before| self.call(before));
        if call.span.end <= gap.span.start {
            return self.queued(gap, call, before);
        }
        if time >= call.span.end + self.thresholds.submit_ns {
            let since = before.map_or(Ns::MIN, |before| before.span.start);
            return if self.is_ordered(since, call) { Cause::Dependency } else { Cause::Stall };
        }
        if time >= call.span.start {
            let is_slow = call.span.length() > self.thresholds.slow_call_ns;
            let launch = if is_slow { Cause::SlowLaunch } else { Cause::Launch };
            return if self.is_open(Cause::Profiler, call.thread, time) { Cause::Profiler } else { launch };
        }
        let own = Cause::ON_THREAD.iter().find(|&&cause| self.is_open(cause, call.thread, time));
        let threads = (0..THREADS).filter(|&thread| PROCESSES[thread] == PROCESSES[call.thread]);
        let any = |cause: &&Cause| threads.clone().any(|thread| self.is_open(**cause, thread, time));
        own.or_else(|| Cause::IN_PROCESS.iter().find(any)).copied().unwrap_or(Cause::Unknown)
    }

    fn queued(&self, gap: &SlowGap<'_>, call: &Row, before: Option<&Row>) -> Cause {
        if gap.span.length() <= self.thresholds.turnaround_ns {
            return Cause::Turnaround;
        }
        let touches = gap.before.is_some_and(|before| before.span.end == gap.span.start);
        let is_in_graph = matches!(gap.item.kind, Kind::GraphNode | Kind::WholeGraph);
        match before {
            Some(before) if touches && !is_in_graph && !self.is_ordered(before.span.start, call) => {
                Cause::Stall
            }
            _ => Cause::Dependency,
        }
    }

    fn rows<'s>(&self, rows: &'s [Row], thread: usize, time: Ns) -> impl Iterator<Item = &'s Row> {
        rows.iter().filter(move |row| row.thread == thread && holds(row.span, time))
    }

    fn is_open(&self, cause: Cause, thread: usize, time: Ns) -> bool {
        let scene = self.scene;
        let call = |class| {
            let calls =
                || self.rows(&scene.calls, thread, time).filter(move |row| ApiClass::of(row.name) == class);
            let slow = move |row: &&Row| row.span.length() > self.thresholds.slow_call_ns;
            match cause {
                Cause::SlowLaunch => calls().any(|row| slow(&row)),
                Cause::Launch => calls().any(|row| !slow(&row)),
                _ => calls().next().is_some(),
            }
        };
        let library = |is_setup: bool| {
            let rows = self.rows(&scene.nccl, thread, time).chain(self.rows(&scene.mpi, thread, time));
            rows.into_iter().any(|row| crate::capture::names::is_communicator_setup(row.name) == is_setup)
        };
        let overhead = |kind| {
            scene
                .overheads
                .iter()
                .any(|(row, of)| *of == kind && row.thread == thread && holds(row.span, time))
        };
        let os_call = |kind| {
            self.rows(&scene.os_calls, thread, time).filter(move |row| OsCallKind::of(row.name) == kind)
        };
        let ops = |row: &&Row| row.thread == thread && !row.span.is_empty() && !is_enclosing(row.name);
        let is_in_op = scene.ranges.iter().filter(ops).any(|row| holds(row.span, time));
        match cause {
            Cause::Profiler => overhead(OverheadKind::Profiler),
            Cause::DataLoading => self.rows(&scene.ranges, thread, time).any(|row| is_data_loading(row.name)),
            Cause::HostRange => self.rows(&scene.ranges, thread, time).any(|row| !is_data_loading(row.name)),
            Cause::Sync => call(ApiClass::Sync),
            Cause::Communication => library(false),
            Cause::Copy => call(ApiClass::Copy),
            Cause::Allocation => call(ApiClass::Allocation),
            Cause::Setup => call(ApiClass::Setup) || library(true) || overhead(OverheadKind::Setup),
            Cause::SlowLaunch | Cause::Launch => call(ApiClass::Launch),
            Cause::Api => call(ApiClass::Api),
            Cause::InputWait => {
                let long = |row: &Row| row.span.length() >= self.thresholds.long_wait_ns;
                scene.ranges.iter().any(|row| ops(&row)) && !is_in_op && os_call(OsCallKind::Wait).any(long)
            }
            Cause::Io => !is_in_op && os_call(OsCallKind::Read).next().is_some(),
            Cause::OsCall => {
                let blocked = [OsCallKind::Wait, OsCallKind::Pause]
                    .into_iter()
                    .any(|kind| os_call(kind).next().is_some());
                blocked || is_in_op && os_call(OsCallKind::Read).next().is_some()
            }
            Cause::HostIssue => self.is_issuing(thread, time),
            _ => false,
        }
    }

    /// From the latest end of the calls that started before to the start of the next one, if that is soon.
    fn is_issuing(&self, thread: usize, time: Ns) -> bool {
        let calls = || self.scene.calls.iter().filter(move |row| row.thread == thread).map(|row| row.span);
        let next = calls().filter(|call| call.start > time).map(|call| call.start).min();
        let latest = calls().filter(|call| call.start <= time).map(|call| call.end).max();
        next.zip(latest)
            .is_some_and(|(next, latest)| latest <= time && next - latest <= self.thresholds.issue_gap_ns)
    }

    /// Behind which time of a gap a wait of the call's thread had let the queue run dry.
    pub(super) fn drained_from(&self, gap: &SlowGap<'_>, call: &Row) -> Option<Ns> {
        let waits = self
            .scene
            .calls
            .iter()
            .filter(|row| row.thread == call.thread && ApiClass::of(row.name) == ApiClass::Sync);
        let ends = |row: &&Row| gap.span.start <= row.span.end && row.span.end <= call.span.start;
        waits.filter(ends).map(|row| row.span.start).min()
    }
}
