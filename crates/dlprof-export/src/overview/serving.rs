//! What an inference server did over time, and how long its tokens took, for a picture. Of the whole capture, as the sentences
//! beside it.

use dlprof_core::{Judged, Ns, STRIP_PARTS};
use serde::Serialize;

/// How many pieces a strip has at most.
const MOST_PIECES: u32 = 240;

/// A picture of a server.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ServingPicture {
    /// What the pieces divide into, in order.
    pub parts: [&'static str; STRIP_PARTS.len()],
    /// Length of a piece.
    pub piece_ns: Ns,
    /// From the first step to the last.
    pub length_ns: Ns,
    /// By piece: time of each part.
    pub pieces: Vec<[Ns; STRIP_PARTS.len()]>,
    /// How the time between tokens is distributed; `None` where no tokens follow each other.
    pub tokens: Option<TokenPicture>,
}

/// A distribution of the time between tokens.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TokenPicture {
    /// Width of a step; the last one holds all that takes longer as well.
    pub width_ns: Ns,
    /// By step: tokens without a prefill in between, and those with one.
    pub counts: Vec<[u64; 2]>,
    /// The median.
    pub median_ns: Ns,
    /// What 99 of 100 tokens do not exceed.
    pub p99_ns: Ns,
}

pub(super) fn serving_picture(judged: &Judged) -> Option<ServingPicture> {
    let lane = judged.serving().main()?;
    let strip = lane.strip(MOST_PIECES)?;
    let tokens = lane.figures.tokens.zip(lane.figures.token_bins.as_ref());
    let tokens = tokens.map(|(times, bins)| TokenPicture {
        width_ns: bins.width,
        counts: bins.counts.clone(),
        median_ns: times.median,
        p99_ns: times.p99,
    });
    let length_ns = strip.span.length();
    Some(ServingPicture {
        parts: STRIP_PARTS,
        piece_ns: strip.piece_ns,
        length_ns,
        pieces: strip.pieces,
        tokens,
    })
}
