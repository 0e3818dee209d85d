//! GPU work to the API call that launched it.
//!
//! ```text
//! thread   ──┤cudaLaunchKernel, id 7├────────┤cudaMemcpyAsync, id 8├──
//!                     ╲ (process, id)                    ╲
//! stream   ────────────╲─┤ kernel 7 ├─────────────────────╲─┤ copy 8 ├──
//! ```
//!
//! A correlation id is unique only within a process, so the key is the pair.

use crate::base::by_id::{ById, IdRange};
use crate::base::diagnostics::{DiagnosticCode, Diagnostics};
use crate::base::ids::{self, ApiCallId, Maybe, ProcessId, WorkId};
use crate::capture::{Launches, LaunchesBuilder, Waits, WaitsBuilder};
use crate::columns::{Buffer, cells_of_bytes};
use crate::read::facts::{CorrelationId, Facts, NO_CORRELATION, WorkKind};
use bytemuck::{CheckedBitPattern, NoUninit};

/// What an API call did. Where an id stands in several tables, the greatest kind wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, NoUninit, CheckedBitPattern)]
#[repr(u8)]
pub enum ApiKind {
    /// Neither GPU work nor waiting.
    #[default]
    Plain,
    /// It waited, or made a stream wait.
    Sync,
    /// It filled memory.
    Memset,
    /// It copied memory.
    Copy,
    /// It launched a kernel.
    Kernel,
}

cells_of_bytes! { ApiKind }

impl From<WorkKind> for ApiKind {
    fn from(kind: WorkKind) -> Self {
        match kind {
            WorkKind::Kernel => Self::Kernel,
            WorkKind::Copy => Self::Copy,
            WorkKind::Memset => Self::Memset,
        }
    }
}

/// Which API call did what.
pub(super) struct Joined {
    /// By API call: what it did.
    pub(super) api_kind: Buffer<ApiKind>,
    /// Which launched GPU work.
    pub(super) launches: Launches,
    /// Which waited.
    pub(super) waits: Waits,
}

/// Joins GPU work and synchronisations with API calls.
pub(super) fn join(facts: &Facts, diagnostics: &mut Diagnostics) -> Joined {
    let index = CorrelationIndex::new(facts, diagnostics);
    let memory = &facts.memory;
    let mut api_kind = memory.filled(facts.api_calls.span.len(), ApiKind::Plain);
    let work = &facts.work;
    let mut launches = LaunchesBuilder::new(memory, work.len());
    for id in facts.work_ids() {
        let api = index.find(work.process[id], work.correlation[id]);
        if let Some(api) = api.some() {
            let kind = &mut api_kind[api.index()];
            *kind = (*kind).max(facts.work_kind(id).into());
        }
        launches.api.push(api);
    }
    let syncs = &facts.keys.syncs;
    let mut waits = WaitsBuilder::new(memory, syncs.process.len());
    for (&process, &correlation) in syncs.process.iter().zip(&syncs.correlation) {
        let api = index.find(process, correlation);
        if let Some(api) = api.some() {
            let kind = &mut api_kind[api.index()];
            *kind = (*kind).max(ApiKind::Sync);
        }
        waits.api.push(api);
    }
    note_unjoined(facts, &launches.api, &index, diagnostics);
    note_without_thread(facts, diagnostics);
    Joined { api_kind, launches: launches.finish(), waits: waits.finish() }
}

fn note_unjoined(
    facts: &Facts,
    work_api: &[Maybe<ApiCallId>],
    index: &CorrelationIndex,
    diagnostics: &mut Diagnostics,
) {
    let work = &facts.work;
    // Nobody calls for a migration of unified memory.
    let lacks_call = |id: &WorkId| work_api[id.index()].is_none() && !facts.is_migration(*id);
    for id in facts.work_ids().filter(lacks_call) {
        let at = || {
            let span = work.span[id];
            let device = facts.devices[work.device[id].index()].device_id;
            format!("{:?} on device {device} at {} ns", facts.work_kind(id), span.start)
        };
        diagnostics.count(DiagnosticCode::UnlaunchedWork, at);
        if work.process[id].is_none() && index.only_process.is_none() && facts.processes.len() > 1 {
            diagnostics.count(DiagnosticCode::ProcessUnknown, at);
        }
    }
}

/// Calls without a thread have no process either, so no work finds them.
fn note_without_thread(facts: &Facts, diagnostics: &mut Diagnostics) {
    let calls = &facts.api_calls;
    for call in ids::all::<ApiCallId>(calls.len()).filter(|&call| calls.thread[call].is_none()) {
        diagnostics.count(DiagnosticCode::ThreadUnknown, || {
            format!("`{}` at {} ns", facts.strings.get(calls.name[call]), calls.span[call].start)
        });
    }
}

/// API calls by (process, correlation id).
struct CorrelationIndex {
    /// By correlation id.
    by_process: Vec<ById<Maybe<ApiCallId>>>,
    /// The process, if API calls come from just one: stands in where a table does not name any.
    only_process: Option<ProcessId>,
}

impl CorrelationIndex {
    fn new(facts: &Facts, diagnostics: &mut Diagnostics) -> Self {
        let memory = &facts.memory;
        let calls = &facts.api_calls;
        let process_of = |call| facts.process_of_call(call);
        let mut ranges = vec![IdRange::default(); facts.processes.len()];
        for call in ids::all::<ApiCallId>(calls.span.len()) {
            let correlation = facts.keys.api_calls[call];
            if let Some(process) = process_of(call)
                && correlation != NO_CORRELATION
            {
                ranges[process.index()].add(correlation);
            }
        }
        let mut index = Self {
            only_process: only(ranges.iter().enumerate().filter(|(_, range)| range.count > 0)),
            by_process: ranges.iter().map(|range| ById::new(memory, range, Maybe::NONE)).collect(),
        };
        for call in ids::all::<ApiCallId>(calls.span.len()) {
            let correlation = facts.keys.api_calls[call];
            let Some(process) = process_of(call).filter(|_| correlation != NO_CORRELATION) else { continue };
            let slot = index.by_process[process.index()].slot(correlation);
            let order = |call: ApiCallId| (calls.span[call], calls.thread[call]);
            let Some(held) = slot.some() else {
                *slot = call.into();
                continue;
            };
            if order(call) < order(held) {
                *slot = call.into();
            }
            // A row that holds the backtrace of a call repeats it, and is no other call.
            if facts.repeated_calls.counted(call) != facts.repeated_calls.counted(held) {
                let pid = facts.processes[process.index()].pid();
                diagnostics.count(DiagnosticCode::DuplicateCorrelation, || {
                    format!("correlation id {correlation}, process {pid}")
                });
            }
        }
        index
    }

    fn find(&self, process: Maybe<ProcessId>, correlation: CorrelationId) -> Maybe<ApiCallId> {
        if correlation == NO_CORRELATION {
            return Maybe::NONE;
        }
        let process = process.some().or(self.only_process);
        process.map_or(Maybe::NONE, |process| self.by_process[process.index()].find(correlation))
    }
}

fn only<'a>(mut with_calls: impl Iterator<Item = (usize, &'a IdRange)>) -> Option<ProcessId> {
    let (first, _) = with_calls.next()?;
    with_calls.next().is_none().then(|| ProcessId::new(first))
}

#[cfg(test)]
mod tests;
