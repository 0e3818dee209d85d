//! What to do about findings of traces of torch.profiler: how to record more is said in its words, not in those of nsys.

use super::finding::{Finding, NO_KERNELS};
use super::scene::Scene;
use super::sentence::{Figure, Sentence};
use crate::base::diagnostics::DiagnosticCode;
use crate::base::ids::WorkId;
use crate::base::time::total;
use crate::capture::CaptureContents;
use crate::capture::classified::Cause;
use crate::figures::activity::LongGap;
use crate::read::facts::Vendor;

/// Words by which advice speaks of nsys or its options.
const OF_NSYS: &[&str] = &[
    "nsys",
    "NVTX",
    "nvtx",
    "--trace",
    "--sample",
    "--cuda-",
    "--capture-range",
    "--duration",
    "--python",
    "cudaProfilerStart",
];

/// By rule: the advice where nsys is named in that of other captures.
const INSTEAD: &[(&str, &str)] = &[
    (
        "dropped_records",
        "Figures of this trace are too low. Record fewer steps (`torch.profiler.schedule(wait=…, warmup=…, active=3)`), without \
         `with_stack` and `profile_memory`",
    ),
    (
        "no_gpu_trace",
        "Record the GPU as well: `profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])`; in a container check that \
         CUPTI or ROCm may trace it (rights, driver, no other profiler)",
    ),
    (
        "waits_without_work",
        "Find out what runs there before removing waits: look whether another program uses the GPU (`nvidia-smi`), and whether a \
         library starts work that the profiler does not record",
    ),
    ("no_iterations_detector", STEPS),
    ("iteration_range_detector", STEPS),
    ("unsteady_iterations", STEPS),
    (
        "no_nvtx",
        "Record operators as well: `profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])`, call `prof.step()` after \
         each step, and mark its parts with `torch.profiler.record_function`",
    ),
    ("unexplained_idle", WITHOUT_STACKS),
    (
        "profiler_overhead",
        "Measure again without `with_stack`, `profile_memory` and `record_shapes`, and with a warm-up: \
         `schedule(wait=1, warmup=1, active=3)`",
    ),
    (
        "device_stall",
        "Shares of this trace mislead. Record every process that uses the GPU, each with its own trace, and nothing else on it",
    ),
    (
        "warm_up_in_range",
        "Record later steps: `schedule(wait=10, warmup=2, active=3)` with `prof.step()` after each step leaves out what is done \
         once",
    ),
];

/// What shows the state of GPUs: of NVIDIA, and of AMD.
const OF_AMD: &[(&str, &str)] = &[
    (
        "`nvidia-smi -q -d CLOCK,POWER,TEMPERATURE,PERFORMANCE`",
        "`amd-smi metric --clock --power --temperature`, or `rocm-smi`",
    ),
    ("`nvidia-smi -q -d CLOCK,PERFORMANCE`", "`amd-smi metric --clock`, or `rocm-smi`"),
    ("`nvidia-smi topo -m`", "`amd-smi topology`, or `rocm-smi --showtopo`"),
    (
        "`.to(memory_format=torch.channels_last)` for both",
        "`.to(memory_format=torch.channels_last)` for both, with `PYTORCH_MIOPEN_SUGGEST_NHWC=1` in the environment, without which \
         MIOpen may compute in the other layout all the same",
    ),
    ("`nvidia-smi`", "`amd-smi process`, or `rocm-smi --showpids`"),
];

/// What to do where the end of a trace is missing, and kernels with it.
const WHOLE_TRACE: &str = "Record again, and wait until the program has written the whole trace: kernels may stand behind the place where this one ends";

/// How to mark steps.
const STEPS: &str = "Call `prof.step()` after each step (`schedule=torch.profiler.schedule(wait=1, warmup=1, active=3)`), or name an \
     op or range that runs once per iteration with `--key-node`; `--iter-range` chooses other iterations";

/// The same where steps were marked, but not enough of them recorded.
const MORE_STEPS: &str = "Record more steps: `schedule=torch.profiler.schedule(wait=1, warmup=1, active=3)` records three; \
     `--iter-range` chooses other iterations";

/// What to do about time that nothing tells about.
const WITHOUT_STACKS: &str = "Record Python stacks for one run (`profile(with_stack=True)`): `dlprof-agg show idle-python` then \
     names the functions that the program was in while GPUs waited; or mark the parts of a step with \
     `torch.profiler.record_function`";

/// The same where stacks were recorded.
const WITH_STACKS: &str = "`dlprof-agg show idle-python` names the Python functions that the thread which launches was in \
     meanwhile; `torch.profiler.record_function` around parts of them says more";

