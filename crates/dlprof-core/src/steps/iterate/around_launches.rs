//! Where iterations begin whose key node is a kernel: not at its launch, but with the outermost op call around it, because work is
//! counted with its op call.
//!
//! ```text
//! op calls      ├──── conv ────┤ ├ relu ┤   ├──── conv ────┤ ├ relu ┤
//! launches         a    b           c          a    b           c
//! iterations    │─────────── 1 ───────────│ │─────────── 2 ──────────       not from `a` on
//! ```
//!
//! An op call that holds launches of several iterations, such as a range around the loop, begins none of them.

use super::finder::ProcessIterations;
use crate::base::ids::{ProcessId, ThreadId};
use crate::base::ordered::Cursor;
use crate::base::time::{Ns, Span};
use crate::capture::Capture;
use rustc_hash::FxHashMap;

/// Lets iterations that begin at launches begin with the op calls around these.
pub(super) fn begin_with_op_calls(capture: &Capture, process: &mut ProcessIterations) {
    let starts: Vec<Ns> = process.iterations.iter().map(|iteration| iteration.start).collect();
    let begins = launches_begin(capture, process.process, &starts);
    for (iteration, begin) in process.iterations.iter_mut().zip(&begins) {
        iteration.start = *begin;
    }
    for at in 1..process.iterations.len() {
        let next = process.iterations[at].start;
        let before = &mut process.iterations[at - 1];
        *before = Span::new(before.start, before.end.min(next).max(before.start));
    }
}

/// By launch of a process, in order: where the outermost op call around it begins that holds no other of these launches, or the
/// launch itself.
pub(super) fn launches_begin(capture: &Capture, process: ProcessId, starts: &[Ns]) -> Vec<Ns> {
    let threads = launching_threads(capture, process, starts);
    let mut begins = starts.to_vec();
    let mut launch = Cursor::new(starts);
    let op_calls = &capture.op_calls;
    for (&span, &thread) in op_calls.span.iter().zip(&op_calls.thread) {
        let first = launch.at_or_before(span.start);
        let Some(&start) = starts.get(first).filter(|&&start| start < span.end) else { continue };
        let holds_next = starts.get(first + 1).is_some_and(|&next| next < span.end);
        if !holds_next && threads.get(&start) == Some(&thread) {
            begins[first] = begins[first].min(span.start);
        }
    }
    begins
}

/// By start of a launch: the thread that made it.
fn launching_threads(capture: &Capture, process: ProcessId, starts: &[Ns]) -> FxHashMap<Ns, ThreadId> {
    let mut threads: FxHashMap<Ns, ThreadId> = starts.iter().map(|&start| (start, ThreadId::NONE)).collect();
    let calls = &capture.api_calls;
    for (span, &thread) in calls.span.iter().zip(&calls.thread) {
        if let Some(found) = threads.get_mut(&span.start)
            && !thread.is_none()
            && (process.is_none() || capture.process_of(thread) == process)
        {
            *found = thread;
        }
    }
    threads
}

#[cfg(test)]
mod tests {
    use crate::figures::profile::Profile;
    use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
    use crate::tests::drawn::Drawn;

    /// Six steps inside a loop: an op that allocates before it launches two kernels, and another op. No range marks the steps.
    fn profile(key_node: &KeyNodeChoice) -> Profile {
        let mut drawn = Drawn::new();
        drawn.range("loop", 90..1_000_000);
        for step in 0..12 {
            let start = 1_000 + step * 1_000;
            drawn.range("conv", start..start + 300);
            drawn.launch(start + 100..start + 110, "gemm", start + 120..start + 200);
            drawn.launch(start + 200..start + 210, "bias", start + 220..start + 230 + 10 * step);
            drawn.range("relu", start + 400..start + 500);
            drawn.launch(start + 410..start + 420, "relu", start + 430..start + 440);
        }
        let index = drawn.capture().index(key_node).expect("it ran");
        index.profile(&RangeChoice::default()).expect("a profile")
    }

    #[test]
    fn an_iteration_begins_with_the_op_around_its_first_launch() {
        for key_node in [KeyNodeChoice::Named("kernel:gemm".into()), KeyNodeChoice::Find] {
            let profile = profile(&key_node);
            let boundaries = &profile.index.iterations.boundaries;
            let starts: Vec<i64> = (0..12).map(|step| 1_000 + step * 1_000).collect();
            assert_eq!(boundaries[1..=12], starts, "{key_node:?}");
            let launches: Vec<u64> = profile.iteration_stats.iter().map(|row| row.kernels.launches).collect();
            assert_eq!(launches[..13], [&[0][..], &[3; 12]].concat(), "{key_node:?}");
        }
    }
}
