//! Two captures side by side, as `compare` has them.

use super::held_capture::HeldCapture;
use super::long_work::LongWork;
use crate::commands::one_clock::OnOneClock;
use dlprof_core::{Assumptions, ClockChoice, DefaultRange, Document, Error, RangeChoice, compare_runs};
use dlprof_export::SidesCompared;

/// The comparison as JSON, as the page takes it. Where no range was given, all iterations are compared.
pub(super) fn json(base: &HeldCapture, new: &HeldCapture, work: &LongWork) -> Result<String, Error> {
    let _running = work.begin("comparing the captures", None);
    let OnOneClock { base, new, .. } = OnOneClock::read(
        |clock| document(base, clock, work),
        |clock| document(new, clock, work),
        Document::clock,
    )?;
    let comparison = compare_runs(&base, &new, Assumptions::default());
    let shown = serde_json::to_value(SidesCompared::new(&comparison, &base, &new));
    Ok(shown.unwrap_or_default().to_string())
}

/// What is compared of a capture: on this clock, unless one was named.
fn document(capture: &HeldCapture, clock: ClockChoice, work: &LongWork) -> Result<Document, Error> {
    let clock = if capture.range.clock == ClockChoice::Auto { clock } else { capture.range.clock };
    let range = RangeChoice { otherwise: DefaultRange::All, clock, ..capture.range };
    let judged = capture.aggregate(&capture.key_node, &range, work)?;
    Ok(Document::pooled([Document::of(&judged)]))
}
