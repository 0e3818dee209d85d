//! `check`: what a capture holds, what was made of it, what is missing.

use crate::console;
use crate::exit::Failure;
use crate::opening::CaptureFile;
use dlprof_export::write_check;

pub(crate) fn run(file: &CaptureFile) -> Result<(), Failure> {
    let profile = file.open()?;
    console::print_with(|out| write_check(&profile, file.settings.time_unit, out))?;
    file.keep_figures(&profile);
    Ok(())
}
