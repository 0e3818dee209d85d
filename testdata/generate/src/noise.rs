//! Noise: what makes runs and steps differ although they do the same work.

use crate::options::NoiseOptions;
use crate::rng::Rng;

/// How similar neighbouring steps are: the correlation of their factors.
const LIKENESS: f64 = 0.4;

/// Duration of an outlier.
const OUTLIER: f64 = 1.6;

/// By step, from 1: the factor on all durations. Empty if nothing differs.
pub(crate) fn step_factors(options: &NoiseOptions, seed: u64, steps: u32) -> Vec<f64> {
    let is_plain = options.run_shift == 0.0
        && options.step_noise == 0.0
        && options.drift == 0.0
        && options.outlier_every.is_none();
    if is_plain {
        return Vec::new();
    }
    // Numbers of its own, so that noise does not change what else is drawn.
    let mut rng = Rng::new(seed ^ 0x6E6F_6973_6500);
    let mut last = rng.normal();
    let factor = |step: u32| {
        last = LIKENESS * last + (1.0 - LIKENESS * LIKENESS).sqrt() * rng.normal();
        let noise = (options.step_noise / 100.0 * last).exp();
        let drift = 1.0 + options.drift / 100.0 * f64::from(step) / f64::from(steps);
        let is_outlier = options.outlier_every.is_some_and(|every| step.is_multiple_of(every));
        (1.0 + options.run_shift / 100.0) * noise * drift * if is_outlier { OUTLIER } else { 1.0 }
    };
    (1..=steps).map(factor).collect()
}
