//! Which collective the kernels of nsys captures are part of: NCCL records it beside the range in which it launches them.
//!
//! ```text
//! ranges     ├ ncclAllReduce: communicator, bytes ┤   ├ ncclGroupStart ┤ ├ ncclSend … ┤ ├ ncclRecv … ┤ ├ ncclGroupEnd ┤
//! API calls                 launch                                                                        launch
//! ```
//!
//! The innermost range that is open on the thread when the call begins says what its kernel exchanges; where that ends a group, all
//! ranges of the group do. Where a range begins several kernels, and nothing tells what each of them does, its bytes are unknown.

use crate::base::ids::{Maybe, ProcessId, ThreadId, WorkId};
use crate::base::time::Ns;
use crate::capture::Launches;
use crate::capture::names::{CollectiveKind, kernel_name_says};
use crate::columns::PerText;
use crate::read::facts::{
    Collective, CollectiveFacts, CollectiveFactsBuilder, Exchange, Facts, MOST_EXCHANGES,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// A range of a thread that exchanges data: start, end, and what it says.
type Range<'a> = (Ns, Ns, &'a Exchange);

/// The kernels of a range that do the same; none where the name of a kernel does not say what it does.
type Kernels = BTreeMap<Option<CollectiveKind>, Vec<WorkId>>;

/// The kernels of collectives, and the distinct collectives, in order.
pub(super) fn collectives(facts: &Facts, launches: &Launches) -> (CollectiveFacts, Vec<Collective>) {
    if facts.keys.exchanges.distinct.is_empty() {
        return (CollectiveFacts::default(), Vec::new());
    }
    let members = members(facts);
    let mut found: Vec<(WorkId, u32)> = Vec::new();
    let mut told: FxHashMap<Collective, u32> = FxHashMap::default();
    for (thread, calls) in exchanging_calls(facts, launches) {
        let ranges = ranges(facts, thread);
        let groups = groups(&ranges);
        for (at, kernels) in kernels_by_range(&ranges, &calls) {
            let exchanges = match groups.get(&at) {
                Some(&from) => &ranges[from..at],
                None if ranges[at].2.ends_group() => continue,
                None => &ranges[at..=at],
            };
            let all = kernels.values().map(Vec::len).sum();
            for (kind, kernels) in kernels {
                let collective = together(exchanges, kind, kernels.len(), all);
                let known = || members.get(&(facts.process_of(thread).into(), collective.communicator?));
                let group_size = collective.group_size.or_else(|| known().copied());
                let collective = Collective { group_size, ..collective };
                let (next, is_full) = (told.len(), told.len() >= MOST_EXCHANGES);
                let place = match told.get(&collective) {
                    Some(&place) => place,
                    None if is_full => continue,
                    None => *told.entry(collective).or_insert(u32::try_from(next).unwrap_or(u32::MAX)),
                };
                found.extend(kernels.into_iter().map(|kernel| (kernel, place)));
            }
        }
    }
    let mut distinct: Vec<(Collective, u32)> = told.into_iter().collect();
    distinct.sort_unstable();
    let mut order = vec![0; distinct.len()];
    for (place, (_, met)) in (0..).zip(&distinct) {
        order[*met as usize] = place;
    }
    found.sort_unstable();
    let mut builder = CollectiveFactsBuilder::new(&facts.memory, found.len());
    for (kernel, met) in found {
        builder.work.push(kernel);
        builder.collective.push(order[met as usize]);
    }
    (builder.finish(), distinct.into_iter().map(|(collective, _)| collective).collect())
}

/// Members of the communicators of each process, where payloads say how many.
fn members(facts: &Facts) -> FxHashMap<(Maybe<ProcessId>, u64), u64> {
    let known = facts.about.communicators.iter();
    known.filter_map(|known| Some(((known.process, known.id), known.ranks?))).collect()
}

/// A call that launches a kernel that exchanges data: its start, the kernel, and what that does.
type Call = (Ns, WorkId, Option<CollectiveKind>);

