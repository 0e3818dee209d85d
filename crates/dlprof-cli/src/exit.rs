//! Exit codes, and the failures that lead to them.

use dlprof_core::{ErrorKind, Finding, GateVerdict, Judged, RunError, Severity};
use std::path::PathBuf;

/// Done; also if the reader of the output closed it early.
pub(crate) const DONE: u8 = 0;
/// The program worked, and the gate failed, or `--fail-on` found something.
pub(crate) const FAILED: u8 = 1;
/// Wrong use: options contradict each other, an output is an input, or a settings file cannot be read.
pub(crate) const USAGE: u8 = 2;
/// The input cannot be read, or is of no kind that is known.
pub(crate) const INPUT: u8 = 3;
/// An output cannot be written, or exists and `--force` was not given; or the system has no memory or no files left.
pub(crate) const OUTPUT: u8 = 4;
/// The request does not fit the data: no such key node, iteration range out of bounds.
pub(crate) const REQUEST: u8 = 5;

/// The program worked, and the gate is inconclusive.
pub(crate) const INCONCLUSIVE: u8 = 6;

/// The code of a verdict of the gate.
pub(crate) fn of_verdict(verdict: GateVerdict) -> u8 {
    match verdict {
        GateVerdict::Pass => DONE,
        GateVerdict::Fail => FAILED,
        GateVerdict::Inconclusive => INCONCLUSIVE,
    }
}

/// The code of all problems: findings, and what was odd about the input.
pub(crate) fn of_problems(judged: &Judged, fail_on: Option<Severity>) -> u8 {
    let is_failure = |fail_on| judged.problems().iter().any(|problem| problem.severity() >= fail_on);
    if fail_on.is_some_and(is_failure) { FAILED } else { DONE }
}

/// The code of findings.
pub(crate) fn of_findings(findings: &[Finding], fail_on: Option<Severity>) -> u8 {
    let is_failure = |fail_on| findings.iter().any(|finding| finding.severity >= fail_on);
    if fail_on.is_some_and(is_failure) { FAILED } else { DONE }
}

/// The code of an error of the analysis.
fn of_kind(kind: ErrorKind) -> u8 {
    match kind {
        ErrorKind::Usage => USAGE,
        ErrorKind::Input => INPUT,
        ErrorKind::Request => REQUEST,
        ErrorKind::Limit => OUTPUT,
    }
}

/// The list for `--help`.
pub(crate) const HELP: &str = "\
Exit codes:
  0  done (also if the reader of the output closes it early); the gate passed
  1  the gate failed: a real regression; --fail-on: there is a problem of this severity; `check`: figures mislead
  2  wrong use: unknown option, start after stop, unusable settings file, rule or policy; an output is an input
  3  the input cannot be read, or is neither an nsys export, a DLProf database nor a valid baseline
  4  an output cannot be written, or exists and --force was not given; no memory or no files left
  5  the request does not fit the data: no such key node, iteration range out of bounds; `stats` skipped a report
  6  the gate is inconclusive: the samples do not allow a verdict (a policy may make it 0 or 1); `compare`: nothing can be compared
`profile` ends with the exit code of the program.";

/// Why the program ends early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The analysis failed.
    Analysis(dlprof_core::Error),
    /// Runs cannot be compared.
    Runs(RunError),
    /// Writing files failed.
    Export(dlprof_export::Error),
    /// Standard output cannot be written to.
    Print(std::io::Error),
    /// There is no place for a temporary file.
    Temporary(std::io::Error),
    /// The kept captures cannot be listed or removed.
    Cache {
        /// Their folder.
        folder: PathBuf,
        /// The cause, from the operating system.
        source: std::io::Error,
    },
    /// The input cannot be used, for a reason outside of the analysis.
    Input {
        /// What was found.
        message: String,
        /// Why; may have several lines.
        cause: Option<String>,
        /// What the user can do; `None` if there is nothing to do.
        hint: Option<String>,
    },
    /// An option is wrong.
    Usage {
        /// What was found, and what is needed.
        message: String,
        /// What the user can do; `None` if there is nothing to do.
        hint: Option<String>,
    },
    /// A row that was asked for is not in the capture.
    Request {
        /// What was asked for, and what there is.
        message: String,
        /// What the user can do.
        hint: Option<String>,
    },
    /// The settings file cannot be used.
    Settings {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
        /// What the user can do; `None` if there is nothing to say.
        hint: Option<String>,
    },
}

impl Failure {
    /// The exit code.
    pub(crate) fn code(&self) -> u8 {
        match self {
            Self::Analysis(error) => of_kind(error.kind()),
            Self::Runs(error) => of_kind(error.kind()),
            Self::Export(error) if error.is_about_data() => REQUEST,
            Self::Export(error) if error.is_about_use() => USAGE,
            Self::Export(_) | Self::Print(_) | Self::Temporary(_) | Self::Cache { .. } => OUTPUT,
            Self::Request { .. } => REQUEST,
            Self::Input { .. } => INPUT,
            Self::Usage { .. } | Self::Settings { .. } => USAGE,
        }
    }
}

impl From<dlprof_core::Error> for Failure {
    fn from(error: dlprof_core::Error) -> Self {
        Self::Analysis(error)
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Read(error) => Self::Analysis(error),
            error => Self::Runs(error),
        }
    }
}

impl From<dlprof_export::Error> for Failure {
    fn from(error: dlprof_export::Error) -> Self {
        Self::Export(error)
    }
}

impl From<dlprof_export::FormatError> for Failure {
    fn from(error: dlprof_export::FormatError) -> Self {
        Self::Usage { message: error.to_string(), hint: Some(error.hint()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dlprof_core::Error;

    #[test]
    fn every_failure_has_the_code_that_the_help_says() {
        let path = || PathBuf::from("a.sqlite");
        let broken = || std::io::Error::from(std::io::ErrorKind::StorageFull);
        let usage = || Failure::Usage { message: String::new(), hint: None };
        for (failure, code) in [
            (Failure::Analysis(Error::NotFound { path: path() }), INPUT),
            (Failure::Analysis(Error::ReversedRange { start: 2, stop: 1 }), USAGE),
            (Failure::Analysis(Error::TooFewIterations { found: 1 }), REQUEST),
            (Failure::from(RunError::Read(Error::NotFound { path: path() })), INPUT),
            (Failure::Print(broken()), OUTPUT),
            (Failure::Temporary(broken()), OUTPUT),
            (Failure::Cache { folder: path(), source: broken() }, OUTPUT),
            (Failure::Export(dlprof_export::Error::Write { path: path(), source: broken() }), OUTPUT),
            (Failure::Export(dlprof_export::Error::Twice { path: path() }), OUTPUT),
            (Failure::Input { message: String::new(), cause: None, hint: None }, INPUT),
            (Failure::Request { message: String::new(), hint: None }, REQUEST),
            (Failure::Settings { path: path(), message: String::new(), hint: None }, USAGE),
            (usage(), USAGE),
        ] {
            assert_eq!(failure.code(), code, "{failure:?}");
        }
        assert_eq!(
            [GateVerdict::Pass, GateVerdict::Fail, GateVerdict::Inconclusive].map(of_verdict),
            [0, 1, 6]
        );
        for code in [DONE, FAILED, USAGE, INPUT, OUTPUT, REQUEST, INCONCLUSIVE] {
            assert!(HELP.contains(&format!("\n  {code}  ")), "{code}");
        }
    }

    #[test]
    fn findings_are_a_failure_from_a_severity_on() {
        assert_eq!(of_findings(&[], Some(Severity::Note)), DONE);
    }
}
