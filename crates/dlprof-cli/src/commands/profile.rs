//! `profile`: runs a program under `nsys`, then shows the dashboard of the report.

use crate::analysis_args::Analysis;
use crate::args::DashboardFormat;
use crate::commands::dashboard;
use crate::exit::{self, Failure};
use crate::nsys::{Profiling, Program, exit_code, free_name, typed};
use crate::profile_args::Profile;
use crate::{console, inputs};
use dlprof_export::Target;
use dlprof_export::dashboard::Details;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The name of reports, which is DLProf's.
const NAME: &str = "nsys_profile";

/// Returns the exit code: that of the program, or ours if only the analysis failed.
pub(crate) fn run(args: Profile) -> Result<u8, Failure> {
    let profiling = profiling(&args)?;
    let words = profiling.arguments();
    let command = typed([OsStr::new("nsys")].into_iter().chain(words.iter().map(AsRef::as_ref)));
    let Some(nsys) = Program::find(args.options.general.nsys.as_deref())? else {
        return Err(missing(&command, &profiling.output));
    };
    if !args.options.general.is_quiet() {
        console::print_step(&format!("running `{command}`"));
    }
    let code = exit_code(profiling.run(&nsys).map_err(|error| nsys.not_started(&error))?);
    let Some(report) = profiling.report() else { return no_report(code) };
    if code != exit::DONE {
        console::print_step(&format!("the program ended with exit code {code}; what it did until then:"));
    }
    let shown = show(args, &report);
    console::print_step(&format!("the report is `{}`", report.display()));
    match (shown, code) {
        (Ok(()), code) => Ok(code),
        (Err(failure), exit::DONE) => Err(failure),
        (Err(failure), code) => {
            console::print_failure(&failure);
            Ok(code)
        }
    }
}

/// What to profile, and where the report goes.
fn profiling(args: &Profile) -> Result<Profiling, Failure> {
    let output = match &args.output {
        None => free_name(Path::new(NAME)),
        // `nsys` appends the ending itself.
        Some(name) if name.extension().is_some_and(|ending| ending == "nsys-rep") => name.with_extension(""),
        Some(name) => name.clone(),
    };
    let mut further = Vec::new();
    for text in &args.nsys_opts {
        further.extend(shlex::split(text).ok_or_else(|| Failure::Usage {
            message: format!("`--nsys-opts {text}` has a quote that does not end"),
            hint: Some("write it as in a shell, such as `--nsys-opts='--stats=true'`".into()),
        })?);
    }
    let profiling = Profiling {
        output,
        overwrite: args.force,
        delay: args.delay,
        duration: args.duration,
        capture_range: args.capture_range,
        further,
        program: args.program.clone(),
    };
    // What the program reads is not known, but its words may name files.
    let read: Vec<PathBuf> = args.program.iter().map(PathBuf::from).collect();
    let inputs = inputs::of(&read, &args.options.general);
    for report in profiling.possible_reports() {
        Target::new(&report, inputs::overwrite(args.force), &inputs)?;
    }
    Ok(profiling)
}

/// The dashboard of a report.
fn show(args: Profile, report: &Path) -> Result<(), Failure> {
    let analysis = Analysis { file: Some(report.to_owned()), database: None, options: args.options };
    dashboard::run(&analysis, Details::Best, DashboardFormat::Text, None).map(drop)
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
