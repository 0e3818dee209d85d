//! GPUs whose clock falls while they work.

use super::super::finding::{Confidence, Finding, Severity};
use super::super::rule::{Limits, Rule, Threshold};
use super::super::scene::{Scene, part};
use super::super::sentence::{Figure, Sentence};
use super::name_of;
use crate::activity::activity_of;
use crate::ids::{DeviceId, LaunchConfigId, StrId};
use crate::ratios::{median, percent, to_f64};
use crate::time::Ns;

const DRIFT: Threshold = Threshold {
    name: "drift_percent",
    default: 15.0,
    doc: "Least growth of a kernel's median duration from the first to the last tenth of its launches.",
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
    how: "The kernels with 5 % of the kernel time and 100 launches on one GPU with one grid: the rule fires where all of them take \
          15 % longer in the last tenth of their launches than in the first, by the median. Silent while kernels take under 5 % \
          of the time, and under ten iterations. The likely saving is half of the drift × the kernel time.",
    severity: Severity::Note,
    confidence: Confidence::Low,
    thresholds: &[DRIFT, LAUNCHES, KERNEL],
    link: "",
    check: clocks,
};

fn clocks(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    if scene.iterations < 10 || !scene.kernels_matter() {
        return None;
    }
    let times = scene.kernels();
    let is_candidate = |launches: u64, time: Ns| {
        crate::ratios::count_to_f64(launches) >= limits.of(&LAUNCHES)
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
            "The same kernels take {} longer at the end than at the beginning",
            vec![Figure::Percent(100.0 * least, 0)],
        ),
        "Look at power, heat and clock limits of the GPU while it runs: `nvidia-smi -q -d CLOCK,POWER,TEMPERATURE,PERFORMANCE`",
    )
    .percent(DRIFT.name, 100.0 * least)
    .about("kernel_names", "long_kernel_name", [name_of(scene, kernel)])
    .show(["kernel-names", "--sort", "-gpu_time_ns", "--top", "5"]);
    let lost = part(times.time_ns, least / (2.0 + least));
    Some(finding.saves(
        scene.likely_kernel_saving(lost),
        scene.kernel_saving(lost.saturating_mul(2)),
        "Half of the drift × the kernel time",
    ))
}

/// So many kernels are looked at.
const MOST_KERNELS: usize = 4;

/// Durations of the launches of a kernel with one grid on one GPU, in order of time.
fn launches_of(scene: &Scene<'_>, name: StrId, config: LaunchConfigId, device: DeviceId) -> Vec<Ns> {
    let capture = &scene.profile.capture;
    let (names, configs) = (&capture.kernels.long_name[..], &capture.kernels.config[..]);
    let (spans, devices) = (&capture.work.span[..], &capture.work.device[..]);
    let is_wanted = |&at: &usize| names[at] == name && configs[at] == config && devices[at] == device;
    let items = activity_of(capture).items;
    let kernels = items.starting_in(0..names.len(), scene.span);
    let mut launches: Vec<_> = kernels.filter(is_wanted).map(|at| spans[at]).collect();
    launches.sort_unstable_by_key(|span| (span.start, span.end));
    launches.into_iter().map(crate::time::Span::length).collect()
}

/// How much longer the last tenth takes than the first, as a part of it.
fn drift(durations: &[Ns]) -> Option<f64> {
    let tenth = durations.len() / 10;
    let (first, last) = (durations.get(..tenth)?, durations.get(durations.len() - tenth..)?);
    let (first, last) = (median(first.to_vec()), median(last.to_vec()));
    (first > 0).then(|| percent(last - first, first) / 100.0).filter(|_| to_f64(last) > 0.0)
}

#[cfg(test)]
mod tests {
    use super::drift;

    #[test]
    fn the_last_tenth_is_compared_with_the_first() {
        let growing: Vec<i64> = (0..100).map(|at| 1000 + 4 * at).collect();
        let found = drift(&growing).expect("a drift");
        assert!((found - 0.35).abs() < 0.02, "{found}");
        assert_eq!(drift(&[]), None);
    }
}
