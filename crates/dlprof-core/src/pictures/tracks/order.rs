//! The order of pieces. It depends on what they are, never on the order of rows.

use super::{TrackPiece, TrackWork, Tracks};
use crate::base::ids::WorkId;
use crate::read::facts::WorkKind;
use std::cmp::{Ordering, Reverse};

impl Tracks<'_> {
    /// By start, the longest first, then by track, then by content.
    pub(super) fn compare(&self, a: &TrackPiece, b: &TrackPiece) -> Ordering {
        let key =
            |piece: &TrackPiece| (piece.span.start, Reverse(piece.span.end), piece.track, rank(piece.what));
        key(a).cmp(&key(b)).then_with(|| self.compare_content(a, b))
    }

    fn compare_content(&self, a: &TrackPiece, b: &TrackPiece) -> Ordering {
        let by_name = self.name(a).cmp(&self.name(b));
        by_name.then_with(|| match (a.what, b.what) {
            (TrackWork::Work { work: a, .. }, TrackWork::Work { work: b, .. }) => self.compare_work(a, b),
            (TrackWork::OpCall(a), TrackWork::OpCall(b)) => {
                let op = |call| self.profile.op_id(self.profile.index.calls.op[call]);
                op(a).cmp(op(b))
            }
            _ => Ordering::Equal,
        })
    }

    fn compare_work(&self, a: WorkId, b: WorkId) -> Ordering {
        let (profile, capture) = (self.profile, &self.profile.capture);
        let kernel = |work: WorkId| {
            let is_kernel = capture.work_kind(work) == WorkKind::Kernel;
            is_kernel.then(|| {
                let name = capture.strings.get(capture.kernels.long_name[work]);
                (
                    name,
                    capture.launch_config(work),
                    capture.judged.tensor_cores[work],
                    capture.kernels.graph[work],
                )
            })
        };
        let transfer = |work: WorkId| {
            let copy = work.index().wrapping_sub(capture.kernels.short_name.len());
            let copies = &capture.copies;
            let memory = (copies.source_memory.get(copy), copies.target_memory.get(copy));
            (memory, capture.transfers.bytes.get(copy))
        };
        let owner = |work: WorkId| {
            let call = self.owner[work.index()].some();
            call.map(|call| {
                (profile.op_id(profile.index.calls.op[call]), profile.index.calls.iteration[call])
            })
        };
        let launch = |work: WorkId| {
            let call = capture.launches.api[work].some();
            call.map(|call| (capture.api_calls.span[call], capture.api_calls.thread[call]))
        };
        kernel(a)
            .cmp(&kernel(b))
            .then_with(|| transfer(a).cmp(&transfer(b)))
            .then_with(|| owner(a).cmp(&owner(b)))
            .then_with(|| launch(a).cmp(&launch(b)))
    }
}

/// Of pieces with equal times on a track the outer ones first.
fn rank(what: TrackWork) -> u8 {
    match what {
        TrackWork::Iteration(_) => 0,
        TrackWork::OpCall(_) => 1,
        TrackWork::Range { .. } => 2,
        TrackWork::MpiCall(_) => 3,
        TrackWork::Overhead(_) => 4,
        TrackWork::ApiCall(_) => 5,
        TrackWork::OsCall(_) => 6,
        TrackWork::Work { .. } => 7,
    }
}
