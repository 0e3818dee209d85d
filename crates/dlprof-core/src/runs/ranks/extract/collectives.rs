//! The collectives of a rank: what each does, on which communicator, and when it could have begun.

use super::super::digest::{ChannelKey, RankCollective, RankDigest, RankIteration};
use super::super::kind::CollectiveKind;
use super::super::settings::RankThresholds;
use super::op_paths::OpPaths;
use super::said::Said;
use super::source::{Source, Unit};
use super::traces::says_all_to_all;
use crate::base::ids::StrId;
use crate::base::time::{Ns, Span};
use crate::capture::classified::Call;
use crate::read::facts::{Exchange, ExchangeText};
use rustc_hash::FxHashMap;

impl Source<'_> {
    pub(super) fn add_collectives(&self, unit: &Unit, digest: &mut RankDigest) {
        let work = &self.classified.activity().work;
        let items = || unit.items.iter().copied();
        let mut names: FxHashMap<StrId, u32> = FxHashMap::default();
        let mut ranges = OpPaths::new();
        let mut found: Vec<(RankCollective, ChannelKey, (i64, i64))> = Vec::new();
        for item in items().filter(|&item| self.classified.is_communication(item)) {
            let (span, call) = (work.span[item], self.classified.call_of(item));
            let stream = &self.capture.streams[work.stream[item].index()];
            let (name, grid) = self.form(item);
            let name_at = *names.entry(name).or_insert_with(|| {
                digest.names.push(self.capture.strings.get(name).to_owned());
                place(digest.names.len() - 1)
            });
            let of_call = || call.map(|call| self.said(call));
            let said = self.said_by_trace(item).or_else(of_call).unwrap_or_default();
            let kind = match CollectiveKind::of(self.capture.strings.get(name)) {
                CollectiveKind::SendRecv
                    if said.has_many_peers || self.is_in_all_to_all(call, &mut ranges) =>
                {
                    CollectiveKind::AllToAll
                }
                kind => kind,
            };
            let on_stream = (stream.context, stream.number);
            let called = call.map_or(span.start, |call| call.span.start);
            let collective = RankCollective {
                span,
                call: called,
                iteration: iteration_at(&digest.iterations, called),
                kind,
                bytes: said.bytes,
                channel: 0,
                name: name_at,
                grid_x: grid,
                ready: span.start,
                before: None,
            };
            let channel = match said.communicator {
                Some(id) => ChannelKey::Communicator(id),
                None => ChannelKey::Stream { context: on_stream.0, number: on_stream.1 },
            };
            found.push((collective, channel, on_stream));
        }
        found.sort_by_key(|(one, ..)| (one.call, one.span.start));
        let streams: Vec<(i64, i64)> = found.iter().map(|(.., stream)| *stream).collect();
        let mut channels: FxHashMap<ChannelKey, u32> = FxHashMap::default();
        for (mut collective, channel, _) in found {
            collective.channel = *channels.entry(channel).or_insert_with(|| {
                digest.channels.push(channel);
                place(digest.channels.len() - 1)
            });
            digest.collectives.push(collective);
        }
        digest.collectives.shrink_to_fit();
        self.set_ready(unit, &streams, &mut digest.collectives);
    }

    /// Whether a call is in a range that says so, as those of PyTorch do: `nccl:all_to_all`, `c10d::alltoall_base_`.
    fn is_in_all_to_all(&self, call: Option<Call>, ranges: &mut OpPaths) -> bool {
        call.is_some_and(|call| {
            let path = ranges.at(self.capture, call.thread, call.span.start);
            says_all_to_all(ranges.path(path))
        })
    }

    /// Name and width of the grid of a kernel.
    fn form(&self, item: usize) -> (StrId, i64) {
        let kernels = &self.classified.activity().kernels;
        let config = &self.capture.launch_configs[kernels.config[..][item].index()];
        (kernels.short_name[..][item], config.grid[0])
    }

    /// What the range of the library says in which a call begins: the innermost one that is open on its thread. Where a group is
    /// begun, what all ranges of the group say.
    fn said(&self, call: Call) -> Said {
        /// A range that began longer ago is not looked for.
        const LONGEST: Ns = 50_000_000;
        let Some(thread) = self.capture.threads.get(call.thread.index()) else { return Said::default() };
        let all = &self.job.exchanges;
        let (thread, start) = (thread.global_tid, call.span.start);
        let first = all.partition_point(|one| one.global_tid < thread);
        let end =
            first + all[first..].partition_point(|one| one.global_tid == thread && one.span.start <= start);
        let own = &all[first..end];
        let is_near = |one: &&Exchange| start - one.span.start <= LONGEST;
        let near = own.iter().enumerate().rev().take_while(|(_, one)| is_near(one));
        let Some((at, innermost)) = near.into_iter().find(|(_, one)| one.span.end >= start) else {
            return Said::default();
        };
        if innermost.text != ExchangeText::GroupEnd {
            return said_by(std::iter::once(innermost));
        }
        said_by(own[..at].iter().rev().take_while(|one| one.text != ExchangeText::GroupStart))
    }

    /// When each collective could have begun, and which one is before it on its stream. One that was queued right behind another
    /// was ready when all other work that was launched before it had ended.
    fn set_ready(&self, unit: &Unit, streams: &[(i64, i64)], collectives: &mut [RankCollective]) {
        let queued_ns = RankThresholds::default().queued_ns;
        let work = &self.classified.activity().work;
        let others = unit.items.iter().filter(|&&item| !self.classified.is_communication(item));
        let launched = |&item: &usize| {
            let span = work.span[item];
            (self.classified.call_of(item).map_or(span.start, |call| call.span.start), span.end)
        };
        let mut launches: Vec<(Ns, Ns)> = others.map(launched).collect();
        launches.sort_unstable();
        // From here on the second number is the latest end up to this launch.
        let mut latest = 0;
        for (_, end) in &mut launches {
            latest = latest.max(*end);
            *end = latest;
        }
        let mut order: Vec<usize> = (0..collectives.len()).collect();
        order.sort_by_key(|&at| collectives[at].span);
        let mut last: FxHashMap<(i64, i64), usize> = FxHashMap::default();
        for at in order {
            let before = last.insert(streams[at], at);
            let RankCollective { span, call, .. } = collectives[at];
            if let Some(before) = before
                && span.start - collectives[before].span.end <= queued_ns
            {
                let earlier = launches.partition_point(|(launch, _)| *launch < call);
                let free = earlier.checked_sub(1).map_or(0, |at| launches[at].1);
                collectives[at].ready = span.start.min(call.max(free));
            }
            collectives[at].before = before.map(place);
        }
    }
}

/// What ranges say together.
fn said_by<'a>(ranges: impl Iterator<Item = &'a Exchange>) -> Said {
    let mut said = Said::default();
    let mut peers: Vec<i64> = Vec::new();
    for range in ranges {
        said.communicator = range.communicator.or(said.communicator);
        if let Some(bytes) = range.bytes {
            said.bytes = Some(said.bytes.unwrap_or(0).saturating_add(bytes));
        }
        peers.extend(range.peer);
    }
    peers.sort_unstable();
    peers.dedup();
    Said { has_many_peers: peers.len() > 2, ..said }
}

/// The iteration in which a time lies, by its place in the list.
fn iteration_at(iterations: &[RankIteration], time: Ns) -> Option<u32> {
    let at = iterations.partition_point(|iteration| iteration.span.start <= time).checked_sub(1)?;
    let is_last = at + 1 == iterations.len();
    let Span { end, .. } = iterations[at].span;
    (time < end || is_last).then(|| place(at))
}

/// A place in a list. A capture has fewer than 2³² rows.
pub(super) fn place(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
