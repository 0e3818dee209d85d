//! The default command: the dashboard.

use crate::analysis_args::Analysis;
use crate::args::DashboardFormat;
use crate::ci_args::FailOn;
use crate::exit::{self, Failure};
use crate::settings::Settings;
use crate::{console, locale, terminal};
use dlprof_export::dashboard::{self, COLUMNS, Colour, Details, Look};
use dlprof_export::overview::overview;

/// Returns the exit code.
pub(crate) fn run(
    args: &Analysis,
    details: Details,
    format: DashboardFormat,
    fail_on: Option<FailOn>,
) -> Result<u8, Failure> {
    let settings = Settings::new(args)?;
    let profile = settings.profile()?;
    let time_unit = settings.time_unit.into();
    let overview = overview(&profile, time_unit);
    let look = Look {
        profile_name: settings.profile_name.as_deref(),
        time_unit,
        colour: Colour::Ansi,
        details,
        columns: terminal::width().unwrap_or(COLUMNS),
        letters: locale::letters(),
    };
    match format {
        DashboardFormat::Text => console::print_styled(|out| dashboard::write(&overview, &look, out)),
        DashboardFormat::Json => console::print_with(|out| dashboard::write_json(&overview, out)),
        DashboardFormat::Markdown => console::print(&dashboard::markdown(&overview, &look)),
    }?;
    settings.finish(&profile);
    Ok(exit::of_findings(profile.findings(), fail_on.map(Into::into)))
}
