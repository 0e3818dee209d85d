//! Why something was not done.

use crate::console::said::Said;
use crate::exit::{self, Failure};
use dlprof_export::brief;

/// Why something was not done, with the words and the exit code of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What must be changed.
    pub kind: RefusalKind,
    /// The exit code of the program.
    pub code: u8,
    /// What was found.
    pub message: String,
    /// Why, from the nearest cause on.
    pub causes: Vec<String>,
    /// What the user can do.
    pub hint: Option<String>,
}

/// What must be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalKind {
    /// What was asked for is wrong, whatever the input is.
    Usage,
    /// The input cannot be read.
    Input,
    /// An output cannot be written, or the system has no memory or no files left.
    Output,
    /// What was asked for does not fit the input.
    Request,
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        let code = failure.code();
        let kind = match code {
            exit::USAGE => RefusalKind::Usage,
            exit::INPUT => RefusalKind::Input,
            exit::REQUEST => RefusalKind::Request,
            _ => RefusalKind::Output,
        };
        let Said { message, causes, hint } = Said::from(&failure);
        let causes = causes.iter().map(|cause| brief(cause)).collect();
        Self { kind, code, message: brief(&message), causes, hint: hint.as_deref().map(brief) }
    }
}

impl From<dlprof_core::Error> for Refusal {
    fn from(error: dlprof_core::Error) -> Self {
        Failure::from(error).into()
    }
}

impl Refusal {
    /// What was asked for is wrong.
    pub(super) fn usage(message: String, hint: impl Into<Option<String>>) -> Self {
        Failure::Usage { message, hint: hint.into() }.into()
    }
}

#[cfg(test)]
mod tests {
    use super::Refusal;

    #[test]
    fn what_was_given_is_not_repeated_at_length() {
        let long = "x".repeat(100_000);
        let refusal = Refusal::usage(format!("there is no `{long}`"), format!("leave out `{long}`"));
        for text in [refusal.message, refusal.hint.expect("a hint")] {
            assert!(text.len() < 400 && text.contains("characters left out"), "{}", text.len());
        }
    }
}
