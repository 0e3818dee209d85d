//! The default command: the dashboard.

use crate::analysis_args::Analysis;
use crate::ci_args::FailOn;
use crate::console;
use crate::exit::{self, Failure};
use crate::settings::Settings;
use dlprof_export::dashboard::{self, Colour, Details, Look};

/// Returns the exit code.
pub(crate) fn run(args: &Analysis, details: Details, fail_on: Option<FailOn>) -> Result<u8, Failure> {
    let settings = Settings::new(args)?;
    let profile = settings.profile()?;
    let look = Look {
        profile_name: settings.profile_name.as_deref(),
        time_unit: settings.time_unit.into(),
        colour: Colour::Ansi,
        details,
    };
    console::print_styled(|out| dashboard::write(&profile, &look, out))?;
    console::print_diagnostics(settings.verbosity, &profile.diagnostics);
    Ok(exit::of_findings(profile.findings(), fail_on.map(Into::into)))
}
