//! The rows of a draft.

use crate::base::ids::StrId;
use crate::base::time::Span;
use crate::read::facts::{SequenceNumber, WorkKind};

/// Stands for the thread of a row that names none, and for a place that there is not.
pub(in crate::read) const NOBODY: u32 = u32::MAX;

/// Stands for a key or a number of a lane that there is not.
pub(in crate::read) const NO_KEY: i64 = i64::MIN;

/// Stands for bytes that nobody says.
pub(in crate::read) const UNKNOWN_SIZE: u64 = u64::MAX;

/// A call of a runtime or driver.
#[derive(Debug, Clone, Copy)]
pub(in crate::read) struct CallRow {
    pub(in crate::read) span: Span,
    pub(in crate::read) thread: u32,
    pub(in crate::read) name: StrId,
    /// By which work names it, unique in its process.
    pub(in crate::read) key: i64,
    /// The key of the call that made this one on behalf of the program; work belongs to that one.
    pub(in crate::read) parent: i64,
}

/// Where work runs, and on whose behalf.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::read) struct Lane {
    /// Global id of the process.
    pub(in crate::read) process: i64,
    pub(in crate::read) device: u32,
    pub(in crate::read) stream: i64,
    /// The hardware's queue; stands in for the stream where there are too many streams to draw.
    pub(in crate::read) queue: i64,
}

/// A kernel, a copy or a memset.
#[derive(Debug, Clone, Copy)]
pub(in crate::read) struct WorkRow {
    pub(in crate::read) kind: WorkKind,
    pub(in crate::read) span: Span,
    /// The place of its lane.
    pub(in crate::read) lane: u32,
    /// The key of its call.
    pub(in crate::read) call: i64,
    /// Of a kernel.
    pub(in crate::read) name: StrId,
    /// Of a kernel: its bare name; the name's own if none.
    pub(in crate::read) short_name: StrId,
    /// Of a kernel: the place of its grid and block.
    pub(in crate::read) config: u32,
    /// Of a copy or memset.
    pub(in crate::read) bytes: u64,
    /// Of a copy: the number of its kind, as CUPTI has it.
    pub(in crate::read) copy_kind: u8,
    /// Whether it is part of a graph, as far as it says itself.
    pub(in crate::read) is_of_graph: bool,
}

/// A range.
#[derive(Debug, Clone, Copy)]
pub(in crate::read) struct RangeRow {
    pub(in crate::read) span: Span,
    pub(in crate::read) thread: u32,
    pub(in crate::read) text: u32,
    pub(in crate::read) sequence: SequenceNumber,
}

impl WorkRow {
    /// A kernel of which nothing more is known.
    pub(in crate::read) fn new(kind: WorkKind, span: Span, lane: u32) -> Self {
        Self {
            kind,
            span,
            lane,
            call: NO_KEY,
            name: StrId::NONE,
            short_name: StrId::NONE,
            config: NOBODY,
            bytes: UNKNOWN_SIZE,
            copy_kind: 0,
            is_of_graph: false,
        }
    }
}
