//! `rules`: all rules with what is in force, and what each found in a capture.

use super::report_files::{CiFormat, ReportFiles};
use crate::console;
use crate::exit::{self, Failure};
use crate::opening::CaptureFile;
use crate::settings::Settings;
use dlprof_core::Severity;
use dlprof_export::{RuleList, RuleReport};
use std::path::PathBuf;

/// Where to look, and where the report goes.
pub(crate) struct Rules {
    /// A capture; `None` for the list of rules alone.
    pub(crate) file: Option<PathBuf>,
    /// What is changed about the rules, and how the capture is read.
    pub(crate) settings: Settings,
    /// Findings of this severity or a higher one are a failure.
    pub(crate) fail_on: Option<Severity>,
    pub(crate) format: CiFormat,
    pub(crate) files: ReportFiles,
}

/// Returns the exit code.
pub(crate) fn run(asked: Rules) -> Result<u8, Failure> {
    let Rules { file, settings, fail_on, format, files } = asked;
    let Some(file) = file else { return list(&settings, fail_on, format, &files).map(|()| exit::DONE) };
    let file = CaptureFile::new(file, settings);
    let profile = file.open()?;
    let report = RuleReport::new(&profile, &file.settings.asked.rules, fail_on, file.settings.time_unit);
    let text = |format| match format {
        CiFormat::Text => report.text(),
        CiFormat::Json => report.json(),
        CiFormat::Markdown => report.markdown(),
        CiFormat::Junit => report.junit(),
        CiFormat::Sarif => report.sarif(),
        CiFormat::Github => report.github(),
    };
    files.write(text)?;
    console::print(&text(format))?;
    file.finish(&profile);
    Ok(exit::of_findings(profile.findings(), fail_on))
}

/// Prints the rules without a capture.
fn list(
    settings: &Settings,
    fail_on: Option<Severity>,
    format: CiFormat,
    files: &ReportFiles,
) -> Result<(), Failure> {
    let needs_capture = |format| matches!(format, CiFormat::Junit | CiFormat::Sarif | CiFormat::Github);
    if fail_on.is_some() || files.formats().chain([format]).any(needs_capture) {
        return Err(Failure::Usage {
            message: "no FILE given, so that there are no findings".into(),
            hint: Some("give an nsys SQLite export: `dlprof-agg rules FILE`".into()),
        });
    }
    let list = RuleList::new(&settings.asked.rules);
    let text = |format| match format {
        CiFormat::Json => list.json(),
        CiFormat::Markdown => list.markdown(),
        _ => list.text(),
    };
    files.write(text)?;
    console::print(&text(format))
}
