//! Events to rows, by their categories. The categories of all versions of the profiler are here and nowhere else.

use super::args::Arg;
use super::event::Event;
use super::names::Names;
use super::numbers::{integer, nanoseconds, unquoted};
use super::ranges::{RangeKind, RawRanges};
use super::rows::{
    CallDetails, NOWHERE, RawAllocation, RawCall, RawFrame, RawItem, RawSync, StreamKey, digest_of_name,
};
use super::text::unescaped;
use super::threads::Threads;
use crate::base::Error;
use crate::base::diagnostics::{DiagnosticCode, Diagnostics};
use crate::base::ids::StrId;
use crate::base::time::{Ns, Span};
use crate::columns::{Buffer, Memory};
use crate::read::facts::{Collective, LaunchConfig, UNKNOWN_BYTES, WorkKind};
use crate::read::most_names::MOST_RANGE_TEXTS;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use std::path::Path;

/// In the year 2096, in nanoseconds since 1970.
const LATEST: Ns = 4_000_000_000_000_000_000;

/// The longest event: nearly four months.
const LONGEST: Ns = 10_000_000_000_000_000;

/// The rows of a trace.
pub(super) struct Collector {
    pub(super) names: Names,
    pub(super) diagnostics: Diagnostics,
    pub(super) threads: Threads,
    pub(super) calls: Buffer<RawCall>,
    pub(super) call_details: Vec<CallDetails>,
    pub(super) items: Buffer<RawItem>,
    pub(super) configs: IndexSet<LaunchConfig, FxBuildHasher>,
    pub(super) ranges: RawRanges,
    pub(super) frames: Buffer<RawFrame>,
    pub(super) syncs: Buffer<RawSync>,
    pub(super) overheads: Buffer<(Span, StrId)>,
    pub(super) allocations: Buffer<RawAllocation>,
    pub(super) collectives: IndexSet<Collective, FxBuildHasher>,
    /// The smallest time of a span.
    pub(super) zero: Option<Ns>,
    pub(super) events: u64,
    pub(super) is_kineto: bool,
    pub(super) is_of_autograd: bool,
}

/// What a category means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Category {
    Range(RangeKind),
    Item(WorkKind),
    Call,
    Frame,
    Sync,
    Overhead,
    /// Work of a device that is not read.
    OtherDevice,
    /// Another one of the profiler's that is not read.
    Ignored,
    /// None of the profiler's.
    Other,
}

impl Category {
    /// Whether its events become rows.
    fn is_read(self) -> bool {
        !matches!(self, Self::OtherDevice | Self::Ignored | Self::Other)
    }

    #[inline]
    fn of(token: &[u8]) -> Self {
        match token {
            b"\"python_function\"" => Self::Frame,
            b"\"cpu_op\"" => Self::Range(RangeKind::Operator),
            b"\"Operator\"" => Self::Range(RangeKind::Either),
            b"\"user_annotation\"" => Self::Range(RangeKind::Annotation),
            b"\"kernel\"" | b"\"Kernel\"" => Self::Item(WorkKind::Kernel),
            b"\"gpu_memcpy\"" | b"\"Memcpy\"" => Self::Item(WorkKind::Copy),
            b"\"gpu_memset\"" | b"\"Memset\"" => Self::Item(WorkKind::Memset),
            b"\"cuda_runtime\""
            | b"\"Runtime\""
            | b"\"cuda_driver\""
            | b"\"xpu_runtime\""
            | b"\"xpu_driver\""
            | b"\"mtia_runtime\""
            | b"\"glow_runtime\""
            | b"\"privateuse1_runtime\""
            | b"\"privateuse1_driver\"" => Self::Call,
            b"\"cuda_sync\"" => Self::Sync,
            b"\"overhead\"" => Self::Overhead,
            b"\"mtia_ccp_events\"" => Self::OtherDevice,
            b"\"gpu_user_annotation\""
            | b"\"cuda_event\""
            | b"\"cuda_profiler_range\""
            | b"\"collective_comm\""
            | b"\"xpu_sync\"" => Self::Ignored,
            _ => Self::Other,
        }
    }
}

impl Collector {
    pub(super) fn new(memory: &Memory) -> Self {
        Self {
            names: Names::new(),
            diagnostics: Diagnostics::default(),
            threads: Threads::default(),
            calls: memory.buffer(0),
            call_details: Vec::new(),
            items: memory.buffer(0),
            configs: IndexSet::default(),
            ranges: RawRanges::new(memory),
            frames: memory.buffer(0),
            syncs: memory.buffer(0),
            overheads: memory.buffer(0),
            allocations: memory.buffer(0),
            collectives: IndexSet::default(),
            zero: None,
            events: 0,
            is_kineto: false,
            is_of_autograd: false,
        }
    }

    /// Takes an event.
    #[inline]
    pub(super) fn push(&mut self, event: Event<'_>) {
        self.events += 1;
        match event.phase() {
            b"\"X\"" => self.push_span(event),
            b"\"i\"" | b"\"I\"" if event.name() == b"\"[memory]\"" => self.push_allocation(event),
            b"\"M\"" => self.push_name(event),
            b"\"B\"" if Category::of(event.category()).is_read() => {
                let name = || unescaped(event.name()).into_owned();
                self.diagnostics.count(DiagnosticCode::EventInTwoParts, name);
            }
            _ => {}
        }
    }

