//! Counters of Nsight Compute for people: what they cover, what limits kernels, what logs hold, rooflines.

mod cover;
mod limits;
mod logs;
mod rooflines;

pub(crate) use cover::cover_in_words;
pub use logs::logs_in_words;
pub(crate) use rooflines::rooflines_of;
pub use rooflines::{roofline_figure, roofline_figure_of_logs};

use crate::roofline::{RooflineLook, RooflineOf, roofline_text};
use crate::text::wrap;
use dlprof_core::{Judged, MemoryLevel};
use std::io::{self, Write};

/// Writes what counters say about a capture, and the roofline. Nothing without counters.
///
/// # Errors
/// Only those of writing.
pub fn write_counters(
    judged: &Judged,
    of: RooflineOf,
    levels: &[MemoryLevel],
    look: RooflineLook,
    out: &mut dyn Write,
) -> io::Result<()> {
    for sentence in cover_in_words(judged) {
        for line in wrap(&sentence, look.columns) {
            writeln!(out, "{line}")?;
        }
    }
    if let Some(figure) = roofline_figure(judged, of, levels) {
        writeln!(out)?;
        write!(out, "{}", roofline_text(&figure, look))?;
    }
    Ok(())
}
