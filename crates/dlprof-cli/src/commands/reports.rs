//! `reports`: DLProf's report files.

use crate::console;
use crate::exit::Failure;
use crate::inputs;
use crate::output_args::Reports;
use crate::settings::Settings;
use dlprof_export::reports::{Plan, Report, ReportFormat, write};
use std::path::PathBuf;

pub(crate) fn run(args: Reports) -> Result<(), Failure> {
    args.reports.old.note();
    let read = args.analysis.file.iter().chain(&args.analysis.database);
    let inputs = inputs::of(read, &args.analysis.options.general);
    let mut settings = Settings::of_all_iterations(&args.analysis)?;
    settings.use_rules_of_dlprof();
    let formats = wanted_formats(&args.reports.formats)?;
    let wanted = wanted_reports(&args.reports.reports)?;
    let folder = args.reports.output_path.unwrap_or_else(|| PathBuf::from("."));
    let force = args.reports.force.unwrap_or(false);
    let prefix = settings.profile_name.as_deref().unwrap_or("dlprof");
    check_prefix(prefix)?;
    let plan = Plan {
        reports: &wanted,
        formats: &formats,
        folder: &folder,
        prefix,
        profile_name: settings.profile_name.as_deref(),
        overwrite: inputs::overwrite(force),
        inputs: &inputs,
    };
    plan.check()?;
    let profile = settings.profile()?;
    let written = write(&profile, &plan)?;
    let list: String = written.iter().map(|path| format!("{}\n", path.display())).collect();
    console::print(&list)?;
    settings.finish(&profile);
    Ok(())
}

/// The reports of a list, in DLProf's order, each once.
fn wanted_reports(list: &[String]) -> Result<Vec<Report>, Failure> {
    if list.is_empty() {
        return Ok(Report::ALL.to_vec());
    }
    let mut wanted = Vec::new();
    for name in list {
        match (name.as_str(), Report::ALL.iter().find(|report| report.key() == name)) {
            ("all", _) => wanted.extend(Report::ALL),
            (_, Some(report)) => wanted.push(*report),
            (_, None) => {
                let known: Vec<&str> = Report::ALL.iter().map(|report| report.key()).collect();
                return Err(Failure::Usage {
                    message: format!("there is no report `{name}`"),
                    hint: Some(format!("reports are all, {}", known.join(", "))),
                });
            }
        }
    }
    wanted.sort_unstable();
    wanted.dedup();
    Ok(wanted)
}

fn wanted_formats(list: &[String]) -> Result<Vec<ReportFormat>, Failure> {
    let mut formats = Vec::new();
    for name in list {
        let format = ReportFormat::ALL.into_iter().find(|format| format.extension() == name);
        formats.push(format.ok_or_else(|| Failure::Usage {
            message: format!("reports cannot be written in format `{name}`"),
            hint: Some(format!("formats are {}", ReportFormat::ALL.map(ReportFormat::extension).join(", "))),
        })?);
    }
    if formats.is_empty() {
        formats.push(ReportFormat::Csv);
    }
    formats.sort_unstable();
    formats.dedup();
    Ok(formats)
}

/// The profile name is the start of file names, so it must not name another folder.
fn check_prefix(prefix: &str) -> Result<(), Failure> {
    if prefix.is_empty() || prefix.contains(['/', '\\', '\0', '\n']) {
        return Err(Failure::Usage {
            message: format!("profile name `{prefix}` cannot be the start of a file name"),
            hint: Some("leave out slashes and line feeds".into()),
        });
    }
    Ok(())
}
