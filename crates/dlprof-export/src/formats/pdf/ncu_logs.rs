//! Logs of Nsight Compute without a capture: what they hold, the roofline, a table.

use super::contents::missing_characters;
use super::drawing::Drawing;
use super::layout::{Flow, GREY, INK, LANDSCAPE, PORTRAIT, style};
use super::{roofline, table};
use crate::counters::{logs_in_words, roofline_figure_of_logs};
use crate::display::{TimeUnit, plain};
use crate::formats::report;
use crate::roofline::RooflinePicture;
use dlprof_core::{MemoryLevel, NcuLog, Table, diagnostics_of_logs};
use std::io::{self, Write};
use std::sync::Arc;

/// Writes what logs say, with a table of them. It has no date, so that the same logs give the same bytes.
///
/// # Errors
/// Only those of writing.
pub fn write_logs(
    logs: &[Arc<NcuLog>],
    of_logs: &dyn Table,
    levels: &[MemoryLevel],
    time_unit: TimeUnit,
    out: &mut dyn Write,
) -> io::Result<()> {
    let title = plain(&logs.iter().map(|log| &*log.file).collect::<Vec<_>>().join(", "));
    let mut flow = Flow::new(Drawing::new(None), &title);
    flow.heading("What Nsight Compute measured", 60.0);
    for line in logs_in_words(logs) {
        flow.paragraph(&line, style(8.5, INK), 0.0);
        flow.space(2.0);
    }
    flow.space(6.0);
    let figure = roofline_figure_of_logs(logs, levels);
    if !figure.roofline.is_empty() {
        roofline::add(&mut flow, &RooflinePicture::new(&figure));
    }
    let diagnostics = diagnostics_of_logs(logs);
    if !diagnostics.is_empty() {
        flow.heading("Notes", 30.0);
    }
    for diagnostic in &diagnostics {
        flow.paragraph(&report::note(diagnostic, None), style(8.0, INK), 0.0);
        for example in &diagnostic.examples {
            flow.paragraph(&plain(example), style(7.5, GREY), 12.0);
        }
    }
    let is_wide = table::is_wide(&flow.drawing, of_logs, time_unit);
    table::add(&mut flow, of_logs, time_unit, &[], if is_wide { LANDSCAPE } else { PORTRAIT });
    if let Some(missing) = missing_characters(&flow) {
        flow.paragraph(&missing, style(8.0, INK), 0.0);
    }
    flow.finish().write(&title, None, out)
}
