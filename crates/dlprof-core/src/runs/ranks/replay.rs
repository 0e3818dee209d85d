//! A rank's time line, run again with collectives that begin earlier.
//!
//! ```text
//! recorded   compute ├─── collective: waiting, transfer ───┤ compute
//! replayed   compute ├─ transfer ─┤ compute
//!                                  ◄────────────────────────►  how far the rank runs ahead from here on
//! ```
//!
//! Exposed communication ends where the collective that opens the gate ends. All terms are differences on one clock.

use super::digest::{Gate, RankCollective, RankDigest};
use super::instances::Instance;
use super::settings::RankThresholds;
use super::windows::RankWindows;
use crate::base::ratios::to_f64;
use crate::base::time::{Ns, Span};
use crate::capture::names::CollectiveKind;

/// The end of a collective that was not met yet.
const NOT_MET: Ns = Ns::MIN;

/// A rank that is run again.
struct Replay<'a> {
    digest: &'a RankDigest,
    thresholds: RankThresholds,
    /// By collective: its new end, or [`NOT_MET`].
    ends: Vec<Ns>,
    /// By gate that was met: how far the rank runs ahead after it.
    ahead: Vec<Ns>,
    /// How far it runs ahead at first: a capture that begins later begins with the lead of the others.
    base: Ns,
    has_begun: bool,
    /// By which share of its own time it is faster than it was.
    faster: f64,
}

impl<'a> Replay<'a> {
    fn new(digest: &'a RankDigest, thresholds: &RankThresholds) -> Self {
        Self {
            digest,
            thresholds: *thresholds,
            ends: vec![NOT_MET; digest.collectives.len()],
            ahead: Vec::new(),
            base: 0,
            has_begun: false,
            faster: 0.0,
        }
    }

    /// What a rank gains, from the end of a gate on, that is faster than it was.
    fn gained(&self, since: Ns, until: Ns) -> Ns {
        match self.faster {
            0.0 => 0,
            faster => super::arithmetic::cut_ns(faster * to_f64((until - since).max(0))),
        }
    }

    /// How far the rank runs ahead at a time.
    fn ahead_at(&mut self, time: Ns) -> Ns {
        let gates = &self.digest.gates;
        while let Some(gate) = gates.get(self.ahead.len()).filter(|gate| gate.span.end <= time) {
            let before = match self.ahead.len().checked_sub(1) {
                None => self.base,
                Some(last) => self.ahead[last] + self.gained(gates[last].span.end, gate.span.start),
            };
            self.ahead.push(self.ahead_behind(gate, before));
        }
        // Gates that were met may end after the time.
        let met = gates[..self.ahead.len()].partition_point(|gate| gate.span.end <= time);
        met.checked_sub(1).map_or(self.base, |at| self.ahead[at] + self.gained(gates[at].span.end, time))
    }

    fn ahead_behind(&self, gate: &Gate, before: Ns) -> Ns {
        let opened_by = &self.digest.collectives[gate.opener as usize];
        let end = self.new_end(gate.opener).unwrap_or(opened_by.span.end - before);
        let moved = end + gate.span.end - opened_by.span.end;
        gate.span.end - moved.max(gate.span.start - before)
    }

    /// When the rank arrives at a collective.
    fn arrival(&mut self, at: u32) -> Ns {
        let RankCollective { span, ready, before, .. } = self.digest.collectives[at as usize];
        let arrival = ready - self.ahead_at(ready);
        let Some(before) = before else { return arrival };
        let end = self.digest.collectives[before as usize].span.end;
        let gap = span.start - end;
        let gap = if (0..=self.thresholds.queued_ns).contains(&gap) { gap } else { 0 };
        arrival.max(self.new_end(before).unwrap_or(end - self.base) + gap)
    }

    /// By how much a collective that keeps its transfer would end later than it did; below 0 earlier.
    fn late(&mut self, at: u32, transfer_ns: Ns) -> Ns {
        let end = self.digest.collectives[at as usize].span.end;
        self.arrival(at) - (end - transfer_ns)
    }

    /// The new end of a collective that was met.
    fn new_end(&self, at: u32) -> Option<Ns> {
        Some(self.ends[at as usize]).filter(|&end| end != NOT_MET)
    }

    fn end_of(&self, at: u32) -> Ns {
        self.new_end(at).unwrap_or(self.digest.collectives[at as usize].span.end)
    }
}

/// Exposed communication that a rank would not have if nothing made it wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Waiting {
    pub(super) span: Span,
    /// Whether it waits for one other rank, not for all of a communicator.
    pub(super) is_p2p: bool,
}

/// When a rank waits for others, in order of time: its time line without waiting, beside what was recorded. `waits` are those of
/// its collectives.
pub(super) fn waiting(digest: &RankDigest, waits: &[Ns], thresholds: &RankThresholds) -> Vec<Waiting> {
    let mut replay = Replay::new(digest, thresholds);
    let mut order: Vec<u32> = (0..).take(digest.collectives.len()).collect();
    order.sort_by_key(|&at| {
        (digest.collectives[at as usize].span.end, digest.collectives[at as usize].span.start)
    });
    for at in order {
        let transfer_ns = digest.collectives[at as usize].length() - waits[at as usize];
        replay.ends[at as usize] = replay.arrival(at) + transfer_ns;
    }
    replay.ahead_at(Ns::MAX);
    let mut before = 0;
    let mut found = Vec::new();
    for (gate, &ahead) in digest.gates.iter().zip(&replay.ahead) {
        let gained = (ahead - before).min(gate.span.length());
        before = ahead;
        if gained > 0 {
            let is_p2p = digest.collectives[gate.opener as usize].kind == CollectiveKind::SendRecv;
            found.push(Waiting { span: Span::new(gate.span.start, gate.span.start + gained), is_p2p });
        }
    }
    found
}

