//! The roofline: what each kernel or op does per second, over what it does per byte, below what the GPU can do at most.
//!
//! ```text
//! FLOP/s                ________________  tensor bf16      a flat roof: operations per second
//!   │             /____________________   fp32
//!   │           / ridge                                    a sloped roof: bytes per second
//!   │         /     A
//!   │  B    /                                              a point: area by GPU time
//!   └──────────────────────────── FLOP/byte
//! ```
//!
//! Both axes are logarithmic and consist of whole decades. Places are shares of the frame; drawing only scales them.

mod frame;
mod of_counters;
mod placed;

pub use frame::Decades;
pub use of_counters::{roofline_of_kernels, roofline_of_logs, roofline_of_ops};
pub use placed::{FlatRoof, PlacedPoint, Ridge, SlopedRoof, StripPoint};

use placed::{place_points, place_roofs};
use serde::Serialize;

/// What a roofline is made of.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RooflineSource {
    /// Kernels or ops.
    pub points: Vec<RooflinePoint>,
    /// Roofs.
    pub roofs: RooflineRoofs,
    /// Which memories have points of their own; DRAM alone if it is empty.
    pub levels: Vec<MemoryLevel>,
}

/// A memory that bytes are counted at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MemoryLevel {
    /// The caches of the SMs.
    L1,
    /// The cache of the GPU.
    L2,
    /// The memory of the GPU.
    Dram,
}

impl MemoryLevel {
    /// All of them, from the SMs outwards.
    pub const ALL: [Self; 3] = [Self::L1, Self::L2, Self::Dram];

    /// The word for options and tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::L1 => "l1",
            Self::L2 => "l2",
            Self::Dram => "dram",
        }
    }

    /// The word for people.
    #[must_use]
    pub fn in_words(self) -> &'static str {
        match self {
            Self::L1 => "L1",
            Self::L2 => "L2",
            Self::Dram => "DRAM",
        }
    }
}

/// A kernel or an op.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RooflinePoint {
    /// Its name.
    pub name: String,
    /// How long it runs.
    pub time_ns: f64,
    /// Operations per second; unknown without counters.
    pub flop_per_s: Option<f64>,
    /// Bytes per second of L1, L2 and DRAM, in the order of [`MemoryLevel::ALL`].
    pub bytes_per_s: [Option<f64>; 3],
    /// What limits it, such as `memory`; empty if that is not known.
    pub bound: &'static str,
    /// Use of DRAM in percent.
    pub dram_percent: Option<f64>,
    /// Whether its counts are those of its own launches, and not means over launches of its name and size.
    pub is_exact: bool,
}

/// What the GPU can do at most.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RooflineRoofs {
    /// The name of the GPU; none if it is not known.
    pub gpu: Option<String>,
    /// Bytes per second by memory.
    pub bytes_per_s: Vec<(MemoryLevel, f64)>,
    /// Operations per second by precision, such as `fp32` or `tensor bf16`.
    pub flop_per_s: Vec<(String, f64)>,
    /// Roofs that hold for some points, and that nothing tells, such as `tensor int8`.
    pub unknown: Vec<String>,
}

/// A roofline, placed in a frame. Shares of the frame are from 0 to 1, from the left and from below.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Roofline {
    /// FLOP per byte.
    pub x: Decades,
    /// FLOP per second.
    pub y: Decades,
    /// Roofs of memory.
    pub sloped: Vec<SlopedRoof>,
    /// Roofs of computing, the highest first.
    pub flat: Vec<FlatRoof>,
    /// Where a roof of DRAM, or of the slowest memory that is known, meets each roof of computing.
    pub ridges: Vec<Ridge>,
    /// Points with a place, those with most time first.
    pub points: Vec<PlacedPoint>,
    /// Kernels without FLOP or without bytes, those with most time first.
    pub strip: Vec<StripPoint>,
    /// Kernels of which FLOP or bytes are not known.
    pub unknown: usize,
    /// Roofs that are not known: points may lie above those that are drawn.
    pub unknown_roofs: Vec<String>,
}

impl Roofline {
    /// Places roofs and points in a frame that holds all points and the ridges of the roofs.
    #[must_use]
    pub fn new(source: &RooflineSource) -> Self {
        let mut ordered: Vec<&RooflinePoint> = source.points.iter().collect();
        ordered.sort_by(|a, b| b.time_ns.total_cmp(&a.time_ns).then_with(|| a.name.cmp(&b.name)));
        let levels = if source.levels.is_empty() { vec![MemoryLevel::Dram] } else { sorted(&source.levels) };
        let placed = place_points(&ordered, &levels);
        let roofs = place_roofs(&source.roofs, &levels, &placed.points);
        Self {
            x: roofs.x,
            y: roofs.y,
            sloped: roofs.sloped,
            flat: roofs.flat,
            ridges: roofs.ridges,
            points: placed.points.into_iter().map(|point| point.in_frame(roofs.x, roofs.y)).collect(),
            strip: placed.strip,
            unknown: placed.unknown,
            unknown_roofs: source.roofs.unknown.clone(),
        }
    }

    /// Whether there is anything to draw.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.points.is_empty() && self.strip.is_empty()
    }
}

fn sorted(levels: &[MemoryLevel]) -> Vec<MemoryLevel> {
    let mut levels = levels.to_vec();
    levels.sort_unstable();
    levels.dedup();
    levels
}

#[cfg(test)]
mod tests;
