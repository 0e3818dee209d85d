//! The program waits for the GPU where it need not.

use super::wait_words::{advice, places_in_words};
use super::{FEWEST_LAUNCHES, comes_with_copies};
use crate::advice::edits::Edits;
use crate::advice::finding::{Confidence, EvidenceKind, Finding, Severity};
use crate::advice::question::Question;
use crate::advice::rule::{Limits, Need, Rule, Subject, Threshold, TimeOf};
use crate::advice::scene::Scene;
use crate::advice::sentence::{Figure, Sentence};
use crate::advice::step_waits::StepWaits;
use crate::base::ids::ProcessId;
use crate::base::ratios::count_to_f64;
use crate::capture::names::ApiClass;
use crate::figures::activity::{
    AwaitedLaunches, LaunchCount, Verdict, WindowSyncs, launches_followed_by_wait,
};
use std::collections::BTreeSet;

const SYNCS: Threshold = Threshold {
    name: "syncs_per_iteration",
    default: 1.0,
    doc: "Least number of waits per iteration, without the one that ends it.",
};

const SYNC_COST: Threshold = Threshold {
    name: "sync_cost_percent",
    default: 3.0,
    doc: "Least share of the time that GPUs idle after waits, in gaps under 1 ms.",
};

const SERIAL: Threshold = Threshold {
    name: "serialised_percent",
    default: 80.0,
    doc: "Least share of launches whose thread waits before it launches again.",
};

pub(super) const SYNC_IN_STEP: Rule = Rule {
    id: "sync_in_step",
    title: "Waits for the GPU inside a step",
    how: "The waits for the GPU per process and iteration, without the one that ends an iteration, those that a call of MPI or \
          NCCL makes, and those while algorithms are tried (`autotuning_in_range` has them), and the share of the time that GPUs \
          idle after them, and after the one that ends an iteration, in gaps under 1 ms. This is the gap in which a wait ends (as in `sync_cost_short_gaps_ns` of table \
          `gpu_time`, which counts all waits), or, if that is more, this gap and what GPUs idle for late calls of its thread up to \
          the thread's next wait or copy that keeps it, together no more than the wait is long, because without it the thread \
          would be so much earlier. Idle time inside work that is done once does not count. Named are the calls \
          that wait and the innermost range that is open on their thread; the advice follows from what they wait for: a copy \
          that the thread made directly before, an event, or the device. Silent where every launch waits \
          (`serialised_launches`). For the likely saving these calls are not made, but the last one of each iteration; for the most that \
          one neither, nor what little the host does in front of them.",
    severity: Severity::Warning,
    confidence: Confidence::High,
    thresholds: &[SYNCS, SYNC_COST],
    needs: &[Need::GpuTime],
    subject: Subject::Part(Verdict::Cpu),
    of_later_passes: true,
    saves_from: &[TimeOf::Launching],
    is_replayed: true,
    check: sync_in_step,
    ..Rule::SILENT
};

