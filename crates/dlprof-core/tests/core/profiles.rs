//! Profiles as a user asks for them first.

use dlprof_core::{Capture, Judged, KeyNodeChoice, RangeChoice};

/// The profile of a capture, with the key node found and all iterations aggregated.
pub(crate) fn profile_of(capture: &Capture) -> Judged {
    let index = capture.index(&KeyNodeChoice::Find).expect("the finder asks for nothing impossible");
    index.profile(&RangeChoice::default()).expect("all iterations exist").into()
}
