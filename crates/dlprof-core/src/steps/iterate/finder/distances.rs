//! Which distances may be a period.
//!
//! Every distance of a short sequence; of a long one, the distances between occurrences of its rarest symbols, which
//! run once per step. Those that match best on places spread over the whole sequence are worth testing in full.

use crate::base::ratios::count_to_f64;
use std::cmp::Reverse;

/// Every distance is tried where a sequence is no longer.
const SHORT: usize = 2_000;

/// No more distances are tried of a long sequence.
const MOST_TRIED: usize = 2_000;

/// No more are tested in full.
const MOST_TESTED: usize = 200;

/// Places on which a distance is tried.
const PLACES: usize = 1_000;

/// Occurrences after one whose distance from it is tried.
const NEXT: usize = 63;

/// Occurrences of a symbol from which distances are measured, evenly spread. All, if there are no more.
const FROM: usize = 512;

/// Distances tried of one symbol.
const USUAL: usize = 20;

/// Distances that match this much worse than the best one are not tested in full.
const WORSE: f64 = 0.1;

/// A share of a count; 0 of nothing.
pub(super) fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { count_to_f64(part as u64) / count_to_f64(whole as u64) }
}

/// The distances to test in full, ascending.
pub(super) fn worth_testing(symbols: &[u32], distinct: usize) -> Vec<usize> {
    let longest = symbols.len() / 3;
    if symbols.len() <= SHORT {
        return (1..=longest).collect();
    }
    let tried = between_rare_symbols(symbols, distinct, longest);
    let places = spread_places(symbols.len(), PLACES);
    let mut rated: Vec<(f64, usize)> =
        tried.into_iter().map(|distance| (match_on(symbols, distance, &places), distance)).collect();
    rated.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let best = rated.first().map_or(0.0, |(rate, _)| *rate);
    rated.retain(|(rate, _)| *rate >= best - WORSE);
    rated.truncate(MOST_TESTED);
    let mut distances: Vec<usize> = rated.into_iter().map(|(_, distance)| distance).collect();
    distances.sort_unstable();
    distances
}

