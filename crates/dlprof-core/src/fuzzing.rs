//! Doors for the fuzz targets in `fuzz/` to what reads foreign texts and files. Not part of the interface.

pub use crate::read::ingest::fingerprint::{LARGE_TABLE_COLUMNS, fingerprint};

/// Reads bytes as a trace of torch.profiler.
pub fn read_trace(bytes: &[u8]) {
    crate::read::kineto::read_bytes(bytes);
}

/// Reads a text as every mode would.
pub fn read_range_text(text: &str) {
    crate::read::ingest::split_range_text(text);
    crate::capture::correlate::read_range_text(text);
}

/// The name of a kernel as logs of Nsight Compute and captures have it in common.
#[must_use]
pub fn normal_kernel_name(name: &str) -> String {
    crate::capture::counters::normal_name(name)
}

/// Reads bytes as a log of Nsight Compute.
pub fn read_ncu_log(bytes: &[u8]) {
    crate::read::ncu::read_bytes(bytes);
}
