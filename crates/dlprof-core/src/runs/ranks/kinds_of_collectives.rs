//! Collectives by kind, bytes and size of the communicator.

use super::arithmetic::{median, median_f64, most_common, ninth_decile, of_count, whole_ns};
use super::instances::Instance;
use super::job::Job;
use crate::base::ratios::to_f64;
use crate::base::time::Ns;
use crate::capture::names::CollectiveKind;
use std::collections::BTreeMap;

/// Collectives of one kind, bytes and size.
#[derive(Debug, Clone, PartialEq)]
pub struct CollectivesOfKind {
    /// What they do.
    pub kind: CollectiveKind,
    /// Bytes of the message, of one member.
    pub bytes: Option<u64>,
    /// Members of a communicator.
    pub size: usize,
    /// Number of communicators.
    pub communicators: usize,
    /// Collectives of one communicator in an iteration.
    pub per_iteration: f64,
    /// Median transfer.
    pub transfer_ns: Ns,
    /// Mean waiting of a member.
    pub wait_mean_ns: Ns,
    /// Median skew of arrivals.
    pub skew_median_ns: Ns,
    /// 90 % quantile of the skews.
    pub skew_p90_ns: Ns,
    /// Median speed of the bus.
    pub bus_gb_per_s: Option<f64>,
    /// The rank that arrives last most often, and the share of the collectives in which it does; none where none ever does alone.
    pub last: Option<(i64, f64)>,
    /// The same of the communicator in which that share is largest.
    pub most_certain_last: Option<(i64, f64)>,
    /// Transfer and waiting of all members.
    pub cost_ns: Ns,
}

impl Job {
    /// The collectives of steady iterations by kind, bytes and size.
    #[must_use]
    pub fn collective_kinds(&self) -> Vec<CollectivesOfKind> {
        let mut kinds: BTreeMap<(CollectiveKind, Option<u64>, usize), Vec<&Instance>> = BTreeMap::new();
        for (instance, _) in &self.instances {
            kinds.entry((instance.kind, instance.bytes, instance.size())).or_default().push(instance);
        }
        kinds.into_iter().map(|(key, of)| self.of_kind(key, &of)).collect()
    }

    fn of_kind(
        &self,
        (kind, bytes, size): (CollectiveKind, Option<u64>, usize),
        of: &[&Instance],
    ) -> CollectivesOfKind {
        let count = of_count(of.len());
        let members: usize = of.iter().map(|one| one.ranks()).sum();
        let wait_ns: Ns = of.iter().map(|one| one.wait_sum_ns).sum();
        let skews = || of.iter().map(|one| one.arrival_skew_ns);
        let last_of = |of: &[&Instance]| {
            let (last, times) = most_common(of.iter().filter_map(|one| one.only_last()))?;
            Some((self.ranks[last].rank, 100.0 * of_count(times) / of_count(of.len())))
        };
        let mut by_communicator: BTreeMap<usize, Vec<&Instance>> = BTreeMap::new();
        of.iter().for_each(|one| by_communicator.entry(one.communicator).or_default().push(one));
        let most_certain_last = by_communicator
            .values()
            .filter_map(|own| last_of(own))
            .max_by(|a, b| a.1.total_cmp(&b.1).then_with(|| b.0.cmp(&a.0)));
        let transfer_of_all =
            |one: &&Instance| one.transfer_ns * Ns::try_from(one.ranks()).unwrap_or(Ns::MAX);
        let steps = of_count(self.steady.len().max(1));
        CollectivesOfKind {
            kind,
            bytes,
            size,
            communicators: by_communicator.len(),
            per_iteration: count / steps / of_count(by_communicator.len().max(1)),
            transfer_ns: median(of.iter().map(|one| one.transfer_ns)).unwrap_or(0),
            wait_mean_ns: whole_ns(to_f64(wait_ns) / of_count(members.max(1))),
            skew_median_ns: median(skews()).unwrap_or(0),
            skew_p90_ns: ninth_decile(skews().collect()),
            bus_gb_per_s: median_f64(of.iter().filter_map(|one| one.bus_gb_per_s())),
            last: last_of(of),
            most_certain_last,
            cost_ns: wait_ns + of.iter().map(transfer_of_all).sum::<Ns>(),
        }
    }
}
