//! Whether the aggregated iterations are good ones to look at.

use super::capture::{capture_range, further_done_once};
use super::kept_memory::{KeptMemory, kept_memory};
use super::show_kernels;
use super::small_copies::MANY_SMALL_COPIES;
use crate::advice::edits::Edits;
use crate::advice::finding::{Confidence, EvidenceKind, Finding, Severity};
use crate::advice::kernels::Kernel;
use crate::advice::of_torch;
use crate::advice::once::{IN_ALLOCATIONS, IN_LIBRARIES, Once};
use crate::advice::question::Question;
use crate::advice::rule::{Limits, Need, Rule, Subject, Threshold, TimeOf};
use crate::advice::scene::{Scene, part};
use crate::advice::sentence::{Figure, Sentence};
use crate::advice::small_copies::SmallCopies;
use crate::base::ids::{ApiCallId, WorkId};
use crate::base::ratios::{count_to_f64, percent, to_f64, whole};
use crate::base::time::{Ns, Span, total};
use crate::capture::classified::Cause;
use crate::capture::names::{ApiClass, range_in_words, without_version};
use crate::figures::activity::{CallSum, Verdict, idle_around_boundaries_ns};
use crate::figures::kernel_kinds::kernel_class::KernelClass;
use crate::figures::profile::RunTwice;
use crate::replay::Edit;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

const WARM_UP: Threshold = Threshold {
    name: "warm_up_percent",
    default: 3.0,
    doc: "Least share of the aggregated time in which GPUs idle for set-up and slow launches.",
};

const AUTOTUNING: Threshold = Threshold {
    name: "autotuning_percent",
    default: 1.0,
    doc: "Least share of the kernel time of algorithms that are tried, or of the kernels that check them.",
};

const ALLOCATION: Threshold = Threshold {
    name: "allocation_percent",
    default: 2.0,
    doc: "Least share of the time in which GPUs idle because memory is taken or given back.",
};

const ALLOCATING: Threshold = Threshold {
    name: "iterations_percent",
    default: 50.0,
    doc: "Least share of iterations that take or give back memory of the GPU.",
};

const BETWEEN: Threshold = Threshold {
    name: "between_percent",
    default: 5.0,
    doc: "Least share of the time that GPUs idle in the first and last twentieth of the iterations; 10 would be all of it.",
};

pub(super) const WARM_UP_IN_RANGE: Rule = Rule {
    id: "warm_up_in_range",
    title: "Set-up and warm-up are aggregated",
    how: "The share of the aggregated time, averaged over the used GPUs, in which a GPU idles for work that is done once: code \
          is loaded, contexts, streams or graphs are made, a launch takes over 1 ms (causes `setup` and `slow_launch`), or the \
          host is in a range that names compiling, tuning, loading or set-up, over the whole aggregated range. To it belong, \
          whatever their cause: what is done while communicators are made; calls of which CPU samples say that they lie in the function that makes a library \
          ready, as `cudaFree` in `cublasLtCreate`; what the thread does while it tries algorithms \
          (`autotuning_in_range`), from the last launch or wait of its own on; the calls from the first one of a process, or \
          from `cuInit`, to the first that takes memory, copies or waits, with the pauses between them before the last of these; \
          calls in which contexts are made; and in gaps of 100 µs and more the pauses between two calls that set something up, \
          if such calls take a quarter of the time between the first and the last, and the pauses beside a call that loads code, \
          if it takes a fifth of them and itself. Where a tenth of it or more is idle time of the cause `unknown`, the confidence is \
          medium. No saving is stated: a longer run does not repeat it.",
    severity: Severity::Warning,
    confidence: Confidence::High,
    thresholds: &[WARM_UP],
    needs: &[Need::HostCalls, Need::GpuTime],
    subject: Subject::Part(Verdict::Cpu),
    check: warm_up_in_range,
    ..Rule::SILENT
};

/// Where such a part of the work is guessed to be done once, by its place alone, less is sure.
const GUESSED_PART: Ns = 10;

