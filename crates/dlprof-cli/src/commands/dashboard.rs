//! The default command: the dashboard.

use crate::args::Analysis;
use crate::exit::Failure;
use crate::settings::Settings;
use crate::{console, dashboard};
use std::time::Instant;

pub(crate) fn run(args: &Analysis) -> Result<(), Failure> {
    let settings = Settings::new(args)?;
    let capture = settings.read()?;
    let started = Instant::now();
    let profile = capture.profile(&settings.iterations)?;
    console::print_stage(settings.verbosity, "aggregate", started.elapsed());
    let shown = dashboard::render(&profile, settings.profile_name.as_deref(), settings.time_unit);
    console::print(&shown)?;
    console::print_diagnostics(settings.verbosity, &profile.diagnostics);
    Ok(())
}
