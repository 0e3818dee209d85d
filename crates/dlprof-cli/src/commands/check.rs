//! `check`: what a capture holds, what was made of it, what is missing.

use crate::analysis_args::Analysis;
use crate::console;
use crate::exit::Failure;
use crate::settings::Settings;
use dlprof_export::capture_check::write_check;

pub(crate) fn run(args: &Analysis) -> Result<(), Failure> {
    let settings = Settings::new(args)?;
    let profile = settings.profile()?;
    console::print_with(|out| write_check(&profile, settings.time_unit.into(), out))?;
    settings.keep_figures(&profile);
    Ok(())
}
