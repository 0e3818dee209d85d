//! The command line of `reports`, and of DLProf's own command lines, which have no command.

use super::analysis::Analysis;
use super::general::overwrite;
use super::old_options::OldOptions;
use crate::commands::reports;
use crate::exit::Failure;
use clap::Args;
use dlprof_core::DefaultRange;
use dlprof_export::{DlprofReport, DlprofReportFormat};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct Reports {
    #[command(flatten)]
    pub(crate) reports: ReportArgs,
    #[command(flatten)]
    pub(crate) analysis: Analysis,
}

/// Which report files to write, and where.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// Reports to write, separated by commas [default: all]
    ///
    /// all, or some of summary, detail, kernel, iteration, tensor, op_type, group_op, expert_systems.
    #[arg(long, value_name = "LIST", value_delimiter = ',', help_heading = "Reports")]
    pub(crate) reports: Vec<String>,
    /// File formats: csv, json [default: csv]
    #[arg(long, value_name = "LIST", value_delimiter = ',', help_heading = "Reports")]
    pub(crate) formats: Vec<String>,
    /// Folder for the files; it is made if it is missing [default: .]
    #[arg(long, value_name = "DIR", alias = "output_path", help_heading = "Reports")]
    pub(crate) output_path: Option<PathBuf>,
    /// Overwrite files that exist
    #[arg(short, long, value_name = "BOOL", num_args = 0..=1, require_equals = true,
          default_missing_value = "true", hide_possible_values = true, help_heading = "Reports")]
    pub(crate) force: Option<bool>,
    #[command(flatten)]
    pub(crate) old: OldOptions,
}

impl ReportArgs {
    /// Whether an old command line without subcommand asks for reports.
    pub(crate) fn is_asked(&self) -> bool {
        !self.reports.is_empty() || !self.formats.is_empty() || self.output_path.is_some()
    }
}

impl Reports {
    /// What is asked for.
    pub(crate) fn asked(self) -> Result<reports::Reports, Failure> {
        self.reports.old.note();
        let ReportArgs { reports, formats, output_path, force, .. } = self.reports;
        let inputs = self.analysis.inputs();
        Ok(reports::Reports {
            file: self.analysis.capture_with(DefaultRange::All)?,
            formats: wanted_formats(&formats)?,
            reports: wanted_reports(&reports)?,
            folder: output_path.unwrap_or_else(|| PathBuf::from(".")),
            overwrite: overwrite(force.unwrap_or(false)),
            inputs,
        })
    }
}

/// The reports of a list, in DLProf's order, each once.
fn wanted_reports(list: &[String]) -> Result<Vec<DlprofReport>, Failure> {
    if list.is_empty() {
        return Ok(DlprofReport::ALL.to_vec());
    }
    let mut wanted = Vec::new();
    for name in list {
        match (name.as_str(), DlprofReport::ALL.iter().find(|report| report.key() == name)) {
            ("all", _) => wanted.extend(DlprofReport::ALL),
            (_, Some(report)) => wanted.push(*report),
            (_, None) => {
                let known: Vec<&str> = DlprofReport::ALL.iter().map(|report| report.key()).collect();
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

fn wanted_formats(list: &[String]) -> Result<Vec<DlprofReportFormat>, Failure> {
    let mut formats = Vec::new();
    for name in list {
        let format = DlprofReportFormat::ALL.into_iter().find(|format| format.extension() == name);
        formats.push(format.ok_or_else(|| Failure::Usage {
            message: format!("reports cannot be written in format `{name}`"),
            hint: Some(format!(
                "formats are {}",
                DlprofReportFormat::ALL.map(DlprofReportFormat::extension).join(", ")
            )),
        })?);
    }
    if formats.is_empty() {
        formats.push(DlprofReportFormat::Csv);
    }
    formats.sort_unstable();
    formats.dedup();
    Ok(formats)
}
