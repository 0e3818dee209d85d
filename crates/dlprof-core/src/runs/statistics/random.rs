//! Random numbers from a seed.

/// `SplitMix64` by Sebastiano Vigna: good enough for resampling, and equal on all machines.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// A generator that yields the same numbers for the same seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number from 0 to `below`, exclusive; 0 if that is 0.
    pub fn below(&mut self, below: usize) -> usize {
        let wide = u128::from(self.bits()) * (below as u128);
        usize::try_from(wide >> 64).unwrap_or(0)
    }

    /// A number between 0 and 1, both exclusive.
    #[expect(clippy::cast_precision_loss, reason = "the upper 53 bits fit a float")]
    pub fn unit(&mut self) -> f64 {
        ((self.bits() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// A number of the standard normal distribution (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.unit().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}
