//! GPUs that wait for what the host does not show.

use super::with_command;
use crate::advice::between_calls::{alike, calls_around};
use crate::advice::finding::{Confidence, EvidenceKind, Finding, OTHER_WORK, Severity};
use crate::advice::question::Question;
use crate::advice::rule::{Limits, Need, Rule, Subject, Threshold, TimeOf};
use crate::advice::scene::Scene;
use crate::advice::sentence::{Figure, Sentence};
use crate::advice::slices::{self, Slices};
use crate::advice::trend::in_iterations;
use crate::base::ratios::{count_to_f64, median, to_f64};
use crate::base::time::{Ns, Span, total};
use crate::capture::classified::Cause;
use crate::figures::activity::{LONG_GAP_NS, LongGap, WindowFinder, silent_range};
use crate::read::facts::Shows;

const STALL: Threshold = Threshold {
    name: "stall_percent",
    default: 3.0,
    doc: "Least share of the time in which work was submitted, nothing held it back, and it did not start.",
};

const SLICES: Threshold = Threshold {
    name: "slices_percent",
    default: 3.0,
    doc: "Least share of the time that other work runs inside kernels.",
};

const PAUSES: Threshold = Threshold {
    name: "pauses_per_100_iterations",
    default: 3.0,
    doc: "Least number of rare, long gaps per 100 iterations.",
};

const UNTRACED: Threshold = Threshold {
    name: "gaps_per_iteration",
    default: 0.5,
    doc: "Least number of stalls of 1 ms and more per iteration that end at one kernel.",
};

/// Stalls of less than this share of the time are no sign of missing kernels.
const LEAST_STALL_PERCENT: f64 = 3.0;

/// A stall from this length on is listed one by one.
const LONG_STALL_NS: Ns = 1_000_000;

/// A pause of the host is at least this long, and so many times as long as the gap in the middle.
const PAUSE_NS: Ns = 10_000_000;
const PAUSE_FACTOR: Ns = 10;

pub(super) const DEVICE_STALL: Rule = Rule {
    id: OTHER_WORK,
    title: "GPUs stall with work queued, or are shared with other work",
    how: "The share of the time, averaged over the used GPUs, in which work was submitted, nothing that the capture shows held \
        it back, and it did not start (cause `stall`), without stalls of 100 µs and more before the first launch of a kernel, \
          whose code may be loaded then (`warm_up_in_range` has them). Silent where `untraced_work` says why. The saving is at \
          most all of this time. The share of the time that other work runs inside kernels: what launches take longer, from 1 \
          ms on, than the shortest one of the same kernel with the same grid and block on the same GPU at the same place of the \
          iteration (under three iterations: anywhere). It counts where launches of five kernels take at least five times as \
          long as the shortest, half of these launches take one of two times longer (within a tenth), and no other kernel of \
          the capture runs beside them; without migrations of unified memory. Then the capture misleads: the finding is an \
          error, the verdict says so, and no finding states a saving.",
    severity: Severity::Warning,
    confidence: Confidence::Medium,
    thresholds: &[STALL, SLICES],
    needs: &[Need::Streams, Need::GpuTime],
    subject: Subject::Cause(Cause::Stall),
    saves_from: &[TimeOf::Stall],
    check: device_stall,
    ..Rule::SILENT
};

fn device_stall(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let mut stall_ns = scene.idle(&[Cause::Stall]);
    if scene.share(stall_ns) >= limits.of(&STALL) {
        stall_ns -= scene.once().of(Cause::Stall);
    }
    let share = scene.share(stall_ns);
    if let Some(slices) = scene.slices()
        && scene.share(slices.time_ns) >= limits.of(&SLICES)
    {
        return Some(shared_gpu(scene, slices, stall_ns));
    }
    let says_why = |limits: Limits<'_>| untraced(scene, limits.of(&UNTRACED)).is_some();
    if share < limits.of(&STALL) || UNTRACED_WORK.limits_in(scene).is_some_and(says_why) {
        return None;
    }
    let gaps = stalls_without_first_launches(scene);
    let middle = median(gaps.iter().map(|gap| gap.span.length()).collect());
    let problem = if gaps.is_empty() {
        Sentence::new("GPUs stall with work queued {} of the time", vec![Figure::Percent(share, 1)])
    } else {
        Sentence::new(
            "GPUs stall with work queued {} of the time, in {} gaps of 1 ms and more; the middle one takes {}",
            vec![Figure::Percent(share, 1), Figure::Count(gaps.len() as u64), Figure::Time(to_f64(middle))],
        )
    };
    let finding = Finding::new(
        problem,
        with_command(
            "Look for another program or a display on this GPU{}, and measure alone. What the capture does not show, such as work of \
             another process, may run in the gaps",
            scene,
            Shows::Programs,
        ),
    )
    .saves_at_most(scene.per_gpu(stall_ns), "All idle time of the cause stall that is not before the first launch of a kernel");
    Some(of_cause(with_stalls(finding, share, &gaps), Cause::Stall))
}

