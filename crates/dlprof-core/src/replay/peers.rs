//! Exchanges that several GPUs of one capture make together.

use super::window::{LaunchedKind, Window};
use crate::base::ids::StrId;
use std::collections::BTreeMap;

/// By piece of work: all of its group, itself included.
pub(super) type Peers = BTreeMap<usize, Vec<usize>>;

/// The n-th exchange of a name on one GPU belongs to the n-th on each other one, if all have as many and they overlap.
pub(super) fn peers(window: &Window, name_of: impl Fn(usize) -> StrId) -> Peers {
    let mut by_name: BTreeMap<StrId, BTreeMap<(usize, usize), Vec<usize>>> = BTreeMap::new();
    for (at, work) in window.work.iter().enumerate().filter(|(_, work)| work.kind == LaunchedKind::Exchange) {
        let stream = &window.streams[work.stream];
        let by_gpu = by_name.entry(name_of(at)).or_default();
        by_gpu.entry((stream.process, stream.device)).or_default().push(at);
    }
    let mut peers = BTreeMap::new();
    for by_gpu in by_name.into_values() {
        let lists: Vec<Vec<usize>> = by_gpu.into_values().collect();
        let count = lists[0].len();
        if lists.len() < 2 || lists.iter().any(|list| list.len() != count) {
            continue;
        }
        for nth in 0..count {
            let group: Vec<usize> = lists.iter().map(|list| list[nth]).collect();
            let begun = group.iter().map(|&at| window.work[at].span.start).max().unwrap_or(0);
            if group.iter().all(|&at| window.work[at].span.end > begun) {
                peers.extend(group.iter().map(|&at| (at, group.clone())));
            }
        }
    }
    peers
}
