//! Where iterations begin that launches delimit: with the outermost op call around the launch.
//!
//! ```text
//! op calls     ├ conv ────┤ ├ relu ┤   ├ conv ────┤ ├ relu ┤
//! launches        a             b         a             b        `a` begins a step
//! iterations  0 │────────── 1 ─────────│────────── 2 ─────────
//! ```
//!
//! An op call that also holds a kernel of the step before, or the beginning of the next step, such as a range around the loop, is
//! no beginning.

use super::finder::ProcessIterations;
use crate::base::ids::{Maybe, ThreadId};
use crate::base::time::{Ns, Span};
use crate::capture::Capture;
use crate::read::facts::WorkKind;
use rustc_hash::FxHashMap;

/// The beginnings of a thread's iterations.
#[derive(Debug, Default)]
pub(super) struct OpBeginnings {
    /// Op calls in order of start, of equals the outermost first.
    op_calls: Vec<Span>,
    /// Starts of the API calls that launched kernels, ascending.
    launches: Vec<Ns>,
}

impl OpBeginnings {
    /// Those of some threads, in one pass for all of them.
    pub(super) fn by_thread(
        capture: &Capture,
        threads: impl Iterator<Item = Maybe<ThreadId>>,
    ) -> FxHashMap<Maybe<ThreadId>, Self> {
        let mut found: FxHashMap<Maybe<ThreadId>, Self> =
            threads.map(|thread| (thread, Self::default())).collect();
        let (calls, api_calls) = (&capture.op_calls, &capture.api_calls);
        for call in calls.ids() {
            if let Some(of_thread) = found.get_mut(&calls.thread[call]) {
                of_thread.op_calls.push(calls.span[call]);
            }
        }
        let kernels = capture.work_ids().filter(|&work| capture.work_kind(work) == WorkKind::Kernel);
        for api in kernels.filter_map(|kernel| capture.launches.api[kernel].some()) {
            if let Some(of_thread) = found.get_mut(&api_calls.thread[api]) {
                of_thread.launches.push(api_calls.span[api].start);
            }
        }
        for of_thread in found.values_mut() {
            of_thread.op_calls.sort_unstable_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
            of_thread.launches.sort_unstable();
        }
        found
    }

    /// Moves ascending beginnings of iterations to those of their op calls.
    pub(super) fn move_back(&self, starts: &mut [Ns]) {
        let longest = starts.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(Ns::MAX);
        for at in 0..starts.len() {
            let next = starts.get(at + 1).copied().unwrap_or(Ns::MAX);
            starts[at] = self.beginning(starts[at], next, longest);
        }
    }

    /// The same with iterations: each still ends where the next one begins.
    fn move_spans(&self, iterations: &mut [Span]) {
        let mut starts: Vec<Ns> = iterations.iter().map(|span| span.start).collect();
        self.move_back(&mut starts);
        for (at, &start) in starts.iter().enumerate() {
            if let Some(before) = at.checked_sub(1).filter(|&before| iterations[before].end > start) {
                iterations[before].end = start;
            }
            iterations[at].start = start;
        }
    }

    /// The start of the outermost op call around a launch that holds neither the kernel before nor the next beginning, and that does
    /// not begin longer before than the longest iteration lasts, as what a program does first may.
    fn beginning(&self, launch: Ns, next: Ns, longest: Ns) -> Ns {
        let before = self.launches[..self.launches.partition_point(|&start| start < launch)].last();
        let from = before.map_or(0, |&before| self.op_calls.partition_point(|span| span.start <= before));
        let started = self.op_calls[from..].iter().take_while(|span| span.start <= launch);
        let mut around = started.filter(|span| {
            span.end >= launch && span.end < next && launch.saturating_sub(span.start) <= longest
        });
        around.next().map_or(launch, |span| span.start)
    }
}

