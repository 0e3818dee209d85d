//! A row of a lane: items that do not overlap, in order of time, so that a part of it is found and summed fast.
//!
//! ```text
//! items    ▒▒ ▒▒▒▒ ▒ ▒ ▒▒▒ ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒ ▒ ▒▒ ▒ ▒▒▒
//! blocks   ├ first start, sum, longest ────┤├─────────      32 items each
//! bins     │     │     │     │     │     │     │             the width of a pixel, or near it
//! pieces    ▒▒▒▒ ▒▒▒▒▒▒ ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒ ▒▒▒▒  ▒▒          one for the short items of a bin, one for each other item
//! ```
//!
//! An item is merged with those that begin in the same bin if it is shorter than a bin. Bins are at multiples of their width, so
//! what is merged does not depend on where a tile ends. A bin costs two blocks at most and those that lie in it as a whole.

use crate::base::time::{Ns, Span};
use crate::columns::{Buffer, Memory};

/// Items of a block.
const BLOCK: usize = 32;

/// Items that do not overlap, in order of start.
#[derive(Debug)]
pub(super) struct Row {
    /// What each item is: a row of the table of its lane.
    pub(super) items: Buffer<u32>,
    blocks: Buffer<Block>,
}

/// What is known of some items that follow each other.
#[derive(Debug, Clone, Copy)]
struct Block {
    first_start: Ns,
    sum_ns: Ns,
    longest_ns: Ns,
    /// The place of the longest item in the row; of equal ones the first.
    longest: u32,
}

/// An item, or the short items of a bin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    /// The start of the item, or of the first of them.
    pub(super) start: Ns,
    /// The length of the item, or the sum of theirs.
    pub(super) length_ns: Ns,
    /// The number of items.
    pub(super) count: u32,
    /// The place of the item in its row; of several the longest, and of equal ones the first.
    pub(super) at: u32,
}

/// The short items of a bin so far.
#[derive(Debug, Default)]
struct Merged {
    piece: Option<Piece>,
    longest_ns: Ns,
}

impl Merged {
    fn add(&mut self, other: Piece, longest_ns: Ns) {
        let Some(piece) = &mut self.piece else {
            (self.piece, self.longest_ns) = (Some(other), longest_ns);
            return;
        };
        if longest_ns > self.longest_ns {
            (piece.at, self.longest_ns) = (other.at, longest_ns);
        }
        piece.length_ns += other.length_ns;
        piece.count += other.count;
    }
}

impl Row {
    pub(super) fn new(memory: &Memory) -> Self {
        Self { items: memory.buffer(0), blocks: memory.buffer(0) }
    }

    /// Adds an item, which starts where the last one ends or later.
    pub(super) fn push(&mut self, item: u32, span: Span) {
        let at = place(self.items.len());
        if self.items.len().is_multiple_of(BLOCK) {
            let first = Block { first_start: span.start, sum_ns: 0, longest_ns: span.length(), longest: at };
            self.blocks.push(first);
        }
        self.items.push(item);
        if let Some(block) = self.blocks.last_mut() {
            block.sum_ns += span.length();
            if span.length() > block.longest_ns {
                (block.longest_ns, block.longest) = (span.length(), at);
            }
        }
    }

    /// The place of the first item that starts at a time or later. `span` gives the time of an item by its place.
    pub(super) fn first_from(&self, time: Ns, span: impl Fn(usize) -> Span) -> usize {
        let blocks = self.blocks.partition_point(|block| block.first_start < time);
        let first = blocks.saturating_sub(1) * BLOCK;
        let last = (blocks * BLOCK).min(self.items.len());
        (first..last).find(|&at| span(at).start >= time).unwrap_or(last)
    }

    /// The items that share time with a window or stand in it, as a range of places.
    pub(super) fn touching(&self, window: Span, span: impl Fn(usize) -> Span) -> std::ops::Range<usize> {
        let mut first = self.first_from(window.start, &span);
        if first > 0 && span(first - 1).end > window.start {
            first -= 1;
        }
        first..self.first_from(window.end, &span).max(first)
    }