/// Other work runs inside kernels, and in stalls.
fn shared_gpu(scene: &Scene<'_>, slices: &Slices, stall_ns: Ns) -> Finding {
    let inside = scene.share(slices.time_ns);
    let shared = scene.share(slices.time_ns.saturating_add(stall_ns));
    let stalled = scene.share(stall_ns);
    let strings = &scene.profile.capture.strings;
    let names = slices.names.iter().take(5).map(|&name| strings.get(name).to_owned());
    let condition = format!("max_gpu_time_ns >= {}", slices::LEAST_NS);
    let finding = Finding::new(
        Sentence::new(
            "Other work seems to share the GPU at least {} of the time; {} inside kernels, where {} launches of {} kernels take at \
             least 1 ms longer than the shortest of their kind, and {} in stalls",
            vec![
                Figure::Percent(shared, 1),
                Figure::Percent(inside, 1),
                Figure::Count(slices.launches),
                Figure::Count(slices.names.len() as u64),
                Figure::Percent(stalled, 1),
            ],
        ),
        with_command(
            "Find what else uses this GPU{}, and measure alone. Until then GPU times and causes of this capture are not reliable, and \
             no saving is stated",
            scene,
            Shows::Programs,
        ),
    )
    .misleading()
    .percent("shared_percent", shared)
    .percent(SLICES.name, inside)
    .time("slices_ns", slices.time_ns)
    .count("sliced_launches", slices.launches)
    .time("usual_slice_ns", slices.usual_ns);
    with_stalls(finding, stalled, &stalls_without_first_launches(scene))
        .about(EvidenceKind::Kernel, names)
        .show(Question::of("kernel_names").rows_where(condition).sorted_by(["-gpu_time_ns"]))
}

/// With the figures of stalls.
fn with_stalls(finding: Finding, share: f64, gaps: &[LongGap]) -> Finding {
    finding
        .percent(STALL.name, share)
        .count("long_gaps", gaps.len() as u64)
        .time("longest_gap_ns", gaps.iter().map(|gap| gap.span.length()).max().unwrap_or(0))
        .time("median_long_gap_ns", median(gaps.iter().map(|gap| gap.span.length()).collect()))
}

pub(super) const HOST_PAUSE: Rule = Rule {
    id: "host_pause",
    title: "The host pauses now and then",
    how: "Gaps of which 10 ms and more lie in the iterations, ten times as long as the gap of 100 µs and more in the middle, during which the host was in a \
          range, between calls, or nothing tells what it did, and which do not come at the same place of a step. Where all lie \
          between the same two API calls, which follow each other at most twice per iteration, the finding names them; where \
          shorter gaps lie there, too, it counts all of them as work of the steps. Silent \
          under three iterations. The saving is at most the sum of these gaps, as far as they lie in the iterations.",
    severity: Severity::Note,
    confidence: Confidence::Low,
    thresholds: &[PAUSES],
    needs: &[Need::HostCalls, Need::Iterations(3), Need::GpuTime],
    check: host_pause,
    ..Rule::SILENT
};

