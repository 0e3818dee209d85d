//! How many multiprocessors a kernel may use, where the export says that of its context or of its process.
//!
//! ```text
//! green context  TARGET_INFO_CUDA_CONTEXT_INFO.numMultiprocessors   a part of a GPU that a program set aside
//! process        TARGET_INFO_CUDA_DEVICE.numMultiprocessors         its part of a GPU (MIG)
//! GPU            TARGET_INFO_GPU.smCount                            `Device::sm_count`; not looked at here
//! ```

use super::database::Database;
use super::work::StreamKey;
use crate::base::Error;
use crate::base::diagnostics::Diagnostics;
use crate::read::facts::global_ids;
use rustc_hash::FxHashMap;

/// The numbers that the export states, by what they are about. The first of the list above that is known holds.
#[derive(Default)]
pub(super) struct Multiprocessors {
    /// By process id and number of the context in it.
    by_context: FxHashMap<(i64, i64), i64>,
    /// By process id and CUDA ordinal in it.
    by_process: FxHashMap<(i64, i64), i64>,
}

impl Multiprocessors {
    /// Reads both tables, as far as they exist and have the column.
    pub(super) fn read(database: &Database, diagnostics: &mut Diagnostics) -> Result<Self, Error> {
        let mut counts = |table, process, number| {
            let mut counts = FxHashMap::default();
            database.read(table, &[process, number, "numMultiprocessors"], |row| {
                let cells = [0, 1, 2].map(|column| row.int(column, diagnostics));
                if let [Some(pid), Some(number), Some(count)] = cells
                    && count > 0
                {
                    counts.insert((pid, number), count);
                }
            })?;
            Ok::<_, Error>(counts)
        };
        Ok(Self {
            by_context: counts("TARGET_INFO_CUDA_CONTEXT_INFO", "processId", "contextId")?,
            by_process: counts("TARGET_INFO_CUDA_DEVICE", "pid", "cudaId")?,
        })
    }

    /// Whether the export states no number.
    pub(super) fn is_empty(&self) -> bool {
        self.by_context.is_empty() && self.by_process.is_empty()
    }

    /// Those that work of a stream may use, which may be one of a green context; none if the export says no more than what the
    /// whole GPU has.
    pub(super) fn of(&self, stream: StreamKey, green_context: Option<i64>) -> Option<i64> {
        let pid = global_ids::pid(stream.global_pid?);
        let own = self.by_context.get(&(pid, green_context.unwrap_or(stream.context)));
        own.or_else(|| self.by_process.get(&(pid, stream.ordinal))).copied()
    }
}
