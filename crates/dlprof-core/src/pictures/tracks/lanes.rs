//! Lanes: pieces of a track that overlap without lying in each other go to different lanes.
//!
//! ```text
//! lane 0   ├─ a ──────────┤├─ d ─┤
//!            ├─ b ─┤                   lies in a
//! lane 1        ├─ c ────────┤         begins in a and ends behind it
//! ```

use super::{TrackKind, TrackPiece, Tracks};
use crate::base::time::Ns;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Gives every piece a lane of its track, so that the pieces of a lane lie in each other or follow each other. It takes pieces
/// in order of start, of equal starts the longest first, and remembers only what is open.
#[derive(Debug)]
pub struct TrackLanes {
    of_tracks: Vec<Lanes>,
}

/// The lanes of a track. Thousands of pieces may be open at a time, each on a lane of its own, so the lanes are leaves of a tree.
#[derive(Debug, Default)]
struct Lanes {
    /// Whether pieces may lie in each other.
    is_nested: bool,
    /// By lane: the ends of what is open, the innermost last.
    open: Vec<Vec<Ns>>,
    /// The ends of all that is open, each with its lane; the first to end comes first.
    ends: BinaryHeap<Reverse<(Ns, usize)>>,
    /// A tree whose node 1 is its root; nodes 2n and 2n + 1 are below node n, and the lanes are the last half of the nodes. Each
    /// has the latest time at which a piece may end that is put there: the end of the innermost open piece, else [`Ns::MAX`].
    room: Vec<Ns>,
    /// Nodes that were looked at.
    #[cfg(test)]
    steps: usize,
}

impl TrackLanes {
    /// The lanes of some tracks.
    #[must_use]
    pub fn new(tracks: &Tracks<'_>) -> Self {
        let lanes = |kind| Lanes { is_nested: kind != TrackKind::Stream, ..Lanes::default() };
        Self { of_tracks: tracks.tracks().iter().map(|track| lanes(track.kind)).collect() }
    }

    /// The lane of the next piece, from 0: the first in which it fits.
    pub fn place(&mut self, piece: &TrackPiece) -> usize {
        self.of_tracks[piece.track].place(piece.span.start, piece.span.end)
    }
}

impl Lanes {
    fn place(&mut self, start: Ns, end: Ns) -> usize {
        self.close_before(start);
        let needed = if self.is_nested { end } else { Ns::MAX };
        let lane = self.first_with_room(needed).unwrap_or_else(|| self.add_lane());
        self.open[lane].push(end);
        self.ends.push(Reverse((end, lane)));
        self.set_room(lane);
        lane
    }

    /// Closes what ends at a time or before.
    fn close_before(&mut self, time: Ns) {
        while let Some(&Reverse((end, lane))) = self.ends.peek()
            && end <= time
        {
            self.ends.pop();
            // What is open in a lane lies in each other, so that the innermost ends first.
            self.open[lane].pop();
            self.set_room(lane);
        }
    }

    /// The first lane in which a piece may end so late.
    fn first_with_room(&mut self, needed: Ns) -> Option<usize> {
        let half = self.room.len() / 2;
        if self.room.get(1).is_none_or(|&room| room < needed) {
            return None;
        }
        let mut node = 1;
        while node < half {
            self.count_step();
            node = if self.room[2 * node] >= needed { 2 * node } else { 2 * node + 1 };
        }
        Some(node - half)
    }

    fn add_lane(&mut self) -> usize {
        self.open.push(Vec::new());
        if self.open.len() > self.room.len() / 2 {
            self.grow();
        }
        self.open.len() - 1
    }

    /// Makes the tree twice as large.
    fn grow(&mut self) {
        let half = self.open.len().next_power_of_two().max(2);
        self.room = vec![Ns::MIN; 2 * half];
        for lane in 0..self.open.len() {
            self.set_room(lane);
        }
    }

    fn set_room(&mut self, lane: usize) {
        let mut node = self.room.len() / 2 + lane;
        self.room[node] = self.open[lane].last().copied().unwrap_or(Ns::MAX);
        while node > 1 {
            self.count_step();
            node /= 2;
            self.room[node] = self.room[2 * node].max(self.room[2 * node + 1]);
        }
    }

    #[cfg(test)]
    fn count_step(&mut self) {
        self.steps += 1;
    }

    #[cfg(not(test))]
    #[expect(clippy::unused_self, reason = "only tests count")]
    fn count_step(&self) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same, lane by lane.
    fn one_by_one(is_nested: bool, pieces: &[(Ns, Ns)]) -> Vec<usize> {
        let mut lanes: Vec<Vec<Ns>> = Vec::new();
        let mut place = |&(start, end): &(Ns, Ns)| {
            lanes.iter_mut().for_each(|lane| lane.retain(|&open| open > start));
            let fits = |lane: &Vec<Ns>| lane.last().is_none_or(|&open| is_nested && end <= open);
            let at = lanes.iter().position(fits).unwrap_or(lanes.len());
            if at == lanes.len() {
                lanes.push(Vec::new());
            }
            lanes[at].push(end);
            at
        };
        pieces.iter().map(&mut place).collect()
    }

    fn placed(is_nested: bool, pieces: &[(Ns, Ns)]) -> (Vec<usize>, usize) {
        let mut lanes = Lanes { is_nested, ..Lanes::default() };
        let places = pieces.iter().map(|&(start, end)| lanes.place(start, end)).collect();
        (places, lanes.steps)
    }

    proptest! {
        #[test]
        fn lanes_are_those_of_the_definition(
            pieces in prop::collection::vec((0..60_i64, 0..30_i64), 0..80),
            is_nested: bool,
        ) {
            let mut pieces: Vec<(Ns, Ns)> = pieces.into_iter().map(|(start, length)| (start, start + length)).collect();
            pieces.sort_by_key(|&(start, end)| (start, Reverse(end)));
            prop_assert_eq!(placed(is_nested, &pieces).0, one_by_one(is_nested, &pieces));
        }
    }

    /// ```text
    /// stream   ├──────────────┤      thread   ├────────┤
    ///            ├──────────┤                    ├────────┤
    ///              ├──────┤                         ├────────┤
    /// ```
    #[test]
    fn pieces_that_are_all_open_at_a_time_cost_a_few_steps_each() {
        let count = 4_000;
        let inside: Vec<(Ns, Ns)> = (0..count).map(|at| (at, 3 * count - at)).collect();
        let behind: Vec<(Ns, Ns)> = (0..count).map(|at| (at, count + at)).collect();
        for (is_nested, pieces) in [(false, inside), (true, behind)] {
            let (places, steps) = placed(is_nested, &pieces);
            assert!(places.iter().copied().eq(0..pieces.len()));
            assert!(steps < 60 * pieces.len(), "{steps}");
        }
    }
}
