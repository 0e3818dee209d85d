//! GPU work to the API call that launched it.
//!
//! ```text
//! thread   ──┤cudaLaunchKernel, id 7├────────┤cudaMemcpyAsync, id 8├──
//!                     ╲ (process, id)                    ╲
//! stream   ────────────╲─┤ kernel 7 ├─────────────────────╲─┤ copy 8 ├──
//! ```
//!
//! A correlation id is unique only within a process, so the key is the pair.

use crate::by_id::{ById, IdRange};
use crate::diagnostics::{Code, Diagnostics};
use crate::ids::{ApiCallId, ProcessId};
use crate::trace::{CorrelationId, NO_CORRELATION, Trace, WorkKind};

/// What an API call did. Where an id stands in several tables, the greatest kind wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
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

impl From<WorkKind> for ApiKind {
    fn from(kind: WorkKind) -> Self {
        match kind {
            WorkKind::Kernel => Self::Kernel,
            WorkKind::Copy => Self::Copy,
            WorkKind::Memset => Self::Memset,
        }
    }
}

/// Which API call launched what.
#[derive(Debug, Default)]
pub struct Launches {
    /// By API call: what it did.
    pub api_kind: Vec<ApiKind>,
    /// By piece of GPU work: its API call, or none.
    pub work_api: Vec<ApiCallId>,
}

/// Joins GPU work and synchronisations with API calls.
pub(super) fn join(trace: &Trace, diagnostics: &mut Diagnostics) -> Launches {
    let index = Index::new(trace, diagnostics);
    let mut api_kind = vec![ApiKind::Plain; trace.api_calls.len()];
    let work = &trace.gpu_work;
    let mut work_api = Vec::with_capacity(work.len());
    for id in work.ids() {
        let api = index.find(work.process[id.index()], work.correlation[id.index()]);
        if let Some(kind) = api_kind.get_mut(api.index()) {
            *kind = (*kind).max(work.kind(id).into());
        }
        work_api.push(api);
    }
    for (&process, &correlation) in trace.syncs.process.iter().zip(&trace.syncs.correlation) {
        if let Some(kind) = api_kind.get_mut(index.find(process, correlation).index()) {
            *kind = (*kind).max(ApiKind::Sync);
        }
    }
    note_unjoined(trace, &work_api, &index, diagnostics);
    Launches { api_kind, work_api }
}

fn note_unjoined(trace: &Trace, work_api: &[ApiCallId], index: &Index, diagnostics: &mut Diagnostics) {
    let work = &trace.gpu_work;
    for id in work.ids().filter(|id| work_api[id.index()].is_none()) {
        let at = || {
            let span = work.span[id.index()];
            let device = trace.devices[work.device[id.index()].index()].device_id;
            format!("{:?} on device {device} at {} ns", work.kind(id), span.start)
        };
        diagnostics.count(Code::UnlaunchedWork, at);
        if work.process[id.index()].is_none() && index.only_process.is_none() {
            diagnostics.count(Code::ProcessUnknown, at);
        }
    }
}

/// API calls by (process, correlation id).
struct Index {
    /// By correlation id.
    by_process: Vec<ById<ApiCallId>>,
    /// The process, if API calls come from just one: stands in where a table does not name any.
    only_process: Option<ProcessId>,
}

impl Index {
    fn new(trace: &Trace, diagnostics: &mut Diagnostics) -> Self {
        let calls = &trace.api_calls;
        let process_of = |call: ApiCallId| {
            calls.thread[call.index()]
                .some()
                .map_or(ProcessId::NONE, |thread| trace.threads[thread.index()].process)
        };
        let mut ranges = vec![IdRange::default(); trace.processes.len()];
        for call in calls.ids() {
            let correlation = calls.correlation[call.index()];
            if let Some(range) = ranges.get_mut(process_of(call).index())
                && correlation != NO_CORRELATION
            {
                range.add(correlation);
            }
        }
        let mut index = Self {
            only_process: only(ranges.iter().enumerate().filter(|(_, range)| range.count > 0)),
            by_process: ranges.iter().map(|range| ById::new(range, ApiCallId::NONE)).collect(),
        };
        for call in calls.ids() {
            let correlation = calls.correlation[call.index()];
            let process = process_of(call);
            if correlation == NO_CORRELATION || process.is_none() {
                continue;
            }
            let slot = index.by_process[process.index()].slot(correlation);
            let order = |call: ApiCallId| (calls.span[call.index()], calls.thread[call.index()]);
            if slot.is_none() {
                *slot = call;
            } else {
                if order(call) < order(*slot) {
                    *slot = call;
                }
                let pid = trace.processes[process.index()].pid();
                diagnostics.count(Code::DuplicateCorrelation, || {
                    format!("correlation id {correlation}, process {pid}")
                });
            }
        }
        index
    }

    fn find(&self, process: ProcessId, correlation: CorrelationId) -> ApiCallId {
        if correlation == NO_CORRELATION {
            return ApiCallId::NONE;
        }
        let process = process.some().or(self.only_process);
        process.map_or(ApiCallId::NONE, |process| self.by_process[process.index()].find(correlation))
    }
}

fn only<'a>(mut with_calls: impl Iterator<Item = (usize, &'a IdRange)>) -> Option<ProcessId> {
    let (first, _) = with_calls.next()?;
    with_calls.next().is_none().then(|| ProcessId::new(first))
}
