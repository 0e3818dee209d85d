//! What is answered about a job of many ranks: its page, and the blocks that the page asks for.

use super::encoding::Encoding;
use super::guard::{Guard, guard};
use super::refusal::Refusal;
use super::routes::asset;
use super::shared::{Answer, Shared, json};
use axum::Router;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use dlprof_export::JobBlocks;
use std::sync::Arc;

/// What the server holds of a job.
#[derive(Debug)]
pub(crate) struct HeldJob {
    pub(crate) blocks: JobBlocks,
    /// Whether texts of CSV files are made safe for spreadsheets.
    pub(crate) csv_safe: bool,
}

type App = State<Arc<Shared<HeldJob>>>;

/// The addresses. At most `turns` requests are computed at a time; the others wait.
pub(super) fn job_routes(held: HeldJob, guarded_by: Arc<Guard>, turns: usize) -> Router {
    Router::new()
        .route("/api/manifest", get(manifest))
        .route("/api/blocks/{id}", get(block))
        .route("/api/progress", get(progress))
        .route("/api/aggregations", get(aggregations))
        .fallback(asset)
        .with_state(Arc::new(Shared::new(held, turns)))
        .layer(from_fn_with_state(guarded_by, guard))
}

async fn manifest(State(shared): App, headers: HeaderMap) -> Answer {
    let encoding = Encoding::of(&headers);
    let make = move |shared: &Shared<HeldJob>| {
        let manifest = shared.held.blocks.manifest_json(shared.held.csv_safe);
        Ok(encoding.encode(manifest.map_err(|error| Refusal::internal(error.to_string()))?))
    };
    shared.respond(make).await
}

async fn block(State(shared): App, Path(id): Path<String>, headers: HeaderMap) -> Answer {
    let encoding = Encoding::of(&headers);
    let make = move |shared: &Shared<HeldJob>| {
        let block = shared.held.blocks.block_json(&id);
        let block = block.map_err(|error| Refusal::internal(error.to_string()))?;
        let unknown =
            || Refusal::not_found(format!("a job has no block `{id}`"), "the page knows their names");
        Ok(encoding.encode(block.ok_or_else(unknown)?))
    };
    shared.respond(make).await
}

async fn progress(State(shared): App) -> Answer {
    shared.send((json(&serde_json::json!({ "running": [] }))?.into(), Encoding::Identity)).await
}

/// A job is aggregated in one way only.
async fn aggregations(State(shared): App) -> Answer {
    shared.send((json(&serde_json::json!([]))?.into(), Encoding::Identity)).await
}
