//! Lanes: pieces of a track that overlap without lying in each other go to different lanes.
//!
//! ```text
//! lane 0   ├─ a ──────────┤├─ d ─┤
//!            ├─ b ─┤                   lies in a
//! lane 1        ├─ c ────────┤         begins in a and ends behind it
//! ```

use super::{TrackKind, TrackPiece, Tracks};
use crate::base::time::Ns;

/// Gives every piece a lane of its track, so that the pieces of a lane lie in each other or follow each other. It takes pieces
/// in order of start, of equal starts the longest first, and remembers only what is open.
#[derive(Debug)]
pub struct TrackLanes {
    /// By track and lane: the ends of what is open, the innermost last.
    open: Vec<Vec<Vec<Ns>>>,
    /// By track: whether pieces may lie in each other.
    is_nested: Vec<bool>,
}

impl TrackLanes {
    /// The lanes of some tracks.
    #[must_use]
    pub fn new(tracks: &Tracks<'_>) -> Self {
        let is_nested = tracks.tracks().iter().map(|track| track.kind != TrackKind::Stream).collect();
        Self { open: vec![Vec::new(); tracks.tracks().len()], is_nested }
    }

    /// The lane of the next piece, from 0: the first in which it fits.
    pub fn place(&mut self, piece: &TrackPiece) -> usize {
        let (lanes, is_nested) = (&mut self.open[piece.track], self.is_nested[piece.track]);
        let fits = |ends: &mut Vec<Ns>| {
            while ends.last().is_some_and(|&end| end <= piece.span.start) {
                ends.pop();
            }
            ends.last().is_none_or(|&end| is_nested && piece.span.end <= end)
        };
        let lane = lanes.iter_mut().position(fits).unwrap_or_else(|| {
            lanes.push(Vec::new());
            lanes.len() - 1
        });
        lanes[lane].push(piece.span.end);
        lane
    }
}
