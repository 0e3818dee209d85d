//! When threads try algorithms.
//!
//! ```text
//! calls of a thread  │ conv │alloc│ try A │wait│check│copy│wait│free│alloc│ try B │wait│check│copy│wait│free│ conv │
//! tries algorithms          └───────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! What a thread calls from the last launch or wait of the program itself on belongs to the algorithm that it tries next: memory
//! for it, events, waits. So does what brings the result of the last check: a copy, and the wait after it.

use crate::base::ids::{ApiCallId, WorkId};
use crate::base::time::{Ns, Span};
use crate::capture::classified::Classified;
use crate::capture::names::ApiClass;
use rustc_hash::FxHashSet;

/// By thread: when it tries algorithms, in order and apart. `kernels` are those of the algorithms and those that check them.
pub(super) fn trial_spans(facts: &Classified<'_>, kernels: impl Iterator<Item = WorkId>) -> Vec<Vec<Span>> {
    let calls = &facts.activity().api_calls;
    let launches: FxHashSet<ApiCallId> =
        kernels.filter_map(|kernel| facts.call_row(kernel.index())).collect();
    let mut by_thread = vec![Vec::new(); facts.threads()];
    if launches.is_empty() {
        return by_thread;
    }
    for (thread, spans) in by_thread.iter_mut().enumerate() {
        let mut finder = Finder { spans, run: None, since: None };
        for &row in facts.calls_by_thread().get(thread) {
            let call = ApiCallId::new(row as usize);
            let span = calls.span[call.index()];
            match facts.function(call).class {
                ApiClass::Launch if launches.contains(&call) => finder.tries(span),
                ApiClass::Launch => finder.launches(span),
                ApiClass::Copy => finder.copies(span),
                ApiClass::Sync => finder.waits(span),
                ApiClass::Allocation | ApiClass::Setup | ApiClass::Api => {}
            }
        }
        finder.end_run();
    }
    by_thread
}

/// The calls of a thread in order of start, so far.
struct Finder<'a> {
    spans: &'a mut Vec<Span>,
    /// Tries that no launch of the program interrupts, and whether the result of the last one may still come.
    run: Option<(Span, bool)>,
    /// Since when the calls of the thread may belong to the next try.
    since: Option<Ns>,
}

impl Finder<'_> {
    fn tries(&mut self, call: Span) {
        let start = self.run.map_or(self.since.unwrap_or(call.start).min(call.start), |(run, _)| run.start);
        self.run = Some((Span::new(start, call.end), true));
    }

    fn copies(&mut self, call: Span) {
        self.extend(call);
    }

    fn waits(&mut self, call: Span) {
        self.extend(call);
        match &mut self.run {
            Some((_, is_open)) => *is_open = false,
            None => self.since = Some(call.end),
        }
    }

    fn extend(&mut self, call: Span) {
        if let Some((run, true)) = &mut self.run {
            run.end = run.end.max(call.end);
        }
    }

    fn launches(&mut self, call: Span) {
        self.end_run();
        self.since = Some(call.end);
    }

    fn end_run(&mut self) {
        self.spans.extend(self.run.take().map(|(run, _)| run));
    }
}
