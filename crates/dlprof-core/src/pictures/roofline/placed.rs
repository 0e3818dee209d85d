//! Points and roofs in their frame.

use super::frame::Decades;
use super::{MemoryLevel, RooflinePoint, RooflineRoofs};
use serde::Serialize;

/// Points with a label.
const LABELLED: usize = 10;
/// The share of the frame that the radius of the largest point takes.
const LARGEST_RADIUS: f64 = 0.03;
/// And that of the smallest.
const SMALLEST_RADIUS: f64 = 0.006;
/// Letters of points, in order of time.
const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// The letter of all others.
const FURTHER: char = '*';

/// A roof of memory.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SlopedRoof {
    /// The memory.
    pub level: MemoryLevel,
    /// Bytes per second.
    pub bytes_per_s: f64,
    /// Where it begins in the frame: share from the left, share from below.
    pub from: [f64; 2],
    /// Where it ends.
    pub to: [f64; 2],
}

/// A roof of computing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FlatRoof {
    /// The precision, such as `fp32` or `tensor bf16`.
    pub name: String,
    /// FLOP per second.
    pub flop_per_s: f64,
    /// From where on it is the lower one of it and the roof of memory, as a share from the left.
    pub from_x: f64,
    /// Its height, as a share from below.
    pub y: f64,
}

/// Where a roof of memory meets one of computing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ridge {
    /// The roof of computing.
    pub name: String,
    /// FLOP per byte.
    pub flop_per_byte: f64,
    /// FLOP per second.
    pub flop_per_s: f64,
    /// Shares of the frame, from the left and from below.
    pub at: [f64; 2],
}

/// A kernel or an op with a place.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlacedPoint {
    /// Its name.
    pub name: String,
    /// What stands for it in letters; `*` beyond the first 52.
    pub letter: char,
    /// The memory whose bytes decide how far right it is.
    pub level: MemoryLevel,
    /// FLOP per byte.
    pub flop_per_byte: f64,
    /// FLOP per second.
    pub flop_per_s: f64,
    /// How long it runs.
    pub time_ns: f64,
    /// Its share of the time of all points.
    pub time_percent: f64,
    /// What limits it; empty if that is not known.
    pub bound: &'static str,
    /// Use of DRAM in percent.
    pub dram_percent: Option<f64>,
    /// Whether it is drawn filled.
    pub is_exact: bool,
    /// Whether its name stands beside it.
    pub is_labelled: bool,
    /// Its radius, as a share of the width of the frame: the area grows with time.
    pub radius: f64,
    /// Shares of the frame, from the left and from below.
    pub at: [f64; 2],
}

/// A kernel without FLOP or without bytes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StripPoint {
    /// Its name.
    pub name: String,
    /// What stands for it in letters.
    pub letter: char,
    /// How long it runs.
    pub time_ns: f64,
    /// Its share of the time of all points.
    pub time_percent: f64,
    /// Whether it has FLOP: then it moves no byte.
    pub has_flop: bool,
    /// What limits it; empty if that is not known.
    pub bound: &'static str,
    /// Use of DRAM in percent.
    pub dram_percent: Option<f64>,
    /// Whether it is drawn filled.
    pub is_exact: bool,
}

impl PlacedPoint {
    /// The same point in its frame.
    pub(super) fn in_frame(self, x: Decades, y: Decades) -> Self {
        Self { at: [x.share(self.flop_per_byte), y.share(self.flop_per_s)], ..self }
    }
}

/// Points by what is known of them.
pub(super) struct Points {
    pub(super) points: Vec<PlacedPoint>,
    pub(super) strip: Vec<StripPoint>,
    pub(super) unknown: usize,
}