fn sync_in_step(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let idle = &scene.gpu_time().idle;
    // What waits cost on each GPU is no more than they take and the gaps in which they end.
    let on_each = i64::try_from(scene.used_gpus()).unwrap_or(i64::MAX);
    let waits_ns = scene.calls().of(ApiClass::Sync).time_ns.saturating_mul(on_each);
    let most_ns = idle.sync_cost_short_gaps_ns.saturating_add(waits_ns);
    let is_said = |limits: Limits<'_>| is_serialised(scene, limits.of(&SERIAL)).is_some();
    if scene.share(most_ns) < limits.of(&SYNC_COST)
        || SERIALISED_LAUNCHES.limits_in(scene).is_some_and(is_said)
    {
        return None;
    }
    let StepWaits { by_window, places } = scene.step_waits();
    let syncs: u64 = by_window.iter().map(WindowSyncs::in_step).sum();
    let reads: u64 = by_window.iter().map(|window| window.scalar_reads).sum();
    let waiting: BTreeSet<Option<ProcessId>> =
        by_window.iter().flat_map(|window| window.processes.iter().copied()).collect();
    let processes = waiting.len().max(1) as u64;
    let per_iteration = scene.per_iteration(syncs) / count_to_f64(processes);
    if per_iteration < limits.of(&SYNCS) {
        return None;
    }
    let costs = scene.wait_costs();
    let most_ns = (costs.most_ns - scene.once().sync_cost_short_gaps_ns).max(0);
    let share = scene.share(most_ns);
    if share < limits.of(&SYNC_COST) {
        return None;
    }
    let (likely_ns, most_ns) = (scene.per_gpu(costs.likely_ns.min(most_ns)), scene.per_gpu(most_ns));
    let functions = scene.functions_of(ApiClass::Sync);
    let ends = ends(by_window);
    let tries = scene.tried().spans.iter().any(|spans| !spans.is_empty());
    let finding = Finding::new(
        Sentence::new(
            "{} for the GPU {}{} {}{}{}; the gaps after {} take {} of the time",
            vec![
                Figure::Text(match processes {
                    1 => "The program waits".to_owned(),
                    several => format!("Each of {several} processes waits"),
                }),
                Figure::Text(match crate::base::ratios::whole(per_iteration) {
                    1 => "once".to_owned(),
                    times => format!("{times} times"),
                }),
                scene.each(),
                Figure::Text(
                    if scene.iterations > 0 { "inside the step" } else { "in the window" }.to_owned(),
                ),
                Figure::Text(not_counted(scene, by_window, tries)),
                Figure::Text(places_in_words(scene, places)),
                Figure::Text(match ends {
                    0 => "the waits".to_owned(),
                    _ => format!("these waits and after those {}", end_in_words(scene)),
                }),
                Figure::Percent(share, 1),
            ],
        ),
        advice(scene, places),
    )
    .percent(SYNCS.name, per_iteration)
    .percent(SYNC_COST.name, share)
    .count("scalar_reads", reads)
    .count("waits_in_step", syncs)
    .count("sync_calls", scene.calls().of(ApiClass::Sync).calls)
    .time("sync_call_ns", scene.calls().of(ApiClass::Sync).time_ns)
    .about(EvidenceKind::HostCall, functions)
    .show(Question::of("host_calls").rows_where("call_class = sync").sorted_by(["-time_ns"]));
    // Of processes that wait for each other's messages, one that waits less for its GPU may wait longer for the others.
    Some(match processes > 1 && scene.exchanging_calls().is_some() {
        true => finding.saves_at_most(
            most_ns,
            "The idle time in gaps under 1 ms in which these waits end, mean of GPUs; processes that wait for each other's messages \
             save less",
        )
        .replayed(Edits { expected: Vec::new(), ..Edits::without_waits() }),
        false => finding.saves(
            likely_ns,
            most_ns,
            "The idle time after all these waits in gaps under 1 ms, up to the next wait, of each no more than the wait is long; at \
             most, where that is more, all of the gap in which each ends",
        )
        .replayed(Edits::without_waits()),
    })
}

/// Number of the waits that end the iterations.
fn ends(by_window: &[WindowSyncs]) -> u64 {
    by_window.iter().map(|window| window.terminal.len() as u64).sum()
}

