//! API calls to the op call that is open on their thread.
//!
//! ```text
//! op calls   ├── forward ────────────────────┤
//!              ├ conv2d ┤        ├ linear ┤
//! API calls     a    b  c    d     e         f
//! owner        conv2d ×3  forward  linear  forward
//! ```
//!
//! The owner is the innermost op call open when the API call starts; an API call that starts exactly where an
//! op call stops (`c`, `f`) still belongs to it. "The op call started last" would be wrong for `d`, hence the
//! stack.

use super::OpCalls;
use crate::groups::Grouped;
use crate::ids::{OpCallId, ThreadId};
use crate::trace::ApiCalls;

/// The owner of every API call; none outside op calls.
pub(super) fn owners(api_calls: &ApiCalls, calls: &OpCalls, threads: usize) -> Vec<OpCallId> {
    let thread_index = |thread: ThreadId| thread.some().map(ThreadId::index);
    let mut calls_by_thread =
        Grouped::new(threads, calls.ids(), |call| thread_index(calls.thread[call.index()]));
    calls_by_thread.sort_groups_by_key(|call| calls.nesting_order(*call));
    let mut apis_by_thread =
        Grouped::new(threads, api_calls.ids(), |api| thread_index(api_calls.thread[api.index()]));
    apis_by_thread.sort_groups_by_key(|api| api_calls.span[api.index()].start);

    let mut owners = vec![OpCallId::NONE; api_calls.len()];
    let mut open: Vec<OpCallId> = Vec::new();
    for thread in 0..threads {
        open.clear();
        let mut upcoming = calls_by_thread.get(thread).iter().copied().peekable();
        for &api in apis_by_thread.get(thread) {
            let start = api_calls.span[api.index()].start;
            while let Some(call) = upcoming.next_if(|call| calls.span[call.index()].start <= start) {
                open.push(call);
            }
            while open.pop_if(|call| calls.span[call.index()].end < start).is_some() {}
            owners[api.index()] = open.last().copied().unwrap_or(OpCallId::NONE);
        }
    }
    owners
}
