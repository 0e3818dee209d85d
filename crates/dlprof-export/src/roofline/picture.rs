//! A roofline with all its words, for pages and reports that only draw it.

use super::amounts::{amount, power, power_of, three_digits};
use super::labels::place_labels;
use super::names::ShortNames;
use super::{RooflineFigure, bound_in_words};
use crate::display::{TimeUnit, percentage, short_time};
use crate::text::shorten_name;
use dlprof_core::MemoryLevel;
use serde::Serialize;

/// Letters of a label.
const LABEL: usize = 24;

/// A roofline with all its words. Places are shares of the frame, from the left and from below.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RooflinePicture {
    /// `kernels` or `ops`.
    pub of: &'static str,
    /// What rates and roofs are.
    pub basis: String,
    /// What it shows, in a sentence.
    pub summary: String,
    /// FLOP per byte.
    pub x_ticks: Vec<PictureTick>,
    /// FLOP per second.
    pub y_ticks: Vec<PictureTick>,
    /// Roofs of memory and of computing.
    pub roofs: Vec<PictureLine>,
    /// Kernels or ops, those with most time first.
    pub points: Vec<PicturePoint>,
    /// Kernels without FLOP or without bytes: they stand beside the frame.
    pub strip: Vec<PicturePoint>,
    /// What is left out, points and roofs, in sentences; empty if nothing is.
    pub left_out: String,
}

/// A mark of an axis.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PictureTick {
    /// Its place, as a share of the axis.
    pub at: f64,
    /// Its text.
    pub text: String,
}

/// A roof.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PictureLine {
    /// Where it begins.
    pub from: [f64; 2],
    /// Where it ends.
    pub to: [f64; 2],
    /// Its name, with its height.
    pub text: String,
    /// Where it meets the roof of memory, in words; empty if it does not.
    pub ridge: String,
    /// That place.
    pub ridge_at: Option<[f64; 2]>,
}

/// A kernel or an op.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PicturePoint {
    /// Its letter.
    pub letter: char,
    /// Its whole name.
    pub name: String,
    /// Its name for a picture.
    pub short: String,
    /// Its place; of the strip, its place there from the left.
    pub at: [f64; 2],
    /// Its radius, as a share of the width.
    pub radius: f64,
    /// What limits it: `memory`, `compute`, `latency`, `small_grid`, `balanced`, or nothing.
    pub bound: &'static str,
    /// The same in words.
    pub bound_words: String,
    /// Whether it is filled.
    pub is_exact: bool,
    /// The left end and the middle of its label; none if it has no label.
    pub label_at: Option<[f64; 2]>,
    /// FLOP per byte, in words.
    pub intensity: String,
    /// FLOP per second, in words.
    pub rate: String,
    /// Time and share of it, in words.
    pub time: String,
    /// Use of DRAM, in words.
    pub dram: String,
}

impl RooflinePicture {
    /// A roofline with all its words.
    #[must_use]
    pub fn new(figure: &RooflineFigure) -> Self {
        let roofline = &figure.roofline;
        let names = ShortNames::new(roofline, figure.of);
        let tick = |at: f64, text: String| PictureTick { at, text };
        let ten = |exponent: i32| 10_f64.powi(exponent);
        let x_ticks = roofline.x.powers().map(|at| tick(roofline.x.share(ten(at)), power(at)));
        let y_ticks = roofline.y.powers().map(|at| tick(roofline.y.share(ten(at)), power_of(at, "FLOP/s")));
        Self {
            of: figure.of.as_str(),
            basis: figure.basis.clone(),
            summary: summary(figure),
            x_ticks: x_ticks.collect(),
            y_ticks: y_ticks.collect(),
            roofs: roofs(figure),
            points: points(figure, &names),
            strip: strip(figure, &names),
            left_out: left_out(figure),
        }
    }
}

/// Points that have no place, and roofs that nothing tells.
fn left_out(figure: &RooflineFigure) -> String {
    let points = match figure.roofline.unknown {
        0 => String::new(),
        1 => "Of one more, FLOP or bytes are not known.".to_owned(),
        count => format!("Of {count} more, FLOP or bytes are not known."),
    };
    let roofs = match figure.missing_roofs().strip_prefix("the ") {
        Some(rest) => format!("The {rest}."),
        None => String::new(),
    };
    [points, roofs].into_iter().filter(|said| !said.is_empty()).collect::<Vec<_>>().join(" ")
}

/// What the picture shows, for those who do not see it.
fn summary(figure: &RooflineFigure) -> String {
    let roofline = &figure.roofline;
    let first = roofline.points.first().map(|point| {
        format!(
            "; the one with most time, {}, does {} at {} FLOP/byte",
            figure.of.short(&point.name),
            amount(point.flop_per_s, "FLOP/s"),
            three_digits(point.flop_per_byte)
        )
    });
    let aside = match roofline.strip.len() {
        0 => String::new(),
        count => format!("; {count} without FLOP or bytes stand aside"),
    };
    format!("{} {}{}{aside}", roofline.points.len(), figure.of.as_str(), first.unwrap_or_default())
}

