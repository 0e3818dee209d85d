//! Copies that GPUs wait for.

use super::copy_direction::{by_direction, mostly_to_gpu};
use crate::advice::edits::Edits;
use crate::advice::finding::{Confidence, EvidenceKind, Finding, Severity};
use crate::advice::idle_scene::MostRanges;
use crate::advice::question::Question;
use crate::advice::rule::{Limits, Need, Rule, Subject, Threshold, TimeOf};
use crate::advice::scene::{Scene, part};
use crate::advice::sentence::{Figure, Sentence};
use crate::base::ratios::{count_to_f64, percent, rounded, to_f64};
use crate::base::time::{Ns, total};
use crate::capture::classified::Cause;
use crate::capture::names::ApiClass;
use crate::figures::activity::{
    CopyGroup, CopyKind, HostMemory, Verdict, copies, copies_by_range, exposed_pageable_ns,
    hideable_copies_ns, pageable_waits_ns, per_second,
};
use crate::figures::profile::{RangeFamily, RangeTime};
use crate::replay::{CopiesOf, Edit};
use std::collections::BTreeSet;

const PAGEABLE_TIME: Threshold = Threshold {
    name: "pageable_percent",
    default: 1.0,
    doc: "Least share of the time that copies from or to pageable memory take.",
};

const PAGEABLE_EXPOSED: Threshold = Threshold {
    name: "exposed_pageable_percent",
    default: 0.75,
    doc: "Least share of the time that such copies take while nothing else runs.",
};

const BLOCKED: Threshold = Threshold {
    name: "blocked_percent",
    default: 5.0,
    doc: "Least share of the time that the calls of such copies take on the host.",
};

const WORTH: Threshold = Threshold {
    name: "worth_percent",
    default: 0.5,
    doc: "Where less than this share of the time could be saved, the finding is a note.",
};

const EXPOSED: Threshold = Threshold {
    name: "exposed_copies_percent",
    default: 10.0,
    doc: "Least share of the time that copies and memsets take while no kernel runs.",
};

/// What pinned memory reaches on PCIe 3, 4 and 5 ×16, in GB/s: low estimates where the capture has no such copy.
const USUAL_PINNED_GB_PER_S: [f64; 3] = [12.0, 25.0, 50.0];

/// What pinned memory usually reaches beside such copies between the host and GPUs: those that are faster than a bus show that it
/// is another one, in both directions.
pub(super) fn usual_pinned_rate<'a>(groups: impl Iterator<Item = &'a CopyGroup>) -> Option<f64> {
    let fastest = groups.filter_map(|group| gb_per_s(group.bytes, group.gpu_time_ns)).fold(0.0_f64, f64::max);
    USUAL_PINNED_GB_PER_S.into_iter().find(|&rate| rate > fastest)
}

/// From this share on that is waiting for kernels, calls that copy do nothing else.
const ONLY_WAITS_PERCENT: f64 = 95.0;

/// Fewer bytes do not show what pinned memory reaches.
const LEAST_PINNED_BYTES: u64 = 1 << 20;

pub(super) const PAGEABLE_COPIES: Rule = Rule {
    id: "pageable_copies",
    title: "Copies from or to pageable memory",
    how: "The share of the time that copies from or to pageable host memory take on GPUs, the part of it while nothing else \
          runs, and the share that their calls and waits after them take on the host, on average over processes. Copies that belong to trying \
          algorithms do not count (`autotuning_in_range` has them). Silent where no copy of the iterations is pageable, and \
          where pinned memory would be no faster and the calls take little time. The advice follows from the direction of most of the time. The likely saving is the exposed time less what \
          pinned memory would take, by the bandwidth of pinned copies of 1 MiB and more in the same direction, or else that of PCIe 3, 4 or 5 ×16 (12, \
          25 or 50 GB/s), the first that is faster than the copies in either direction are; where nothing is, or the most is \
          under 0.5 % of the time, nothing is likely; the most is all exposed time and the idle time in calls that copy. Without iterations nothing is likely where most \
          bytes are of copies whose kind and size do not come again once kernels have run, because pinning memory for one copy costs about what it saves. A \
          note where the most is under 0.5 % of the time.",
    severity: Severity::Warning,
    confidence: Confidence::High,
    thresholds: &[PAGEABLE_TIME, PAGEABLE_EXPOSED, BLOCKED, WORTH],
    link: "https://developer.nvidia.com/blog/how-optimize-data-transfers-cuda-cc/",
    needs: &[Need::HostMemory],
    subject: Subject::Part(Verdict::Copy),
    saves_from: &[TimeOf::Copies, TimeOf::CopyCalls],
    is_replayed: true,
    check: pageable_copies,
    ..Rule::SILENT
};

