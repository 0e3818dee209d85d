//! CPU times of the op calls of a DLProf database.
//!
//! DLProf's op calls do not lie in one another. Those that this tool wrote from plain ranges may; each has the CPU time outside
//! the calls nested directly in it, as in a capture of an export.

use super::mode::Mode;
use crate::base::ids::{Maybe, ThreadId};
use crate::base::time::{Ns, Span};
use crate::columns::{Buffer, Memory};
use crate::read::facts::DlprofFacts;
use std::cmp::Reverse;

/// DLProf's number for loose work, in its column about Tensor Cores.
pub(super) const LOOSE: i64 = 2;

/// By op call: its CPU time.
pub(super) fn cpu_times(facts: &DlprofFacts, mode: Mode, memory: &Memory) -> Buffer<Ns> {
    let calls = &facts.op_calls;
    if mode == Mode::Simple {
        return memory.filled(calls.span.len(), 0);
    }
    let mut cpu_ns = memory.collect(calls.span.iter().map(|span| span.length()));
    if !Mode::wrote(&facts.notes.original_command) || mode == Mode::PytorchMarkers {
        return cpu_ns;
    }
    let name = |call: usize| facts.ops[calls.op[call] as usize].name.as_str();
    let is_loose = |call: usize| facts.notes.ops[calls.op[call] as usize].tc_support_status == LOOSE;
    let mut order: Vec<usize> = (0..calls.span.len()).filter(|&call| !is_loose(call)).collect();
    // Of calls at the same time, the one with the shorter path is around the other.
    order.sort_by_key(|&call| {
        let span = calls.span[call];
        (calls.thread[call], span.start, Reverse(span.end), name(call), call)
    });
    let mut open: Vec<(usize, Maybe<ThreadId>, Span)> = Vec::new();
    for call in order {
        let (thread, span) = (calls.thread[call], calls.span[call]);
        let is_over = |around: &mut (usize, Maybe<ThreadId>, Span)| {
            around.1 != thread || span.end > around.2.end || span.start > around.2.end
        };
        while open.pop_if(is_over).is_some() {}
        if let Some((parent, ..)) = open.last() {
            cpu_ns[*parent] -= span.length();
        }
        open.push((call, thread, span));
    }
    cpu_ns
}