fn warm_up_in_range(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let iterations = &scene.profile.iterations;
    let places = scene.range_without_before();
    let time = scene.sum_over(places.clone());
    let once = scene.once_in_range();
    let share = percent(once.total_ns(), time.length_ns);
    if share < limits.of(&WARM_UP) {
        return None;
    }
    let range = (iterations.start, iterations.stop);
    let starts = profiler_start_behind(scene, once).filter(|_| scene.iterations == 0);
    let advice = match iterations.steady_range().filter(|&steady| steady != range) {
        Some((from, to)) => Sentence::new(
            "Aggregate steady iterations: `--iter-start {} --iter-stop {}`, or profile after a few steps",
            vec![Figure::Count(from.into()), Figure::Count(to.into())],
        ),
        None if let Some(start) = starts => capture_range(scene, start),
        None if let Some(twice) = scene.profile.run_twice().filter(|twice| runs_faster(scene, twice)) => Sentence::new(
            "Look at the second run of `{}`, which does not repeat it: `{}`",
            vec![Figure::Text(twice.name.clone()), Figure::Text(twice.second_alone())],
        ),
        None if scene.has_failed() => {
            "Find out first why the program failed (`dlprof-agg check` quotes what it printed): a program that runs on does this \
             work once, before its passes"
                .into()
        }
        None if let Some(compiler) = compiler_of_most(scene, once) => Sentence::new(
            "Compile less: `{}` takes most of it. Keep what it compiled from run to run, where the program or its compiler has a \
             cache, or compile before the part that counts",
            vec![Figure::Text(compiler)],
        ),
        None if scene.iterations == 0 => {
            let capture = &scene.profile.capture;
            capture
                .recorder
                .words(
                    "Profile several passes, marked with NVTX ranges, and look at later ones, which do not repeat it",
                    of_torch::LATER_STEPS,
                )
                .into()
        }
        None => "Profile a longer run and begin after a few steps, so that loading code and making contexts lie before the \
            range".into(),
    };
    let most = match once.ranges.first().filter(|range| 2 * range.time_ns >= once.total_ns()) {
        Some(range) => {
            let text = scene.profile.capture.strings.get(range.text);
            format!("; mostly host range `{}`", range_in_words(text))
        }
        None => String::new(),
    };
    // The other finding's share is of its own iterations.
    let further = match further_done_once(scene) {
        None => "".into(),
        Some(share) if places == scene.places => Sentence::new(
            "; {} more, without a range or call that says why, is of work done once as well",
            vec![Figure::Percent(share, 1)],
        ),
        Some(_) => "; idle time without a range or call that says why is of work done once as well".into(),
    };
    let finding = Finding::new(
        Sentence::new(
            "{} of the aggregated time GPUs idle for work that is done once; {}{}{}{}",
            vec![
                Figure::Percent(share, 1),
                Figure::Clause(Box::new(parts_in_words(scene, once, time.length_ns))),
                Figure::Text(most),
                Figure::Clause(Box::new(further)),
                Figure::Clause(Box::new(copied_once(scene))),
            ],
        ),
        advice,
    )
    .percent(WARM_UP.name, share)
    .time("slow_launch_ns", scene.per_gpu(once.of(Cause::SlowLaunch)))
    .time("setup_ns", scene.per_gpu(time.idle.of(Cause::Setup)))
    .time("one_time_ranges_ns", scene.per_gpu(total(once.ranges.iter().map(|range| range.time_ns))))
    .time("with_set_up_ns", scene.per_gpu(once.unnamed_ns()));
    let is_guessed = GUESSED_PART * once.guessed_ns() >= once.total_ns();
    let finding = if is_guessed { finding.sure(Confidence::Medium) } else { finding };
    let named = [(Cause::Setup, time.idle.of(Cause::Setup)), (Cause::SlowLaunch, once.of(Cause::SlowLaunch))];
    let named = named.into_iter().filter(|&(_, ns)| ns > 0).map(|(cause, _)| cause);
    let causes: Vec<&str> = named.chain(once.causes()).map(Cause::as_str).collect();
    Some(
        finding.about(EvidenceKind::Cause, causes).show(
            Question::of("idle_totals")
                .rows_where("once_ns > 0")
                .columns(["cause", "once_ns", "once_percent"])
                .sorted_by(["-once_ns"]),
        ),
    )
}

