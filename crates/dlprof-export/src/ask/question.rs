//! The ten standing questions.

/// A standing question about captures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// What limits the steps.
    WhySlow,
    /// What to change first, and what it saves.
    WhatFirst,
    /// Which kernels, ops, ranges and copies take the time.
    WhereTime,
    /// What the host does while GPUs idle.
    HostWhileIdle,
    /// Whether iterations, or the runs of a range, take the same time.
    Steady,
    /// Whether exchange is hidden behind computing.
    Overlap,
    /// What changed between two captures.
    Compare,
    /// Whether the capture holds what answers need.
    Suffices,
    /// Whether kernels use Tensor Cores.
    TensorCores,
    /// Which GPU, process or rank has most to do.
    WhichRank,
}

impl Question {
    /// All questions.
    pub const ALL: [Self; 10] = [
        Self::WhySlow,
        Self::WhatFirst,
        Self::WhereTime,
        Self::HostWhileIdle,
        Self::Steady,
        Self::Overlap,
        Self::Compare,
        Self::Suffices,
        Self::TensorCores,
        Self::WhichRank,
    ];

    /// Its stable name, and what it asks.
    #[must_use]
    pub fn words(self) -> [&'static str; 2] {
        match self {
            Self::WhySlow => ["why_slow", "What limits the steps, and why"],
            Self::WhatFirst => ["what_first", "What to change first, and what it saves"],
            Self::WhereTime => ["where_time", "Which kernels, ops, ranges and copies take the time"],
            Self::HostWhileIdle => ["host_while_idle", "What the host does while GPUs idle"],
            Self::Steady => ["steady", "Whether iterations take the same time; of a range with ABOUT"],
            Self::Overlap => ["overlap", "Whether exchange between GPUs is hidden behind computing"],
            Self::Compare => ["compare", "What changed between two captures"],
            Self::Suffices => ["suffices", "What the capture holds, what is missing, and how to record it"],
            Self::TensorCores => ["tensor_cores", "Whether kernels use Tensor Cores; of one with ABOUT"],
            Self::WhichRank => ["which_rank", "Which GPU, process or rank has most to do"],
        }
    }

    /// The question of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|question| question.words()[0] == name.replace('-', "_"))
    }

    /// Reasons that limit its answer where they hold, besides those that its queries need.
    pub(super) fn limits(self) -> &'static [&'static str] {
        match self {
            Self::WhySlow => &["too_short", "graphs_recorded_whole", "kinds_unknown"],
            Self::WhatFirst => &["no_kernels", "too_short", "graphs_recorded_whole", "kinds_unknown"],
            Self::WhereTime | Self::Overlap => &["graphs_recorded_whole", "kinds_unknown"],
            Self::HostWhileIdle => &["graphs_recorded_whole"],
            Self::TensorCores => &["graphs_recorded_whole", "name_does_not_tell"],
            Self::Steady | Self::Compare | Self::Suffices | Self::WhichRank => &[],
        }
    }
}