fn pageable_copies(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let copies = scene.own_copies();
    let of = |memory: HostMemory| copies.iter().filter(move |group| group.host_memory == memory);
    let is_own = |copy: usize| !scene.is_trial(copy);
    let (bytes, time_ns) = sums(of(HostMemory::Pageable));
    if time_ns == 0 {
        return None;
    }
    let called_ns = total(of(HostMemory::Pageable).map(|group| group.api_time_ns));
    let used = scene.pageable_use();
    let share_of_host =
        |ns: Ns| percent(ns, scene.call_span().length()) / count_to_f64(used.processes as u64);
    // Where all waits of the iterations are short, those after copies are.
    let waits_matter = share_of_host(scene.calls().of(ApiClass::Sync).time_ns) >= limits.of(&BLOCKED);
    let behind_ns = if waits_matter { scene.step_waits().behind_pageable_ns() } else { 0 };
    // A few waits beside long calls are not worth words.
    let behind_ns = if 10 * behind_ns >= called_ns + behind_ns { behind_ns } else { 0 };
    let blocked_ns = called_ns + behind_ns;
    let blocked_share = share_of_host(blocked_ns);
    let blocks = blocked_share >= limits.of(&BLOCKED);
    // What is exposed of them is no more than all of them.
    if !blocks && scene.share(time_ns) < limits.of(&PAGEABLE_TIME).min(limits.of(&PAGEABLE_EXPOSED)) {
        return None;
    }
    let exposed_ns = exposed_pageable_ns(scene.facts(), scene.span, is_own);
    let (share, exposed_share) = (scene.share(time_ns), scene.share(exposed_ns));
    if !blocks && share < limits.of(&PAGEABLE_TIME) && exposed_share < limits.of(&PAGEABLE_EXPOSED) {
        return None;
    }
    let bandwidths = bandwidths(of(HostMemory::Pageable));
    let over_link = |group: &&CopyGroup| matches!(group.kind, CopyKind::HtoD | CopyKind::DtoH);
    let usual = usual_pinned_rate(copies.iter().filter(over_link));
    // What the same bytes would take from pinned memory, in each direction.
    let pinned_ns = total(of(HostMemory::Pageable).map(|group| {
        let alike = of(HostMemory::Pinned).filter(|pinned| pinned.kind == group.kind);
        let (bytes, time_ns) = sums(alike);
        let known = gb_per_s(bytes, time_ns).filter(|_| bytes >= LEAST_PINNED_BYTES);
        let pinned_ns = known.or(usual).map(|rate| rounded(count_to_f64(group.bytes) / rate));
        // What is as fast already gains nothing, and does not take from what others gain.
        pinned_ns.map_or(group.gpu_time_ns, |ns| ns.min(group.gpu_time_ns))
    }));
    if pinned_ns >= time_ns && !blocks {
        return None;
    }
    let idle_ns = scene.per_gpu(scene.idle(&[Cause::Copy]));
    let exposed_ns = scene.per_gpu(exposed_ns);
    let count: u64 = of(HostMemory::Pageable).map(|group| group.count).sum();
    // Pinning memory touches each of its pages, as the one copy does.
    let is_once = scene.copies_once(&used);
    let with_waits = behind_ns > 0;
    let waits_of = |with_waits| pageable_waits_ns(scene.facts(), scene.span, with_waits, is_own);
    let in_calls_ns = waits_of(false).min(called_ns);
    // Not all copies have a wait after them: what lies after the calls is no more than the waits.
    let after_calls_ns = if with_waits { (waits_of(true) - in_calls_ns).clamp(0, behind_ns) } else { 0 };
    let waits_ns = in_calls_ns + after_calls_ns;
    let waits_percent = percent(waits_ns, blocked_ns);
    // Pinned memory makes copies faster, not the kernels before them.
    let only_waits = waits_percent >= ONLY_WAITS_PERCENT && exposed_share < limits.of(&PAGEABLE_EXPOSED);
    let waits_to_send = only_waits && mostly_to_gpu(of(HostMemory::Pageable));
    let advice = match (scene.is_pytorch(), is_once) {
        _ if only_waits && !waits_to_send => {
            "Copy less often, such as a result only every some iterations: these calls wait for the kernels before them, which \
             pinned memory makes no shorter"
        }
        (false, _) if waits_to_send => {
            "Copy from pinned host memory with asynchronous calls, which need not wait for the kernels before them, or copy less \
             often"
        }
        (true, false) => by_direction(of(HostMemory::Pageable)),
        (true, true) => {
            "Where the same memory is copied again and again, pin it: `pin_memory=True` in the `DataLoader`, and \
             `non_blocking=True` in `.to()`; for a single copy pinning costs about what it saves"
        }
        (false, false) => {
            "Copy from and to pinned host memory (`cudaHostAlloc`, `cudaHostRegister`), with asynchronous copies"
        }
        (false, true) => {
            "Copy from and to pinned host memory (`cudaHostAlloc`, `cudaHostRegister`) where the same memory is used again and \
             again; for a single copy pinning costs about what it saves"
        }
    };
    let is_short = share < limits.of(&PAGEABLE_TIME) && exposed_share < limits.of(&PAGEABLE_EXPOSED);
    let and_waits = if with_waits { " and waits after them" } else { "" };
    let and_waits = Figure::Text(and_waits.to_owned());
    // Without waits worth the name nothing is said of them.
    let waiting = if waits_percent >= 10.0 { "; for {} of it kernels run before them" } else { "" };
    let waiting_figures = if waiting.is_empty() { vec![] } else { vec![Figure::Percent(waits_percent, 0)] };
    let waiting = Figure::Clause(Box::new(Sentence::new(waiting, waiting_figures)));
    // Times of the host, as their shares, are means over processes.
    let processes = used.processes.max(1);
    let of_each = |ns: Ns| ns / Ns::try_from(processes).unwrap_or(Ns::MAX);
    let each = |ns: Ns| Figure::Time(to_f64(of_each(ns)));
    let whom = Figure::Text(match processes {
        1 => "the host".to_owned(),
        several => format!("each of {several} processes"),
    });
    let problem = if is_short {
        let (held, share) = (Figure::Percent(blocked_share, 1), Figure::Percent(share, 2));
        let (words, figures) = if !with_waits && 2 * waits_ns >= blocked_ns {
            (
                "Calls of {} copies from or to pageable memory wait {} for kernels that run before them; in all they keep {} \
                 for {}, {} of the time; GPUs copy for {} of it",
                vec![Figure::Count(count), each(waits_ns), whom, each(blocked_ns), held, share],
            )
        } else {
            (
                "Calls of {} copies from or to pageable memory{} keep {} for {}, {} of the time{}; GPUs copy \
                 for {} of it",
                vec![Figure::Count(count), and_waits, whom, each(blocked_ns), held, waiting, share],
            )
        };
        Sentence::new(words, figures)
    } else {
        Sentence::new(
            "Copies from or to pageable memory take {} of the time, {} while nothing else runs ({}); the calls of all {}{} \
             keep {} for {} in all{}",
            vec![
                Figure::Percent(share, 1),
                Figure::Percent(exposed_share, 1),
                Figure::Text(bandwidths),
                Figure::Count(count),
                and_waits,
                whom,
                each(blocked_ns),
                waiting,
            ],
        )
    };
    let finding = Finding::new(with_whole_run(scene, problem), advice)
        .percent(BLOCKED.name, blocked_share)
        .count("copies", count)
        .time("blocked_ns", of_each(blocked_ns))
        .time("waiting_for_kernels_ns", of_each(waits_ns))
        .percent(PAGEABLE_TIME.name, share)
        .percent(PAGEABLE_EXPOSED.name, exposed_share)
        .count("bytes", bytes)
        .time("from_pinned_ns", pinned_ns)
        .about(EvidenceKind::HostMemory, ["pageable"])
        .show(Question::of("copies").rows_where("host_memory = pageable").sorted_by(["-gpu_time_ns"]));
    let likely_ns = part(exposed_ns, 1.0 - to_f64(pinned_ns) / to_f64(time_ns));
    let finding = match is_once {
        true => finding.saves_at_most(
            likely_ns + idle_ns,
            "Exposed time of these copies, less what the same bytes take from pinned memory, and the idle time in calls that copy, if \
             the memory were pinned already",
        ),
        false if likely_ns == 0 => finding.saves_at_most(
            exposed_ns + idle_ns,
            "Exposed time of these copies and the idle time in calls that copy; pinned memory alone would be no faster",
        ),
        false => finding.saves(
            likely_ns,
            exposed_ns + idle_ns,
            // The waits are no time of copies, and may be needed for another reason.
            match 2 * behind_ns >= blocked_ns {
                true => {
                    "Exposed time of these copies, less what the same bytes take from pinned memory; at most all of it and the \
                     idle time in calls that copy; what GPUs idle after the waits is not in it (`sync_in_step`)"
                }
                false => {
                    "Exposed time of these copies, less what the same bytes take from pinned memory; at most all of it and the \
                     idle time in calls that copy"
                }
            },
        ),
    };
    let to_gpu = CopiesOf {
        kinds: vec![CopyKind::HtoD, CopyKind::HtoA],
        memory: Some(HostMemory::Pageable),
        ..CopiesOf::default()
    };
    let all = CopiesOf { kinds: Vec::new(), ..to_gpu.clone() };
    let times = to_f64(pinned_ns) / to_f64(time_ns.max(1));
    let pinned = vec![Edit::copies(all.clone(), times), Edit::enqueued_copies(to_gpu, times)];
    let is_likely = finding.saving.as_ref().is_some_and(|saving| saving.expected_ns.is_some());
    let finding = finding.replayed(Edits {
        expected: if is_likely { pinned } else { Vec::new() },
        at_most: vec![Edit::enqueued_copies(all, if is_once { times } else { 0.0 })],
        is_within_reckoned: false,
        basis: match is_once {
            true => {
                "These copies take what the same bytes take from pinned memory, if it were pinned already, and no call waits for them"
            }
            false => {
                "These copies take what the same bytes take from pinned memory, and the calls of those to the GPU only enqueue them; at \
                 most these copies take no time, and no call waits for them"
            }
        }
        .into(),
    });
    let is_worth = percent(exposed_ns + idle_ns, scene.span.length()) >= limits.of(&WORTH);
    Some(if is_worth { finding } else { finding.without_saving().at_most(Severity::Note) })
}

