//! The GPU waits for the CPU: input, launches, work between steps, waits inside a step.

use super::markers::{WITHOUT_MARKERS, held_by_markers};
use super::pauses::{FewPauses, WaitsInside, thread_awaited, waits_for_thread};
use super::{
    FEWEST_LAUNCHES, FEWEST_PER_ITERATION, LAUNCHES_WITH_COPIES, MOST_OF_GAPS, comes_with_copies, short_of,
};
use crate::advice::edits::Edits;
use crate::advice::finding::{Confidence, EvidenceKind, Finding, Severity};
use crate::advice::question::Question;
use crate::advice::rule::{Limits, Need, Rule, Subject, Threshold, TimeOf};
use crate::advice::scene::{Scene, part};
use crate::advice::sentence::{Figure, Sentence};
use crate::base::ratios::{count_to_f64, to_f64};
use crate::base::time::Ns;
use crate::capture::CaptureContents;
use crate::capture::classified::Cause;
use crate::capture::names::ApiClass;
use crate::figures::activity::{CopyGroup, CopyKind, Verdict};
use crate::replay::Edit;

const INPUT: Threshold = Threshold {
    name: "input_percent",
    default: 10.0,
    doc: "Least share of the time in which GPUs wait for input.",
};

const SHORT_GAPS: Threshold = Threshold {
    name: "cpu_in_short_gaps_percent",
    default: 10.0,
    doc: "Least share of the time in which GPUs wait for launches, in gaps under 1 ms.",
};

const GRAPH_LAUNCHES: Threshold = Threshold {
    name: "graph_launches_percent",
    default: 50.0,
    doc: "Share of graph launches among all launches from which on the rule is silent.",
};

const LONG_GAPS: Threshold = Threshold {
    name: "cpu_in_long_gaps_percent",
    default: 10.0,
    doc: "Least share of the time in which GPUs wait for the CPU, in gaps of 1 ms and more.",
};

pub(super) const INPUT_BOUND: Rule = Rule {
    id: "input_bound",
    title: "GPUs wait for input",
    how: "The share of the time, averaged over the used GPUs, in which a GPU idles while the thread that feeds it is in a range \
          that loads data, waits outside its ops, or reads files outside them (class `input` of table `steps`). Where \
          more than half of it is waiting (`input_wait`), three times per iteration or more, the finding says so, because that \
          may be no input. The saving is at most all of this time, and of iterations that wait for input the idle time that \
          nothing tells about as well: it may be of the same wait.",
    severity: Severity::Warning,
    confidence: Confidence::Medium,
    thresholds: &[INPUT],
    needs: &[Need::HostCalls, Need::RecordedWork],
    subject: Subject::All(Verdict::Input),
    saves_from: &[TimeOf::Input],
    is_replayed: true,
    check: input_bound,
    ..Rule::SILENT
};

