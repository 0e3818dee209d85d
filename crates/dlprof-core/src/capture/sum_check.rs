//! Whether what correlating found can be added up: time between records that follow from each other, which no table holds.

use super::CaptureContents;
use crate::base::Error;
use crate::base::ids::{ApiCallId, Maybe};
use crate::base::time::{LARGEST_SUM, Ns, Span};
use rayon::prelude::*;

impl CaptureContents {
    /// Refuses captures whose launches, or op calls, are so long that sums over them would leave 64 bits.
    pub(super) fn check_sums(&self) -> Result<(), Error> {
        let latency = |(span, api): (&Span, &Maybe<ApiCallId>)| -> Ns {
            api.some().map_or(0, |api| span.start.saturating_sub(self.api_calls.span[api].start).max(0))
        };
        let latencies = self.work.span.par_iter().zip(&self.launches.api[..]).map(latency);
        let times = &self.op_calls.times[..];
        let found = [
            ("times from launch to start of the GPU work", latencies.map(i128::from).sum()),
            (
                "GPU idle times of the op calls",
                times.par_iter().map(|times| i128::from(times.gpu_idle_ns)).sum(),
            ),
            ("CPU times of the op calls", times.par_iter().map(|times| i128::from(times.cpu_ns)).sum()),
        ];
        let too_large = found.into_iter().find(|&(_, sum): &(_, i128)| sum > i128::from(LARGEST_SUM));
        too_large.map_or(Ok(()), |(what, sum)| {
            Err(Error::SumTooLarge { path: self.source.path.clone(), what: what.into(), unit: "ns", sum })
        })
    }
}