/// With what such copies take over the whole run, where findings are about the smaller part of it.
fn with_whole_run(scene: &Scene<'_>, problem: Sentence) -> Sentence {
    let Some(run) = scene.whole_run() else { return problem };
    let copies = copies(scene.facts(), run.span, |_| true);
    let (_, time_ns) = sums(copies.iter().filter(|group| group.host_memory == HostMemory::Pageable));
    let share = percent(scene.per_gpu(time_ns), run.span.length());
    let figures =
        vec![Figure::Clause(Box::new(problem)), Figure::Count(run.first.into()), Figure::Percent(share, 1)];
    Sentence::new("{}; over the whole run from iteration {} on they take {} of the time", figures)
}

pub(super) const EXPOSED_COPIES: Rule = Rule {
    id: "exposed_copies",
    title: "Copies that nothing hides",
    how: "The share of the time, averaged over the used GPUs, that copies and memsets take while no kernel runs \
          (`exposed_copy_ns` of table `gpu_time`). For the likely saving copies run on a stream of their own, beside the kernels of \
          their iteration. None is likely where little is left of what kernels can hide: of copies to the host the time of kernels after them, of other copies \
          that of kernels before them, each kernel once, where the GPU does not idle for 1 ms and more between the two: there \
          the host may make or use the data. The innermost range of the program, without ops of PyTorch (`aten::`), in which \
          half of the copies of the kind with most time are called, by time, is named: this kind and this range are of all copies, \
          those that kernels hide included. All of the exposed time is the most, and all that is said where that \
          excludes most, or kernels could hide less than a tenth.",
    severity: Severity::Warning,
    confidence: Confidence::High,
    thresholds: &[EXPOSED],
    link: "https://developer.nvidia.com/blog/how-overlap-data-transfers-cuda-cc/",
    needs: &[Need::Kernels],
    subject: Subject::All(Verdict::Copy),
    saves_from: &[TimeOf::Copies],
    is_replayed: true,
    check: exposed_copies,
    ..Rule::SILENT
};

