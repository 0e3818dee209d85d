//! How long the iterations take.

use dlprof_core::{Ns, Profile, count_to_f64, to_f64, whole};
use serde::Serialize;

/// How long the iterations take. All figures but the rows are of the aggregated iterations.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Iterations {
    /// Shortest iteration in nanoseconds.
    pub min_ns: Ns,
    /// Median in nanoseconds; of an even number, the mean of the two in the middle.
    pub median_ns: f64,
    /// Longest iteration in nanoseconds.
    pub max_ns: Ns,
    /// Mean in nanoseconds, every pass of an unsplit iteration by itself.
    pub mean_ns: f64,
    /// Standard deviation in nanoseconds (sample form); `None` of fewer than two with a single pass.
    pub deviation_ns: Option<f64>,
    /// The lengths that 5, 25, 50, 75 and 95 % of the iterations do not exceed.
    pub quantiles: Vec<Quantile>,
    /// The lengths as a histogram; empty of one iteration.
    pub bins: Vec<Bin>,
    /// All iterations in order, aggregated or not.
    pub rows: Vec<IterationRow>,
}

/// A quantile of lengths. Between two lengths it lies on the line between them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Quantile {
    /// Share of the iterations that are not longer.
    pub percent: u32,
    /// The length in nanoseconds.
    pub ns: f64,
}

/// A bar of a histogram. The next one begins where it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Bin {
    /// Its shortest length in nanoseconds.
    pub from_ns: Ns,
    /// Lengths from here on are not in it.
    pub to_ns: Ns,
    /// Number of iterations in it.
    pub count: usize,
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
    /// `before`, `warm-up`, `steady`, `outlier`, `unsplit`, `empty`, `cut`, `untraced`, `outside`.
    pub state: &'static str,
}

/// Shares of iterations whose quantiles are shown.
const PERCENTS: [u32; 5] = [5, 25, 50, 75, 95];

/// Bars of a histogram: at least and at most so many.
const BINS: (u64, u64) = (5, 40);

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
    let quantile = |percent| Quantile { percent, ns: quantile(&durations, percent) };
    Some(Iterations {
        min_ns: first,
        median_ns: self::quantile(&durations, 50),
        max_ns: last,
        mean_ns: profile.summary.average_iteration_ns,
        deviation_ns: profile.summary.iteration_deviation_ns,
        quantiles: PERCENTS.map(quantile).to_vec(),
        bins: bins(&durations),
        rows: rows.collect(),
    })
}

/// A quantile of sorted values, of which there is at least one.
fn quantile(sorted: &[Ns], percent: u32) -> f64 {
    let steps = (sorted.len() - 1) * percent as usize;
    let (at, rest) = (steps / 100, steps % 100);
    let lower = to_f64(sorted[at]);
    let upper = sorted.get(at + 1).map_or(lower, |&upper| to_f64(upper));
    lower + (upper - lower) * count_to_f64(rest as u64) / 100.0
}

/// A histogram of sorted values: twice as many bars as the square root of their number.
fn bins(sorted: &[Ns]) -> Vec<Bin> {
    let (&[first, .., last], count) = (sorted, count_to_f64(sorted.len() as u64)) else { return Vec::new() };
    let most = Ns::try_from(whole(count.sqrt() * 2.0).clamp(BINS.0, BINS.1)).unwrap_or(1);
    let width = (last - first) / most + 1;
    let bar = |number: Ns| {
        let (from_ns, to_ns) = (first + number * width, first + (number + 1) * width);
        let before = |end: Ns| sorted.partition_point(|&value| value < end);
        Bin { from_ns, to_ns, count: before(to_ns) - before(from_ns) }
    };
    (0..=(last - first) / width).map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::{Bin, bins, quantile};

    #[test]
    fn quantiles_lie_between_values() {
        let near = |sorted: &[i64], percent, wanted: f64| {
            assert!((quantile(sorted, percent) - wanted).abs() < 1e-9, "{sorted:?} {percent}");
        };
        near(&[7], 50, 7.0);
        near(&[7], 95, 7.0);
        near(&[1, 2], 50, 1.5);
        near(&[1, 2, 9], 50, 2.0);
        near(&[1, 2, 9], 75, 5.5);
        near(&[0, 100], 5, 5.0);
        near(&[0, 10, 20, 30, 40], 25, 10.0);
    }

    #[test]
    fn bins_follow_each_other_and_hold_every_value_once() {
        assert!(bins(&[3]).is_empty());
        assert_eq!(bins(&[3, 3]), [Bin { from_ns: 3, to_ns: 4, count: 2 }]);
        for values in [vec![1, 2], vec![0, 5, 5, 10], (0..1000).map(|at| at * at).collect()] {
            let found = bins(&values);
            assert_eq!(found.iter().map(|bin| bin.count).sum::<usize>(), values.len());
            assert!(found.windows(2).all(|pair| pair[0].to_ns == pair[1].from_ns));
            assert!(found[0].count > 0 && found[found.len() - 1].count > 0, "{found:?}");
            assert!(found.len() <= 40);
        }
    }
}