fn input_bound(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let input_ns = scene.idle(&[Cause::DataLoading, Cause::InputWait, Cause::Io]);
    let share = scene.share(input_ns);
    let loading_ns = scene.idle(&[Cause::DataLoading]);
    if share < limits.of(&INPUT) {
        return None;
    }
    let is_named = 2 * loading_ns >= input_ns;
    let (has_kernels, is_known) = (scene.profile.has_kernel_records(), scene.profile.knows_gpu_work());
    let problem = match (is_known, is_named) {
        (true, true) => "GPUs wait for input {} of the time, mostly while ranges that load data are open{}",
        (true, false) => {
            "GPUs wait for input {} of the time, mostly while the thread that launches waits or reads files{}"
        }
        (false, _) => {
            "{} of the time lies between copies or memsets while the thread that launches them loads data, waits or reads files; \
             without kernels nobody knows whether GPUs wait for that{}"
        }
    };
    let in_python = Figure::Clause(Box::new(scene.mostly_in_python()));
    let advice = if !is_known {
        "Capture the kernels first; to load a model faster, read its files ahead on another thread while copies run"
    } else if !has_kernels {
        "No kernel was launched, so that this is the start of a program. To load a model faster, read its files ahead on another \
         thread while copies run"
    } else if scene.is_pytorch() && loads_by_itself(&scene.profile.capture) {
        "Load in other processes: `num_workers` of the `DataLoader` is 0, so that the program itself makes each batch while GPUs \
         wait. Set it to a few, with `prefetch_factor` and `pin_memory=True`; then decode on the GPU, or look at the storage"
    } else if scene.is_pytorch() {
        "Load ahead: more workers (`num_workers`), `prefetch_factor` and `pin_memory=True` in the `DataLoader`; then decode on \
         the GPU, or look at the storage"
    } else {
        "Load ahead with more threads or processes, so that a batch is ready when a step begins; then decode on the GPU, or look \
         at the storage"
    };
    let waits = WaitsInside::of(scene, input_ns).filter(|_| has_kernels);
    let thread = waits_for_thread(scene).filter(|_| is_known && !is_named);
    let finding = match (&waits, &thread) {
        (Some(waits), _) => waits.finding(),
        (None, Some(function)) => thread_awaited(share, function),
        (None, None) => {
            Finding::new(Sentence::new(problem, vec![Figure::Percent(share, 1), in_python]), advice)
        }
    };
    let causes = [Cause::DataLoading, Cause::InputWait, Cause::Io];
    let idle_in = |place: usize| scene.sum_over(place..place + 1).idle;
    let idle_of = |place: usize| idle_in(place).of_all(&causes);
    // In iterations that wait for input, what nothing tells about may be of the same wait.
    let iterations = scene.places.clone().filter(|_| scene.iterations > 0).map(idle_in);
    let that_wait = iterations.filter(|idle| idle.of_all(&causes) > 0);
    let beside_ns: Ns = that_wait.map(|idle| idle.of(Cause::Unknown)).sum();
    let mut finding = finding
        .percent(INPUT.name, share)
        .time("data_loading_ns", scene.per_gpu(loading_ns))
        .time("input_wait_ns", scene.per_gpu(scene.idle(&[Cause::InputWait])))
        .time("io_ns", scene.per_gpu(scene.idle(&[Cause::Io])))
        .sure(match (is_named, &waits) {
            (true, _) => Confidence::High,
            (false, None) => Confidence::Medium,
            (false, Some(_)) => Confidence::Low,
        })
        .saves_at_most(
            scene.per_gpu(input_ns.saturating_add(beside_ns)),
            match beside_ns {
                0 => "All idle time of the causes data_loading, input_wait and io",
                _ => {
                    "All idle time of the causes data_loading, input_wait and io, and of iterations with such time that of the cause \
                     unknown"
                }
            },
        );
    // What loads in a range of the thread that launches is no wait for something outside.
    if has_kernels && is_named {
        finding = finding
            .replayed(Edits::most(vec![Edit::without_loading()], "Ranges that load data take no time"));
    } else if has_kernels && waits.is_none() && thread.is_none() {
        finding = finding.replayed(Edits::likely_all(
            vec![Edit::input_at_once()],
            "What the thread waits for is there at once",
        ));
    }
    let of_causes = causes.map(|cause| format!("cause = {}", cause.as_str())).join(" or ");
    finding = finding
        .about(EvidenceKind::IdleIteration, most_of(scene, idle_of))
        .show(Question::of("idle_causes").rows_where(of_causes).sorted_by(["-time_ns"]));
    Some(if has_kernels { finding } else { finding.at_most(Severity::Note) })
}

/// Whether all iterators of PyTorch's `DataLoader` load in the process that asks for batches.
fn loads_by_itself(capture: &CaptureContents) -> bool {
    let texts = capture.ranges.texts.iter().map(|says| capture.strings.get(says.text));
    let loaders = texts.filter(|text| text.starts_with("enumerate(DataLoader)#"));
    let (alone, others): (Vec<&str>, Vec<&str>) =
        loaders.partition(|text| text.contains("_SingleProcessDataLoaderIter"));
    !alone.is_empty() && others.is_empty()
}