fn exposed_copies(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let exposed_ns = scene.gpu_time().exposed_copy_ns;
    let share = scene.share(exposed_ns);
    if share < limits.of(&EXPOSED) {
        return None;
    }
    let most =
        scene.copies().iter().max_by_key(|group| (group.gpu_time_ns, std::cmp::Reverse(group.kind)))?;
    // Copies of the kind whose calls were recorded, and others.
    let (bytes, time_ns) = sums(
        scene
            .copies()
            .iter()
            .filter(|group| (group.kind, group.host_memory) == (most.kind, most.host_memory)),
    );
    let rate = gb_per_s(bytes, time_ns);
    let memory = match (most.kind, most.host_memory) {
        (CopyKind::HtoD, HostMemory::Pinned) => " from pinned memory",
        (CopyKind::HtoD, HostMemory::Pageable) => " from pageable memory",
        (_, HostMemory::Pinned) => " to pinned memory",
        (_, HostMemory::Pageable) => " to pageable memory",
        (_, HostMemory::Managed) => " of unified memory",
        _ => "",
    };
    let hideable = hideable_copies_ns(scene.facts(), scene.span);
    // Kernels that could hide a tenth of the copies are no reason to copy on a second stream.
    let is_little = 10 * hideable.most_ns < exposed_ns;
    // Where the host may make or use the data between the kernels and the copies, nothing is likely.
    let is_bound = !is_little && 10 * hideable.likely_ns < exposed_ns;
    let exceeds = exposed_ns > scene.gpu_time().compute_ns;
    let called_in = copied_in(scene, most.kind);
    let is_offloaded = called_in.as_ref().is_some_and(|ranges| ranges.names.contains("FSDP::"));
    let advice = match most.kind {
        CopyKind::HtoD if is_little && is_offloaded => {
            "Keep parameters on the GPU (no `CPUOffloadPolicy`), or, where they are FP32, in BF16. FSDP copies them from the host in \
             these ranges, as it does with CPU offload. Kernels before the copies take less than a tenth of their time, \
             so that a second stream could hide little of them"
        }
        CopyKind::HtoD | CopyKind::DtoH if is_little => {
            "Copy less, or keep the data on the GPU. A second stream could hide little: kernels before copies to the GPU and after \
             those to the host take under a tenth of their time"
        }
        CopyKind::HtoD | CopyKind::DtoH if exceeds && most.host_memory == HostMemory::Pinned => {
            "Copy less, or keep the data on the GPU: there are too few kernels to hide the copies. The memory is pinned \
             already, so that what is left overlaps if it is copied earlier, on a second stream"
        }
        CopyKind::HtoD | CopyKind::DtoH if exceeds => {
            "Copy less, or keep the data on the GPU: there are too few kernels to hide the copies. What is left overlaps if it \
             is copied from pinned memory on a second stream"
        }
        CopyKind::HtoD | CopyKind::DtoH if most.host_memory == HostMemory::Pageable => {
            "Pin the host memory, which copies that overlap need, then copy on a second stream while kernels run; or keep the \
             data on the GPU"
        }
        CopyKind::HtoD | CopyKind::DtoH => {
            "Copy on a second stream while kernels run: fetch the next batch, or with offloading the next layer, earlier; or \
             keep the data on the GPU"
        }
        CopyKind::DtoD | CopyKind::PtoP => {
            "Avoid the copy: write results where they are needed, or copy on a second stream while kernels run"
        }
        CopyKind::Memset => "Clear less, or let the kernel that writes first do it",
        _ => "Copy on a second stream while kernels run, or keep the data on the GPU",
    };
    let what = if most.kind == CopyKind::Memset {
        "memsets".to_owned()
    } else {
        let rate = rate.map_or_else(String::new, |rate| format!(" at {rate:.1} GB/s"));
        format!("{} copies{memory}{rate}", most.kind.as_str())
    };
    let mut finding = Finding::new(
        Sentence::new(
            "Copies and memsets take {} of the time without a kernel; longest in all are {}{}",
            vec![
                Figure::Percent(share, 1),
                Figure::Text(what),
                Figure::Clause(Box::new(called_in.map_or_else(
                    || "".into(),
                    |ranges| {
                        Sentence::new(
                            ", {} of whose time is of calls in {} {}",
                            vec![
                                Figure::Percent(ranges.percent, 1),
                                Figure::Text(ranges.ranges.into()),
                                Figure::Text(ranges.names),
                            ],
                        )
                    },
                ))),
            ],
        ),
        advice,
    )
    .percent(EXPOSED.name, share)
    .count("bytes", bytes)
    .about(EvidenceKind::CopyKind, [most.kind.as_str()])
    .show(Question::of("copies").sorted_by(["-gpu_time_ns"]).top(5));
    finding = match (is_little, is_bound) {
        // The advice is another one than to hide them.
        (true, _) => finding
            .saves_at_most(
                scene.gpu_saving(scene.per_gpu(exposed_ns)),
                scene.basis_of_most("All time of copies and memsets while no kernel runs"),
            ),
        (false, true) => finding.saves_at_most(
            scene.gpu_saving(scene.per_gpu(exposed_ns)),
            scene.basis_of_most(
                "All time of copies and memsets while no kernel runs; kernels before those to the GPU, or after those to the \
                 host, could hide them, but GPUs idle for 1 ms and more in between, where the host may have to work first",
            ),
        ),
        (false, false) => finding.saves(
            scene.per_gpu(hideable.likely_ns.min(exposed_ns)),
            scene.gpu_saving(scene.per_gpu(exposed_ns)),
            scene.basis_of_most(
                "What kernels can hide: of copies to the host the kernels after them, of others those before; at most all time \
                 of copies and memsets while no kernel runs",
            ),
        ),
    };
    let is_likely = finding.saving.as_ref().is_some_and(|saving| saving.expected_ns.is_some());
    finding = finding.replayed(Edits {
        expected: if is_likely { vec![Edit::copies_on_own_stream()] } else { Vec::new() },
        at_most: vec![Edit::enqueued_copies(CopiesOf::default(), 0.0), Edit::memsets_in_no_time()],
        is_within_reckoned: true,
        basis: match is_likely {
            true => {
                "Copies run on a stream of their own, beside the kernels of their iteration; at most all time of copies and memsets \
                 while no kernel runs"
            }
            false => "At most all time of copies and memsets while no kernel runs",
        }
        .into(),
    });
    if let Some(bandwidth) = rate {
        finding = finding.percent("bandwidth_gb_per_s", bandwidth);
    }
    Some(finding)
}

