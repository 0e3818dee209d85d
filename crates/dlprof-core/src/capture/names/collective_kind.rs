//! What a collective does, by the name of its kernel.

use serde::{Deserialize, Serialize};

/// What a collective does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum CollectiveKind {
    /// All members get the sum.
    AllReduce,
    /// Every member gets a part of the sum.
    ReduceScatter,
    /// All members get the parts of all.
    AllGather,
    /// A member sends and another one receives.
    SendRecv,
    /// Every member sends a part to every other.
    AllToAll,
    /// One member sends to all.
    Broadcast,
    /// One member gets the sum.
    Reduce,
    /// Anything else.
    Other,
}

/// Parts of names in lower case; the first that fits counts.
const PARTS: [(&str, CollectiveKind); 14] = [
    ("allreduce", CollectiveKind::AllReduce),
    ("all_reduce", CollectiveKind::AllReduce),
    ("cross_device_reduce", CollectiveKind::AllReduce),
    ("reducescatter", CollectiveKind::ReduceScatter),
    ("allgather", CollectiveKind::AllGather),
    ("sendrecv", CollectiveKind::SendRecv),
    ("alltoall", CollectiveKind::AllToAll),
    ("all_to_all", CollectiveKind::AllToAll),
    ("a2a", CollectiveKind::AllToAll),
    // Of tokens to the GPUs of their experts and back, in notices about them too.
    ("notify", CollectiveKind::Other),
    ("dispatch", CollectiveKind::AllToAll),
    ("combine", CollectiveKind::AllToAll),
    ("broadcast", CollectiveKind::Broadcast),
    ("reduce", CollectiveKind::Reduce),
];

impl CollectiveKind {
    /// What a kernel does, by its short name.
    #[must_use]
    pub fn of(name: &str) -> Self {
        let name = name.to_lowercase();
        PARTS.iter().find(|(part, _)| name.contains(part)).map_or(Self::Other, |(_, kind)| *kind)
    }

    /// The word for people.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AllReduce => "AllReduce",
            Self::ReduceScatter => "ReduceScatter",
            Self::AllGather => "AllGather",
            Self::SendRecv => "SendRecv",
            Self::AllToAll => "AllToAll",
            Self::Broadcast => "Broadcast",
            Self::Reduce => "Reduce",
            Self::Other => "other",
        }
    }

    /// How many times the bytes of one member are moved, with `size` members: for gathering and scattering, the message is what
    /// each member has.
    pub(crate) fn full_bytes(self, bytes: u64, size: usize) -> f64 {
        let members = if matches!(self, Self::AllGather | Self::ReduceScatter) { size as u64 } else { 1 };
        crate::base::ratios::count_to_f64(bytes.saturating_mul(members))
    }

    /// How often a byte crosses the link of a member, as nccl-tests count it.
    pub(crate) fn bus_factor(self, size: usize) -> f64 {
        let size = crate::base::ratios::count_to_f64(size as u64);
        match self {
            Self::AllReduce => 2.0 * (size - 1.0) / size,
            Self::AllGather | Self::ReduceScatter | Self::AllToAll => (size - 1.0) / size,
            _ => 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::CollectiveKind;

    #[test]
    fn kernels_say_what_they_do() {
        for (name, kind) in [
            ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", "AllReduce"),
            ("cross_device_reduce_1stage", "AllReduce"),
            ("dispatch", "AllToAll"),
            ("notify_dispatch", "other"),
            ("ulysses_a2a_kernel", "AllToAll"),
            ("multimem_all_reduce_kernel", "AllReduce"),
            ("ncclKernel_ReduceScatter_RING", "ReduceScatter"),
            ("ncclDevKernel_SendRecv", "SendRecv"),
            ("ncclDevKernel_Generic", "other"),
        ] {
            assert_eq!(CollectiveKind::of(name).as_str(), kind, "{name}");
        }
    }
}
