//! What boards lack that others of their compute capability have.

use crate::read::facts::ComputeCapability;
use regex::Regex;
use std::sync::LazyLock;

/// Boards of compute capability 7.5 whose chips (TU116, TU117) were made without Tensor Cores.
static PLAIN_TURING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\bGTX\b|\bMX4[0-9]{2}\b|\bMX550\b|\bT(4|5|6|10|12)00\b").expect("a constant")
});

/// Whether a GPU has no Tensor Cores though its compute capability has, by its name.
#[must_use]
pub(crate) fn lacks_tensor_cores(name: &str, capability: Option<ComputeCapability>) -> bool {
    capability == Some((7, 5)) && PLAIN_TURING.is_match(name)
}

#[cfg(test)]
mod tests {
    use super::lacks_tensor_cores;

    #[test]
    fn turing_with_and_without_tensor_cores() {
        for name in
            ["GeForce GTX 1650", "NVIDIA GeForce GTX 1660 Ti", "NVIDIA T1000 8GB", "NVIDIA GeForce MX450"]
        {
            assert!(lacks_tensor_cores(name, Some((7, 5))), "{name}");
        }
        for name in ["Tesla T4", "GeForce RTX 2070 SUPER", "TITAN RTX", "Quadro RTX 4000"] {
            assert!(!lacks_tensor_cores(name, Some((7, 5))), "{name}");
        }
        assert!(!lacks_tensor_cores("GeForce GTX 1080", Some((6, 1))), "older ones have none anyway");
    }
}
