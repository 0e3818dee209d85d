//! `ncu`: logs of Nsight Compute, and the command that writes one.

use super::ncu_logs::{self, NcuLogs};
use super::ncu_roofline::{self, Beside, RooflineRows};
use crate::console::{self, Verbosity};
use crate::exit::Failure;
use crate::opening::CaptureFile;
use dlprof_core::NothingToMeasure;
use dlprof_export::{ncu_command, nothing_to_measure};

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
    let command = ncu_command(&profile).map_err(|why| Failure::Input {
        message: format!("`{}` {}", file.path.display(), nothing_to_measure(why)),
        cause: None,
        hint: hint(why).map(Into::into),
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

/// What to do where nothing can be measured.
fn hint(why: NothingToMeasure) -> Option<&'static str> {
    match why {
        NothingToMeasure::OtherGpus | NothingToMeasure::WholeGraphs => None,
        NothingToMeasure::AllMeasured => {
            Some("without `--ncu` the command measures the kernels with most time again")
        }
        NothingToMeasure::OnlyExchanges => {
            Some("`dlprof-agg ranks` says where ranks wait for each other; give captures of all ranks")
        }
        NothingToMeasure::NoKernels => {
            Some("`dlprof-agg check` says what the capture holds and how to record kernels")
        }
    }
}
