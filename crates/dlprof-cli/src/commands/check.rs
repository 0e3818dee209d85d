//! `check`: what a capture holds, what was made of it, what is missing.

use crate::console;
use crate::exit::{self, Failure};
use crate::opening::CaptureFile;
use dlprof_core::{Error, Severity};
use dlprof_export::{write_check, write_held, write_how_to_get_communicators};

/// Returns the exit code: a failure where figures of the capture mislead.
pub(crate) fn run(file: &CaptureFile) -> Result<u8, Failure> {
    let opened = file.open();
    if let Err(Failure::Analysis(Error::NoEvents { path, held, .. })) = &opened {
        console::print_with(|out| write_held(path, held, out))?;
    }
    let profile = opened?;
    console::print_with(|out| {
        write_check(&profile, file.settings.time_unit, out)?;
        if profile.capture.notes.lacks_payloads { write_how_to_get_communicators(out) } else { Ok(()) }
    })?;
    file.keep_figures(&profile);
    Ok(exit::of_problems(&profile, Some(Severity::Error)))
}
