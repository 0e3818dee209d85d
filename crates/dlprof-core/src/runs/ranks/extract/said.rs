//! What an input says about a collective beside its kernel: traces of torch.profiler its process group, NCCL its communicator, and
//! both how much it exchanges.

use super::source::Source;
use crate::base::ids::WorkId;
use crate::figures::collectives::bytes_of_rank;
use crate::read::facts::Collective;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// What an input says about a collective.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) communicator: Option<u64>,
    pub(super) bytes: Option<u64>,
    /// Whether it exchanges data with more than two members.
    pub(super) has_many_peers: bool,
}

impl Source<'_> {
    /// What the input says of the kernel of a collective.
    pub(super) fn said(&self, item: usize) -> Said {
        let recorded = self.classified.activity().recorded;
        let row = recorded.collectives.work.binary_search(&WorkId::new(item)).ok();
        let at = row.map(|row| recorded.collectives.collective[..][row] as usize);
        at.and_then(|at| recorded.about.collectives.get(at)).map(said).unwrap_or_default()
    }
}

fn said(collective: &Collective) -> Said {
    let Collective { group, ranks, .. } = collective;
    let is_named = !(group.is_empty() && ranks.is_empty());
    Said {
        communicator: collective.communicator.or_else(|| is_named.then(|| number(group, ranks))),
        bytes: bytes_of_rank(collective),
        has_many_peers: collective.peers > 2 || says_all_to_all(&collective.name),
    }
}

/// Whether the name of a collective or of a range says that every member sends to every other.
pub(super) fn says_all_to_all(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["all_to_all", "alltoall"].iter().any(|part| name.contains(part))
}

/// A number for a process group, which is the same on all its members: traces have names.
fn number(group: &str, ranks: &str) -> u64 {
    let mut hasher = FxHasher::default();
    (group, ranks).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_the_same_on_all_ranks_and_bytes_are_those_of_a_member() {
        let collective = |ranks: &str, elements: [u64; 2]| Collective {
            data_type: "BFloat16".into(),
            in_elements: Some(elements[0]),
            out_elements: Some(elements[1]),
            group: "2".into(),
            ranks: ranks.into(),
            ..Collective::default()
        };
        let (one, other) = (said(&collective("[0, 1]", [8, 64])), said(&collective("[2, 3]", [64, 8])));
        assert_eq!((one.bytes, other.bytes), (Some(16), Some(16)));
        assert_ne!(one.communicator, other.communicator);
        assert_eq!(said(&Collective::default()), Said::default());
        let of_nccl = Collective { communicator: Some(7), given_bytes: Some(5), ..Collective::default() };
        let expected = Said { communicator: Some(7), bytes: Some(5), has_many_peers: false };
        assert_eq!(said(&of_nccl), expected);
        assert!(said(&Collective { peers: 3, ..of_nccl }).has_many_peers);
        let all_to_all = Collective { name: "all_to_allv".into(), ..Collective::default() };
        assert!(said(&all_to_all).has_many_peers && !says_all_to_all("send 0->1"));
    }
}
