//! Why a request is not answered as asked: a status, and `{"error": …, "hint": …}`.

use crate::console::hints;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use dlprof_core::{Error, ErrorKind, SelectionError, UnknownColumn};
use dlprof_export::brief;
use serde_json::json;
use std::error::Error as _;

/// Why a request is not answered as asked.
#[derive(Debug, Clone)]
pub(super) struct Refusal {
    status: StatusCode,
    /// What was found, in one sentence.
    error: String,
    /// What to do; empty if there is nothing to do.
    hint: String,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, error: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { status, error: error.into(), hint: hint.into() }
    }

    pub(super) fn not_found(error: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, error, hint)
    }

    pub(super) fn bad_request(error: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, error, hint)
    }

    pub(super) fn forbidden(error: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, error, hint)
    }

    /// What the browser gets, without the length of what it asked.
    fn text(&self) -> String {
        json!({ "error": brief(&self.error), "hint": brief(&self.hint) }).to_string()
    }

    /// The program did not do what it should.
    pub(super) fn internal(error: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, error, "see what `dlprof-agg view` prints")
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response =
            (self.status, [(header::CONTENT_TYPE, "application/json")], self.text()).into_response();
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(header::RETRY_AFTER, header::HeaderValue::from_static("1"));
        }
        response
    }
}

impl From<SelectionError> for Refusal {
    fn from(error: SelectionError) -> Self {
        Self::bad_request(error.to_string(), "`dlprof-agg show --help` has the form of conditions")
    }
}

impl From<UnknownColumn> for Refusal {
    fn from(error: UnknownColumn) -> Self {
        SelectionError::from(error).into()
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        let status = match error.kind() {
            ErrorKind::Usage | ErrorKind::Request => StatusCode::UNPROCESSABLE_ENTITY,
            ErrorKind::Input | ErrorKind::Limit => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let cause = error.source().map_or_else(String::new, |cause| format!(": {cause}"));
        Self::new(status, format!("{error}{cause}"), hints::of_analysis(&error).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::Refusal;

    #[test]
    fn what_was_asked_is_not_repeated_at_length() {
        let text = Refusal::bad_request("x".repeat(100_000), "").text();
        assert!(text.len() < 400 && text.contains("characters left out"), "{}", text.len());
    }
}
