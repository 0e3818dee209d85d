//! Passes of different lengths, where nothing repeats as a whole: a kernel that runs once in each of them begins them.
//!
//! ```text
//! kernels    i a b b a c f   i b a c f   i a c b a b a f   i b f      4 passes that begin with i
//! ```

use super::sequence::Sequence;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Fewer passes are none.
const FEWEST_PASSES: usize = 4;

/// A pass has so many kernels on average, or more.
const LEAST_KERNELS: usize = 4;

/// Where passes begin: the places of the first kernel that runs once in each. Most kernels that run seldom run as often as there
/// are passes.
pub(super) fn places(sequence: &Sequence) -> Option<Vec<usize>> {
    let mut by_symbol: Vec<Vec<usize>> = vec![Vec::new(); sequence.distinct];
    sequence.symbols.iter().enumerate().for_each(|(place, &symbol)| by_symbol[symbol as usize].push(place));
    let is_seldom =
        |places: &Vec<usize>| places.len() >= FEWEST_PASSES && places.len() * LEAST_KERNELS <= sequence.len();
    let mut kernels: BTreeMap<usize, usize> = BTreeMap::new();
    by_symbol.iter().filter(|places| is_seldom(places)).for_each(|places| {
        *kernels.entry(places.len()).or_default() += 1;
    });
    let most = kernels.into_iter().max_by_key(|&(passes, kernels)| (kernels, Reverse(passes)));
    let (passes, _) = most?;
    // Symbols are numbered in order of appearance.
    by_symbol.into_iter().find(|places| places.len() == passes)
}

#[cfg(test)]
mod tests {
    use crate::base::time::Ns;
    use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
    use crate::tests::drawn::Drawn;

    /// Passes that begin with one kernel and end with another, with so many others between.
    fn passes(kernels: &[Ns]) -> Drawn {
        let (mut drawn, mut now) = (Drawn::new(), 0);
        let mut launch = |drawn: &mut Drawn, name: &str| {
            drawn.launch(now..now + 2_000, name, now + 5_000..now + 95_000);
            now += 100_000;
        };
        for (pass, &kernels) in (0..).zip(kernels) {
            launch(&mut drawn, "init_rays");
            for at in 0..kernels {
                let form: Ns = (7 * at * at + 3 * pass * at + pass) % 5;
                launch(
                    &mut drawn,
                    ["trace", "shade", "sort", "compact", "scatter"][usize::try_from(form).unwrap_or(0)],
                );
            }
            launch(&mut drawn, "gather");
        }
        drawn
    }

    #[test]
    fn a_kernel_that_runs_once_in_each_pass_is_a_candidate() {
        let capture = passes(&[9, 14, 7, 21, 11, 17, 8, 13]).capture();
        let index = capture.index(&KeyNodeChoice::Find).expect("an index");
        let profile = index.profile(&RangeChoice::default()).expect("a profile");
        let found = &profile.iterations;
        assert!(found.key_node.is_none(), "passes of other lengths are not sure enough");
        let named = found.candidates.iter().find(|one| one.name == "init_rays").expect("a candidate");
        assert_eq!(named.executions, 8);
        let index = capture.index(&KeyNodeChoice::Named(named.key_node.clone())).expect("an index");
        let profile = index.profile(&RangeChoice::default()).expect("a profile");
        assert!(profile.iterations.aggregated() >= 8, "each pass is an iteration");
    }
}
