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
//! The classes are those of [`Resources`], with the communication kernels after the other kernels: a nanosecond in
//! which both run belongs to the kernel that computes. So every nanosecond of the wall clock of a GPU belongs to one
//! name or to none, and the claims of a class add up to the class.

use super::{Profile, Windows};
use crate::base::ids::{Maybe, OpId, StrId, WorkId};
use crate::base::intervals::ClassSweep;
use crate::base::time::{Ns, Span};
use crate::capture::correlate::TensorCores;
use crate::read::facts::WorkKind;
use crate::steps::index::Resources;
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
    pub op: Maybe<OpId>,
    /// What the work is called.
    pub name: WorkName,
    /// Whether it is a kernel that exchanges data between GPUs.
    pub is_communication: bool,
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

/// Iteration, op, name, and whether it is a kernel that exchanges data.
type Key = (u32, Maybe<OpId>, WorkName, bool);

/// Makes the rows of all iterations, aggregated or not.
pub(super) fn work_by_name(profile: &Profile) -> WorkByName {
    let owners = owners(profile);
    let mut rows: FxHashMap<Key, IterationWork> = FxHashMap::default();
    let work = &profile.capture.work;
    let launching = profile.index.launching();
    for call in profile.capture.op_calls.ids() {
        for &id in profile.capture.work_by_call.get(call.index()) {
            let iteration = launching.iteration_of(call, id);
            let row =
                row(&mut rows, (iteration, owners[id.index()], name(profile, id), exchanges(profile, id)));
            row.launches += 1;
            row.gpu_ns += work.span[id].length();
        }
    }
    let boundaries = profile.iterations.windows.boundaries();
    for device in claims(profile, &owners) {
        for (span, id) in device {
            for (iteration, part) in cut(span, boundaries) {
                let key = (iteration, owners[id.index()], name(profile, id), exchanges(profile, id));
                row(&mut rows, key).claimed_ns += part;
            }
        }
    }
    let mut rows: Vec<IterationWork> = rows.into_values().collect();
    let text = |name: WorkName| match name {
        WorkName::Kernel(id) => (0, profile.capture.strings.get(id)),
        WorkName::Copy(kind) => (1, kind),
        WorkName::Memset => (2, ""),
    };
    rows.sort_unstable_by_key(|row| (row.iteration, row.op, text(row.name), row.is_communication));
    let (gpus, resources) = resources_of_used_gpus(profile);
    WorkByName { gpus, resources, rows }
}

fn row(rows: &mut FxHashMap<Key, IterationWork>, key: Key) -> &mut IterationWork {
    let (iteration, op, name, is_communication) = key;
    rows.entry(key).or_insert(IterationWork {
        iteration,
        op,
        name,
        is_communication,
        launches: 0,
        gpu_ns: 0,
        claimed_ns: 0,
    })
}

/// Whether work is a kernel that exchanges data.
fn exchanges(profile: &Profile, id: WorkId) -> bool {
    profile.capture.work_kind(id) == WorkKind::Kernel && profile.judge_kernel(id).is_communication()
}

fn name(profile: &Profile, id: WorkId) -> WorkName {
    match profile.capture.work_kind(id) {
        WorkKind::Kernel => WorkName::Kernel(profile.capture.kernels.short_name[id]),
        WorkKind::Copy => WorkName::Copy(profile.capture.copy_kind_name(id)),
        WorkKind::Memset => WorkName::Memset,
    }
}

/// By work: its op.
fn owners(profile: &Profile) -> Vec<Maybe<OpId>> {
    let mut owners = vec![Maybe::NONE; profile.capture.work.span.len()];
    for call in profile.capture.op_calls.ids() {
        for id in profile.capture.work_by_call.get(call.index()) {
            owners[id.index()] = profile.index.calls.op[call].into();
        }
    }
    owners
}

/// By device: disjoint pieces of its time line and the work each belongs to.
fn claims(profile: &Profile, owners: &[Maybe<OpId>]) -> Vec<Vec<(Span, WorkId)>> {
    const CLASSES: usize = 4;
    let work = &profile.capture.work;
    let mut devices: Vec<[Vec<WorkId>; CLASSES]> =
        profile.capture.devices.iter().map(|_| Default::default()).collect();
    for id in profile.capture.work_ids() {
        let class = match profile.capture.work_kind(id) {
            WorkKind::Kernel if profile.capture.judged.tensor_cores[id] == TensorCores::Used => 0,
            WorkKind::Kernel if profile.judge_kernel(id).is_communication() => 2,
            WorkKind::Kernel => 1,
            WorkKind::Copy | WorkKind::Memset => 3,
        };
        devices[work.device[id].index()][class].push(id);
    }
    devices.into_iter().map(|classes| claim_device(profile, owners, classes)).collect()
}

fn claim_device<const N: usize>(
    profile: &Profile,
    owners: &[Maybe<OpId>],
    classes: [Vec<WorkId>; N],
) -> Vec<(Span, WorkId)> {
    let spans = &profile.capture.work.span;
    let text = |id: WorkId| match name(profile, id) {
        WorkName::Kernel(name) => profile.capture.strings.get(name),
        WorkName::Copy(kind) => kind,
        WorkName::Memset => "",
    };
    let pieces = classes.map(|mut class| {
        // What starts together is told apart by content, so that the order of rows never shows.
        class.sort_by(|&a, &b| {
            let key = |id: WorkId| (spans[id].start, Reverse(spans[id].end), owners[id.index()]);
            key(a).cmp(&key(b)).then_with(|| text(a).cmp(text(b)))
        });
        first_started(class.into_iter().map(|id| (spans[id], id)))
    });
    let mut sweep = ClassSweep::new(pieces.each_ref().map(|(spans, _)| &spans[..]));
    let mut claimed = Vec::new();
    sweep.walk(Span::new(Ns::MIN, Ns::MAX), |piece, class, at| claimed.push((piece, pieces[class].1[at])));
    claimed
}

/// Gives every nanosecond to the item that started first of those that cover it: disjoint spans, and the item of each.
/// Items are sorted by start.
fn first_started<T: Copy>(items: impl Iterator<Item = (Span, T)>) -> (Vec<Span>, Vec<T>) {
    let mut covered_to = Ns::MIN;
    let mut pieces = (Vec::new(), Vec::new());
    for (span, item) in items {
        let start = span.start.max(covered_to);
        if span.end > start {
            pieces.0.push(Span::new(start, span.end));
            pieces.1.push(item);
            covered_to = span.end;
        }
    }
    pieces
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

fn resources_of_used_gpus(profile: &Profile) -> (usize, Vec<Resources>) {
    let windows = &profile.iterations.windows;
    let split = &profile.index.split;
    let used = Windows::used_gpus(&profile.capture);
    let sum = |window: Span| match used.is_empty() {
        // All GPUs of the machine are alike without work: their average is exact.
        true => split.of_all(window).average(split.gpus),
        false => split.of_used(window),
    };
    let resources = (0..profile.iterations.total()).map(|iteration| sum(windows.span(iteration))).collect();
    (used.len().max(1), resources)
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
        fn every_nanosecond_goes_to_the_item_that_started_first(mut spans in spans()) {
            spans.sort_unstable();
            let (pieces, items) = first_started(spans.iter().copied().zip(0..));
            for t in -40..50 {
                let covers = |span: &Span| span.start <= t && t < span.end;
                let owner: Vec<usize> =
                    pieces.iter().zip(&items).filter(|(span, _)| covers(span)).map(|(_, &at)| at).collect();
                prop_assert_eq!(owner, spans.iter().position(covers).into_iter().collect::<Vec<_>>());
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
