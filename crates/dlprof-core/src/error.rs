//! Errors: the request cannot be met.

use std::path::PathBuf;

/// Why an analysis could not be made. Every message names the file or the option.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input file does not exist.
    #[error("`{}` does not exist", path.display())]
    NotFound {
        /// The file asked for.
        path: PathBuf,
    },
    /// The input is a directory.
    #[error("`{}` is a directory, not an nsys export", path.display())]
    IsDirectory {
        /// The path asked for.
        path: PathBuf,
    },
    /// The operating system does not let us read the file.
    #[error("cannot read `{}`", path.display())]
    Unreadable {
        /// The file asked for.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The input is an nsys report, not an export of one.
    #[error("`{}` is an nsys report, not its SQLite export", path.display())]
    NsysReport {
        /// The file asked for.
        path: PathBuf,
    },
    /// The input is no SQLite database.
    #[error("`{}` is not an SQLite database: {found}", path.display())]
    NotSqlite {
        /// The file asked for.
        path: PathBuf,
        /// What the file starts with.
        found: String,
    },
    /// The file is shorter than its header says.
    #[error(
        "`{}` is truncated: its header says {expected_bytes} bytes, the file has {found_bytes}",
        path.display()
    )]
    Truncated {
        /// The file asked for.
        path: PathBuf,
        /// Size by the SQLite header.
        expected_bytes: u64,
        /// Size of the file.
        found_bytes: u64,
    },
    /// Changes to the database stand in a journal beside it.
    #[error("`{}` has changes that are not in it yet: `{}` is not empty", path.display(), journal.display())]
    HotJournal {
        /// The file asked for.
        path: PathBuf,
        /// The `-wal` or `-journal` file.
        journal: PathBuf,
    },
    /// The input is the output of DLProf.
    #[error("`{}` is a DLProf database, not an nsys export", path.display())]
    DlprofDatabase {
        /// The file asked for.
        path: PathBuf,
    },
    /// The database is something else.
    #[error("`{}` is not an Nsight Systems export: {missing}", path.display())]
    NotAnExport {
        /// The file asked for.
        path: PathBuf,
        /// What every export has and this file has not.
        missing: &'static str,
    },
    /// An nsys export without anything to analyse.
    #[error("`{}` holds no CUDA calls, no GPU work and no NVTX ranges", path.display())]
    NoEvents {
        /// The file asked for.
        path: PathBuf,
    },
    /// SQLite cannot read the file any further.
    #[error("cannot read table `{table}` of `{}`", path.display())]
    Damaged {
        /// The file asked for.
        path: PathBuf,
        /// The table being read.
        table: String,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// The table has more rows than ids.
    #[error("table `{table}` of `{}` has {rows} rows; at most 4294967294 can be read", path.display())]
    TooManyRows {
        /// The file asked for.
        path: PathBuf,
        /// The table being read.
        table: String,
        /// Its rows.
        rows: u64,
    },
    /// The worker threads could not be started.
    #[error("cannot start {threads} worker threads")]
    Threads {
        /// Threads asked for.
        threads: usize,
        /// What the system said.
        source: rayon::ThreadPoolBuildError,
    },
    /// The key node is no regular expression.
    #[error("key node `{key_node}` is not a regular expression")]
    BadPattern {
        /// What was asked for.
        key_node: String,
        /// What is wrong with it.
        source: regex::Error,
    },
    /// No op of that name or ID ran.
    #[error("key node `{key_node}` never ran")]
    UnknownKeyNode {
        /// The name or op ID asked for.
        key_node: String,
        /// Op names of the capture that look like it, best first.
        nearest: Vec<String>,
    },
    /// The first iteration asked for comes after the last one asked for.
    #[error("iteration range {start}..={stop} ends before it starts")]
    ReversedRange {
        /// First iteration asked for.
        start: u32,
        /// Last iteration asked for.
        stop: u32,
    },
    /// The iteration range goes beyond what exists.
    #[error("iteration range {start}..={stop} ends after the last iteration, {last}")]
    RangeOutOfBounds {
        /// First iteration asked for.
        start: u32,
        /// Last iteration asked for.
        stop: u32,
        /// Last iteration of the capture.
        last: u32,
        /// Whether the iterations were set by a key node.
        has_key_node: bool,
    },
}

/// Who can mend an [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The options contradict each other.
    Usage,
    /// The input cannot be read or is not an nsys export.
    Input,
    /// The options do not fit this input.
    Request,
}

impl Error {
    /// Who can mend it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::ReversedRange { .. } | Self::Threads { .. } | Self::BadPattern { .. } => ErrorKind::Usage,
            Self::UnknownKeyNode { .. } | Self::RangeOutOfBounds { .. } => ErrorKind::Request,
            _ => ErrorKind::Input,
        }
    }

    /// What to do about it, where there is something to do.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NsysReport { path } => {
                Some(format!("export it: `nsys export --type sqlite {}`", path.display()))
            }
            Self::NotSqlite { .. } | Self::NotAnExport { .. } => {
                Some("create one with `nsys export --type sqlite run.nsys-rep`".into())
            }
            Self::NoEvents { .. } => Some(
                "capture with `nsys profile --trace=cuda,nvtx`, where CUDA tracing is permitted, and export \
                 all tables"
                    .into(),
            ),
            Self::IsDirectory { .. } => Some("give the `.sqlite` file itself".into()),
            Self::Truncated { .. } => Some("copy or export it again".into()),
            Self::Damaged { .. } => Some("export it again from the `.nsys-rep` file".into()),
            Self::HotJournal { path, .. } => Some(format!(
                "close the program that writes it, or run `sqlite3 {} 'PRAGMA wal_checkpoint(TRUNCATE)'`",
                path.display()
            )),
            Self::DlprofDatabase { .. } => {
                Some("give the `nsys_profile.sqlite` that DLProf made it from".into())
            }
            Self::UnknownKeyNode { nearest, .. } if nearest.is_empty() => {
                Some("`dlprof-agg FILE` without a key node lists the ops".into())
            }
            Self::UnknownKeyNode { nearest, .. } => {
                let quoted: Vec<_> = nearest.iter().map(|name| format!("`{name}`")).collect();
                Some(format!("nearest names: {}", quoted.join(", ")))
            }
            Self::ReversedRange { .. } => Some("the range is inclusive at both ends".into()),
            Self::RangeOutOfBounds { has_key_node: false, .. } => {
                Some("without a key node there is one iteration, 0; set one with `--key-node`".into())
            }
            Self::RangeOutOfBounds { last, .. } => Some(format!("iterations are numbered 0 to {last}")),
            _ => None,
        }
    }
}