pub(super) const LAUNCH_BOUND: Rule = Rule {
    id: "launch_bound",
    title: "GPUs wait for launches",
    how: "The share of the time, averaged over the used GPUs, in gaps under 1 ms in which the host was issuing work or on its \
          way to it (`cpu_in_short_gaps_ns` of table `gpu_time`), without work that is done once (`warm_up_in_range` has it). \
          Silent where graphs make half of the launches, and under 50 launches or 5 per iteration. Four fifths of \
          this time are the likely saving, all of it the most. Where gaps of 100 µs and more have three quarters of this time, \
          and there is at most one for 20 launches, the host pauses there: this is said instead, and nothing is likely.",
    severity: Severity::Warning,
    confidence: Confidence::High,
    thresholds: &[SHORT_GAPS, GRAPH_LAUNCHES],
    link: "https://pytorch.org/blog/accelerating-pytorch-with-cuda-graphs/",
    needs: &[Need::GpuTime],
    subject: Subject::All(Verdict::Cpu),
    of_later_passes: true,
    saves_from: &[TimeOf::Launching],
    is_replayed: true,
    check: launch_bound,
};

fn launch_bound(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let gaps_ns = scene.gpu_time().idle.cpu_in_short_gaps_ns;
    if scene.share(gaps_ns) < limits.of(&SHORT_GAPS) {
        return None;
    }
    let gaps_ns = gaps_ns - scene.once().in_short_gaps_ns();
    let share = scene.share(gaps_ns);
    if share < limits.of(&SHORT_GAPS) {
        return None;
    }
    let calls = scene.calls();
    let launches = calls.of(ApiClass::Launch).calls;
    let graph_share = 100.0 * count_to_f64(calls.graph_launches) / count_to_f64(launches.max(1));
    let is_few = launches < FEWEST_LAUNCHES || scene.per_iteration(launches) < FEWEST_PER_ITERATION;
    if is_few || graph_share >= limits.of(&GRAPH_LAUNCHES) {
        return None;
    }
    // What GPUs wait for may as well be the next copy or memset. Those that GPUs make by themselves have no call.
    let has_call = |group: &&CopyGroup| !group.kind.is_migration();
    let each = |is_memset: bool| {
        let groups = scene.copies().iter().filter(has_call);
        let groups = groups.filter(|group| (group.kind == CopyKind::Memset) == is_memset);
        crate::base::ratios::whole(scene.per_iteration(groups.map(|group| group.count).sum()))
    };
    if let Some(pauses) = FewPauses::of(scene, gaps_ns, launches) {
        let finding = pauses.finding(scene, share, scene.per_gpu(gaps_ns)).percent(SHORT_GAPS.name, share);
        return Some(iterations_that_wait(scene, finding.slowed_by_profiler(&scene.profile.capture)));
    }
    let (copies, memsets) = (each(false), each(true));
    let (copied, held) = (comes_with_copies(scene, launches), held_by_markers(scene));
    let fewer = match (copied, held) {
        (Some(_), _) => LAUNCHES_WITH_COPIES.into(),
        (None, Some(_)) => WITHOUT_MARKERS.into(),
        (None, None) => scene.dated(scene.framework().fewer_launches(scene.vendor())),
    };
    let advice = Sentence::new("{}; a faster GPU would help little", vec![Figure::Clause(Box::new(fewer))]);
    let gaps_ns = scene.per_gpu(gaps_ns);
    let seconds = to_f64(scene.call_span().length()) / 1e9;
    let finding = Finding::new(
        Sentence::new(
            "GPUs wait for the next launch{} {} of the time, in gaps under 1 ms{}; these are {} launches{}{}{}",
            vec![
                Figure::Text(
                    match (copies > 0, memsets > 0) {
                        (true, true) => ", copy or memset",
                        (true, false) => " or copy",
                        (false, true) => " or memset",
                        (false, false) => "",
                    }
                    .to_owned(),
                ),
                Figure::Percent(share, 1),
                besides_once(scene, scene.once().in_short_gaps_ns()),
                Figure::Count(crate::base::ratios::whole(scene.per_iteration(launches))),
                Figure::Text(
                    match [counted(copies, ["copy", "copies"]), counted(memsets, ["memset", "memsets"])] {
                        [Some(copies), Some(memsets)] => format!(", {copies} and {memsets}"),
                        [Some(only), None] | [None, Some(only)] => format!(" and {only}"),
                        [None, None] => String::new(),
                    },
                ),
                scene.each(),
                longest_before(scene),
            ],
        ),
        advice,
    )
    .percent(SHORT_GAPS.name, share)
    .time("one_time_ns", scene.per_gpu(scene.once().in_short_gaps_ns()))
    .count("launches", launches)
    .percent("launches_per_s", if seconds > 0.0 { count_to_f64(launches) / seconds } else { 0.0 })
    .saves(
        part(gaps_ns, MOST_OF_GAPS),
        gaps_ns,
        "Four fifths, at most all, of the time in which a GPU idles under 1 ms for a launch or a copy",
    )
    .replayed(Edits::launches_as_one());
    let finding = finding.slowed_by_profiler(&scene.profile.capture);
    Some(iterations_that_wait(scene, finding.same_cause_as(copied.or(held))))
}

