//! What is not known of a capture, by the closed list of reasons.

use crate::display::{TimeUnit, sentence};
use crate::overview::{Missing, Overview};
use dlprof_core::{
    Because, CaptureContents, DiagnosticCode, Error, Judged, Recorder, RecorderKind, Vendor, could_not_start,
};
use serde::Serialize;

/// What only nsys and torch.profiler record, or Nsight Compute: there are no words for it of other recorders.
const OF_NVIDIA_ALONE: [&str; 8] = [
    "no_os_calls",
    "no_cpu_samples",
    "no_scheduling",
    "no_gpu_metrics",
    "no_allocations",
    "no_stacks",
    "needs_ncu",
    "name_does_not_tell",
];

/// What tells of the inside of kernels of AMD.
const OF_AMD: &str = "rocprof-compute profile shows it; its output is not read here";

/// The reason that a finding gives, where it says that the capture misleads.
const OF_MISLEADING: [(&str, &str); 5] = [
    ("captured_launches", "no_launches"),
    ("no_gpu_trace", "no_kernels"),
    ("dropped_records", "lost_records"),
    ("waits_without_work", "lost_records"),
    ("thinned_trace", "lost_records"),
];

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
    pub(super) fn new(key: &'static str, capture: &CaptureContents) -> Option<Self> {
        let (because, recorder) = (Because::named(key)?, capture.recorder);
        let is_of_trace = recorder.is_torch_profiler() && !is_asked_for(key, capture);
        let record = match because.record_in_torch {
            other if is_of_trace && !other.is_empty() => {
                in_words_of_maker(key, recorder.vendor).unwrap_or(other).to_owned()
            }
            _ => record(because, recorder),
        };
        let say = recorder.title_in_its_words(because.words).into_owned();
        Some(Self { because: because.key, say, record: vec![record] })
    }

    pub(super) fn texts(&mut self) -> impl Iterator<Item = &mut String> {
        std::iter::once(&mut self.say).chain(&mut self.record)
    }
}

/// Whether a trace was asked for what it lacks: to ask for it again does not help.
fn is_asked_for(key: &str, capture: &CaptureContents) -> bool {
    capture.kineto.as_ref().is_some_and(|notes| match key {
        "no_cpu_samples" | "no_stacks" => notes.with_stack,
        "no_allocations" => notes.profile_memory,
        "no_shapes" => notes.record_shapes,
        _ => false,
    })
}

/// What to record of GPUs that CUDA does not know.
fn in_words_of_maker(key: &str, vendor: Vendor) -> Option<&'static str> {
    match (vendor, key) {
        (Vendor::Amd, "no_gpu_metrics") => Some(OF_AMD),
        (Vendor::Intel, "no_kernels" | "no_records" | "no_api_calls") => {
            Some("profile(activities=[ProfilerActivity.CPU, ProfilerActivity.XPU])")
        }
        (
            Vendor::Intel | Vendor::Ascend | Vendor::Other,
            "no_kernels" | "no_records" | "no_api_calls" | "no_gpu_metrics",
        ) => Some("a profiler of the maker of the device"),
        _ => None,
    }
}

/// What to record, in the words of a recorder that has the like. What torch.profiler has not, a tool of the maker of the GPUs may have.
fn record(because: &Because, recorder: Recorder) -> String {
    let is_trace = recorder.is_torch_profiler();
    let kind =
        if is_trace && recorder.vendor == Vendor::Amd { RecorderKind::Rocprofv3 } else { recorder.kind };
    let recorder = Recorder { kind, ..recorder };
    let is_told = !recorder.has_own_words() || !OF_NVIDIA_ALONE.contains(&because.key);
    let of_nvidia = ["needs_ncu", "name_does_not_tell", "no_gpu_metrics"].contains(&because.key);
    match (recorder.vendor, because.key) {
        (Vendor::Intel | Vendor::Ascend | Vendor::Other, _)
            if of_nvidia || is_trace && because.record.contains("nsys") =>
        {
            "a profiler of the maker of the device".to_owned()
        }
        _ if is_told => recorder.in_its_words(because.record).into_owned(),
        (Vendor::Amd, "no_allocations") if recorder.kind != RecorderKind::Xla => {
            "rocprofv3 --memory-allocation-trace".to_owned()
        }
        (Vendor::Amd, _) if of_nvidia => OF_AMD.to_owned(),
        (Vendor::Amd, _) if is_trace => "rocprof-sys, whose records of the host are not read here".to_owned(),
        (Vendor::Amd, _) => {
            "a capture of torch.profiler, or rocprof-sys, whose output is not read here".to_owned()
        }
        _ => because.record.to_owned(),
    }
}

