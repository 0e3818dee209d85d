//! Means over the ranks and steps of a job, and what its waiting is due to.

use super::arithmetic::mean;
use super::steps::{MeanTimes, RankSteps};

/// Means over the ranks and steps of a job.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JobMeans {
    /// Over all steps of all ranks.
    pub mean: MeanTimes,
    /// Waiting that the persistently slowest rank causes.
    pub imbalance_ns: f64,
    /// The rest of the waiting: jitter and bubbles of the pipeline.
    pub other_wait_ns: f64,
}

impl JobMeans {
    /// A time as a share of a step, in percent.
    pub(super) fn percent_of_step(&self, ns: f64) -> f64 {
        if self.mean.length_ns > 0.0 { 100.0 * ns / self.mean.length_ns } else { 0.0 }
    }
}

/// The means over some ranks.
pub(super) fn means(steps: &[RankSteps]) -> JobMeans {
    let mean_times = MeanTimes::of_steps(steps.iter().flat_map(|steps| steps.of.values()));
    let most = steps.iter().map(|steps| steps.own_ns).max().unwrap_or(0);
    let imbalance_ns = mean_times.wait_ns.min(mean(steps.iter().map(|steps| most - steps.own_ns)));
    let other_wait_ns = (mean_times.wait_ns - imbalance_ns).max(0.0);
    JobMeans { mean: mean_times, imbalance_ns, other_wait_ns }
}
