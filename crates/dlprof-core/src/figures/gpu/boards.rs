//! Which GPUs have Tensor Cores.

use crate::read::facts::ComputeCapability;
use regex::Regex;
use std::sync::LazyLock;

/// Boards of compute capability 7.5 whose chips (TU116, TU117) were made without Tensor Cores.
static PLAIN_TURING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\bGTX\b|\bMX4[0-9]{2}\b|\bMX550\b|\bT(4|5|6|10|12)00\b").expect("a constant")
});

/// The first compute capability with Tensor Cores.
const FIRST_WITH_TENSOR_CORES: ComputeCapability = (7, 0);

/// Whether a GPU has Tensor Cores: it is no older than they are, and its board was not made without, by its name. Unknown
/// without a compute capability.
#[must_use]
pub(crate) fn has_tensor_cores(name: &str, capability: Option<ComputeCapability>) -> Option<bool> {
    capability.map(|capability| {
        capability >= FIRST_WITH_TENSOR_CORES && !(capability == (7, 5) && PLAIN_TURING.is_match(name))
    })
}

#[cfg(test)]
mod tests {
    use super::has_tensor_cores;

    #[test]
    fn turing_with_and_without_tensor_cores() {
        for name in
            ["GeForce GTX 1650", "NVIDIA GeForce GTX 1660 Ti", "NVIDIA T1000 8GB", "NVIDIA GeForce MX450"]
        {
            assert_eq!(has_tensor_cores(name, Some((7, 5))), Some(false), "{name}");
        }
        for name in ["Tesla T4", "GeForce RTX 2070 SUPER", "TITAN RTX", "Quadro RTX 4000"] {
            assert_eq!(has_tensor_cores(name, Some((7, 5))), Some(true), "{name}");
        }
        assert_eq!(has_tensor_cores("GeForce GTX 1080", Some((6, 1))), Some(false), "older than they are");
        assert_eq!(has_tensor_cores("GeForce GTX 1080", None), None);
    }
}
