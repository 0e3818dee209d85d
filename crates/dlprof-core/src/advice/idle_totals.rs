//! Table `idle_totals`, built here because rules know which idle time is work done once.

use super::judged::Judged;
use super::verdict::cause_in_words;
use crate::capture::classified::Cause;
use crate::figures::profile::{IdleTotal, OnceTime};
use crate::tables::RowTable;
pub(super) use crate::tables::idle_totals::TABLE;

/// Table `idle_totals` of a profile.
#[must_use]
pub(super) fn build(judged: &Judged) -> RowTable<IdleTotal> {
    let scene = judged.bare_scene();
    let places = scene.range_without_before();
    let (time, once) = (scene.sum_over(places), scene.once_in_range());
    let once_ns = |cause| match cause {
        // It names such work itself.
        Cause::Setup => time.idle.of(cause),
        cause => once.of(cause),
    };
    let of_cause = |cause| OnceTime { ns: once_ns(cause), of_ns: time.length_ns };
    crate::tables::idle_totals::build(judged, |cause| cause_in_words(judged, cause), of_cause)
}