/// Moves the iterations of processes to where their op calls begin; each still ends where the next one begins.
pub(super) fn move_iterations(capture: &Capture, processes: &mut [ProcessIterations]) {
    let beginnings = OpBeginnings::by_thread(capture, processes.iter().map(|process| process.thread));
    for process in processes {
        beginnings[&process.thread].move_spans(&mut process.iterations);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::profile::Profile;
    use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
    use crate::tests::drawn::Drawn;

    /// Sixty steps of four ops in a range around the loop: the first op copies before its kernel. In step 30 the last op
    /// launches its kernel twice as long.
    fn drawn() -> Drawn {
        let mut drawn = Drawn::new();
        drawn.range("loop", 0..70_000);
        for step in 0..60 {
            let start = 100 + step * 1_000;
            for (op, name) in ["first", "second", "third", "fourth"].into_iter().enumerate() {
                let at = start + 200 * Ns::try_from(op).expect("few ops");
                drawn.range(&format!("aten::{name}"), at..at + 100);
                if op == 0 {
                    drawn.copy(at + 10..at + 12, 8, at + 20..at + 21);
                }
                let length = if step == 30 && op == 3 { 80 } else { 40 };
                drawn.launch(at + 50..at + 60, name, at + 60..at + 60 + length);
            }
        }
        drawn
    }

    fn profile(key_node: &str) -> Profile {
        let index = drawn().capture().index(&KeyNodeChoice::Named(key_node.into())).expect("it ran");
        index.profile(&RangeChoice::default()).expect("a profile")
    }

    #[test]
    fn iterations_begin_with_the_outermost_op_that_is_no_loop() {
        for key_node in ["kernel:first", "kernels:4:first"] {
            let profile = profile(key_node);
            let starts: Vec<Ns> = (1..=60).map(|step| profile.index.iterations.span(step).start).collect();
            assert_eq!(starts, (0..60).map(|step| 100 + step * 1_000).collect::<Vec<Ns>>(), "{key_node}");
            // The loop goes on after the last kernel of a series, in a piece that is no iteration.
            let is_meant =
                |&at: &usize| !profile.index.iterations.is_outside(u32::try_from(at).expect("few"));
            let kernels = (0..profile.iteration_stats.len())
                .filter(is_meant)
                .map(|at| &profile.iteration_stats[at].kernels)
                .map(|kernels| (kernels.launches, kernels.gpu_ns));
            let expected = |step| (4, if step == 31 { 200 } else { 160 });
            let expected = std::iter::once((0, 0)).chain((1..=60).map(expected));
            assert_eq!(kernels.collect::<Vec<_>>(), expected.collect::<Vec<_>>(), "{key_node}");
        }
    }

    /// Where a kernel of the step before is in the same op call, the launch itself is the beginning, and the op call has work in
    /// two iterations.
    #[test]
    fn an_op_of_two_steps_is_no_beginning() {
        let mut drawn = Drawn::new();
        for step in 0..4 {
            let start = 1_000 * step;
            drawn.range("op", start + 500..start + 1_100);
            drawn.launch(start + 600..start + 610, "b", start + 650..start + 660);
            drawn.launch(start + 1_050..start + 1_060, "a", start + 1_070..start + 1_090);
        }
        let index = drawn.capture().index(&KeyNodeChoice::Named("kernel:a".into())).expect("it ran");
        assert_eq!(index.iterations.boundaries[1..5], [1_050, 2_050, 3_050, 4_050]);
        let profile = index.profile(&RangeChoice::default()).expect("a profile");
        let kernels: Vec<(u64, Ns)> =
            profile.iteration_stats.iter().map(|row| (row.kernels.launches, row.kernels.gpu_ns)).collect();
        assert_eq!(kernels, [(1, 10), (2, 30), (2, 30), (2, 30), (1, 20)]);
        let of_ops: Vec<Ns> = profile.iteration_ops().iter().map(|row| row.times.gpu_ns).collect();
        assert_eq!(of_ops, [10, 30, 30, 30, 20]);
        assert_eq!(profile.op_stats[0].times.gpu.sum, 120);
    }
}
