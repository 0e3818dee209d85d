//! Waits for the GPU inside a step.
//!
//! ```text
//! window     ├──────────────────────────────────────┤
//! thread        │launch  ├ sync ┤  │launch     ├ sync ┤
//!                        in the step           ends the step
//! ```

use super::api_class::ApiClass;
use super::classified::Classified;
use super::copies::CopyKind;
use super::windows::WindowFinder;
use crate::ids::ApiCallId;
use crate::time::Span;

/// Calls that wait for the GPU and start in a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WindowSyncs {
    /// Number.
    pub syncs: u64,
    /// The call that ends the step: the last of them, unless its thread launches or copies behind it in the window.
    pub terminal: Option<ApiCallId>,
    /// Copies of at most 4096 bytes to the host, followed by a wait for the stream: the program reads a value.
    pub scalar_reads: u64,
}

impl WindowSyncs {
    /// Number of waits that do not end the step.
    #[must_use]
    pub fn in_step(&self) -> u64 {
        self.syncs - u64::from(self.terminal.is_some())
    }
}

/// A copy up to this size, before a wait, reads a value.
const MOST_SCALAR_BYTES: u64 = 4096;

/// The waits in each window. Windows are in order of time and do not overlap.
#[must_use]
pub fn syncs_by_window(classified: &Classified<'_>, windows: &[Span]) -> Vec<WindowSyncs> {
    let mut syncs = last_syncs(classified, windows);
    let calls = &classified.activity().calls;
    let mut finder = WindowFinder::new(windows);
    for (call, span) in calls.spans() {
        let Some(window) = finder.find(span.start) else { continue };
        let Some(last) = syncs[window].terminal else { continue };
        let is_behind =
            calls.thread[call] == calls.thread[last.index()] && span.start >= calls.span[last.index()].end;
        let class = classified.function(ApiCallId::new(call)).class;
        if is_behind && matches!(class, ApiClass::Launch | ApiClass::Copy) {
            syncs[window].terminal = None;
        }
    }
    for call in scalar_reads(classified) {
        if let Some(window) = finder.find(calls.span[call].start) {
            syncs[window].scalar_reads += 1;
        }
    }
    syncs
}

/// The number of waits in each window, and the last one.
fn last_syncs(classified: &Classified<'_>, windows: &[Span]) -> Vec<WindowSyncs> {
    let calls = &classified.activity().calls;
    let mut syncs = vec![WindowSyncs::default(); windows.len()];
    let mut finder = WindowFinder::new(windows);
    for (row, span) in calls.spans() {
        let call = ApiCallId::new(row);
        if classified.function(call).class != ApiClass::Sync {
            continue;
        }
        let Some(window) = finder.find(span.start) else { continue };
        let of_window = &mut syncs[window];
        of_window.syncs += 1;
        if of_window.terminal.is_none_or(|last| calls.span[last.index()].start <= span.start) {
            of_window.terminal = Some(call);
        }
    }
    syncs
}

/// Calls of the copies that read a value.
fn scalar_reads<'c>(classified: &'c Classified<'_>) -> impl Iterator<Item = usize> + 'c {
    let activity = classified.activity();
    let (items, calls) = (&activity.items, &activity.calls);
    let copies = (0..items.copies).filter(|&copy| {
        items.copy_kind.get(copy).is_some_and(|&kind| CopyKind::of(kind) == CopyKind::DtoH)
            && items.bytes.get(copy).is_some_and(|&bytes| bytes <= MOST_SCALAR_BYTES)
    });
    let calls_of_copies = copies.filter_map(move |copy| classified.call_row(items.kernels + copy));
    calls_of_copies.map(ApiCallId::index).filter(move |&call| {
        let thread = calls.thread[call].index();
        let by_thread = classified.calls_by_thread();
        if thread >= by_thread.len() {
            return false;
        }
        let rows = by_thread.get(thread);
        let place = |row: usize| (calls.span[row], row);
        let next = rows.partition_point(|&row| place(row as usize) <= place(call));
        rows.get(next).is_some_and(|&row| classified.function(ApiCallId::new(row as usize)).is_stream_sync)
    })
}
