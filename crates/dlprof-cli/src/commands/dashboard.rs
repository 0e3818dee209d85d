//! The default command: the dashboard.

use crate::console::{self, locale, terminal};
use crate::exit::{self, Failure};
use crate::opening::CaptureFile;
use dlprof_core::advice::Severity;
use dlprof_export::dashboard::{self, COLUMNS, Colour, Details, Look};
use dlprof_export::overview::overview;

/// What to show of a capture.
pub(crate) struct Dashboard {
    pub(crate) file: CaptureFile,
    pub(crate) details: Details,
    pub(crate) format: DashboardFormat,
    /// Findings of this severity or a higher one are a failure.
    pub(crate) fail_on: Option<Severity>,
}

/// The form of the dashboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum DashboardFormat {
    /// Text for a terminal
    Text,
    /// The figures, with a version of their form
    Json,
    /// Tables in Markdown
    Markdown,
}

/// Returns the exit code.
pub(crate) fn run(asked: &Dashboard) -> Result<u8, Failure> {
    let settings = &asked.file.settings;
    let profile = asked.file.open()?;
    let overview = overview(&profile, settings.time_unit);
    let look = Look {
        profile_name: settings.profile_name.as_deref(),
        time_unit: settings.time_unit,
        colour: Colour::Ansi,
        details: asked.details,
        columns: terminal::width().unwrap_or(COLUMNS),
        letters: locale::letters(),
    };
    match asked.format {
        DashboardFormat::Text => console::print_styled(|out| dashboard::write(&overview, &look, out)),
        DashboardFormat::Json => console::print_with(|out| dashboard::write_json(&overview, out)),
        DashboardFormat::Markdown => console::print(&dashboard::markdown(&overview, &look)),
    }?;
    asked.file.finish(&profile);
    Ok(exit::of_findings(profile.findings(), asked.fail_on))
}
