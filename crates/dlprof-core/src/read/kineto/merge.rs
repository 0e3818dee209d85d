//! The rows of a block of events after those of the blocks before. Names, threads and lists have numbers of their own in every
//! block; in order of the blocks, they get the numbers that reading all events in one go would give them.

use super::collect::Collector;
use super::rows::{CallDetails, NOWHERE, RawCall, RawFrame, RawItem, RawSync};
use super::threads::Added;
use crate::base::ids::StrId;
use crate::read::facts::{Collective, LaunchConfig};
use crate::read::most_names::MOST_RANGE_TEXTS;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use std::hash::Hash;

/// By number in a block: the number in the trace.
struct Numbers {
    names: Vec<StrId>,
    threads: Vec<u32>,
    labels: Vec<u32>,
    configs: Vec<u32>,
    collectives: Vec<u32>,
    ranges: Vec<u32>,
}

impl Numbers {
    fn name(&self, name: StrId) -> StrId {
        name.position().and_then(|position| self.names.get(position).copied()).unwrap_or(StrId::NONE)
    }
}

/// The number of a place, if it is one.
fn moved(numbers: &[u32], place: u32) -> u32 {
    numbers.get(place as usize).copied().unwrap_or(NOWHERE)
}

/// Adds values that are not there yet. Returns where each is.
fn added<T: Eq + Hash>(all: &mut IndexSet<T, FxBuildHasher>, more: IndexSet<T, FxBuildHasher>) -> Vec<u32> {
    more.into_iter().map(|value| u32::try_from(all.insert_full(value).0).unwrap_or(NOWHERE)).collect()
}

impl Collector {
    /// Whether all names and threads of a block are told apart even if no other block has them. Otherwise which are is decided
    /// event by event.
    pub(super) fn has_room_for(&self, block: &Self) -> bool {
        let is_room = |known: usize, more: usize, most: usize| known + more <= most;
        self.names.has_room_for(&block.names)
            && self.threads.has_room_for(&block.threads)
            && is_room(self.ranges.texts(), block.ranges.texts(), MOST_RANGE_TEXTS)
            && is_room(self.collectives.len(), block.collectives.len(), MOST_RANGE_TEXTS)
    }

    /// Adds the rows of a block for which there is room.
    pub(super) fn add(&mut self, block: Self) {
        let collectives: IndexSet<Collective, _> = block.collectives;
        let configs: IndexSet<LaunchConfig, _> = block.configs;
        let names = self.names.add_all(&block.names);
        let Added { threads, labels } = self.threads.add_all(block.threads);
        let mut numbers = Numbers {
            names,
            threads,
            labels,
            configs: added(&mut self.configs, configs),
            collectives: added(&mut self.collectives, collectives),
            ranges: Vec::new(),
        };
        self.diagnostics.merge(block.diagnostics);
        let first_detail = u32::try_from(self.call_details.len()).unwrap_or(NOWHERE);
        let details = block.call_details.into_iter();
        self.call_details.extend(
            details.map(|details| CallDetails { config: moved(&numbers.configs, details.config), ..details }),
        );
        for &call in &block.calls {
            self.calls.push(RawCall {
                thread: moved(&numbers.threads, call.thread),
                name: numbers.name(call.name),
                details: if call.details == NOWHERE {
                    NOWHERE
                } else {
                    first_detail.saturating_add(call.details)
                },
                ..call
            });
        }
        for &item in &block.items {
            self.items.push(RawItem {
                name: numbers.name(item.name),
                config: moved(&numbers.configs, item.config),
                collective: moved(&numbers.collectives, item.collective),
                label: moved(&numbers.labels, item.label),
                ..item
            });
        }
        for &frame in &block.frames {
            let (thread, name) = (moved(&numbers.threads, frame.thread), numbers.name(frame.name));
            self.frames.push(RawFrame { thread, name, ..frame });
        }
        numbers.ranges = self.ranges.add_texts(
            &block.ranges,
            |name| numbers.name(name),
            |collective| moved(&numbers.collectives, collective),
        );
        self.ranges.add_rows(
            &block.ranges,
            |thread| moved(&numbers.threads, thread),
            |text| moved(&numbers.ranges, text),
        );
        for &sync in &block.syncs {
            self.syncs.push(RawSync { label: moved(&numbers.labels, sync.label), ..sync });
        }
        block.overheads.iter().for_each(|&(span, name)| self.overheads.push((span, numbers.name(name))));
        block.allocations.iter().for_each(|&allocation| self.allocations.push(allocation));
        self.zero = [self.zero, block.zero].into_iter().flatten().min();
        self.events += block.events;
        self.is_kineto |= block.is_kineto;
        self.is_of_autograd |= block.is_of_autograd;
    }
}
