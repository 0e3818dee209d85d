//! Why runs cannot be compared.

use super::policy::PolicyError;
use crate::base::{Error, ErrorKind};
use std::path::PathBuf;

/// Why runs cannot be compared. Every message names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A file cannot be read.
    #[error(transparent)]
    Read(#[from] Error),
    /// The file is not a baseline.
    #[error("`{}` is not a baseline: {found}", path.display())]
    NotABaseline {
        /// The file asked for.
        path: PathBuf,
        /// What was found instead.
        found: &'static str,
    },
    /// The baseline was written by a later version of this tool.
    #[error(
        "`{}` is a baseline of version {found}, but this dlprof-agg reads versions up to {known}",
        path.display()
    )]
    NewerBaseline {
        /// The file asked for.
        path: PathBuf,
        /// Version of the file.
        found: u64,
        /// Latest version known.
        known: u32,
    },
    /// The content of the baseline contradicts itself.
    #[error("baseline `{}` is damaged: {found}", path.display())]
    DamagedBaseline {
        /// The file asked for.
        path: PathBuf,
        /// What is wrong with it.
        found: String,
    },
    /// The folder holds no baselines.
    #[error("folder `{}` holds no baselines, which are files named `*.json`", path.display())]
    NoBaselines {
        /// The folder.
        path: PathBuf,
    },
    /// The policy of a gate cannot be used.
    #[error("cannot use policy `{}`: {mistake}", path.display())]
    Policy {
        /// The file asked for.
        path: PathBuf,
        /// What is wrong with it, and what is expected.
        mistake: PolicyError,
    },
}

impl RunError {
    /// What must be changed to avoid it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Read(error) => error.kind(),
            Self::Policy { .. } => ErrorKind::Usage,
            _ => ErrorKind::Input,
        }
    }
}
