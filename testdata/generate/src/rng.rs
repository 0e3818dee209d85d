//! A small seeded pseudo-random number generator (`SplitMix64`), so that a seed fixes every byte.

/// `SplitMix64` by Sebastiano Vigna: 64 bits of state, good enough to scatter times.
pub(crate) struct Rng(u64);

impl Rng {
    /// A generator that yields the same numbers for the same seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 32 random bits.
    fn next_u32(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        u32::try_from(z >> 32).unwrap_or(u32::MAX)
    }

    /// A generator whose numbers are independent of those of generators with other seeds.
    pub(crate) fn unlike_others(seed: u64) -> Self {
        let mut first = Self::new(seed);
        Self(u64::from(first.next_u32()) << 32 | u64::from(first.next_u32()))
    }

    /// An integer of `low..=high`.
    pub(crate) fn between(&mut self, low: i64, high: i64) -> i64 {
        low + i64::from(self.next_u32()) % (high - low + 1)
    }

    /// A number of about the standard normal distribution, from the sum of twelve uniform numbers.
    pub(crate) fn normal(&mut self) -> f64 {
        let dice = (0..12).map(|_| f64::from(self.next_u32()) / f64::from(u32::MAX));
        dice.sum::<f64>() - 6.0
    }

    /// A number between 0 and 1, both exclusive.
    pub(crate) fn unit(&mut self) -> f64 {
        (f64::from(self.next_u32()) + 0.5) / 4_294_967_296.0
    }

    /// `ns` times a random factor of up to `percent` percent more or less, at least 1.
    pub(crate) fn jitter(&mut self, ns: i64, percent: i64) -> i64 {
        if percent == 0 {
            return ns.max(1);
        }
        let permille = 1000 + self.between(-10 * percent, 10 * percent);
        (ns * permille / 1000 + self.between(0, 15)).max(1)
    }
}
