//! How far the reading of captures is, for those who do not look at the terminal.

use dlprof_core::{Stage, StageEvent};
use serde::Serialize;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// How far the reading of captures is. Any thread may ask.
#[derive(Debug)]
pub(crate) struct Reading {
    started: Instant,
    now: Mutex<Now>,
}

#[derive(Debug, Clone, Default)]
struct Now {
    what: String,
    done: u64,
    total: u64,
}

/// How far it is, at one moment.
#[derive(Debug, Serialize)]
pub(crate) struct HowFar {
    /// What is done, such as "reading run.sqlite".
    what: String,
    /// Rows read, and about how many there are; 0 where they are not counted.
    done: u64,
    total: u64,
    /// Time since the program began to read.
    running_ms: u128,
}

impl Default for Reading {
    fn default() -> Self {
        Self { started: Instant::now(), now: Mutex::default() }
    }
}

impl Reading {
    /// A stage begins, with a capture of this name.
    pub(super) fn stage(&self, name: &str, stage: Stage, event: StageEvent) {
        if event == StageEvent::Begins {
            let doing = match stage {
                Stage::Read => "reading",
                Stage::Index => "indexing",
                Stage::Aggregate | Stage::OwnRules => "aggregating",
            };
            *self.lock() = Now { what: format!("{doing} {name}"), ..Now::default() };
        }
    }

    /// How many rows are read, of about how many.
    pub(super) fn rows(&self, done: u64, total: u64) {
        let mut now = self.lock();
        (now.done, now.total) = (done, total);
    }

    /// How many captures of a job are read, of how many.
    pub(crate) fn captures(&self, done: u64, total: u64) {
        *self.lock() = Now { what: "reading the ranks".into(), done, total };
    }

    /// How far it is now.
    pub(crate) fn how_far(&self) -> HowFar {
        let Now { what, done, total } = self.lock().clone();
        HowFar { what, done, total, running_ms: self.started.elapsed().as_millis() }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
