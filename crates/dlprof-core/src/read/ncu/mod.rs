//! Logs of Nsight Compute: counters of single kernels, which `ncu --csv` printed in another run of the program.
//!
//! ```text
//! file ─UTF-8─► lines ─header─► records of a table ─by columns─► values of launches ─at the end─► figures
//! ```
//!
//! Every form of a log is read by its columns, never by the version that wrote it. A log is read once, from front to back. Numbers
//! follow the locale of the process that printed them, and only the whole file can tell some groups of digits from decimals: such
//! values are settled at the end. What is missing is unknown, never 0. This room knows no capture: which launch of a capture a
//! launch of a log is, is found by those that have both.

mod cells;
mod decoded;
mod draft;
mod figures;
mod finish;
mod header;
mod launch;
mod launch_figures;
mod main_stall;
mod mean;
mod metric;
mod metric_names;
mod numbers;
mod opcodes;
mod preamble;
mod ranges;
mod reading;
mod records;
mod summed;
mod table;
mod tensor;
mod texts;
mod units;
mod values;

#[cfg(test)]
mod tests;

pub(crate) use main_stall::Stalls;
pub(crate) use mean::spread_percent;

pub use launch::{NcuForm, NcuLaunch, NcuLog, NcuMetric, NcuNumbers, NcuOddities, NcuRange};
pub use launch_figures::{FlopSource, NcuBound, NcuFigures, TensorEvidence, TensorPrecision};

use super::file_state::check_path;
use super::unread::unread_file;
use crate::base::regular_file;
use crate::base::{Error, NcuRefusal};
use decoded::Decoded;
use reading::Failure;
use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

impl NcuLog {
    /// Reads a log. Metrics that no figure needs are kept only if all are asked for.
    ///
    /// # Errors
    /// If the file cannot be read, or is no log that can be used: [`Error::NcuLog`] says what it is and what to do.
    pub fn read(path: &Path, keeps_all_metrics: bool) -> Result<Self, Error> {
        check_path(path)?;
        let unreadable = |source| Error::Unreadable { path: path.into(), source };
        let file = regular_file::open(path).map_err(unreadable)?;
        read_from(file, &name_of(path), keeps_all_metrics).map_err(|failure| match failure {
            Failure::Refused(refusal) => not_a_log(path, refusal),
            Failure::Io(source) => unreadable(source),
        })
    }
}

/// That a file is no log: what else it is, if that is known.
fn not_a_log(path: &Path, refusal: NcuRefusal) -> Error {
    match unread_file(path).filter(|_| refusal == NcuRefusal::NotNcu) {
        Some(found) => Error::Unread { path: path.into(), found },
        None => Error::NcuLog { path: path.into(), refusal },
    }
}

/// What a log is called.
pub(crate) fn name_of(path: &Path) -> Arc<str> {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into()
}

/// At most this many launches of a log are kept one by one; those beyond are added up by name and size.
const MOST_LAUNCHES: usize = 1_000_000;

fn read_from(source: impl std::io::Read, name: &str, keeps_all: bool) -> Result<NcuLog, Failure> {
    read_most(source, name, keeps_all, MOST_LAUNCHES)
}

fn read_most(
    source: impl std::io::Read,
    name: &str,
    keeps_all: bool,
    most_launches: usize,
) -> Result<NcuLog, Failure> {
    reading::read(BufReader::with_capacity(1 << 20, Decoded::new(source)), name, keeps_all, most_launches)
}

/// Reads bytes as a log, whatever they are.
pub(crate) fn read_bytes(bytes: &[u8]) -> Option<NcuLog> {
    read_from(bytes, "", true).ok()
}
