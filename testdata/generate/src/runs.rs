//! Simulated runs: measurements of the same program as samples, without captures.
//!
//! ```text
//! iteration = (kernels × clock + idle × host + copies × bus / 2) × step noise × slow iterations × drift of the run
//! ```
//!
//! Each run has its own clock, host and bus. They are similar in consecutive runs.

use crate::rng::Rng;
use std::collections::BTreeMap;

/// How runs and iterations differ.
#[derive(Debug, Clone, Copy)]
pub struct Noise {
    /// Standard deviation between runs, in percent: of the clock of the GPU, of the host and of the bus.
    pub between_percent: f64,
    /// Correlation of runs that follow each other: a machine that warms up or is shared changes slowly.
    pub wander: f64,
    /// Standard deviation of an iteration around its run, in percent.
    pub within_percent: f64,
    /// Correlation of neighbouring iterations.
    pub likeness: f64,
    /// Standard deviation of the drift from the first to the last iteration, in percent.
    pub drift_percent: f64,
    /// Share of iterations that take 5 to 20 % longer.
    pub outliers: f64,
    /// How often extreme values occur.
    pub tails: Tails,
    /// Iterations of a run.
    pub iterations: usize,
}

/// How often extreme values occur.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tails {
    /// As of the normal distribution.
    Normal,
    /// As of Student's t with four degrees of freedom, scaled to the same standard deviation.
    Heavy,
}

/// 40 iterations with only 1 % of normal noise.
pub const PLAIN: Noise = Noise {
    between_percent: 2.0,
    wander: 0.0,
    within_percent: 1.0,
    likeness: 0.0,
    drift_percent: 0.0,
    outliers: 0.0,
    tails: Tails::Normal,
    iterations: 40,
};

/// 40 iterations with the usual noise: heavy tails, drift inside runs and from run to run, slow iterations,
/// correlated neighbours.
pub const REALISTIC: Noise =
    Noise { wander: 0.3, likeness: 0.3, drift_percent: 0.5, outliers: 0.04, tails: Tails::Heavy, ..PLAIN };

/// Nanoseconds of an iteration: kernels, idle and copies of which half is hidden behind kernels.
const KERNELS_NS: f64 = 80e6;
const IDLE_NS: f64 = 18e6;
const COPIES_NS: f64 = 4e6;

/// A machine that runs the same program again and again.
pub struct Machine {
    noise: Noise,
    rng: Rng,
    /// Clock, host and bus of the last run, in standard deviations.
    state: [f64; 3],
}

impl Machine {
    /// A machine whose runs a seed fixes.
    #[must_use]
    pub fn new(noise: Noise, seed: u64) -> Self {
        let mut rng = Rng::unlike_others(seed);
        let state = [(); 3].map(|()| draw(&mut rng, noise.tails));
        Self { noise, rng, state }
    }

    /// The next run: a value per iteration by key of a metric. All its times are `factor` times as long.
    pub fn run(&mut self, factor: f64) -> BTreeMap<String, Vec<f64>> {
        let Self { noise, rng, state } = self;
        *state = state.map(|last| next(last, noise.wander, rng, noise.tails));
        let [clock, host, bus] = state.map(|value| (noise.between_percent / 100.0 * value).exp());
        let drift = noise.drift_percent / 100.0 * draw(rng, noise.tails);
        let mut chains = [(); 3].map(|()| draw(rng, noise.tails));
        let mut columns: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for at in 0..noise.iterations {
            chains = chains.map(|last| next(last, noise.likeness, rng, noise.tails));
            let slow = if rng.unit() < noise.outliers { 1.05 + 0.15 * rng.unit() } else { 1.0 };
            let growth = factor * slow * (1.0 + drift * share(at, noise.iterations));
            let [kernels, idle, copies] = [(KERNELS_NS, clock), (IDLE_NS, host), (COPIES_NS, bus)]
                .map(|(ns, state)| ns * state * growth);
            let [kernels, idle, copies] = [(kernels, chains[0]), (idle, chains[1]), (copies, chains[2])]
                .map(|(ns, value)| ns * (noise.within_percent / 100.0 * value).exp());
            for (key, value) in [
                ("iteration_time_ns", kernels + idle + copies / 2.0),
                ("kernel_time_ns", kernels),
                ("copy_time_ns", copies),
                ("gpu_idle_ns", idle),
                ("communication_time_ns", 0.0),
                ("tc_utilization_percent", 85.0 + 0.2 * draw(rng, noise.tails)),
                ("kernel_launches", 1200.0),
            ] {
                // In the form of a baseline.
                columns.entry(key.to_owned()).or_default().push((value * 1000.0).round() / 1000.0);
            }
        }
        columns
    }
}

/// A value that is correlated with the last one and has the same standard deviation.
fn next(last: f64, likeness: f64, rng: &mut Rng, tails: Tails) -> f64 {
    likeness * last + (1.0 - likeness * likeness).sqrt() * draw(rng, tails)
}

/// A random number with standard deviation 1.
fn draw(rng: &mut Rng, tails: Tails) -> f64 {
    let normal = rng.normal();
    match tails {
        Tails::Normal => normal,
        // A normal value over the root of a mean of four squares; its own variance is 2.
        Tails::Heavy => {
            let squares = -2.0 * (rng.unit() * rng.unit()).ln();
            normal / (squares / 4.0).sqrt() / 2f64.sqrt()
        }
    }
}

fn share(at: usize, of: usize) -> f64 {
    let float = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    float(at) / float(of)
}
