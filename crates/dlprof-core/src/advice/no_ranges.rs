//! Why a capture has no ranges of the program.

use crate::capture::CaptureContents;

/// Why there are no ranges of the program in the default domain, as far as the capture says: the beginning of a sentence, with a small
/// letter.
#[must_use]
pub fn no_ranges(capture: &CaptureContents) -> &'static str {
    match capture.notes.nvtx_traced {
        _ if capture.kineto.is_some() => {
            "the trace has neither operators nor annotations, because `ProfilerActivity.CPU` was not asked for"
        }
        Some(false) => "NVTX ranges were not traced",
        None if capture.ranges.texts.is_empty() => {
            "the capture has no NVTX ranges, because they were not traced or the program marks nothing"
        }
        _ if capture.begins_with_profiler_start() => {
            "the capture begins at `cudaProfilerStart` and holds no NVTX ranges of the program in the default domain"
        }
        _ => "the program has no NVTX ranges of its own in the default domain",
    }
}
