//! The bars of charts: a step, and the iterations of a capture, in parts in which the GPU works or waits.

use crate::overview::{IterationRow, Overview, Step, StepClass};
use dlprof_core::{IterationState, Profile, count_to_f64, to_f64};

/// A part of a bar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BarPart {
    pub(super) class: StepClass,
    /// Whether the GPU waits in it: hatched.
    pub(super) is_waiting: bool,
    pub(super) ns: f64,
}

/// A bar: one iteration, or the average of several.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Bar {
    pub(super) first: u32,
    pub(super) last: u32,
    /// Whether all of its iterations are aggregated.
    pub(super) is_aggregated: bool,
    /// Average length in nanoseconds.
    pub(super) ns: f64,
    /// What the time went to, from the bottom up; empty where that is not known, as outside the aggregated iterations.
    pub(super) parts: Vec<BarPart>,
}

/// All parts that a bar may have, from the bottom up: first those in which the GPU works.
pub(super) fn all_parts() -> impl Iterator<Item = (StepClass, bool)> {
    let of = |is_waiting: bool| StepClass::ALL.into_iter().map(move |class| (class, is_waiting));
    let works = [StepClass::Gpu, StepClass::Communication, StepClass::Copy];
    of(false).filter(move |(class, _)| works.contains(class)).chain(of(true))
}

/// The words for a part.
pub(super) fn words(class: StepClass, is_waiting: bool) -> &'static str {
    let definition = class.definition();
    if is_waiting { definition.waits } else { definition.words }
}

/// The parts of a step that take time: those in which the GPU works, then one that waits for the most usual reason.
pub(super) fn of_step(step: &Step) -> Vec<BarPart> {
    let works =
        step.classes.iter().map(|part| BarPart { class: part.class, is_waiting: false, ns: part.working_ns });
    let most = step.idle.first().map_or(StepClass::Other, |row| row.class);
    let idle = BarPart { class: most, is_waiting: true, ns: step.idle_ns };
    works.chain([idle]).filter(|part| part.ns > 0.0).collect()
}

/// The iterations in at most `most` bars; none without iterations.
pub(super) fn of_iterations(profile: &Profile, overview: &Overview, most: usize) -> Vec<Bar> {
    let rows = overview.iterations.as_ref().map_or(&[][..], |iterations| iterations.rows.as_slice());
    // What comes after the last iteration is none.
    let is_one = |row: &IterationRow| row.is_aggregated || row.state != IterationState::Outside.as_str();
    let rows = &rows[..rows.iter().rposition(is_one).map_or(0, |last| last + 1)];
    let start = profile.iterations.start;
    let bars = rows.chunks(rows.len().div_ceil(most.max(1)).max(1)).map(|rows| {
        let count = count_to_f64(rows.len() as u64);
        let is_aggregated = rows.iter().all(|row| row.is_aggregated);
        let mut parts: Vec<BarPart> = Vec::new();
        let is_known = rows.iter().all(|row| row.state != IterationState::Untraced.as_str());
        if is_aggregated && is_known && overview.step.is_some() {
            parts.extend(all_parts().map(|(class, is_waiting)| BarPart { class, is_waiting, ns: 0.0 }));
            for row in rows {
                add(profile, (row.iteration - start) as usize, &mut parts, count);
            }
        }
        Bar {
            first: rows[0].iteration,
            last: rows[rows.len() - 1].iteration,
            is_aggregated,
            ns: rows.iter().map(|row| to_f64(row.duration_ns)).sum::<f64>() / count,
            parts,
        }
    });
    bars.collect()
}

/// Adds the parts of a window, averaged over the used GPUs, over `count`.
fn add(profile: &Profile, window: usize, parts: &mut [BarPart], count: f64) {
    let times = profile.gpu_times();
    let gpus = count_to_f64(times.used_gpus().max(1) as u64);
    let time = times.of_used(window);
    for part in parts.iter_mut() {
        let ns = match (part.class, part.is_waiting) {
            (StepClass::Gpu, false) => time.compute_ns,
            (StepClass::Communication, false) => time.exposed_communication_ns,
            (StepClass::Copy, false) => time.exposed_copy_ns,
            (_, false) => 0,
            (class, true) => time.idle.of_class(class),
        };
        part.ns += to_f64(ns) / gpus / count;
    }
}

/// Where the axis of a chart of bars ends: at the longest bar, but bars longer than 1.5 times the others are cut, so that a long
/// warm-up does not make ten steps flat.
pub(super) fn full_ns(bars: &[Bar]) -> f64 {
    let mut usual: Vec<f64> = bars.iter().filter(|bar| bar.is_aggregated).map(|bar| bar.ns).collect();
    if usual.is_empty() {
        usual = bars.iter().map(|bar| bar.ns).collect();
    }
    usual.sort_by(f64::total_cmp);
    let median = usual.get(usual.len() / 2).copied().unwrap_or(1.0).max(1.0);
    let second = usual.iter().copied().filter(|&ns| ns <= 2.0 * median).fold(median, f64::max);
    let is_short = |ns: &f64| *ns <= 1.5 * second;
    bars.iter().map(|bar| bar.ns).filter(is_short).fold(second, f64::max)
}

/// Whether a bar is cut at the end of the axis.
pub(super) fn is_cut(bar: &Bar, full_ns: f64) -> bool {
    bar.ns > full_ns * 1.000_001
}

/// Round values from 0 to `full` or a little more, in three to five steps.
pub(super) fn ticks(full: f64) -> Vec<f64> {
    let rough = full.max(f64::MIN_POSITIVE) / 4.0;
    let magnitude = 10_f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0].map(|round| round * magnitude);
    let step = steps.into_iter().find(|step| *step >= rough * 0.999).unwrap_or(rough);
    let count = (1..=5_u8).find(|count| f64::from(*count) * step >= full * 0.999).unwrap_or(5);
    (0..=count).map(|number| f64::from(number) * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(ns: f64, is_aggregated: bool) -> Bar {
        Bar { first: 0, last: 0, is_aggregated, ns, parts: Vec::new() }
    }

    #[test]
    fn long_bars_are_cut() {
        let bars = [bar(9700.0, false), bar(520.0, true), bar(580.0, true), bar(430.0, true)];
        let full = full_ns(&bars);
        assert!((full - 580.0).abs() < 1e-9);
        assert_eq!(bars.each_ref().map(|bar| is_cut(bar, full)), [true, false, false, false]);
        let slow = [bar(520.0, true), bar(700.0, false)];
        assert!((full_ns(&slow) - 700.0).abs() < 1e-9, "a little longer is not cut");
        assert!((full_ns(&[bar(5.0, false)]) - 5.0).abs() < 1e-9);
    }

    #[test]
    fn ticks_are_round_and_reach_the_end() {
        assert_eq!(ticks(579.0).len(), 4);
        for full in [0.3, 1.0, 7.0, 99.0, 100.0, 101.0, 579.0, 1e9] {
            let ticks = ticks(full);
            assert!((3..=6).contains(&ticks.len()), "{ticks:?}");
            assert!(ticks[ticks.len() - 1] >= full * 0.998);
        }
    }
}
