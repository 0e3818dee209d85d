//! Whether the program trains, as far as names say.

use super::scene::Scene;
use crate::figures::kernel_kinds::KernelKind;
use regex::Regex;
use std::sync::LazyLock;

impl Scene<'_> {
    /// Whether a kernel or a range shows that parameters are updated, or gradients computed.
    pub(super) fn trains(&self) -> bool {
        let strings = &self.profile.capture.strings;
        let shows = |text| TRAINING.is_match(strings.get(text));
        let kernels = &self.kernels().kernels;
        kernels.iter().any(|kernel| kernel.kind == KernelKind::Optimizer || shows(kernel.long_name))
            || self.facts().activity().ranges.texts.iter().any(|label| shows(label.text))
    }
}

/// Words in names of kernels and ranges of training.
static TRAINING: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = Regex::new("(?i-u)backward|_bwd|bwd_|optimizer");
    pattern.expect("the pattern is a constant, and a test compiles it")
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_training() {
        for name in ["flash_bwd_kernel", "MulBackward0", "Optimizer.step#AdamW.step"] {
            assert!(TRAINING.is_match(name), "{name}");
        }
        for name in ["flash_fwd_kernel", "aten::addmm", "forward"] {
            assert!(!TRAINING.is_match(name), "{name}");
        }
    }
}