/// What the steps of a job are replayed from.
pub(super) struct JobReplay<'a> {
    pub(super) digests: &'a [RankDigest],
    /// In an order in which the collectives of every rank come by end.
    pub(super) instances: Vec<&'a Instance>,
    pub(super) windows: &'a [RankWindows],
    /// First and last of the steady iterations of each rank, and how many there are; none for ranks without.
    pub(super) steady: Vec<Option<(i64, i64, usize)>>,
    pub(super) thresholds: &'a RankThresholds,
}

/// What is changed in a replay.
#[derive(Debug, Clone, Default)]
pub(super) struct Change<'a> {
    /// Nobody has to wait for these ranks, which are given by their places.
    pub(super) without: &'a [usize],
    /// These ranks need less of their own time, by these shares.
    pub(super) faster: &'a [(usize, f64)],
    /// The transfers of this communicator take this many times as long.
    pub(super) transfer: Option<(usize, f64)>,
    /// By how much the member that arrives last leaves a collective earlier than the others.
    pub(super) early_ns: Ns,
}

impl JobReplay<'_> {
    /// The mean length of the steady windows if something were different; `None` where nothing closes windows.
    pub(super) fn what_if(&self, change: &Change<'_>) -> Option<f64> {
        let mut is_out = vec![false; self.digests.len()];
        change.without.iter().for_each(|&rank| is_out[rank] = true);
        let mut ranks: Vec<Replay<'_>> =
            self.digests.iter().map(|digest| Replay::new(digest, self.thresholds)).collect();
        change.faster.iter().for_each(|&(rank, share)| ranks[rank].faster = share);
        for instance in &self.instances {
            replay_instance(instance, &mut ranks, &is_out, change);
        }
        let (mut total, mut count) = (0, 0);
        for (rank, replay) in ranks.iter().enumerate().filter(|(rank, _)| !is_out[*rank]) {
            let Some((first, last, windows)) = self.steady[rank] else { continue };
            let closing = &self.windows[rank].closing;
            let (Some(&from), Some(&to)) = (closing.get(&(first - 1)), closing.get(&last)) else { continue };
            total += replay.end_of(to) - replay.end_of(from);
            count += windows;
        }
        (count > 0).then(|| to_f64(total) / super::arithmetic::of_count(count))
    }
}

fn replay_instance(instance: &Instance, ranks: &mut [Replay<'_>], is_out: &[bool], change: &Change<'_>) {
    let transfer_ns = instance.transfer_ns;
    let new_ns = match change.transfer {
        Some((communicator, factor)) if communicator == instance.communicator => {
            super::arithmetic::cut_ns(to_f64(transfer_ns) * factor)
        }
        _ => transfer_ns,
    };
    let members = instance.members.iter().map(|&(rank, at)| (rank as usize, at));
    let members: Vec<(usize, u32)> = members.filter(|(rank, _)| !is_out[*rank]).collect();
    // How much later than whoever came last a member left.
    let stayed = |ranks: &[Replay<'_>], rank: usize, at: u32| match rank == instance.last {
        true => 0,
        false => change.early_ns.min(ranks[rank].digest.collectives[at as usize].length() - transfer_ns),
    };
    // Who comes last now, and by how much later than who did; of equals that one.
    let latest = |ranks: &mut [Replay<'_>], of: &[(usize, u32)]| {
        let late = of.iter().map(|&(rank, at)| {
            let late_ns = ranks[rank].late(at, transfer_ns) + stayed(ranks, rank, at);
            (late_ns, rank == instance.last, rank)
        });
        late.max()
    };
    let has_begun: Vec<(usize, u32)> =
        members.iter().copied().filter(|(rank, _)| ranks[*rank].has_begun).collect();
    if !has_begun.is_empty() && has_begun.len() < members.len() {
        let lead = latest(ranks, &has_begun).map_or(0, |(late_ns, ..)| late_ns);
        let newcomers = members.iter().filter(|(rank, _)| !ranks[*rank].has_begun).map(|(rank, _)| *rank);
        newcomers.collect::<Vec<_>>().into_iter().for_each(|rank| ranks[rank].base = -lead);
    }
    let Some((begin, _, last)) = latest(ranks, &members) else { return };
    for (rank, at) in members {
        let stayed_ns = stayed(ranks, rank, at);
        let stays_ns = match (rank == last, rank == instance.last) {
            (true, _) => 0,
            (false, true) => change.early_ns,
            (false, false) => stayed_ns,
        };
        let replay = &mut ranks[rank];
        replay.has_begun = true;
        let end = replay.digest.collectives[at as usize].span.end;
        replay.ends[at as usize] = end + begin + new_ns - transfer_ns + stays_ns - stayed_ns;
    }
}