/// These calls of threads with ranges that exchange data, in order of start.
fn exchanging_calls(facts: &Facts, launches: &Launches) -> BTreeMap<ThreadId, Vec<Call>> {
    let by_thread = &facts.keys.exchanges.by_thread;
    let has_ranges =
        |thread: &ThreadId| by_thread.get(thread.index()).is_some_and(|places| !places.is_empty());
    // By name: whether such kernels exchange data, and what they do.
    let mut judged: PerText<Option<(bool, Option<CollectiveKind>)>> = PerText::new(facts.strings.len(), None);
    let mut calls: BTreeMap<ThreadId, Vec<Call>> = BTreeMap::new();
    for kernel in crate::base::ids::all::<WorkId>(facts.kernels.len()) {
        let Some(call) = launches.api[kernel].some() else { continue };
        let name = facts.kernels.long_name[kernel];
        let Some(thread) = facts.api_calls.thread[call].some() else { continue };
        if !has_ranges(&thread) {
            continue;
        }
        let short_name = facts.strings.get(facts.kernels.short_name[kernel]);
        let judge = || (kernel_name_says(facts.strings.get(name)).exchange.is_yes(), kind_of(short_name));
        if let (true, kind) = *judged[name].get_or_insert_with(judge) {
            let start = facts.api_calls.span[call].start;
            calls.entry(thread).or_default().push((start, kernel, kind));
        }
    }
    for calls in calls.values_mut() {
        calls.sort_unstable();
    }
    calls
}

/// The ranges of a thread that exchange data, by start, and the longest first.
fn ranges(facts: &Facts, thread: ThreadId) -> Vec<Range<'_>> {
    let exchanges = &facts.keys.exchanges;
    let spans = facts.ranges.by_thread[thread.index()].span.iter();
    let rows = spans.zip(&exchanges.by_thread[thread.index()]);
    // NO_EXCHANGE is no place.
    let said = rows
        .filter_map(|(span, &place)| Some((span.start, span.end, exchanges.distinct.get(place as usize)?)));
    let mut ranges: Vec<Range<'_>> = said.collect();
    ranges.sort_unstable_by_key(|&(start, end, exchange)| (start, Reverse(end), exchange));
    ranges
}

