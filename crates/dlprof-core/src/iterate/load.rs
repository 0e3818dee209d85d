//! GPU time and kernels along the time line.

use super::finder::intervals;
use crate::correlate::Correlation;
use crate::ids::OpCallId;
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
    /// (start of an op call, its time, its kernels), by start; then the sums before each.
    calls: Vec<(Ns, Ns, Ns)>,
    time_before: Vec<Ns>,
    kernels_before: Vec<Ns>,
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
        let at = |time: Ns| load.calls.partition_point(|(start, _, _)| *start < time);
        let (Some(&first), Some(&last)) = (starts.first(), starts.last()) else { return (0.0, Vec::new()) };
        let total = load.time_before[load.calls.len()];
        let end = last.saturating_add(interval).saturating_add(interval / 2);
        let inside = load.time_before[at(end)] - load.time_before[at(first)];
        let coverage = if total == 0 { 0.0 } else { to_f64(inside) / to_f64(total) };
        let marks: Vec<Ns> = starts.iter().map(|&start| load.kernels_before[at(start)]).collect();
        (coverage, intervals(&marks))
    }
}

impl ProcessLoad {
    fn sum_up(&mut self) {
        self.calls.sort();
        let (mut time, mut kernels) = (0, 0);
        self.time_before.push(0);
        self.kernels_before.push(0);
        for call in &self.calls {
            time += call.1;
            kernels += call.2;
            self.time_before.push(time);
            self.kernels_before.push(kernels);
        }
    }
}

fn kernels_of(trace: &Trace, correlation: &Correlation, call: OpCallId) -> Ns {
    let work = correlation.work_by_call.get(call.index());
    let kernels = work.iter().filter(|id| trace.gpu_work.kind(**id) == WorkKind::Kernel).count();
    Ns::try_from(kernels).unwrap_or(Ns::MAX)
}
