//! What every part of a digest is made of.

use crate::base::ids::{DeviceId, Maybe, ProcessId};
use crate::base::time::Span;
use crate::capture::Capture;
use crate::capture::classified::Classified;
use crate::read::facts::JobFacts;

/// A process of a capture on one GPU, and its items by start, end and table.
pub(super) struct Unit {
    pub(super) process: Maybe<ProcessId>,
    pub(super) device: DeviceId,
    pub(super) items: Vec<usize>,
}

/// What every part of a digest is made of.
pub(super) struct Source<'a> {
    pub(super) capture: &'a Capture,
    pub(super) classified: &'a Classified<'a>,
    pub(super) job: &'a JobFacts,
}

impl Source<'_> {
    /// When an item ran.
    pub(super) fn span(&self, item: usize) -> Span {
        self.classified.activity().work.span[item]
    }
}
