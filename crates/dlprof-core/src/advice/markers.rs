//! What DLProf's own markers cost the program.
//!
//! ```text
//! thread    ├─ marker of relu ────────────────────────────┤
//!              ├─ marker of has_torch_function ─┤ ├ aten::relu ┤
//! markers   ███                                  █              the GPU idles meanwhile
//! ```
//!
//! A marker is a text of the call stack and of all arguments, which Python puts together for every call. Time inside a marker that
//! holds other ranges, but outside of these, belongs to markers; a marker that holds none is open while the op itself runs.

use crate::base::ids::StrId;
use crate::base::time::{Ns, Span, total};
use crate::capture::classified::Classified;
use crate::capture::correlate::Mode;
use crate::figures::profile::ProfileContents;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;

/// Idle time of GPUs in some iterations, given as places, in which the thread that launches is in a marker of DLProf, but in no
/// range inside it.
pub(super) fn markers_idle_ns(
    profile: &ProfileContents,
    facts: &Classified<'_>,
    places: &Range<usize>,
) -> Ns {
    if profile.capture.description.mode != Mode::PytorchMarkers {
        return 0;
    }
    let markers = markers_that_hold_ranges(profile, facts);
    let of_markers = profile.idle_ranges_where(|range| places.contains(&range.window));
    total(of_markers.iter().filter(|range| markers.contains(&range.text)).map(|range| range.time_ns))
}

/// Texts of markers inside which another range begins.
fn markers_that_hold_ranges(profile: &ProfileContents, facts: &Classified<'_>) -> BTreeSet<StrId> {
    let ranges = &facts.activity().ranges;
    let is_marker = |text: &StrId| profile.capture.strings.get(*text).starts_with('{');
    let mut found = BTreeSet::new();
    for thread in &ranges.by_thread {
        let mut rows: Vec<(Span, StrId)> = thread
            .span
            .iter()
            .zip(&thread.text)
            .map(|(&span, label)| (span, ranges.texts[label.index()].text))
            .collect();
        rows.sort_unstable_by_key(|&(span, text)| (span.start, Reverse(span.end), text));
        let holds = |pair: &&[(Span, StrId)]| pair[1].0.start < pair[0].0.end;
        found.extend(rows.windows(2).filter(holds).map(|pair| pair[0].1).filter(is_marker));
    }
    found
}
