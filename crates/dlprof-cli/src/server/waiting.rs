//! What is answered until the captures are read: the pages, which ask again, and how far the reading is.

use super::guard::{Guard, guard};
use super::refusal::Refusal;
use super::routes::asset;
use crate::opening::Reading;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use serde_json::json;
use std::sync::Arc;

/// The addresses while captures are read.
pub(super) fn waiting(reading: Arc<Reading>, guarded_by: Arc<Guard>) -> Router {
    Router::new()
        .route("/api/progress", get(how_far))
        .route("/api/{*path}", any(not_yet))
        .fallback(page)
        .with_state(reading)
        .layer(from_fn(close_afterwards))
        .layer(from_fn_with_state(guarded_by, guard))
}

async fn page(uri: Uri, headers: HeaderMap) -> Result<Response, Refusal> {
    asset(uri, headers).await
}

async fn how_far(State(reading): State<Arc<Reading>>) -> Response {
    let said = json!({ "running": [], "reading": reading.how_far() });
    ([(header::CONTENT_TYPE, "application/json")], said.to_string()).into_response()
}

async fn not_yet() -> Refusal {
    Refusal::new(
        StatusCode::SERVICE_UNAVAILABLE,
        "the captures are still being read",
        "`/api/progress` says how far that is",
    )
}

/// The next request of a client comes over another connection, where it may be answered.
async fn close_afterwards(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}
