//! What the figures are about: capture, iterations, key node, clock, mode, GPUs.

use super::aggregated::{about_range, range_in_words};
use crate::display::{TimeUnit, time};
use crate::origin;
use crate::text::shorten;
use dlprof_core::{DelimiterKind, Found, LongBefore, Ns, Profile, SamplesBefore, percent, to_f64};
use serde::Serialize;

/// What the figures are about.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Window {
    /// Name of the file, without its folder.
    pub capture: String,
    /// First iteration aggregated; `None` without iterations.
    pub first: Option<u32>,
    /// Last iteration aggregated, inclusive; `None` without iterations.
    pub last: Option<u32>,
    /// Last iteration of the capture; `None` without iterations.
    pub last_of_capture: Option<u32>,
    /// Whether the aggregated iterations are the stretch with most steady ones.
    pub is_steady: bool,
    /// Length of the window in nanoseconds: all aggregated iterations together.
    pub length_ns: Ns,
    /// Length of the capture in nanoseconds.
    pub captured_ns: Ns,
    /// What delimits iterations; `None` without iterations.
    pub key_node: Option<KeyNodeWords>,
    /// The clock of durations and shares: `cpu` or `gpu`.
    pub clock: &'static str,
    /// How ranges became ops, such as `nvtx`.
    pub mode: String,
    /// Why in this mode.
    pub mode_reason: String,
    /// GPUs with work.
    pub gpus_used: usize,
    /// GPUs of the machine.
    pub gpus: usize,
    /// What else may delimit iterations, best first, at most five.
    pub other_candidates: Vec<Candidate>,
    /// What else the finder says of the iterations, in sentences.
    pub remarks: Vec<String>,
    /// All of this in words, in parts to be joined: the first is the window, the second what delimits iterations.
    pub parts: Vec<String>,
}

/// What delimits iterations, and how it was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KeyNodeWords {
    /// Range, op or first kernel of a period.
    pub name: String,
    /// Kernels of a period; `None` for a range or an op.
    pub period_kernels: Option<u32>,
    /// Whether the user named it.
    pub is_named: bool,
    /// How sure the finder is: `medium` or `high`; `None` for a key node that was named.
    pub confidence: Option<&'static str>,
    /// How likely it delimits iterations, from 0 to 1; `None` for a key node that was named.
    pub score: Option<f64>,
    /// Process and thread whose executions count.
    pub thread: Option<String>,
}

/// What else may delimit iterations.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Candidate {
    /// What `--key-node` takes for it.
    pub name: String,
    /// Number of executions or periods.
    pub runs: usize,
    /// How likely it delimits iterations, from 0 to 1.
    pub score: f64,
}

pub(crate) fn window(profile: &Profile) -> Window {
    let iterations = &profile.iterations;
    let has = iterations.key_node.is_some();
    let (start, stop) = (iterations.start, iterations.stop);
    let key_node = key_node(profile);
    let mut window = Window {
        capture: origin::file_name(profile),
        first: has.then_some(start),
        last: has.then_some(stop),
        last_of_capture: has.then(|| iterations.last_iteration().max(stop)),
        is_steady: has && iterations.steady_range() == Some((start, stop)),
        length_ns: profile.summary.wall_clock_ns,
        captured_ns: profile.captured_ns(),
        key_node,
        clock: profile.summary.clock.as_str(),
        mode: profile.capture.description.mode.as_str().to_owned(),
        mode_reason: profile.capture.description.mode_reason.clone(),
        gpus_used: iterations.windows.used.len(),
        gpus: profile.index.split.gpus,
        other_candidates: candidates(profile),
        remarks: remarks(profile),
        parts: Vec::new(),
    };
    window.parts = parts(profile, &window);
    window
}

fn key_node(profile: &Profile) -> Option<KeyNodeWords> {
    let iterations = &profile.iterations;
    let key_node = iterations.key_node.as_ref()?;
    let found = iterations.found.as_ref();
    let period_kernels = found.and_then(|found| match found.kind {
        DelimiterKind::Range => None,
        DelimiterKind::Period { kernels } => Some(kernels),
    });
    Some(KeyNodeWords {
        name: key_node.name.clone(),
        period_kernels,
        is_named: key_node.found == Found::ByUser,
        confidence: found.map(|found| found.confidence.as_str()),
        score: found.and_then(|_| iterations.candidates.first()).map(|best| best.score),
        thread: key_node.thread.some().map(|thread| profile.capture.thread_in_words(thread)),
    })
}

