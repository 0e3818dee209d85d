//! The roofline for people: as text, and in words for the pages and reports that draw it.

mod amounts;
mod csv;
mod labels;
mod names;
mod picture;
mod text;

pub use csv::write_csv;
pub use picture::{PictureLine, PicturePoint, PictureTick, RooflinePicture};
pub use text::{RooflineLook, roofline_text};

use dlprof_core::Roofline;

/// A roofline, and what its points and roofs are.
#[derive(Debug, Clone, PartialEq)]
pub struct RooflineFigure {
    /// Places of roofs and points.
    pub roofline: Roofline,
    /// What a point is.
    pub of: RooflineOf,
    /// What rates and roofs are, such as `times of the capture, roofs of its GPU`.
    pub basis: String,
}

impl RooflineFigure {
    /// Says of roofs that nothing tells that they are missing, so that points above the others surprise nobody; empty if none is.
    pub(crate) fn missing_roofs(&self) -> String {
        match &self.roofline.unknown_roofs[..] {
            [] => String::new(),
            [one] => format!("the roof of {one} is not known: points may lie above those drawn"),
            several => {
                format!("the roofs of {} are not known: points may lie above those drawn", in_words(several))
            }
        }
    }
}

/// Names in a sentence.
fn in_words(names: &[String]) -> String {
    match names {
        [before @ .., last] if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => names.join(""),
    }
}

/// What a point of a roofline is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RooflineOf {
    /// All launches of a kernel name.
    #[default]
    Kernels,
    /// All calls of an op.
    Ops,
}

impl RooflineOf {
    /// The word for options and pages.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Kernels => "kernels",
            Self::Ops => "ops",
        }
    }

    /// The name of a point, short enough for a picture: of kernels that of the function, of ops the last parts of their path.
    pub(crate) fn short(self, name: &str) -> String {
        let short = match self {
            Self::Kernels => dlprof_core::base_name(name),
            Self::Ops => name,
        };
        crate::display::plain(short)
    }
}

/// What a limit of a kernel is called.
pub(crate) fn bound_in_words(bound: &str) -> &str {
    match bound {
        "small_grid" => "small grid",
        "" => "not known",
        bound => bound,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dlprof_core::{MemoryLevel, RooflinePoint, RooflineRoofs, RooflineSource};

    /// 1 TB/s, 10 and 100 TFLOP/s; a point on the ridge of FP32, one below, one without FLOP, one that is not known.
    pub(super) fn figure() -> RooflineFigure {
        let point = |name: &str, time_ns: f64, flop: f64, bytes: f64| RooflinePoint {
            name: name.into(),
            time_ns,
            flop_per_s: Some(flop / (time_ns * 1e-9)),
            bytes_per_s: [None, None, Some(bytes / (time_ns * 1e-9))],
            bound: "memory",
            dram_percent: Some(91.25),
            is_exact: true,
        };
        let source = RooflineSource {
            points: vec![
                point("void gemm<float, 4>(float const*)", 4e6, 4e10, 4e9),
                RooflinePoint {
                    is_exact: false,
                    bound: "small_grid",
                    ..point("void ns::add<int>(int)", 1e6, 2e9, 1e9)
                },
                point("copy_kernel", 2e6, 0.0, 1e9),
                RooflinePoint { flop_per_s: None, ..point("unknown", 1e6, 0.0, 1e9) },
            ],
            roofs: RooflineRoofs {
                gpu: None,
                bytes_per_s: vec![(MemoryLevel::Dram, 1e12)],
                flop_per_s: vec![("fp32".into(), 1e13), ("tensor fp16".into(), 1e14)],
                unknown: Vec::new(),
            },
            levels: Vec::new(),
        };
        RooflineFigure {
            roofline: Roofline::new(&source),
            of: RooflineOf::Kernels,
            basis: "times and roofs of the log, at base clock".into(),
        }
    }
}