fn end_in_words(scene: &Scene<'_>) -> &'static str {
    if scene.iterations > 0 { "that end a step" } else { "at the end of the window" }
}

/// `, not counting 54 in calls of MPI and 36 that end a step`: which waits of the iterations are left out.
fn not_counted(scene: &Scene<'_>, by_window: &[WindowSyncs], tries: bool) -> String {
    let counted: u64 = by_window.iter().map(|window| window.syncs).sum();
    let ends = ends(by_window);
    let others = scene.calls().of(ApiClass::Sync).calls.saturating_sub(counted);
    let others = match others {
        0 => None,
        some if tries => Some(format!("{some} while algorithms are tried")),
        some => Some(format!("{some} in exchange")),
    };
    let ends = (ends > 0).then(|| format!("{ends} {}", end_in_words(scene)));
    let all: Vec<String> = others.into_iter().chain(ends).collect();
    if all.is_empty() { String::new() } else { format!(", not counting {}", all.join(" and ")) }
}

pub(super) const SERIALISED_LAUNCHES: Rule = Rule {
    id: "serialised_launches",
    title: "The program waits after every launch",
    how: "The share of launch calls that are followed, as their thread's next launch or wait, by a wait for the GPU. Where more than \
          half of these are followed by a copy or memset before the wait, the finding says so. Silent under 50 launches. It is shown \
          instead of `sync_in_step`. The likely saving is the time that the calls of waits take, on average over the threads that wait, \
          because the CPU has to do all else as before; the most is all idle time that waits cause (`sync_cost_ns` of table `gpu_time`).",
    severity: Severity::Warning,
    confidence: Confidence::High,
    thresholds: &[SERIAL],
    needs: &[Need::GpuTime],
    subject: Subject::Part(Verdict::Cpu),
    saves_from: &[TimeOf::Launching],
    is_replayed: true,
    check: serialised_launches,
    ..Rule::SILENT
};

fn serialised_launches(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let awaited = is_serialised(scene, limits.of(&SERIAL))?;
    let share = awaited.launches.percent();
    let behind_copies = LaunchCount { found: awaited.behind_copies, of: awaited.launches.of }.percent();
    let is_behind_copies = 2 * awaited.behind_copies > awaited.launches.found;
    let waits_ns = scene.calls().of(ApiClass::Sync).time_ns / scene.waiting_threads();
    let cost_ns = scene.per_gpu(scene.gpu_time().idle.sync_cost_ns);
    let finding = Finding::new(
        match is_behind_copies {
            true => Sentence::new(
                "The program waits for the GPU after {} of the launches, after {} of them after a copy or memset",
                vec![Figure::Percent(share, 1), Figure::Percent(behind_copies, 1)],
            ),
            false => Sentence::new(
                "{} of the launches are followed by a wait for the GPU",
                vec![Figure::Percent(share, 1)],
            ),
        },
        match is_behind_copies {
            true => scene.framework().fewer_waits_for_copies(),
            false => scene.framework().fewer_waits(),
        },
    )
    .percent(SERIAL.name, share)
    .count("behind_copies", awaited.behind_copies)
    .about(EvidenceKind::HostCall, scene.functions_of(ApiClass::Sync))
    .show(Question::of("host_calls").rows_where("call_class = sync").sorted_by(["-time_ns"]))
    .saves(
        waits_ns.min(cost_ns),
        cost_ns,
        "The time of these waits, on average over the threads that wait, because the CPU has to do all else as before; at most all idle time of GPUs that waiting and \
         launching again took",
    )
    .replayed(Edits::without_waits())
    .same_cause_as(comes_with_copies(scene, awaited.launches.of).filter(|_| is_behind_copies));
    Some(finding)
}

/// The launches that are followed by a wait, if their share is as great as a limit.
fn is_serialised(scene: &Scene<'_>, limit: f64) -> Option<AwaitedLaunches> {
    let calls = scene.calls();
    let launches = calls.of(ApiClass::Launch).calls;
    // Fewer waits than this cannot follow so many launches.
    let most = 100.0 * count_to_f64(calls.of(ApiClass::Sync).calls) / count_to_f64(launches.max(1));
    if launches < FEWEST_LAUNCHES || most < limit {
        return None;
    }
    let awaited = launches_followed_by_wait(scene.facts(), scene.call_span());
    let LaunchCount { of, .. } = awaited.launches;
    (of >= FEWEST_LAUNCHES && awaited.launches.percent() >= limit).then_some(awaited)
}