/// The range that has half of the work that is done once, if it is that of a compiler by name.
fn compiler_of_most(scene: &Scene<'_>, once: &Once) -> Option<String> {
    let most = once.ranges.first().filter(|range| 2 * range.time_ns >= once.total_ns())?;
    let text = scene.profile.capture.strings.get(most.text);
    let lower = text.to_lowercase();
    ["compil", "nvrtc", "jit"]
        .iter()
        .any(|word| lower.contains(word))
        .then(|| range_in_words(text).to_string())
}

/// Whether most of the work that is done once lies before the second run of a range, which is shorter by as much.
fn runs_faster(scene: &Scene<'_>, twice: &RunTwice) -> bool {
    let once_ns = scene.per_gpu(scene.once().total_ns());
    2 * (twice.first.length() - twice.second.length()) >= once_ns
}

/// Behind what is done once: rounds of small copies that fill most of a time in which no step repeats, as those that bring the
/// data of a program to a GPU.
fn copied_once(scene: &Scene<'_>) -> Sentence {
    let rounds = scene.small_copies().and_then(|found| found.rounds).filter(|_| scene.iterations == 0);
    let share = rounds.map_or(0.0, |rounds| percent(rounds.time_ns, scene.call_span().length()));
    if share < 50.0 {
        return "".into();
    }
    Sentence::new(
        "; small copies, with what comes with each, take {}, and nothing shows that they come again",
        vec![Figure::Percent(share, 1)],
    )
}

/// When the program calls `cudaProfilerStart`, if most of the work that is done once lies before that.
fn profiler_start_behind(scene: &Scene<'_>, once: &Once) -> Option<Ns> {
    let capture = &scene.profile.capture;
    capture.profiler_start_in(scene.call_span()).filter(|&start| once.is_mostly_before(capture, start))
}

/// `21.4% in calls that take or give back memory, such as cudaFree. 15.9% after first launches of kernels. 2.1% otherwise`:
/// the largest parts of work that is done once, as shares of a time.
fn parts_in_words(scene: &Scene<'_>, once: &Once, length_ns: Ns) -> Sentence {
    const MOST: usize = 3;
    let mut parts = once.parts();
    parts.sort_by_key(|&(_, ns)| std::cmp::Reverse(ns));
    // Others than the first are told only where they matter.
    let least_ns = once.total_ns() / 20;
    let mut place = 0..;
    parts.retain(|&(_, ns)| place.next().is_some_and(|at| at == 0 || at < MOST && ns >= least_ns));
    let rest_ns = once.total_ns() - total(parts.iter().map(|&(_, ns)| ns));
    if percent(rest_ns, length_ns) >= 0.05 {
        parts.push(("otherwise", rest_ns));
    }
    let mut figures = Vec::new();
    for (at, (words, ns)) in parts.into_iter().enumerate() {
        figures.push(Figure::Text(if at > 0 { ". ".to_owned() } else { String::new() }));
        figures.push(Figure::Percent(percent(ns, length_ns), 1));
        figures.push(Figure::Text(format!(" {words}")));
        // Where such a call gets CUDA or a library ready, its name tells more than what it is for.
        let longest = (words == IN_ALLOCATIONS)
            .then(|| scene.functions_of(ApiClass::Allocation))
            .into_iter()
            .flatten()
            .next();
        figures.extend(longest.map(|name| Figure::Text(format!(", such as `{}`", without_version(&name)))));
        if let Some((call, library)) = once.library_call.filter(|_| words == IN_LIBRARIES) {
            let [call, library] = [call, library].map(|name| scene.profile.capture.strings.get(name));
            figures.push(Figure::Text(format!(", as in `{}` inside `{library}`", without_version(call))));
        }
    }
    Sentence::of_figures(figures)
}

