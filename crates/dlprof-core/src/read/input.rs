//! Inputs: what a file is, by its content, and the facts that it has.
//!
//! ```text
//! file ─first bytes─► SQLite database ─tables─► nsys export, DLProf database, rocpd, .rpd
//!                    JSON, gzip      ─events─► trace of torch.profiler
//!                    protobuf, gzip  ─planes─► XPlane profile
//! ```
//!
//! Files that are known and not read are told by [`unread`](super::unread). Another kind of input is a variant of [`FileKind`], and a case in each function here. What only one kind of file has to be
//! told is in options of its own, such as [`SqliteOptions`].

use super::facts::Facts;
use super::file_kind::FileKind;
use super::file_state::check_path;
use super::ingest::{self, Input, RowDetail, SqliteOptions};
use super::kineto;
use super::progress::OnProgress;
use super::unread::Sample;
use super::xplane;
use crate::base::Error;
use crate::columns::Memory;
use std::path::Path;

/// Reads an input. Nothing is written, neither to it nor beside it.
///
/// # Errors
/// If it is not one, or changes while it is read; see [`Error`].
pub(crate) fn read_input(
    path: &Path,
    sqlite: SqliteOptions,
    memory: &Memory,
    on_progress: Option<OnProgress<'_>>,
) -> Result<Input, Error> {
    match kind_of(path)? {
        FileKind::Sqlite => ingest::read_database(path, sqlite, memory, on_progress),
        FileKind::Trace if sqlite.detail == RowDetail::Records => {
            Err(Error::TraceInsteadOfExport { path: path.into() })
        }
        FileKind::Profile if sqlite.detail == RowDetail::Records => Err(ingest::profile_instead(path)),
        FileKind::Profile => xplane::read_profile(path, memory).map(|facts| Input::Facts(Box::new(facts))),
        FileKind::Trace => {
            kineto::read_trace(path, memory, on_progress).map(|facts| Input::Facts(Box::new(facts)))
        }
    }
}

/// Reads an input whose rows are to be correlated.
///
/// # Errors
/// If it is not one, or changes while it is read, or is a DLProf database, whose rows are correlated already; see [`Error`].
pub fn read_facts(
    path: &Path,
    sqlite: SqliteOptions,
    memory: &Memory,
    on_progress: Option<OnProgress<'_>>,
) -> Result<Facts, Error> {
    match read_input(path, sqlite, memory, on_progress)? {
        Input::Facts(facts) => Ok(*facts),
        Input::Dlprof(_) => Err(Error::DlprofDatabase { path: path.into() }),
    }
}

/// Checks that a file can be an input and that nobody writes to it, without reading it.
pub(crate) fn check_input(path: &Path) -> Result<(), Error> {
    match kind_of(path)? {
        FileKind::Sqlite => ingest::check_file(path).map(drop),
        // Who writes to it does not say so: that it did is seen when it was read.
        FileKind::Trace | FileKind::Profile => Ok(()),
    }
}

fn kind_of(path: &Path) -> Result<FileKind, Error> {
    check_path(path)?;
    let sample = Sample::read(path).map_err(|source| Error::Unreadable { path: path.into(), source })?;
    FileKind::of(&sample)
}
