//! What is shown while a capture is opened: a bar while it is read, a line about each stage that takes long, and with `-vv` how
//! long each of them took.

use crate::console::progress::{Progress, Waiting};
use crate::console::{self, Verbosity};
use dlprof_core::{Origin, Stage, StageEvent};
use std::cell::RefCell;
use std::time::Instant;

/// The stage that is running.
pub(crate) struct Stages<'a> {
    verbosity: Verbosity,
    shows_progress: bool,
    /// The bar of reading.
    rows: &'a Progress,
    running: RefCell<Option<(Instant, Option<Waiting>)>>,
}

impl<'a> Stages<'a> {
    pub(crate) fn new(verbosity: Verbosity, shows_progress: bool, rows: &'a Progress) -> Self {
        Self { verbosity, shows_progress, rows, running: RefCell::default() }
    }

    /// Shows that a stage begins, or that it has ended.
    pub(crate) fn show(&self, stage: Stage, event: StageEvent) {
        let running = self.running.take();
        match event {
            StageEvent::Begins => {
                let waiting = doing(stage).map(|doing| Waiting::new(self.shows_progress, doing));
                self.running.replace(Some((Instant::now(), waiting)));
            }
            StageEvent::Ended(origin) => {
                self.rows.finish();
                if let Some((started, waiting)) = running {
                    drop(waiting);
                    console::print_stage(self.verbosity, done(stage, origin), started.elapsed());
                }
            }
        }
    }
}

/// What is said while a stage runs; none if it has a bar.
fn doing(stage: Stage) -> Option<&'static str> {
    match stage {
        Stage::Index => Some("indexing"),
        Stage::Aggregate => Some("aggregating"),
        Stage::Read | Stage::OwnRules => None,
    }
}

/// What was done.
fn done(stage: Stage, origin: Origin) -> &'static str {
    match (stage, origin) {
        (Stage::Read, Origin::Made) => "read and correlate",
        (Stage::Read, Origin::MadeAndKept) => "read and correlate, and keep the capture",
        (Stage::Read, Origin::Kept) => "read the capture from the cache",
        (Stage::Index, Origin::Made) => "index",
        (Stage::Index, Origin::MadeAndKept) => "index, and keep it",
        (Stage::Index, Origin::Kept) => "read the index from the cache",
        (Stage::Aggregate, _) => "profile",
        (Stage::OwnRules, _) => "own rules",
    }
}