/// All that is not known of a capture, each reason once.
pub(super) fn unknowns(judged: &Judged, overview: &Overview) -> Vec<Cannot> {
    let recorder = judged.capture.recorder;
    let mut unknown = of_misleading(judged);
    let mut add = |key: &'static str, said: Option<&Missing>| {
        if unknown.iter().all(|known| known.because != key)
            && let Some(mut cannot) = Cannot::new(key, &judged.capture)
        {
            if let Some(Missing { reason, option, .. }) = said {
                cannot.say = recorder.in_its_words(reason).into_owned();
                // Graphs are one of several things of which names do not tell.
                let is_general = key == "name_does_not_tell";
                let is_of_others = recorder.has_own_words() && OF_NVIDIA_ALONE.contains(&key);
                if !option.is_empty() && !is_general && !is_of_others {
                    cannot.record = vec![recorder.in_its_words(option).into_owned()];
                }
            }
            unknown.push(cannot);
        }
    };
    of_capture(judged, overview)
        .into_iter()
        .filter(|(_, is_unknown)| *is_unknown)
        .for_each(|(key, _)| add(key, None));
    for missing in &overview.missing {
        if let Some(key) = missing.because {
            add(key, Some(missing));
        }
    }
    of_host(judged).into_iter().filter(|(_, is_unknown)| *is_unknown).for_each(|(key, _)| add(key, None));
    unknown
}

/// What findings say of records that are not there, each reason once, in their words and with their way out.
fn of_misleading(judged: &Judged) -> Vec<Cannot> {
    let mut unknown: Vec<Cannot> = Vec::new();
    for finding in judged.findings().iter().filter(|finding| finding.misleads) {
        let reason = OF_MISLEADING.iter().find(|(id, _)| finding.id == *id);
        if let Some((_, key)) = reason
            && unknown.iter().all(|known| known.because != *key)
            && let Some(mut cannot) = Cannot::new(key, &judged.capture)
        {
            let words = |said: &str| judged.capture.recorder.in_its_words(said).into_owned();
            cannot.say = words(&sentence(&finding.problem, TimeUnit::Auto));
            cannot.record.insert(0, words(&sentence(&finding.recommendation, TimeUnit::Auto)));
            unknown.push(cannot);
        }
    }
    unknown
}

/// What comes first, because it hides all else.
fn of_capture(judged: &Judged, overview: &Overview) -> [(&'static str, bool); 6] {
    let counted = |code| judged.capture.diagnostics.counted(code) > 0;
    let only_captured =
        judged.findings().iter().any(|found| found.misleads && found.id == "captured_launches");
    [
        ("program_failed", counted(DiagnosticCode::ProgramFailed)),
        ("lost_records", counted(DiagnosticCode::LostRecords) || judged.lacks_records() && !only_captured),
        ("no_kernels", judged.capture.counts().kernels == 0),
        ("no_launches", judged.launches_nothing()),
        ("no_api_calls", judged.capture.api_calls.is_empty()),
        ("too_short", overview.verdict_parts.class == "too_short"),
    ]
}

/// What would tell more of the host and of kernels.
fn of_host(judged: &Judged) -> [(&'static str, bool); 6] {
    let capture = &judged.capture;
    let has_types = capture.description.labels.iter().any(|label| !label.data_type.is_empty());
    [
        ("no_os_calls", capture.host.os_calls.is_none()),
        // Python functions tell what threads do as samples do.
        ("no_cpu_samples", capture.host.samples.thread.is_empty() && capture.host.python.span.is_empty()),
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
    let reason = |key| {
        let because = Because::named(key)?;
        let record = vec![because.record.to_owned()];
        Some(Cannot { because: because.key, say: because.words.to_owned(), record })
    };
    let why = match failure {
        None => vec![reason("no_records")],
        Some(failure) if could_not_start(failure) => {
            vec![reason("not_started"), reason("program_failed"), reason("no_records")]
        }
        Some(_) => vec![reason("program_failed"), reason("no_records")],
    };
    Some(why.into_iter().flatten().collect())
}
