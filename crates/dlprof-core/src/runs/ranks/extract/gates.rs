//! Gates: when a rank exchanges data and computes nothing, and which collective ends that.
//!
//! ```text
//! compute       ├──────┤                         ├──────┤
//! collectives       ├──── a ────┤├──── b ────┤
//! gates                ├────────┤├───────────┤             the first is opened by a, the second by b
//! ```

use super::super::digest::{Gate, RankCollective, RankDigest};
use super::super::settings::RankThresholds;
use super::collectives::place;
use super::source::{Source, Unit};
use crate::base::intervals::{difference, union};
use crate::base::time::{Ns, Span};

impl Source<'_> {
    pub(super) fn add_gates(&self, unit: &Unit, digest: &mut RankDigest) {
        let kernels = unit.items.iter().filter(|&&item| self.classified.activity().is_kernel(item));
        let (exchange, compute): (Vec<usize>, Vec<usize>) =
            kernels.copied().partition(|&item| self.classified.is_communication(item));
        let joined = |items: Vec<usize>| union(items.into_iter().map(|item| self.span(item)).collect());
        let exposed = difference(&joined(exchange), joined(compute).into_iter());
        digest.gates = gates(&exposed, &digest.collectives, &RankThresholds::default());
    }
}

fn gates(exposed: &[Span], collectives: &[RankCollective], thresholds: &RankThresholds) -> Vec<Gate> {
    let mut ends: Vec<(Ns, u32)> =
        collectives.iter().enumerate().map(|(at, one)| (one.span.end, place(at))).collect();
    ends.sort_unstable();
    let last_before = |time: Ns| ends[..ends.partition_point(|(end, _)| *end <= time)].last().copied();
    let follows = |one: &&RankCollective| {
        last_before(one.span.start).is_some_and(|(end, _)| end >= one.span.start - thresholds.queued_ns)
    };
    let mut cuts: Vec<Ns> = collectives.iter().filter(follows).map(|one| one.span.start).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let mut gates = Vec::new();
    for part in exposed {
        let inside =
            cuts[cuts.partition_point(|&cut| cut <= part.start)..].iter().take_while(|&&cut| cut < part.end);
        let mut start = part.start;
        for end in inside.copied().chain([part.end]) {
            let is_near = |&(closing, _): &(Ns, u32)| closing >= start.max(end - thresholds.turnaround_ns);
            // What no collective ends would move with what is before it.
            if let Some((_, opener)) = last_before(end).filter(is_near) {
                gates.push(Gate { span: Span::new(start, end), opener });
            }
            start = end;
        }
    }
    gates.shrink_to_fit();
    gates
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::names::CollectiveKind;

    fn collective(start: Ns, end: Ns) -> RankCollective {
        RankCollective {
            span: Span::new(start, end),
            call: start,
            iteration: None,
            kind: CollectiveKind::AllReduce,
            bytes: None,
            channel: 0,
            name: 0,
            grid_x: 1,
            ready: start,
            before: None,
        }
    }

    #[test]
    fn gates_are_cut_where_collectives_follow_each_other() {
        let collectives = [collective(0, 30_000), collective(31_000, 60_000), collective(80_000, 95_000)];
        let exposed = [Span::new(10_000, 60_000), Span::new(80_000, 84_000)];
        let found = gates(&exposed, &collectives, &RankThresholds::default());
        let found: Vec<_> = found.iter().map(|gate| (gate.span.start, gate.span.end, gate.opener)).collect();
        assert_eq!(found, [(10_000, 31_000, 0), (31_000, 60_000, 1)]);
    }
}
