//! The collectives of a rank: what each does, on which communicator, and when it could have begun.

use super::super::digest::{ChannelKey, RankCollective, RankDigest, RankIteration};
use super::super::settings::RankThresholds;
use super::op_paths::OpPaths;
use super::said::says_all_to_all;
use super::source::{Source, Unit};
use crate::base::ids::StrId;
use crate::base::time::{Ns, Span};
use crate::capture::classified::Call;
use crate::capture::names::CollectiveKind;
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
            let said = self.said(item);
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

    /// When each collective could have begun, and which one is before it on its stream. One that was queued right after another
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
