//! A request that runs: whether it was cancelled, and how far it is.

use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Progress is told at most so often.
const BETWEEN: Duration = Duration::from_millis(500);

/// A request.
pub(super) struct Call {
    pub(super) id: Json,
    token: Option<Json>,
    is_cancelled: Arc<AtomicBool>,
    told: Mutex<(Instant, u64)>,
}

/// The requests that run, by id.
#[derive(Default)]
pub(super) struct Running(Mutex<BTreeMap<String, Arc<AtomicBool>>>);

impl Running {
    pub(super) fn begin(&self, id: &Json, token: Option<&Json>) -> Call {
        let is_cancelled = Arc::new(AtomicBool::new(false));
        self.lock().insert(id.to_string(), Arc::clone(&is_cancelled));
        Call { id: id.clone(), token: token.cloned(), is_cancelled, told: Mutex::new((Instant::now(), 0)) }
    }

    pub(super) fn cancel(&self, id: &Json) {
        self.lock().get(&id.to_string()).into_iter().for_each(|flag| flag.store(true, Ordering::SeqCst));
    }

    pub(super) fn cancel_all(&self) {
        self.lock().values().for_each(|flag| flag.store(true, Ordering::SeqCst));
    }

    pub(super) fn end(&self, call: &Call) {
        self.lock().remove(&call.id.to_string());
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Arc<AtomicBool>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Call {
    pub(super) fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::SeqCst)
    }

    /// A break where the request was cancelled.
    pub(super) fn goes_on(&self) -> ControlFlow<()> {
        if self.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// The notification that so many rows are read, of about so many: if the client asked for it, not too often, and growing.
    pub(super) fn progress(&self, done: u64, total: u64) -> Option<Json> {
        let token = self.token.as_ref()?;
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.0.elapsed() < BETWEEN || done <= told.1 {
            return None;
        }
        *told = (Instant::now(), done);
        let params = json!({"progressToken": token, "progress": done, "total": total.max(done), "message": "reading rows"});
        Some(json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}))
    }
}
