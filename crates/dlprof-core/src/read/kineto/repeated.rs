//! API calls and GPU work that stand in a trace twice count once.
//!
//! Work of one graph launch has one correlation id, and in traces of whole microseconds several short kernels of it may look the
//! same. So work without a length is repeated only where its call is.

use super::by_correlation::ByCorrelation;
use super::names::Names;
use super::rows::{RawCall, RawItem};
use crate::base::diagnostics::{DiagnosticCode, Diagnostics};
use crate::base::ids::StrId;
use crate::columns::Buffer;
use rustc_hash::FxHashSet;
use std::hash::Hash;

/// Removes what is repeated. Calls without a correlation id cannot be told apart.
pub(super) fn remove(
    calls: &mut Buffer<RawCall>,
    items: &mut Buffer<RawItem>,
    names: &Names,
    diagnostics: &mut Diagnostics,
) {
    let mut count = |name: StrId| {
        diagnostics.count(DiagnosticCode::RepeatedEvent, || names.pool.get(name).to_owned());
    };
    let mut repeated_calls: FxHashSet<i64> = FxHashSet::default();
    let id = |call: &RawCall| Some(call.correlation).filter(|&id| id != 0);
    let is = |call: &RawCall| (call.span, call.thread, call.name, call.correlation);
    remove_rows(calls, id, is, |call| {
        repeated_calls.insert(call.correlation);
        count(call.name);
    });
    let id = |item: &RawItem| {
        let can_tell = !item.span.is_empty() || repeated_calls.contains(&item.correlation);
        can_tell.then_some(item.correlation)
    };
    let is = |item: &RawItem| (item.span, item.stream, item.label, item.name, item.correlation);
    remove_rows(items, id, is, |item| count(item.name));
}

/// Removes rows that equal one before. Only those with one id can be equal, and most ids are of one row.
fn remove_rows<T: Copy, Key: Eq + Hash>(
    rows: &mut Buffer<T>,
    id: impl Fn(&T) -> Option<i64>,
    is: impl Fn(&T) -> Key,
    mut on_repeated: impl FnMut(&T),
) {
    let mut first = ByCorrelation::of(rows.iter().filter_map(&id));
    let mut seen = FxHashSet::default();
    let mut kept = 0_u32;
    for at in 0..rows.len() {
        let row = rows[at];
        if let Some(earlier) = id(&row).and_then(|id| first.put(id, kept)) {
            seen.insert(is(&rows[earlier as usize]));
            if !seen.insert(is(&row)) {
                on_repeated(&row);
                continue;
            }
        }
        rows[kept as usize] = row;
        kept = kept.saturating_add(1);
    }
    rows.truncate(kept as usize);
}
