//! Unified memory that migrates between the host and GPUs.

use super::copies::{sums, usual_pinned_rate};
use crate::advice::finding::{Confidence, EvidenceKind, Finding, Severity};
use crate::advice::question::Question;
use crate::advice::rule::{Limits, Rule, Subject, Threshold};
use crate::advice::scene::Scene;
use crate::advice::sentence::{Figure, Sentence};
use crate::base::ratios::{count_to_f64, rounded};
use crate::base::time::Ns;
use crate::figures::activity::{CopyKind, Verdict};
use crate::read::facts::PageFaults;

const MIGRATION_TIME: Threshold = Threshold {
    name: "migrations_percent",
    default: 1.0,
    doc: "Least share of the time that migrations of unified memory take.",
};

const MIGRATIONS: Threshold =
    Threshold { name: "migrations", default: 1000.0, doc: "Least number of migrations of unified memory." };

const PAGE_FAULTS: Threshold = Threshold {
    name: "page_faults",
    default: 1000.0,
    doc: "Least number of page faults of unified memory in the capture, where its migrations take little time.",
};

pub(super) const MANAGED_MEMORY: Rule = Rule {
    id: "managed_memory",
    title: "Unified memory migrates",
    how: "The share of the time that migrations of unified memory take on GPUs, or their number. A kernel that uses memory \
          which is not on the GPU waits until it is, and how long is not recorded. So the saving is at most the time of \
          migrations and of all kernels during which memory migrates, of each up to the end of the last migration, each moment \
          once, less what moving the same bytes ahead takes on a usual bus that is faster than migrations in either direction, beyond the time of other kernels, which may hide it; what the host waits for memory that it uses is not in it. Where they take little, the number of page faults of the capture, on the CPU and on GPUs; how long they hold up \
          kernels is not recorded, so that no saving is stated.",
    severity: Severity::Warning,
    confidence: Confidence::High,
    thresholds: &[MIGRATION_TIME, MIGRATIONS, PAGE_FAULTS],
    link: "https://developer.nvidia.com/blog/maximizing-unified-memory-performance-cuda/",
    subject: Subject::Part(Verdict::Copy),
    check: managed_memory,
    ..Rule::SILENT
};

fn managed_memory(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let kinds = [CopyKind::UnifiedHtoD, CopyKind::UnifiedDtoH, CopyKind::UnifiedDtoD];
    let migrations = scene.copies().iter().filter(|group| kinds.contains(&group.kind));
    let count: u64 = migrations.clone().map(|group| group.count).sum();
    let (bytes, time_ns) = sums(migrations);
    let share = scene.share(time_ns);
    let faults = scene.profile.capture.notes.page_faults;
    if count == 0 || (share < limits.of(&MIGRATION_TIME) && count_to_f64(count) < limits.of(&MIGRATIONS)) {
        return page_faults(faults, limits);
    }
    let waiting_ns = scene.migrations().kernels_ns;
    // Who prefetches moves the same bytes, in larger pieces.
    let ahead_ns = usual_pinned_rate(scene.copies().iter().filter(|group| kinds.contains(&group.kind)))
        .filter(|_| bytes > 0)
        .map_or(0, |rate| rounded(count_to_f64(bytes) / rate).min(time_ns));
    let hidden_ns = (scene.gpu_time().compute_ns - waiting_ns).max(0);
    let shown_ns = (ahead_ns - hidden_ns).max(0);
    let finding = Finding::new(
        Sentence::new(
            "{} migrations of unified memory take {} of the time{}",
            vec![Figure::Count(count), Figure::Percent(share, 1), kernels_meanwhile(scene, waiting_ns)],
        ),
        "Move the data before it is used: `cudaMemPrefetchAsync` or explicit copies, and `cudaMemAdvise` for data that is only \
         read",
    )
    .percent(MIGRATION_TIME.name, share)
    .count(MIGRATIONS.name, count)
    .count("bytes", bytes)
    .time("moved_ahead_ns", ahead_ns)
    .time("kernels_during_migrations_ns", waiting_ns)
    .about(
        EvidenceKind::CopyKind,
        scene.copies().iter().map(|group| group.kind).filter(|kind| kinds.contains(kind)).map(CopyKind::as_str),
    )
    .show(Question::of("copies").rows_where("kind ~ ^UM_").sorted_by(["-gpu_time_ns"]))
    .saves_at_most(
        scene.per_gpu((scene.migrations().all_ns - shown_ns).max(0)),
        "All time of the migrations, and of the kernels during which memory migrates up to the last migration in each, without what \
         moving the same bytes ahead takes beyond the time of other kernels: less, by what these kernels compute until then, which is \
         not recorded; what the host waits for memory is not in it",
    );
    Some(with_gpu_faults(finding, faults))
}

/// With the page faults of GPUs, where the export has a table of them.
fn with_gpu_faults(finding: Finding, faults: PageFaults) -> Finding {
    match faults.gpu_events {
        Some(_) => finding.count("gpu_page_faults", faults.gpu_faults),
        None => finding,
    }
}

/// What the kernels take during which memory migrates, in words; nothing without such.
fn kernels_meanwhile(scene: &Scene<'_>, waiting_ns: Ns) -> Figure {
    if waiting_ns == 0 {
        return Figure::Text(String::new());
    }
    Figure::Clause(Box::new(Sentence::new(
        ", and kernels during which memory migrates {}, what they wait for it included",
        vec![Figure::Percent(scene.share(waiting_ns), 1)],
    )))
}

/// Page faults whose migrations take little time or were not recorded.
fn page_faults(faults: PageFaults, limits: &Limits<'_>) -> Option<Finding> {
    let on_cpu = faults.cpu_events.unwrap_or(0);
    let all = on_cpu.saturating_add(faults.gpu_faults);
    if count_to_f64(all) < limits.of(&PAGE_FAULTS) {
        return None;
    }
    let finding = Finding::new(
        Sentence::new(
            "The capture has {} page faults of unified memory, {} on the CPU and {} on GPUs; how long they hold up kernels is \
             not recorded",
            vec![Figure::Count(all), Figure::Count(on_cpu), Figure::Count(faults.gpu_faults)],
        ),
        "Move the data before it is used: `cudaMemPrefetchAsync` or explicit copies, and `cudaMemAdvise` for data that is only \
         read",
    )
    .count(PAGE_FAULTS.name, all)
    .count("cpu_page_faults", on_cpu)
    .count("gpu_page_faults", faults.gpu_faults)
    .about(EvidenceKind::Diagnostic, ["page-faults"])
    .show(Question::of("diagnostics").rows_where("code = page-faults"));
    Some(finding)
}
