//! Operators of torch.profiler by name: the GPU time that they launched themselves, and with all operators inside them.
//!
//! ```text
//! operators   ├ aten::linear ──────────────────┤      total of linear: a + b
//!               ├ aten::addmm ─┤                     self of addmm: a
//! launches          a               b                self of linear: b
//! ```
//!
//! This is PyTorch's own view, as `key_averages()` has it; ops are the outermost operators.

use crate::base::groups::Grouped;
use crate::base::ids::{self, ApiCallId, StrId, ThreadId};
use crate::base::ordered::Cursor;
use crate::base::time::{Ns, Span};
use crate::capture::CaptureContents;
use crate::columns::PerText;
use std::cmp::Reverse;

/// All calls of an operator: a row of table `operators`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperatorStats {
    /// Its name.
    pub name: StrId,
    /// Number of calls.
    pub calls: u64,
    /// Time on the CPU, without operators directly inside.
    pub self_cpu_ns: Ns,
    /// Time on the CPU.
    pub total_cpu_ns: Ns,
    /// GPU time of the work that it launched itself: no operator inside it did.
    pub self_gpu_ns: Ns,
    /// GPU time of the work that it and operators inside it launched.
    pub total_gpu_ns: Ns,
}

/// A call of an operator.
struct Call {
    span: Span,
    name: StrId,
    /// The operator around it that contains it.
    around: Option<usize>,
    inside_cpu_ns: Ns,
    self_gpu_ns: Ns,
    total_gpu_ns: Ns,
}

/// The operators that start in windows, with the work launched there; most GPU time of their own first. Windows are disjoint and in
/// order.
pub(crate) fn operators(capture: &CaptureContents, windows: &[Span]) -> Vec<OperatorStats> {
    let launched = launched_ns(capture);
    let of_thread = |call: ApiCallId| capture.api_calls.thread[call].some().map(ThreadId::index);
    let launching = ids::all::<ApiCallId>(launched.len());
    let order = |call: &ApiCallId| capture.api_calls.span[*call].start;
    let by_thread = Grouped::sorted(&capture.memory, capture.threads.len(), launching, of_thread, order);
    let mut sums: PerText<Option<OperatorStats>> = PerText::new(capture.strings.len(), None);
    for thread in 0..capture.threads.len() {
        let calls = calls_of(capture, thread, by_thread.get(thread), &launched, windows);
        for call in calls {
            let sum = sums[call.name].get_or_insert(OperatorStats {
                name: call.name,
                calls: 0,
                self_cpu_ns: 0,
                total_cpu_ns: 0,
                self_gpu_ns: 0,
                total_gpu_ns: 0,
            });
            sum.calls += 1;
            sum.self_cpu_ns += (call.span.length() - call.inside_cpu_ns).max(0);
            sum.total_cpu_ns += call.span.length();
            sum.self_gpu_ns += call.self_gpu_ns;
            sum.total_gpu_ns += call.total_gpu_ns;
        }
    }
    let mut rows: Vec<OperatorStats> = sums.into_values().flatten().collect();
    rows.sort_by_key(|row| (Reverse(row.self_gpu_ns), capture.strings.get(row.name)));
    rows
}

/// By API call: the GPU time of what it launched.
fn launched_ns(capture: &CaptureContents) -> Vec<Ns> {
    let mut launched = vec![0; capture.api_calls.len()];
    for work in capture.work_ids() {
        if let Some(call) = capture.launches.api[work].some() {
            launched[call.index()] += capture.work.span[work].length();
        }
    }
    launched
}

/// The operators of a thread that start in windows, with what was launched in them.
fn calls_of(
    capture: &CaptureContents,
    thread: usize,
    launching: &[ApiCallId],
    launched: &[Ns],
    windows: &[Span],
) -> Vec<Call> {
    let Some(ranges) = capture.ranges.by_thread.get(thread) else { return Vec::new() };
    let starts: Vec<Ns> = windows.iter().map(|window| window.start).collect();
    let mut window = Cursor::new(&starts);
    let mut is_inside = |time: Ns| {
        let next = window.at_or_before(time);
        next > 0 && time < windows[next - 1].end
    };
    let mut calls: Vec<Call> = Vec::new();
    // The operators that are open, by their place among the calls.
    let mut open: Vec<usize> = Vec::new();
    let mut upcoming = launching.iter().copied().peekable();
    let own = |call: ApiCallId, open: &mut Vec<usize>, calls: &mut Vec<Call>| {
        let start = capture.api_calls.span[call].start;
        while open.pop_if(|at| calls[*at].span.end < start).is_some() {}
        if let Some(&innermost) = open.last() {
            calls[innermost].self_gpu_ns += launched[call.index()];
        }
    };
    for (&span, &text) in ranges.span.iter().zip(ranges.text.iter()) {
        let says = capture.ranges.texts[text.index()];
        if !says.is_operator || !is_inside(span.start) {
            continue;
        }
        while let Some(call) = upcoming.next_if(|&call| capture.api_calls.span[call].start < span.start) {
            own(call, &mut open, &mut calls);
        }
        while open.pop_if(|at| calls[*at].span.end <= span.start).is_some() {}
        let around = open.iter().rev().copied().find(|&at| calls[at].span.end >= span.end);
        if let Some(around) = around {
            calls[around].inside_cpu_ns += span.length();
        }
        open.push(calls.len());
        calls.push(Call { span, name: says.text, around, inside_cpu_ns: 0, self_gpu_ns: 0, total_gpu_ns: 0 });
    }
    upcoming.for_each(|call| own(call, &mut open, &mut calls));
    // Those inside come after the ones around them.
    for at in (0..calls.len()).rev() {
        calls[at].total_gpu_ns += calls[at].self_gpu_ns;
        if let Some(around) = calls[at].around {
            calls[around].total_gpu_ns += calls[at].total_gpu_ns;
        }
    }
    calls
}
