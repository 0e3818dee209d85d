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

use crate::base::time::{Ns, total};
use crate::figures::profile::ProfileContents;
use std::ops::Range;

/// Idle time of GPUs in some iterations, given as places, in which the thread that launches is in a marker of DLProf, but in no
/// range inside it.
pub(super) fn markers_idle_ns(profile: &ProfileContents, places: &Range<usize>) -> Ns {
    let markers = profile.markers_that_hold_ranges();
    let of_markers = profile.idle_ranges_where(|range| places.contains(&range.window));
    total(of_markers.iter().filter(|range| markers.contains(&range.text)).map(|range| range.time_ns))
}
