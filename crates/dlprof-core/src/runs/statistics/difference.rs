//! The difference between two sets of runs.
//!
//! A run's value is its typical iteration plus an error that all of its iterations share: clocks, placement, choices
//! of an autotuner. Iterations say nothing about that error; only several runs do. So runs are compared, not
//! iterations, by a t-test on the values of runs. The variance is estimated from the runs of both sides, and an
//! assumed variance replaces missing runs.

use super::location::{Location, float, location};
use super::mann_whitney::mann_whitney;
use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// What is assumed if there are too few runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Assumptions {
    /// Standard deviation between equal runs, in percent.
    pub run_deviation_percent: f64,
    /// One-sided confidence of tests, between 0.5 and 1.
    pub confidence: f64,
}

impl Default for Assumptions {
    fn default() -> Self {
        Self { run_deviation_percent: 1.5, confidence: 0.99 }
    }
}

/// The smallest number of degrees of freedom. If runs give fewer, the assumed deviation replaces the missing ones.
const DEGREES: usize = 4;

/// Power at which a change counts as detectable: a true change of this size fails in 95 % of the cases.
const POWER: f64 = 0.95;

/// The samples of one run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum RunSamples<'a> {
    /// A value per iteration, in order.
    Iterations(&'a [f64]),
    /// Only the average.
    Mean(f64),
}

impl RunSamples<'_> {
    fn location(self) -> Location {
        match self {
            // One value cannot show whether others would differ.
            Self::Mean(value) | Self::Iterations(&[value]) => {
                Location { value, error: 0.0, varies: value != 0.0 }
            }
            Self::Iterations(samples) => location(samples),
        }
    }
}

/// How two sets of runs differ. The unit is that of the samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Difference {
    /// Average of the runs of the baseline.
    pub base: f64,
    /// Average of the new runs.
    pub new: f64,
    /// New value minus base value.
    pub change: f64,
    /// The change in percent of the base; `None` if the base is 0.
    pub change_percent: Option<f64>,
    /// Two-sided confidence interval of the change. Its lower end is above 0 exactly if `p_more` is below one minus
    /// the confidence. Of positive numbers the lower end is that of their ratio on the logarithm where it is below 0, so that
    /// nothing falls by more than all of it.
    pub interval: (f64, f64),
    /// Standard error of the change.
    pub error: f64,
    /// Degrees of freedom.
    pub degrees: usize,
    /// One-sided p-value that the new runs have more.
    pub p_more: f64,
    /// One-sided p-value that they have less.
    pub p_less: f64,
    /// The same by the Mann–Whitney test on the iterations; `None` without iterations.
    pub iterations_more: Option<f64>,
    /// The same for the p-value that the new runs have less.
    pub iterations_less: Option<f64>,
    /// Iterations of the baseline and of the new runs.
    pub samples: (usize, usize),
    /// Smallest true change that the test detects in 95 % of the cases.
    pub detectable: f64,
    /// In 95 % of the comparisons, noise makes a change smaller by at most this amount.
    pub margin: f64,
}

