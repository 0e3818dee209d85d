//! What ran when in one iteration: threads and streams as lanes of items, and which call launched what.
//!
//! ```text
//! thread   ranges    ├─ forward ──────────┤├─ backward ────────────
//!          API calls   ├─┤ ├─┤ ├─┤  ├──────────── sync ────┤
//!                       │   │   └────────────┐
//! GPU      idle      ▒▒▒▒▒ launch ▒▒▒          │
//!          stream 7      ├─ gemm ─┤├─ relu ─┤├─ gemm ─┤
//! ```
//!
//! A timeline is of one iteration on the clock in force; items that reach over its edges are cut there. It is made from the
//! capture when asked for: first which rows are shown (drafts of lanes), then what is said of these. Everything is in columns,
//! so that a hundred thousand items are small as JSON.

mod host;
mod idle;
mod items;
mod lane;
mod limit;
mod links;
mod streams;
#[cfg(test)]
mod tests;
mod text_places;

pub(super) use host::{host_item, thread_owner};
pub(super) use idle::Gaps;
pub(super) use lane::Draft;
pub use lane::{Lane, LaneItemClass, LaneKind, LaneOwner};
pub use links::LaneLink;
pub(super) use streams::gpu_item;
pub(super) use text_places::Names;

use crate::base::time::{Ns, Span};
use crate::figures::profile::Profile;
use crate::steps::iterate::IterationState;
use items::Items;
use serde::Serialize;
use streams::GpuItems;

/// What ran when in one iteration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Timeline {
    /// The iteration.
    pub iteration: u32,
    /// Its start on the clock in force, in nanoseconds from the start of the capture.
    pub start_ns: Ns,
    /// Its length in nanoseconds.
    pub length_ns: Ns,
    /// Threads first, those that launch most first, then GPUs with their streams.
    pub lanes: Vec<Lane>,
    /// Calls and what they launched, of the items shown.
    pub links: Vec<LaneLink>,
    /// The texts that items refer to, each once.
    pub names: Vec<String>,
    /// Items left out because there are too many: the shortest ones, and those of lanes beyond 1,000 and of idle time on GPUs
    /// beyond 64.
    pub left_out: u64,
    /// The time of these, summed over lanes, in nanoseconds.
    pub left_out_ns: Ns,
}

impl Profile {
    /// What ran when in an iteration, aggregated or not, with at most about `most_items` items, the longest ones of each lane;
    /// `None` if there is no such iteration.
    #[must_use]
    pub fn timeline(&self, iteration: u32, most_items: usize) -> Option<Timeline> {
        if iteration > self.iterations.last_iteration() {
            return None;
        }
        let window = self.iterations.windows.span(iteration);
        Some(self.capture.pool.install(|| timeline(self, iteration, window, most_items)))
    }

    /// Of the aggregated iterations the one of median duration (of an even number, the longer of the two in the middle)
    /// and the slowest one; those that hold several passes are compared with none.
    #[must_use]
    pub fn median_and_slowest_iteration(&self) -> (u32, u32) {
        let length = |&number: &u32| self.iterations.windows.span(number).length();
        let mut numbers: Vec<u32> = self.iterations.range().collect();
        numbers.retain(|&number| !self.iterations.is_outside(number));
        let is_single = |&number: &u32| self.iterations.states[number as usize] != IterationState::Unsplit;
        if numbers.iter().any(is_single) {
            numbers.retain(is_single);
        }
        numbers.sort_by_key(|number| (length(number), *number));
        match numbers.last() {
            Some(&slowest) => (numbers[numbers.len() / 2], slowest),
            None => (self.iterations.start, self.iterations.start),
        }
    }
}

fn timeline(profile: &Profile, iteration: u32, window: Span, most_items: usize) -> Timeline {
    let mut drafts = {
        let items = Items::within(&profile.capture, window);
        let mut drafts = host::drafts(profile, &items, window);
        drafts.extend(streams::drafts(profile, &items, window));
        drafts
    };
    let (left_out, left_out_ns) = limit::keep_longest(&mut drafts, most_items);
    let mut names = Names::default();
    let gpus = GpuItems::new(profile, iteration, &drafts);
    let lane = |draft: &Draft| match draft.kind {
        LaneKind::Idle => Lane::new(draft, window, gpus.idle(draft, &mut names)),
        LaneKind::Stream => Lane::new(draft, window, gpus.work(draft, &mut names)),
        _ => Lane::new(draft, window, host::items(profile, draft, &mut names)),
    };
    Timeline {
        iteration,
        start_ns: window.start,
        length_ns: window.length(),
        lanes: drafts.iter().map(lane).collect(),
        links: links::links(&profile.capture, &drafts),
        names: names.into_texts(),
        left_out,
        left_out_ns,
    }
}