/// `1 copy`, `12 copies`; nothing of none.
fn counted(count: u64, [one, many]: [&str; 2]) -> Option<String> {
    match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        _ => Some(format!("{count} {many}")),
    }
}

/// Before which kernel the host takes longest, as a part of a sentence; nothing where none takes much longer than others.
fn longest_before(scene: &Scene<'_>) -> Figure {
    let Some((kernel, host_ns)) = scene.slowest_to_launch() else { return Figure::Text(String::new()) };
    let all = scene.kernels();
    let before_each = |ns, launches: u64| Figure::Time(to_f64(ns) / count_to_f64(launches.max(1)));
    let part = Sentence::new(
        "; the host takes {} up to each of {} launches of `{}`, and {} from launch to launch",
        vec![
            before_each(host_ns, kernel.launches),
            Figure::Count(crate::base::ratios::whole(scene.per_iteration(kernel.launches))),
            Figure::Text(short_of(scene, kernel)),
            before_each(scene.host_ns_before(&all.kernels), all.launches),
        ],
    );
    Figure::Clause(Box::new(part))
}

pub(super) const CPU_WORK_BETWEEN: Rule = Rule {
    id: "cpu_work_between",
    title: "GPUs wait while the host is in other code",
    how: "The share of the time, averaged over the used GPUs, in gaps of 1 ms and more in which the host was in a launch, \
        another call, a range, or between calls (`cpu_in_long_gaps_ns` of table `gpu_time`), without work that is done once \
          (`warm_up_in_range` has it). For the likely saving these gaps are as long as the median one, for the most they are none.",
    severity: Severity::Warning,
    confidence: Confidence::Medium,
    thresholds: &[LONG_GAPS],
    needs: &[Need::HostCalls, Need::GpuTime],
    subject: Subject::All(Verdict::Cpu),
    of_later_passes: true,
    saves_from: &[TimeOf::Between],
    is_replayed: true,
    check: cpu_work_between,
    ..Rule::SILENT
};