/// Compares runs; both sides have at least one. The assumed deviation is a share of `scale`, which is usually the
/// value of the baseline.
#[must_use]
pub(crate) fn difference(
    base: &[RunSamples<'_>],
    new: &[RunSamples<'_>],
    scale: Option<f64>,
    assumptions: Assumptions,
) -> Difference {
    let sides = [base, new].map(Side::new);
    let [old, fresh] = &sides;
    let scale = scale.unwrap_or(old.mean).abs();
    let change = fresh.mean - old.mean;
    // Averages of equal values may differ in the last bit.
    let change = if change.abs() <= 1e-12 * scale { 0.0 } else { change };
    let known = old.runs - 1.0 + fresh.runs - 1.0;
    let degrees = (base.len() + new.len() - 2).max(DEGREES);
    let missing = (float(DEGREES) - known).max(0.0);
    // A number that never varies inside a run (launches) is exact, so nothing is assumed for it.
    let varies = sides.iter().any(|side| side.varies);
    let assumed = if varies { scale * assumptions.run_deviation_percent / 100.0 } else { 0.0 };
    let within = f64::max(old.within, if new.len() > 1 { fresh.within } else { 0.0 });
    let seen = (old.squares + fresh.squares + missing * (assumed.powi(2) + within)) / float(degrees);
    let between = seen.max(within);
    // A new run whose iterations vary more than those of the baseline is less certain.
    let extra = (fresh.within - within).max(0.0);
    let error = (between / old.runs + (between + extra) / fresh.runs).sqrt();
    let quantile = quantile(degrees, assumptions.confidence);
    let margin = self::quantile(degrees, POWER) * error;
    let samples = [base, new].map(iterations);
    let ranks = mann_whitney(&samples[0], &samples[1]);
    Difference {
        base: old.mean,
        new: fresh.mean,
        change,
        change_percent: (old.mean != 0.0).then(|| change / old.mean * 100.0),
        interval: interval(old.mean, fresh.mean, change, quantile * error),
        error,
        degrees,
        p_more: upper_tail(change, error, degrees),
        p_less: upper_tail(-change, error, degrees),
        iterations_more: ranks.map(|(more, _)| more),
        iterations_less: ranks.map(|(_, less)| less),
        samples: (samples[0].len(), samples[1].len()),
        detectable: quantile * error + margin,
        margin,
    }
}

/// The interval of a change, so much around it. Where the new value is uncertain by a large part of itself, what it may fall to is
/// a part of it, `new · exp(−around / new)`, and not below 0.
fn interval(old: f64, new: f64, change: f64, around: f64) -> (f64, f64) {
    let (low, high) = (change - around, change + around);
    if low < 0.0 && old > 0.0 && new >= 0.0 {
        let least = if new > 0.0 { new * (-around / new).exp() } else { 0.0 };
        return ((least - old).min(0.0), high);
    }
    (low, high)
}

/// The runs of one side.
struct Side {
    mean: f64,
    runs: f64,
    /// Sum of the squared deviations of the runs from their mean.
    squares: f64,
    /// Mean squared error of the values of the runs, from their iterations alone.
    within: f64,
    varies: bool,
}

impl Side {
    fn new(runs: &[RunSamples<'_>]) -> Self {
        let locations: Vec<Location> = runs.iter().map(|run| run.location()).collect();
        let count = float(runs.len());
        let mean = locations.iter().map(|run| run.value).sum::<f64>() / count;
        Self {
            mean,
            runs: count,
            squares: locations.iter().map(|run| (run.value - mean).powi(2)).sum(),
            within: locations.iter().map(|run| run.error.powi(2)).sum::<f64>() / count,
            varies: locations.iter().any(|run| run.varies),
        }
    }
}

fn iterations(runs: &[RunSamples<'_>]) -> Vec<f64> {
    let samples = runs.iter().filter_map(|run| match run {
        RunSamples::Iterations(samples) => Some(*samples),
        RunSamples::Mean(_) => None,
    });
    samples.flatten().copied().collect()
}

/// Probability that noise alone causes such a large value. Without any noise, every change is certain.
fn upper_tail(change: f64, error: f64, degrees: usize) -> f64 {
    if change == 0.0 {
        return if error > 0.0 { 0.5 } else { 1.0 };
    }
    if error == 0.0 {
        return if change > 0.0 { 0.0 } else { 1.0 };
    }
    StudentsT::new(0.0, 1.0, float(degrees)).map_or(1.0, |t| t.sf(change / error))
}

fn quantile(degrees: usize, confidence: f64) -> f64 {
    StudentsT::new(0.0, 1.0, float(degrees)).map_or(f64::INFINITY, |t| t.inverse_cdf(confidence))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(base: &[&[f64]], new: &[f64]) -> Difference {
        let base: Vec<RunSamples<'_>> = base.iter().map(|run| RunSamples::Iterations(run)).collect();
        difference(&base, &[RunSamples::Iterations(new)], None, Assumptions::default())
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-6 * b.abs().max(1e-9)
    }

    #[test]
    fn five_runs_make_a_t_test() {
        // Constant runs: nothing but the values of the runs counts. Mean 100, variance 2.5.
        let runs: [[f64; 2]; 5] = [[98.0; 2], [99.0; 2], [100.0; 2], [101.0; 2], [102.0; 2]];
        let base: Vec<&[f64]> = runs.iter().map(|run| &run[..]).collect();
        let found = of(&base, &[110.0, 110.0]);
        assert!(near(found.error, (2.5f64 * 1.2).sqrt()), "{found:?}");
        assert_eq!(found.degrees, 4);
        // R: pt(10 / sqrt(3), 4, lower.tail = FALSE)
        assert!((found.p_more - 0.002_226).abs() < 2e-5, "{found:?}");
        assert!(near(found.p_more + found.p_less, 1.0));
        assert!(found.interval.0 > 0.0 && found.interval.0 < found.change);
    }

    #[test]
    fn one_run_leaves_the_rest_to_the_assumption() {
        let base = [99.9, 100.1, 100.0, 99.9, 100.1, 100.0];
        let found = of(&[&base], &base.map(|value| value * 1.05));
        assert!(found.p_more > 0.01 && found.p_more < 0.05, "{found:?}");
        let found = of(&[&base], &base.map(|value| value * 1.09));
        assert!(found.p_more < 0.01, "{found:?}");
        // R: qt(0.99, 4) * 1.5 * sqrt(2) = 7.95 % and the noise inside the runs.
        assert!((7.9..8.3).contains(&(found.change - found.interval.0)), "{found:?}");
    }

    /// Of one run with much noise that falls by four fifths.
    #[test]
    fn no_interval_passes_all_of_the_base() {
        let noisy = [10.0, 400.0, 30.0, 90.0, 20.0, 50.0];
        let found = of(&[&noisy], &noisy.map(|value| value / 5.0));
        assert!(
            found.change - (found.interval.1 - found.change) < -found.base,
            "the plain interval does: {found:?}"
        );
        assert!(found.interval.0 >= -found.base && found.interval.0 <= found.change, "{found:?}");
        let (low, high) = interval(100.0, 101.0, 1.0, 3.0);
        assert!(
            (low + 2.0).abs() < 0.1 && (high - 4.0).abs() < 1e-9,
            "small changes stay as they are: {low}"
        );
        assert_eq!(interval(100.0, 110.0, 10.0, 3.0), (7.0, 13.0));
        assert_eq!(interval(100.0, 0.0, -100.0, 8.0), (-100.0, -92.0), "what is gone");
    }

    #[test]
    fn exact_numbers_need_no_assumption() {
        let found = of(&[&[100.0; 4]], &[100.0; 4]);
        assert!(near(found.p_more, 1.0) && found.error == 0.0, "{found:?}");
        let found = of(&[&[100.0; 4]], &[101.0; 4]);
        assert!(found.p_more == 0.0 && near(found.p_less, 1.0), "{found:?}");
        let found = of(&[&[0.0; 4]], &[5.0; 4]);
        assert!(found.p_more == 0.0 && found.change_percent.is_none(), "{found:?}");
    }
}
