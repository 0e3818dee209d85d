//! What to do about findings of traces of torch.profiler, in its words.

use super::finding::Finding;
use super::scene::Scene;
use super::sentence::{Figure, Sentence};
use crate::base::ids::WorkId;
use crate::base::time::total;
use crate::capture::CaptureContents;
use crate::capture::classified::Cause;
use crate::capture::names::StepMark;
use crate::figures::activity::LongGap;
use crate::read::facts::Vendor;

/// The page about torch.profiler.
const PAGE: &str = "https://pytorch.org/docs/stable/profiler.html";

/// Whether a server marks its steps, so that its profiler is its own.
fn has_marks(capture: &CaptureContents) -> bool {
    let mut texts = capture.ranges.texts.iter();
    texts.any(|says| StepMark::parse(capture.strings.get(says.text)).is_some())
}

/// How to mark steps of a trace that has none, or how to record more of them.
pub(super) fn steps(capture: &CaptureContents) -> &'static str {
    match capture.profiler_steps() {
        0 if has_marks(capture) => "Let the profiler of the server record more of its steps",
        0 => {
            "Call `prof.step()` after each step (`schedule=torch.profiler.schedule(wait=1, warmup=1, active=3)`), or name an \
             op or range that runs once per iteration with `--key-node`"
        }
        _ => {
            "Record more steps: `schedule=torch.profiler.schedule(wait=1, warmup=1, active=3)` records three; \
             `--iter-range` chooses other iterations"
        }
    }
}

/// What to do about records that are missing.
pub(super) const FEWER_RECORDS: &str = "Figures of this trace are too low. Record fewer steps (`torch.profiler.schedule(wait=…, warmup=…, active=3)`), without \
     `with_stack` and `profile_memory`";

/// What to do about work that is done once.
pub(super) const LATER_STEPS: &str = "Record later steps: `schedule(wait=10, warmup=2, active=3)` with `prof.step()` after each step leaves out what is done \
     once";

impl Finding {
    /// With the page about what recorded the capture, where that is torch.profiler: it says how to record more.
    pub(super) fn about_recording(mut self, capture: &CaptureContents) -> Self {
        if capture.recorder.is_torch_profiler() {
            self.link = PAGE.into();
        }
        self
    }

    /// Of a host that is too slow, with what the profiler recorded that makes it so.
    pub(super) fn slowed_by_profiler(mut self, capture: &CaptureContents) -> Self {
        if let Some(slow) = capture.what_slows_host() {
            let advice = Figure::Clause(Box::new(self.recommendation));
            let [what, options] = slow.map(|words| Figure::Text(words.to_owned()));
            self.recommendation = Sentence::new(
                "{}. The profiler recorded {}, which makes the host slower than it is: measure again without {}",
                vec![advice, what, options],
            );
        }
        self
    }
}

/// What to do about gaps that end in work whose launch was not recorded.
pub(super) const LAUNCHED_BEFORE: &str = "These gaps end in work that was launched before the recording began, so that nothing says what the host did. Leave out \
     the first step (`--iter-start 2`), or record more steps";

/// What to do about gaps that end in work whose call is not in the trace.
pub(super) const CALLS_MISSING: &str = "These gaps end in work whose API call is not in the trace, so that nothing says what the host did. Take the trace as the \
     profiler wrote it, or record fewer steps";

/// What to do about streams that may wait for work that was started before the recording.
pub(super) fn started_before(capture: &CaptureContents) -> &'static str {
    match capture.recorder.vendor {
        _ if has_marks(capture) => {
            "GPUs may be at work there: what was started before the recording is not in the trace. Let the profiler of the server \
             record more of its steps, and look at later ones"
        }
        Vendor::Nvidia | Vendor::Amd => {
            "GPUs may be at work there: what was started before the recording is not in the trace. Record several steps and look \
             at later ones (`schedule(wait=1, warmup=1, active=3)`), or let GPUs finish before the profiler starts \
             (`torch.cuda.synchronize()`)"
        }
        _ => {
            "GPUs may be at work there: what was started before the recording is not in the trace. Record several steps and look \
             at later ones (`schedule(wait=1, warmup=1, active=3)`), or let GPUs finish before the profiler starts"
        }
    }
}

/// Whether most of the idle time of the cause `unknown` lies in a trace of torch.profiler before the first item of a stream: what
/// that one waits for may have been started before the recording.
pub(super) fn waits_for_earlier_work(scene: &Scene<'_>) -> bool {
    let capture = &scene.profile.capture;
    let unknown_ns = scene.idle(&[Cause::Unknown]);
    if !capture.recorder.is_torch_profiler() || unknown_ns == 0 {
        return false;
    }
    let gaps = scene.figures().gpus.gaps.reaching_into(scene.span);
    let unknown: Vec<LongGap> = gaps.into_iter().filter(|gap| gap.cause == Cause::Unknown).collect();
    let first = first_of_streams(capture);
    let is_first = |gap: &&LongGap| first[capture.work.stream[gap.ended_by].index()] == Some(gap.ended_by);
    let first_ns = total(unknown.iter().filter(is_first).map(|gap| gap.span.clip(scene.span).length()));
    2 * first_ns > unknown_ns
}

/// By stream: its first item.
fn first_of_streams(capture: &CaptureContents) -> Vec<Option<WorkId>> {
    let mut first: Vec<Option<WorkId>> = vec![None; capture.streams.len()];
    for work in capture.work_ids() {
        let first = &mut first[capture.work.stream[work].index()];
        let start = |work: WorkId| (capture.work.span[work], work);
        if first.is_none_or(|earlier| start(work) < start(earlier)) {
            *first = Some(work);
        }
    }
    first
}
