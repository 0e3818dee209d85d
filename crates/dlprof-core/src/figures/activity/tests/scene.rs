//! A small capture, drawn interval by interval.

use crate::base::ids::{ApiCallId, DeviceId, Maybe, ProcessId, RangeTextId, StrId, StreamId, ThreadId};
use crate::base::time::{Ns, Span};
use crate::capture::classified::order::Orders;
use crate::capture::classified::{Activity, Classified};
use crate::capture::names::{ActivitySettings, Thresholds};
use crate::capture::{Launches, WorkZones};
use crate::columns::{Memory, StringPool, Texts};
use crate::read::facts::{
    AboutRecording, ApiCallFacts, CopyFacts, Device, GraphOrigin, MpiCallFacts, OsCallFacts, OverheadFacts,
    OverheadKind, Process, RangeFacts, RangeText, RecordedTables, RecordedThread, Stream, ThreadRangeFacts,
};

/// Threads of every scene.
pub(super) const THREADS: usize = 4;
/// By thread: its process.
pub(super) const PROCESSES: [usize; THREADS] = [0, 0, 0, 1];
/// GPUs of every scene.
pub(super) const DEVICES: usize = 2;
/// Streams of every scene.
pub(super) const STREAMS: usize = 3;

/// What an item is, in the order of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Kernel,
    Communication,
    GraphNode,
    WholeGraph,
    Copy,
    Memset,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    pub(super) kind: Kind,
    pub(super) device: usize,
    pub(super) stream: usize,
    pub(super) span: Span,
    pub(super) call: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) thread: usize,
    pub(super) name: &'static str,
    pub(super) span: Span,
}

/// What happened.
#[derive(Debug, Clone, Default)]
pub(super) struct Scene {
    pub(super) items: Vec<Item>,
    pub(super) calls: Vec<Row>,
    /// In the default domain.
    pub(super) ranges: Vec<Row>,
    /// In the domain NCCL.
    pub(super) nccl: Vec<Row>,
    pub(super) mpi: Vec<Row>,
    pub(super) os_calls: Vec<Row>,
    pub(super) overheads: Vec<(Row, OverheadKind)>,
    /// CUPTI's kind of all copies; to the GPU if it is not given.
    pub(super) copy_kind: Option<u8>,
    /// The begin of the recording, if it is a trace of torch.profiler.
    pub(super) idle_from: Option<Ns>,
}

/// Thresholds that fit small scenes.
pub(super) fn small_thresholds() -> ActivitySettings {
    let thresholds = Thresholds {
        issue_gap_ns: 4,
        turnaround_ns: 2,
        submit_ns: 3,
        slow_call_ns: 9,
        long_gap_ns: 12,
        long_wait_ns: 5,
        waiting_ns: 3,
        short_kernel_ns: 4,
    };
    ActivitySettings { thresholds, ..ActivitySettings::default() }
}

pub(super) fn row(thread: usize, name: &'static str, start: Ns, end: Ns) -> Row {
    Row { thread, name, span: Span::new(start, end) }
}

impl Scene {
    /// Adds a kernel of GPU 0 and stream 0, which the call with a number launched.
    pub(super) fn kernel(&mut self, start: Ns, end: Ns, call: Option<usize>) -> &mut Self {
        self.item(Kind::Kernel, start, end, call)
    }

    pub(super) fn item(&mut self, kind: Kind, start: Ns, end: Ns, call: Option<usize>) -> &mut Self {
        self.items.push(Item { kind, device: 0, stream: 0, span: Span::new(start, end), call });
        self
    }

    /// Adds an API call of thread 0.
    pub(super) fn call(&mut self, name: &'static str, start: Ns, end: Ns) -> &mut Self {
        self.calls.push(row(0, name, start, end));
        self
    }

    /// Adds a range of thread 0.
    pub(super) fn range(&mut self, text: &'static str, start: Ns, end: Ns) -> &mut Self {
        self.ranges.push(row(0, text, start, end));
        self
    }

    /// Puts items into the order of tables.
    pub(super) fn sorted_by_table(mut self) -> Self {
        let table = |kind: Kind| match kind {
            Kind::Kernel | Kind::Communication | Kind::GraphNode => Kind::Kernel,
            other => other,
        };
        self.items.sort_by_key(|item| table(item.kind));
        self
    }

