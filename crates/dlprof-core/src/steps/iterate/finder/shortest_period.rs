//! The period of a sequence, found by trying the distances that may be one.

use super::coarse::Sample;
use super::distances;
use super::stretch::Stretch;

/// The period of a sequence: the smallest whose stretch is as long and matches as well as any, nearly.
/// `is_enough` says whether a stretch holds enough of the whole.
pub(super) fn period(
    symbols: &[u32],
    distinct: usize,
    mut is_enough: impl FnMut(&Stretch) -> bool,
) -> Option<Stretch> {
    let sample = Sample::of(symbols);
    let mut kept: Vec<Stretch> = Vec::new();
    for distance in distances::worth_testing(symbols, distinct) {
        if sample.as_ref().is_some_and(|sample| !sample.is_promising(distance, smallest(&kept))) {
            continue;
        }
        let Some(stretch) = Stretch::of(symbols, distance) else { continue };
        if !stretch.has_enough_periods() || !is_enough(&stretch) {
            continue;
        }
        // No longer period can take its place: a sequence is not longer than this, and no match better than 1.
        let is_final = stretch.matching >= 1.0 - NEARLY && stretch.len() * 20 >= symbols.len() * 19;
        kept.push(stretch);
        if is_final {
            break;
        }
    }
    smallest(&kept).cloned()
}

/// The smallest period whose stretch is nearly as long as the longest and matches nearly as well as the best of those.
/// Periods ascend.
fn smallest(stretches: &[Stretch]) -> Option<&Stretch> {
    let longest = stretches.iter().map(Stretch::len).max()?;
    let long = || stretches.iter().filter(|stretch| stretch.len() * 20 >= longest * 19);
    let best = long().map(|stretch| stretch.matching).fold(0.0, f64::max);
    long().find(|stretch| stretch.matching >= best - NEARLY)
}

/// A period may match this much worse than the best one. A bare "95 %" takes the layer for the step: twelve layers
/// match 0.94, the whole pass 1.
const NEARLY: f64 = 0.002;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_before_and_behind_falls_off() {
        let mut symbols: Vec<u32> = (100..130).collect();
        symbols.extend((0..12).cycle().take(12 * 9));
        symbols.extend(200..220);
        let found = period(&symbols, 300, |_| true).expect("a period");
        assert_eq!((found.period, found.places), (12, 30..30 + 12 * 9));
    }

    #[test]
    fn a_pass_is_the_period_not_its_layers() {
        let pass: Vec<u32> =
            [50, 51].into_iter().chain((0..9).cycle().take(9 * 12)).chain([60, 61, 62]).collect();
        let symbols: Vec<u32> = pass.iter().copied().cycle().take(pass.len() * 5).collect();
        assert_eq!(period(&symbols, 63, |_| true).expect("a period").period, pass.len());
    }
}
