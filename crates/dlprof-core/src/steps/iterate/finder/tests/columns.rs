//! Columns of a capture, from which the tables are made that the finder borrows.

use super::super::{FinderInput, FoundIterations, RangeSays, find};
use crate::base::ids::{ApiCallId, Maybe, ProcessId, RangeTextId, StrId, StreamId, ThreadId, WorkId};
use crate::base::time::Span;
use crate::capture::Launches;
use crate::capture::correlate::families;
use crate::columns::{FactColumn, StringPool, Texts};
use crate::read::facts::{
    ApiCallFacts, Process, RangeText, RecordedTables, RecordedThread, ThreadRangeFacts,
};
use rustc_hash::FxHashMap;

/// All columns of a capture that the finder reads.
#[derive(Default)]
pub(super) struct Columns {
    pub(super) strings: StringPool,
    pub(super) process_of_thread: Vec<ProcessId>,
    pub(super) texts: Vec<RangeText>,
    known_texts: FxHashMap<(StrId, bool, bool), RangeTextId>,
    pub(super) ranges: Vec<(Vec<Span>, Vec<RangeTextId>)>,
    pub(super) calls: (Vec<Span>, Vec<Maybe<ThreadId>>, Vec<StrId>),
    pub(super) kernels: Items,
    pub(super) stream: Vec<u32>,
    pub(super) long_name: Vec<StrId>,
    pub(super) short_name: Vec<StrId>,
    pub(super) whole_graphs: usize,
    pub(super) copies: Items,
    pub(super) copy_kind: Vec<u8>,
    pub(super) memsets: Items,
}

/// Columns of GPU items.
#[derive(Default)]
pub(super) struct Items {
    pub(super) span: Vec<Span>,
    pub(super) process: Vec<Maybe<ProcessId>>,
    pub(super) call: Vec<Maybe<ApiCallId>>,
}

impl Items {
    pub(super) fn push(&mut self, span: Span, process: ProcessId, call: Maybe<ApiCallId>) {
        self.span.push(span);
        self.process.push(process.into());
        self.call.push(call);
    }
}

impl Columns {
    /// Adds a range. What `emit_nvtx` appends to its text is taken off.
    pub(super) fn range(&mut self, thread: usize, span: Span, text: &str, is_user: bool) {
        let end = [", seq = ", ", op_id = ", ", sizes = "].iter().filter_map(|mark| text.find(mark)).min();
        let end = end.filter(|_| !text.starts_with('{'));
        let (text, is_operator) = (self.strings.intern(&text[..end.unwrap_or(text.len())]), end.is_some());
        let domain = if is_user { StrId::NONE } else { self.strings.intern("a library") };
        let next = RangeTextId::new(self.texts.len());
        let id = *self.known_texts.entry((text, is_operator, is_user)).or_insert(next);
        if id == next {
            self.texts.push(RangeText { text, sizes: StrId::NONE, domain, is_operator });
        }
        if self.ranges.len() <= thread {
            self.ranges.resize_with(thread + 1, Default::default);
        }
        let (spans, texts) = &mut self.ranges[thread];
        spans.push(span);
        texts.push(id);
    }

    /// Adds an API call.
    pub(super) fn call(&mut self, thread: ThreadId, span: Span, name: &str) -> ApiCallId {
        self.calls.0.push(span);
        self.calls.1.push(thread.into());
        self.calls.2.push(self.strings.intern(name));
        ApiCallId::new(self.calls.0.len() - 1)
    }

    /// Adds a kernel, or a whole graph launch after all kernels.
    pub(super) fn kernel(&mut self, stream: u32, long_name: &str, short_name: &str) {
        self.stream.push(stream);
        self.long_name.push(self.strings.intern(long_name));
        self.short_name.push(self.strings.intern(short_name));
    }

    /// What the finder finds.
    pub(super) fn find(&self) -> FoundIterations {
        let lists = self.ranges.iter().map(|(_, texts)| &texts[..]);
        let shared = families::shared_names_of(
            self.strings.len(),
            |id| self.strings.get(id),
            &self.texts,
            |_| true,
            lists,
        );
        let says = |text: &RangeText| {
            let name = shared.get(&text.text).map_or_else(|| self.strings.get(text.text), String::as_str);
            let is_user = text.domain.is_none();
            RangeSays { text: self.strings.get(text.text), name, is_user, has_appendix: text.is_operator }
        };
        let texts: Vec<RangeSays<'_>> = self.texts.iter().map(says).collect();
        find(&FinderInput {
            strings: &Texts::from(&self.strings),
            recorded: &self.recorded(),
            launches: &Launches { api: self.items(|items| &items.call) },
            process_of_work: &self.items::<Maybe<ProcessId>>(|items| &items.process),
            texts: &texts,
        })
    }

    /// A column of all GPU items.
    fn items<T: Copy + Send + Sync + 'static>(
        &self,
        of: impl Fn(&Items) -> &Vec<T>,
    ) -> FactColumn<WorkId, T> {
        [&self.kernels, &self.copies, &self.memsets].into_iter().flat_map(|items| of(items).clone()).collect()
    }

    fn recorded(&self) -> RecordedTables {
        let mut recorded = RecordedTables::default();
        let (span, thread, name) = self.calls.clone();
        recorded.api_calls = ApiCallFacts { span: span.into(), thread: thread.into(), name: name.into() };
        recorded.work.span = self.items(|items| &items.span);
        recorded.work.stream = self.stream.iter().map(|&stream| StreamId::new(stream as usize)).collect();
        recorded.kernels.long_name = self.long_name.clone().into();
        recorded.kernels.short_name = self.short_name.clone().into();
        recorded.copies.kind = self.copy_kind.clone().into();
        let list = |(span, text): &(Vec<Span>, Vec<RangeTextId>)| ThreadRangeFacts {
            span: span.clone().into(),
            text: text.clone().into(),
        };
        recorded.ranges.by_thread = self.ranges.iter().map(list).collect();
        let of_items =
            [&self.kernels, &self.copies, &self.memsets].into_iter().flat_map(|items| &items.process);
        let of_items = of_items.filter_map(|process| process.some());
        let processes = self.process_of_thread.iter().copied().chain(of_items);
        let processes = processes.map(|process| process.index() + 1).max().unwrap_or(0);
        recorded.about.processes = vec![Process { global_pid: 0, name: None }; processes];
        let thread = |&process| RecordedThread { global_tid: 0, process, name: StrId::NONE };
        recorded.about.threads = self.process_of_thread.iter().map(thread).collect();
        recorded.about.whole_graphs = self.whole_graphs;
        recorded
    }
}
