//! GPU time and kernels along the time line.

use super::finder::intervals;
use crate::correlate::Correlation;
use crate::ids::OpCallId;
use crate::ordered::partition_near;
use crate::ratios::to_f64;
use crate::time::Ns;
use crate::trace::{Trace, WorkKind};

/// GPU time and kernels of each process, summed up along the time line.
pub(super) struct Load {
    /// Whether there is any kernel; else CPU time stands in for GPU time.
    pub(super) has_kernels: bool,
    by_process: Vec<ProcessLoad>,
}

#[derive(Default)]
struct ProcessLoad {
    /// (start of an op call, time before it, kernels before it), by start; at the end, all.
    calls: Vec<(Ns, Ns, Ns)>,
}

impl Load {
    pub(super) fn new(trace: &Trace, correlation: &Correlation) -> Self {
        let calls = &correlation.calls;
        let has_kernels = trace.gpu_work.kernels > 0;
        let mut by_process: Vec<ProcessLoad> =
            trace.processes.iter().map(|_| ProcessLoad::default()).collect();
        for call in calls.ids() {
            let Some(thread) = calls.thread[call.index()].some() else { continue };
            let times = &correlation.times[call.index()];
            let time = if has_kernels { times.gpu_ns } else { times.cpu_ns };
            let load = &mut by_process[trace.threads[thread.index()].process.index()];
            load.calls.push((calls.span[call.index()].start, time, kernels_of(trace, correlation, call)));
        }
        by_process.iter_mut().for_each(ProcessLoad::sum_up);
        Self { has_kernels, by_process }
    }

    /// Share of the process' time between the first execution and one interval after the last; kernels of each
    /// interval.
    pub(super) fn measure(&self, process: usize, starts: &[Ns], interval: Ns) -> (f64, Vec<Ns>) {
        let load = &self.by_process[process];
        let (Some(&first), Some(&last), Some(&(_, total, _))) =
            (starts.first(), starts.last(), load.calls.last())
        else {
            return (0.0, Vec::new());
        };
        let before_all = &load.calls[..load.calls.len() - 1];
        let mut hint = 0;
        let mut at = |time: Ns| {
            hint = partition_near(before_all, hint, |(start, ..)| *start < time);
            load.calls[hint]
        };
        let time_before_first = at(first).1;
        let marks: Vec<Ns> = starts.iter().map(|&start| at(start).2).collect();
        let end = last.saturating_add(interval).saturating_add(interval / 2);
        let inside = at(end).1 - time_before_first;
        let coverage = if total == 0 { 0.0 } else { to_f64(inside) / to_f64(total) };
        (coverage, intervals(&marks))
    }
}

impl ProcessLoad {
    fn sum_up(&mut self) {
        self.calls.sort();
        let (mut time, mut kernels) = (0, 0);
        for call in &mut self.calls {
            let (own_time, own_kernels) = (call.1, call.2);
            (call.1, call.2) = (time, kernels);
            time += own_time;
            kernels += own_kernels;
        }
        self.calls.push((Ns::MAX, time, kernels));
    }
}

fn kernels_of(trace: &Trace, correlation: &Correlation, call: OpCallId) -> Ns {
    let work = correlation.work_by_call.get(call.index());
    let kernels = work.iter().filter(|id| trace.gpu_work.kind(**id) == WorkKind::Kernel).count();
    Ns::try_from(kernels).unwrap_or(Ns::MAX)
}
