//! The metrics of an iteration, each declared once with its unit, its meaning and which direction is worse.

use serde::Serialize;

/// What a number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RunUnit {
    /// Nanoseconds.
    Ns,
    /// Percent from 0 to 100; changes are percentage points.
    Percent,
    /// A count.
    Count,
}

/// Which direction of a change is worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WorseWhen {
    /// More is worse, as for times.
    More,
    /// Less is worse, as for utilisation.
    Less,
}

impl WorseWhen {
    /// The change with its sign set so that worse is positive.
    #[must_use]
    pub fn turned(self, change: f64) -> f64 {
        match self {
            Self::More => change,
            Self::Less => -change,
        }
    }
}

/// A metric of an iteration.
#[derive(Debug, Clone, Copy)]
pub struct RunMetric {
    /// Stable name, with the unit as suffix.
    pub key: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// What it counts.
    pub unit: RunUnit,
    /// Which way is worse.
    pub worse: WorseWhen,
    /// Meaning in one sentence.
    pub doc: &'static str,
}

/// Length of an iteration.
pub const ITERATION_TIME: &str = "iteration_time_ns";
/// GPU time of kernels.
pub const KERNEL_TIME: &str = "kernel_time_ns";
/// GPU time of copies and memsets.
pub const COPY_TIME: &str = "copy_time_ns";
/// GPU time of communication kernels.
pub(crate) const COMMUNICATION_TIME: &str = "communication_time_ns";
/// Time without GPU work.
pub const GPU_IDLE: &str = "gpu_idle_ns";
/// Share of Tensor Core kernels.
pub const TC_UTILIZATION: &str = "tc_utilization_percent";
/// Items per second.
pub(crate) const ITEMS_PER_SECOND: &str = "items_per_s";
/// Kernel launches.
pub const LAUNCHES: &str = "kernel_launches";

/// Waiting for other ranks, of a job.
pub(crate) const JOB_WAIT: &str = "job_wait_ns";
/// Lag of the rank that lags most, of a job.
pub(crate) const JOB_LAG: &str = "job_lag_ns";

/// Metrics that only jobs of many ranks have.
pub(crate) const OF_JOBS: [&str; 2] = [JOB_WAIT, JOB_LAG];

/// Metrics that jobs have as captures do.
const OF_BOTH: [&str; 2] = [ITERATION_TIME, ITEMS_PER_SECOND];

/// Whether a job, or else a capture, can have a metric.
pub(crate) fn can_have(is_job: bool, key: &str) -> bool {
    OF_BOTH.contains(&key) || OF_JOBS.contains(&key) == is_job
}

/// Whether a metric is what is left of an iteration, and so varies with the length of it.
pub(crate) fn is_rest(key: &str) -> bool {
    key == GPU_IDLE || OF_JOBS.contains(&key)
}

/// Metrics that say what GPUs did.
pub(crate) const OF_GPUS: [&str; 5] = [KERNEL_TIME, COPY_TIME, COMMUNICATION_TIME, GPU_IDLE, LAUNCHES];

const fn metric(
    key: &'static str,
    title: &'static str,
    unit: RunUnit,
    worse: WorseWhen,
    doc: &'static str,
) -> RunMetric {
    RunMetric { key, title, unit, worse, doc }
}

/// All metrics, in the order in which they are shown.
pub const METRICS: [RunMetric; 10] = [
    metric(
        ITERATION_TIME,
        "Iteration time",
        RunUnit::Ns,
        WorseWhen::More,
        "From the start of an execution of the key node to the start of the next one, on the clock in force.",
    ),
    metric(
        KERNEL_TIME,
        "Kernel time (sum)",
        RunUnit::Ns,
        WorseWhen::More,
        "Sum of the durations of the kernels of the op calls that start in the iteration, over all GPUs.",
    ),
    metric(
        COPY_TIME,
        "Copy time (sum)",
        RunUnit::Ns,
        WorseWhen::More,
        "Sum of the durations of their copies and memsets, over all GPUs.",
    ),
    metric(
        COMMUNICATION_TIME,
        "Communication kernels (sum)",
        RunUnit::Ns,
        WorseWhen::More,
        "Sum of the durations of their communication kernels (NCCL and the like), over all GPUs.",
    ),
    metric(
        GPU_IDLE,
        "GPU idle (mean of GPUs)",
        RunUnit::Ns,
        WorseWhen::More,
        "Time of the iteration in which neither a kernel nor a copy runs, averaged over the GPUs that are used.",
    ),
    metric(
        TC_UTILIZATION,
        "Matrix unit efficiency",
        RunUnit::Percent,
        WorseWhen::Less,
        "Time of kernels on the units that multiply matrices (Tensor Cores of NVIDIA) in percent of the kernel time of ops that are \
         eligible or use them.",
    ),
    metric(
        LAUNCHES,
        "Kernel launches",
        RunUnit::Count,
        WorseWhen::More,
        "Kernels of the op calls that start in the iteration.",
    ),
    metric(
        ITEMS_PER_SECOND,
        "Items per second",
        RunUnit::Count,
        WorseWhen::Less,
        "Batch size over the length of the iteration; only with `--batch-size`.",
    ),
    metric(
        JOB_WAIT,
        "Waiting for other ranks",
        RunUnit::Ns,
        WorseWhen::More,
        "Of a job of many ranks: time of a step in which a rank waits for others, mean of the ranks.",
    ),
    metric(
        JOB_LAG,
        "Lag of the slowest rank",
        RunUnit::Ns,
        WorseWhen::More,
        "Of a job of many ranks: own time of the rank that lags most in a step, less the median of those that do the same work.",
    ),
];

/// The metric with a key. `-` means the same as `_`, and the unit may be left out.
#[must_use]
pub fn find(name: &str) -> Option<&'static RunMetric> {
    let wanted = name.replace('-', "_");
    let without_unit = |key: &'static str| key.trim_end_matches("_ns").trim_end_matches("_percent");
    METRICS.iter().find(|metric| metric.key == wanted || without_unit(metric.key) == wanted)
}
