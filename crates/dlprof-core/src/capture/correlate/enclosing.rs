//! API calls to the op call that is open on their thread.
//!
//! ```text
//! op calls   ├── forward ────────────────────┤
//!              ├ conv2d ┤        ├ linear ┤
//! API calls     a    b  c    d     e         f
//! owner        conv2d ×3  forward  linear  forward
//! ```
//!
//! The owner is the innermost op call open when the API call starts; an API call that starts exactly where an
//! op call stops (`c`, `f`) still belongs to it. "The op call started last" would be wrong for `d`, hence the
//! stack.

use super::Builder;
use crate::base::groups::Grouped;
use crate::base::ids::{self, ApiCallId, Maybe, OpCallId, ThreadId};
use crate::base::time::{Ns, Span};
use crate::capture::nesting_order;
use crate::columns::{Buffer, Memory};

/// The owner of every API call; none outside op calls. Op calls get their API time. API calls count on the threads given, which
/// are their own but for loose work.
pub(super) fn owners(
    memory: &Memory,
    api_span: &[Span],
    api_thread: &[Maybe<ThreadId>],
    builder: &mut Builder,
    threads: usize,
) -> Buffer<Maybe<OpCallId>> {
    let mut owners = memory.filled(api_span.len(), Maybe::NONE);
    let (calls, api_ns) = (&builder.calls.span, &mut builder.api_ns);
    let mut cursors = Cursor::of_threads(memory, calls, &builder.calls.thread, threads);
    let mut own = |api: ApiCallId| {
        let (span, thread) = (api_span[api.index()], api_thread[api.index()]);
        let Some(thread) = thread.some() else { return };
        let cursor = &mut cursors[thread.index()];
        let Some(owner) = cursor.innermost(calls, span.start) else { return };
        owners[api.index()] = owner.call.into();
        api_ns[owner.call.index()] += (span.end - span.start.max(owner.covered_to)).max(0);
        owner.covered_to = span.end.max(owner.covered_to);
    };
    let all = ids::all::<ApiCallId>(api_span.len());
    if is_in_order(api_span, api_thread, threads) {
        all.for_each(own);
        return owners;
    }
    let thread = |api: ApiCallId| api_thread[api.index()].some().map(ThreadId::index);
    let by_thread = Grouped::sorted(memory, threads, all, thread, |&api| api_span[api.index()].start);
    by_thread.items().iter().for_each(|&api| own(api));
    owners
}

/// Whether the API calls of each thread stand in order of start, as they do in most exports.
fn is_in_order(spans: &[Span], of_thread: &[Maybe<ThreadId>], threads: usize) -> bool {
    let mut last = vec![Ns::MIN; threads];
    spans.iter().zip(of_thread).all(|(span, thread)| {
        let Some(thread) = thread.some() else { return true };
        std::mem::replace(&mut last[thread.index()], span.start) <= span.start
    })
}

/// A thread's op calls, walked along with its API calls.
struct Cursor {
    /// Calls in the order in which they open; those from `next` on open later.
    calls: Buffer<OpCallId>,
    next: usize,
    /// The open ones, outermost first.
    open: Vec<Open>,
}

/// An op call whose API calls are being met.
struct Open {
    call: OpCallId,
    /// Until when its API calls have been counted.
    covered_to: Ns,
}

impl Cursor {
    fn of_threads(
        memory: &Memory,
        spans: &[Span],
        of_thread: &[Maybe<ThreadId>],
        threads: usize,
    ) -> Vec<Self> {
        let cursor = || Self { calls: memory.buffer(0), next: 0, open: Vec::new() };
        let mut cursors: Vec<Self> = std::iter::repeat_with(cursor).take(threads).collect();
        for (call, thread) in ids::all::<OpCallId>(spans.len()).zip(of_thread) {
            if let Some(thread) = thread.some() {
                cursors[thread.index()].calls.push(call);
            }
        }
        for cursor in &mut cursors {
            // Stable, because it merges the sorted runs in which calls stand.
            cursor.calls.sort_by_key(|&call| nesting_order(spans[call.index()], call));
        }
        cursors
    }

    /// The innermost op call that is open at a time, which is not before that of the last question.
    fn innermost(&mut self, spans: &[Span], time: Ns) -> Option<&mut Open> {
        while let Some(&call) = self.calls.get(self.next)
            && spans[call.index()].start <= time
        {
            self.open.push(Open { call, covered_to: Ns::MIN });
            self.next += 1;
        }
        while self.open.pop_if(|open| spans[open.call.index()].end < time).is_some() {}
        self.open.last_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::ids::LabelId;
    use crate::base::intervals::union_length;
    use proptest::prelude::*;

    const THREADS: usize = 2;

    fn spans(most: usize) -> impl Strategy<Value = Vec<(usize, Span)>> {
        let span = (0..THREADS, 0i64..40, 0i64..15).prop_map(|(thread, s, l)| (thread, Span::new(s, s + l)));
        prop::collection::vec(span, 0..most)
    }

    proptest! {
        /// In any order of rows; the owner is looked for among all op calls.
        #[test]
        fn owners_are_the_innermost_open_calls(calls in spans(12), apis in spans(20), is_sorted: bool) {
            let mut builder = Builder::new(&Memory::unlimited());
            for &(thread, span) in &calls {
                builder.add_call(span, ThreadId::new(thread).into(), LabelId::new(0));
            }
            let mut apis = apis;
            if is_sorted {
                apis.sort_by_key(|(_, span)| span.start);
            }
            let api_span: Vec<Span> = apis.iter().map(|(_, span)| *span).collect();
            let api_thread: Vec<Maybe<ThreadId>> =
                apis.iter().map(|(thread, _)| ThreadId::new(*thread).into()).collect();
            let found = owners(&Memory::unlimited(), &api_span, &api_thread, &mut builder, THREADS);
            for (&(thread, api), &owner) in apis.iter().zip(&found) {
                let is_open = |call: &OpCallId| {
                    let (of, span) = calls[call.index()];
                    of == thread && span.start <= api.start && api.start <= span.end
                };
                let open = ids::all::<OpCallId>(calls.len()).filter(is_open);
                let innermost = open.max_by_key(|call| nesting_order(calls[call.index()].1, *call));
                prop_assert_eq!(owner.some(), innermost);
            }
            for call in ids::all::<OpCallId>(calls.len()) {
                let owned = apis.iter().zip(&found).filter(|(_, owner)| **owner == call);
                let mut owned: Vec<Span> = owned.map(|((_, span), _)| *span).collect();
                owned.sort();
                prop_assert_eq!(builder.api_ns[call.index()], union_length(owned));
            }
        }
    }
}
