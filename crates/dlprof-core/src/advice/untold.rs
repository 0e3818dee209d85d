//! What to do about idle time whose cause takes most of it, and about time that nothing tells about.

use super::of_torch::started_before;
use super::scene::Scene;
use super::unexplained::Unexplained;
use crate::base::time::total;
use crate::capture::classified::Cause;

/// Functions of Python that have less than this part of the time that nothing tells about say nothing of it.
const LEAST_PART_IN_PYTHON: i64 = 10;

/// What to do about time that nothing tells about.
pub(super) fn untold_time(scene: &Scene<'_>) -> &'static str {
    let untold_ns = scene.idle(&[Cause::Unknown, Cause::NoApiCall]);
    let in_python_ns = total(scene.profile.idle_python().iter().map(|function| function.waiting_ns));
    let has_stacks = !scene.profile.capture.host.python.span.is_empty();
    match has_stacks && LEAST_PART_IN_PYTHON * in_python_ns >= untold_ns {
        _ if scene.unexplained() == Unexplained::EarlierWork => started_before(&scene.profile.capture),
        false if has_stacks => {
            "The recorded functions of Python have little of it: mark the parts of a step with `torch.profiler.record_function`"
        }
        false => {
            "Record Python stacks for one run (`profile(with_stack=True)`): `dlprof-agg show idle-python` then \
             names the functions that the program was in while GPUs waited; or mark the parts of a step with \
             `torch.profiler.record_function`"
        }
        true => {
            "`dlprof-agg show idle-python` names the Python functions that the thread which launches was in \
             meanwhile; `torch.profiler.record_function` around parts of them says more"
        }
    }
}

/// What to do about the cause of idle time that takes most of it.
pub(super) fn advice_for(scene: &Scene<'_>, cause: Cause) -> &'static str {
    let capture = &scene.profile.capture;
    match (capture.recorder.is_torch_profiler(), cause) {
        (true, Cause::Unknown | Cause::NoApiCall) => untold_time(scene),
        (true, Cause::HostIssue | Cause::Launch | Cause::Turnaround) if !capture.is_of_nvidia() => {
            "Use fused kernels, larger batches or a compiled model"
        }
        _ => cause.definition().advice,
    }
}
