//! `profile`: runs a program under `nsys`, then shows the dashboard of the report.

use super::dashboard::{self, Dashboard, DashboardFormat};
use crate::console::{self, Verbosity};
use crate::exit::{self, Failure};
use crate::nsys::{Measuring, Ncu, Profiling, Program, exit_code, typed};
use crate::opening::CaptureFile;
use crate::settings::Settings;
use dlprof_core::NcuLog;
use dlprof_export::{DashboardDetails, NcuLogs, ncu_log_name, ncu_options, nothing_to_measure};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// What to profile, and how its report is read.
pub(crate) struct Profile {
    pub(crate) profiling: Profiling,
    pub(crate) settings: Settings,
    /// Whether kernels are measured with Nsight Compute in another run.
    pub(crate) measures: bool,
}

/// Returns the exit code: that of the program, or ours if only the analysis failed.
pub(crate) fn run(asked: Profile) -> Result<u8, Failure> {
    let Profile { profiling, mut settings, measures } = asked;
    let words = profiling.arguments();
    let command = typed([OsStr::new("nsys")].into_iter().chain(words.iter().map(AsRef::as_ref)));
    let Some(nsys) = Program::find(settings.nsys.as_deref())? else {
        return Err(missing(&command, &profiling.output));
    };
    let ncu = if measures { Some(Ncu::find().ok_or_else(no_ncu)?) } else { None };
    if settings.verbosity > Verbosity::Quiet {
        console::print_step(&format!("running `{command}`"));
    }
    let code = exit_code(profiling.run(&nsys).map_err(|error| nsys.not_started(&error))?);
    let Some(report) = profiling.report() else { return no_report(code) };
    if code != exit::DONE {
        console::print_step(&format!("the program ended with exit code {code}; what it did until then:"));
    }
    if let Some(ncu) = ncu.filter(|_| code == exit::DONE) {
        settings.asked.read.ncu.logs.extend(measured(&ncu, &profiling, &report, &settings)?);
    }
    let shown = dashboard::run(&Dashboard {
        file: CaptureFile::new(report.clone(), settings),
        details: DashboardDetails::Best,
        format: DashboardFormat::Text,
        fail_on: None,
    });
    console::print_step(&format!("the report is `{}`", report.display()));
    match (shown, code) {
        (Ok(_), code) => Ok(code),
        (Err(failure), exit::DONE) => Err(failure),
        (Err(failure), code) => {
            console::print_failure(&failure);
            Ok(code)
        }
    }
}

/// Runs the program again, under `ncu`, and returns the logs that it wrote. What fails there is said, and the dashboard follows
/// without counters.
fn measured(
    ncu: &Ncu,
    profiling: &Profiling,
    report: &Path,
    settings: &Settings,
) -> Result<Vec<PathBuf>, Failure> {
    let launches = CaptureFile::new(report.to_owned(), settings.clone()).open()?.launches_to_measure();
    let launches = match launches {
        Ok(launches) => launches,
        Err(why) => {
            console::print_step(&format!("the capture {}", nothing_to_measure(why)));
            return Ok(Vec::new());
        }
    };
    let measuring = Measuring {
        options: ncu_options(&launches),
        capture_range: profiling.capture_range,
        log: ncu_log_name(&profiling.output.to_string_lossy(), NcuLogs::of(&launches)).into(),
        program: profiling.program.clone(),
    };
    if settings.verbosity > Verbosity::Quiet {
        if let Some(seconds) = profiling.duration {
            console::print_step(&format!("under `ncu` the program runs to its end, not for {seconds} s"));
        }
        console::print_step(&format!("running `{}`", measuring.typed()));
    }
    let (status, written) = measuring.run(ncu).map_err(|error| Failure::Input {
        message: format!("cannot run `{}`", ncu.path().display()),
        cause: Some(error.to_string()),
        hint: Some("profile without `--ncu`".into()),
    })?;
    match (exit_code(status), written.is_empty()) {
        (exit::DONE, false) => {}
        (code, false) => console::print_step(&format!("`ncu` ended with exit code {code}")),
        (code, true) => console::print_step(&format!("`ncu` ended with exit code {code} and wrote no log")),
    }
    // A log without a table, as where counters may not be read, says why; the capture is shown all the same.
    let mut usable = Vec::new();
    for log in written {
        match NcuLog::read(&log, false) {
            Ok(_) => {
                console::print_step(&format!("the log is `{}`", log.display()));
                usable.push(log);
            }
            Err(error) => console::print_failure(&error.into()),
        }
    }
    Ok(usable)
}

/// The failure without `ncu`.
fn no_ncu() -> Failure {
    Failure::Input {
        message: "there is no `ncu` on PATH to measure kernels with".into(),
        cause: None,
        hint: Some(
            "leave out `--ncu`, and measure where Nsight Compute is installed: `dlprof-agg ncu --suggest CAPTURE` prints the \
             command"
                .into(),
        ),
    }
}

/// The program has ended, and nothing was captured.
fn no_report(code: u8) -> Result<u8, Failure> {
    let failure = Failure::Input {
        message: match code {
            exit::DONE => "`nsys profile` ended without an error, but wrote no report".to_owned(),
            code => format!("`nsys profile` ended with exit code {code} and wrote no report"),
        },
        cause: None,
        hint: Some(
            "its own messages are above; `nsys status --environment` says what this machine can trace".into(),
        ),
    };
    match code {
        exit::DONE => Err(failure),
        code => {
            console::print_failure(&failure);
            Ok(code)
        }
    }
}

/// The failure without `nsys`: it says what to run where there is one.
fn missing(command: &str, output: &Path) -> Failure {
    let (report, export) = (with_ending(output, ".nsys-rep"), with_ending(output, ".sqlite"));
    let words = ["nsys", "export", "--type", "sqlite", "--output"].map(OsStr::new);
    let second = typed(words.into_iter().chain([export.as_os_str(), report.as_os_str()]));
    Failure::Input {
        message: "there is no `nsys` on PATH to profile with".into(),
        cause: None,
        hint: Some(format!(
            "name the program with `--nsys PROGRAM`; or, where Nsight Systems is installed, run `{command}` and \
             `{second}`, and give the file that the second one writes"
        )),
    }
}

fn with_ending(output: &Path, ending: &str) -> PathBuf {
    let mut path = output.as_os_str().to_owned();
    path.push(ending);
    path.into()
}
