//! FLOP per SM and clock, by compute capability: with the SMs and the clock that the export has, the peaks of a GPU.
//!
//! Sources: the throughput table of NVIDIA's CUDA programming guide for vector units; the architecture white papers
//! that `peaks.csv` names for matrix units.

use super::known::known;
use super::matching::has_word;
use super::peak_row::Peaks;
use crate::base::ratios::count_to_f64;
use crate::read::facts::{ComputeCapability, Device};

/// How a maker's line of boards limits the matrix units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    /// Boards for games: half rate where fp32 accumulates.
    GeForce,
    /// Boards with half of every 16-bit rate: L40, A10G.
    Halved,
    /// All others.
    Full,
}

impl Line {
    fn of(name: &str) -> Self {
        match name {
            _ if has_word(name, "geforce") => Self::GeForce,
            _ if has_word(name, "l40") || has_word(name, "a10g") => Self::Halved,
            _ => Self::Full,
        }
    }
}

/// The peaks that can be computed from the export; `None` for each figure that cannot.
pub(super) fn peaks_from_export(facts: &Device) -> Peaks {
    /// Embedded boards report less than 1 GB/s, which is not the bandwidth of their memory.
    const SMALLEST_BANDWIDTH: u64 = 1_000_000_000;
    let bandwidth = known(facts.memory_bandwidth).filter(|&bytes| bytes >= SMALLEST_BANDWIDTH);
    let gb_per_s = bandwidth.map(|bytes| count_to_f64(bytes) / 1e9);
    let (Some(capability), Some(sms), Some(clock)) =
        (facts.compute_capability, known(facts.sm_count), known(facts.clock_hz))
    else {
        return Peaks { gb_per_s, ..Peaks::default() };
    };
    let tflop = |per_clock: u64| count_to_f64(sms) * count_to_f64(clock) * count_to_f64(per_clock) / 1e12;
    Peaks { gb_per_s, ..compute_peaks(capability, facts.name.as_deref().unwrap_or_default(), tflop) }
}

/// Peaks of the units, where `tflop` turns FLOP per SM and clock into TFLOP/s.
fn compute_peaks(capability: ComputeCapability, name: &str, tflop: impl Fn(u64) -> f64) -> Peaks {
    let fp32 = cores(capability).map(|cores| tflop(cores * 2));
    let fp64 = fp32.zip(fp64_divisor(capability)).map(|(fp32, divisor)| fp32 / count_to_f64(divisor));
    let line = Line::of(name);
    let full = matrix_rate(capability).filter(|_| !has_word(name, "gtx"));
    let fp16 = full.map(|rate| if is_halved(capability, line) { rate / 2 } else { rate });
    let from = |first: ComputeCapability| move |_: &u64| capability >= first;
    // Integer sums are not slowed down on GeForce boards, unlike 16-bit ones.
    let int8 = if line == Line::Halved { fp16 } else { full };
    Peaks {
        gb_per_s: None,
        fp32,
        fp64,
        fp64_matrix: fp32.filter(|_| [(8, 0), (9, 0)].contains(&capability)),
        tf32: fp16.filter(from((8, 0))).map(|rate| tflop(rate / 2)),
        fp16: fp16.map(&tflop),
        bf16: fp16.filter(from((8, 0))).map(&tflop),
        fp8: fp16.filter(from((8, 9))).map(|rate| tflop(rate * 2)),
        // Capability 10.3 has a much lower integer rate.
        int8: int8.filter(from((7, 2))).filter(|_| capability != (10, 3)).map(|rate| tflop(rate * 2)),
    }
}

/// fp32 cores of an SM.
fn cores(capability: ComputeCapability) -> Option<u64> {
    match capability {
        (6, 0) | (7, _) | (8, 0) => Some(64),
        (5, _) | (6, 1 | 2) | (8, 6 | 7 | 9) | (9, 0) | (10, _) | (11, 0) | (12, _) => Some(128),
        _ => None,
    }
}

/// How many times faster the vector units are in fp32 than in fp64.
fn fp64_divisor(capability: ComputeCapability) -> Option<u64> {
    match capability {
        (6, 0) | (7, 0) | (8, 0) | (9, 0) | (10, 0) => Some(2),
        (5, _) | (6, 1 | 2) | (7, 5) | (8, 7) => Some(32),
        (8, 6 | 9) | (10, 3) | (12, _) => Some(64),
        _ => None,
    }
}

/// Dense fp16 FLOP per SM and clock of the matrix units, before any board halves it.
fn matrix_rate(capability: ComputeCapability) -> Option<u64> {
    match capability {
        (7, 0 | 2 | 5) | (8, 6 | 9) | (12, 0) => Some(1024),
        (8, 0 | 7) => Some(2048),
        (9, 0) => Some(4096),
        (10, 0 | 3) => Some(8192),
        _ => None,
    }
}

fn is_halved(capability: ComputeCapability, line: Line) -> bool {
    let has_games_line = matches!(capability, (7, 5) | (8, 6 | 9) | (12, 0));
    has_games_line && line != Line::Full
}
