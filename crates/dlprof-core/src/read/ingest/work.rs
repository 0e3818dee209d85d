//! What all tables of GPU work have.

use super::cell::Cell;
use super::columns::columns;
use super::correlation_id;
use super::keys::KnownColumn;
use super::row::Row;
use crate::base::diagnostics::Diagnostics;
use crate::base::time::Span;
use crate::columns::{Buffer, Memory};
use crate::read::facts::{CorrelationId, GraphOrigin};

columns! {
    START "start";
    END "end";
    DEVICE_ID "deviceId";
    GLOBAL_PID "globalPid";
    CORRELATION_ID "correlationId";
    CONTEXT_ID "contextId";
    STREAM_ID "streamId";
}

/// A stream by the numbers that the export gives it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct StreamKey {
    pub(super) global_pid: Option<i64>,
    /// CUDA device ordinal in that process.
    pub(super) ordinal: i64,
    pub(super) context: i64,
    pub(super) number: i64,
}

impl StreamKey {
    /// Global process id, and CUDA device ordinal in that process.
    pub(super) fn process_and_device(self) -> (Option<i64>, i64) {
        (self.global_pid, self.ordinal)
    }
}

/// The columns that every table of GPU work has; ids are still the export's.
pub(super) struct RawWork {
    pub(super) span: Buffer<Span>,
    pub(super) stream: KnownColumn<StreamKey>,
    pub(super) correlation: Buffer<CorrelationId>,
    pub(super) diagnostics: Diagnostics,
}

impl RawWork {
    pub(super) fn with_capacity(memory: &Memory, rows: usize) -> Self {
        Self {
            span: memory.buffer(rows),
            stream: KnownColumn::with_capacity(memory, rows),
            correlation: memory.buffer(rows),
            diagnostics: Diagnostics::default(),
        }
    }

    /// Adds a row, unless it has no start time. The columns of this module are the first of the row.
    pub(super) fn push(&mut self, row: &Row<'_>) -> bool {
        let Some(span) = row.span(START, END, &mut self.diagnostics) else { return false };
        self.span.push(span);
        if row.value(DEVICE_ID) == Cell::Null {
            row.count_bad_value(DEVICE_ID, &mut self.diagnostics);
        }
        self.stream.push(stream_key(row, &mut self.diagnostics));
        self.correlation.push(correlation_id(row, CORRELATION_ID, &mut self.diagnostics));
        true
    }

    /// Adds the rows of another table.
    pub(super) fn append(&mut self, more: Self) {
        self.span.extend(more.span.iter().copied());
        self.stream.append(more.stream);
        self.correlation.extend(more.correlation.iter().copied());
        self.diagnostics.merge(more.diagnostics);
    }
}

/// The stream of a row. Without a device it is on the first one.
pub(super) fn stream_key(row: &Row<'_>, diagnostics: &mut Diagnostics) -> StreamKey {
    let mut number = |column| row.int(column, diagnostics);
    StreamKey {
        global_pid: number(GLOBAL_PID),
        ordinal: number(DEVICE_ID).unwrap_or(0),
        context: number(CONTEXT_ID).unwrap_or(0),
        number: number(STREAM_ID).unwrap_or(0),
    }
}

/// What the number of a node in a graph says; NULL and 0 are "none".
pub(super) fn graph_origin(row: &Row<'_>, column: usize, diagnostics: &mut Diagnostics) -> GraphOrigin {
    let is_node = row.int(column, diagnostics).is_some_and(|node| node != 0);
    if is_node { GraphOrigin::Node } else { GraphOrigin::None }
}

/// A number of bytes; NULL and negative numbers are 0.
pub(super) fn bytes(row: &Row<'_>, column: usize, diagnostics: &mut Diagnostics) -> u64 {
    row.int(column, diagnostics).and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or(0)
}
