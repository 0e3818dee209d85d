//! The ranges and the API calls of a thread in order of time: op calls, and which of them owns each API call.
//!
//! A range that ends where the next one begins is left before it; an API call that starts there still lies inside. A range that
//! crosses the end of another is its sibling, and what is called after its start belongs to it; but times in whole microseconds let
//! a range end up to one of them after the one around it.

use super::frames::{Frames, Place};
use super::labels::{LabelKey, Labels};
use super::owning::{Kind, Owning, Role};
use crate::base::groups::Grouped;
use crate::base::ids::{self, ApiCallId, Maybe, OpCallId, RangeTextId, StrId, ThreadId};
use crate::base::time::{Ns, Span};
use crate::capture::correlate::Builder;
use crate::capture::correlate::backward::Sequences;
use crate::capture::names::profiler_step;
use crate::columns::Buffer;
use crate::read::facts::{Facts, NO_SEQUENCE, SequenceNumber};
use std::cmp::Reverse;

/// What owns the API calls.
pub(in crate::capture::correlate) struct Owned {
    /// By API call: its op call, or none.
    pub(in crate::capture::correlate) owner: Buffer<Maybe<OpCallId>>,
    /// Calls inside a range that describes a collective, and its place among the collectives.
    pub(in crate::capture::correlate) collectives: Vec<(ApiCallId, u32)>,
}

/// Makes the op calls, and finds the owner of every API call.
pub(in crate::capture::correlate) fn own_calls(facts: &Facts, builder: &mut Builder) -> Owned {
    let calls = &facts.api_calls;
    let keys = &facts.keys.operators;
    let role = |(at, says): (usize, &crate::read::facts::RangeText)| {
        let is_node = keys.get(at).is_some_and(|keys| keys.is_node);
        Role::of(facts.strings.get(says.text), says.is_operator, is_node)
    };
    let mut walker = Walker {
        facts,
        roles: facts.ranges.texts.iter().enumerate().map(role).collect(),
        labels: Labels::new(facts),
        sequences: Sequences::new(&facts.memory, facts.processes.len()),
        is_host_alone: calls.is_empty() && facts.work.is_empty(),
        owned: Owned { owner: facts.memory.filled(calls.len(), Maybe::NONE), collectives: Vec::new() },
        builder,
    };
    let thread = |call: ApiCallId| calls.thread[call].some().map(ThreadId::index);
    let order = |call: &ApiCallId| (calls.span[*call].start, Reverse(calls.span[*call].end));
    let of_threads =
        Grouped::sorted(&facts.memory, facts.threads.len(), ids::all(calls.len()), thread, order);
    for thread in ids::all::<ThreadId>(facts.threads.len()) {
        walker.walk(thread, of_threads.get(thread.index()));
    }
    let Walker { sequences, owned, builder, .. } = walker;
    sequences.link(&mut builder.calls, &mut builder.labels, &mut builder.diagnostics);
    owned
}

/// By how much a range may end after the one around it.
const ROUNDING: Ns = 1_000;

/// Whether a range that starts in another one crosses its end.
fn crosses(range: Span, around: Span) -> bool {
    range.end > around.end.saturating_add(ROUNDING)
}

/// A range that is open.
struct Open {
    span: Span,
    text: RangeTextId,
    owning: Owning,
    /// Its op call; none until something makes it one.
    call: Maybe<OpCallId>,
    /// Annotations around, as a path; of an annotation itself included in `inside`.
    path: StrId,
    inside: StrId,
    place: Place,
    /// The text that names the operation of a collective, once it was met.
    collective: StrId,
    /// Whether its number in the sequence is noted.
    is_numbered: bool,
    /// Whether a range is inside.
    holds_others: bool,
    /// Time of the op calls directly inside.
    nested_ns: Ns,
    /// Until when its API calls are counted.
    covered_to: Ns,
}

struct Walker<'a, 'b> {
    facts: &'a Facts,
    /// By text of ranges.
    roles: Vec<Role>,
    labels: Labels<'a>,
    sequences: Sequences,
    owned: Owned,
    /// Whether the trace has neither API calls nor GPU work.
    is_host_alone: bool,
    builder: &'b mut Builder,
}

impl Walker<'_, '_> {
    fn walk(&mut self, thread: ThreadId, calls: &[ApiCallId]) {
        let ranges = &self.facts.ranges.by_thread[thread.index()];
        let mut frames = Frames::of_thread(self.facts, thread);
        let mut open: Vec<Open> = Vec::new();
        let mut upcoming = calls.iter().copied().peekable();
        for (row, &span) in ranges.span.iter().enumerate() {
            while let Some(call) =
                upcoming.next_if(|&call| self.facts.api_calls.span[call].start < span.start)
            {
                self.own(thread, call, &mut open);
            }
            while open.last().is_some_and(|inner| inner.span.end <= span.start || crosses(span, inner.span)) {
                self.close(thread, &mut open);
            }
            let place = frames.place(self.facts, span.start, &mut self.labels.lists);
            self.enter(thread, row, place, &mut open);
        }
        for call in upcoming {
            self.own(thread, call, &mut open);
        }
        while !open.is_empty() {
            self.close(thread, &mut open);
        }
    }

