//! Many small copies of one size where one copy would do.

use super::short_of;
use crate::advice::edits::Edits;
use crate::advice::finding::{Confidence, EvidenceKind, Finding, Severity};
use crate::advice::question::Question;
use crate::advice::rule::{Limits, Need, Rule, Threshold};
use crate::advice::scene::Scene;
use crate::advice::sentence::{Figure, Sentence};
use crate::advice::small_copies::SmallCopies;
use crate::base::ratios::{percent, to_f64};
use crate::figures::activity::CopyRounds;
use crate::replay::{CopiesOf, Edit};

const SMALL_COPIES: Threshold = Threshold {
    name: "small_copies_percent",
    default: 5.0,
    doc: "Least share of the time that the calls of these copies take on the host.",
};

pub(super) const MANY_SMALL_COPIES: Rule = Rule {
    id: "many_small_copies",
    title: "Many small copies of one size",
    how: "Of the copies of at most 64 KiB between host and GPU that start in the range, by direction and size: those whose calls \
          take most time, and the share of the time that these take on the host. Copies that belong to trying algorithms do not \
          count (`autotuning_in_range` has them). Silent under 50 copies per iteration. A kernel that is launched as often, \
          within a twentieth, is named beside them. The saving is at most the time of the calls. Where the thread launches, takes \
          memory and waits no more than once for each copy, one of these about as often as it copies, and its calls fill half of \
          the time from one copy to the next, all of that time is the most: one copy for all has one of each.",
    severity: Severity::Warning,
    confidence: Confidence::High,
    thresholds: &[SMALL_COPIES],
    link: "https://developer.nvidia.com/blog/how-optimize-data-transfers-cuda-cc/",
    needs: &[Need::Kernels],
    is_replayed: true,
    check: many_small_copies,
    ..Rule::SILENT
};

fn many_small_copies(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let found = scene.small_copies()?;
    let most = found.copies;
    let share = percent(most.api_time_ns, scene.call_span().length());
    if share < limits.of(&SMALL_COPIES) {
        return None;
    }
    let copies = format!("{} {} copies of {} bytes each", most.count, most.kind.as_str(), most.bytes);
    let gpu_time = Figure::Time(to_f64(most.gpu_time_ns));
    let problem = match found.rounds {
        Some(rounds) => Sentence::new(
            "{} take {}, {} of the {}; with them come {}; GPUs copy for {}",
            vec![
                Figure::Text(copies),
                Figure::Time(to_f64(rounds.time_ns)),
                Figure::Percent(percent(rounds.time_ns, scene.call_span().length()), 1),
                scene.time_in_words(),
                Figure::Text(with_each(scene, found, rounds)),
                gpu_time,
            ],
        ),
        None => Sentence::new(
            "{} move {} bytes in all: their calls keep the host for {}, {} of the {}, though GPUs copy for {}{}",
            vec![
                Figure::Text(copies),
                Figure::Count(most.bytes.saturating_mul(most.count)),
                Figure::Time(to_f64(most.api_time_ns)),
                Figure::Percent(share, 1),
                scene.time_in_words(),
                gpu_time,
                Figure::Text(beside(scene, found)),
            ],
        ),
    };
    let finding = Finding::new(problem, scene.framework().one_copy())
        .percent(SMALL_COPIES.name, share)
        .count("copies", most.count)
        .count("bytes_each", most.bytes)
        .time("gpu_time_ns", most.gpu_time_ns)
        .time("api_time_ns", most.api_time_ns)
        .percent("copies_per_iteration", scene.per_iteration(most.count))
        .about(EvidenceKind::CopyKind, [most.kind.as_str()])
        .show(
            Question::of("copies").rows_where(format!("kind = {}", most.kind.as_str())).sorted_by(["-count"]),
        );
    Some(match found.rounds {
        // One copy for all has one kernel, one wait and one call that takes memory as well.
        Some(rounds) => finding.time("rounds_ns", rounds.time_ns).saves_at_most(
            rounds.time_ns,
            "The time from one of these copies to the next, with all calls in it",
        ),
        None => {
            finding.saves_at_most(most.api_time_ns, "The time of the calls of these copies").replayed(Edits {
                expected: Vec::new(),
                at_most: vec![Edit::without_copies(CopiesOf {
                    kinds: vec![most.kind],
                    bytes: Some(most.bytes),
                    ..CopiesOf::default()
                })],
                is_within_reckoned: false,
                basis: "These copies and their calls are not made".into(),
            })
        }
    })
}

/// The kernel that is launched as often, if there is one.
fn beside(scene: &Scene<'_>, found: &SmallCopies) -> String {
    kernel_of_each(scene, found).map_or_else(String::new, |(name, launches)| {
        format!("; `{name}` is launched {launches} times beside them")
    })
}

/// What comes once with each of the copies: launches, calls that take memory, and waits.
fn with_each(scene: &Scene<'_>, found: &SmallCopies, rounds: CopyRounds) -> String {
    let launches = match kernel_of_each(scene, found) {
        Some((name, launches)) => Some(format!("{launches} launches of `{name}`")),
        None => counted(rounds.launches, "launches"),
    };
    let parts = [launches, counted(rounds.allocations, "allocations"), counted(rounds.waits, "waits")]
        .into_iter()
        .flatten();
    parts.collect::<Vec<String>>().join(", ")
}

fn counted(count: u64, what: &str) -> Option<String> {
    (count > 0).then(|| format!("{count} {what}"))
}

/// The short name and the launches of the kernel that is launched as often as these copies are made.
fn kernel_of_each(scene: &Scene<'_>, found: &SmallCopies) -> Option<(String, u64)> {
    let kernel = scene.kernels().kernels.iter().find(|kernel| found.is_one_each(kernel.launches))?;
    Some((short_of(scene, kernel), kernel.launches))
}
