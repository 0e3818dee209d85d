//! The command line of `baseline`, `compare`, `gate` and `history`: clap types only.

use crate::analysis_args::Analysis;
use crate::ci_args::CiFormat;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct Baseline {
    #[command(flatten)]
    pub(crate) analysis: Analysis,
    /// More runs of the same program; several runs, at best five, show how much equal runs differ
    #[arg(value_name = "RUN", index = 2)]
    pub(crate) more: Vec<PathBuf>,
    /// File to write
    #[arg(short, long, value_name = "FILE", help_heading = "Baseline")]
    pub(crate) output: PathBuf,
    /// Overwrite the file if it exists
    #[arg(short, long, help_heading = "Baseline")]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Compare {
    #[command(flatten)]
    pub(crate) analysis: Analysis,
    /// New run: a capture, or a file written by `baseline`
    #[arg(value_name = "NEW", index = 2, required = true)]
    pub(crate) new: PathBuf,
    /// How to write it
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text", help_heading = "Comparison")]
    pub(crate) format: ReportFormat,
    /// Number of rows of each list, the largest changes first; JSON holds all rows
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = "Comparison")]
    pub(crate) top: usize,
}

#[derive(Debug, Args)]
pub(crate) struct Gate {
    #[command(flatten)]
    pub(crate) analysis: Analysis,
    /// What to compare with: a file written by `baseline`, or a capture; the runs of several files are pooled
    #[arg(short, long, value_name = "FILE", required_unless_present = "history", help_heading = "Gate")]
    pub(crate) baseline: Vec<PathBuf>,
    /// TOML file that says what may change by how much; examples/ci/gate.toml documents every key
    #[arg(short, long, value_name = "FILE", help_heading = "Gate")]
    pub(crate) policy: Option<PathBuf>,
    /// Folder of earlier baselines: a metric also fails if it slowly grew over its budget since the first of them.
    /// Without
    /// --baseline, the last five of them are the baseline
    #[arg(long, value_name = "DIR", help_heading = "Gate")]
    pub(crate) history: Option<PathBuf>,
    /// How to write the report to standard output
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text", help_heading = "Gate")]
    pub(crate) format: CiFormat,
    /// Write the report to a file as well; the ending sets the format: txt, json, md, xml (JUnit), sarif. May be given
    /// several times
    #[arg(short, long, value_name = "FILE", help_heading = "Gate")]
    pub(crate) output: Vec<PathBuf>,
    /// Overwrite files that exist
    #[arg(short, long, help_heading = "Gate")]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct History {
    #[command(flatten)]
    pub(crate) analysis: Analysis,
    /// More baselines or captures
    #[arg(value_name = "FILE", index = 2)]
    pub(crate) more: Vec<PathBuf>,
    /// How to write it
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text", help_heading = "History")]
    pub(crate) format: ReportFormat,
}

/// Formats of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// Text for people
    Text,
    /// One JSON object
    Json,
    /// Markdown
    Markdown,
}