fn candidates(profile: &Profile) -> Vec<Candidate> {
    const MOST: usize = 5;
    let iterations = &profile.iterations;
    let others = iterations.candidates.iter().skip(usize::from(iterations.found.is_some()));
    let candidate = |other: &dlprof_core::IterationCandidate| Candidate {
        name: other.key_node.clone(),
        runs: other.executions,
        score: other.score,
    };
    others.take(MOST).map(candidate).collect()
}

fn remarks(profile: &Profile) -> Vec<String> {
    let clock = origin::clock(profile).map(str::to_owned);
    let found = profile.iterations.found.as_ref();
    let sections =
        found.filter(|found| !found.sections.others.is_empty()).map(|found| found.sections.to_string());
    let rhythm = found.and_then(|found| found.inner_rhythm).map(|rhythm| rhythm.to_string());
    [first_of_equals(profile), clock, sections, rhythm].into_iter().flatten().collect()
}

/// Why a range delimits iterations though another one that runs as often has a higher score.
fn first_of_equals(profile: &Profile) -> Option<String> {
    profile.iterations.found.as_ref()?;
    let (chosen, others) = profile.iterations.candidates.split_first()?;
    let is_better = |other: &dlprof_core::IterationCandidate| {
        other.kind == chosen.kind && other.executions == chosen.executions && other.score > chosen.score
    };
    let better = others.iter().find(|other| is_better(other))?;
    Some(format!("it begins before `{}`, which runs as often", better.key_node))
}

/// The window of a capture without iterations: `GPU span, 0.300 s of 60.411 s captured`.
fn span_in_words(profile: &Profile, window: &Window) -> String {
    let seconds = |ns| time(to_f64(ns), TimeUnit::Auto);
    let (name, length) = (origin::window_name(profile), seconds(window.length_ns));
    let captured = seconds(window.captured_ns);
    match profile.iterations.warm_up.as_ref().filter(|_| profile.iterations.start > 0) {
        Some(range) => format!(
            "{name} after {}, from {} on, {length} of {captured} captured (all: --iter-range all)",
            range.name,
            seconds(range.end_ns)
        ),
        None => format!("{name}, {length} of {captured} captured{}", small_share(window)),
    }
}

/// `CUDA calls, ranges and GPU work only from 155.358 s to 156.327 s`, where the rest of the capture has none.
fn recorded_part(profile: &Profile) -> Option<String> {
    let part = profile.recorded_part().filter(|_| profile.capture.description.cut.is_none())?;
    let [start, end] = [part.start, part.end].map(|ns| time(to_f64(ns), TimeUnit::Auto));
    let words = format!("CUDA calls, ranges and GPU work only from {start} to {end}");
    Some(profile.capture.recorder.title_in_its_words(&words).into_owned())
}

/// Where no step repeats, the range that runs twice, with its times and how to see the second run alone.
fn run_twice(profile: &Profile) -> Option<String> {
    let twice = profile.run_twice()?;
    let [first, second] = [twice.first, twice.second].map(|run| time(to_f64(run.length()), TimeUnit::Auto));
    Some(format!(
        "`{}` runs twice: {first}, then {second} ({})",
        shorten(&twice.name, LONGEST_NAME),
        twice.second_alone()
    ))
}

