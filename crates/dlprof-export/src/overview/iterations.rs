//! How long the iterations take.

use dlprof_core::profile::Profile;
use dlprof_core::ratios::to_f64;
use dlprof_core::time::Ns;
use serde::Serialize;

/// How long the iterations take.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Iterations {
    /// Shortest aggregated iteration in nanoseconds.
    pub min_ns: Ns,
    /// Median of the aggregated iterations in nanoseconds; of an even number, the mean of the two in the middle.
    pub median_ns: f64,
    /// Longest aggregated iteration in nanoseconds.
    pub max_ns: Ns,
    /// All iterations in order, aggregated or not.
    pub rows: Vec<IterationRow>,
}

/// An iteration.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IterationRow {
    /// Its number; 0 is what comes before the first.
    pub iteration: u32,
    /// The text of its range, where texts differ.
    pub label: Option<String>,
    /// Its length in nanoseconds.
    pub duration_ns: Ns,
    /// Whether it is in the figures.
    pub is_aggregated: bool,
    /// `before`, `warm-up`, `steady`, `outlier`, `empty`, `cut`, `outside`.
    pub state: &'static str,
}

/// The iterations; `None` without any.
pub(super) fn iterations(profile: &Profile) -> Option<Iterations> {
    let iterations = &profile.iterations;
    iterations.key_node.as_ref()?;
    let mut durations = iterations.durations();
    durations.sort_unstable();
    let (first, last) = (*durations.first()?, *durations.last()?);
    let rows = profile.iteration_stats.iter().map(|row| IterationRow {
        iteration: row.iteration,
        label: iterations.label(row.iteration).map(str::to_owned),
        duration_ns: row.span.length(),
        is_aggregated: row.is_aggregated,
        state: iterations.states[row.iteration as usize].as_str(),
    });
    Some(Iterations { min_ns: first, median_ns: median(&durations), max_ns: last, rows: rows.collect() })
}

/// The median of sorted values, of which there is at least one.
fn median(sorted: &[Ns]) -> f64 {
    let middle = sorted.len() / 2;
    let upper = to_f64(sorted[middle]);
    if sorted.len() % 2 == 1 { upper } else { f64::midpoint(to_f64(sorted[middle - 1]), upper) }
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn medians_are_in_the_middle() {
        assert!((median(&[7]) - 7.0).abs() < f64::EPSILON);
        assert!((median(&[1, 2]) - 1.5).abs() < f64::EPSILON);
        assert!((median(&[1, 2, 9]) - 2.0).abs() < f64::EPSILON);
    }
}
