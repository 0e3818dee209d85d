//! What the host did around the kernels of a process.

use super::input::FinderInput;
use crate::base::ids::{ProcessId, StrId};
use crate::base::time::{Ns, Span};
use crate::columns::PerText;

/// Directions of copies, as CUPTI numbers them: to the host from the device and from an array.
const TO_HOST: [u8; 2] = [2, 4];

/// Directions of copies from the host: to the device and to an array.
const FROM_HOST: [u8; 2] = [1, 3];

/// Functions that wait for a device, a context or an event. Waiting for a stream does not count: copies from pageable
/// memory do that in every layer.
const WAITS: [&str; 5] = [
    "cudaDeviceSynchronize",
    "cudaThreadSynchronize",
    "cudaEventSynchronize",
    "cuCtxSynchronize",
    "cuEventSynchronize",
];

/// Times at which a process asked for something; each list ascends.
pub(super) struct HostSide {
    /// Starts of calls that launch copies from the host.
    from_host: Vec<Ns>,
    /// Starts of calls that launch copies to the host or wait for a device, context or event.
    reads: Vec<Ns>,
}

impl HostSide {
    /// What a process asked for.
    pub(super) fn of(input: &FinderInput<'_>, process: ProcessId) -> Self {
        let first_copy = input.recorded.kernels.len();
        let (mut from_host, mut reads) = (Vec::new(), Vec::new());
        for (work, &kind) in (first_copy..).zip(&input.recorded.copies.kind) {
            let list = match kind {
                kind if FROM_HOST.contains(&kind) => &mut from_host,
                kind if TO_HOST.contains(&kind) => &mut reads,
                _ => continue,
            };
            if input.process_of_work[work] == process {
                list.extend(input.launches.api[work].some().map(|call| input.call_of(call).0.start));
            }
        }
        let mut waits: PerText<Option<bool>> = PerText::new(input.strings.len(), None);
        let mut is_wait = |name: StrId| {
            *waits[name].get_or_insert_with(|| {
                let text = input.strings.get(name);
                WAITS.iter().any(|wait| text.starts_with(wait))
            })
        };
        let calls = &input.recorded.api_calls;
        for (row, &name) in calls.name.iter().enumerate() {
            let thread = calls.thread[row].some();
            if is_wait(name) && thread.is_some_and(|thread| input.recorded.process_of(thread) == process) {
                reads.push(calls.span[row].start);
            }
        }
        from_host.sort_unstable();
        reads.sort_unstable();
        Self { from_host, reads }
    }

    /// The first copy from the host that was launched after one time and before another.
    pub(super) fn first_from_host(&self, behind: Ns, before: Ns) -> Option<Ns> {
        let first = self.from_host.partition_point(|&start| start <= behind);
        self.from_host.get(first).copied().filter(|&start| start < before)
    }

    /// Share of spans in which the host reads a result or waits for the GPU, from 0 to 1.
    pub(super) fn share_with_reads(&self, spans: &[Span]) -> f64 {
        let reads = |span: &&Span| {
            let first = self.reads.partition_point(|&start| start < span.start);
            self.reads.get(first).is_some_and(|&start| start < span.end)
        };
        super::distances::share(spans.iter().filter(reads).count(), spans.len())
    }
}
