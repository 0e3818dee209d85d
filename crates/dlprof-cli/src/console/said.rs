//! What a failure says, in words: what was found, its causes, what to do.

use super::{hints, missing_file};
use crate::exit::Failure;
use dlprof_core::Error as AnalysisError;
use std::error::Error;

/// What a failure says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    /// What was found.
    pub(crate) message: String,
    /// Why, from the nearest cause on; each may have several lines.
    pub(crate) causes: Vec<String>,
    /// What the user can do.
    pub(crate) hint: Option<String>,
}

impl From<&Failure> for Said {
    fn from(failure: &Failure) -> Self {
        let said = |message: String, source: Option<&(dyn Error + 'static)>, hint: Option<String>| Self {
            message,
            causes: causes(source),
            hint,
        };
        match failure {
            Failure::Analysis(error @ AnalysisError::NotFound { path }) => {
                said(error.to_string(), None, missing_file::hint(path))
            }
            Failure::Analysis(error) => said(error.to_string(), error.source(), hints::of_analysis(error)),
            Failure::Runs(error) => said(error.to_string(), error.source(), hints::of_runs(error)),
            Failure::Export(error) => said(error.to_string(), error.source(), error.hint().map(Into::into)),
            Failure::Print(error) => said("cannot write to standard output".into(), Some(error), None),
            Failure::Temporary(error) => {
                said("cannot write to the folder for temporary files".into(), Some(error), None)
            }
            Failure::Cache { folder, source } => {
                let message = format!("cannot list or clear the kept captures in `{}`", folder.display());
                said(message, Some(source), None)
            }
            Failure::Input { message, cause, hint } => {
                let causes = cause.iter().map(|cause| cause.replace('\n', "\n  ")).collect();
                Self { message: message.clone(), causes, hint: hint.clone() }
            }
            Failure::Usage { message, hint } | Failure::Request { message, hint } => {
                said(message.clone(), None, hint.clone())
            }
            Failure::Settings { path, message, hint } => {
                let message = format!("cannot use settings file `{}`: {message}", path.display());
                said(message, None, hint.clone())
            }
        }
    }
}

/// A cause, and what that was caused by. Errors of libraries may repeat that, or add no more than its number to it.
fn causes(mut source: Option<&(dyn Error + 'static)>) -> Vec<String> {
    let mut causes = Vec::new();
    let mut last = String::new();
    while let Some(error) = source {
        let text = error.to_string();
        if last.is_empty() || !(last.ends_with(&text) || text.ends_with(&last)) {
            causes.push(text.clone());
        }
        last = text;
        source = error.source();
    }
    causes
}
