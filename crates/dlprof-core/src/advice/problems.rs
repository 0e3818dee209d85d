//! What is wrong with a capture or slow in it, in one list: what misleads, what was odd about the input, what could be faster. All
//! have a severity of one kind, by which exit codes are chosen.

use super::finding::{Finding, Severity};
use super::judged::Judged;
use super::sentence::Sentence;
use crate::base::diagnostics::Diagnostic;
use crate::capture::hint_in;

/// A finding or a diagnostic.
#[derive(Debug, Clone, Copy)]
pub enum Problem<'a> {
    /// What a rule found.
    Finding(&'a Finding),
    /// What was odd about the input.
    Diagnostic(&'a Diagnostic),
}

impl Problem<'_> {
    /// How much it matters.
    #[must_use]
    pub fn severity(&self) -> Severity {
        match self {
            Self::Finding(finding) => finding.severity,
            Self::Diagnostic(diagnostic) => diagnostic.code.severity(),
        }
    }

    /// The id of the rule, or the code.
    #[must_use]
    pub fn code(&self) -> &str {
        match self {
            Self::Finding(finding) => finding.id.as_ref(),
            Self::Diagnostic(diagnostic) => diagnostic.code.key(),
        }
    }

    /// What was found.
    #[must_use]
    pub fn says(&self) -> Sentence {
        match self {
            Self::Finding(finding) => finding.problem.clone(),
            Self::Diagnostic(diagnostic) => diagnostic.code.meaning().into(),
        }
    }

    /// Whether it makes figures of the capture wrong.
    #[must_use]
    pub fn misleads(&self) -> bool {
        match self {
            Self::Finding(finding) => finding.misleads,
            Self::Diagnostic(diagnostic) => diagnostic.code.severity() == Severity::Error,
        }
    }

    /// What to do about it; `None` where there is nothing to do.
    #[must_use]
    pub fn remedy(&self, judged: &Judged) -> Option<String> {
        match self {
            Self::Finding(finding) => Some(finding.recommendation.to_string()),
            Self::Diagnostic(diagnostic) => hint_in(diagnostic.code, Some(&judged.profile().capture)),
        }
    }
}

impl Judged {
    /// All problems: what misleads first, then by severity; findings before diagnostics, and each of them in its order.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem<'_>> {
        let findings = self.findings().iter().map(Problem::Finding);
        let diagnostics = self.profile().diagnostics.iter().map(Problem::Diagnostic);
        let mut problems: Vec<Problem<'_>> = findings.chain(diagnostics).collect();
        problems.sort_by_key(|problem| (!problem.misleads(), std::cmp::Reverse(problem.severity())));
        problems
    }
}
