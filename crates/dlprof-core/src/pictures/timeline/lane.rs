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
pub enum Owner {
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

/// The class of an item, which decides its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(into = "&'static str")]
pub enum ItemClass {
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
}

impl From<ItemClass> for &'static str {
    fn from(class: ItemClass) -> Self {
        match class {
            ItemClass::Tc => "tc",
            ItemClass::Kernel => "kernel",
            ItemClass::Communication => "communication",
            ItemClass::Memory => "memory",
            ItemClass::Range => "range",
            ItemClass::Call(class) => class.as_str(),
            ItemClass::Host => "host",
            ItemClass::Idle(cause) => cause.as_str(),
        }
    }
}

impl ItemClass {
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
    pub owner: Owner,
    /// Starts, in nanoseconds from the start of the iteration.
    pub start_ns: Vec<Ns>,
    /// Lengths in nanoseconds.
    pub length_ns: Vec<Ns>,
    /// Names: places in [`super::Timeline::names`].
    pub name: Vec<u32>,
    /// Classes.
    pub class: Vec<ItemClass>,
    /// How many items of the lane each lies in; empty if no item lies in another one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub depth: Vec<u8>,
    /// Op IDs: places in [`super::Timeline::names`]; `None` where no op of the iterations near by owns the item. Empty for lanes
    /// of other things than ops and GPU work.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub op: Vec<Option<u32>>,
}

/// An item on its way into a lane.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    pub(super) span: Span,
    pub(super) name: u32,
    pub(super) class: ItemClass,
    pub(super) depth: u8,
    pub(super) op: Option<u32>,
}

impl Lane {
    /// A lane of items in order of start, which are cut at the edges of the window.
    pub(super) fn new(kind: LaneKind, owner: Owner, window: Span, items: &[Item]) -> Self {
        let is_nested = items.iter().any(|item| item.depth > 0);
        let has_ops = matches!(kind, LaneKind::Ops | LaneKind::Stream);
        let inside = |item: &Item| item.span.clip(window);
        Self {
            kind,
            owner,
            start_ns: items.iter().map(|item| inside(item).start - window.start).collect(),
            length_ns: items.iter().map(|item| inside(item).length()).collect(),
            name: items.iter().map(|item| item.name).collect(),
            class: items.iter().map(|item| item.class).collect(),
            depth: items.iter().filter(|_| is_nested).map(|item| item.depth).collect(),
            op: items.iter().filter(|_| has_ops).map(|item| item.op).collect(),
        }
    }

    /// Keeps the items for which a flag is set.
    pub(super) fn keep(&mut self, flags: &[bool]) {
        fn kept<T: Copy>(list: &mut Vec<T>, flags: &[bool]) {
            let mut at = 0;
            list.retain(|_| {
                at += 1;
                flags[at - 1]
            });
        }
        kept(&mut self.start_ns, flags);
        kept(&mut self.length_ns, flags);
        kept(&mut self.name, flags);
        kept(&mut self.class, flags);
        kept(&mut self.depth, flags);
        kept(&mut self.op, flags);
    }
}

/// What the items of a lane are in the capture, to find out which call launched what.
#[derive(Debug, Clone)]
pub(super) enum Sources {
    /// Nothing that launches or is launched.
    Other,
    /// API calls, by their rows.
    Calls(Vec<usize>),
    /// GPU work, by its rows.
    Work(Vec<usize>),
}

impl Sources {
    pub(super) fn keep(&mut self, flags: &[bool]) {
        if let Self::Calls(rows) | Self::Work(rows) = self {
            let mut at = 0;
            rows.retain(|_| {
                at += 1;
                flags[at - 1]
            });
        }
    }
}
