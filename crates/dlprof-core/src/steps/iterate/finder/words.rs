//! What the words of a name say about iterations.

use serde::{Deserialize, Serialize};

/// What a name says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum KeyNodeHint {
    /// Part of a step that runs several times in it: `layer`, `micro_batch`.
    Layer,
    /// Something longer, or another loop: `epoch`, `warm-up`, `validation`.
    Other,
    /// A step: `train_step`, `batch`.
    Step,
    /// A part that runs once per step: `forward`, `optimizer`.
    Part,
    /// Nothing.
    Neutral,
}

const LAYER: &[&str] =
    &["block", "expert", "head", "layer", "layers", "micro", "microbatch", "stage", "substep"];
const LONGER: &[&str] = &["epoch", "scheduler"];
const WARM: &[&str] = &["compile", "dry", "init", "setup", "warm", "warmup"];
const EVALUATION: &[&str] =
    &["eval", "evaluate", "evaluation", "test", "val", "valid", "validate", "validation"];
const STEP: &[&str] = &["batch", "iter", "iteration", "minibatch", "profilerstep", "step"];
/// With one of these words a step is that of a part.
const NO_STEP: &[&str] = &["dataloader", "loader", "optimizer", "prefetch", "prefetcher"];
const PART: &[&str] = &[
    "backward",
    "bwd",
    "dataloader",
    "forward",
    "frame",
    "fwd",
    "loader",
    "loss",
    "optimizer",
    "prefetch",
    "prefetcher",
    "train",
];

/// What a name says, and whether it speaks of a loop that does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) hint: KeyNodeHint,
    /// It has a word of warming up.
    pub(super) is_warm: bool,
    /// It has a word of warming up or of evaluation.
    pub(super) is_aside: bool,
}

impl Said {
    /// What a name says.
    pub(super) fn by(name: &str) -> Self {
        let words = words(name);
        let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        let is_warm = has(WARM);
        let is_aside = is_warm || has(EVALUATION);
        let hint = match () {
            () if has(LAYER) => KeyNodeHint::Layer,
            () if is_aside || has(LONGER) => KeyNodeHint::Other,
            () if has(STEP) && !has(NO_STEP) => KeyNodeHint::Step,
            () if has(PART) => KeyNodeHint::Part,
            () => KeyNodeHint::Neutral,
        };
        Self { hint, is_warm, is_aside }
    }
}

impl KeyNodeHint {
    /// The weight of the name in the score, from 0 to 1.
    pub(super) fn weight(self) -> f64 {
        match self {
            Self::Layer | Self::Other => 0.0,
            Self::Neutral => 0.4,
            Self::Part => 0.7,
            Self::Step => 1.0,
        }
    }

    /// The word for reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Layer => "layer",
            Self::Other => "other",
            Self::Step => "step",
            Self::Part => "part",
            Self::Neutral => "neutral",
        }
    }
}

/// Whether a name has a word that only steps have; such a name is not an operator, whatever it looks like.
pub(super) fn says_step(name: &str) -> bool {
    words(name).iter().any(|word| ["iter", "iteration", "step"].contains(&word.as_str()))
}

/// Lower-case words of a name: divided by what is not a letter, and at capitals (`TrainStep`).
pub(in crate::steps::iterate) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_alphabetic() || (c.is_uppercase() && was_lower) {
            words.push(String::new());
        }
        was_lower = c.is_lowercase();
        if c.is_alphabetic() {
            words.last_mut().expect("never empty").extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_hint() {
        let cases: [(&[&str], KeyNodeHint); 5] = [
            (
                &["step", "train_step", "TrainStep", "ProfilerStep", "profilerstep", "iter", "BATCH"],
                KeyNodeHint::Step,
            ),
            (&["forward", "Optimizer.step#AdamW.step", "fwd", "train", "loader step"], KeyNodeHint::Part),
            (&["epoch", "eval_step", "warm-up step", "validation batch", "test_84_gpu"], KeyNodeHint::Other),
            (&["micro_batch", "layer", "eval layer", "substep", "blocks.block"], KeyNodeHint::Layer),
            (&["relu", "reader", "stepper", "", "3D_backbone", "blocks"], KeyNodeHint::Neutral),
        ];
        for (names, hint) in cases {
            for name in names {
                assert_eq!(Said::by(name).hint, hint, "{name}");
            }
        }
        assert!(Said::by("dry run").is_warm && Said::by("valStep").is_aside);
        assert!(!Said::by("valStep").is_warm && !Said::by("epoch").is_aside);
    }
}
