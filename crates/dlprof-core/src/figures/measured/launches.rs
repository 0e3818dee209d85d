//! The kernels of the aggregated iterations, each with its op.

use crate::base::ids::{OpId, WorkId};
use crate::figures::profile::ProfileContents;
use crate::read::facts::WorkKind;
use std::borrow::Cow;

/// Every kernel launch of a range, in the order of iterations and calls.
pub(super) fn launches(profile: &ProfileContents) -> Vec<(OpId, WorkId)> {
    let index = &profile.index;
    let launching = index.launching();
    let mut launches = Vec::new();
    for part in index.blocks.parts(profile.iterations.range()) {
        let calls = index.blocks.calls(part.clone(), &index.calls.iteration);
        for (at, iteration) in part.enumerate() {
            let own = calls.get(at).iter().map(|&call| (call, launching.own(call)));
            let spilled = launching.spilled(iteration).map(|(call, work)| (call, Cow::Borrowed(work)));
            for (call, work) in own.chain(spilled) {
                let op = index.calls.op[call];
                let kernels = work.iter().filter(|id| index.capture.work_kind(**id) == WorkKind::Kernel);
                launches.extend(kernels.map(|&kernel| (op, kernel)));
            }
        }
    }
    launches
}