/// Places spread evenly over a sequence, each moved a little, because equal steps could be in time with a period.
pub(super) fn spread_places(length: usize, count: usize) -> Vec<usize> {
    let place = |at: usize| {
        let (start, end) = (at * length / count, (at + 1) * length / count);
        let moved = (at as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        start + usize::try_from(moved).unwrap_or(0) % (end - start).max(1)
    };
    (0..count).map(place).collect()
}

/// Share of places that are equal some distance on.
fn match_on(symbols: &[u32], distance: usize, places: &[usize]) -> f64 {
    let inside = places.partition_point(|&place| place + distance < symbols.len());
    let equal = places[..inside].iter().filter(|&&place| symbols[place] == symbols[place + distance]).count();
    share(equal, inside)
}

/// Distances up to `longest` between occurrences of the rarest symbols that are spread over the sequence.
pub(super) fn between_rare_symbols(symbols: &[u32], distinct: usize, longest: usize) -> Vec<usize> {
    let occurrences = Occurrences::new(symbols, distinct);
    let mut rarest: Vec<(usize, usize)> = (0..distinct)
        .filter(|&symbol| occurrences.is_spread(symbol, symbols.len()))
        .map(|symbol| (occurrences.of(symbol).len(), symbol))
        .collect();
    // Symbols are numbered in order of appearance.
    rarest.sort_unstable();
    let mut is_tried = vec![false; longest + 1];
    let mut tried = Vec::new();
    for (_, symbol) in rarest {
        for distance in usual_distances(occurrences.of(symbol), longest) {
            if !std::mem::replace(&mut is_tried[distance], true) {
                tried.push(distance);
                if tried.len() == MOST_TRIED {
                    return tried;
                }
            }
        }
    }
    tried
}

/// The most frequent distances between occurrences of a symbol; of equals the shorter. A symbol that runs now and then
/// has as many distances as pairs, and none of them recurs: it must not use up what may be tried.
fn usual_distances(places: &[u32], longest: usize) -> Vec<usize> {
    let mut distances = Vec::new();
    let from = FROM.min(places.len());
    for at in (0..from).map(|at| at * places.len() / from) {
        let next = places[at + 1..].iter().take(NEXT).map(|&next| (next - places[at]) as usize);
        distances.extend(next.take_while(|&distance| distance <= longest));
    }
    distances.sort_unstable();
    let mut counted: Vec<(Reverse<usize>, usize)> =
        distances.chunk_by(|a, b| a == b).map(|equal| (Reverse(equal.len()), equal[0])).collect();
    counted.sort_unstable();
    counted.into_iter().take(USUAL).map(|(_, distance)| distance).collect()
}

/// Where each symbol occurs.
struct Occurrences {
    places: Vec<u32>,
    offsets: Vec<usize>,
}

impl Occurrences {
    fn new(symbols: &[u32], distinct: usize) -> Self {
        let mut offsets = vec![0; distinct + 1];
        symbols.iter().for_each(|&symbol| offsets[symbol as usize + 1] += 1);
        for at in 1..offsets.len() {
            offsets[at] += offsets[at - 1];
        }
        let mut next = offsets.clone();
        let mut places = vec![0; symbols.len()];
        for (place, &symbol) in (0..).zip(symbols) {
            places[next[symbol as usize]] = place;
            next[symbol as usize] += 1;
        }
        Self { places, offsets }
    }

    fn of(&self, symbol: usize) -> &[u32] {
        &self.places[self.offsets[symbol]..self.offsets[symbol + 1]]
    }

    /// Whether a symbol occurs three times or more, over at least a third of the sequence.
    fn is_spread(&self, symbol: usize, length: usize) -> bool {
        match self.of(symbol) {
            [first, _, .., last] => (last - first) as usize >= length / 3,
            _ => false,
        }
    }
}

/// The best of the distances up to `longest` by share of equal symbols, if it has at least `least`; the shortest of
/// equals.
pub(super) fn best_match(
    symbols: &[u32],
    distinct: usize,
    longest: usize,
    least: f64,
) -> Option<(usize, f64)> {
    let tried: Vec<usize> = if symbols.len() <= SHORT {
        (1..=longest.min(symbols.len().saturating_sub(1))).collect()
    } else {
        between_rare_symbols(symbols, distinct, longest)
    };
    let places = if symbols.len() <= SHORT {
        (0..symbols.len()).collect()
    } else {
        spread_places(symbols.len(), PLACES)
    };
    let rated = tried.into_iter().map(|distance| (match_on(symbols, distance, &places), distance));
    let (_, best) = rated.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))?;
    let equal = symbols.iter().zip(&symbols[best..]).filter(|(a, b)| a == b).count();
    let matching = share(equal, symbols.len() - best);
    (matching >= least).then_some((best, matching))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_period_of_a_long_sequence_is_worth_testing() {
        let step: Vec<u32> = (0..30).chain((40..47).cycle().take(70)).collect();
        let symbols: Vec<u32> = step.iter().copied().cycle().take(step.len() * 60).collect();
        let distances = worth_testing(&symbols, 47);
        assert!(distances.contains(&100), "{distances:?}");
        assert!(distances.len() <= MOST_TESTED && distances.is_sorted());
    }

    #[test]
    fn places_are_inside_and_ascend() {
        for length in [2_001, 10_000, 1_234_567] {
            let places = spread_places(length, PLACES);
            assert!(places.is_sorted() && places.iter().all(|&place| place < length));
        }
    }

    #[test]
    fn layers_inside_a_step_match_best() {
        let step: Vec<u32> = [90, 91].into_iter().chain((0..9).cycle().take(90)).chain([92]).collect();
        let symbols: Vec<u32> = step.iter().copied().cycle().take(step.len() * 4).collect();
        let (distance, matching) = best_match(&symbols, 93, step.len() / 2, 0.8).expect("layers");
        assert_eq!(distance, 9);
        assert!((0.8..0.95).contains(&matching), "{matching}");
    }
}
