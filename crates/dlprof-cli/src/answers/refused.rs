//! Failures in the form of answers.

use crate::console::said::Said;
use crate::exit::{self, Failure};
use dlprof_core::Error;
use dlprof_export::{AnswerState, Envelope, Mistake, brief, cannot_of_error};

/// A failure as an answer: what cannot be answered, or what is wrong with the request.
pub(crate) fn refused(tool: &str, failure: &Failure) -> Envelope {
    let Said { message, causes, hint } = Said::from(failure);
    let say = std::iter::once(message).chain(causes).map(|text| brief(&text)).collect::<Vec<_>>().join(": ");
    if let Failure::Analysis(error) = failure
        && let Some(cannot) = cannot_of_error(error)
    {
        return Envelope { say, cannot, ..Envelope::new(tool, AnswerState::Cannot) };
    }
    let did_you_mean = hint.as_deref().map(names_meant).unwrap_or_default();
    let mistake = Mistake { code: code(tool, failure), say, hint: hint.as_deref().map(brief), did_you_mean };
    Envelope::mistake(tool, mistake)
}

/// The stable name of a failure.
fn code(tool: &str, failure: &Failure) -> &'static str {
    match failure {
        Failure::Analysis(Error::NotFound { .. }) => "unknown_capture",
        Failure::Analysis(Error::RangeOutOfBounds { .. } | Error::TooFewIterations { .. }) => {
            "no_such_iteration"
        }
        Failure::Analysis(Error::UnknownKeyNode { .. } | Error::UnknownCutRange { .. }) => "no_such_key",
        Failure::Analysis(
            Error::NotACapture { .. } | Error::NotAnExport { .. } | Error::NotATrace { .. },
        ) => "not_a_capture",
        Failure::Usage { message, .. } => of_words(tool, message),
        other => match other.code() {
            exit::INPUT => "unreadable",
            exit::REQUEST => "no_such_key",
            exit::USAGE => "bad_request",
            _ => "internal",
        },
    }
}

/// Failures of use have no kind but their words.
fn of_words(tool: &str, message: &str) -> &'static str {
    const STARTS: [(&str, &str); 9] = [
        ("the path is outside of the roots", "outside_roots"),
        ("there is no table", "unknown_table"),
        ("this is not a cursor", "bad_cursor"),
        ("the cursor is of another", "stale_cursor"),
        ("the query was stopped after", "time_limit"),
        ("the query was stopped, because", "memory_limit"),
        ("a query cannot", "refused_sql"),
        ("a query must", "refused_sql"),
        ("there is no column", "unknown_column"),
    ];
    if message.ends_with("must be exported first") {
        return "needs_export";
    }
    if message.starts_with("table `") && message.contains("` has no column `") {
        return "unknown_column";
    }
    let usual = match tool {
        "query" => "bad_sql",
        "table" => "bad_condition",
        _ => "bad_request",
    };
    STARTS.iter().find(|(start, _)| message.starts_with(start)).map_or(usual, |(_, code)| code)
}

/// The names that a hint asks about: `did you mean `a` or `b`?`.
fn names_meant(hint: &str) -> Vec<String> {
    let Some(asked) = hint.strip_prefix("did you mean ").and_then(|rest| rest.split('?').next()) else {
        return Vec::new();
    };
    asked.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}
