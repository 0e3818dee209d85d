//! The iterations that a DLProf database holds. They are in force unless a key node is asked for.

use super::key_node::{self, Found, KeyNode};
use super::{Iterations, found};
use crate::base::ids::Maybe;
use crate::base::time::{Ns, Span};
use crate::capture::Capture;
use crate::read::facts::StoredAggregation;

/// The iterations of the newest aggregation of a database; none of an export, or if the database does not say. What else may
/// delimit iterations is listed with them.
pub(super) fn of(capture: &Capture) -> Option<Iterations> {
    let stored = capture.description.dlprof.as_ref()?.aggregation.as_ref()?;
    let [_, inner @ .., end] = &stored.boundaries[..] else { return None };
    let key_node = key_node(capture, stored, inner, *end);
    if key_node.is_none() && !inner.is_empty() {
        // Nothing ran, so nothing is in the iterations.
        return None;
    }
    Some(Iterations {
        boundaries: stored.boundaries.clone(),
        outside: outside(capture, inner),
        candidates: found::find(capture, None).candidates,
        stored_range: stored.range,
        last_end: *end,
        ..Iterations::of_key_node(Span { start: 0, end: *end }, key_node)
    })
}

/// What the boundaries say: DLProf counts what follows the last iteration even if nothing happens in it.
fn outside(capture: &Capture, inner: &[Ns]) -> Vec<bool> {
    let mut outside = vec![false; inner.len() + 1];
    let is_after = |last: Ns| capture.op_calls.span.iter().all(|span| span.start < last);
    if let (Some(is_outside), Some(&last)) = (outside.last_mut(), inner.last()) {
        *is_outside = is_after(last);
    }
    outside
}

/// The key node with the boundaries of the database; none if there is only one iteration.
fn key_node(capture: &Capture, stored: &StoredAggregation, inner: &[Ns], end: Ns) -> Option<KeyNode> {
    if inner.is_empty() || capture.threads.is_empty() {
        return None;
    }
    let known = key_node::find(capture, &stored.key_node).ok();
    let known = known.unwrap_or_else(|| KeyNode {
        name: String::new(),
        thread: Maybe::NONE,
        starts: Vec::new(),
        last_end: end,
        executions_elsewhere: 0,
        by_process: Vec::new(),
        found: Found::ByUser,
        is_launches: false,
    });
    Some(KeyNode { name: stored.key_node.clone(), starts: inner.to_vec(), ..known })
}
