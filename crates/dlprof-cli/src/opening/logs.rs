//! Logs of Nsight Compute that are looked at without a capture.

use crate::exit::Failure;
use dlprof_core::NcuLog;
use std::path::PathBuf;
use std::sync::Arc;

/// Reads logs, in the order in which they were named.
pub(crate) fn read_logs(paths: &[PathBuf]) -> Result<Vec<Arc<NcuLog>>, Failure> {
    let read = |path: &PathBuf| Ok(Arc::new(NcuLog::read(path, false)?));
    paths.iter().map(read).collect()
}
