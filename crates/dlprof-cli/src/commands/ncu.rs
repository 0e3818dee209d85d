//! `ncu`: logs of Nsight Compute, and the command that writes one.

use super::ncu_logs::{self, NcuLogs};
use super::ncu_roofline::{self, Beside, RooflineRows};
use crate::console::{self, Verbosity};
use crate::exit::Failure;
use crate::opening::CaptureFile;
use dlprof_export::ncu_command;

/// What to say about Nsight Compute.
pub(crate) enum Ncu {
    /// What logs say, without a capture.
    Logs(Box<NcuLogs>),
    /// What logs say about a capture.
    Beside(Box<Beside>),
    /// Points and roofs as data.
    Roofline(Box<RooflineRows>),
    /// The command that measures the kernels of a capture.
    Suggest(Box<CaptureFile>),
}

pub(crate) fn run(asked: &Ncu) -> Result<(), Failure> {
    match asked {
        Ncu::Logs(logs) => ncu_logs::run(logs),
        Ncu::Beside(beside) => ncu_roofline::beside(beside),
        Ncu::Roofline(rows) => ncu_roofline::rows(rows),
        Ncu::Suggest(file) => suggest(file),
    }
}

/// The command alone goes to standard output, so that a shell can take it.
fn suggest(file: &CaptureFile) -> Result<(), Failure> {
    let profile = file.open()?;
    let command = ncu_command(&profile).ok_or_else(|| Failure::Input {
        message: format!("`{}` has no kernels that `ncu` could measure", file.path.display()),
        cause: None,
        hint: Some("`dlprof-agg check` says what the capture holds and how to record kernels".into()),
    })?;
    console::print(&format!("{}\n", command.line()))?;
    if file.settings.verbosity > Verbosity::Quiet {
        console::print_step(&command.measures);
        for remark in &command.remarks {
            console::print_step(remark);
        }
    }
    file.finish(&profile);
    Ok(())
}
