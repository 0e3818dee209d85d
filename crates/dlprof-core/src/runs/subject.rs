//! What a row of a comparison and a rule of a policy are about.

use serde::Serialize;

/// What a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subject {
    /// A metric of the iteration.
    Metric,
    /// GPU time of an op type.
    OpType,
    /// GPU time of an op.
    Op,
    /// GPU time of a group of ops.
    Group,
    /// Time of a kernel name.
    Kernel,
}

impl Subject {
    /// The word for people.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Metric => "metric",
            Self::OpType => "op type",
            Self::Op => "op",
            Self::Group => "group",
            Self::Kernel => "kernel",
        }
    }
}
