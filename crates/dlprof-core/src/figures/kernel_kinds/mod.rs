//! What the names of a kernel say, judged once per name with the user's settings.

mod judgement;
pub(crate) mod kernel_class;
mod kernel_kind;
mod known_share;

pub use judgement::KernelJudgement;
pub(crate) use judgement::KernelJudgements;
pub use kernel_kind::{KernelKind, KernelKindTime, base_name};
pub use known_share::KnownShare;

#[cfg(test)]
mod corpus_tests;
