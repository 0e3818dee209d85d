//! The dashboard in Markdown for the summary of a job on GitHub Actions. Steps share the file, so texts are appended.

use crate::dashboard::{Look, markdown};
use crate::display::TimeUnit;
use crate::overview::Overview;
use std::io::{self, Write};
use std::path::Path;

/// GitHub shows no summary of a step that is larger.
pub(crate) const MOST_BYTES: u64 = 1 << 20;

/// Writes the dashboard, after an empty line, because a table that follows other text directly is not a table.
///
/// # Errors
/// If `out` cannot be written to.
pub(crate) fn write(
    overview: &Overview,
    profile_name: &str,
    time_unit: TimeUnit,
    out: &mut dyn Write,
) -> io::Result<()> {
    // The name that the file gives says nothing more.
    let is_given = Path::new(&overview.window.capture).file_stem() != Some(profile_name.as_ref());
    let look = Look {
        profile_name: Some(profile_name).filter(|name| is_given && !name.is_empty()),
        time_unit,
        ..Look::plain()
    };
    write!(out, "\n{}", markdown(overview, &look))
}
