//! GPU work by name: per iteration and op, and which of it the wall clock waited for.
//!
//! ```text
//! TC kernel        ──────├─a─┤──────────────────
//! kernel           ────├──b──┤──├──c──┤─────────   the first class that applies; inside a class the work
//!                  ───────────────├──d───┤──────   that started first
//! communication    ──────────├──e──────────┤────
//! memory           ────────────────────────├f┤──
//! claimed          ‥‥‥‥bbaaaaaeecccccccdddeeeff‥‥
//! ```
//!
//! The classes are those of [`Resources`], with the communication kernels behind the other kernels: a nanosecond in
//! which both run belongs to the kernel that computes. So every nanosecond of the wall clock of a GPU belongs to one
//! name or to none, and the claims of a class add up to the class.

use super::Input;
use super::resources::{self, Resources};
use crate::correlate::{TensorCores, is_communication_kernel};
use crate::ids::{OpId, StrId, WorkId};
use crate::intervals::union;
use crate::time::{Ns, Span};
use crate::trace::WorkKind;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// What a piece of GPU work is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WorkName {
    /// A kernel, by its short name.
    Kernel(StrId),
    /// A copy, by its direction.
    Copy(&'static str),
    /// A memset.
    Memset,
}

/// GPU work of an op with one name in one iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IterationWork {
    /// The iteration.
    pub iteration: u32,
    /// The op; none only where the capture ties the work to nothing.
    pub op: OpId,
    /// What the work is called.
    pub name: WorkName,
    /// Kernels, copies or memsets of the op calls that start in the iteration.
    pub launches: u64,
    /// Plain sum of their durations.
    pub gpu_ns: Ns,
    /// What they and work of the same op and name claim of the wall clock **inside** the iteration, whenever they
    /// were launched; summed over GPUs.
    pub claimed_ns: Ns,
}

/// The wall clock of all iterations by what was done, on the GPUs that did something.
#[derive(Debug, Clone)]
pub struct WorkByName {
    /// GPUs with any work; at least one.
    pub gpus: usize,
    /// By iteration: its time by class, summed over these GPUs. The classes add up to length × GPUs.
    pub resources: Vec<Resources>,
    /// Work by iteration, op and name, in this order (names by text).
    pub rows: Vec<IterationWork>,
}

type Key = (u32, OpId, WorkName);

/// Makes the rows of all iterations, aggregated or not.
pub(super) fn work_by_name(input: &Input<'_>) -> WorkByName {
    let owners = owners(input);
    let mut rows: FxHashMap<Key, IterationWork> = FxHashMap::default();
    let work = &input.trace.gpu_work;
    for call in input.correlation.calls.ids() {
        let iteration = input.iterations.of_call[call.index()];
        for &id in input.correlation.work_by_call.get(call.index()) {
            let row = row(&mut rows, (iteration, owners[id.index()], name(input, id)));
            row.launches += 1;
            row.gpu_ns += work.span[id.index()].length();
        }
    }
    for device in claims(input, &owners) {
        for (span, id) in device {
            for (iteration, part) in cut(span, &input.iterations.boundaries) {
                row(&mut rows, (iteration, owners[id.index()], name(input, id))).claimed_ns += part;
            }
        }
    }
    let mut rows: Vec<IterationWork> = rows.into_values().collect();
    let text = |name: WorkName| match name {
        WorkName::Kernel(id) => (0, input.trace.strings.get(id)),
        WorkName::Copy(kind) => (1, kind),
        WorkName::Memset => (2, ""),
    };
    rows.sort_unstable_by_key(|row| (row.iteration, row.op, text(row.name)));
    let (gpus, resources) = resources_of_used_gpus(input);
    WorkByName { gpus, resources, rows }
}

fn row(rows: &mut FxHashMap<Key, IterationWork>, key: Key) -> &mut IterationWork {
    let (iteration, op, name) = key;
    rows.entry(key).or_insert(IterationWork { iteration, op, name, launches: 0, gpu_ns: 0, claimed_ns: 0 })
}

fn name(input: &Input<'_>, id: WorkId) -> WorkName {
    let work = &input.trace.gpu_work;
    match work.kind(id) {
        WorkKind::Kernel => WorkName::Kernel(work.short_name[id.index()]),
        WorkKind::Copy => WorkName::Copy(work.copy_kind_name(id)),
        WorkKind::Memset => WorkName::Memset,
    }
}

/// By work: its op.
fn owners(input: &Input<'_>) -> Vec<OpId> {
    let mut owners = vec![OpId::NONE; input.trace.gpu_work.len()];
    for call in input.correlation.calls.ids() {
        for id in input.correlation.work_by_call.get(call.index()) {
            owners[id.index()] = input.ops.of_call[call.index()];
        }
    }
    owners
}

/// By device: disjoint pieces of its time line and the work each belongs to.
fn claims(input: &Input<'_>, owners: &[OpId]) -> Vec<Vec<(Span, WorkId)>> {
    const CLASSES: usize = 4;
    let work = &input.trace.gpu_work;
    let mut devices: Vec<[Vec<WorkId>; CLASSES]> =
        input.trace.devices.iter().map(|_| Default::default()).collect();
    let mut is_communication: Vec<Option<bool>> = vec![None; input.trace.strings.len()];
    for id in work.ids() {
        let class = match work.kind(id) {
            WorkKind::Kernel if input.correlation.kernel_tensor_cores[id.index()] == TensorCores::Used => 0,
            WorkKind::Kernel => {
                let name = work.short_name[id.index()];
                let known = &mut is_communication[name.index()];
                let judge = || is_communication_kernel(input.trace.strings.get(name));
                if *known.get_or_insert_with(judge) { 2 } else { 1 }
            }
            WorkKind::Copy | WorkKind::Memset => 3,
        };
        devices[work.device[id.index()].index()][class].push(id);
    }
    devices.into_iter().map(|classes| claim_device(input, owners, classes)).collect()
}

