//! Simulated runs: what measurements of the same program look like, without captures.
//!
//! ```text
//! iteration = kernels × clock × step noise + idle × host × step noise + outliers, growing by the drift of the run
//! ```

use dlprof_gate::document::{Document, Environment, Iterations, Run, Scope, WallClock};
use dlprof_gate::metrics;
use dlprof_gate::statistics::Random;
use std::collections::BTreeMap;

/// How runs and iterations differ.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Noise {
    /// Standard deviation between runs, in percent: of the clock of the GPU, and of the host.
    pub(crate) between_percent: f64,
    /// Standard deviation of an iteration around its run (log-normal), in percent.
    pub(crate) within_percent: f64,
    /// Correlation of neighbouring iterations.
    pub(crate) likeness: f64,
    /// Standard deviation of the drift from the first to the last iteration, in percent.
    pub(crate) drift_percent: f64,
    /// Share of iterations that take 5 to 20 % longer.
    pub(crate) outliers: f64,
    /// Iterations of a run.
    pub(crate) iterations: usize,
}

/// 40 iterations with all that is usual.
pub(crate) const REALISTIC: Noise = Noise {
    between_percent: 2.0,
    within_percent: 1.0,
    likeness: 0.3,
    drift_percent: 0.5,
    outliers: 0.04,
    iterations: 40,
};

/// 40 iterations of 1 % noise and nothing else.
pub(crate) const PLAIN: Noise = Noise { drift_percent: 0.0, outliers: 0.0, likeness: 0.0, ..REALISTIC };

/// Nanoseconds of an iteration: kernels, idle and copies of which half is hidden behind kernels.
const KERNELS_NS: f64 = 80e6;
const IDLE_NS: f64 = 18e6;
const COPIES_NS: f64 = 4e6;

/// A run whose times are all `factor` times as long.
pub(crate) fn run(noise: &Noise, factor: f64, random: &mut Random) -> Run {
    let mut between = || (noise.between_percent / 100.0 * random.normal()).exp();
    let (clock, host, bus) = (between(), between(), between());
    let drift = noise.drift_percent / 100.0 * random.normal();
    let mut chains = [random.normal(), random.normal(), random.normal()];
    let mut columns: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for at in 0..noise.iterations {
        let mut within = chains.each_mut().map(|last| {
            *last = noise.likeness * *last + (1.0 - noise.likeness.powi(2)).sqrt() * random.normal();
            (noise.within_percent / 100.0 * *last).exp()
        });
        if random.unit() < noise.outliers {
            within = within.map(|value| value * (1.05 + 0.15 * random.unit()));
        }
        let share = at as f64 / noise.iterations as f64;
        let growth = factor * (1.0 + drift * share);
        let kernels = KERNELS_NS * clock * within[0] * growth;
        let idle = IDLE_NS * host * within[1] * growth;
        let copies = COPIES_NS * bus * within[2] * growth;
        // As a baseline holds them.
        let rounded = |value: f64| (value * 1000.0).round() / 1000.0;
        let mut push =
            |key: &str, value: f64| columns.entry(key.to_owned()).or_default().push(rounded(value));
        push(metrics::ITERATION_TIME, kernels + idle + copies / 2.0);
        push(metrics::KERNEL_TIME, kernels);
        push(metrics::COPY_TIME, copies);
        push(metrics::GPU_IDLE, idle);
        push(metrics::TC_UTILIZATION, 85.0 + 0.2 * random.normal());
        push(metrics::LAUNCHES, 1200.0);
    }
    of_metrics(columns)
}

/// A run that has nothing but metrics.
pub(crate) fn of_metrics(metrics: BTreeMap<String, Vec<f64>>) -> Run {
    let samples = u32::try_from(metrics.values().next().map_or(0, Vec::len)).expect("few samples");
    Run {
        capture: "simulated".to_owned(),
        environment: Environment::default(),
        scope: Scope::Iterations,
        iterations: Iterations {
            total: samples + 1,
            used: samples,
            left_out: BTreeMap::from([("before".to_owned(), 1)]),
            sampled: (1..=samples).collect(),
        },
        metrics,
        op_types: BTreeMap::new(),
        groups: BTreeMap::new(),
        ops: BTreeMap::new(),
        kernels: BTreeMap::new(),
        wall_clock: WallClock { iterations: samples, gpus: 1, ..WallClock::default() },
    }
}

/// A baseline of some runs.
pub(crate) fn baseline(runs: usize, noise: &Noise, random: &mut Random) -> Document {
    Document::new((0..runs).map(|_| run(noise, 1.0, random)).collect())
}
