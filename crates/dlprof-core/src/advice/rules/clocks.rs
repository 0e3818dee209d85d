//! GPUs whose clock falls while they work.

use super::{name_of, with_command};
use crate::advice::finding::{Confidence, EvidenceKind, Finding, Severity};
use crate::advice::question::Question;
use crate::advice::rule::{Limits, Need, Rule, Threshold, TimeOf};
use crate::advice::scene::{Scene, part};
use crate::advice::sentence::{Figure, Sentence};
use crate::base::ids::{DeviceId, LaunchConfigId, StrId};
use crate::base::ratios::{median, percent};
use crate::base::time::{Ns, Span};
use crate::capture::classified::Activity;
use crate::read::facts::Shows;

const DRIFT: Threshold = Threshold {
    name: "drift_percent",
    default: 15.0,
    doc: "Least growth of a kernel's time in an iteration from the first to the last tenth of the iterations.",
};

const LAUNCHES: Threshold = Threshold {
    name: "launches",
    default: 100.0,
    doc: "Least number of launches of the kernel with one grid.",
};

const KERNEL: Threshold =
    Threshold { name: "kernel_percent", default: 5.0, doc: "Least share of the kernel time of the kernel." };

pub(super) const CLOCKS: Rule = Rule {
    id: "clocks",
    title: "Kernels become slower while the program runs",
    how: "The kernels with 5 % of the kernel time and 100 launches on one GPU with one grid, by their place in the iteration: \
        the median duration of the first launch of an iteration, of the second, and so on, over the first tenth of the \
        iterations and over the last, three iterations at least. The rule fires where the sum over the places grows by 15 % for \
        all of these kernels. Silent where a kernel is not launched equally often in these iterations, while kernels take under \
        5 % of the time, and under ten iterations. The likely saving is half of the drift × the kernel time.",
    severity: Severity::Note,
    confidence: Confidence::Low,
    thresholds: &[DRIFT, LAUNCHES, KERNEL],
    needs: &[Need::Iterations(10), Need::Kernels],
    saves_from: &[TimeOf::Kernels],
    check: clocks,
    ..Rule::SILENT
};

fn clocks(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    if scene.iterations < 10 || !scene.kernels_matter() {
        return None;
    }
    let times = scene.kernels();
    let is_candidate = |launches: u64, time: Ns| {
        crate::base::ratios::count_to_f64(launches) >= limits.of(&LAUNCHES)
            && times.share(time) >= limits.of(&KERNEL)
    };
    let candidates: Vec<_> = times
        .kernels
        .iter()
        .filter_map(|kernel| {
            let grid = kernel.grids.first().filter(|grid| is_candidate(grid.launches, grid.time_ns))?;
            Some((kernel, grid))
        })
        .take(MOST_KERNELS)
        .collect();
    if candidates.is_empty() {
        return None;
    }
    let mut drifts = Vec::new();
    for (kernel, grid) in &candidates {
        let drift = drift(&launches_of(scene, kernel.long_name, grid.config_id, grid.device))?;
        if 100.0 * drift < limits.of(&DRIFT) {
            return None;
        }
        drifts.push(drift);
    }
    let least = drifts.into_iter().min_by(f64::total_cmp)?;
    let (kernel, _) = candidates.first()?;
    let finding = Finding::new(
        Sentence::new(
            "The same kernels at the same places of the iteration take {} longer in the last iterations than in the first",
            vec![Figure::Percent(100.0 * least, 0)],
        ),
        with_command("Look at power, heat and clock limits of the GPU while it runs{}", scene, Shows::State),
    )
    .percent(DRIFT.name, 100.0 * least)
    .about(EvidenceKind::Kernel, [name_of(scene, kernel)])
    .show(Question::of("kernel_names").sorted_by(["-gpu_time_ns"]).top(5));
    let lost = part(times.time_ns, least / (2.0 + least));
    Some(finding.saves(
        scene.likely_kernel_saving(lost),
        scene.kernel_saving(lost.saturating_mul(2)),
        scene.basis("Half of the drift × the kernel time"),
    ))
}

/// How many kernels are looked at.
const MOST_KERNELS: usize = 4;

/// By iteration: durations of the launches of a kernel with one grid on one GPU, in order of time.
fn launches_of(scene: &Scene<'_>, name: StrId, config: LaunchConfigId, device: DeviceId) -> Vec<Vec<Ns>> {
    let capture = &scene.profile.capture;
    let (names, configs) = (&capture.kernels.long_name[..], &capture.kernels.config[..]);
    let (spans, devices) = (&capture.work.span[..], &capture.work.device[..]);
    let is_wanted = |&at: &usize| names[at] == name && configs[at] == config && devices[at] == device;
    let activity = Activity::of(capture);
    let kernels = activity.starting_in(0..names.len(), scene.span);
    let mut launches: Vec<_> = kernels.filter(is_wanted).map(|at| spans[at]).collect();
    launches.sort_unstable_by_key(|span| (span.start, span.end));
    let windows = &scene.profile.windows()[scene.places.clone()];
    let of_window = |window: &Span| {
        let from = launches.partition_point(|span| span.start < window.start);
        let to = launches.partition_point(|span| span.start < window.end);
        launches[from..to.max(from)].iter().map(|span| span.length()).collect()
    };
    windows.iter().map(of_window).collect()
}

/// At each end so many iterations are looked at, or a tenth of them.
const FEWEST_ITERATIONS: usize = 3;

/// How much longer the launches of an iteration take at the end than at the beginning, as a part of it. Each is compared with
/// those at its place in the iteration; `None` where iterations have different numbers of them.
///
/// ```text
/// first iterations   a b c   a b c   a b c      medians of a, b and c
/// last iterations    a b c   a b c   a b c      their sum ÷ that of the first ones
/// ```
fn drift(iterations: &[Vec<Ns>]) -> Option<f64> {
    let tenth = FEWEST_ITERATIONS.max(iterations.len() / 10);
    let (first, last) = (iterations.get(..tenth)?, iterations.get(iterations.len().checked_sub(tenth)?..)?);
    let count = first.first()?.len();
    if 2 * tenth > iterations.len() || first.iter().chain(last).any(|launches| launches.len() != count) {
        return None;
    }
    let sum = |iterations: &[Vec<Ns>]| -> Ns {
        (0..count).map(|place| median(iterations.iter().map(|launches| launches[place]).collect())).sum()
    };
    let (first, last) = (sum(first), sum(last));
    (first > 0).then(|| percent(last - first, first) / 100.0)
}

#[cfg(test)]
mod tests {
    use super::drift;

    #[test]
    fn the_last_tenth_is_compared_with_the_first() {
        let growing: Vec<Vec<i64>> = (0..100).map(|at| vec![1000 + 4 * at, 2000 + 8 * at]).collect();
        let found = drift(&growing).expect("a drift");
        assert!((found - 0.35).abs() < 0.02, "{found}");
        assert_eq!(drift(&[]), None);
    }

    /// A kernel has launches of 10 and of 30 µs in every iteration. Tenths of all launches would hold different numbers of both.
    #[test]
    fn launches_are_compared_by_their_place_in_the_iteration() {
        let steady: Vec<Vec<i64>> = (0..12).map(|_| vec![10, 30, 30, 10, 30]).collect();
        assert_eq!(drift(&steady), Some(0.0));
        let mut uneven = steady.clone();
        uneven[11].pop();
        assert_eq!(drift(&uneven), None);
        assert_eq!(drift(&steady[..5]), None);
    }
}
