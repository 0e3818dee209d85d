//! The items that decide the gaps of GPUs in a span, without those of other times.
//!
//! ```text
//! span                 ├────────────────────┤
//! GPU 0    ├ a ┤  ├ b ──┤  ├ c ┤               ├ d ┤  ├ e ┤
//! ```
//!
//! Of these, `b`, `c` and `d` matter. `a` matters only in that it was there: what is idle from the start of the span on is a gap.

use crate::base::time::{Ns, Span};
use crate::capture::classified::Activity;

/// The items that decide the gaps in a span.
#[derive(Debug)]
pub(super) struct GapItems {
    /// By GPU: whether an item that lasts ended before the span.
    pub(super) has_earlier: Vec<bool>,
    /// Items that are open in the span and, of each GPU, the first that last after it, by start, end and row.
    pub(super) rows: Vec<usize>,
}

/// How far after a span the first items are looked for at first; then ten times as far.
const FIRST_STEP_NS: Ns = 1_000_000;

impl GapItems {
    pub(super) fn new(activity: &Activity<'_>, span: Span) -> Self {
        let (all, lasts) = (0..activity.work.len(), |row: &usize| !activity.work.span[*row].is_empty());
        let device = |row: usize| activity.work.device[row].index();
        let mut missing = activity.devices.len();
        let mut has_earlier = vec![false; missing];
        for row in activity.open_in(all.clone(), span.start, Ns::MIN).filter(lasts) {
            if activity.work.span[row].end <= span.start
                && !std::mem::replace(&mut has_earlier[device(row)], true)
            {
                missing -= 1;
                if missing == 0 {
                    break;
                }
            }
        }
        let mut rows: Vec<usize> = activity.open_in(all.clone(), span.end, span.start).collect();
        // Behind the span, only GPUs that worked before can end a gap, unless the time before their first work is one.
        let mut is_wanted = match activity.idle_from {
            Some(begin) if begin < span.end => vec![true; has_earlier.len()],
            _ => has_earlier.clone(),
        };
        rows.iter().for_each(|&row| is_wanted[device(row)] = true);
        let (mut from, mut step) = (span.end, FIRST_STEP_NS);
        while is_wanted.contains(&true)
            && from < Ns::MAX
            && activity.most_starting_in(Span::new(from, Ns::MAX)) > 0
        {
            let part = Span::new(from, from.saturating_add(step));
            let found = activity.starting_in(all.clone(), part).filter(lasts);
            let found: Vec<usize> = found.filter(|&row| is_wanted[device(row)]).collect();
            found.iter().for_each(|&row| is_wanted[device(row)] = false);
            rows.extend(found);
            (from, step) = (part.end, step.saturating_mul(10));
        }
        // Rows of a table mostly stand in order, and equal ones stay in order of rows.
        rows.sort_unstable();
        rows.sort_by_key(|&row| activity.work.span[row]);
        Self { has_earlier, rows }
    }
}
