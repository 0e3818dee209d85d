//! What all requests share: the captures, turns to compute, and the form of answers.

use super::aggregation::Aggregation;
use super::encoding::Encoding;
use super::held::Held;
use super::kept_answers::Encoded;
use super::question::Parameters;
use super::refusal::Refusal;
use super::unsent::Unsent;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use dlprof_core::Judged;
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// A request waits so long for its turn.
const QUEUE_PATIENCE: Duration = Duration::from_secs(60);

/// Files written at a time.
const MOST_DOWNLOADS: usize = 2;

/// What all requests share: what is held, captures or a job, and turns.
#[derive(Debug)]
pub(super) struct Shared<H = Held> {
    pub(super) held: H,
    /// Turns to compute.
    turns: Semaphore,
    /// Turns to write files.
    downloads: Arc<Semaphore>,
    /// Room for answers that are being sent.
    unsent: Unsent,
}

pub(super) type Answer = Result<Response, Refusal>;
pub(super) type App = State<Arc<Shared>>;

impl<H: Send + Sync + 'static> Shared<H> {
    pub(super) fn new(held: H, turns: usize) -> Self {
        let downloads = Arc::new(Semaphore::new(MOST_DOWNLOADS));
        Self { held, turns: Semaphore::new(turns), downloads, unsent: Unsent::default() }
    }

    /// Runs what takes time on another thread, when it is its turn.
    pub(super) async fn run<T: Send + 'static>(
        self: Arc<Self>,
        work: impl FnOnce(&Self) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let _turn = self.turn().await?;
        Arc::clone(&self).compute(work).await
    }

    /// Makes an answer when it is its turn. The turn ends when there is room to send the answer, so that no more answers wait for
    /// room than there are turns.
    pub(super) async fn respond(
        self: Arc<Self>,
        work: impl FnOnce(&Self) -> Result<Encoded, Refusal> + Send + 'static,
    ) -> Answer {
        let _turn = self.turn().await?;
        let encoded = Arc::clone(&self).compute(work).await?;
        self.send(encoded).await
    }

    /// Sends an answer once there is room for it.
    pub(super) async fn send(&self, (bytes, encoding): Encoded) -> Answer {
        let bytes = self.unsent.hold(bytes).await?;
        let mut response = ([(header::CONTENT_TYPE, "application/json")], bytes).into_response();
        encoding.say(response.headers_mut());
        Ok(response)
    }

    async fn turn(&self) -> Result<SemaphorePermit<'_>, Refusal> {
        let turn = timeout(QUEUE_PATIENCE, self.turns.acquire()).await;
        turn.ok().and_then(Result::ok).ok_or_else(|| {
            Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "too many requests wait", "try again")
        })
    }

    async fn compute<T: Send + 'static>(
        self: Arc<Self>,
        work: impl FnOnce(&Self) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let done = spawn_blocking(move || work(&self)).await;
        done.unwrap_or_else(|error| Err(Refusal::internal(format!("the answer failed: {error}"))))
    }

    /// Waits for a turn to write a file.
    pub(super) async fn download_turn(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        let turn = timeout(QUEUE_PATIENCE, Arc::clone(&self.downloads).acquire_owned()).await;
        turn.ok().and_then(Result::ok).ok_or_else(|| {
            Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "too many files are being written", "try again")
        })
    }
}

impl Shared {
    /// An answer about an aggregation, which is kept.
    pub(super) async fn answer(
        self: Arc<Self>,
        uri: Uri,
        headers: HeaderMap,
        make: impl FnOnce(&Self, &Aggregation, &Judged) -> Result<Vec<u8>, Refusal> + Send + 'static,
    ) -> Answer {
        let parameters = Parameters::of(&uri)?;
        let aggregation = self.held.aggregation(parameters.aggregation.as_deref())?;
        let encoding = Encoding::of(&headers);
        let search = &parameters.table.search;
        let name = format!("{} {} {} {search}", aggregation.id, encoding.as_str(), uri.path());
        if let Some(kept) = self.held.answers.get(&name) {
            return self.send(kept).await;
        }
        self.respond(move |shared| {
            let judged = shared.held.judged(&aggregation)?;
            let answer = encoding.encode(make(shared, &aggregation, &judged)?);
            shared.held.answers.keep(name, &answer);
            Ok(answer)
        })
        .await
    }
}

pub(super) fn json(value: &impl Serialize) -> Result<Vec<u8>, Refusal> {
    serde_json::to_vec(value).map_err(|error| Refusal::internal(error.to_string()))
}