    /// The scene as columns; items must stand in the order of tables.
    pub(super) fn with<T>(&self, settings: &ActivitySettings, look: impl FnOnce(&Classified<'_>) -> T) -> T {
        let mut strings = StringPool::default();
        let mut recorded = self.work(&mut strings);
        let calls = RowColumns::new(&self.calls, &mut strings);
        let mpi = RowColumns::new(&self.mpi, &mut strings);
        let os_calls = RowColumns::new(&self.os_calls, &mut strings);
        let overheads: Vec<Row> = self.overheads.iter().map(|(row, _)| *row).collect();
        let overheads = RowColumns::new(&overheads, &mut strings);
        let RowColumns { span, thread, name } = calls;
        recorded.api_calls = ApiCallFacts { span: span.into(), thread: thread.into(), name: name.into() };
        let RowColumns { span, thread, name } = mpi;
        recorded.host.mpi = MpiCallFacts { span: span.into(), thread: thread.into(), name: name.into() };
        let RowColumns { span, thread, name } = os_calls;
        let (span, thread, name) = (span.into(), thread.into(), name.into());
        recorded.host.os_calls = Some(OsCallFacts { span, thread, name, ..OsCallFacts::default() });
        recorded.host.overheads = OverheadFacts {
            span: overheads.span.into(),
            thread: overheads.thread.into(),
            name: overheads.name.into(),
            kind: self.overheads.iter().map(|(_, kind)| *kind).collect(),
        };
        let (texts, by_thread) = self.ranges(&mut strings);
        recorded.ranges = RangeFacts { texts: texts.into(), by_thread, ..RangeFacts::default() };
        let zones = WorkZones::new(&recorded.work.span);
        let call = |item: &Item| Maybe::from(item.call.map(ApiCallId::new));
        let activity = Activity {
            strings: &Texts::from(&strings),
            memory: &Memory::unlimited(),
            recorded: &recorded,
            launches: &Launches { api: self.items.iter().map(call).collect() },
            zones: Some(&zones),
            orders: &Orders::default(),
            idle_from: self.idle_from,
        };
        look(&Classified::new(activity, settings))
    }

    /// The GPU work, and what ids mean.
    fn work(&self, strings: &mut StringPool) -> RecordedTables {
        let count = |test: &dyn Fn(Kind) -> bool| self.items.iter().filter(|item| test(item.kind)).count();
        let (kernels, copies) = (count(&|kind| kind < Kind::Copy), count(&|kind| kind == Kind::Copy));
        let origin = |item: &Item| match item.kind {
            Kind::GraphNode => GraphOrigin::Node,
            Kind::WholeGraph => GraphOrigin::WholeGraph,
            _ => GraphOrigin::None,
        };
        let name = |item: &Item| match item.kind {
            Kind::Communication => "ncclDevKernel",
            Kind::WholeGraph => "CUDA graph 1",
            _ => "gemm",
        };
        let mut recorded = RecordedTables::default();
        recorded.work.span = self.items.iter().map(|item| item.span).collect();
        recorded.work.device = self.items.iter().map(|item| DeviceId::new(item.device)).collect();
        recorded.work.stream = self.items.iter().map(|item| StreamId::new(item.stream)).collect();
        let of_kernels = || self.items[..kernels].iter();
        recorded.kernels.short_name = of_kernels().map(|item| strings.intern(name(item))).collect();
        recorded.kernels.long_name = recorded.kernels.short_name.clone();
        recorded.kernels.graph = of_kernels().map(origin).collect();
        recorded.transfers.bytes = vec![100; self.items.len() - kernels].into();
        recorded.copies = CopyFacts {
            kind: vec![self.copy_kind.unwrap_or(1); copies].into(),
            source_memory: vec![0; copies].into(),
            target_memory: vec![0; copies].into(),
        };
        let thread =
            |process| RecordedThread { global_tid: 0, process: ProcessId::new(process), name: StrId::NONE };
        let stream = Stream { process: Maybe::NONE, device: DeviceId::new(0), context: 0, number: 0 };
        recorded.about = AboutRecording {
            processes: vec![Process { global_pid: 0, name: None }; 2],
            threads: PROCESSES.map(thread).into(),
            devices: vec![Device::default(); DEVICES],
            streams: vec![stream; STREAMS],
            whole_graphs: count(&|kind| kind == Kind::WholeGraph),
            ..AboutRecording::default()
        };
        recorded
    }

    fn ranges(&self, strings: &mut StringPool) -> (Vec<RangeText>, Vec<ThreadRangeFacts>) {
        let nccl = strings.intern("NCCL");
        let mut labels = Vec::new();
        let mut threads: [SpansAndLabels; THREADS] = Default::default();
        let user = self.ranges.iter().map(|row| (row, StrId::NONE));
        for (row, domain) in user.chain(self.nccl.iter().map(|row| (row, nccl))) {
            let (spans, of_thread) = &mut threads[row.thread];
            spans.push(row.span);
            of_thread.push(RangeTextId::new(labels.len()));
            let text = strings.intern(row.name);
            labels.push(RangeText { text, sizes: StrId::NONE, domain, is_operator: false });
        }
        let ranges = |(span, text): SpansAndLabels| ThreadRangeFacts { span: span.into(), text: text.into() };
        (labels, threads.map(ranges).into())
    }
}

/// Spans and labels of the ranges of a thread.
type SpansAndLabels = (Vec<Span>, Vec<RangeTextId>);

struct RowColumns {
    span: Vec<Span>,
    thread: Vec<Maybe<ThreadId>>,
    name: Vec<StrId>,
}

impl RowColumns {
    fn new(rows: &[Row], strings: &mut StringPool) -> Self {
        Self {
            span: rows.iter().map(|row| row.span).collect(),
            thread: rows.iter().map(|row| ThreadId::new(row.thread).into()).collect(),
            name: rows.iter().map(|row| strings.intern(row.name)).collect(),
        }
    }
}
