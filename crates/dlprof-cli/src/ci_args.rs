//! Options of commands whose report a CI system reads, and of `rules`: clap types, and where their reports go.

use crate::analysis_args::Analysis;
use crate::exit::Failure;
use crate::inputs::overwrite;
use crate::value_help::with_values;
use clap::{Args, ValueEnum};
use dlprof_core::advice::Severity;
use dlprof_export::{Inputs, Target, write_files};
use std::path::{Path, PathBuf};

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

/// Formats of reports for CI systems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CiFormat {
    /// Text for people
    #[value(alias = "txt")]
    Text,
    /// One JSON object
    Json,
    /// Markdown, for a pull request or a job summary
    #[value(alias = "md")]
    Markdown,
    /// JUnit XML
    #[value(alias = "xml")]
    Junit,
    /// SARIF 2.1.0
    Sarif,
    /// Annotations of GitHub Actions
    Github,
}

/// Files to which a report goes.
pub(crate) struct ReportFiles {
    files: Vec<(Target, CiFormat)>,
}

impl ReportFiles {
    /// Checks endings, and that the files can be written.
    pub(crate) fn check(paths: &[PathBuf], force: bool, inputs: &Inputs) -> Result<Self, Failure> {
        let formats: Vec<CiFormat> = paths.iter().map(|path| of_ending(path)).collect::<Result<_, _>>()?;
        let mut files: Vec<(Target, CiFormat)> = Vec::new();
        for (path, format) in paths.iter().zip(formats) {
            let target = Target::new(path, overwrite(force), inputs)?;
            if files.iter().any(|(other, _)| other.is_same_file(&target)) {
                return Err(dlprof_export::Error::Twice { path: path.into() }.into());
            }
            files.push((target, format));
        }
        Ok(Self { files })
    }

    /// The formats of the files.
    pub(crate) fn formats(&self) -> impl Iterator<Item = CiFormat> {
        self.files.iter().map(|(_, format)| *format)
    }

    /// Writes the report to each of them; either all files are written or none.
    pub(crate) fn write(&self, text: impl Fn(CiFormat) -> String) -> Result<(), Failure> {
        let texts: Vec<(&Target, String)> =
            self.files.iter().map(|(target, format)| (target, text(*format))).collect();
        Ok(write_files(texts.iter().map(|(target, text)| (*target, text.as_bytes())))?)
    }
}

fn of_ending(path: &Path) -> Result<CiFormat, Failure> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().into_owned()).unwrap_or_default();
    CiFormat::from_str(&ending, true).map_err(|_| Failure::Usage {
        message: format!("the ending of `{}` names no format", path.display()),
        hint: Some("endings are txt, json, md, xml (JUnit), sarif".into()),
    })
}
