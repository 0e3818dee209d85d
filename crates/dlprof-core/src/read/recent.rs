//! Values met recently: rows of a few threads, kernels and texts take turns, so most values need no look-up.

/// Remembers at which position of a list some values are. A value has one of `PLACES` places, which its hash gives; the value
/// that was there before is forgotten. The list belongs to the caller, who compares.
///
/// ```text
/// hash ──► place ──► position ──► list[position] == value?   yes: found without a look-up
/// ```
pub(in crate::read) struct Recent<const PLACES: usize> {
    positions: Box<[u32; PLACES]>,
}

/// No position: no list is that long.
const NOWHERE: u32 = u32::MAX;

impl<const PLACES: usize> Recent<PLACES> {
    pub(in crate::read) fn new() -> Self {
        Self { positions: Box::new([NOWHERE; PLACES]) }
    }

    /// The position remembered for a hash, if `is_it` confirms that the value is there.
    #[inline]
    pub(in crate::read) fn find(&self, hash: u64, is_it: impl FnOnce(usize) -> bool) -> Option<u32> {
        let position = self.positions[Self::place(hash)];
        (position != NOWHERE && is_it(position as usize)).then_some(position)
    }

    /// Remembers the position of the value with a hash.
    pub(in crate::read) fn remember(&mut self, hash: u64, position: u32) {
        self.positions[Self::place(hash)] = position;
    }

    /// The place of a hash: its low bits, which must be well mixed.
    #[inline]
    fn place(hash: u64) -> usize {
        usize::try_from(hash % PLACES as u64).unwrap_or(0)
    }
}

/// A hash of the length and three parts of a text, wherever texts may differ. It is made for speed: equal hashes of different
/// texts are common enough, and cost a look-up.
#[inline]
pub(in crate::read) fn quick_hash(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let length = bytes.len();
    let part = |at: usize| bytes[at..].first_chunk().map_or(0, |&part| u64::from_le_bytes(part));
    let parts = match length {
        0..8 => bytes.iter().fold(0, |parts, &byte| parts << 8 | u64::from(byte)),
        _ => part(length / 3) ^ part(length / 2).rotate_left(21) ^ part(length - 8).rotate_left(42),
    };
    // The product mixes into its high half.
    (parts ^ length as u64).wrapping_mul(FACTOR) >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_value_takes_the_place() {
        let mut recent = Recent::<4>::new();
        assert_eq!(recent.find(0, |_| true), None);
        recent.remember(1, 7);
        assert_eq!(recent.find(1, |position| position == 7), Some(7));
        assert_eq!(recent.find(1, |_| false), None, "another value of the same place");
        recent.remember(5, 8);
        assert_eq!(recent.find(1, |position| position == 7), None);
        assert_eq!(recent.find(5, |position| position == 8), Some(8));
    }
}
