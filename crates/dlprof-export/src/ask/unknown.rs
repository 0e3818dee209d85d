//! What is not known of a capture, by the closed list of reasons.

use crate::overview::{Missing, Overview};
use dlprof_core::{Because, DiagnosticCode, Error, Judged, could_not_start};
use serde::Serialize;

/// Something that is not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cannot {
    /// The reason, of the list [`BECAUSE`](dlprof_core::BECAUSE).
    pub because: &'static str,
    /// The reason in words.
    pub say: String,
    /// What to record, or what to do, so that it is known.
    pub record: Vec<String>,
}

impl Cannot {
    fn new(key: &'static str, is_trace: bool) -> Option<Self> {
        let because = Because::named(key)?;
        let record = match because.record_in_torch {
            other if is_trace && !other.is_empty() => other,
            _ => because.record,
        };
        Some(Self { because: because.key, say: because.words.to_owned(), record: vec![record.to_owned()] })
    }

    pub(super) fn texts(&mut self) -> impl Iterator<Item = &mut String> {
        std::iter::once(&mut self.say).chain(&mut self.record)
    }
}

/// All that is not known of a capture, each reason once.
pub(super) fn unknowns(judged: &Judged, overview: &Overview) -> Vec<Cannot> {
    let is_trace = judged.capture.recorder.is_torch_profiler();
    let mut unknown: Vec<Cannot> = Vec::new();
    let mut add = |key: &'static str, said: Option<&Missing>| {
        if unknown.iter().all(|known| known.because != key)
            && let Some(mut cannot) = Cannot::new(key, is_trace)
        {
            if let Some(Missing { reason, option, .. }) = said {
                cannot.say = (*reason).to_owned();
                if !option.is_empty() {
                    cannot.record = vec![option.clone().into_owned()];
                }
            }
            unknown.push(cannot);
        }
    };
    of_capture(judged).into_iter().filter(|(_, is_unknown)| *is_unknown).for_each(|(key, _)| add(key, None));
    for missing in &overview.missing {
        if let Some(key) = reason_of(missing, judged) {
            add(key, Some(missing));
        }
    }
    of_host(judged).into_iter().filter(|(_, is_unknown)| *is_unknown).for_each(|(key, _)| add(key, None));
    unknown
}

/// What comes first, because it hides all else.
fn of_capture(judged: &Judged) -> [(&'static str, bool); 6] {
    let counted = |code| judged.capture.diagnostics.counted(code) > 0;
    let is_cold = dlprof_core::verdict_class(judged) == "too_short";
    [
        ("program_failed", counted(DiagnosticCode::ProgramFailed)),
        ("lost_records", counted(DiagnosticCode::LostRecords) || judged.lacks_records()),
        ("no_kernels", !judged.has_kernel_records()),
        ("no_launches", judged.launches_nothing()),
        ("no_api_calls", judged.capture.api_calls.is_empty()),
        ("too_short", is_cold),
    ]
}

/// The reason for a figure that the first page lacks.
fn reason_of(missing: &Missing, judged: &Judged) -> Option<&'static str> {
    Some(match missing.figure {
        "iterations" => "no_step",
        "input" => "no_os_calls",
        "ops" => "no_nvtx",
        "occupancy" => "peaks_unknown",
        "kernel_kinds" => "kinds_unknown",
        "graphs" => "graphs_recorded_whole",
        "tensor_cores" => "name_does_not_tell",
        "idle_causes" if judged.capture.host.samples.thread.is_empty() => "no_cpu_samples",
        _ => return None,
    })
}

/// What would tell more of the host and of kernels.
fn of_host(judged: &Judged) -> [(&'static str, bool); 6] {
    let capture = &judged.capture;
    let has_types = capture.description.labels.iter().any(|label| !label.data_type.is_empty());
    [
        ("no_os_calls", capture.host.os_calls.is_none()),
        ("no_cpu_samples", capture.host.samples.thread.is_empty()),
        ("no_gpu_metrics", capture.metric_samples.time.is_empty()),
        ("no_allocations", judged.gpu_memory().is_empty()),
        ("no_shapes", !has_types),
        ("needs_ncu", capture.counters.is_none()),
    ]
}

/// What is not known of a capture that cannot be opened, because it holds no work; `None` of other errors.
#[must_use]
pub fn cannot_of_error(error: &Error) -> Option<Vec<Cannot>> {
    let Error::NoEvents { failure, .. } = error else { return None };
    let reason = |key| Cannot::new(key, false);
    let why = match failure {
        None => vec![reason("no_records")],
        Some(failure) if could_not_start(failure) => {
            vec![reason("not_started"), reason("program_failed"), reason("no_records")]
        }
        Some(_) => vec![reason("program_failed"), reason("no_records")],
    };
    Some(why.into_iter().flatten().collect())
}
