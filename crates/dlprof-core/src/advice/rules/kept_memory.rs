//! Memory of the GPU that every iteration takes and none gives back.

use crate::advice::scene::Scene;
use crate::base::ids::ApiCallId;
use crate::capture::names::{ApiClass, without_version};

/// What takes memory of a GPU, by the start of the name. What follows in some functions is memory of the host.
const TAKES: [&str; 2] = ["cudaMalloc", "cuMemAlloc"];
const GIVES: [&str; 2] = ["cudaFree", "cuMemFree"];
const OF_HOST: [&str; 2] = ["Host", "Array"];

/// How many iterations show that it goes on.
const FEWEST_ITERATIONS: u32 = 3;

/// Calls that take memory which no iteration gives back.
pub(super) struct KeptMemory {
    /// The function of the first of them, without its version.
    pub(super) function: String,
    /// Number of calls in all iterations.
    pub(super) calls: u64,
}

/// Whether each iteration takes memory of the GPU and none gives any back; algorithms that are tried do not count.
pub(super) fn kept_memory(scene: &Scene<'_>) -> Option<KeptMemory> {
    if scene.iterations < FEWEST_ITERATIONS {
        return None;
    }
    let (facts, windows, whole) = (scene.facts(), scene.call_windows(), scene.call_span());
    let threads = &facts.activity().api_calls.thread;
    let name = |call: ApiCallId| {
        let name = facts.activity().api_calls.name[call].some();
        name.map_or("", |name| scene.profile.capture.strings.get(name))
    };
    let is_of = |call: ApiCallId, starts: &[&str]| {
        let end = starts.iter().find_map(|start| name(call).strip_prefix(start));
        end.is_some_and(|end| !OF_HOST.iter().any(|word| end.starts_with(word)))
    };
    let mut takes = vec![0_u64; windows.len()];
    let mut first = None;
    for (call, span) in facts.activity().counted_calls() {
        let is_in = (whole.start..whole.end).contains(&span.start)
            && facts.function(call).class == ApiClass::Allocation;
        if !is_in || scene.tried().is_open(threads[call], span.start) {
            continue;
        }
        if is_of(call, &GIVES) {
            return None;
        }
        let window = windows.partition_point(|window| window.end <= span.start);
        // A function that calls another one has a row of both.
        let is_first = first.is_none_or(|first| name(first) == name(call));
        if is_first
            && is_of(call, &TAKES)
            && windows.get(window).is_some_and(|window| window.start <= span.start)
        {
            takes[window] += 1;
            first.get_or_insert(call);
        }
    }
    let is_in_all = !takes.is_empty() && takes.iter().all(|&calls| calls > 0);
    let function = first.map(|call| without_version(name(call)).to_owned()).filter(|_| is_in_all)?;
    Some(KeptMemory { function, calls: takes.iter().sum() })
}