/// The points that can be placed, those that stand aside, and the number of those of which too little is known. They come in
/// order of time.
pub(super) fn place_points(ordered: &[&RooflinePoint], levels: &[MemoryLevel]) -> Points {
    let total: f64 = ordered.iter().map(|point| point.time_ns).sum();
    let longest = ordered.first().map_or(0.0, |point| point.time_ns);
    let percent = |time_ns: f64| if total > 0.0 { time_ns / total * 100.0 } else { 0.0 };
    let mut letters = LETTERS.iter().copied().map(char::from);
    let mut found = Points { points: Vec::new(), strip: Vec::new(), unknown: 0 };
    let mut labelled = 0;
    for point in ordered {
        let bytes_at = |level: MemoryLevel| point.bytes_per_s[level as usize];
        let Some(flop) = point.flop_per_s.filter(|_| point.time_ns > 0.0) else {
            found.unknown += 1;
            continue;
        };
        let placed: Vec<(MemoryLevel, f64)> = levels
            .iter()
            .filter_map(|&level| Some((level, bytes_at(level)?)))
            .filter(|(_, bytes)| *bytes > 0.0 && flop > 0.0)
            .collect();
        let known = levels.iter().any(|&level| bytes_at(level).is_some());
        if placed.is_empty() && !known {
            found.unknown += 1;
            continue;
        }
        let letter = letters.next().unwrap_or(FURTHER);
        if placed.is_empty() {
            found.strip.push(StripPoint {
                name: point.name.clone(),
                letter,
                time_ns: point.time_ns,
                time_percent: percent(point.time_ns),
                has_flop: flop > 0.0,
                bound: point.bound,
                dram_percent: point.dram_percent,
                is_exact: point.is_exact,
            });
            continue;
        }
        labelled += 1;
        let last = placed.last().map(|(level, _)| *level);
        found.points.extend(placed.into_iter().map(|(level, bytes)| PlacedPoint {
            name: point.name.clone(),
            letter,
            level,
            flop_per_byte: flop / bytes,
            flop_per_s: flop,
            time_ns: point.time_ns,
            time_percent: percent(point.time_ns),
            bound: point.bound,
            dram_percent: point.dram_percent,
            is_exact: point.is_exact,
            is_labelled: labelled <= LABELLED && Some(level) == last,
            radius: (LARGEST_RADIUS * (point.time_ns / longest).sqrt()).max(SMALLEST_RADIUS),
            at: [0.0; 2],
        }));
    }
    found
}

/// Roofs in their frame.
pub(super) struct Roofs {
    pub(super) x: Decades,
    pub(super) y: Decades,
    pub(super) sloped: Vec<SlopedRoof>,
    pub(super) flat: Vec<FlatRoof>,
    pub(super) ridges: Vec<Ridge>,
}

/// The frame that holds all points and ridges, and the roofs in it.
pub(super) fn place_roofs(roofs: &RooflineRoofs, levels: &[MemoryLevel], points: &[PlacedPoint]) -> Roofs {
    let is_known = |value: f64| value.is_finite() && value > 0.0;
    let mut slopes: Vec<(MemoryLevel, f64)> = roofs
        .bytes_per_s
        .iter()
        .copied()
        .filter(|(level, bytes)| levels.contains(level) && is_known(*bytes))
        .collect();
    slopes.sort_by_key(|(level, _)| *level);
    let mut heights: Vec<&(String, f64)> =
        roofs.flop_per_s.iter().filter(|(_, flop)| is_known(*flop)).collect();
    heights.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    // Below the lowest slope everything is possible, so ridges are those of the slowest memory.
    let slowest = slopes.iter().map(|(_, bytes)| *bytes).min_by(f64::total_cmp);
    let fastest = slopes.iter().map(|(_, bytes)| *bytes).max_by(f64::total_cmp);
    let ridge_x = |flop: f64| slowest.map(|bytes| flop / bytes);
    let xs = points.iter().map(|point| point.flop_per_byte);
    let ys = points.iter().map(|point| point.flop_per_s);
    let x = Decades::holding(xs.chain(heights.iter().filter_map(|(_, flop)| ridge_x(*flop))));
    let y = Decades::holding(ys.chain(heights.iter().map(|(_, flop)| *flop)));
    let ceiling = heights.first().map_or(y.end(), |(_, flop)| *flop);
    let sloped = slopes.iter().filter_map(|&(level, bytes_per_s)| {
        // From where the line enters the frame to the highest roof, or to the edge.
        let from = x.start().max(y.start() / bytes_per_s);
        let to = x.end().min(ceiling / bytes_per_s);
        let at = |x_value: f64| [x.share(x_value), y.share(x_value * bytes_per_s)];
        (from < to).then(|| SlopedRoof { level, bytes_per_s, from: at(from), to: at(to) })
    });
    let flat = heights.iter().map(|(name, flop)| FlatRoof {
        name: name.clone(),
        flop_per_s: *flop,
        from_x: fastest.map_or(0.0, |bytes| x.share(flop / bytes).clamp(0.0, 1.0)),
        y: y.share(*flop),
    });
    let ridges = heights.iter().filter_map(|(name, flop)| {
        let flop_per_byte = ridge_x(*flop)?;
        let at = [x.share(flop_per_byte), y.share(*flop)];
        Some(Ridge { name: name.clone(), flop_per_byte, flop_per_s: *flop, at })
    });
    Roofs { x, y, sloped: sloped.collect(), flat: flat.collect(), ridges: ridges.collect() }
}
