//! Where the figures come from, in words: file, mode, iterations. The dashboard and all reports use these texts.

use dlprof_core::DefaultRange;
use dlprof_core::profile::{Clock, Profile};
use dlprof_core::ratios::to_f64;

/// The name of the file, without its folder.
pub(crate) fn file_name(profile: &Profile) -> String {
    let path = &profile.capture.source.path;
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The mode in which ranges became ops, and why it was chosen.
pub(crate) fn mode(profile: &Profile) -> String {
    format!("{}, {}", profile.capture.mode.as_str(), profile.capture.mode_reason)
}

/// What is shown for a figure that cannot be known.
pub(crate) const UNKNOWN: &str = "–";

/// Whether the capture says how much time is in a class of [`Resources::by_class`](dlprof_core::index::Resources::by_class);
/// a class that is not known is shown as unknown or left out, never as 0.
pub(crate) fn is_known_class(profile: &Profile, class: &str) -> bool {
    match class {
        "Data loader" => profile.summary.knows_dataloader,
        "I/O" => profile.summary.knows_io,
        "TC kernels" | "Other kernels" => profile.has_kernel_records(),
        _ => true,
    }
}

/// What the wall clock of the figures is.
pub(crate) fn window_name(profile: &Profile) -> &'static str {
    match profile.iterations.key_node {
        None if profile.has_gpu_work() => "GPU span",
        None => "Span of ops",
        Some(_) => "Wall clock time",
    }
}

/// Which iterations the figures are of, and what is left out and why; without iterations, what the window is.
pub(crate) fn iteration_range(profile: &Profile) -> String {
    let iterations = &profile.iterations;
    let capture_ns = iterations.boundaries.last().copied().unwrap_or(0);
    if iterations.key_node.is_none() {
        let seconds = |ns| format!("{:.3} s", to_f64(ns) / 1e9);
        let window = seconds(profile.summary.wall_clock_ns);
        return format!("{} {window} of {} captured", window_name(profile), seconds(capture_ns));
    }
    let (start, stop) = (iterations.start, iterations.stop);
    let last = iterations.last_iteration().max(stop);
    let range = format!("{start} to {stop} of 0 to {last}");
    let why = why(profile);
    if why.is_empty() { range } else { format!("{range} ({})", why.join("; ")) }
}

/// Why this range, what is left out of it, and how to get everything; nothing where everything is in it.
fn why(profile: &Profile) -> Vec<String> {
    let iterations = &profile.iterations;
    let last = iterations.last_iteration();
    let mut why = Vec::new();
    if iterations.start == 0 && iterations.stop >= last {
        if iterations.choice.otherwise != DefaultRange::All && iterations.steady_range().is_none() {
            why.push("all: no three steady iterations follow each other".to_owned());
        }
        return why;
    }
    if iterations.steady_range() == Some((iterations.start, iterations.stop)) {
        why.push("steady".to_owned());
    }
    if iterations.start > 0 {
        why.push("0 is what comes before the first".to_owned());
    }
    why.push("all: --iter-range all".to_owned());
    why
}

/// On which clock the iterations are, where that is not the CPU's.
pub(crate) fn clock(profile: &Profile) -> Option<&'static str> {
    (profile.summary.clock == Clock::Gpu)
        .then_some("Clock: GPU; an iteration lasts from the start of its GPU work to that of the next one")
}

/// How many GPUs of the machine are used, where some are not.
pub(crate) fn gpus_used(profile: &Profile) -> Option<String> {
    let (used, all) = (profile.iterations.windows.used.len(), profile.index.split.gpus);
    (used < all && profile.has_gpu_work()).then(|| format!("{used} of {all} GPUs used"))
}