/// `before it: 2.905 s in `warm up` (of it 1.109 s in `cudaLaunchKernel`)`: what takes a thread long before the window, and most
/// CPU samples where they lie there.
fn before(profile: &Profile) -> Option<String> {
    const MOST: usize = 2;
    let long = profile.long_before();
    let words = |ns, one: &LongBefore| {
        let first = if one.is_first_call { ", the first CUDA call" } else { "" };
        // Of a part the profiler's time is not known.
        let without = match ns == one.time_ns && 100 * one.profiler_ns >= ns {
            true => format!(", without {} of the profiler", time(to_f64(one.profiler_ns), TimeUnit::Auto)),
            false => String::new(),
        };
        let name = shorten(&one.name, LONGEST_NAME);
        format!("{} in `{name}`{first}{without}", time(to_f64(ns), TimeUnit::Auto))
    };
    let mut words: Vec<String> = match long.as_slice() {
        // Of what is mostly inside the longest, this part is told.
        [longest, other, ..] if 2 * other.in_longest_ns > other.time_ns => {
            let (all, part) = (words(longest.time_ns, longest), words(other.in_longest_ns, other));
            vec![format!("{all} (of it {part})")]
        }
        several => several.iter().take(MOST).map(|one| words(one.time_ns, one)).collect(),
    };
    words.extend(profile.samples_before().as_ref().map(samples_in_words));
    (!words.is_empty()).then(|| format!("before it: {}", words.join(", ")))
}

/// `12860 of 13303 CPU samples, 5880 of them in `generate_canonical``.
fn samples_in_words(samples: &SamplesBefore) -> String {
    let SamplesBefore { before, all, most_in } = samples;
    let most = most_in.as_ref().map_or_else(String::new, |(name, samples)| {
        format!(", {samples} of them in `{}`", shorten(name, LONGEST_NAME))
    });
    format!("{before} of {all} CPU samples{most}")
}

/// Columns of the name of a range or call.
const LONGEST_NAME: usize = 40;

/// A window below this share of the capture is said to be small.
const SMALL_PERCENT: f64 = 20.0;

/// ` (0.3 %)`: the share of the capture that a small window has.
fn small_share(window: &Window) -> String {
    let share = percent(window.length_ns, window.captured_ns);
    if window.captured_ns > 0 && share < SMALL_PERCENT { format!(" ({share:.1} %)") } else { String::new() }
}

/// The window in words, most important first.
fn parts(profile: &Profile, window: &Window) -> Vec<String> {
    let mut parts = Vec::new();
    parts.push(match window.first {
        Some(_) => match small_share(window) {
            share if share.is_empty() => range_in_words(profile),
            share => {
                let seconds = |ns| time(to_f64(ns), TimeUnit::Auto);
                let (length, captured) = (seconds(window.length_ns), seconds(window.captured_ns));
                format!("{}, {length} of {captured} captured{share}", range_in_words(profile))
            }
        },
        None => span_in_words(profile, window),
    });
    parts.push(match &window.key_node {
        Some(node) => match node.period_kernels {
            Some(kernels) => format!("{} from {}", period_in_words(kernels), node.name),
            None => format!("key node {}", node.name),
        },
        None => "no repeating step, figures are of the whole window".to_owned(),
    });
    if window.first.is_some() {
        parts.extend(about_range(profile));
    }
    if window.first.is_none() || !small_share(window).is_empty() {
        parts.extend(recorded_part(profile));
    }
    parts.extend(profile.work_before_steps().map(|(step, ns)| {
        format!("of it GPUs work {} for what comes before {step}", time(to_f64(ns), TimeUnit::Auto))
    }));
    parts.extend(run_twice(profile));
    parts.extend(before(profile));
    if window.key_node.is_some() {
        // Without calls iterations begin with their GPU work, whatever the clock.
        let is_of_gpu = window.clock == "gpu" || profile.capture.api_calls.is_empty();
        parts.push(if is_of_gpu { "GPU clock" } else { "CPU clock" }.to_owned());
    }
    parts.extend(profile.capture.only_mpi_rank().map(|rank| format!("MPI rank {rank} alone")));
    parts.extend(profile.capture.description.cut.as_ref().map(ToString::to_string));
    parts.push(format!("{} mode", window.mode));
    if let Some(notes) = &profile.capture.description.dlprof {
        parts.push(format!("DLProf database {}", notes.version));
    }
    let all = || (window.gpus_used > 1).then(|| format!("{} GPUs used", window.gpus_used));
    parts.extend(origin::gpus_used(profile).or_else(all));
    parts.extend(origin::shared_gpus(profile));
    parts
}

/// How many kernels a period has, in words.
pub(crate) fn period_in_words(kernels: u32) -> String {
    match kernels {
        1 => "period of 1 kernel".to_owned(),
        kernels => format!("period of {kernels} kernels"),
    }
}
