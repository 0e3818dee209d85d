//! `rules`: all rules with what is in force, and what each found in a capture.

use crate::ci_args::{CiFormat, ReportFiles, Rules};
use crate::exit::{self, Failure};
use crate::settings::Settings;
use crate::settings_files::SettingsFiles;
use crate::{console, inputs};
use dlprof_core::advice::Severity;
use dlprof_export::rule_report::{RuleList, RuleReport};

/// Returns the exit code.
pub(crate) fn run(args: &Rules) -> Result<u8, Failure> {
    let read = args.analysis.file.iter().chain(&args.analysis.database);
    let inputs = inputs::of(read, &args.analysis.options.general);
    let files = ReportFiles::check(&args.output, args.force, &inputs)?;
    if args.analysis.file.is_none() && args.analysis.database.is_none() {
        return list(args, &files).map(|()| exit::DONE);
    }
    let settings = Settings::new(&args.analysis)?;
    let profile = settings.profile()?;
    let fail_on = args.fail_on.map(Severity::from);
    let report = RuleReport::new(&profile, &settings.rules, fail_on, settings.time_unit.into());
    let text = |format| match format {
        CiFormat::Text => report.text(),
        CiFormat::Json => report.json(),
        CiFormat::Markdown => report.markdown(),
        CiFormat::Junit => report.junit(),
        CiFormat::Sarif => report.sarif(),
        CiFormat::Github => report.github(),
    };
    files.write(text)?;
    console::print(&text(args.format))?;
    settings.finish(&profile);
    Ok(exit::of_findings(profile.findings(), fail_on))
}

/// Prints the rules without a capture.
fn list(args: &Rules, files: &ReportFiles) -> Result<(), Failure> {
    let needs_capture = |format| matches!(format, CiFormat::Junit | CiFormat::Sarif | CiFormat::Github);
    if args.fail_on.is_some() || files.formats().chain([args.format]).any(needs_capture) {
        return Err(Failure::Usage {
            message: "no FILE given, so that there are no findings".into(),
            hint: Some("give an nsys SQLite export: `dlprof-agg rules FILE`".into()),
        });
    }
    let settings = SettingsFiles::read(args.analysis.options.general.config.as_deref())?;
    let list = RuleList::new(&settings.rules);
    let text = |format| match format {
        CiFormat::Json => list.json(),
        CiFormat::Markdown => list.markdown(),
        _ => list.text(),
    };
    files.write(text)?;
    console::print(&text(args.format))
}