fn host_pause(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let causes = [Cause::Unknown, Cause::HostRange, Cause::HostIssue];
    if scene.iterations < 3
        || scene.gpu_time().idle.longest_gap_ns < PAUSE_NS
        || scene.idle(&causes) < PAUSE_NS
    {
        return None;
    }
    let windows = scene.profile.windows();
    let gaps = scene.figures().gpus.gaps.starting_in(scene.span, LONG_GAP_NS);
    let middle = median(gaps.iter().map(|gap| gap.span.length()).collect());
    let length = |gap: &LongGap| gap.span.clip(scene.span).length();
    let is_pause = |gap: &&LongGap| {
        causes.contains(&gap.cause)
            && length(gap) >= PAUSE_NS
            && length(gap) > PAUSE_FACTOR.saturating_mul(middle)
    };
    let pauses: Vec<&LongGap> = gaps.iter().filter(is_pause).collect();
    let per_100 = 100.0 * count_to_f64(pauses.len() as u64) / f64::from(scene.iterations);
    if pauses.len() < 2 || per_100 < limits.of(&PAUSES) {
        return None;
    }
    // Where in its iteration a pause begins, in hundredths.
    let mut finder = WindowFinder::new(&windows);
    let mut place = |gap: &LongGap| {
        let window = windows[finder.find(gap.span.start)?];
        Some(100 * (gap.span.start - window.start) / window.length().max(1))
    };
    let mut places: Vec<Ns> = pauses.iter().filter_map(|gap| place(gap)).collect();
    places.sort_unstable();
    let spread = places.last()? - places.first()?;
    if spread < 10 {
        return None;
    }
    let total_ns = total(pauses.iter().map(|gap| length(gap)));
    let longest = pauses.iter().map(|gap| length(gap)).max().unwrap_or(0);
    let figures = vec![Figure::Count(pauses.len() as u64), Figure::Time(to_f64(longest))];
    let around = calls_around(scene, &pauses);
    // Where the host is between the same calls in shorter gaps, too, it does not pause now and then: steps have this work.
    let of_host: Vec<&LongGap> = gaps.iter().filter(|gap| causes.contains(&gap.cause)).collect();
    let of_steps = alike(scene, &of_host, pauses.first()?);
    let (problem, advice) = match around {
        Some(calls) if of_steps.len() > pauses.len() => {
            return Some(work_of_steps(scene, &of_steps, calls, per_100));
        }
        Some(calls) => (
            Sentence::new(
                "The host pauses {} times, up to {}, each time between the calls `{}` and `{}`",
                figures.into_iter().chain(calls.map(Figure::Text)).collect(),
            ),
            BETWEEN_CALLS,
        ),
        None => (
            Sentence::new("The host pauses {} times at changing places of the step, up to {}", figures),
            match scene.framework().is_python() {
                true => {
                    "Look for garbage collection (`gc.freeze()` or `gc.disable()` around the loop), another process on the \
                     core, or swapping"
                }
                false => {
                    "Look for another process on the core, swapping, or a lock that another thread holds"
                }
            },
        ),
    };
    let finding = Finding::new(problem, advice)
        .percent(PAUSES.name, per_100)
        .time("longest_gap_ns", longest)
        .saves_at_most(scene.per_gpu(total_ns), "The sum of these gaps");
    Some(of_cause(finding, pauses.first()?.cause))
}

/// What to do about what the host does between two calls.
const BETWEEN_CALLS: &str = "Look at what the program does between these calls, and take it off the path to the next launch. Do it on another thread, \
     less often, or while GPUs are busy";

/// What steps have the host do between the same two calls, of which only some takes long.
fn work_of_steps(scene: &Scene<'_>, gaps: &[&LongGap], around: [String; 2], per_100: f64) -> Finding {
    let lengths = || gaps.iter().map(|gap| gap.span.clip(scene.span).length());
    let (total_ns, longest) = (total(lengths()), lengths().max().unwrap_or(0));
    let figures = [
        Figure::Percent(scene.share(total_ns), 1),
        Figure::Count(gaps.len() as u64),
        Figure::Time(to_f64(LONG_GAP_NS)),
        Figure::Time(to_f64(longest)),
    ];
    let [share, gaps_number, shortest, longest_gap] = figures;
    // The verdict then is of the whole run.
    let iterations = scene.judged_iterations().filter(|_| scene.whole_run().is_some());
    let iterations = Figure::Text(iterations.map_or_else(String::new, |judged| in_iterations(&judged)));
    let [first, second] = around.map(Figure::Text);
    let problem = Sentence::new(
        "The host keeps GPUs waiting {} of the time{} between the same two calls: `{}` and `{}`. These are {} gaps of {} and more, up to {}",
        vec![share, iterations, first, second, gaps_number, shortest, longest_gap],
    );
    let finding = Finding::new(problem, BETWEEN_CALLS)
        .titled("The host keeps GPUs waiting between the same two calls")
        .percent(PAUSES.name, per_100)
        .time("longest_gap_ns", longest)
        .saves_at_most(scene.per_gpu(total_ns), "The sum of these gaps");
    // The command lists the cause that has most of them; of equal ones the first.
    let ns_of = |cause: &Cause| {
        let own = gaps.iter().filter(|gap| gap.cause == *cause);
        total(own.map(|gap| gap.span.clip(scene.span).length()))
    };
    match Cause::ALL.into_iter().rev().max_by_key(ns_of).filter(|_| !gaps.is_empty()) {
        Some(cause) => of_cause(finding, cause),
        None => finding,
    }
}

pub(super) const UNTRACED_WORK: Rule = Rule {
    id: "untraced_work",
    title: "Kernels of a thread are missing",
    how: "Stalls, of 3 % of the time or more, of which those of 1 ms and more end at one kernel in half of the iterations or more, \
          at most twice in any of them, and a range, such as `backward`, in \
          which its thread waits that long in the same iterations without any GPU work. Then the kernels of another thread are \
          missing, and GPUs only seem to idle. Silent where other work runs inside kernels, see `device_stall`.",
    severity: Severity::Error,
    confidence: Confidence::Medium,
    thresholds: &[UNTRACED],
    needs: &[Need::Ranges, Need::Iterations(3), Need::GpuTime],
    check: untraced_work,
    ..Rule::SILENT
};