    /// Refuses files that are not traces of the profiler.
    pub(super) fn refuse_others(&self, path: &Path, ends_early: bool) -> Result<(), Error> {
        let found = match self {
            _ if self.is_kineto => return Ok(()),
            _ if ends_early => "it ends early, before the first event of the profiler",
            Self { events: 0, .. } => "it has no events",
            Self { is_of_autograd: true, .. } => {
                "it is of the profiler before PyTorch 1.8, which recorded no kernels"
            }
            _ => "it is a trace in Chrome's format, but not one of PyTorch's profiler",
        };
        Err(Error::NotATrace { path: path.into(), found: found.into() })
    }

    fn push_span(&mut self, event: Event<'_>) {
        let category = Category::of(event.category());
        self.is_kineto |= category != Category::Other;
        self.is_of_autograd |= category == Category::Other && event.process() == b"\"CPU functions\"";
        let Some(span) = self.span(event, category.is_read()) else { return };
        match category {
            Category::Frame => self.push_frame(event, span),
            Category::Range(kind) => self.push_range(event, span, kind),
            Category::Item(kind) => self.push_item(event, span, kind),
            Category::Call => self.push_call(event, span),
            Category::Sync => self.push_sync(event),
            Category::Overhead => {
                let name = self.names.id(event.name(), &mut self.diagnostics);
                self.overheads.push((span, name));
            }
            Category::OtherDevice => {
                let name = || unescaped(event.name()).into_owned();
                self.diagnostics.count(DiagnosticCode::OtherDevice, name);
            }
            Category::Ignored | Category::Other => {}
        }
    }

    /// The time of an event, as the trace counts it.
    #[inline]
    fn span(&mut self, event: Event<'_>, is_read: bool) -> Option<Span> {
        let name = || unescaped(event.name()).into_owned();
        let start = nanoseconds(event.time()).filter(|start| (-LATEST..=LATEST).contains(start));
        let Some(start) = start else {
            self.diagnostics.count(DiagnosticCode::RowWithoutTime, name);
            return None;
        };
        self.zero = Some(self.zero.map_or(start, |zero| zero.min(start)));
        let Some(length) = nanoseconds(event.duration()) else {
            if is_read {
                self.diagnostics.count(DiagnosticCode::EventWithoutLength, name);
            }
            return Some(Span::new(start, start));
        };
        if (0..=LONGEST).contains(&length) {
            return Some(Span::new(start, start + length));
        }
        let name = || format!("`{}` lasts {length} ns", unescaped(event.name()));
        self.diagnostics.count(DiagnosticCode::BadInterval, name);
        Some(Span::new(start, start))
    }

    fn push_frame(&mut self, event: Event<'_>, span: Span) {
        let thread = self.threads.position(event.process(), event.thread());
        let name = self.names.id(event.name(), &mut self.diagnostics);
        self.frames.push(RawFrame { span, thread, name });
    }

    fn push_range(&mut self, event: Event<'_>, span: Span, kind: RangeKind) {
        let thread = self.threads.position(event.process(), event.thread());
        let collective = self.collective(event);
        let collective = (collective != NOWHERE).then_some(collective);
        let (names, diagnostics) = (&mut self.names, &mut self.diagnostics);
        self.ranges.push(event, (span, thread), kind, collective, names, diagnostics);
    }

    fn push_item(&mut self, event: Event<'_>, span: Span, kind: WorkKind) {
        let number = |arg| event.arg(arg).and_then(integer);
        let device = number(Arg::Device).or_else(|| number(Arg::InDevice));
        let stream = || {
            let thread = unquoted(event.thread());
            integer(thread.strip_prefix(b"stream ").unwrap_or(thread))
        };
        let stream = StreamKey {
            device: device.or_else(|| integer(event.process())).unwrap_or(0),
            context: number(Arg::Context).unwrap_or(0),
            number: number(Arg::Stream).or_else(stream).unwrap_or(0),
        };
        let name = self.names.id(event.name(), &mut self.diagnostics);
        let correlation = correlation(event);
        let item = RawItem {
            kind,
            span,
            name,
            stream,
            label: self.threads.label(event.process()),
            correlation,
            bytes: number(Arg::Bytes).and_then(|bytes| u64::try_from(bytes).ok()),
            config: self.config(event),
            is_of_graph: number(Arg::GraphId).is_some_and(|graph| graph != 0),
            collective: if kind == WorkKind::Kernel { self.collective(event) } else { NOWHERE },
        };
        self.items.push(item);
    }

