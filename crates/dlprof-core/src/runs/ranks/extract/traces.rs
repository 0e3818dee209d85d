//! What traces of torch.profiler say of a collective: its process group, and how many elements it has.

use super::said::Said;
use super::source::Source;
use crate::base::ids::WorkId;
use crate::read::facts::Collective;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

impl Source<'_> {
    /// What a trace says of the kernel of a collective; nothing for other inputs.
    pub(super) fn said_by_trace(&self, item: usize) -> Option<Said> {
        let recorded = self.classified.activity().recorded;
        let at = recorded.collectives.work.binary_search(&WorkId::new(item)).ok()?;
        let collective = recorded.about.collectives.get(recorded.collectives.collective[..][at] as usize)?;
        Some(said(collective))
    }
}

fn said(collective: &Collective) -> Said {
    let Collective { group, ranks, .. } = collective;
    let is_named = !(group.is_empty() && ranks.is_empty());
    Said {
        communicator: is_named.then(|| number(group, ranks)),
        bytes: bytes(collective),
        has_many_peers: says_all_to_all(&collective.name),
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

/// Bytes of the message of one member: of gathering what it gives, of scattering what it gets.
fn bytes(collective: &Collective) -> Option<u64> {
    let given = collective.in_elements.filter(|&elements| elements > 0);
    let got = collective.out_elements.filter(|&elements| elements > 0);
    let elements = given.into_iter().chain(got).min()?;
    elements.checked_mul(size_of_element(&collective.data_type)?)
}

/// Bytes of an element, by PyTorch's name of its type.
fn size_of_element(data_type: &str) -> Option<u64> {
    Some(match data_type {
        "Byte" | "Char" | "Bool" | "Float8_e4m3fn" | "Float8_e5m2" => 1,
        "Half" | "BFloat16" | "Short" => 2,
        "Float" | "Int" => 4,
        "Double" | "Long" => 8,
        _ => return None,
    })
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
        let all_to_all = Collective { name: "all_to_allv".into(), ..Collective::default() };
        assert!(said(&all_to_all).has_many_peers && !says_all_to_all("send 0->1"));
    }
}