pub(super) const AUTOTUNING_IN_RANGE: Rule = Rule {
    id: "autotuning_in_range",
    title: "Algorithms are tried in the aggregated time",
    how: "The share of the kernel time of `redzone_checker` kernels, which run while a framework tries algorithms, and of the \
          algorithms. These are what runs between two such kernels on a GPU, or what of it follows the last kernel that is no \
          part of a convolution and the changes of layout after that, and three or more pieces of work of one op that follow \
          each other, each between two events of which the thread waits for the second at once, with different kernels, mostly \
          of convolutions; where no op is known, some of them by Fourier or Winograd transforms and others not. A longer run does \
          not repeat this, so that no saving is stated unless half of three or more iterations try algorithms. Then the likely \
          saving is the time of both and what GPUs idle for launches of checks, and is not stated without such checks; the most is the time from the \
          first check to the last, or that in which a thread tries algorithms, waits included, whichever is more.",
    severity: Severity::Warning,
    confidence: Confidence::High,
    thresholds: &[AUTOTUNING],
    needs: &[Need::Kernels],
    check: autotuning_in_range,
    ..Rule::SILENT
};

fn autotuning_in_range(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let times = scene.kernels();
    let checking_ns = times.time_of(KernelClass::Autotuning);
    let tried = scene.tried().all();
    let all_ns = checking_ns.saturating_add(tried.time_ns);
    let share = times.share(checking_ns.max(tried.time_ns));
    if all_ns == 0 || share < limits.of(&AUTOTUNING) {
        return None;
    }
    let (problem, basis) = match checking_ns {
        0 => (
            Sentence::new(
                "{} of the kernel time, in {} launches, tries algorithms for convolutions, each timed between two events",
                vec![Figure::Percent(times.share(tried.time_ns), 1), Figure::Count(tried.launches)],
            ),
            "The time in which a thread tries algorithms, with its waits for them, or all time of their kernels",
        ),
        _ => (
            Sentence::new(
                "{} of the kernel time tries algorithms for convolutions, {} in kernels that check them",
                vec![Figure::Percent(times.share(all_ns), 1), Figure::Percent(times.share(checking_ns), 1)],
            ),
            "All time of kernels that check tried algorithms and of those of the algorithms, and what GPUs idle for launches of checks; at most the time \
             from the first check to the last, or that in which a thread tries algorithms",
        ),
    };
    let advice = match scene.profile.run_twice().filter(|twice| !tries_in(scene, twice.second)) {
        Some(twice) => Sentence::new(
            "Look at the second run of `{}`, which tries none: `{}`",
            vec![Figure::Text(twice.name.clone()), Figure::Text(twice.second_alone())],
        ),
        None => "Profile after the algorithms are chosen: warm up longer, and keep input shapes fixed so that they are not chosen \
            again".into(),
    };
    let finding = Finding::new(problem, advice)
        .percent(AUTOTUNING.name, share)
        .percent("checks_percent", times.share(checking_ns))
        .percent("with_tried_percent", times.share(all_ns))
        .count("tried_launches", tried.launches);
    let checkers = times.of(KernelClass::Autotuning);
    let late = scene.late_launches_of(checkers);
    let saved_ns = scene.saving_without(all_ns, late.most_ns);
    let trying_ns = scene.tried().longest_ns(scene.call_span());
    let most_ns = saved_ns.max(trying_ns);
    let finding = finding.time("trying_ns", trying_ns);
    let finding = match scene.tried().checked {
        _ if !tries_again_and_again(scene) => finding,
        Some(checked) => finding.saves(saved_ns, most_ns.max(checked.clip(scene.span).length()), basis),
        None => finding.saves_at_most(most_ns, basis),
    };
    if checking_ns == 0 {
        return Some(finding.show(Question::of("kernel_names").sorted_by(["-gpu_time_ns"])));
    }
    let kernels: Vec<&Kernel> = times.of(KernelClass::Autotuning).collect();
    Some(show_kernels(scene, finding, &kernels, "long_kernel_name ~ redzone_checker"))
}

