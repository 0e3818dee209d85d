//! The answer, what it is about, and the figures of the first line.

use super::Look;
use super::line::TITLE;
use super::line::{Line, flow, wrap_hard};
use super::numbers::{counted, mean_and_deviation};
use super::paper::Paper;
use crate::display::percentage;
use crate::origin::UNKNOWN;
use crate::overview::{Overview, Per, WITH_OTHER_WORK};

/// The verdict, and what it rests on.
pub(super) fn verdict(overview: &Overview, paper: Paper) -> Vec<Line> {
    let styled = |words: String| {
        let mut line = Line::default();
        line.push_styled(&words, TITLE);
        line
    };
    let wrapped = |words: &str| wrap_hard(&paper.text(words), paper.columns);
    let detail = overview.verdict_detail.as_deref().map(wrapped).unwrap_or_default();
    wrapped(&overview.verdict).into_iter().map(styled).chain(detail.into_iter().map(Line::of)).collect()
}

/// Capture, iterations, key node, clock, mode, GPUs.
pub(super) fn window(overview: &Overview, look: &Look<'_>, paper: Paper) -> Vec<Line> {
    let window = &overview.window;
    let name = look.profile_name.map_or_else(String::new, |name| format!("{name}: "));
    let capture = paper.cut(&format!("{name}{}", window.capture), paper.columns);
    // Names of key nodes may be long; the rest is words and figures, which are never cut.
    let part = |(at, part): (usize, &String)| match at {
        KEY_NODE => paper.cut_in_the_middle(part, paper.columns.min(LONGEST_KEY_NODE)),
        _ => paper.text(part),
    };
    let parts: Vec<String> = window.parts.iter().enumerate().map(part).collect();
    let together: Vec<String> = std::iter::once(capture.clone()).chain(parts.clone()).collect();
    let one_line = together.join(paper.separator());
    if crate::text::width(&one_line) <= paper.columns {
        return vec![Line::of(one_line)];
    }
    let lines = flow(&parts, paper.separator(), paper.columns);
    std::iter::once(capture).chain(lines).map(Line::of).collect()
}

/// The part of the window that names the key node.
const KEY_NODE: usize = 1;

/// It is cut where it is longer.
const LONGEST_KEY_NODE: usize = 64;

/// The figures of the first line.
pub(super) fn tiles(overview: &Overview, look: &Look<'_>, paper: Paper) -> Vec<Line> {
    let tiles = &overview.tiles;
    let is_each = overview.basis.per == Per::Iteration;
    let time = mean_and_deviation(tiles.iteration_ns, tiles.deviation_ns, look.time_unit);
    let mut length = if is_each { format!("mean {time} per iteration") } else { format!("{time} in all") };
    if overview.kernels.as_ref().is_some_and(|kernels| kernels.other_work) {
        length += WITH_OTHER_WORK;
    }
    let percent = |share: Option<f64>| share.map_or_else(|| UNKNOWN.to_owned(), percentage);
    let busy = format!("GPU busy {}{}", percent(tiles.gpu_busy_percent), tiles.only_copies_in_words());
    let mut parts = vec![length, busy, tensor_cores(overview)];
    parts.push(
        tiles
            .kernels
            .map_or_else(|| format!("kernels {UNKNOWN}"), |kernels| kernels_in_words(&counted(kernels))),
    );
    let missing = overview.missing.iter().find(|missing| missing.figure == "items_per_s");
    let items = match tiles.items_per_s {
        Some(items) => format!("{} items/s", counted(items)),
        None if paper.columns >= 120 && missing.is_some() => {
            format!("items/s {UNKNOWN} ({})", missing.map_or("", |missing| &missing.option))
        }
        None => format!("items/s {UNKNOWN}"),
    };
    // What is not known takes no line of its own.
    let lines = |parts: &[String]| flow(parts, "   ", paper.columns).len();
    let all: Vec<String> = parts.iter().cloned().chain([items]).collect();
    if tiles.items_per_s.is_some() || lines(&all) == lines(&parts) {
        parts = all;
    }
    let parts: Vec<String> = parts.iter().map(|part| paper.text(part)).collect();
    flow(&parts, "   ", paper.columns).into_iter().map(Line::of).collect()
}

/// A number of kernels, as it is shown.
fn kernels_in_words(count: &str) -> String {
    format!("{count} {}", if count == "1" { "kernel" } else { "kernels" })
}

/// The share of Tensor Cores: a lower bound where names of kernels do not tell all.
fn tensor_cores(overview: &Overview) -> String {
    match overview.tiles.tensor_cores_in_words() {
        Some(share) => {
            format!("{} {share} of kernel time{}", overview.matrix_units, overview.tiles.telling_in_words())
        }
        None => format!("{} {UNKNOWN}", overview.matrix_units),
    }
}