fn cpu_work_between(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let idle = &scene.gpu_time().idle;
    if scene.share(idle.cpu_in_long_gaps_ns) < limits.of(&LONG_GAPS) {
        return None;
    }
    let once_ns = scene.once().in_long_gaps_ns();
    let working_ns = (idle.cpu_in_long_gaps_ns - once_ns).max(0);
    let share = scene.share(working_ns);
    if share < limits.of(&LONG_GAPS) {
        return None;
    }
    let asleep = scene.asleep_percent();
    let busy_ns = scene.per_gpu(scene.gpu_time().busy_ns);
    let busy_percent = (busy_ns < scene.per_gpu(working_ns)).then(|| scene.share(scene.gpu_time().busy_ns));
    let in_ranges = scene.mostly_in_range(working_ns);
    // An operator is not what a program does beside its steps.
    let is_in_ops = 2 * scene.in_operators_in_long_gaps_ns() >= working_ns;
    let longest_ns = scene.longest_gap_of(&Cause::ISSUING).unwrap_or(0);
    let advice = if asleep.is_some() {
        asleep_advice(&scene.profile.capture, scene.timer_in_words(), busy_percent)
    } else if is_in_ops {
        hidden_by_little(
            "The thread is in operators of PyTorch there, which take that long on the CPU. Call fewer of them, on larger tensors, or \
             compile the part that calls them{}",
            busy_percent,
        )
    } else if scene.is_pytorch() {
        hidden_by_little(
            "See what the thread does there, and take it off the path to the next launch: logging, metrics, saving, loading and \
             Python code can run on another thread or less often{}",
            busy_percent,
        )
    } else {
        hidden_by_little(
            "See what the thread does there, and take it off the path to the next launch. Do it on another thread, less often, or \
             while GPUs are busy{}",
            busy_percent,
        )
    };
    let finding = Finding::new(
        Sentence::new(
            "GPUs idle {} of the time in gaps of 1 ms and more while the thread that launches is in other code{}{}{}{}; the \
             longest of these gaps takes {}",
            vec![
                Figure::Percent(share, 1),
                Figure::Text(in_ranges),
                Figure::Clause(Box::new(asleep.map_or_else(
                    || "".into(),
                    |percent| {
                        Sentence::new(
                            "; while GPUs wait for it, it sleeps {} of the time",
                            vec![Figure::Percent(percent, 0)],
                        )
                    },
                ))),
                Figure::Clause(Box::new(match asleep {
                    Some(_) => "".into(),
                    None => scene.sampled_while_idle(),
                })),
                Figure::Clause(Box::new(scene.mostly_in_python())),
                Figure::Time(crate::base::ratios::to_f64(longest_ns)),
            ],
        ),
        advice,
    )
    .percent(LONG_GAPS.name, share)
    .time("longest_gap_ns", longest_ns)
    .time("one_time_ns", scene.per_gpu(once_ns))
    .saves_at_most(
        // The first of these gaps begins before all work.
        scene.per_gpu(working_ns + scene.idle(&[Cause::Edge])),
        "All idle time in gaps of 1 ms and more in which the host issued work or was on its way to it, and before and after all work, \
         without what is done once",
    );
    // What a thread sleeps for is not known, and of little GPU work only as much as that takes can be hidden behind it.
    let is_bound_alone = asleep.is_some() || busy_percent.is_some();
    let finding = finding.replayed(Edits {
        expected: if is_bound_alone { Vec::new() } else { vec![Edit::usual_gaps()] },
        at_most: vec![Edit::without_long_gaps()],
        is_within_reckoned: true,
        basis: match is_bound_alone {
            true => "The host takes no time between two calls where it takes 1 ms or more",
            false => {
                "The host takes as long as usual between two calls where it takes 1 ms or more; at most none"
            }
        }
        .into(),
    });
    let working = |place: usize| scene.sum_over(place..place + 1).idle.cpu_in_long_gaps_ns;
    let finding = finding.about(EvidenceKind::GpuIteration, most_of(scene, working));
    let finding = finding.slowed_by_profiler(&scene.profile.capture);
    let finding = match asleep {
        Some(_) => finding.titled("GPUs wait while the thread that launches sleeps"),
        None => finding,
    };
    Some(
        finding.show(
            Question::of("gpu_time")
                .rows_where("cpu_in_long_gaps_ns > 0")
                .columns(["iteration", "device_id", "cpu_in_long_gaps_ns"])
                .sorted_by(["-cpu_in_long_gaps_ns"]),
        ),
    )
}

/// Behind a share of the time: what the tables have more, because it is done once.
fn besides_once(scene: &Scene<'_>, once_ns: Ns) -> Figure {
    let share = scene.share(once_ns);
    if share < 0.05 {
        return Figure::Text(String::new());
    }
    let words = Sentence::new(" ({} more for work done once)", vec![Figure::Percent(share, 1)]);
    Figure::Clause(Box::new(words))
}

/// An advice to overlap work of the host with that of GPUs, which ends in a place for how little that is where it is less than what
/// GPUs wait.
fn hidden_by_little(advice: &'static str, busy_percent: Option<f64>) -> Sentence {
    let little = busy_percent.map_or_else(
        || "".into(),
        |percent| {
            Sentence::new(
                "; GPUs are busy only {} of the time, so that overlap hides no more than that, and the rest has to go",
                vec![Figure::Percent(percent, 1)],
            )
        },
    );
    Sentence::new(advice, vec![Figure::Clause(Box::new(little))])
}