/// The ranges in which copies are called.
struct CalledIn {
    /// `range` or `ranges`.
    ranges: &'static str,
    names: String,
    /// Their share of the time of the copies.
    percent: f64,
}

/// The ranges with most of the time of the copies of a kind; `None` where they have less than half.
fn copied_in(scene: &Scene<'_>, kind: CopyKind) -> Option<CalledIn> {
    let by_range = copies_by_range(scene.facts(), scene.span, kind);
    let all_ns = total(by_range.values().copied());
    let ranges: Vec<RangeTime> = by_range
        .into_iter()
        .filter(|(text, _)| !text.is_none())
        .map(|(text, time_ns)| RangeTime { text, time_ns })
        .collect();
    let families = RangeFamily::of(&scene.profile.capture.strings, &ranges);
    let most = MostRanges::of(&families, all_ns).filter(|most| 2 * most.time_ns >= all_ns)?;
    Some(CalledIn { ranges: most.ranges, percent: percent(most.time_ns, all_ns), names: most.names })
}

/// `HtoD at 14.3 GB/s, DtoH at 3.0 GB/s`: how fast copies were in each direction.
fn bandwidths<'a>(groups: impl Iterator<Item = &'a CopyGroup> + Clone) -> String {
    let kinds: BTreeSet<CopyKind> = groups.clone().map(|group| group.kind).collect();
    let of_kind = |kind: CopyKind| {
        let (bytes, time_ns) = sums(groups.clone().filter(|group| group.kind == kind));
        Some(format!("{} at {:.1} GB/s", kind.as_str(), gb_per_s(bytes, time_ns)?))
    };
    kinds.into_iter().filter_map(of_kind).collect::<Vec<_>>().join(", ")
}

/// Bytes and time of copies.
pub(super) fn sums<'a>(groups: impl Iterator<Item = &'a CopyGroup>) -> (u64, Ns) {
    groups.fold((0, 0), |(bytes, time), group| {
        (bytes.saturating_add(group.bytes), time.saturating_add(group.gpu_time_ns))
    })
}

pub(super) fn gb_per_s(bytes: u64, time_ns: Ns) -> Option<f64> {
    per_second(bytes, time_ns).map(|bytes| bytes / 1e9)
}