/// Whether algorithms are tried or checked in a time.
fn tries_in(scene: &Scene<'_>, time: Span) -> bool {
    let spans = &scene.profile.capture.work.span;
    let is_in = |kernel: WorkId| (time.start..time.end).contains(&spans[kernel].start);
    scene.tried().kernels().any(|(kernel, _)| is_in(kernel)) || scene.checks().into_iter().any(is_in)
}

/// Whether half of the iterations or more, of three or more, try algorithms: a longer run repeats it.
fn tries_again_and_again(scene: &Scene<'_>) -> bool {
    let (profile, places) = (scene.profile, scene.places.clone());
    let tried: FxHashSet<WorkId> = scene.tried().kernels().map(|(kernel, _)| kernel).collect();
    let mut trying: BTreeSet<usize> = BTreeSet::new();
    profile.for_each_kernel(places, |place, kernel| {
        if tried.contains(&kernel) || profile.judge_kernel(kernel).classes.has(KernelClass::Autotuning) {
            trying.insert(place);
        }
    });
    scene.iterations >= 3 && 2 * trying.len() >= scene.places.len()
}

pub(super) const ALLOCATION_IN_STEP: Rule = Rule {
    id: "allocation_in_step",
    title: "GPUs wait while memory is taken or given back",
    how: "The share of the time, averaged over the used GPUs, in which a GPU idles while memory is taken or given back (cause \
          `allocation`) that is not among work done once (`warm_up_in_range` has it, that of trying algorithms included), or, \
          where that takes 1 % and there are three iterations or more, the share of iterations with a call such as `cudaMalloc` or \
          `cudaFree`. Where no iterations are \
          known, it is silent unless memory is taken or given back at least five times between the later half of the launches, \
          because that of the first half belongs to the start. That idle time is the likely saving; with all idle time in \
          ranges, between calls and for launches it is the most. Where it says nothing of this, and each of three iterations or \
          more takes memory of the GPU (`cudaMalloc`, `cuMemAlloc`) while none gives any back (`cudaFree`, `cuMemFree`), it says \
          that, whatever time it takes.",
    severity: Severity::Warning,
    confidence: Confidence::High,
    thresholds: &[ALLOCATION, ALLOCATING],
    link: "https://pytorch.org/docs/stable/notes/cuda.html#memory-management",
    subject: Subject::Part(Verdict::Cpu),
    saves_from: &[TimeOf::Allocation, TimeOf::Launching, TimeOf::Between],
    is_replayed: true,
    check: allocation_in_step,
    ..Rule::SILENT
};

/// Allocations that make a step no slower are not a finding.
const LEAST_ALLOCATION_PERCENT: f64 = 1.0;

/// Where no iterations are known: so often memory must be taken or given back between launches, in the second half of these.
/// What happens in the first half alone, or without launches, belongs to the start of the program.
const LEAST_RECURRENCES: usize = 5;

/// Whether memory is taken or given back again and again, not only while the program starts.
fn allocations_recur(scene: &Scene<'_>) -> bool {
    let facts = scene.facts();
    let span = scene.call_span();
    let inside = facts
        .activity()
        .counted_calls()
        .filter(|(_, call)| span.start <= call.start && call.start < span.end);
    let mut calls: Vec<(Ns, ApiClass)> = inside
        .map(|(call, span)| (span.start, facts.function(call).class))
        .filter(|(_, class)| matches!(class, ApiClass::Allocation | ApiClass::Launch))
        .collect();
    calls.sort_by_key(|(start, _)| *start);
    let launches = calls.iter().filter(|(_, class)| *class != ApiClass::Allocation).count();
    let mut seen = 0;
    let mut recurrences = 0;
    for pair in calls.windows(2) {
        let is_allocation = [pair[0], pair[1]].map(|(_, class)| class == ApiClass::Allocation);
        seen += usize::from(!is_allocation[0]);
        recurrences += usize::from(!is_allocation[0] && is_allocation[1] && 2 * seen > launches);
    }
    recurrences >= LEAST_RECURRENCES
}

