//! How requests end.

use serde_json::Value as Json;

/// How a request ends.
pub(super) enum Outcome {
    Result(Json),
    /// No valid request of the protocol.
    Error {
        code: i64,
        message: String,
        data: Json,
    },
}
