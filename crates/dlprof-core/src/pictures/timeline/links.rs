//! Which call launched what.

use super::lane::{Draft, LaneKind};
use crate::base::ids::WorkId;
use crate::capture::CaptureContents;
use rustc_hash::FxHashMap;
use serde::Serialize;

/// A call and a piece of GPU work that it launched: places of lanes, and of items in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(into = "[usize; 4]")]
pub struct LaneLink {
    /// The lane of the call.
    pub call_lane: usize,
    /// The call in it.
    pub call: usize,
    /// The lane of the work.
    pub work_lane: usize,
    /// The work in it.
    pub work: usize,
}

impl From<LaneLink> for [usize; 4] {
    fn from(link: LaneLink) -> Self {
        [link.call_lane, link.call, link.work_lane, link.work]
    }
}

/// All links between items of lanes, in order of the work.
pub(super) fn links(capture: &CaptureContents, lanes: &[Draft]) -> Vec<LaneLink> {
    let of_kind = |kind: LaneKind| lanes.iter().enumerate().filter(move |(_, lane)| lane.kind == kind);
    let mut calls = FxHashMap::default();
    for (lane, draft) in of_kind(LaneKind::ApiCalls) {
        calls.extend(draft.rows.iter().enumerate().map(|(at, &row)| (row, (lane, at))));
    }
    let mut links = Vec::new();
    for (work_lane, draft) in of_kind(LaneKind::Stream) {
        for (work, &row) in draft.rows.iter().enumerate() {
            let call =
                capture.launches.api[WorkId::new(row)].some().and_then(|call| calls.get(&call.index()));
            links.extend(call.map(|&(call_lane, call)| LaneLink { call_lane, call, work_lane, work }));
        }
    }
    links
}
