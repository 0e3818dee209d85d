//! Logs of Nsight Compute that are looked at without a capture.

use crate::exit::Failure;
use dlprof_core::NcuLog;
use std::path::PathBuf;
use std::sync::Arc;

/// Reads logs, in the order in which they were named. Metrics that no figure needs are kept if all are asked for.
pub(crate) fn read_logs(paths: &[PathBuf], keeps_all_metrics: bool) -> Result<Vec<Arc<NcuLog>>, Failure> {
    let read = |path: &PathBuf| Ok(Arc::new(NcuLog::read(path, keeps_all_metrics)?));
    paths.iter().map(read).collect()
}
