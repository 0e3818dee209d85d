//! The default command: the dashboard.

use crate::args::Analysis;
use crate::exit::Failure;
use crate::settings::Settings;
use crate::{console, dashboard};
use dlprof_core::Rows;
use std::time::Instant;

pub(crate) fn run(args: &Analysis) -> Result<(), Failure> {
    let settings = Settings::new(args)?;
    let source = settings.read(Rows::NotNeeded)?;
    let started = Instant::now();
    let profile = source.profile()?;
    console::print_stage(settings.verbosity, "aggregate", started.elapsed());
    let shown = dashboard::render(&profile, settings.profile_name.as_deref(), settings.time_unit);
    console::print(&shown)?;
    console::print_diagnostics(settings.verbosity, &profile.diagnostics);
    Ok(())
}
