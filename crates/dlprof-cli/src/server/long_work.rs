//! What is being computed, so that a page can show that something happens.

use serde::Serialize;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What takes less time than this is not shown.
const PATIENCE: Duration = Duration::from_millis(250);

/// What is being computed.
#[derive(Debug, Default)]
pub(super) struct LongWork {
    tasks: Mutex<Vec<Task>>,
}

#[derive(Debug)]
struct Task {
    what: String,
    started: Instant,
    usual: Option<Duration>,
}

/// A task while it runs.
#[derive(Debug)]
pub(super) struct Running<'a> {
    work: &'a LongWork,
    started: Instant,
}

/// A task as pages see it.
#[derive(Debug, Serialize)]
pub(super) struct Shown {
    /// What is done, in a few words.
    what: String,
    /// How long it has been running.
    running_ms: u128,
    /// How long the same took last time; none if it was never done.
    usual_ms: Option<u128>,
}

impl LongWork {
    /// Begins a task, which ends when the value is dropped.
    pub(super) fn begin(&self, what: impl Into<String>, usual: Option<Duration>) -> Running<'_> {
        let started = Instant::now();
        let task = Task { what: what.into(), started, usual };
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner).push(task);
        Running { work: self, started }
    }

    /// The tasks that have been running for some time, the oldest first.
    pub(super) fn shown(&self) -> Vec<Shown> {
        let tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        let shown = |task: &Task| Shown {
            what: task.what.clone(),
            running_ms: task.started.elapsed().as_millis(),
            usual_ms: task.usual.map(|usual| usual.as_millis()),
        };
        tasks.iter().filter(|task| task.started.elapsed() > PATIENCE).map(shown).collect()
    }
}

impl Running<'_> {
    /// How long it has been running.
    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let mut tasks = self.work.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = tasks.iter().position(|task| task.started == self.started) {
            tasks.remove(at);
        }
    }
}
