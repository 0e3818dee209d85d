//! The answer, what it is about, and the figures of the first line.

use super::Look;
use super::line::{Line, QUIET, TITLE, flow, wrap_hard};
use super::paper::Paper;
use crate::display::{counted, percentage, short_time};
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

/// Capture and iterations in one line if they fit, and after it, quieter, what else has to be known: key node, what is left
/// out, clock, mode, GPUs.
pub(super) fn window(overview: &Overview, look: &Look<'_>, paper: Paper) -> Vec<Line> {
    let window = &overview.window;
    let name = look.profile_name.map_or_else(String::new, |name| format!("{name}: "));
    let capture = paper.cut(&format!("{name}{}", window.capture), paper.columns);
    // Names of key nodes may be long; the rest is words and figures, which are never cut.
    let part = |(at, part): (usize, &String)| match at {
        KEY_NODE => paper.cut_in_the_middle(part, paper.columns.min(LONGEST_KEY_NODE)),
        _ => paper.text(part),
    };
    let mut parts: Vec<String> = window.parts.iter().enumerate().map(part).collect();
    let rest = parts.split_off(parts.len().min(1));
    let one_line = [capture.clone(), parts.concat()].join(paper.separator());
    let first = match crate::text::width(&one_line) <= paper.columns {
        true => vec![one_line],
        false => std::iter::once(capture).chain(flow(&parts, paper.separator(), paper.columns)).collect(),
    };
    let quiet = |words: String| {
        let mut line = Line::default();
        line.push_styled(&words, QUIET);
        line
    };
    let first = first.into_iter().map(Line::of);
    first.chain(flow(&rest, paper.separator(), paper.columns).into_iter().map(quiet)).collect()
}

/// The part of the window that names the key node.
const KEY_NODE: usize = 1;

/// It is cut where it is longer.
const LONGEST_KEY_NODE: usize = 64;

/// The figures of the first line.
pub(super) fn tiles(overview: &Overview, look: &Look<'_>, paper: Paper) -> Vec<Line> {
    let tiles = &overview.tiles;
    let is_each = overview.basis.per == Per::Iteration;
    let time = short_time(tiles.iteration_ns, look.time_unit) + &tiles.deviation_in_words(look.time_unit);
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
    match (tiles.items_per_s, missing) {
        (Some(items), _) => parts.push(format!("{} items/s", counted(items))),
        // A wide terminal has room for what an option would add.
        (None, Some(missing)) if paper.columns >= 120 => {
            parts.push(format!("items/s {UNKNOWN} ({})", missing.option));
        }
        (None, _) => {}
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
