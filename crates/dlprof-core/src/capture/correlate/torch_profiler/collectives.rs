//! Which collective kernels are part of.

use crate::base::ids::{ApiCallId, WorkId};
use crate::capture::Launches;
use crate::columns::Memory;
use crate::read::facts::{CollectiveFacts, CollectiveFactsBuilder, RecordedTables};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The kernels that say it themselves, and those of calls inside a range that does.
pub(in crate::capture::correlate) fn described_kernels(
    memory: &Memory,
    recorded: &RecordedTables,
    launches: &Launches,
    of_calls: Vec<(ApiCallId, u32)>,
) -> CollectiveFacts {
    let said = &recorded.collectives;
    if of_calls.is_empty() {
        return said.clone();
    }
    let of_calls: FxHashMap<ApiCallId, u32> = of_calls.into_iter().collect();
    let of_kernel = |kernel: WorkId| Some((kernel, *of_calls.get(launches.api[kernel].some().as_ref()?)?));
    let kernels = crate::base::ids::all::<WorkId>(recorded.kernels.len());
    let mut all: BTreeMap<WorkId, u32> = kernels.filter_map(of_kernel).collect();
    all.extend(said.work.iter().copied().zip(said.collective.iter().copied()));
    let mut builder = CollectiveFactsBuilder::new(memory, all.len());
    for (work, collective) in all {
        builder.work.push(work);
        builder.collective.push(collective);
    }
    builder.finish()
}
