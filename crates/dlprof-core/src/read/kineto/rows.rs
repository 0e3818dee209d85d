//! The rows of a trace as they are collected: names are texts already, processes and GPUs are still the trace's numbers.

use crate::base::ids::StrId;
use crate::base::time::Span;
use crate::read::facts::WorkKind;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Stands for a position that there is not.
pub(super) const NOWHERE: u32 = u32::MAX;

/// An API call.
#[derive(Debug, Clone, Copy)]
pub(super) struct RawCall {
    pub(super) span: Span,
    pub(super) thread: u32,
    pub(super) name: StrId,
    /// 0 if it has none.
    pub(super) correlation: i64,
    /// What it says about its launch or copy: a position among the details.
    pub(super) details: u32,
}

/// What an API call of HIP says about what it launches; GPU work lacks it.
#[derive(Debug, Clone, Copy)]
pub(super) struct CallDetails {
    /// A position among the grids and blocks.
    pub(super) config: u32,
    pub(super) bytes: Option<u64>,
    /// The digest of the name of the kernel; 0 if it does not say it.
    pub(super) kernel: u64,
}

/// A kernel, a copy or a memset.
#[derive(Debug, Clone, Copy)]
pub(super) struct RawItem {
    pub(super) kind: WorkKind,
    pub(super) span: Span,
    pub(super) name: StrId,
    pub(super) stream: StreamKey,
    /// A position among the labels of processes.
    pub(super) label: u32,
    /// 0 if it has none.
    pub(super) correlation: i64,
    pub(super) bytes: Option<u64>,
    /// A position among the grids and blocks.
    pub(super) config: u32,
    /// Whether it says that it is part of a graph.
    pub(super) is_of_graph: bool,
    /// A position among the collectives.
    pub(super) collective: u32,
}

/// A stream, by the trace's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct StreamKey {
    pub(super) device: i64,
    pub(super) context: i64,
    pub(super) number: i64,
}

/// An operator or an annotation.
#[derive(Debug, Clone, Copy)]
pub(super) struct RawRange {
    pub(super) span: Span,
    pub(super) thread: u32,
    /// A position among what ranges say.
    pub(super) text: u32,
    pub(super) sequence: u32,
    /// The number by which the profiler knows it.
    pub(super) external: Option<i64>,
}

/// A function of Python.
#[derive(Debug, Clone, Copy)]
pub(super) struct RawFrame {
    pub(super) span: Span,
    pub(super) thread: u32,
    pub(super) name: StrId,
}

/// A synchronisation.
#[derive(Debug, Clone, Copy)]
pub(super) struct RawSync {
    pub(super) kind: u32,
    pub(super) event: u32,
    pub(super) device: u32,
    /// A position among the labels of processes.
    pub(super) label: u32,
    pub(super) correlation: i64,
}

/// An allocation or a free of PyTorch's allocators.
#[derive(Debug, Clone, Copy)]
pub(super) struct RawAllocation {
    pub(super) time: i64,
    /// None for memory of the host.
    pub(super) device: Option<i64>,
    pub(super) bytes: i64,
    pub(super) allocated: u64,
    pub(super) reserved: u64,
}

/// A number that tells the name of a kernel from others; never 0.
pub(crate) fn digest_of_name(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish().max(1)
}