/// What to do about a thread that sleeps: how to see what it sleeps for follows from what was recorded.
fn asleep_advice(capture: &CaptureContents, timer: Option<Sentence>, busy_percent: Option<f64>) -> Sentence {
    let has_stacks = !capture.host.stack_frames.symbol.is_empty();
    if let Some(sleeps) = timer {
        let found = Sentence::new(
            "Look for a timer there, such as `time.sleep` or polling. Most of the time is sleeps of equal length: {}. Wait for what it \
             polls instead, while GPUs are busy, or not at all",
            vec![Figure::Clause(Box::new(sleeps))],
        );
        let little = Figure::Clause(Box::new(hidden_by_little("{}", busy_percent)));
        return Sentence::new("{}{}", vec![Figure::Clause(Box::new(found)), little]);
    }
    let advice = match (capture.host.os_calls.is_some(), has_stacks) {
        _ if capture.recorder.is_torch_profiler() => {
            "Find out what the thread sleeps for: `sleep`, a file, a socket, a lock or another thread; `dlprof-agg show longest-gaps` \
             says where. Let it wait while GPUs are busy, or not at all{}"
        }
        (true, _) => {
            "Find out what the thread sleeps for: `sleep`, a file, a socket, a lock or another thread; `dlprof-agg show \
             idle-os-calls` lists the calls in which it does. Let it wait while GPUs are busy, or not at all{}"
        }
        (false, true) => {
            "Find out what the thread sleeps for: `sleep`, a file, a socket, a lock or another thread; `--trace=osrt` records \
             the calls in which it does. Let it wait while GPUs are busy, or not at all{}"
        }
        (false, false) => {
            "Find out what the thread sleeps for: `sleep`, a file, a socket, a lock or another thread; `--trace=osrt` and CPU \
             samples with stacks (`--sample=process-tree`) show it. Let it wait while GPUs are busy, or not at all{}"
        }
    };
    hidden_by_little(advice, busy_percent)
}

/// The iterations in which GPUs waited longest for launches, and the table that the share is the quotient of two sums of.
fn iterations_that_wait(scene: &Scene<'_>, finding: Finding) -> Finding {
    let waiting = |place: usize| scene.sum_over(place..place + 1).idle.cpu_in_short_gaps_ns;
    finding.about(EvidenceKind::GpuIteration, most_of(scene, waiting)).show(
        Question::of("gpu_time")
            .columns(["iteration", "device_id", "length_ns", "cpu_in_short_gaps_ns", "gaps"])
            .sorted_by(["iteration", "device_id"]),
    )
}

/// Numbers of the three iterations that have most of a time, in order.
fn most_of(scene: &Scene<'_>, time: impl Fn(usize) -> Ns) -> Vec<String> {
    let mut places: Vec<usize> = scene.places.clone().collect();
    places.sort_by_cached_key(|&place| (std::cmp::Reverse(time(place)), place));
    places.truncate(3);
    places.sort_unstable();
    places.iter().map(|&place| scene.iteration(place).to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::asleep_advice;
    use crate::tests::drawn::Drawn;

    #[test]
    fn of_a_sleeping_thread_only_what_was_not_recorded_is_asked_for() {
        let mut drawn = Drawn::new();
        let none = asleep_advice(&Drawn::new().capture(), None, None).to_string();
        assert!(none.contains("--trace=osrt") && none.contains("--sample=process-tree"), "{none}");
        drawn.sample("nanosleep", "libc.so.6", 10);
        let sampled = asleep_advice(&drawn.capture(), None, None).to_string();
        assert!(sampled.contains("--trace=osrt") && !sampled.contains("--sample"), "{sampled}");
        let mut drawn = Drawn::new();
        drawn.os_call("nanosleep", 10..20);
        let called = asleep_advice(&drawn.capture(), None, Some(4.4)).to_string();
        assert!(called.ends_with("GPUs are busy only 4.4% of the time, so that overlap hides no more than that, and the rest has to go"));
        assert!(called.contains("show idle-os-calls") && !called.contains("--trace"), "{called}");
        assert!(none.ends_with("Let it wait while GPUs are busy, or not at all"), "{none}");
        let timer = asleep_advice(&Drawn::new().capture(), Some("30 of about 5 ms".into()), None).to_string();
        assert!(timer.contains("equal length: 30 of about 5 ms.") && !timer.contains("--trace"), "{timer}");
    }
}
