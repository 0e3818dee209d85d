//! `ncu`: logs of Nsight Compute.

use super::ncu_logs::{self, NcuLogs};
use crate::exit::Failure;

/// What to say about Nsight Compute.
pub(crate) enum Ncu {
    /// What logs say, without a capture.
    Logs(Box<NcuLogs>),
}

pub(crate) fn run(asked: &Ncu) -> Result<(), Failure> {
    match asked {
        Ncu::Logs(logs) => ncu_logs::run(logs),
    }
}