fn roofs(figure: &RooflineFigure) -> Vec<PictureLine> {
    let roofline = &figure.roofline;
    let sloped = roofline.sloped.iter().map(|roof| PictureLine {
        from: roof.from,
        to: roof.to,
        text: format!("{} {}", roof.level.in_words(), amount(roof.bytes_per_s, "B/s")),
        ridge: String::new(),
        ridge_at: None,
    });
    let flat = roofline.flat.iter().map(|roof| {
        let ridge = roofline.ridges.iter().find(|ridge| ridge.name == roof.name);
        PictureLine {
            from: [roof.from_x, roof.y],
            to: [1.0, roof.y],
            text: format!("{} {}", roof.name, amount(roof.flop_per_s, "FLOP/s")),
            ridge: ridge.map_or_else(String::new, |ridge| {
                format!("ridge at {} FLOP/byte", three_digits(ridge.flop_per_byte))
            }),
            ridge_at: ridge.map(|ridge| ridge.at),
        }
    });
    sloped.chain(flat).collect()
}

fn points(figure: &RooflineFigure, names: &ShortNames<'_>) -> Vec<PicturePoint> {
    let roofline = &figure.roofline;
    let short = |name: &str| shorten_name(names.of(name), LABEL);
    let labels: Vec<Option<String>> =
        roofline.points.iter().map(|point| point.is_labelled.then(|| short(&point.name))).collect();
    let heights: Vec<f64> = roofline.flat.iter().map(|roof| roof.y).collect();
    let places = place_labels(&roofline.points, &labels, &heights);
    let has_levels = roofline.points.iter().any(|point| point.level != MemoryLevel::Dram);
    let of =
        |level: MemoryLevel| if has_levels { format!(" of {}", level.in_words()) } else { String::new() };
    let point = |(point, label_at): (&dlprof_core::PlacedPoint, Option<[f64; 2]>)| PicturePoint {
        letter: point.letter,
        name: point.name.clone(),
        short: short(&point.name),
        at: point.at,
        radius: point.radius,
        bound: point.bound,
        bound_words: bound_in_words(point.bound).to_owned(),
        is_exact: point.is_exact,
        label_at,
        intensity: format!("{} FLOP/byte{}", three_digits(point.flop_per_byte), of(point.level)),
        rate: amount(point.flop_per_s, "FLOP/s"),
        time: time_in_words(point.time_ns, point.time_percent),
        dram: dram_in_words(point.dram_percent),
    };
    roofline.points.iter().zip(places).map(point).collect()
}

fn strip(figure: &RooflineFigure, names: &ShortNames<'_>) -> Vec<PicturePoint> {
    let strip = &figure.roofline.strip;
    let count = dlprof_core::count_to_f64(strip.len().max(1) as u64);
    let point = |(number, point): (u32, &dlprof_core::StripPoint)| PicturePoint {
        letter: point.letter,
        name: point.name.clone(),
        short: shorten_name(names.of(&point.name), LABEL),
        at: [(f64::from(number) + 0.5) / count, 0.5],
        radius: 0.0,
        bound: point.bound,
        bound_words: bound_in_words(point.bound).to_owned(),
        is_exact: point.is_exact,
        label_at: None,
        intensity: if point.has_flop { "no bytes of DRAM".to_owned() } else { "no FLOP".to_owned() },
        rate: String::new(),
        time: time_in_words(point.time_ns, point.time_percent),
        dram: dram_in_words(point.dram_percent),
    };
    (0..).zip(strip).map(point).collect()
}

fn time_in_words(ns: f64, percent: f64) -> String {
    format!("{}, {}", short_time(ns, TimeUnit::Auto), percentage(percent))
}

fn dram_in_words(percent: Option<f64>) -> String {
    percent.map_or_else(|| "DRAM unknown".to_owned(), |percent| format!("DRAM {}", percentage(percent)))
}

#[cfg(test)]
mod tests {
    use super::super::tests::figure;
    use super::*;

    #[test]
    fn a_picture_has_words_for_everything() {
        let picture = RooflinePicture::new(&figure());
        let ticks: Vec<&str> = picture.x_ticks.iter().map(|tick| tick.text.as_str()).collect();
        assert_eq!(ticks, ["1", "10", "100", "1,000"]);
        let roofs: Vec<&str> = picture.roofs.iter().map(|roof| roof.text.as_str()).collect();
        assert_eq!(roofs, ["DRAM 1.00 TB/s", "tensor fp16 100 TFLOP/s", "fp32 10.0 TFLOP/s"]);
        assert_eq!(picture.points[0].short, "gemm");
        assert_eq!(picture.points[0].time, "4.00 ms, 50.0 %");
        assert_eq!(picture.points[1].bound_words, "small grid");
        assert_eq!(picture.strip[0].intensity, "no FLOP");
        assert_eq!(picture.left_out, "Of one more, FLOP or bytes are not known.");
        let mut int8 = figure();
        int8.roofline.unknown_roofs = vec!["tensor int8".into()];
        assert_eq!(
            RooflinePicture::new(&int8).left_out,
            "Of one more, FLOP or bytes are not known. The roof of tensor int8 is not known: points may lie above those drawn."
        );
        assert!(picture.summary.contains("10.0 TFLOP/s at 10.0 FLOP/byte"), "{}", picture.summary);
    }

    #[test]
    fn labels_do_not_lie_over_each_other() {
        let picture = RooflinePicture::new(&figure());
        let places: Vec<[f64; 2]> = picture.points.iter().filter_map(|point| point.label_at).collect();
        assert_eq!(places.len(), 2);
        assert!(places.iter().all(|[x, y]| (0.0..=1.0).contains(x) && (0.0..=1.0).contains(y)), "{places:?}");
    }
}
