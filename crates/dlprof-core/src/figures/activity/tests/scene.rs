//! A small capture, drawn interval by interval.

use crate::base::ids::{ApiCallId, DeviceId, ProcessId, RangeTextId, StrId, StreamId, ThreadId};
use crate::base::time::{Ns, Span};
use crate::capture::WorkZones;
use crate::capture::classified::{
    Activity, ApiCallColumns, Classified, GpuItems, MpiCalls, OsCalls, Overheads,
};
use crate::capture::names::{ActivitySettings, Thresholds};
use crate::columns::{Memory, StringPool, Texts};
use crate::read::facts::{GraphOrigin, OverheadKind, RangeText, Thread, ThreadRangeFacts};

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
        let mut items = ItemColumns::new(&self.items, &mut strings);
        items.copy_kind.fill(self.copy_kind.unwrap_or(1));
        let calls = RowColumns::new(&self.calls, &mut strings);
        let mpi = RowColumns::new(&self.mpi, &mut strings);
        let os_calls = RowColumns::new(&self.os_calls, &mut strings);
        let overheads: Vec<Row> = self.overheads.iter().map(|(row, _)| *row).collect();
        let overheads = RowColumns::new(&overheads, &mut strings);
        let kinds: Vec<OverheadKind> = self.overheads.iter().map(|(_, kind)| *kind).collect();
        let (labels, ranges) = self.ranges(&mut strings);
        let thread = |process| Thread { global_tid: 0, process: ProcessId::new(process), name: StrId::NONE };
        let activity = Activity {
            strings: &Texts::from(&strings),
            memory: &Memory::unlimited(),
            threads: &PROCESSES.map(thread),
            processes: 2,
            devices: DEVICES,
            streams: STREAMS,
            items: items.columns(),
            calls: ApiCallColumns {
                span: &calls.span,
                thread: &calls.thread,
                name: &calls.name,
                repeats: &[],
                repeated: &[],
            },
            range_labels: &labels,
            ranges: &ranges,
            mpi: MpiCalls { span: &mpi.span, thread: &mpi.thread, name: &mpi.name },
            os_calls: Some(OsCalls {
                span: &os_calls.span,
                thread: &os_calls.thread,
                name: &os_calls.name,
                nesting: &[],
            }),
            overheads: Overheads { span: &overheads.span, thread: &overheads.thread, kind: &kinds },
        };
        look(&Classified::new(activity, settings))
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
    thread: Vec<ThreadId>,
    name: Vec<StrId>,
}

impl RowColumns {
    fn new(rows: &[Row], strings: &mut StringPool) -> Self {
        Self {
            span: rows.iter().map(|row| row.span).collect(),
            thread: rows.iter().map(|row| ThreadId::new(row.thread)).collect(),
            name: rows.iter().map(|row| strings.intern(row.name)).collect(),
        }
    }
}

struct ItemColumns {
    zones: WorkZones,
    span: Vec<Span>,
    device: Vec<DeviceId>,
    stream: Vec<StreamId>,
    call: Vec<ApiCallId>,
    name: Vec<StrId>,
    graph: Vec<GraphOrigin>,
    bytes: Vec<u64>,
    copy_kind: Vec<u8>,
    memory: Vec<u8>,
    counts: [usize; 3],
}

impl ItemColumns {
    fn new(items: &[Item], strings: &mut StringPool) -> Self {
        let count = |test: &dyn Fn(Kind) -> bool| items.iter().filter(|item| test(item.kind)).count();
        let kernels = count(&|kind| kind < Kind::Copy);
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
        let copies = count(&|kind| kind == Kind::Copy);
        let span: Vec<Span> = items.iter().map(|item| item.span).collect();
        Self {
            zones: WorkZones::new(&span),
            span,
            device: items.iter().map(|item| DeviceId::new(item.device)).collect(),
            stream: items.iter().map(|item| StreamId::new(item.stream)).collect(),
            call: items.iter().map(|item| item.call.map_or(ApiCallId::NONE, ApiCallId::new)).collect(),
            name: items[..kernels].iter().map(|item| strings.intern(name(item))).collect(),
            graph: items.iter().map(origin).collect(),
            bytes: vec![100; items.len() - kernels],
            copy_kind: vec![1; copies],
            memory: vec![0; copies],
            counts: [kernels, count(&|kind| kind == Kind::WholeGraph), copies],
        }
    }

    fn columns(&self) -> GpuItems<'_> {
        let [kernels, whole_graphs, copies] = self.counts;
        GpuItems {
            zones: Some(&self.zones),
            span: &self.span,
            device: &self.device,
            stream: &self.stream,
            call: &self.call,
            kernels,
            whole_graphs,
            copies,
            short_name: &self.name,
            graph: &self.graph,
            transfer_graph: &[],
            bytes: &self.bytes,
            copy_kind: &self.copy_kind,
            source_memory: &self.memory,
            target_memory: &self.memory,
        }
    }
}
