//! Lanes: what a thread or a stream did, item by item.

use crate::base::time::{Ns, Span};
use crate::capture::classified::Cause;
use crate::capture::correlate::TensorCores;
use crate::capture::names::ApiClass;
use serde::Serialize;

/// What the items of a lane are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LaneKind {
    /// NVTX ranges of a thread; inner ones are deeper.
    Ranges,
    /// Op calls of a thread.
    Ops,
    /// CUDA API calls of a thread.
    ApiCalls,
    /// Calls of MPI functions.
    MpiCalls,
    /// Calls of the operating system; inner ones are deeper.
    OsCalls,
    /// Time that the profiler took.
    Profiler,
    /// Samples of a thread: points, named by the innermost function.
    Samples,
    /// Times in which a GPU ran nothing, each named by the cause of most of it.
    Idle,
    /// Kernels, copies and memsets of a stream.
    Stream,
}

/// Whose lane it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "of", rename_all = "snake_case")]
pub enum LaneOwner {
    /// A thread.
    Thread {
        /// Process ID of the operating system.
        pid: i64,
        /// Thread ID of the operating system.
        tid: i64,
        /// Its name, if the capture has one.
        name: Option<String>,
    },
    /// A GPU.
    Gpu {
        /// Its number.
        device_id: i64,
    },
    /// A stream of a GPU.
    Stream {
        /// Number of the GPU.
        device_id: i64,
        /// Process ID of the operating system, if the capture says it.
        pid: Option<i64>,
        /// Number of the stream in its context; `None` if the capture does not tell streams apart.
        stream: Option<i64>,
    },
}

impl LaneOwner {
    /// The number of the GPU, if it is one or a stream of one.
    pub(in crate::pictures) fn device_id(&self) -> Option<i64> {
        match self {
            Self::Thread { .. } => None,
            Self::Gpu { device_id } | Self::Stream { device_id, .. } => Some(*device_id),
        }
    }
}

/// The class of an item, which decides its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(into = "&'static str")]
pub enum LaneItemClass {
    /// A kernel that uses Tensor Cores.
    Tc,
    /// Another kernel that computes.
    Kernel,
    /// A kernel that exchanges data between GPUs.
    Communication,
    /// A copy or memset.
    Memory,
    /// A range or an op.
    Range,
    /// An API call, by what it is for.
    Call(ApiClass),
    /// What a thread did besides.
    Host,
    /// Idle time, by cause.
    Idle(Cause),
    /// Idle time that is too short, at this width, for its cause to be told.
    Gap,
}

impl From<LaneItemClass> for &'static str {
    fn from(class: LaneItemClass) -> Self {
        match class {
            LaneItemClass::Tc => "tc",
            LaneItemClass::Kernel => "kernel",
            LaneItemClass::Communication => "communication",
            LaneItemClass::Memory => "memory",
            LaneItemClass::Range => "range",
            LaneItemClass::Call(class) => class.as_str(),
            LaneItemClass::Host => "host",
            LaneItemClass::Idle(cause) => cause.as_str(),
            LaneItemClass::Gap => "gap",
        }
    }
}

impl LaneItemClass {
    /// The class of a kernel.
    pub(super) fn of_kernel(tensor_cores: TensorCores, is_communication: bool) -> Self {
        match (is_communication, tensor_cores) {
            (true, _) => Self::Communication,
            (_, TensorCores::Used) => Self::Tc,
            _ => Self::Kernel,
        }
    }
}

/// What a thread or a stream did: one list per property, of equal length, in order of start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Lane {
    /// What the items are.
    pub kind: LaneKind,
    /// Whose they are.
    pub owner: LaneOwner,
    /// Starts, in nanoseconds from the start of the iteration.
    pub start_ns: Vec<Ns>,
    /// Lengths in nanoseconds.
    pub length_ns: Vec<Ns>,
    /// Names: places in [`super::Timeline::names`].
    pub name: Vec<u32>,
    /// Classes.
    pub class: Vec<LaneItemClass>,
    /// How many items of the lane each lies in; empty if no item lies in another one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub depth: Vec<u8>,
    /// Op IDs: places in [`super::Timeline::names`]; `None` where no op of the iterations near by owns the item. Empty for lanes
    /// of other things than ops and GPU work.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub op: Vec<Option<u32>>,
}

/// A lane whose items have no names yet: how many there are is limited first, because names, causes and ops cost most.
#[derive(Debug, Clone)]
pub(in crate::pictures) struct Draft {
    pub(in crate::pictures) kind: LaneKind,
    pub(in crate::pictures) owner: LaneOwner,
    /// Place of the thread or of the GPU in the capture.
    pub(in crate::pictures) of: usize,
    /// By item: its row in the table that the kind says; empty for idle time.
    pub(in crate::pictures) rows: Vec<usize>,
    /// By item, in order of start: its time, cut at the edges of the window.
    pub(in crate::pictures) spans: Vec<Span>,
    /// By item: how many items it lies in; empty if none lies in another one.
    pub(in crate::pictures) depths: Vec<u8>,
}

/// What is said of an item besides its time.
#[derive(Debug, Clone, Copy)]
pub(in crate::pictures) struct Item {
    pub(in crate::pictures) name: u32,
    pub(in crate::pictures) class: LaneItemClass,
    pub(in crate::pictures) op: Option<u32>,
}

impl Draft {
    /// Rows of a table, in order of start, in a window.
    pub(super) fn new(
        kind: LaneKind,
        owner: LaneOwner,
        of: usize,
        rows: Vec<usize>,
        window: Span,
        span: impl Fn(usize) -> Span,
    ) -> Self {
        let spans = rows.iter().map(|&row| span(row).clip(window)).collect();
        Self { kind, owner, of, rows, spans, depths: Vec::new() }
    }

    /// The same with the depths of its items.
    pub(super) fn nested(self, depths: Vec<u8>) -> Self {
        let is_nested = depths.iter().any(|&depth| depth > 0);
        Self { depths: if is_nested { depths } else { Vec::new() }, ..self }
    }

    /// Keeps the items for which a flag is set.
    pub(super) fn keep(&mut self, flags: &[bool]) {
        fn kept<T: Copy>(list: &mut Vec<T>, flags: &[bool]) {
            let mut flags = flags.iter();
            list.retain(|_| flags.next().is_some_and(|&is_kept| is_kept));
            list.shrink_to_fit();
        }
        kept(&mut self.rows, flags);
        kept(&mut self.spans, flags);
        kept(&mut self.depths, flags);
    }
}

impl Lane {
    /// The lane of a draft, given what is said of each of its items.
    pub(super) fn new(draft: &Draft, window: Span, items: impl Iterator<Item = Item>) -> Self {
        let has_ops = matches!(draft.kind, LaneKind::Ops | LaneKind::Stream);
        let mut lane = Self {
            kind: draft.kind,
            owner: draft.owner.clone(),
            start_ns: draft.spans.iter().map(|span| span.start - window.start).collect(),
            length_ns: draft.spans.iter().map(|span| span.length()).collect(),
            name: Vec::with_capacity(draft.spans.len()),
            class: Vec::with_capacity(draft.spans.len()),
            depth: draft.depths.clone(),
            op: Vec::new(),
        };
        for item in items {
            lane.name.push(item.name);
            lane.class.push(item.class);
            lane.op.extend(has_ops.then_some(item.op));
        }
        lane
    }
}