/// What is said of the profiler where a trace was made with what makes the host slow.
const INFLATED: &str =
    "{}. The profiler recorded {}, which makes the host slower than it is: measure again without {}";

/// Rules about hosts that are too slow, which may be the doing of the profiler.
const ABOUT_SLOW_HOSTS: &[&str] = &["launch_bound", "cpu_work_between"];

/// Says how to record more in the words of torch.profiler.
pub(super) fn reword(capture: &CaptureContents, finding: &mut Finding) {
    if !capture.recorder.is_torch_profiler() {
        return;
    }
    if capture.recorder.vendor == Vendor::Amd {
        finding.recommendation = finding.recommendation.with_words(OF_AMD);
    }
    if finding.id == NO_KERNELS && capture.diagnostics.counted(DiagnosticCode::CutTrace) > 0 {
        finding.recommendation = WHOLE_TRACE.into();
    }
    let text = finding.recommendation.text(|_| String::new());
    if OF_NSYS.iter().any(|word| text.contains(word)) {
        let has_stacks = !capture.host.python.span.is_empty();
        let own = INSTEAD.iter().find(|(rule, _)| *rule == finding.id).map(|(_, advice)| *advice);
        let advice = match own.unwrap_or(WITHOUT_STACKS) {
            STEPS if capture.profiler_steps() > 0 => MORE_STEPS,
            WITHOUT_STACKS if has_stacks => WITH_STACKS,
            advice => advice,
        };
        finding.recommendation = advice.into();
        finding.link = "https://pytorch.org/docs/stable/profiler.html".into();
    }
    if finding.problem.text(|_| String::new()).starts_with("nsys says") {
        let figures = finding.problem.figures().to_vec();
        finding.problem = Sentence::new("The profiler says that records are missing: {}", figures);
    }
    if let Some(slow) = capture.what_slows_host()
        && ABOUT_SLOW_HOSTS.contains(&finding.id.as_ref())
    {
        let advice = Figure::Clause(Box::new(finding.recommendation.clone()));
        let [what, options] = slow.map(|words| Figure::Text(words.to_owned()));
        finding.recommendation = Sentence::new(INFLATED, vec![advice, what, options]);
    }
}

/// What to do about the cause of idle time that takes most of it.
pub(super) fn advice_for(capture: &CaptureContents, cause: Cause) -> &'static str {
    let advice = cause.definition().advice;
    match capture.recorder.is_torch_profiler() && OF_NSYS.iter().any(|word| advice.contains(word)) {
        false => advice,
        true if capture.host.python.span.is_empty() => WITHOUT_STACKS,
        true => WITH_STACKS,
    }
}

/// What to do about gaps that end in work whose launch was not recorded.
pub(super) const LAUNCHED_BEFORE: &str = "These gaps end in work that was launched before the recording began, so that nothing says what the host did. Leave out \
     the first step (`--iter-start 2`), or record more steps";

/// What to do about streams that may wait for work that was started before the recording.
pub(super) const STARTED_BEFORE: &str = "GPUs may be at work there: what was started before the recording is not in the trace. Record several steps and look at \
     later ones (`schedule(wait=1, warmup=1, active=3)`), or let GPUs finish before the profiler starts \
     (`torch.cuda.synchronize()`)";

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_gpus_of_amd_no_advice_names_a_tool_of_nvidia() {
        let rules =
            [include_str!("rules/clocks.rs"), include_str!("rules/gpus.rs"), include_str!("rules/stalls.rs")];
        let mut found = 0;
        for rules in rules {
            // Texts that go on in the next line.
            let lines: Vec<&str> = rules.lines().map(str::trim).collect();
            let joined = lines.join(" ").replace("\\ ", "");
            for command in joined.split('`').filter(|words| words.starts_with("nvidia-smi")) {
                let quoted = format!("`{command}`");
                assert!(OF_AMD.iter().any(|(known, _)| *known == quoted), "{quoted}");
                found += 1;
            }
        }
        let layout = "Keep it so: `.to(memory_format=torch.channels_last)` for both";
        let of_amd = Sentence::from(layout).with_words(OF_AMD).to_string();
        assert!(of_amd.contains("PYTORCH_MIOPEN_SUGGEST_NHWC=1"), "{of_amd}");
        assert!(found > 4, "advice names the tool {found} times");
        let figures = vec![
            Figure::Clause(Box::new("Look at it (`nvidia-smi`)".into())),
            Figure::Text("then at the links (`nvidia-smi topo -m`)".into()),
        ];
        let sentence =
            Sentence::new("First `nvidia-smi topo -m`. {}, {}", figures).with_words(OF_AMD).to_string();
        assert!(sentence.contains("amd-smi process") && !sentence.contains("nvidia"), "{sentence}");
    }
}
