//! The command line of `rules`, and `--fail-on`.

use super::analysis::Analysis;
use super::general::overwrite;
use super::value_help::with_values;
use crate::commands::report_files::{CiFormat, ReportFiles};
use crate::commands::rules;
use crate::exit::Failure;
use clap::{Args, ValueEnum};
use dlprof_core::{DefaultRange, Severity};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct Rules {
    #[arg(
        long,
        value_enum,
        value_name = "SEVERITY",
        hide_possible_values = true,
        help = FAIL_ON,
        long_help = with_values::<FailOn>(FAIL_ON_LONG)
    )]
    pub(crate) fail_on: Option<FailOn>,
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        default_value = "text",
        hide_default_value = true,
        hide_possible_values = true,
        help = "text, json, markdown, junit, sarif, github [default: text]",
        long_help = with_values::<CiFormat>("How to write it to standard output [default: text]")
    )]
    pub(crate) format: CiFormat,
    /// Also write the list to a file, whose ending sets the format
    ///
    /// Endings: txt, json, md, xml (JUnit), sarif. May be given several times.
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Vec<PathBuf>,
    /// Overwrite files that exist
    #[arg(short, long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) analysis: Analysis,
}

impl Rules {
    /// What is asked for.
    pub(crate) fn asked(self) -> Result<rules::Rules, Failure> {
        let files = ReportFiles::check(&self.output, overwrite(self.force), &self.analysis.inputs())?;
        Ok(rules::Rules {
            file: self.analysis.named().cloned(),
            settings: self.analysis.options.settings(DefaultRange::Auto)?,
            fail_on: self.fail_on.map(Into::into),
            format: self.format,
            files,
        })
    }
}

/// The short help of `--fail-on`.
pub(crate) const FAIL_ON: &str = "Exit code 1 if there is such a finding: note, warning, error";

/// The long help of `--fail-on`.
pub(crate) const FAIL_ON_LONG: &str =
    "End with exit code 1 if there is a finding of this severity or a higher one";

/// From which severity on findings are failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// Any finding
    Note,
    /// Time is lost, or the capture misleads
    Warning,
    /// The capture misleads
    Error,
}

impl From<FailOn> for Severity {
    fn from(fail_on: FailOn) -> Self {
        match fail_on {
            FailOn::Note => Self::Note,
            FailOn::Warning => Self::Warning,
            FailOn::Error => Self::Error,
        }
    }
}
