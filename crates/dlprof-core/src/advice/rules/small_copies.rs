//! Many small copies of one size where one copy would do.

use super::{FEWEST_LAUNCHES, short_of};
use crate::advice::finding::{Confidence, EvidenceKind, Finding, Severity};
use crate::advice::question::Question;
use crate::advice::rule::{Limits, Need, Rule, Threshold};
use crate::advice::scene::Scene;
use crate::advice::sentence::{Figure, Sentence};
use crate::base::ratios::{percent, to_f64};
use crate::figures::activity::{CopyKind, EqualCopies, equal_copies};

const SMALL_COPIES: Threshold = Threshold {
    name: "small_copies_percent",
    default: 5.0,
    doc: "Least share of the time that the calls of these copies take on the host.",
};

/// A copy up to this size takes about as long as an empty one.
const SMALL_BYTES: u64 = 64 << 10;

pub(super) const MANY_SMALL_COPIES: Rule = Rule {
    id: "many_small_copies",
    title: "Many small copies of one size",
    how: "Of the copies of at most 64 KiB between host and GPU that start in the range, by direction and size: those whose calls \
          take most time, and the share of the time that these take on the host. Copies that belong to trying algorithms do not \
          count (`autotuning_in_range` has them). Silent under 50 copies per iteration. A kernel that is launched as often, \
          within a twentieth, is named beside them. The saving is at most the time of the calls.",
    severity: Severity::Warning,
    confidence: Confidence::High,
    thresholds: &[SMALL_COPIES],
    link: "https://developer.nvidia.com/blog/how-optimize-data-transfers-cuda-cc/",
    needs: &[Need::Kernels],
    check: many_small_copies,
    ..Rule::SILENT
};

fn many_small_copies(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let fewest = FEWEST_LAUNCHES * u64::from(scene.iterations.max(1));
    let groups = equal_copies(scene.facts(), scene.span, SMALL_BYTES, |copy| !scene.is_trial(copy));
    let is_meant = |group: &&EqualCopies| {
        matches!(group.kind, CopyKind::HtoD | CopyKind::DtoH) && group.count >= fewest && group.bytes > 0
    };
    let key = |group: &&EqualCopies| (group.api_time_ns, std::cmp::Reverse((group.kind, group.bytes)));
    let most = groups.iter().filter(is_meant).max_by_key(key)?;
    let share = percent(most.api_time_ns, scene.call_span().length());
    if share < limits.of(&SMALL_COPIES) {
        return None;
    }
    let is_as_many = |launches: u64| launches.abs_diff(most.count) * 20 <= most.count;
    let kernel = scene.kernels().kernels.iter().find(|kernel| is_as_many(kernel.launches));
    let beside = kernel.map_or_else(String::new, |kernel| {
        format!("; `{}` is launched {} times beside them", short_of(scene, kernel), kernel.launches)
    });
    let all_bytes = most.bytes.saturating_mul(most.count);
    let problem = Sentence::new(
        "{} {} copies of {} bytes each move {} bytes in all: their calls keep the host for {}, {} of the time, though GPUs copy \
         for {}{}",
        vec![
            Figure::Count(most.count),
            Figure::Text(most.kind.as_str().to_owned()),
            Figure::Count(most.bytes),
            Figure::Count(all_bytes),
            Figure::Time(to_f64(most.api_time_ns)),
            Figure::Percent(share, 1),
            Figure::Time(to_f64(most.gpu_time_ns)),
            Figure::Text(beside),
        ],
    );
    let finding = Finding::new(
        problem,
        "Copy once: keep the rows of an array in one block of memory and copy the block, or rows with space between them with \
         `cudaMemcpy2DAsync`; then one launch can work on all of them",
    )
    .percent(SMALL_COPIES.name, share)
    .count("copies", most.count)
    .count("bytes_each", most.bytes)
    .time("gpu_time_ns", most.gpu_time_ns)
    .time("api_time_ns", most.api_time_ns)
    .percent("copies_per_iteration", scene.per_iteration(most.count))
    .about(EvidenceKind::CopyKind, [most.kind.as_str()])
    .show(Question::of("copies").rows_where(format!("kind = {}", most.kind.as_str())).sorted_by(["-count"]))
    .saves_at_most(
        most.api_time_ns.min(scene.span.length()),
        "The time of the calls of these copies",
    );
    Some(finding)
}