/// By the range that ends a group: where the group begins. Groups inside of groups are parts of these, and begin nothing.
fn groups(ranges: &[Range<'_>]) -> FxHashMap<usize, usize> {
    let (mut groups, mut open) = (FxHashMap::default(), Vec::new());
    for (at, (.., exchange)) in ranges.iter().enumerate() {
        if exchange.begins_group() {
            open.push(at);
        } else if exchange.ends_group()
            && let Some(from) = open.pop()
            && open.is_empty()
        {
            groups.insert(at, from);
        }
    }
    groups
}

/// The kernels whose calls begin in a range, by the place of the range: the innermost one that is open then.
fn kernels_by_range(ranges: &[Range<'_>], calls: &[Call]) -> BTreeMap<usize, Kernels> {
    let mut kernels: BTreeMap<usize, Kernels> = BTreeMap::new();
    let (mut next, mut open) = (0, Vec::new());
    for &(start, kernel, kind) in calls {
        while ranges.get(next).is_some_and(|range| range.0 <= start) {
            open.push(next);
            next += 1;
        }
        while open.last().is_some_and(|&at: &usize| ranges[at].1 < start) {
            open.pop();
        }
        if let Some(&at) = open.last() {
            kernels.entry(at).or_default().entry(kind).or_default().push(kernel);
        }
    }
    kernels
}

/// What a kernel or a range exchanges, by its name; none if that is not said.
fn kind_of(name: &str) -> Option<CollectiveKind> {
    let is_single = || ["send", "recv"].iter().any(|word| name.to_lowercase().contains(word));
    match CollectiveKind::of(name) {
        CollectiveKind::Other => is_single().then_some(CollectiveKind::SendRecv),
        kind => Some(kind),
    }
}

/// What ranges that are begun together say about a kernel of a kind. There are so many kernels of this kind, and so many in all.
fn together(ranges: &[Range<'_>], kind: Option<CollectiveKind>, of_kind: usize, all: usize) -> Collective {
    let exchanges =
        || ranges.iter().map(|range| range.2).filter(|one| !one.begins_group() && !one.ends_group());
    let is_alike = |one: &&Exchange| kind.is_some() && kind_of(&one.name) == kind;
    let has_alike = exchanges().any(|one| is_alike(&one));
    let kernels = if has_alike { of_kind } else { all };
    let parts: Vec<&Exchange> = exchanges().filter(|one| !has_alike || is_alike(one)).collect();
    let names: BTreeSet<&str> = parts.iter().map(|one| one.name.as_str()).collect();
    let communicator = common(parts.iter().map(|one| one.communicator));
    let (got, given): (Vec<&Exchange>, Vec<&Exchange>) =
        parts.iter().partition(|one| one.name.contains("Recv"));
    let is_one_way = got.is_empty() || given.is_empty();
    let bytes = |of: &[&Exchange]| {
        let bytes = || of.iter().map(|one| one.bytes);
        let share = match kernels {
            1 => bytes().try_fold(0_u64, |sum, bytes| sum.checked_add(bytes?)),
            _ if kernels == parts.len() && is_one_way => common(bytes()),
            _ => None,
        };
        share.filter(|_| !of.is_empty())
    };
    let peers: FxHashSet<i64> = parts.iter().filter_map(|one| one.peer).collect();
    Collective {
        name: names.into_iter().collect::<Vec<_>>().join(", "),
        data_type: common(parts.iter().map(|one| Some(one.data_type.clone()))).unwrap_or_default(),
        group_size: communicator.and_then(|_| common(parts.iter().map(|one| one.ranks))),
        communicator,
        given_bytes: bytes(&given),
        got_bytes: bytes(&got),
        peers: peers.len() as u64,
        ..Collective::default()
    }
}

/// The value that all have; none if they differ.
fn common<T: PartialEq>(mut values: impl Iterator<Item = Option<T>>) -> Option<T> {
    let first = values.next()??;
    values.all(|value| value.as_ref() == Some(&first)).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Capture;
    use crate::read::time_cut::{TimeCut, TimeLimit};
    use crate::tests::drawn::Drawn;

    fn said(name: &str, communicator: u64, bytes: u64, peer: Option<i64>) -> Exchange {
        let (communicator, bytes) = (Some(communicator), Some(bytes));
        Exchange { name: name.into(), communicator, bytes, peer, ..Exchange::default() }
    }

    fn named(name: &str) -> Exchange {
        Exchange { name: name.into(), ..Exchange::default() }
    }

    const ALL_REDUCE: &str = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL";
    const SEND_RECV: &str = "ncclDevKernel_SendRecv";

    /// By described kernel: its place, its collective, and its communicator, members, bytes given and got.
    fn described(capture: &Capture) -> Vec<(usize, String, [Option<u64>; 4])> {
        let collectives = &capture.collectives;
        let rows = collectives.work.iter().zip(&collectives.collective[..]);
        rows.map(|(work, &place)| {
            let Collective { name, communicator, group_size, given_bytes, got_bytes, .. } =
                &capture.about.collectives[place as usize];
            (work.index(), name.clone(), [*communicator, *group_size, *given_bytes, *got_bytes])
        })
        .collect()
    }

    #[test]
    fn the_innermost_range_says_what_a_kernel_exchanges() {
        let mut drawn = Drawn::new();
        drawn
            .communicator(7, 8)
            .exchange(said("ncclAllReduce", 7, 64, None), 0..20)
            .launch(5..8, ALL_REDUCE, 10..30)
            .exchange(said("ncclAllReduce", 9, 32, None), 40..90)
            .exchange(said("ncclAllGather", 9, 16, None), 50..60)
            .launch(65..66, ALL_REDUCE, 70..80)
            .launch(95..96, ALL_REDUCE, 97..99)
            .launch(55..56, "gemm", 81..82);
        let expected = [
            (0, "ncclAllReduce".to_owned(), [Some(7), Some(8), Some(64), None]),
            (1, "ncclAllReduce".to_owned(), [Some(9), None, Some(32), None]),
        ];
        assert_eq!(described(&drawn.capture()), expected);
    }

    /// A group of ranges at whose end kernels are launched.
    fn of_group(parts: &[Exchange], kernels: &[&str]) -> Vec<[Option<u64>; 4]> {
        let mut drawn = Drawn::new();
        drawn.exchange(named("ncclGroupStart"), 0..1);
        for (time, part) in (1..).zip(parts) {
            drawn.exchange(part.clone(), 10 * time..10 * time + 5);
        }
        drawn.exchange(named("ncclGroupEnd"), 1_000..2_000);
        for (time, kernel) in (100..).zip(kernels) {
            drawn.launch(10 * time..10 * time + 5, kernel, 3_000 + 10 * time..3_005 + 10 * time);
        }
        described(&drawn.capture()).into_iter().map(|(.., figures)| figures).collect()
    }

    #[test]
    fn a_group_says_what_its_kernel_exchanges_and_nothing_where_several_kernels_share_it() {
        let (send, receive) = (said("ncclSend", 7, 10, Some(1)), said("ncclRecv", 7, 30, Some(2)));
        let exchanged = of_group(&[send.clone(), receive, send], &[SEND_RECV]);
        assert_eq!(exchanged, [[Some(7), None, Some(20), Some(30)]]);
        let reduced = |bytes| said("ncclAllReduce", 7, bytes, None);
        let of = |bytes| [Some(7), None, bytes, None];
        assert_eq!(of_group(&[reduced(10), reduced(30)], &[ALL_REDUCE]), [of(Some(40))]);
        assert_eq!(of_group(&[reduced(10), reduced(10)], &[ALL_REDUCE; 2]), [of(Some(10)); 2]);
        assert_eq!(of_group(&[reduced(10), reduced(30)], &[ALL_REDUCE; 2]), [of(None); 2]);
        let gathered = said("ncclAllGather", 8, 50, None);
        let kernels = [ALL_REDUCE, "ncclDevKernel_AllGather_RING_LL"];
        let both = of_group(&[reduced(10), gathered.clone()], &kernels);
        assert_eq!(both, [of(Some(10)), [Some(8), None, Some(50), None]]);
        assert_eq!(of_group(&[reduced(10), gathered], &[ALL_REDUCE, "ncclDevKernel_Generic"])[1], [None; 4]);
        // A group inside of it launches nothing of its own.
        let inner = [named("ncclGroupStart"), reduced(10), named("ncclGroupEnd"), reduced(5)];
        assert_eq!(of_group(&inner, &[ALL_REDUCE]), [of(Some(15))]);
    }

    #[test]
    fn a_group_whose_start_is_missing_says_nothing() {
        let mut drawn = Drawn::new();
        drawn
            .exchange(said("ncclSend", 7, 10, Some(1)), 0..5)
            .exchange(named("ncclGroupEnd"), 10..20)
            .launch(12..14, SEND_RECV, 30..40);
        assert!(described(&drawn.capture()).is_empty());
    }

    #[test]
    fn a_cut_keeps_what_is_inside() {
        let mut drawn = Drawn::new();
        drawn
            .exchange(said("ncclAllReduce", 7, 64, None), 0..20)
            .launch(5..8, ALL_REDUCE, 10..30)
            .exchange(said("ncclAllReduce", 7, 32, None), 40..60)
            .launch(45..48, ALL_REDUCE, 50..70);
        let cut = TimeCut { from: Some(TimeLimit::At(35)), to: None };
        let expected = [(0, "ncclAllReduce".to_owned(), [Some(7), None, Some(32), None])];
        assert_eq!(described(&drawn.capture_cut(&cut)), expected);
    }
}
