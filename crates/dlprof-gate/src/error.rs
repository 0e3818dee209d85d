//! Errors: a baseline, a policy or a history that cannot be used.

use std::path::PathBuf;

/// Why there is no comparison. Every message names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system does not let us read the file.
    #[error("cannot read `{}`", path.display())]
    Unreadable {
        /// The file asked for.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is no baseline.
    #[error("`{}` is not a baseline: {found}", path.display())]
    NotABaseline {
        /// The file asked for.
        path: PathBuf,
        /// What was found instead.
        found: String,
    },
    /// A baseline of a later version of this tool.
    #[error("`{}` is a baseline of version {found}; this dlprof-agg reads versions up to {known}", path.display())]
    NewerBaseline {
        /// The file asked for.
        path: PathBuf,
        /// Version of the file.
        found: u64,
        /// Latest version known.
        known: u32,
    },
    /// A baseline whose content contradicts itself.
    #[error("baseline `{}` is damaged: {found}", path.display())]
    DamagedBaseline {
        /// The file asked for.
        path: PathBuf,
        /// What is wrong with it.
        found: String,
    },
    /// The policy cannot be used.
    #[error("cannot use policy `{}`: {message}", path.display())]
    Policy {
        /// The file asked for.
        path: PathBuf,
        /// What is wrong with it, and what is expected.
        message: String,
    },
    /// A folder without baselines.
    #[error("`{}` holds no baselines (files `*.json`)", path.display())]
    EmptyHistory {
        /// The folder.
        path: PathBuf,
    },
}

/// Who can mend an [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// Options or policy.
    Usage,
    /// A baseline.
    Input,
}

impl Error {
    /// Who can mend it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Policy { .. } => ErrorKind::Usage,
            _ => ErrorKind::Input,
        }
    }

    /// What to do about it, where there is something to do.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NotABaseline { .. } | Self::DamagedBaseline { .. } | Self::EmptyHistory { .. } => {
                Some("make one with `dlprof-agg baseline RUN.sqlite… -o base.json`")
            }
            Self::NewerBaseline { .. } => Some("update dlprof-agg, or make the baseline again with this one"),
            Self::Policy { .. } => Some("examples/ci/gate.toml documents every key"),
            Self::Unreadable { .. } => None,
        }
    }
}
