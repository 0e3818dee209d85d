//! A bound for what all answers together hold in memory while their clients take them.

use super::refusal::Refusal;
use axum::body::Bytes;
use axum::http::StatusCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Bytes are counted in pieces of this size.
const PIECE: usize = 4 << 10;

/// All answers that are being sent have together at most so many pieces; one that has more is sent alone.
const MOST_PIECES: u32 = 1 << 16;

/// An answer waits so long for others to be taken.
const PATIENCE: Duration = Duration::from_secs(60);

/// Room for answers that are being sent.
#[derive(Debug, Clone)]
pub(super) struct Unsent(Arc<Semaphore>);

impl Default for Unsent {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(usize::try_from(MOST_PIECES).unwrap_or(usize::MAX >> 3))))
    }
}

impl Unsent {
    /// The bytes of an answer, once there is room for them. The room is free again when the last of them is sent or given up.
    pub(super) async fn hold(&self, bytes: Bytes) -> Result<Bytes, Refusal> {
        let pieces = u32::try_from(bytes.len().div_ceil(PIECE)).unwrap_or(MOST_PIECES).min(MOST_PIECES);
        let room = timeout(PATIENCE, Arc::clone(&self.0).acquire_many_owned(pieces)).await;
        let room = room.ok().and_then(Result::ok).ok_or_else(|| {
            Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "too many answers are being sent", "try again")
        })?;
        Ok(Bytes::from_owner(Held { bytes, _room: room }))
    }
}

/// Bytes with their room.
struct Held {
    bytes: Bytes,
    _room: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_waits_until_those_before_it_are_sent() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        runtime.block_on(async {
            let unsent = Unsent::default();
            let large = || Bytes::from(vec![0; (PIECE << 16) / 2]);
            let (first, second) = (unsent.hold(large()).await, unsent.hold(large()).await);
            let (first, _second) = (first.expect("room"), second.expect("room"));
            let third = unsent.hold(Bytes::from_static(b"small"));
            tokio::pin!(third);
            assert!(timeout(Duration::ZERO, &mut third).await.is_err(), "it is not sent beyond the bound");
            drop(first);
            assert_eq!(third.await.expect("room"), "small");
        });
    }
}