    fn push_call(&mut self, event: Event<'_>, span: Span) {
        let thread = self.threads.position(event.process(), event.thread());
        let name = self.names.id(event.name(), &mut self.diagnostics);
        let correlation = correlation(event);
        let bytes = event.arg(Arg::Bytes).or_else(|| event.arg(Arg::Size)).and_then(integer);
        let bytes = bytes.and_then(|bytes| u64::try_from(bytes).ok());
        let config = self.config(event);
        let kernel = event.arg(Arg::Kernel).map_or(0, |name| digest_of_name(&unescaped(name)));
        let details = if config == NOWHERE && bytes.is_none() && kernel == 0 {
            NOWHERE
        } else {
            self.call_details.push(CallDetails { config, bytes, kernel });
            u32::try_from(self.call_details.len() - 1).unwrap_or(NOWHERE)
        };
        self.calls.push(RawCall { span, thread, name, correlation, details });
    }

    fn push_sync(&mut self, event: Event<'_>) {
        let number = |arg| event.arg(arg).and_then(integer);
        // Numbers of CUPTI.
        let kind = match event.arg(Arg::SyncKind) {
            Some(b"\"Event Sync\"") => 1,
            Some(b"\"Stream Wait Event\"") => 2,
            Some(b"\"Stream Sync\"") => 3,
            Some(b"\"Context Sync\"") => 4,
            _ => 0,
        };
        let small = |number: Option<i64>| number.and_then(|number| u32::try_from(number).ok());
        self.syncs.push(RawSync {
            kind,
            event: small(number(Arg::WaitOnEvent)).unwrap_or(u32::MAX),
            device: small(number(Arg::Device).or_else(|| integer(event.process()))).unwrap_or(0),
            label: self.threads.label(event.process()),
            correlation: correlation(event),
        });
    }

    fn push_allocation(&mut self, event: Event<'_>) {
        const HOST: i64 = 0;
        let number = |arg| event.arg(arg).and_then(integer);
        let time = nanoseconds(event.time()).filter(|time| (-LATEST..=LATEST).contains(time));
        let (Some(time), Some(bytes)) = (time, number(Arg::AllocatedBytes)) else { return };
        let total = |arg| number(arg).and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or(UNKNOWN_BYTES);
        let is_of_host = number(Arg::DeviceType).unwrap_or(HOST) == HOST;
        self.allocations.push(RawAllocation {
            time,
            device: number(Arg::DeviceId).filter(|device| !is_of_host && *device >= 0),
            bytes,
            allocated: total(Arg::TotalAllocated),
            reserved: total(Arg::TotalReserved),
        });
    }

    fn push_name(&mut self, event: Event<'_>) {
        let Some(name) = event.arg(Arg::Name) else { return };
        match event.name() {
            b"\"process_name\"" => self.threads.name_process(event.process(), name),
            b"\"thread_name\"" => self.threads.name_thread(event.process(), event.thread(), name),
            _ => {}
        }
    }

    /// The position of the grid and block of an event.
    fn config(&mut self, event: Event<'_>) -> u32 {
        let Some(grid) = event.arg(Arg::Grid).and_then(three) else { return NOWHERE };
        let config = LaunchConfig {
            grid,
            block: event.arg(Arg::Block).and_then(three).unwrap_or_default(),
            registers: event.arg(Arg::Registers).and_then(integer),
            static_shared_bytes: None,
            dynamic_shared_bytes: event.arg(Arg::SharedMemory).and_then(integer),
            multiprocessors: None,
        };
        u32::try_from(self.configs.insert_full(config).0).unwrap_or(NOWHERE)
    }

    /// The position of the collective that an event names.
    fn collective(&mut self, event: Event<'_>) -> u32 {
        let Some(name) = event.arg(Arg::CollectiveName) else { return NOWHERE };
        let text = |arg| event.arg(arg).map_or_else(String::new, |token| unescaped(token).into_owned());
        let number = |arg| event.arg(arg).and_then(integer).and_then(|number| u64::try_from(number).ok());
        let collective = Collective {
            name: unescaped(name).into_owned(),
            data_type: text(Arg::DataType),
            in_elements: number(Arg::InElements),
            out_elements: number(Arg::OutElements),
            group_size: number(Arg::GroupSize),
            group: text(Arg::GroupName),
            group_description: text(Arg::GroupDescription),
            ranks: text(Arg::GroupRanks),
            ..Collective::default()
        };
        let at = if self.collectives.len() < MOST_RANGE_TEXTS {
            Some(self.collectives.insert_full(collective).0)
        } else {
            self.collectives.get_index_of(&collective)
        };
        at.and_then(|at| u32::try_from(at).ok()).unwrap_or(NOWHERE)
    }
}

/// The correlation id of an event; 0 if it has none.
#[inline]
fn correlation(event: Event<'_>) -> i64 {
    event.arg(Arg::Correlation).and_then(integer).filter(|id| *id > 0).unwrap_or(0)
}

/// A list of three numbers; of a shorter one, the others are 1.
fn three(token: &[u8]) -> Option<[i64; 3]> {
    let inside = token.strip_prefix(b"[")?.strip_suffix(b"]")?;
    let mut numbers = inside.split(|byte| *byte == b',').map(integer);
    let first = numbers.next()??;
    let mut next = || numbers.next().flatten().unwrap_or(1);
    Some([first, next(), next()])
}