fn untraced_work(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let found = untraced(scene, limits.of(&UNTRACED))?;
    let finding = Finding::new(
        Sentence::new(
            "GPUs seem to stall before `{}` in {} iterations, while range `{}` waits without any GPU work: kernels are missing",
            vec![
                Figure::Text(found.kernel),
                Figure::Count(found.gaps),
                Figure::Text(found.range.clone()),
            ],
        ),
        match scene.profile.capture.recorder.is_torch_profiler() {
            true => {
                "Shares of this trace mislead. Record every process that uses the GPU, each with its own trace, and nothing else on it"
                    .into()
            }
            false => Sentence::new(
                "Shares of this capture mislead. Trace all threads and processes (`{}`, for graphs \
                 `--cuda-graph-trace=node`), and check the messages of nsys about dropped records",
                vec![Figure::Text(scene.profile.capture.trace_option(false))],
            ),
        },
    )
    .percent(UNTRACED.name, count_to_f64(found.gaps) / f64::from(scene.iterations.max(1)))
    .time("stall_ns", found.time_ns)
    .measure("range", crate::advice::finding::Measure::Text(found.range));
    Some(of_cause(finding, Cause::Stall))
}

/// Stalls that look like missing work.
struct Untraced {
    kernel: String,
    range: String,
    gaps: u64,
    time_ns: Ns,
}

fn untraced(scene: &Scene<'_>, least: f64) -> Option<Untraced> {
    if scene.iterations < 3
        || scene.share(scene.idle(&[Cause::Stall])) < LEAST_STALL_PERCENT
        || scene.slices().is_some()
    {
        return None;
    }
    let profile = scene.profile;
    let capture = &profile.capture;
    let gaps = stalls(scene);
    let kernel_of = |gap: &LongGap| capture.kernels.long_name.get_id(gap.ended_by).copied();
    let mut names: Vec<_> = gaps.iter().filter_map(kernel_of).collect();
    names.sort_unstable();
    let mut best: Option<(usize, crate::base::ids::StrId)> = None;
    for same in names.chunk_by(|a, b| a == b) {
        if best.is_none_or(|(count, _)| same.len() > count) {
            best = Some((same.len(), same[0]));
        }
    }
    let (_, name) = best?;
    let of_kernel: Vec<&LongGap> = gaps.iter().filter(|gap| kernel_of(gap) == Some(name)).collect();
    // One gap per iteration, or two where a step has two such places: a kernel which stalls more often inside an iteration is
    // another matter.
    let windows = &profile.windows()[scene.places.clone()];
    let (mut finder, mut counts) = (WindowFinder::new(windows), vec![0_u64; windows.len()]);
    for gap in &of_kernel {
        if let Some(window) = finder.find(gap.span.start) {
            counts[window] += 1;
        }
    }
    let with = counts.iter().filter(|&&count| count > 0).count() as u64;
    if count_to_f64(with) < least.max(0.5) * f64::from(scene.iterations)
        || counts.iter().any(|&count| count > 2)
    {
        return None;
    }
    let spans: Vec<Span> = of_kernel.iter().map(|gap| gap.span).collect();
    let range = silent_range(scene.facts(), &spans)?;
    let range = capture.strings.get(capture.ranges.texts[range.index()].text).to_owned();
    Some(Untraced {
        kernel: capture.strings.get(capture.kernels.short_name[of_kernel.first()?.ended_by]).to_owned(),
        range,
        gaps: with,
        time_ns: total(of_kernel.iter().map(|gap| gap.span.length())),
    })
}

fn stalls(scene: &Scene<'_>) -> Vec<LongGap> {
    let mut gaps = scene.figures().gpus.gaps.inside(scene.span, LONG_STALL_NS);
    gaps.retain(|gap| gap.cause == Cause::Stall);
    gaps
}

/// The stalls that are not work done once.
fn stalls_without_first_launches(scene: &Scene<'_>) -> Vec<LongGap> {
    let mut gaps = stalls(scene);
    if !gaps.is_empty() {
        gaps.retain(|gap| scene.once().first_launches.binary_search(&gap.ended_by).is_err());
    }
    gaps
}

/// With the sum of a cause as evidence.
pub(super) fn of_cause(finding: Finding, cause: Cause) -> Finding {
    let condition = format!("cause = {}", cause.as_str());
    finding
        .about(EvidenceKind::Cause, [cause.as_str()])
        .show(Question::of("idle_totals").rows_where(condition))
}
