//! Items by name: how many there are, and the nearest ones before and after a time.

use super::item::{ItemPlace, LaneItem};
use super::lanes::{CaptureLane, CaptureLanes};
use super::row::Row;
use crate::base::ids::WorkId;
use crate::base::time::Ns;
use crate::figures::profile::Profile;
use crate::pictures::timeline::{LaneKind, gpu_item, host_item};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::Serialize;

/// Most items that are listed on each side of the time.
const MOST_LISTED: usize = 100;

/// The items whose names have a text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct FoundItems {
    /// How many there are.
    pub count: usize,
    /// How many of them start before the time.
    pub before: usize,
    /// The last ones that start before the time, in order of start; at most 100.
    pub previous: Vec<LaneItem>,
    /// The first ones that start at the time or later, in order of start; at most 100.
    pub next: Vec<LaneItem>,
}

/// Those of a row: where they are, with their start.
#[derive(Debug, Default)]
struct InRow {
    before: usize,
    behind: usize,
    previous: Vec<(Ns, ItemPlace)>,
    next: Vec<(Ns, ItemPlace)>,
}

impl Profile {
    /// The items whose names have a text, ignoring case; idle time has no name. All lanes are looked at.
    #[must_use]
    pub fn find_items(&self, lanes: &CaptureLanes, text: &str, time: Ns) -> FoundItems {
        let text = text.trim().to_lowercase();
        if text.is_empty() {
            return FoundItems::default();
        }
        let named = |&(_, lane): &(usize, &CaptureLane)| lane.kind != LaneKind::Idle;
        let rows: Vec<(usize, &CaptureLane, usize, &Row)> = (0..)
            .zip(&lanes.lanes)
            .filter(named)
            .flat_map(|(at, lane)| {
                lane.rows.iter().enumerate().map(move |(number, row)| (at, lane, number, row))
            })
            .collect();
        let search = |&(at, lane, number, row): &(usize, &CaptureLane, usize, &Row)| {
            let place = |item| ItemPlace { lane: at, row: number, item };
            in_row(self, lanes, lane, row, &text, time, place)
        };
        let found: Vec<InRow> = self.capture.pool.install(|| rows.par_iter().map(search).collect());
        let before: usize = found.iter().map(|row| row.before).sum();
        let behind: usize = found.iter().map(|row| row.behind).sum();
        let (mut previous, mut next) = (Vec::new(), Vec::new());
        for row in found {
            previous.extend(row.previous);
            next.extend(row.next);
        }
        previous.sort_unstable();
        next.sort_unstable();
        previous.drain(..previous.len().saturating_sub(MOST_LISTED));
        next.truncate(MOST_LISTED);
        let described = |list: Vec<(Ns, ItemPlace)>| {
            list.into_iter().filter_map(|(_, place)| lanes.described(self, place)).collect()
        };
        FoundItems { count: before + behind, before, previous: described(previous), next: described(next) }
    }
}

fn in_row(
    profile: &Profile,
    lanes: &CaptureLanes,
    lane: &CaptureLane,
    row: &Row,
    text: &str,
    time: Ns,
    place: impl Fn(usize) -> ItemPlace,
) -> InRow {
    let span = |at: usize| lane.span(&lanes.capture, row, at);
    // A text of the capture is always at the same address, so each is compared once.
    let mut known: FxHashMap<(*const u8, usize), bool> = FxHashMap::default();
    let mut matches = |at: usize| {
        let item = row.items[at] as usize;
        let name = match lane.kind {
            LaneKind::Stream => gpu_item(profile, WorkId::new(item)).0,
            kind => host_item(profile, kind, lane.of, item).0,
        };
        *known.entry((name.as_ptr(), name.len())).or_insert_with(|| name.to_lowercase().contains(text))
    };
    let first = row.first_from(time, span);
    let mut found = InRow::default();
    for at in (0..first).rev().filter(|&at| matches(at)) {
        found.before += 1;
        if found.previous.len() < MOST_LISTED {
            found.previous.push((span(at).start, place(at)));
        }
    }
    for at in (first..row.items.len()).filter(|&at| matches(at)) {
        found.behind += 1;
        if found.next.len() < MOST_LISTED {
            found.next.push((span(at).start, place(at)));
        }
    }
    found
}
