//! A report as PDF: a first page with the answer, lists and tables, how to read them; page numbers, bookmarks.

mod charts;
mod contents;
mod direction;
mod document;
mod drawing;
pub(super) mod face;
mod findings;
mod first_page;
pub(crate) mod job;
mod job_ranks;
mod layout;
mod ncu_logs;
mod ranked;
mod reading;
mod rich;
mod roofline;
mod step;
mod table;

pub use face::Font;
pub use ncu_logs::write_logs;

use super::report;
use crate::dates;
use crate::display::plain;
use crate::error::Error;
use dlprof_core::{Judged, Table};
use std::path::Path;

/// Writes a report to a new file. Returns the characters, in order, that no font has; the report shows `U+FFFD` for them.
///
/// # Errors
/// If the file exists, or the system refuses to write.
pub fn write(
    judged: &Judged,
    title: &str,
    tables: &[Box<dyn Table + '_>],
    options: &report::Options<'_>,
    path: &Path,
) -> Result<Vec<char>, Error> {
    let mut missing = Vec::new();
    crate::target::create_with(path, |out| {
        let title = plain(title);
        let mut flow = layout::Flow::new(drawing::Drawing::new(options.font), &title);
        let sections = report::sections(tables, options.tables, contents::most_rows(options))?;
        contents::add(&mut flow, judged, &title, &sections, options);
        let drawing = flow.finish();
        missing = drawing.missing().iter().copied().collect();
        drawing.write(&title, dates::of_capture_or_file(judged).map(dates::calendar), out)
    })?;
    Ok(missing)
}
