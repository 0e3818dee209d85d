//! Which iteration the work of a trace belongs to whose launch was not recorded.
//!
//! ```text
//! calls             │    c    d    │    e           of step 1, of step 2
//! stream   ▒▒a▒▒ ▒▒b▒▒ ▒▒c▒▒ ▒▒d▒▒ ▒▒e▒▒            `a` and `b` come before step 1, though `b` runs after it has begun
//! ```
//!
//! torch.profiler begins while the program runs, and the GPU is after the host: when the first step begins, the GPU may still do
//! what was launched before the recording. A stream runs in order, so whatever comes before its first item with a call is that.

use super::Iterations;
use super::launched::Launched;
use crate::base::ids::{OpCallId, WorkId};
use crate::base::time::Ns;
use crate::capture::Capture;

/// Gives op calls of work without an API call, which are calls of their own, to the iteration before the first step if they come
/// before all launched work of their stream; else to that in which they run on the clock of the GPU. Returns from when to when the
/// first ones run, if there are any. Of other captures than traces of torch.profiler all stay where they are.
pub(super) fn place(
    capture: &Capture,
    iterations: &Iterations,
    launched: &Launched,
    iteration_of: &mut [u32],
) -> Option<(Ns, Ns)> {
    capture.kineto.as_ref()?;
    let boundaries = iterations.gpu_boundaries(launched)?;
    let first = capture.first_launched();
    let inner = &boundaries[1..boundaries.len() - 1];
    let mut before: Option<(Ns, Ns)> = None;
    for call in capture.op_calls.ids().filter(|&call| capture.op_calls.thread[call].is_none()) {
        let Some(work) = work_without_call(capture, call) else { continue };
        let span = capture.work.span[work];
        let first = first[capture.work.stream[work].index()];
        let is_before = first.is_some_and(|first| span.start <= first);
        let at = if is_before { 0 } else { inner.partition_point(|&boundary| boundary <= span.start) };
        iteration_of[call.index()] = u32::try_from(at).unwrap_or(u32::MAX);
        if at == 0 {
            let (start, end) = before.unwrap_or((Ns::MAX, Ns::MIN));
            before = Some((start.min(span.start), end.max(span.end)));
        }
    }
    before
}

/// The work of an op call that was made because it has no API call.
fn work_without_call(capture: &Capture, call: OpCallId) -> Option<WorkId> {
    let work = *capture.work_by_call.get(call.index()).first()?;
    capture.launches.api[work].is_none().then_some(work)
}

#[cfg(test)]
mod tests {
    use crate::base::time::Ns;
    use crate::figures::profile::Profile;
    use crate::read::facts::WorkKind;
    use crate::steps::iterate::{ClockChoice, KeyNodeChoice, RangeChoice};
    use crate::tests::drawn::Drawn;

    /// Three steps of three kernels, which the GPU begins when all are launched: until then it does what was launched before.
    fn launches(is_trace: bool, clock: ClockChoice) -> (Vec<u64>, Vec<Ns>) {
        let mut drawn = Drawn::new();
        if is_trace {
            drawn.of_torch_profiler();
        }
        for kernel in 0..5 {
            drawn.loose(WorkKind::Kernel, "k", 105 + kernel * 5..110 + kernel * 5);
        }
        for step in 0..3 {
            let start = 100 + step * 10;
            drawn.range(&format!("ProfilerStep#{step}"), start..start + 10);
            for kernel in 0..3 {
                let (call, at) = (start + 2 * kernel, 130 + 30 * step + 10 * kernel);
                drawn.launch(call..call + 1, "k", at..at + 10);
            }
        }
        let index = drawn.capture().index(&KeyNodeChoice::Find).expect("an index");
        let profile: Profile =
            index.profile(&RangeChoice { clock, ..RangeChoice::default() }).expect("a profile");
        let lengths = (0..profile.iterations.total()).map(|at| profile.iterations.windows.span(at).length());
        (profile.iteration_stats.iter().map(|row| row.kernels.launches).collect(), lengths.collect())
    }

    #[test]
    fn what_was_launched_before_the_recording_belongs_to_no_step() {
        assert_eq!(launches(true, ClockChoice::Cpu).0, [5, 3, 3, 3]);
        assert_eq!(launches(true, ClockChoice::Gpu), (vec![5, 3, 3, 3], vec![25, 30, 30, 30]));
    }

    /// A stream without any launch: by the time at which the GPU runs it.
    #[test]
    fn streams_without_launches_follow_the_clock_of_the_gpu() {
        let mut drawn = Drawn::new();
        drawn.of_torch_profiler();
        for step in 0..3 {
            let start = 100 + step * 10;
            drawn.range(&format!("ProfilerStep#{step}"), start..start + 10);
            drawn.launch(start..start + 1, "k", 130 + 30 * step..150 + 30 * step);
        }
        drawn.on_gpu(1);
        for step in 0..3 {
            drawn.loose(WorkKind::Kernel, "other", 140 + 30 * step..145 + 30 * step);
        }
        let index = drawn.capture().index(&KeyNodeChoice::Find).expect("an index");
        let profile = index.profile(&RangeChoice::default()).expect("a profile");
        let launches: Vec<u64> = profile.iteration_stats.iter().map(|row| row.kernels.launches).collect();
        assert_eq!(launches, [0, 2, 2, 2]);
    }
}
