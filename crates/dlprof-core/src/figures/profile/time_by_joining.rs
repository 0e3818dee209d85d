//! How much of the GPU time of ops came to them by time, from threads without ranges.

use super::ProfileContents;
use crate::base::ids::{OpCallId, OpId, WorkId};
use crate::base::intervals::union_length;
use crate::base::time::Ns;

impl ProfileContents {
    /// Of the GPU time of an op, what is covered by work that joined its range by time, summed over its calls.
    #[must_use]
    pub fn by_time_gpu_time_ns(&self, op: OpId) -> Ns {
        if self.capture.description.loose_calls == 0 {
            return 0;
        }
        self.by_time_gpu_ns.get_or_init(|| self.sum_by_time())[op.index()]
    }

    /// By op: the sums.
    fn sum_by_time(&self) -> Vec<Ns> {
        let mut sums = vec![0; self.index.ops.len()];
        for (call, op) in self.calls_of_range() {
            let work = self.capture.work_by_call.get(call.index()).iter();
            let joined = work.filter(|&&work| self.joined_by_time(call, work));
            sums[op.index()] += union_length(joined.map(|&work| self.capture.work.span[work]));
        }
        sums
    }

    /// Whether a piece of work came to an op call from another thread.
    fn joined_by_time(&self, call: OpCallId, work: WorkId) -> bool {
        let (own, api) = (self.capture.op_calls.thread[call], self.capture.launches.api[work]);
        !own.is_none() && api.some().is_some_and(|api| self.capture.api_calls.thread[api] != own)
    }
}