    /// What is to be drawn of a window that begins and ends at edges of bins: the items in it, those shorter than a bin merged by
    /// the bin in which they begin. An item of a bin or more is in every window that it reaches.
    pub(super) fn pieces(&self, window: Span, bin_ns: Ns, span: impl Fn(usize) -> Span) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut at = self.first_from(window.start, &span);
        if let Some(before) = at.checked_sub(1) {
            let reaching = span(before);
            if reaching.end > window.start && reaching.length() >= bin_ns {
                pieces.push(single(before, reaching));
            }
        }
        while at < self.items.len() {
            let start = span(at).start;
            if start >= window.end {
                break;
            }
            let bin_end = start.saturating_add(bin_ns - (start - window.start) % bin_ns);
            at = self.bin(at, bin_end, bin_ns, &span, &mut pieces);
        }
        pieces
    }

    /// Adds what is to be drawn of a bin; returns the place of the first item after it.
    fn bin(
        &self,
        mut at: usize,
        bin_end: Ns,
        bin_ns: Ns,
        span: impl Fn(usize) -> Span,
        pieces: &mut Vec<Piece>,
    ) -> usize {
        let mut merged = Merged::default();
        while at < self.items.len() {
            if let Some((block, start)) = self.block_within(at, bin_end, bin_ns) {
                let count = place(BLOCK);
                let piece = Piece { start, length_ns: block.sum_ns, count, at: block.longest };
                merged.add(piece, block.longest_ns);
                at += BLOCK;
                continue;
            }
            let item = span(at);
            if item.start >= bin_end {
                break;
            }
            at += 1;
            if item.length() >= bin_ns {
                pieces.extend(merged.piece.take());
                pieces.push(single(at - 1, item));
                return at;
            }
            merged.add(single(at - 1, item), item.length());
        }
        pieces.extend(merged.piece);
        at
    }

    /// The block that begins at a place, and its first start, if all of it begins in the bin and is shorter than that.
    fn block_within(&self, at: usize, bin_end: Ns, bin_ns: Ns) -> Option<(&Block, Ns)> {
        if !at.is_multiple_of(BLOCK) {
            return None;
        }
        let [block, next] = self.blocks.get(at / BLOCK..at / BLOCK + 2)? else { return None };
        (next.first_start < bin_end && block.longest_ns < bin_ns).then_some((block, block.first_start))
    }
}

fn single(at: usize, span: Span) -> Piece {
    Piece { start: span.start, length_ns: span.length(), count: 1, at: place(at) }
}

/// Tables have fewer than 2^32 rows, so places in them fit.
fn place(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// The numbers of rows.
pub(super) fn numbers(rows: usize) -> impl Iterator<Item = u32> + Clone {
    0..u32::try_from(rows).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Items by pauses and lengths, and their row.
    fn row(items: &[(Ns, Ns)]) -> (Row, Vec<Span>) {
        let (mut now, mut row, mut spans) = (-70, Row::new(&Memory::unlimited()), Vec::new());
        for (at, &(pause, length)) in items.iter().enumerate() {
            let span = Span::new(now + pause, now + pause + length);
            row.push(place(at), span);
            spans.push(span);
            now = span.end;
        }
        (row, spans)
    }

    fn items() -> impl Strategy<Value = Vec<(Ns, Ns)>> {
        let length = prop_oneof![8 => 0..6_i64, 1 => 0..300_i64];
        prop::collection::vec((0..5_i64, length), 0..300)
    }

    proptest! {
        /// Counts and times of all tiles are those of all items, and merging does not depend on where tiles end.
        #[test]
        fn tiles_add_up_and_agree(items in items(), level in 0..7_u32, wide in 1..9_i64) {
            let (row, spans) = row(&items);
            let bin = 1_i64 << level;
            let of = |window| row.pieces(window, bin, |at| spans[at]);
            let whole = of(Span::new(-512, 1 << 20));
            prop_assert_eq!(whole.iter().map(|piece| piece.count as usize).sum::<usize>(), spans.len());
            let sum: Ns = spans.iter().map(|span| span.length()).sum();
            prop_assert_eq!(whole.iter().map(|piece| piece.length_ns).sum::<Ns>(), sum);
            let mut joined = Vec::new();
            let mut from = -512;
            while from < 1 << 15 {
                let part = Span::new(from, from + bin * wide);
                joined.extend(of(part).into_iter().filter(|piece| piece.start >= part.start));
                from = part.end;
            }
            prop_assert_eq!(joined, whole);
        }

        /// Every piece has the longest of its items, and every item of a bin or more is in each window that it reaches.
        #[test]
        fn pieces_say_what_they_hold(items in items(), level in 0..7_u32, first in -9..90_i64) {
            let (row, spans) = row(&items);
            let bin = 1_i64 << level;
            let window = Span::new(first * bin, (first + 7) * bin);
            let pieces = row.pieces(window, bin, |at| spans[at]);
            for piece in pieces.iter().filter(|piece| piece.count > 1) {
                let of_bin = |span: &&Span| span.start.div_euclid(bin) == piece.start.div_euclid(bin) && span.length() < bin;
                let longest = spans.iter().filter(of_bin).map(|span| span.length()).max();
                prop_assert_eq!(Some(spans[piece.at as usize].length()), longest);
            }
            let reaches = |span: &&Span| span.length() >= bin && span.start < window.end && span.end > window.start;
            let long = pieces.iter().filter(|piece| piece.count == 1 && piece.length_ns >= bin).count();
            prop_assert_eq!(long, spans.iter().filter(reaches).count());
        }

        /// The items that touch a window are found.
        #[test]
        fn items_of_a_window_are_found(items in items(), from in -90..900_i64, length in 1..200_i64) {
            let (row, spans) = row(&items);
            let window = Span::new(from, from + length);
            let found = row.touching(window, |at| spans[at]);
            let touches = |&at: &usize| {
                let span = spans[at];
                span.start < window.end && (span.end > window.start || span.start >= window.start)
            };
            prop_assert_eq!(found.collect::<Vec<_>>(), (0..spans.len()).filter(touches).collect::<Vec<_>>());
        }
    }
}
