//! Change points of a list of numbers.

use crate::base::ratios::count_to_f64;
use crate::runs::statistics::Random;
use serde::Serialize;

/// Fewer values than this cannot be divided.
const FEWEST: usize = 5;

/// Probability that noise alone causes a division.
const LEVEL: f64 = 0.005;

/// Number of simulated series of noise.
const DRAWS: usize = 2000;

const SEED: u64 = 0x0068_6973;

/// Changes of the mean by a smaller share are not marked.
const SMALLEST: f64 = 0.005;

/// A place where the level changed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ChangePoint {
    /// Position of the first value of the new level.
    pub at: usize,
    /// Mean of the values since the change before.
    pub before: f64,
    /// Mean of the values until the next change.
    pub after: f64,
}

/// The change points of values in order of time.
#[must_use]
pub(crate) fn change_points(values: &[f64]) -> Vec<ChangePoint> {
    let mut cuts = Vec::new();
    let mut undivided = vec![(0, values)];
    while let Some((offset, part)) = undivided.pop() {
        if let Some(at) = cut(part) {
            cuts.push(offset + at);
            let (before, after) = part.split_at(at);
            undivided.extend([(offset, before), (offset + at, after)]);
        }
    }
    cuts.sort_unstable();
    let mut edges = vec![0];
    edges.extend(&cuts);
    edges.push(values.len());
    let levels: Vec<f64> = edges.windows(2).map(|edge| mean(&values[edge[0]..edge[1]])).collect();
    let change = |(&at, levels): (&usize, &[f64])| ChangePoint { at, before: levels[0], after: levels[1] };
    cuts.iter().zip(levels.windows(2)).map(change).collect()
}

/// Where the level of values changes most, if it does.
fn cut(values: &[f64]) -> Option<usize> {
    if values.len() < FEWEST {
        return None;
    }
    let (at, strength) = best_cut(values)?;
    let (before, after) = values.split_at(at);
    let is_change = (mean(after) - mean(before)).abs() > SMALLEST * mean(values).abs();
    (is_change && chance(values.len(), strength) <= LEVEL).then_some(at)
}

/// The best place to divide values, and the difference of the means there in units of its error; `None` if all
/// values are equal.
fn best_cut(values: &[f64]) -> Option<(usize, f64)> {
    let n = count(values);
    let neighbours: f64 =
        values.windows(2).map(|pair| (pair[1] - pair[0]).powi(2)).sum::<f64>() / (2.0 * (n - 1.0));
    let total = mean(values);
    let squares: f64 = values.iter().map(|value| (value - total).powi(2)).sum();
    if squares <= (1e-12 * total).powi(2) * n {
        return None;
    }
    let mut best: Option<(usize, f64)> = None;
    let mut sum = 0.0;
    for at in 1..values.len() {
        sum += values[at - 1] - total;
        let left = count_to_f64(at as u64);
        let right = n - left;
        let difference = -sum / right - sum / left;
        let between = difference * difference * left * right / n;
        let around = (squares - between).max(0.0) / (n - 2.0);
        // Without any noise a step would be infinitely strong; a smallest noise keeps the value finite.
        let noise = around.min(neighbours).max(1e-9 * squares);
        let strength = difference.abs() / (noise * (1.0 / left + 1.0 / right)).sqrt();
        if best.is_none_or(|(_, strongest)| strength > strongest) {
            best = Some((at, strength));
        }
    }
    best
}

/// Share of the series of pure noise of this length whose best cut is at least this strong.
fn chance(length: usize, strength: f64) -> f64 {
    let mut random = Random::new(SEED);
    let mut noise = vec![0.0; length];
    let mut reached = 0;
    for _ in 0..DRAWS {
        noise.fill_with(|| random.normal());
        if best_cut(&noise).is_some_and(|(_, found)| found >= strength) {
            reached += 1;
        }
    }
    count_to_f64(reached) / count_to_f64(DRAWS as u64)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / count(values)
}

fn count(values: &[f64]) -> f64 {
    count_to_f64(values.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noisy(levels: impl Iterator<Item = f64>, percent: f64, seed: u64) -> Vec<f64> {
        let mut random = Random::new(seed);
        levels.map(|level| level * (1.0 + percent / 100.0 * random.normal())).collect()
    }

    #[test]
    fn a_step_is_found_where_it_is() {
        let values = noisy((0..12).map(|at| if at < 7 { 100.0 } else { 105.0 }), 0.5, 3);
        let found = change_points(&values);
        assert_eq!(found.iter().map(|change| change.at).collect::<Vec<_>>(), [7], "{values:?}");
        assert!((found[0].before - 100.0).abs() < 1.0 && (found[0].after - 105.0).abs() < 1.0);
        assert_eq!(change_points(&[1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0])[0].at, 4);
    }

    #[test]
    fn a_creeping_change_is_found() {
        for seed in 0..20 {
            let values = noisy((0..12).map(|at| 100.0 * 1.008f64.powi(at)), 0.4, seed);
            assert!(!change_points(&values).is_empty(), "{values:?}");
        }
    }

    #[test]
    fn noise_is_seldom_a_change() {
        let found =
            (0..300).filter(|&seed| !change_points(&noisy((0..12).map(|_| 100.0), 2.0, seed)).is_empty());
        let found = found.count();
        assert!(found <= 8, "{found} of 300");
        assert!(change_points(&[5.0; 20]).is_empty());
        assert!(change_points(&[1.0, 9.0]).is_empty());
    }
}
