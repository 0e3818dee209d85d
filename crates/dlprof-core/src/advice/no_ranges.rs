//! Why a capture has no ranges of the program.

use super::framework::Framework;
use super::scene::Scene;
use crate::capture::CaptureContents;
use crate::figures::profile::Profile;

/// Why there are no ranges of the program in the default domain, as far as the capture says: the beginning of a sentence, with a small
/// letter.
#[must_use]
pub fn no_ranges(capture: &CaptureContents) -> &'static str {
    match capture.notes.nvtx_traced {
        _ if capture.recorder.is_torch_profiler() => {
            "the trace has neither operators nor annotations, because `ProfilerActivity.CPU` was not asked for"
        }
        _ if capture.notes.ranges_left_out.is_some() => {
            "the export lacks the NVTX ranges that nsys collected"
        }
        Some(false) => "NVTX ranges were not traced",
        None if capture.ranges.texts.is_empty() => {
            "the capture has no NVTX ranges: they were not traced, or the program marks nothing"
        }
        _ if capture.begins_with_profiler_start() => {
            "the capture begins at `cudaProfilerStart` and holds no NVTX ranges of the program in the default domain"
        }
        _ => "the program has no NVTX ranges of its own in the default domain",
    }
}

/// What a new capture should record to name ops, of a program that marks none: options of nsys, and ranges.
#[must_use]
pub fn what_would_name_ops(profile: &Profile) -> String {
    let capture = &profile.capture;
    match capture.notes.nvtx_traced {
        _ if capture.recorder.is_torch_profiler() => {
            format!("profile({})", capture.recorder.vendor.activities())
        }
        _ if capture.notes.ranges_left_out.is_some() => "another export, without `--tables`".to_owned(),
        Some(true) => "NVTX ranges around steps and their parts, inside the part that is captured".to_owned(),
        _ => format!("NVTX ranges around steps and their parts, and {}", capture.nsys_command(false)),
    }
}

/// Whether the program is one of OpenACC, whose regions were not recorded.
pub(super) fn lacks_openacc(scene: &Scene<'_>) -> bool {
    let also = &scene.profile.capture.notes.also_traced;
    scene.framework() == Framework::OpenAcc && !also.iter().any(|kind| kind == "openacc")
}
