//! Where in a stretch the steps begin.
//!
//! ```text
//! stretch   ├ c d ┊ a b c d ┊ a b c d ┊ a b c d ┊ a ┤      cut at both ends
//! GPU idle       ▲         ▲         ▲         ▲           longest before `a`: steps begin there
//! ```

use super::input::FinderInput;
use super::sequence::Sequence;
use super::stretch::Stretch;
use crate::base::ratios::median;
use crate::base::time::Ns;

/// Periods whose idle times are compared; evenly spread, if there are more.
const PERIODS: usize = 101;

/// The places in the sequence at which steps begin, ascending. A last period that is cut short by over a twentieth is
/// none.
pub(super) fn places(input: &FinderInput<'_>, sequence: &Sequence, stretch: &Stretch) -> Vec<usize> {
    let period = stretch.period;
    let offset = offset(input, sequence, stretch);
    let (start, end) = (stretch.places.start, stretch.places.end);
    // The first one may lie up to a twentieth of a period before the stretch.
    let is_just_before = (period - offset) * 20 <= period;
    let first = (start + offset).checked_sub(period).filter(|_| is_just_before).unwrap_or(start + offset);
    (first..end).step_by(period).take_while(|place| (end - place) * 20 >= period * 19).collect()
}

/// Where the first step begins after the start of the stretch, less than a period.
fn offset(input: &FinderInput<'_>, sequence: &Sequence, stretch: &Stretch) -> usize {
    let period = stretch.period;
    let rest = stretch.len() % period;
    if rest.min(period - rest) * 100 <= period {
        return 0;
    }
    let idle = median_idle(input, sequence, stretch);
    let largest = idle.iter().copied().max().unwrap_or(0);
    let edge = if idle[0] > idle[rest] { 0 } else { rest };
    if idle[edge] * 2 >= largest {
        return edge;
    }
    let mut occurrences = vec![0_usize; sequence.distinct];
    sequence.symbols.iter().for_each(|&symbol| occurrences[symbol as usize] += 1);
    let rarity = |offset: usize| occurrences[sequence.symbols[stretch.places.start + offset] as usize];
    let longest = (0..period).filter(|&offset| idle[offset] == largest);
    longest.min_by_key(|&offset| (rarity(offset), offset)).unwrap_or(edge)
}

/// By offset in the period: the median time for which the stream was idle before the kernel there.
fn median_idle(input: &FinderInput<'_>, sequence: &Sequence, stretch: &Stretch) -> Vec<Ns> {
    let period = stretch.period;
    let periods = stretch.len().div_ceil(period);
    let mut idle: Vec<Vec<Ns>> = vec![Vec::new(); period];
    let mut busy_until: Option<Ns> = None;
    for (place, &kernel) in sequence.kernels.iter().enumerate().take(stretch.places.end) {
        let span = input.kernel_span(kernel as usize);
        if let (Some(inside), Some(busy_until)) = (place.checked_sub(stretch.places.start), busy_until) {
            let number = inside / period;
            let is_chosen =
                periods <= PERIODS || number * PERIODS / periods != (number + 1) * PERIODS / periods;
            if is_chosen {
                idle[inside % period].push((span.start - busy_until).max(0));
            }
        }
        busy_until = Some(busy_until.map_or(span.end, |until| until.max(span.end)));
    }
    idle.into_iter().map(median).collect()
}
