//! An aggregation: a range of iterations of a capture, with a key node and a clock.

use super::held_capture::HeldCapture;
use super::long_work::LongWork;
use dlprof_core::{ClockChoice, Error, Judged, KeptAggregation, KeyNodeChoice, RangeChoice};
use serde::{Deserialize, Serialize};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};

/// What a page asks for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    /// First iteration; as at the start of the server if not given.
    start: Option<u32>,
    /// Last iteration, inclusive; as at the start of the server if not given.
    stop: Option<u32>,
    /// Op name, op ID, text of a range, or `re:` and a regular expression; empty for nothing; that of the aggregation in sight if
    /// not given.
    pub(super) key_node: Option<String>,
    /// The clock; that of the aggregation in sight if not given.
    clock: Option<ClockChoice>,
}

/// An aggregation. Its profile is made when it is asked for.
#[derive(Debug)]
pub(super) struct Aggregation {
    /// The same for the same request, also in another run.
    pub(super) id: String,
    /// Place of its capture.
    pub(super) capture: usize,
    /// What was asked for, and what lists show.
    pub(super) listed: KeptAggregation,
    range: RangeChoice,
    judged: Mutex<Option<Judged>>,
}

/// An aggregation as pages see it.
#[derive(Debug, Serialize)]
pub(super) struct Listed<'a> {
    id: &'a str,
    /// Name of the capture.
    profile_name: &'a str,
    start: u32,
    stop: u32,
    /// Name of the key node; none if there is one iteration.
    key_node: Option<&'a str>,
    /// The clock in force: `cpu` or `gpu`.
    clock: &'a str,
    /// Number of iterations.
    aggregated: u32,
    /// Mean duration of an iteration.
    mean_ns: f64,
    /// Whether the request is about it.
    is_current: bool,
    /// Whether the file of the capture has changed since it was read.
    file_has_changed: bool,
}

impl Aggregation {
    /// That of a profile.
    pub(super) fn of(
        capture: usize,
        key_node: KeyNodeChoice,
        clock: ClockChoice,
        range: RangeChoice,
        judged: Judged,
    ) -> Self {
        let iterations = &judged.iterations;
        let listed = KeptAggregation {
            start: iterations.start,
            stop: iterations.stop,
            key_node,
            clock,
            key_node_name: iterations.key_node.as_ref().map(|node| node.name.clone()),
            clock_in_force: judged.summary.clock.as_str().to_owned(),
            aggregated: iterations.aggregated(),
            mean_ns: judged.summary.average_iteration_ns,
        };
        Self { id: id(capture, &listed), capture, listed, range, judged: Mutex::new(Some(judged)) }
    }

    /// One of an earlier run.
    pub(super) fn remembered(capture: usize, listed: KeptAggregation, base: &RangeChoice) -> Self {
        let range = RangeChoice {
            iter_start: Some(listed.start),
            iter_stop: Some(listed.stop),
            clock: listed.clock,
            ..*base
        };
        Self { id: id(capture, &listed), capture, listed, range, judged: Mutex::new(None) }
    }

    /// What a request changes about this aggregation.
    pub(super) fn changed(&self, request: &Request, base: &RangeChoice) -> (KeyNodeChoice, RangeChoice) {
        let key_node = match request.key_node.as_deref() {
            None => self.listed.key_node.clone(),
            Some("") => KeyNodeChoice::None,
            Some(name) => KeyNodeChoice::Named(name.to_owned()),
        };
        let clock = request.clock.unwrap_or(self.listed.clock);
        (key_node, RangeChoice { iter_start: request.start, iter_stop: request.stop, clock, ..*base })
    }

    /// The judged profile of the aggregation, made at the first call. Other threads wait while it is made.
    ///
    /// # Errors
    /// If the key node never ran, or there is no such range.
    pub(super) fn judged(&self, capture: &HeldCapture, work: &LongWork) -> Result<Judged, Error> {
        let mut judged = self.judged.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(judged) = &*judged {
            return Ok(judged.clone());
        }
        let made = capture.aggregate(&self.listed.key_node, &self.range, work)?;
        *judged = Some(made.clone());
        Ok(made)
    }

    /// Drops the profile, if it is not being made. It is made again when it is asked for.
    pub(super) fn forget_profile(&self) {
        if let Ok(mut judged) = self.judged.try_lock() {
            *judged = None;
        }
    }

    /// The aggregation as pages see it.
    pub(super) fn listed<'a>(&'a self, capture: &'a HeldCapture, current: &str) -> Listed<'a> {
        Listed {
            id: &self.id,
            profile_name: &capture.name,
            start: self.listed.start,
            stop: self.listed.stop,
            key_node: self.listed.key_node_name.as_deref(),
            clock: &self.listed.clock_in_force,
            aggregated: self.listed.aggregated,
            mean_ns: self.listed.mean_ns,
            is_current: self.id == current,
            file_has_changed: capture.stamp.has_changed(),
        }
    }
}

/// A name that fits into an address: capture, range, and a checksum of key node and clock.
fn id(capture: usize, listed: &KeptAggregation) -> String {
    let mut hasher = DefaultHasher::new();
    (&listed.key_node, listed.clock).hash(&mut hasher);
    format!("{capture}.{}-{}.{:08x}", listed.start, listed.stop, hasher.finish() >> 32)
}
