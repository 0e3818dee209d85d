//! What names say about iterations.

/// What a name says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hint {
    /// It names iterations: `step`, `train_batch`.
    Iteration,
    /// It names a part that runs once per iteration: `forward`, `optimizer`.
    Part,
    /// Nothing.
    Neutral,
    /// It names something longer or shorter: `epoch`, `layer`, `micro_batch`, or another loop: `eval_step`.
    Other,
}

const ITERATION_WORDS: &[&str] = &["batch", "iter", "iteration", "minibatch", "profilerstep", "step"];
const PART_WORDS: &[&str] = &["backward", "dataloader", "forward", "frame", "loss", "optimizer", "train"];
const OTHER_WORDS: &[&str] = &[
    "block",
    "epoch",
    "eval",
    "evaluate",
    "evaluation",
    "init",
    "layer",
    "layers",
    "micro",
    "microbatch",
    "scheduler",
    "setup",
    "substep",
    "test",
    "val",
    "valid",
    "validate",
    "validation",
    "warmup",
];

impl Hint {
    /// What the last part of a name says.
    pub(super) fn of(name: &str) -> Self {
        let words = words(name);
        let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        if has(OTHER_WORDS) {
            Self::Other
        } else if has(ITERATION_WORDS) && !has(&["optimizer"]) {
            Self::Iteration
        } else if has(PART_WORDS) {
            Self::Part
        } else {
            Self::Neutral
        }
    }

    /// From 0 to 1.
    pub(super) fn weight(self) -> f64 {
        match self {
            Self::Iteration => 1.0,
            Self::Part => 0.7,
            Self::Neutral => 0.4,
            Self::Other => 0.0,
        }
    }
}

/// Lower-case words of a name: divided by what is no letter, and at capitals (`TrainStep`).
fn words(name: &str) -> Vec<String> {
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
    if name.eq_ignore_ascii_case("profilerstep") { vec!["profilerstep".into()] } else { words }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_hint() {
        for (names, hint) in [
            (
                &["step", "train_step", "TrainStep", "Batch", "global_step/add", "ProfilerStep", "iter"][..],
                Hint::Iteration,
            ),
            (&["forward", "Optimizer.step#AdamW.step", "zero_grad_optimizer"][..], Hint::Part),
            (&["epoch", "eval_step", "micro_batch", "layer", "validation batch"][..], Hint::Other),
            (&["relu", "reader", "aten::mm", "stepper", ""][..], Hint::Neutral),
        ] {
            for name in names {
                assert_eq!(Hint::of(name), hint, "{name}");
            }
        }
    }
}
