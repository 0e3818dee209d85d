//! The rules: a function and a description each, in one list.

mod attention;
mod blocked;
mod buffers;
mod capture;
mod clocks;
mod copies;
mod copy_direction;
mod dependency;
mod dlprof;
mod elementwise;
mod fill;
mod gpus;
mod half;
mod host;
mod kept_memory;
mod kernels;
mod managed;
mod markers;
mod matrix;
mod measured;
mod ops;
mod outliers;
mod pauses;
mod range;
mod records;
mod scattered;
mod slowed;
mod small_copies;
mod stall_words;
mod stalls;
mod wait_words;
mod waits;

pub(super) use capture::GRAPHS;
pub(super) use pauses::waits_for_thread;

use crate::advice::finding::{EvidenceKind, Finding};
use crate::advice::kernels::Kernel;
use crate::advice::question::Question;
use crate::advice::rule::Rule;
use crate::advice::scene::Scene;
use crate::advice::sentence::{Figure, Sentence};
use crate::advice::small_copies::SmallCopies;
use crate::read::facts::{Shows, Vendor};

/// DLProf's detectors, in the order of its reports.
pub(crate) const DLPROF_RULES: &[Rule] = dlprof::RULES;

/// Our rules, by what they are about.
pub(crate) const OUR_RULES: &[Rule] = &[
    capture::NO_GPU_TRACE,
    records::DROPPED_RECORDS,
    records::WAITS_WITHOUT_WORK,
    records::THINNED_TRACE,
    records::CAPTURED_LAUNCHES,
    slowed::LAUNCH_BLOCKING,
    stalls::UNTRACED_WORK,
    slowed::ANOMALY_MODE,
    slowed::PROFILER_OVERHEAD,
    markers::MARKER_OVERHEAD,
    capture::NO_NVTX,
    capture::UNEXPLAINED_IDLE,
    capture::GRAPH_GRANULARITY,
    range::WARM_UP_IN_RANGE,
    range::AUTOTUNING_IN_RANGE,
    outliers::UNSTEADY_ITERATIONS,
    host::INPUT_BOUND,
    host::LAUNCH_BOUND,
    host::CPU_WORK_BETWEEN,
    buffers::BUFFER_BROADCASTS,
    waits::SERIALISED_LAUNCHES,
    waits::SYNC_IN_STEP,
    range::ALLOCATION_IN_STEP,
    range::BETWEEN_ITERATIONS,
    stalls::HOST_PAUSE,
    blocked::HOST_COMMUNICATION,
    blocked::OS_CALL_WAITS,
    copies::PAGEABLE_COPIES,
    copies::EXPOSED_COPIES,
    managed::MANAGED_MEMORY,
    small_copies::MANY_SMALL_COPIES,
    gpus::EXPOSED_COMMUNICATION,
    gpus::STRAGGLER_GPU,
    stalls::DEVICE_STALL,
    dependency::STREAM_DEPENDENCY,
    matrix::FP32_MATRIX,
    matrix::FP32_MATRIX_PRE_AMPERE,
    matrix::FP64_MATH,
    half::HALF_MATRIX,
    ops::TC_SHAPES,
    ops::PER_PARAMETER_OPTIMIZER,
    kernels::TINY_KERNELS,
    kernels::LAYOUT_TRANSPOSES,
    elementwise::MEMORY_BOUND_OPS,
    elementwise::ELEMENTWISE_KERNELS,
    attention::UNFUSED_ATTENTION,
    attention::OLDER_ATTENTION,
    fill::TAIL_HEAVY,
    fill::UNDERFILLED,
    fill::LOW_OCCUPANCY,
    kernels::KERNEL_HOTSPOT,
    clocks::CLOCKS,
    measured::TENSOR_PIPE_IDLE,
    scattered::UNCOALESCED,
    measured::LATENCY_BOUND,
    measured::OCCUPANCY_NOT_REACHED,
    measured::AT_MEMORY_ROOF,
    measured::MORE_WORK_THAN_SHAPES,
];

/// Fewer launches say nothing.
const FEWEST_LAUNCHES: u64 = 50;

/// Of the time that GPUs wait for launches, what fewer launches are likely to save.
const MOST_OF_GAPS: f64 = 0.8;

/// An iteration of fewer launches has none to spare.
const FEWEST_PER_ITERATION: f64 = 5.0;

/// What to do about launches that [`comes_with_copies`] speaks of.
const LAUNCHES_WITH_COPIES: &str = "Nearly every launch comes with a small copy: make these one copy first";

/// The finding on many small copies, where nearly all launches are made once for each of them.
fn comes_with_copies(scene: &Scene<'_>, launches: u64) -> Option<&'static str> {
    let is_one = |found: &SmallCopies| found.has_nearly_all(|rounds| rounds.launches, launches);
    scene.small_copies().is_some_and(is_one).then_some(small_copies::MANY_SMALL_COPIES.id)
}

/// That a program shows what limits some kernels, as the end of a sentence; nothing where no such program is known.
pub(super) fn shows_what_limits(vendor: Vendor, which: &'static str) -> Figure {
    Figure::Text(
        vendor
            .kernel_profiler()
            .map_or_else(String::new, |program| format!("; {program} shows what limits {which}")),
    )
}

/// A sentence in which a place is a command of the maker of the GPUs that shows something of them.
fn with_command(words: &'static str, scene: &Scene<'_>, shows: Shows) -> Sentence {
    Sentence::new(words, vec![Figure::Text(scene.vendor().command(shows).to_owned())])
}

/// The demangled name of a kernel.
fn name_of(scene: &Scene<'_>, kernel: &Kernel) -> String {
    scene.profile.capture.strings.get(kernel.long_name).to_owned()
}

/// The short name of a kernel, cut in the middle where it is long.
fn short_of(scene: &Scene<'_>, kernel: &Kernel) -> String {
    const HALF: usize = 24;
    let name = scene.profile.capture.strings.get(kernel.short_name);
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= 2 * HALF {
        return name.to_owned();
    }
    letters[..HALF].iter().chain(&['…']).chain(&letters[letters.len() - HALF..]).collect()
}

/// With the most important of some kernels as evidence, and a condition of table `kernel_names` that finds them.
fn show_kernels(scene: &Scene<'_>, finding: Finding, kernels: &[&Kernel], condition: &str) -> Finding {
    const MOST: usize = 5;
    finding
        .about(EvidenceKind::Kernel, kernels.iter().take(MOST).map(|kernel| name_of(scene, kernel)))
        .show(Question::of("kernel_names").rows_where(condition).sorted_by(["-gpu_time_ns"]))
}