    /// Opens a range, which becomes an op call if it is an operator that would own calls.
    fn enter(&mut self, thread: ThreadId, row: usize, place: Place, open: &mut Vec<Open>) {
        let ranges = &self.facts.ranges.by_thread[thread.index()];
        let (span, text) = (ranges.span[..][row], ranges.text[..][row]);
        let sequence = self.facts.keys.sequences[thread.index()][..][row];
        let (role, level) = (self.roles[text.index()], open.len());
        let (around, path) =
            open.last().map_or((Owning::default(), StrId::NONE), |around| (around.owning, around.inside));
        if let Some(around) = open.last_mut() {
            around.holds_others = true;
        }
        let mut owning = around.inside(role, sequence != NO_SEQUENCE, level);
        let is_found = owning.found == Some(level);
        owning.is_backward |= is_found && role.kind == Kind::Operator && role.is_node_by_name;
        let inside = match role.kind {
            Kind::Annotation => self.labels.path_inside(self.builder, path, text),
            _ => path,
        };
        open.push(Open {
            span,
            text,
            owning,
            call: Maybe::NONE,
            path,
            inside,
            place,
            collective: StrId::NONE,
            is_numbered: false,
            holds_others: false,
            nested_ns: 0,
            covered_to: Ns::MIN,
        });
        if is_found && role.is_operator {
            self.make_call(thread, level, open);
        }
        if owning.is_collective
            && role.names_collective
            && let Some(owner) = owning.found.and_then(|found| open.get_mut(found))
            && owner.collective.is_none()
        {
            owner.collective = self.facts.ranges.texts[text.index()].text;
        }
        if role.is_operator && sequence != NO_SEQUENCE {
            self.note_number(thread, sequence, role, open);
        }
    }

    /// Notes the number of the range that was opened last: a node's for the backward op call, any other for the op call around.
    fn note_number(&mut self, thread: ThreadId, number: SequenceNumber, role: Role, open: &mut [Open]) {
        let process = self.facts.process_of(thread);
        let level = open.len() - 1;
        let start = open[level].span.start;
        let Some(found) = open[level].owning.found else { return };
        let owner = &mut open[found];
        let Some(call) = owner.call.some().filter(|_| !owner.owning.is_collective) else { return };
        if !role.is_node {
            self.sequences.forward(process, number, start, call);
        } else if !owner.is_numbered {
            owner.is_numbered = true;
            self.sequences.backward(process, number, start, call);
        }
    }

    /// Gives an API call to the range that owns it.
    fn own(&mut self, thread: ThreadId, call: ApiCallId, open: &mut Vec<Open>) {
        let span = self.facts.api_calls.span[call];
        while open.last().is_some_and(|inner| inner.span.end < span.start) {
            self.close(thread, open);
        }
        let Some(innermost) = open.last() else { return };
        let level = innermost.owning.found.unwrap_or(open.len() - 1);
        if innermost.owning.is_collective {
            let described = |range: &Open| self.facts.keys.operators.get(range.text.index())?.collective;
            let collective = open[level..].iter().rev().find_map(described);
            self.owned.collectives.extend(collective.map(|collective| (call, collective)));
        }
        let owning = open[level].call.some().unwrap_or_else(|| self.make_call(thread, level, open));
        let owner = &mut open[level];
        self.owned.owner[call.index()] = owning.into();
        self.builder.api_ns[owning.index()] += (span.end - span.start.max(owner.covered_to)).max(0);
        owner.covered_to = span.end.max(owner.covered_to);
    }

    /// Whether a range is an op call though no operator and no API call makes it one: a collective that runs on the CPU, or a range
    /// of the program without ranges inside, in a trace without API calls and GPU work.
    fn tells_work_of_host(&self, range: &Open, level: usize) -> bool {
        let says = &self.facts.ranges.texts[range.text.index()];
        self.is_host_alone
            && range.call.is_none()
            && match self.roles[range.text.index()].kind {
                Kind::Collective => range.owning.found == Some(level),
                Kind::Annotation => {
                    let is_step = || profiler_step(self.facts.strings.get(says.text)).is_some();
                    range.owning.found.is_none() && !range.holds_others && !is_step()
                }
                Kind::Operator | Kind::Wrapper => false,
            }
    }

    fn make_call(&mut self, thread: ThreadId, level: usize, open: &mut [Open]) -> OpCallId {
        let range = &mut open[level];
        let label = self.labels.label(self.builder, range.key(), self.roles[range.text.index()]);
        let call = self.builder.add_call(range.span, thread.into(), label);
        range.call = call.into();
        call
    }

    /// Leaves the innermost range. Where only the host works, it becomes an op call now if nothing inside tells what it did.
    fn close(&mut self, thread: ThreadId, open: &mut Vec<Open>) {
        if open.last().is_some_and(|range| self.tells_work_of_host(range, open.len() - 1)) {
            self.make_call(thread, open.len() - 1, open);
        }
        let Some(range) = open.pop() else { return };
        let mut nested_ns = range.nested_ns;
        if let Some(call) = range.call.some() {
            let length = range.span.length();
            let own = &mut self.builder.cpu_ns[call.index()];
            *own = (*own - nested_ns).max(0);
            nested_ns = length;
            if !range.collective.is_none() {
                let role = self.roles[range.text.index()];
                self.builder.calls.label[call.index()] = self.labels.label(self.builder, range.key(), role);
            }
        }
        if let Some(around) = open.last_mut() {
            around.nested_ns += nested_ns;
        }
    }
}

impl Open {
    fn key(&self) -> LabelKey {
        let Self { path, place, text, collective, .. } = *self;
        LabelKey { path, place, text, collective, is_backward: self.owning.is_backward }
    }
}
