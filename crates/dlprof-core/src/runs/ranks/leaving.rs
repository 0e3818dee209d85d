//! How much earlier than the others the member leaves a collective that arrives last.

use super::arithmetic::median;
use super::clocks::RankClock;
use super::digest::RankDigest;
use super::instances::Instance;
use crate::base::time::Ns;
use std::collections::BTreeMap;

/// How far the ends of a member are from the latest of the others: where it is not last, and where it is.
type Apart = [Vec<Ns>; 2];

/// By how much the member that arrives last leaves earlier, up to a limit: the difference of ends of members that are last in some instances and
/// not in others, so that clocks that are a little off do not matter; 0 where no member is both.
pub(super) fn early_ns(
    digests: &[RankDigest],
    instances: &[&Instance],
    clocks: &[RankClock],
    most_ns: Ns,
) -> Ns {
    /// Fewer instances say nothing.
    const LEAST: usize = 3;
    let mut of_members: BTreeMap<(usize, usize, bool), Apart> = BTreeMap::new();
    for instance in instances {
        let ends: Vec<(usize, Ns)> =
            instance.collectives(digests).map(|(rank, one)| (rank, clocks[rank].at(one.span.end))).collect();
        let mut sorted: Vec<Ns> = ends.iter().map(|(_, end)| *end).collect();
        sorted.sort_unstable();
        let [.., second, latest] = sorted[..] else { continue };
        for (rank, end) in ends {
            let of_others = if end == latest { second } else { latest };
            let key = (instance.communicator, rank, sorted.len() == 2);
            of_members.entry(key).or_default()[usize::from(rank == instance.last)].push(end - of_others);
        }
    }
    let early = of_members
        .into_iter()
        .filter(|(_, apart)| apart.iter().all(|of| of.len() >= LEAST))
        .filter_map(|((.., is_pair), [others, last])| {
            // Of two, the other one is early where this one is not.
            let both = median(others)? - median(last)?;
            Some(if is_pair { both / 2 } else { both })
        });
    median(early).unwrap_or(0).clamp(0, most_ns.max(0))
}
