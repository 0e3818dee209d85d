//! Idle time of every cause.
//!
//! A cause that is open on the thread is opened just before the gap and closed where the launch begins; the launch itself
//! costs a little of the cause `launch`. Causes of work that was queued before have gaps of their own kind.

use super::choice::IdleCause;
use super::kernels::COMPUTE;
use super::stage::{
    CALL, Function, LATENCY, LAUNCH, NO_RANGE, OWN_RANGE, QUIET, RUN, STREAM_SYNC, Stage, WAIT_EVENT, pieces,
};
use crate::trace::{Ns, Span};

/// How long before a gap its cause opens.
const BEFORE: Ns = 1_000;
/// How long before a gap a wait begins that must be long, or a launch that must be slow.
const LONG_BEFORE: Ns = 1_100_000;
/// A submitted kernel that starts up to this long after its call is still being launched.
const SUBMIT: Ns = 100_000;

const COPY: Function = ("copy", "cudaMemcpy_v3020");
const MALLOC: Function = ("allocation", "cudaMalloc_v3020");
const LOAD_MODULE: Function = ("setup", "cuModuleLoadData");
const QUERY: Function = ("api", "cudaEventQuery_v3020");
const LAST_ERROR: Function = ("api", "cudaGetLastError_v3020");

impl Stage<'_> {
    /// Plants idle time of a cause.
    pub(crate) fn idle(&mut self, cause: IdleCause, ns: Ns) {
        let is_even = self.iteration.is_some_and(|iteration| iteration.is_multiple_of(2));
        match cause {
            IdleCause::Turnaround => self.queued(cause, ns, 8_000),
            IdleCause::Dependency | IdleCause::Stall if is_even => self.queued(cause, ns, ns),
            IdleCause::Dependency | IdleCause::Stall => self.submitted(cause, ns),
            IdleCause::Launch => pieces(ns, 500_000).for_each(|ns| self.in_flight(ns)),
            IdleCause::SlowLaunch => self.slow_launch(ns),
            IdleCause::Sync => self.waiting_for_gpu(ns),
            IdleCause::Copy => self.in_call("copy", COPY, ns),
            IdleCause::Allocation => self.in_call("allocation", MALLOC, ns),
            IdleCause::Setup => self.in_call("setup", LOAD_MODULE, ns),
            IdleCause::Api => self.in_call("api", QUERY, ns),
            IdleCause::Communication => self.communicating(ns, is_even),
            IdleCause::DataLoading => self.loading(ns),
            IdleCause::HostRange => {
                let range = self.in_range("host_range", ns, "optimizer");
                self.records.ranges.push(range);
            }
            IdleCause::InputWait => self.in_os_call("input_wait", "sem_timedwait", LONG_BEFORE, ns),
            IdleCause::Io => self.in_os_call("io", "read", BEFORE, ns),
            IdleCause::OsCall => self.in_os_call("os_call", "usleep", BEFORE, ns),
            IdleCause::Profiler => self.profiled(ns),
            IdleCause::HostIssue => pieces(ns, 900_000).for_each(|ns| self.issuing(ns)),
            IdleCause::Unknown => {
                self.run(QUIET);
                self.caused_gap("unknown", ns, self.lane.main, NO_RANGE);
            }
            IdleCause::NoApiCall => self.without_call(ns),
            // At the ends of the capture, not here.
            IdleCause::Edge => {}
        }
    }

    /// Items that were queued before the GPU became free.
    fn queued(&mut self, cause: IdleCause, ns: Ns, most: Ns) {
        let text = match cause {
            IdleCause::Turnaround => "turnaround",
            IdleCause::Dependency => "dependency",
            _ => "stall",
        };
        for ns in pieces(ns, most) {
            self.run(RUN);
            if cause == IdleCause::Dependency {
                self.call(self.lane.main, WAIT_EVENT, self.span(-9_000, -8_000));
            }
            let call = self.span(-CALL - 2_000, -2_000);
            let correlation = self.call(self.lane.main, LAUNCH, call);
            self.gap(&[(text, ns)]);
            self.begin(COMPUTE, Some((correlation, call)), NO_RANGE);
            self.run(RUN);
        }
    }

    /// An item that is launched while the GPU idles and does not start although it was submitted.
    fn submitted(&mut self, cause: IdleCause, ns: Ns) {
        let is_ordered = cause == IdleCause::Dependency;
        if is_ordered {
            self.call(self.lane.main, WAIT_EVENT, self.span(-3_000, -2_000));
        }
        let call = self.span(0, CALL);
        let text = if is_ordered { "dependency" } else { "stall" };
        self.launched_in_gap(&[("launch", CALL + SUBMIT), (text, ns)], call);
    }

    /// A launch that begins just before the gap and is in flight until its end.
    fn in_flight(&mut self, ns: Ns) {
        let call = self.span(-BEFORE, (ns - 50_000).max(ns / 2));
        self.launched_in_gap(&[("launch", ns)], call);
    }

    /// The same, with a call that takes longer than launching does.
    fn slow_launch(&mut self, ns: Ns) {
        self.run(QUIET);
        let call = self.span(-LONG_BEFORE, ns - BEFORE);
        self.launched_in_gap(&[("slow_launch", ns)], call);
    }

    /// A gap with a call that begins not after its start.
    fn launched_in_gap(&mut self, parts: &[(&'static str, Ns)], call: Span) {
        let waiting = call.stop - self.lane.now;
        let correlation = self.call(self.lane.main, LAUNCH, call);
        self.late_gap(parts, self.lane.main, waiting);
        self.begin(COMPUTE, Some((correlation, call)), NO_RANGE);
        self.run(RUN);
    }

    /// The thread is in a call of some class.
    fn in_call(&mut self, cause: &'static str, function: Function, ns: Ns) {
        let span = self.caused_gap(cause, ns, self.lane.main, NO_RANGE);
        self.call(self.lane.main, function, early(span, BEFORE));
    }

    /// The thread waits for the GPU, which so runs dry: all of the gap lies after the start of the wait, and all of it is
    /// in causes that a wait costs.
    fn waiting_for_gpu(&mut self, ns: Ns) {
        self.in_call(STREAM_SYNC.0, STREAM_SYNC, ns);
        let Some(sums) = self.sums() else { return };
        sums.drained_by_sync_ns += ns + LATENCY;
        sums.sync_cost_ns += ns + LATENCY;
        if ns + LATENCY < 1_000_000 {
            sums.sync_cost_short_gaps_ns += ns + LATENCY;
        }
    }

    /// The thread exchanges data, through MPI or NCCL.
    fn communicating(&mut self, ns: Ns, through_mpi: bool) {
        let span = early(self.caused_gap("communication", ns, self.lane.main, NO_RANGE), BEFORE);
        if through_mpi {
            self.records.mpi.push(self.named(span, "MPI_Allreduce"));
        } else {
            self.records.nccl.push(self.named(span, "ncclAllReduce"));
        }
    }

    /// The thread is in a range, which also holds the launch.
    fn in_range(&mut self, cause: &'static str, ns: Ns, text: &'static str) -> super::records::NamedRow {
        let Span { start, stop } = self.caused_gap(cause, ns, self.lane.main, OWN_RANGE);
        // The range goes on after the start of the launch, so that the launch is its own.
        self.named(Span { start: start - BEFORE, stop: stop + 500 }, text)
    }

    /// The thread loads data.
    fn loading(&mut self, ns: Ns) {
        let range = self.in_range("data_loading", ns, "load batch");
        if let Some(iteration) = self.iteration {
            *self.book.reader[iteration].entry(self.lane.main).or_default() += range.span.duration();
        }
        self.records.ranges.push(range);
    }

    /// The thread is in a call of the operating system.
    fn in_os_call(&mut self, cause: &'static str, name: &'static str, before: Ns, ns: Ns) {
        if before > RUN {
            self.run(QUIET);
        }
        let span = self.caused_gap(cause, ns, self.lane.main, NO_RANGE);
        self.records.os_calls.push(self.named(early(span, before), name));
        // The part before the gap is not waiting time.
        self.book.os_calls.entry(name).or_default().add(ns);
    }

    /// The profiler holds the thread up.
    fn profiled(&mut self, ns: Ns) {
        let span = self.caused_gap("profiler", ns, self.lane.main, NO_RANGE);
        self.records.overheads.push(self.named(early(span, BEFORE), "CUPTI buffer allocation"));
    }

    /// The thread is between two calls.
    fn issuing(&mut self, ns: Ns) {
        self.call(self.lane.main, LAST_ERROR, self.span(-3_000, -2_000));
        self.caused_gap("host_issue", ns, self.lane.main, NO_RANGE);
    }

    /// The item that ends the gap has no call; one with a call follows, so that the next gap has a known predecessor.
    fn without_call(&mut self, ns: Ns) {
        self.gap(&[("no_api_call", ns)]);
        self.begin(COMPUTE, None, NO_RANGE);
        self.run(RUN);
        self.follow(self.lane.main, COMPUTE, NO_RANGE);
        self.run(RUN);
    }
}

/// A span that begins earlier.
fn early(span: Span, by: Ns) -> Span {
    Span { start: span.start - by, ..span }
}
