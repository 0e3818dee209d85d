//! Views that are of traces of torch.profiler first of all: operators, collectives, and Python functions while GPUs waited.

use super::ProfileContents;
use crate::base::time::Span;
use crate::figures::activity::{IdleFrame, idle_frames, waiting_times};
use crate::figures::collectives::{CollectiveStats, collectives, why_none};
use crate::figures::operators::{OperatorStats, operators};

impl ProfileContents {
    /// Operators by name over the aggregated iterations; without iterations, over the whole trace. None of other captures.
    #[must_use]
    pub fn operators(&self) -> Vec<OperatorStats> {
        match self.capture.kineto {
            Some(_) => operators(&self.capture, &self.call_spans()),
            None => Vec::new(),
        }
    }

    /// Collectives of which the input says what they exchange, over the aggregated iterations.
    #[must_use]
    pub fn collectives(&self) -> Vec<CollectiveStats> {
        if self.capture.collectives.work.is_empty() {
            return Vec::new();
        }
        collectives(&self.capture, &self.call_spans())
    }

    /// Why table `collectives` has no rows; `None` if it has some.
    #[must_use]
    pub fn why_no_collectives(&self) -> Option<&'static str> {
        self.collectives()
            .is_empty()
            .then(|| why_none(&self.capture, self.exchanges(), self.known_share().untold().is_some()))
    }

    /// Whether kernels exchange data with other GPUs in the aggregated iterations.
    fn exchanges(&self) -> bool {
        let times = self.gpu_times();
        (0..times.windows()).any(|window| times.of_used(window).communication_ns > 0)
    }

    /// Whether the work is that of one rank of several: the trace says so, or its only GPU exchanges data with others.
    #[must_use]
    pub fn is_one_rank_of_many(&self) -> bool {
        let world_size = self.capture.kineto.as_ref().and_then(|notes| notes.world_size);
        self.gpu_times().used_gpus() == 1 && world_size.map_or_else(|| self.exchanges(), |ranks| ranks > 1)
    }

    /// The aggregated iterations on the clock of the CPU; without iterations the whole trace, from before its first GPU work on.
    pub(in crate::figures) fn call_spans(&self) -> Vec<Span> {
        self.iterations.range().map(|number| self.index.iterations.span(number)).collect()
    }

    /// Python functions in which threads were while GPUs waited for them in the aggregated iterations.
    #[must_use]
    pub fn idle_python(&self) -> Vec<IdleFrame> {
        let frames = &self.capture.host.python;
        if frames.span.is_empty() {
            return Vec::new();
        }
        let windows = self.windows();
        self.look(|facts| idle_frames(frames, &waiting_times(facts, &windows), &self.capture.strings))
    }

    /// Why table `idle_python` has no rows; `None` if it has some.
    #[must_use]
    pub fn why_no_idle_python(&self) -> Option<&'static str> {
        let is_recorded = !self.capture.host.python.span.is_empty();
        Some(match self.capture.kineto {
            None => "only torch.profiler records Python functions; `idle-functions` has samples of the CPU",
            Some(_) if !is_recorded => {
                "the trace has no Python functions; `with_stack=True` records them, in a run of its own because it makes the host slower"
            }
            Some(_) if self.idle_python().is_empty() => {
                "GPUs waited for no thread in the aggregated iterations"
            }
            Some(_) => return None,
        })
    }
}