fn claim_device<const N: usize>(
    input: &Input<'_>,
    owners: &[OpId],
    classes: [Vec<WorkId>; N],
) -> Vec<(Span, WorkId)> {
    let spans = &input.trace.gpu_work.span;
    let text = |id: WorkId| match name(input, id) {
        WorkName::Kernel(name) => input.trace.strings.get(name),
        WorkName::Copy(kind) => kind,
        WorkName::Memset => "",
    };
    let mut taken: Vec<Span> = Vec::new();
    let mut claimed = Vec::new();
    for mut class in classes {
        // What starts together is told apart by content, so that the order of rows never shows.
        class.sort_by(|&a, &b| {
            let key =
                |id: WorkId| (spans[id.index()].start, Reverse(spans[id.index()].end), owners[id.index()]);
            key(a).cmp(&key(b)).then_with(|| text(a).cmp(text(b)))
        });
        let pieces = first_started(class.into_iter().map(|id| (spans[id.index()], id)));
        let free = outside(&pieces, &taken);
        taken = union(taken.into_iter().chain(pieces.iter().map(|&(span, _)| span)).collect());
        claimed.extend(free);
    }
    claimed
}

/// Gives every nanosecond to the item that started first of those that cover it. Items are sorted by start.
fn first_started<T: Copy>(items: impl Iterator<Item = (Span, T)>) -> Vec<(Span, T)> {
    let mut covered_to = Ns::MIN;
    let mut pieces = Vec::new();
    for (span, item) in items {
        let start = span.start.max(covered_to);
        if span.end > start {
            pieces.push((Span::new(start, span.end), item));
            covered_to = span.end;
        }
    }
    pieces
}

/// The parts of `pieces` that no span of `taken` covers; both are sorted and disjoint.
fn outside<T: Copy>(pieces: &[(Span, T)], taken: &[Span]) -> Vec<(Span, T)> {
    let mut rest = Vec::new();
    let mut first = 0;
    for &(piece, item) in pieces {
        while taken.get(first).is_some_and(|span| span.end <= piece.start) {
            first += 1;
        }
        let mut start = piece.start;
        for span in taken[first..].iter().take_while(|span| span.start < piece.end) {
            if span.start > start {
                rest.push((Span::new(start, span.start), item));
            }
            start = start.max(span.end);
        }
        if start < piece.end {
            rest.push((Span::new(start, piece.end), item));
        }
    }
    rest
}

/// The parts of a span in each iteration.
fn cut(span: Span, boundaries: &[Ns]) -> impl Iterator<Item = (u32, Ns)> {
    let first = boundaries.partition_point(|&boundary| boundary <= span.start).saturating_sub(1);
    let windows = boundaries[first..].windows(2).zip(first..);
    windows
        .take_while(move |(window, _)| window[0] < span.end)
        .map(move |(window, at)| {
            let part = span.clip(Span::new(window[0], window[1])).length();
            (u32::try_from(at).unwrap_or(u32::MAX), part)
        })
        .filter(|&(_, part)| part > 0)
}

fn resources_of_used_gpus(input: &Input<'_>) -> (usize, Vec<Resources>) {
    let split = resources::split(input.trace, input.correlation, &input.iterations.boundaries);
    let mut is_used = vec![false; input.trace.devices.len()];
    for device in &input.trace.gpu_work.device {
        is_used[device.index()] = true;
    }
    let gpus = is_used.iter().filter(|is_used| **is_used).count();
    if gpus == 0 {
        // All GPUs of the machine are alike: their average is exact.
        let one = split.by_iteration.iter().map(|sum| sum.average(split.gpus)).collect();
        return (1, one);
    }
    let mut sums = vec![Resources::default(); split.by_iteration.len()];
    for (device, _) in split.by_device.iter().zip(is_used).filter(|(_, is_used)| *is_used) {
        for (sum, part) in sums.iter_mut().zip(device) {
            sum.add(part);
        }
    }
    (gpus, sums)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn spans() -> impl Strategy<Value = Vec<Span>> {
        prop::collection::vec((-30i64..30, 0i64..12).prop_map(|(s, l)| Span::new(s, s + l)), 0..12)
    }

    proptest! {
        #[test]
        fn every_nanosecond_goes_to_the_first_class_and_there_to_the_first_started(
            mut high in spans(), mut low in spans(),
        ) {
            high.sort_unstable();
            low.sort_unstable();
            let numbered = |spans: &[Span]| spans.iter().copied().zip(0..spans.len()).collect::<Vec<_>>();
            let taken = union(high.clone());
            let pieces = outside(&first_started(numbered(&low).into_iter()), &taken);
            for t in -40..50 {
                let covers = |span: &Span| span.start <= t && t < span.end;
                let expected =
                    if high.iter().any(covers) { None } else { low.iter().position(covers) };
                let owner: Vec<usize> =
                    pieces.iter().filter(|(span, _)| covers(span)).map(|&(_, at)| at).collect();
                prop_assert_eq!(owner, expected.into_iter().collect::<Vec<_>>());
            }
        }

        #[test]
        fn cutting_keeps_what_lies_inside(span in (-20i64..60, 0i64..50), mut cuts in prop::collection::vec(0i64..50, 2..6)) {
            cuts.sort_unstable();
            let span = Span::new(span.0, span.0 + span.1);
            let sum: Ns = cut(span, &cuts).map(|(_, part)| part).sum();
            prop_assert_eq!(sum, span.clip(Span::new(cuts[0], cuts[cuts.len() - 1])).length());
        }
    }
}
