//! The command line of `rules`, and `--fail-on`.

use super::analysis::Analysis;
use super::report_format::CiReport;
use super::value_help::with_values;
use crate::commands::report_files::Pages;
use crate::commands::rules;
use crate::exit::Failure;
use clap::{Args, ValueEnum};
use dlprof_core::{DefaultRange, Severity};

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
    #[command(flatten)]
    pub(crate) report: CiReport,
    #[command(flatten)]
    pub(crate) analysis: Analysis,
}

impl Rules {
    /// What is asked for.
    pub(crate) fn asked(self) -> Result<rules::Rules, Failure> {
        let files = self.report.files(Pages::None, &self.analysis.inputs())?;
        Ok(rules::Rules {
            file: self.analysis.named().cloned(),
            settings: self.analysis.options.settings(DefaultRange::Auto)?,
            fail_on: self.fail_on.map(Into::into),
            format: self.report.format,
            files,
        })
    }
}

/// The short help of `--fail-on`.
pub(crate) const FAIL_ON: &str = "Exit code 1 if there is such a problem: note, warning, error";

/// The long help of `--fail-on`.
pub(crate) const FAIL_ON_LONG: &str = "End with exit code 1 if there is a problem of this severity or a higher one: what rules found, and what is odd about a capture";

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
