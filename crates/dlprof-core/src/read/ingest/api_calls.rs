//! Table `CUPTI_ACTIVITY_KIND_RUNTIME`: CUDA runtime and driver API calls.

use super::columns::columns;
use super::keys::KeyColumn;
use super::row::Row;
use super::string_ids::NameReader;
use super::{TableSource, correlation_id};
use crate::base::Error;
use crate::base::diagnostics::Diagnostics;
use crate::base::ids::{self, ApiCallId, StrId};
use crate::base::time::Span;
use crate::columns::{Buffer, Memory, StringPool};
use crate::read::facts::{CorrelationId, RepeatedCalls, RepeatedCallsBuilder};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) const TABLE: &str = "CUPTI_ACTIVITY_KIND_RUNTIME";

columns! {
    START "start";
    END "end";
    GLOBAL_TID "globalTid";
    CORRELATION_ID "correlationId";
    NAME_ID "nameId";
    EVENT_CLASS "eventClass";
}

/// `eventClass` of rows that hold the backtrace of a call. Most of them repeat a row of the call itself.
const WITH_BACKTRACE: i64 = 67;

/// The table as read; thread ids are still the export's.
pub(super) struct RawApiCalls {
    pub(super) span: Buffer<Span>,
    pub(super) global_tid: KeyColumn<i64>,
    pub(super) correlation: Buffer<CorrelationId>,
    pub(super) name: Buffer<StrId>,
    /// Rows that hold a backtrace.
    with_backtrace: Buffer<ApiCallId>,
    pub(super) extra: StringPool,
    pub(super) diagnostics: Diagnostics,
}

pub(super) fn read(source: &TableSource<'_>) -> Result<RawApiCalls, Error> {
    let rows = source.rows(TABLE)?;
    let init = || Reading {
        calls: RawApiCalls {
            span: source.memory.buffer(rows),
            global_tid: KeyColumn::with_capacity(source.memory, rows),
            correlation: source.memory.buffer(rows),
            name: source.memory.buffer(rows),
            with_backtrace: source.memory.buffer(0),
            extra: StringPool::default(),
            diagnostics: Diagnostics::default(),
        },
        names: NameReader::new(source.names),
    };
    let Reading { mut calls, names } = source.fold(TABLE, COLUMNS, init, Reading::push)?;
    calls.extra = names.into_extra();
    Ok(calls)
}

impl RawApiCalls {
    /// The rows with a backtrace whose thread has another row with the same correlation id, and that row.
    pub(super) fn repeated_calls(&self, memory: &Memory) -> RepeatedCalls {
        let mut repeated = RepeatedCallsBuilder::new(memory, self.with_backtrace.len());
        if self.with_backtrace.is_empty() {
            return repeated.finish();
        }
        let key =
            |call: ApiCallId| (self.global_tid.positions()[call.index()], self.correlation[call.index()]);
        let with_backtrace: FxHashSet<_> = self.with_backtrace.iter().map(|&call| key(call)).collect();
        let mut backtraces = self.with_backtrace.iter().copied().peekable();
        let mut calls: FxHashMap<_, ApiCallId> = FxHashMap::default();
        for call in ids::all::<ApiCallId>(self.span.len()) {
            if backtraces.next_if_eq(&call).is_some() || !with_backtrace.contains(&key(call)) {
                continue;
            }
            let start = |call: ApiCallId| self.span[call.index()].start;
            let first = calls.entry(key(call)).or_insert(call);
            if start(call) < start(*first) {
                *first = call;
            }
        }
        for &repeat in &self.with_backtrace {
            if let Some(&call) = calls.get(&key(repeat)) {
                repeated.repeat.push(repeat);
                repeated.call.push(call);
            }
        }
        repeated.finish()
    }
}

struct Reading<'a> {
    calls: RawApiCalls,
    names: NameReader<'a>,
}

impl Reading<'_> {
    fn push(&mut self, row: &Row<'_>) {
        let calls = &mut self.calls;
        let Some(span) = row.span(START, END, &mut calls.diagnostics) else { return };
        calls.span.push(span);
        calls.global_tid.push(row.int(GLOBAL_TID, &mut calls.diagnostics));
        calls.correlation.push(correlation_id(row, CORRELATION_ID, &mut calls.diagnostics));
        calls.name.push(self.names.cell(row, NAME_ID, &mut calls.diagnostics).unwrap_or(StrId::NONE));
        if row.int(EVENT_CLASS, &mut calls.diagnostics) == Some(WITH_BACKTRACE) {
            calls.with_backtrace.push(ApiCallId::new(calls.span.len() - 1));
        }
    }
}
