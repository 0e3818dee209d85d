//! The default command: the dashboard.

use crate::console::{self, locale, terminal};
use crate::exit::{self, Failure};
use crate::opening::CaptureFile;
use dlprof_core::Severity;
use dlprof_export::{
    Colour, DASHBOARD_COLUMNS, DashboardDetails, DashboardLook, dashboard_markdown, ncu_command, overview,
    write_dashboard, write_dashboard_json,
};

/// What to show of a capture.
pub(crate) struct Dashboard {
    pub(crate) file: CaptureFile,
    pub(crate) details: DashboardDetails,
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
    let is_detailed = asked.details == DashboardDetails::All && asked.format == DashboardFormat::Text;
    let ncu = is_detailed.then(|| ncu_command(&profile).ok()).flatten();
    let look = DashboardLook {
        profile_name: settings.profile_name.as_deref(),
        time_unit: settings.time_unit,
        colour: Colour::Ansi,
        details: asked.details,
        columns: terminal::width().unwrap_or(DASHBOARD_COLUMNS),
        letters: locale::letters(),
        ncu: ncu.as_ref(),
    };
    match asked.format {
        DashboardFormat::Text => console::print_styled(|out| write_dashboard(&overview, &look, out)),
        DashboardFormat::Json => console::print_with(|out| write_dashboard_json(&overview, out)),
        DashboardFormat::Markdown => console::print(&dashboard_markdown(&overview, &look)),
    }?;
    asked.file.finish(&profile);
    Ok(exit::of_problems(&profile, asked.fail_on))
}