/// The calls that take or give back memory, without those that belong to trying algorithms.
fn own_allocations(scene: &Scene<'_>) -> CallSum {
    let (facts, range) = (scene.facts(), scene.call_span());
    let threads = &facts.activity().api_calls.thread;
    let is_own = |&(call, span): &(ApiCallId, Span)| {
        facts.function(call).class == ApiClass::Allocation
            && (range.start..range.end).contains(&span.start)
            && !scene.tried().is_open(threads[call], span.start)
    };
    let mut sum = CallSum::default();
    facts.activity().counted_calls().filter(is_own).for_each(|(_, span)| sum.add(span));
    sum
}

/// The finding on many small copies, where memory is taken once for each of them.
fn for_small_copies(scene: &Scene<'_>, calls: u64) -> Option<&'static str> {
    let for_each = |found: &SmallCopies| found.has_nearly_all(|rounds| rounds.allocations, calls);
    scene.small_copies().is_some_and(for_each).then_some(MANY_SMALL_COPIES.id)
}

fn allocation_in_step(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    waits_for_allocations(scene, limits).or_else(|| kept_memory(scene).map(|kept| keeps_memory(scene, &kept)))
}

/// Memory that each iteration takes needs no time to be a fault.
fn keeps_memory(scene: &Scene<'_>, kept: &KeptMemory) -> Finding {
    let each = scene.per_iteration(kept.calls);
    Finding::new(
        Sentence::new(
            "Every iteration takes memory of the GPU, {} call{} of `{}` on average, and none of them gives any back",
            vec![
                Figure::Count(whole(each)),
                Figure::Text(if whole(each) == 1 { "" } else { "s" }.to_owned()),
                Figure::Text(kept.function.clone()),
            ],
        ),
        "Take this memory once, before the first iteration, or give it back in each: a longer run takes more and more",
    )
    .titled("Memory of the GPU is taken in each step and not given back")
    .count("allocation_calls", kept.calls)
    .about(EvidenceKind::HostCall, scene.functions_of(ApiClass::Allocation))
    .show(Question::of("host_calls").rows_where("call_class = allocation").sorted_by(["-calls"]))
}

fn waits_for_allocations(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let mut idle_ns = scene.idle(&[Cause::Allocation]);
    if scene.share(idle_ns) >= LEAST_ALLOCATION_PERCENT.min(limits.of(&ALLOCATION)) {
        idle_ns -= scene.once().of(Cause::Allocation);
    }
    let share = scene.share(idle_ns);
    if share < limits.of(&ALLOCATION) {
        if share < LEAST_ALLOCATION_PERCENT || scene.iterations < 3 {
            return None;
        }
        let calls = scene.calls_by_iteration();
        let with = calls.iter().filter(|calls| calls.of(ApiClass::Allocation).calls > 0).count() as u64;
        if 100.0 * count_to_f64(with) / count_to_f64(calls.len() as u64) < limits.of(&ALLOCATING) {
            return None;
        }
    }
    if scene.iterations == 0 && !allocations_recur(scene) {
        return None;
    }
    let sum = own_allocations(scene);
    let functions = scene.functions_of(ApiClass::Allocation);
    let longest = functions.first().map_or_else(String::new, |name| format!(", longest in `{name}`"));
    let copied = for_small_copies(scene, sum.calls);
    let finding = Finding::new(
        Sentence::new(
            "{} of the time GPUs idle while memory is taken or given back, in {} calls{}",
            vec![Figure::Percent(share, 1), Figure::Count(sum.calls), Figure::Text(longest)],
        ),
        match copied {
            Some(_) => {
                "Take memory once for all of the small copies: nearly every call is for one of them"
            }
            None => scene.framework().fewer_allocations(scene.vendor()),
        },
    )
    .percent(ALLOCATION.name, share)
    .count("allocation_calls", sum.calls)
    .time("allocation_call_ns", sum.time_ns)
    .about(EvidenceKind::HostCall, functions)
    .show(Question::of("host_calls").rows_where("call_class = allocation").sorted_by(["-time_ns"]))
    .saves(
        scene.per_gpu(idle_ns),
        scene.per_gpu(idle_ns + scene.idle(&[Cause::Launch, Cause::HostRange, Cause::HostIssue])),
        "Idle time of the cause allocation that is not done once; at most that in ranges, between calls and for launches as well",
    )
    .replayed(Edits {
        // Some of it may be done once: then what is reckoned leaves that out.
        expected: match scene.once().of(Cause::Allocation) {
            0 => vec![Edit::without_calls(ApiClass::Allocation)],
            _ => Vec::new(),
        },
        at_most: vec![Edit::without_calls_and_gaps(ApiClass::Allocation)],
        is_within_reckoned: false,
        basis: "Calls that take or give back memory are not made; at most nor what the host does in front of them".into(),
    })
    .same_cause_as(copied);
    Some(finding)
}

pub(super) const BETWEEN_ITERATIONS: Rule = Rule {
    id: "between_iterations",
    title: "GPUs idle where one iteration ends and the next begins",
    how: "The share of the time that used GPUs idle in the first and in the last twentieth of the iterations; these twentieths \
        are a tenth of the time, so 5 % says that GPUs idle for half of them. The first hundred iterations are looked at. Silent \
          under three iterations. What is said, and saved at most, is all of the gaps that reach there.",
    severity: Severity::Note,
    confidence: Confidence::Medium,
    thresholds: &[BETWEEN],
    needs: &[Need::Iterations(3), Need::GpuTime],
    check: between_iterations,
    ..Rule::SILENT
};

/// How many iterations are looked at.
const MOST_WINDOWS: usize = 100;

fn between_iterations(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let most = scene.share(scene.gpu_time().idle_ns());
    if scene.iterations < 3 || most < limits.of(&BETWEEN) {
        return None;
    }
    let mut windows = scene.profile.windows()[scene.places.clone()].to_vec();
    windows.truncate(MOST_WINDOWS);
    let looked_at = total(windows.iter().map(|window| window.length()));
    let idle_ns = idle_around_boundaries_ns(scene.facts(), &windows, &scene.gpu_times().used());
    // As if all iterations were like those looked at.
    let idle_ns = part(idle_ns, to_f64(scene.span.length()) / to_f64(looked_at.max(1)));
    let share = scene.share(idle_ns);
    // Where GPUs idle all along, the boundary is not special.
    if share < limits.of(&BETWEEN) || 10.0 * share < 2.0 * most {
        return None;
    }
    let gaps_ns = scene
        .figures()
        .gpus
        .gaps
        .at_boundaries_ns(&scene.profile.windows()[scene.places.clone()])
        .max(idle_ns);
    let finding = Finding::new(
        Sentence::new(
            "{} of the time GPUs idle where one iteration ends and the next begins",
            vec![Figure::Percent(scene.share(gaps_ns), 1)],
        ),
        "Overlap what happens between steps with the GPU's work: logging, checkpoints, preparing input",
    )
    .percent(BETWEEN.name, share)
    .time("gaps_ns", scene.per_gpu(gaps_ns))
    .time("longest_gap_ns", scene.gpu_time().idle.longest_gap_ns)
    .about(EvidenceKind::GpuIteration, [scene.iteration(scene.places.start).to_string()])
    .show(
        Question::of("gpu_time")
            .columns(["iteration", "device_id", "length_ns", "idle_ns", "gaps", "longest_gap_ns"])
            .sorted_by(["iteration"]),
    )
    .saves_at_most(
        scene.per_gpu(gaps_ns),
        "All of the gaps that reach into the first or last twentieth of an iteration",
    );
    Some(finding)
}
