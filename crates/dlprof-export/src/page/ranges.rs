//! What pages need to say how long the iterations of any range take while the range is being dragged.
//!
//! ```text
//! iteration        0    1    2    3
//! length          90  100  101  103
//! − center (100) −10    0    1    3
//! sum          0 −10  −10   −9   −6       of 1..=2: entry 3 − entry 1 = 1, so that the mean is 100 + 1/2
//! ```

use dlprof_core::{FigureRules, Ns, Profile, to_f64};
use serde::Serialize;

/// Sums over the lengths of all iterations before each one. Between two entries lie those of a range. With `n` iterations, whose
/// lengths differ from the center by `d` in all and by `q` in squares, the mean is `center + d / n`, and the standard deviation
/// (sample form) is the root of `(q − d² / n) / (n − 1)`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RangeSums {
    /// A length in nanoseconds near most others, so that squares stay small.
    pub center_ns: Ns,
    /// Number of iterations before; without pieces between runs, where the figures leave them out.
    pub counted: Vec<u32>,
    /// Sum of what their lengths are above the center, in nanoseconds.
    pub sum_ns: Vec<Ns>,
    /// Sum of the squares of that.
    pub squares: Vec<f64>,
}

impl RangeSums {
    /// The sums over the iterations of a profile, aggregated or not.
    #[must_use]
    pub fn new(profile: &Profile) -> Self {
        let iterations = &profile.iterations;
        let by_dlprof = iterations.windows.rules == FigureRules::Dlprof;
        let center_ns = dlprof_core::median(iterations.durations());
        let (mut counted, mut sum_ns, mut squares) = (vec![0], vec![0], vec![0.0]);
        let (mut count, mut sum, mut square) = (0, 0, 0.0);
        for row in &profile.iteration_stats {
            if by_dlprof || !iterations.is_outside(row.iteration) {
                let above = row.span.length() - center_ns;
                count += 1;
                sum += above;
                square += to_f64(above).powi(2);
            }
            counted.push(count);
            sum_ns.push(sum);
            squares.push(square);
        }
        Self { center_ns, counted, sum_ns, squares }
    }
}
